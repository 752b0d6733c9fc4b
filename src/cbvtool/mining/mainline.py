"""Since when each file has existed without interruption on the main line, the chain of first parents of HEAD.

Branches are read interleaved. A branch may rename a path away and write a new file there, or merge an unrelated
history with the same path; if the merge kept the file, none of this happened on the main line. Only the main line
knows, because it alone is a sequence of states that followed each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.mining.log import ADD, DELETE, RENAME, Log
from cbvtool.mining.view_repository import GitFailed, ViewRepository

_QUESTION, _QUESTIONS = 100, 200_000_000  # bytes: overhead of each question, limit for all


def steady_since(view: ViewRepository, log: Log, files: Sequence[bytes]) -> dict[bytes, int]:
    """Path -> row of the commit or merge on the main line since which the file has always existed.

    Only for those of today's `files` that left their path on some branch, or came to it more than once. For all others
    it makes no difference.
    """
    steps = _steps(log, set(_doubtful(log, files)))
    asked = [(path, row, name) for path, rows in steps.items() for row in rows for name in _states(log, row)]
    if sum(len(path) + _QUESTION for path, _, _ in asked) > _QUESTIONS:
        return {}
    try:
        there = view.have([f"{name}:".encode() + path for path, _, name in asked])
    except GitFailed:
        return {}
    since = dict[bytes, int]()
    for (path, row, _), present in zip(asked, there, strict=True):
        if not present:
            since[path] = max(row, since.get(path, -1))
    # A file that was never missing came with the oldest commit of the main line.
    return {path: since.get(path, min(rows)) for path, rows in steps.items()}


def through(log: Log) -> npt.NDArray[np.int32]:
    """int32[c]: row of the commit or merge by which each commit reached the main line; its own row on the main line."""
    ptr, parent = log.parent_ptr.tolist(), log.parent.tolist()
    result = [-1] * len(log.sha)
    line = []
    row = len(log.sha) - 1  # HEAD comes after all of its ancestors
    while row >= 0:
        line.append(row)
        result[row] = row
        row = parent[ptr[row]] if ptr[row] < ptr[row + 1] else -1
    for step in reversed(line):
        waiting = parent[ptr[step] + 1 : ptr[step + 1]]
        while waiting:
            row = waiting.pop()
            if row >= 0 and result[row] < 0:
                result[row] = step
                waiting += parent[ptr[row] : ptr[row + 1]]
    return np.array(result, np.int32)


def _doubtful(log: Log, files: Sequence[bytes]) -> list[bytes]:
    count = len(log.paths)
    left = np.bincount(log.event_path[np.isin(log.event, (RENAME, DELETE))], minlength=count)
    renamed_here = np.bincount(log.event_new[log.event == RENAME], minlength=count)
    added = np.bincount(log.event_path[log.event == ADD], minlength=count)
    doubtful = (left > 0) | ((renamed_here > 0) & (renamed_here + added > 1))
    # A line end in a path would end the question there.
    wanted = {path for i in np.flatnonzero(doubtful).tolist() if b"\n" not in (path := log.paths[i])}
    return [path for path in files if path in wanted]


def _steps(log: Log, paths: set[bytes]) -> dict[bytes, set[int]]:
    """The rows on the main line at which each path may have appeared or disappeared."""
    chosen = np.array([path in paths for path in log.paths], np.bool_)
    moves = np.isin(log.event, (ADD, DELETE, RENAME))
    came_through = through(log)
    steps = defaultdict[bytes, set[int]](set)
    for ends in (log.event_path, log.event_new):
        rows = np.flatnonzero(moves & chosen[ends])
        for path, row in zip(ends[rows].tolist(), came_through[log.event_commit[rows]].tolist(), strict=True):
            steps[log.paths[path]].add(row)
    return {path: rows - {-1} for path, rows in steps.items() if rows - {-1}}


def _states(log: Log, row: int) -> list[str]:
    """The commits to compare for row `row`: itself, and its first parent."""
    first = log.parent[log.parent_ptr[row]] if log.parent_ptr[row] < log.parent_ptr[row + 1] else -1
    return [log.sha[row], log.sha[first]] if first >= 0 else [log.sha[row]]
