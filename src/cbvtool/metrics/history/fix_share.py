"""Share of the commits that fix a fault."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.metrics.combine import Column, share
from cbvtool.metrics.history.in_range import commits_below, has_history
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.mining.changes import Changes
from cbvtool.mining.commit_kinds import fixing_commits


def compute(subject: Subject) -> Column:
    """float64[n]: share (0..1) of the commits of each subtree whose subject mentions a fix.

    0 without commits in the range.

    NaN if no file is tracked, or if the history has no subjects.
    """
    changes = subject.changes
    if changes is None or not has_history(subject) or not changes.subjects:
        return np.full(len(subject.graph), np.nan)
    return share(commits_below(subject, _fixes(changes)), commits_below(subject))


@lru_cache(maxsize=4)
def _fixes(changes: Changes) -> npt.NDArray[np.bool_]:
    return fixing_commits(changes, changes.fixes)


FIX_SHARE = Metric(
    "fix_share",
    "Share of fixes",
    "",
    "more",
    "recompute",
    compute,
    "Share of the commits in the time range whose message speaks of mending a fault; by default in the whole history.",
    lambda value: f"{value:.0%}",
    history=True,
)
