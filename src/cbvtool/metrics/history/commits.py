"""Number of commits."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import commits_below, has_history, recorded
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: commits that touched any file of each subtree, in the time range or ever."""
    return commits_below(subject) if has_history(subject) else recorded(subject, "commits")


COMMITS = Metric(
    "commits",
    "Commits",
    "commits",
    "more",
    "union",
    compute,
    "Commits in the time range; by default in the whole history.",
    history=True,
)
