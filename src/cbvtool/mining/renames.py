"""Folding renames: which of today's files a change made under an older name belongs to.

A path names a *file identity*, which keeps its changes when it is renamed and ends when it is deleted; a path
that is added anew begins another one. Commits are taken one after the other, parents before children, so
that parallel branches are seen interleaved. Two rules make that right in the common cases:

- A name that was left by a rename goes on standing for the renamed file until a file is added there anew:
  a branch that does not know the rename yet still changes the old name.
- A file that is added where one already is (the same file, picked onto two branches) is not a new one.

A third one needs to be told (see `mainline`): a file that has been on the main line all the time since some commit
stays the same one, whatever branches did to its path after that.
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
    """r touches in the order of the log, each (commit, file) once.

    commit  int32[r]  row in the log, ascending
    file    int32[r]  index into the files that were given
    touch   int32[k]  row of the touch that each event of a file of today is part of
    event   int32[k]  row of that event in the log
    """

    commit: npt.NDArray[np.int32]
    file: npt.NDArray[np.int32]
    touch: npt.NDArray[np.int32]
    event: npt.NDArray[np.int32]


def fold_renames(
    log: Log, files: Sequence[bytes], steady: Mapping[bytes, int] | None = None, progress: Progress = silent
) -> Folded:
    """The changes of today's `files` (paths as git stores them), under whatever name they were made.

    steady  path -> row of the commit since which it has always been there, for those where that is known
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
    """bool[p]: the paths that something ever left, or was renamed to. Any other one is the same file all the time."""
    moving = np.zeros(len(log.paths), np.bool_)
    moving[log.event_path[np.isin(log.event, (DELETE, RENAME))]] = True
    moving[log.event_new[log.event == RENAME]] = True
    return moving


class _Names:
    """What identity each path stands for, as commits go by.

    since  for each path, the row of the commit after which it never leaves
    """

    def __init__(self, since: list[int]) -> None:
        self._since = since
        self._identity = [_NOBODY] * len(since)
        self._there = bytearray(len(since))
        self._count = 0

    def apply(self, row: int, event: list[int], old: list[int], new: list[int]) -> list[int]:
        """The identity that each event of the commit `row` touches."""
        touched = [_NOBODY] * len(event)
        # What leaves a path does so before anything arrives, so that names can be swapped or handed on.
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
        """int64[identities]: the index in `files` (path indexes) of the one that each identity is today."""
        owner = np.full(self._count, _NOBODY)
        for number, path in enumerate(files):
            identity = self._identity[path] if path != _NOBODY else _NOBODY
            # Two of today's paths share one identity when a merge kept both names: the later name has it.
            if identity != _NOBODY and (owner[identity] == _NOBODY or self._there[path]):
                owner[identity] = number
        return owner

    def _at(self, path: int) -> int:
        """The identity at a path; one begins where none was seen (its beginning is not in the history)."""
        if self._identity[path] == _NOBODY:
            self._there[path] = True
            return self._begin(path)
        return self._identity[path]

    def _begin(self, path: int) -> int:
        self._identity[path] = self._count
        self._count += 1
        return self._identity[path]
