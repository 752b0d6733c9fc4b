"""Number of authors."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import authors_below, has_history, recorded
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: people who changed any file of each subtree, in the time range or ever."""
    return authors_below(subject) if has_history(subject) else recorded(subject, "authors")


AUTHORS = Metric(
    "authors",
    "Authors",
    "authors",
    "neither",
    "union",
    compute,
    "Different authors in the time range; by default in the whole history.",
    history=True,
)
