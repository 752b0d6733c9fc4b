"""Number of authors."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import distinct
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: people who changed any file of each subtree, in the time range or ever."""
    return distinct(subject, "authors", lambda changes, commit: changes.author[commit])


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
