"""Figures in words: then and now, better or worse, each with a sign and a word, so that no colour is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from markupsafe import Markup

from cbvtool.report.markup import element
from cbvtool.report.trend import FigureTrend, Verdict, shown

SIGNS: Mapping[Verdict, str] = {"worse": "▲ worse", "better": "▼ better", "same": "same", "neither": ""}


def difference(figure: FigureTrend) -> str:
    """By how much it is more or less: `+12`, `−3`; nothing where it reads the same."""
    if math.isnan(figure.before) or math.isnan(figure.after):
        return ""
    if shown(figure.name, figure.before) == shown(figure.name, figure.after):
        return ""
    much = figure.after - figure.before
    return f"{'+' if much > 0 else '−'}{shown(figure.name, abs(much))}"


def verdict(figure: FigureTrend) -> Markup:
    """Its sign and word."""
    return element("span", SIGNS[figure.verdict], class_=f"verdict {figure.verdict}")


def then_now(figure: FigureTrend) -> str:
    """`12 → 15`; what was not there then is new."""
    before = "new" if math.isnan(figure.before) else shown(figure.name, figure.before)
    return f"{before} → {shown(figure.name, figure.after)}"
