"""Change coupling: which files changed in the same commits, and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.mining.changes import Changes

MOST_FILES = 30  # of a commit that counts: larger ones (formatting, licences, merges of branches) couple everything


@dataclass(frozen=True, eq=False)
class CoChanges:
    """q pairs of paths that changed together at least once, a sparse symmetric matrix as its upper triangle.

    first, second  int32[q]  indexes into `Changes.paths`, first < second; ascending
    support        int32[q]  number of commits that touched both
    """

    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    support: npt.NDArray[np.int32]


def co_changes(
    changes: Changes, *, most: int = MOST_FILES, since: int | None = None, until: int | None = None
) -> CoChanges:
    """Which files changed together in commits that touched at most `most` of today's files.

    since, until   seconds since the epoch, both included; None = open

    O(r + p) for r touches and p pairs in commits.
    """
    first = 0 if since is None else int(np.searchsorted(changes.time, since, "left"))
    last = len(changes.time) if until is None else int(np.searchsorted(changes.time, until, "right"))
    rows = slice(*np.searchsorted(changes.touch_commit, (first, max(first, last))).tolist())
    width = max(1, len(changes.paths))
    # Each path once in a commit, in ascending order.
    touched = np.unique(changes.touch_commit[rows].astype(np.int64) * width + changes.touch_path[rows])
    commit, path = touched // width, touched % width
    starts = np.flatnonzero(np.append(True, commit[1:] != commit[:-1])[: len(commit)])
    sizes = np.diff(np.append(starts, len(commit)))
    codes = []
    for size in np.unique(sizes[(sizes > 1) & (sizes <= most)]).tolist():
        together = path[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        codes.append((together[:, one] * width + together[:, other]).ravel())
    code, support = np.unique(np.concatenate(codes) if codes else np.empty(0, np.int64), return_counts=True)
    return CoChanges((code // width).astype(np.int32), (code % width).astype(np.int32), support.astype(np.int32))
