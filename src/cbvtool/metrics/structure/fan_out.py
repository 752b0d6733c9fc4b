"""Fan-out: number of files that a node depends on."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.users import related_files, uses


def compute(subject: Subject) -> Column:
    """float64[n]: number of files outside each subtree that something in it uses."""
    user, used = uses(subject.graph)
    return related_files(subject.graph, user, used)


FAN_OUT = Metric(
    "fan_out",
    "Uses",
    "files",
    "more",
    "recompute",
    compute,
    "Fan-out: files outside that something inside uses.",
    slow=True,
)
