"""NL3+: how much of the code is nested three or deeper (CBV-4)."""

import numpy as np

from cbvtool.metrics.combine import Column, own, share, total
from cbvtool.metrics.metric import Metric, Subject

LEAST = 0.01  # percent; smaller values are shown as less than this


def compute(subject: Subject) -> Column:
    """float64[n]: share (0..1) of the source lines of each subtree that are nested three or deeper.

    NaN without source lines, and in a graph without any measured nesting.
    """
    graph = subject.graph
    if "nl3_lines" not in graph.values:
        return np.full(len(graph), np.nan)
    return share(total(graph, own(graph, "nl3_lines")), total(graph, own(graph, "sloc")))


def percent(value: float) -> str:
    """A share as a percentage, rounded for people: `12.3 %`, `4.2 %`, `0.97 %`."""
    number = 100 * value
    if 0 < number < LEAST:
        return f"< {LEAST} %"
    digits = 1 if abs(number) >= 1 else 2
    return f"{number:.{digits}f}".rstrip("0").rstrip(".") + " %"


NL3 = Metric(
    "nl3",
    "Deeply nested code",
    "",
    "more",
    "mean",
    compute,
    "NL3+: share of the source lines that are nested three or deeper.",
    percent,
)
