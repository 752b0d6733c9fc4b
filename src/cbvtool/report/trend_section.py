"""The section of a report about what became worse and better since an earlier commit."""

from __future__ import annotations

import math

from markupsafe import Markup

from cbvtool.evolution.table import modules
from cbvtool.metrics.history.last_change import day
from cbvtool.plan.task import counted
from cbvtool.report.figures import difference, then_now, verdict
from cbvtool.report.first_screen import SHORT, cells
from cbvtool.report.gathered import Gathered
from cbvtool.report.markup import element, listing, table
from cbvtool.report.sparkline import sparkline
from cbvtool.report.trend import Trend, shown

LEVEL = 2  # level of the modules that are compared


def trend_section(one: Gathered) -> Markup:
    """The section; if nothing can be compared, a section that says why."""
    heading = element("h2", "What changed", id="trend")
    trend = one.trend
    if trend is None:
        why = one.no_trend or "Nothing to compare with was asked for."
        return element("section", heading, element("p", f"Nothing is compared. {why}"), aria_labelledby="trend")
    begin, end = trend.begin, trend.end
    about = (
        f"From commit {begin.sha[:SHORT]} of {day(begin.time)} to commit {end.sha[:SHORT]} of {day(end.time)}, "
        f"{counted(len(trend.found.commits), 'commit')} looked at. Files that were moved are followed."
    )
    if trend.read.uncommitted:
        about += " What is not committed yet counts with the last one."
    parts = [
        heading,
        element("p", about),
        element("p", f"{trend.read.differs.words}.", id="differs"),
        *(element("p", note) for note in trend.read.rule_notes),
        _figures(trend),
        element("h3", "What got worse"),
        _worse(one) if one.worse else element("p", "Nothing."),
        element("h3", "What got better"),
        listing(*one.better, id="better") if one.better else element("p", "Nothing."),
        _modules(trend, one.limit),
    ]
    return element("section", *parts, aria_labelledby="trend")


def _worse(one: Gathered) -> Markup:
    rows = [(what, *cells(remedy)) for what, remedy in one.worse]
    heads = ("What", "What to do", "#Lines", "#Files", "#Effort")
    return table("What got worse, and what mending it would take", heads, rows, id="worse")


def _figures(trend: Trend) -> Markup:
    root = trend.found.graph.root
    rows = [
        (each.label, shown(each.name, each.before), shown(each.name, each.after), difference(each), verdict(each))
        for each in trend.figures(root)
        if each.name not in ("fan_in", "fan_out") and not math.isnan(each.after)
    ]
    heads = ("Figure", f"#{day(trend.begin.time)}", f"#{day(trend.end.time)}", "#Difference", "Better or worse")
    return table("The whole project", heads, rows, id="figures")


def _modules(trend: Trend, limit: int) -> Markup:
    """The modules whose complexity changed most."""
    found = trend.found
    keys = [key for key in modules(found.graph, LEVEL) if key != found.graph.root]
    rows = {key: {each.name: each for each in trend.figures(key)} for key in keys}

    def much(key: int) -> float:
        figure = rows[key]["complexity"]
        return abs((0.0 if math.isnan(figure.before) else figure.before) - figure.after)

    changed = sorted((key for key in keys if much(key) > 0), key=lambda key: -much(key))[:limit]
    if not changed:
        return Markup("")
    names = ("sloc", "complexity", "cyclic_files", "violations")
    body = [
        (
            found.graph.ids[key],
            *(then_now(rows[key][name]) for name in names),
            sparkline(found.series("complexity", key).tolist(), f"Complexity of {found.graph.ids[key]}"),
        )
        for key in changed
    ]
    heads = ("Module", "#Source lines", "#Complexity", "#Files in cycles", "#Broken rules", "Complexity over time")
    return element(
        "div",
        element("h3", "Modules that changed most"),
        table("By complexity, then and now", heads, body, id="modules"),
    )
