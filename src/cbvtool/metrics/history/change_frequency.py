"""Change frequency (CBV-4)."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import commits_below, has_history, recent, recorded
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: commits that touched any file of each subtree in the time range.

    Without a range: in the last six months (183 days) of the history.
    """
    return commits_below(recent(subject)) if has_history(subject) else recorded(subject, "change_frequency")


CHANGE_FREQUENCY = Metric(
    "change_frequency",
    "Change frequency",
    "commits",
    "more",
    "union",
    compute,
    "Commits in the time range; by default in the last six months of the history.",
    history=True,
)
