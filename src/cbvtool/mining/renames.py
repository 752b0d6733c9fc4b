"""Follows renames: to which of today's files a change under a former name belongs.

A path refers to a *file identity*, which keeps its changes when it is renamed and ends when it is deleted. A path that
is added again starts a new identity. Commits are processed one after the other, parents before children, so that
parallel branches are interleaved. Two rules make this correct in the common cases:

- After a rename, the old path continues to refer to the renamed file until a file is added there again, because a
  branch without the rename may still change the old path.
- Adding a file where one exists already (the same file, cherry-picked to two branches) does not start a new identity.

A third rule needs extra data (see `mainline`): a file that has existed on the main line since some commit keeps its
identity, whatever branches do to its path after that.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cbvtool.mining.log import DELETE, MODIFY, RENAME, Log
from cbvtool.progress import Progress, silent

_NOBODY = -1
_NEVER = 2**31
_REPORT = 1024  # commits between two reports of progress


@dataclass(frozen=True, eq=False)
class Folded:
    """r touches in the order of the log, each pair (commit, file) once.

    commit  int32[r]  row in the log, ascending
    file    int32[r]  index into the given files
    touch   int32[k]  row of the touch for each event of a current file
    event   int32[k]  row of that event in the log
    """

    commit: npt.NDArray[np.int32]
    file: npt.NDArray[np.int32]
    touch: npt.NDArray[np.int32]
    event: npt.NDArray[np.int32]


def fold_renames(
    log: Log, files: Sequence[bytes], steady: Mapping[bytes, int] | None = None, progress: Progress = silent
) -> Folded:
    """The changes of today's `files` (paths as git stores them), under any former name.

    steady  path -> row of the commit since which it has always existed, for paths for which that is known
    """
    since = steady or {}
    index = {path: i for i, path in enumerate(log.paths)}
    today = [index.get(path, _NOBODY) for path in files]
    moving = _moving(log)
    names = _Names([since.get(path, _NEVER) for path in log.paths])
    identity = array("i")
    told = np.flatnonzero(moving[log.event_new])
    commit = log.event_commit[told]
    columns = [column[told].tolist() for column in (log.event, log.event_path, log.event_new)]
    starts = np.flatnonzero(np.diff(commit, prepend=-1)).tolist()
    for number, (start, stop) in enumerate(pairwise([*starts, len(told)])):
        if number % _REPORT == 0:
            progress("Following renames", number, len(starts))
        identity.extend(names.apply(int(commit[start]), *(column[start:stop] for column in columns)))
    file_at = np.full(len(log.paths), _NOBODY)
    known = np.array(today, np.int64)
    file_at[known[known != _NOBODY]] = np.flatnonzero(known != _NOBODY)
    file = file_at[log.event_new]
    file[told] = names.owners(today)[np.array(identity, np.int32)]
    kept = np.flatnonzero(file != _NOBODY)
    width = max(len(files), 1)
    pairs = log.event_commit[kept].astype(np.int64) * width + file[kept]
    pair, touch = np.unique(pairs, return_inverse=True)
    return Folded(
        (pair // width).astype(np.int32),
        (pair % width).astype(np.int32),
        touch.astype(np.int32).reshape(-1),
        kept.astype(np.int32),
    )


def _moving(log: Log) -> npt.NDArray[np.bool_]:
    """bool[p]: paths that were ever deleted, or were part of a rename. Every other path is one file all the time."""
    moving = np.zeros(len(log.paths), np.bool_)
    moving[log.event_path[np.isin(log.event, (DELETE, RENAME))]] = True
    moving[log.event_new[log.event == RENAME]] = True
    return moving


class _Names:
    """The identity of each path, updated commit by commit.

    since  for each path, the row of the commit after which it never disappears
    """

    def __init__(self, since: list[int]) -> None:
        self._since = since
        self._identity = [_NOBODY] * len(since)
        self._there = bytearray(len(since))
        self._count = 0

    def apply(self, row: int, event: list[int], old: list[int], new: list[int]) -> list[int]:
        """The identity that each event of the commit `row` touches."""
        touched = [_NOBODY] * len(event)
        # All removals come before all additions, so that files can swap or pass on their names.
        for i, kind in enumerate(event):
            path = old[i]
            if kind == DELETE or (kind == RENAME and row <= self._since[path]):
                touched[i] = self._at(path)
                self._there[path] = row > self._since[path]
        for i, kind in enumerate(event):
            path = new[i]
            if kind == DELETE:
                continue
            if kind == RENAME and touched[i] != _NOBODY and not self._stays(path, row):
                self._identity[path] = touched[i]
            elif kind != MODIFY and not self._there[path]:
                touched[i] = self._begin(path)
            else:
                touched[i] = self._at(path)
                continue
            self._there[path] = True
        return touched

    def _stays(self, path: int, row: int) -> bool:
        return row > self._since[path] and bool(self._there[path])

    def owners(self, files: list[int]) -> npt.NDArray[np.int64]:
        """int64[identities]: index in `files` (path indices) of the current file of each identity."""
        owner = np.full(self._count, _NOBODY)
        for number, path in enumerate(files):
            identity = self._identity[path] if path != _NOBODY else _NOBODY
            # If a merge kept both names, two current paths share one identity: the later name gets it.
            if identity != _NOBODY and (owner[identity] == _NOBODY or self._there[path]):
                owner[identity] = number
        return owner

    def _at(self, path: int) -> int:
        """The identity at a path; creates one if the path is new (its beginning is not in the history)."""
        if self._identity[path] == _NOBODY:
            self._there[path] = True
            return self._begin(path)
        return self._identity[path]

    def _begin(self, path: int) -> int:
        self._identity[path] = self._count
        self._count += 1
        return self._identity[path]
