"""Source lines of code."""

from cbvtool.metrics.combine import Column, own, total
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: source lines of code in each subtree."""
    return total(subject.graph, own(subject.graph, "sloc"))


SLOC = Metric(
    "sloc",
    "Source lines",
    "lines",
    "neither",
    "sum",
    compute,
    "Lines of source code, without blank lines and comments.",
)
