"""Number of statements."""

from cbvtool.metrics.combine import Column, own, total
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: statements in each subtree."""
    return total(subject.graph, own(subject.graph, "statements"))


STATEMENTS = Metric(
    "statements",
    "Statements",
    "statements",
    "neither",
    "sum",
    compute,
    "Statements; a control structure is one, and so is each statement in it.",
)
