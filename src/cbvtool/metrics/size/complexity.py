"""Cyclomatic complexity."""

from cbvtool.metrics.combine import Column, own, total
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: sum of the cyclomatic complexities in each subtree."""
    return total(subject.graph, own(subject.graph, "complexity"))


COMPLEXITY = Metric(
    "complexity",
    "Cyclomatic complexity",
    "paths",
    "more",
    "sum",
    compute,
    "Independent paths through the code, summed over functions.",
)
