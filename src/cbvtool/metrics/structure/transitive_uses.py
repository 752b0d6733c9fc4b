"""Transitive fan-out: number of files that a node depends on (CBV-10)."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.reach import files_over_others
from cbvtool.metrics.structure.users import uses


def compute(subject: Subject) -> Column:
    """float64[n]: number of files outside each subtree on which something in it depends, directly or transitively.

    Follows the same chains as `transitive_users`, in the other direction.
    """
    user, used = uses(subject.graph)
    return files_over_others(subject.graph, user, used, users=False, progress=subject.progress)


TRANSITIVE_USES = Metric(
    "transitive_uses",
    "Uses, in all",
    "files",
    "more",
    "recompute",
    compute,
    "Transitive uses: files outside that something inside uses, directly or through others.",
    slow=True,
)
