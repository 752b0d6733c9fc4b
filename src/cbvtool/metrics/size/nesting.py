"""Nesting depth."""

from cbvtool.metrics.combine import Column, largest, own
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: largest number of control structures around a statement in each subtree."""
    return largest(subject.graph, own(subject.graph, "nesting"))


NESTING = Metric(
    "nesting",
    "Nesting depth",
    "levels",
    "more",
    "max",
    compute,
    "The most control structures, one inside the other, around any statement.",
)
