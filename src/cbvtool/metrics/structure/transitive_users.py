"""Transitive users: how many files a change of something may reach (CBV-10)."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.reach import files_over_others
from cbvtool.metrics.structure.users import uses


def compute(subject: Subject) -> Column:
    """float64[n]: different files outside each subtree that use something in it, directly or transitively.

    Whoever uses a class uses its methods, whoever uses a folder uses its files; whoever imports a file uses what
    stands in the file itself, not all that is defined there. See `users` for what counts as a use.
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
