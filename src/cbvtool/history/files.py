"""The changes of each file in a range of commits: commits, lines, authors, first and last change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.history.choosing import Choice, counted_touches, people
from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn

_Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FileRows:
    """The q files of today that commits of the range touched, the most commits first, then by path.

    path            int64[q]  index into `Changes.paths`
    commits         int64[q]
    added, deleted  int64[q]  lines; 0 for binary files, and if they were not counted
    authors         int64[q]  number of distinct authors
    first, last     int64[q]  date of the first and the last commit, seconds since the epoch
    """

    path: _Counts
    commits: _Counts
    added: _Counts
    deleted: _Counts
    authors: _Counts
    first: _Counts
    last: _Counts


def file_rows(changes: Changes, choice: Choice | None = None) -> FileRows:
    """One row for each file that the chosen commits touched. Raises PatternError."""
    choice = choice or Choice()
    rows = counted_touches(changes, choice)
    path, commit = changes.touch_path[rows], changes.touch_commit[rows]
    count = len(changes.paths)
    commits = np.bincount(path, minlength=count)
    who = people(changes, choice.by_name)
    pairs = np.unique(path.astype(np.int64) * max(1, len(who.names)) + who.of_commit[commit])
    authors = np.bincount(pairs // max(1, len(who.names)), minlength=count)
    first, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
    first[path[::-1]] = changes.time[commit[::-1]]  # reversed, so that the oldest commit is written last
    last[path] = changes.time[commit]
    churn = changes.churn or Churn.unknown(len(changes.touch_commit))
    added, deleted = (
        np.bincount(path, np.maximum(lines[rows], 0), count).astype(np.int64) for lines in (churn.added, churn.deleted)
    )
    touched = np.flatnonzero(commits)
    names = np.array([changes.paths[i] for i in touched.tolist()], object)
    touched = touched[np.lexsort((np.argsort(np.argsort(names, kind="stable")), -commits[touched]))]
    return FileRows(touched, *(column[touched] for column in (commits, added, deleted, authors, first, last)))
