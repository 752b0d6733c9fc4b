"""Fan-in: number of files that depend on a node."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.users import related_files, uses


def compute(subject: Subject) -> Column:
    """float64[n]: number of files outside each subtree that use something in it."""
    user, used = uses(subject.graph, external=True)
    return related_files(subject.graph, used, user)


FAN_IN = Metric(
    "fan_in",
    "Used by",
    "files",
    "neither",
    "recompute",
    compute,
    "Fan-in: files outside that use something inside.",
    slow=True,
)
