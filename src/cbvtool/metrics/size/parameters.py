"""Number of parameters."""

from cbvtool.metrics.combine import Column, largest, own
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: largest number of parameters of a function in each subtree; NaN without functions."""
    return largest(subject.graph, own(subject.graph, "parameters"))


PARAMETERS = Metric(
    "parameters", "Parameters", "parameters", "more", "max", compute, "The most parameters of any function."
)
