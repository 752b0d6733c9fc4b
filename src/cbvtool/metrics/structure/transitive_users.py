"""Transitive fan-in: number of files that a change may reach (CBV-10)."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.reach import files_over_others
from cbvtool.metrics.structure.users import uses


def compute(subject: Subject) -> Column:
    """float64[n]: number of files outside each subtree that depend on something in it, directly or transitively.

    Using a class means using its methods, and using a folder means using its files. Importing a file means using the
    code of the file itself, not everything defined in it. `users` defines which relations count as uses.
    """
    user, used = uses(subject.graph, external=True)
    return files_over_others(subject.graph, user, used, users=True, progress=subject.progress)


TRANSITIVE_USERS = Metric(
    "transitive_users",
    "Used by, in all",
    "files",
    "neither",
    "recompute",
    compute,
    "Transitive users: files outside that use something inside, directly or through others.",
    slow=True,
)
