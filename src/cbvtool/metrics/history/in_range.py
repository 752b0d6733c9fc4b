"""What the history metrics have in common: the changes of a time range, on the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, IntColumn, distinct_below, largest, own
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes

WINDOW = 183 * 24 * 60 * 60  # seconds: the six months over which change frequency is counted (CBV-4)


@dataclass(frozen=True, eq=False)
class Touches:
    """r changes of the files of a graph within a time range, in ascending date.

    commit   int32[r]  row in the changes
    key      int32[r]  node key of the file
    tracked  int32[f]  node keys of all files that the history knows, changed in the range or not
    """

    commit: IntColumn
    key: IntColumn
    tracked: IntColumn


def has_history(subject: Subject) -> bool:
    """Whether the subject comes with commits, and not only with what was recorded of them."""
    return subject.changes is not None and bool(subject.changes.sha)


def recent(subject: Subject) -> Subject:
    """The same subject with its time range closed: the last six months **of the history**, not of today.

    A range that is given stays; one that is open at its start begins six months before its end.
    """
    changes = subject.changes
    if changes is None or not len(changes.time):
        return subject
    until = int(changes.time[-1]) if subject.until is None else subject.until
    since = until - WINDOW if subject.since is None else subject.since
    return Subject(subject.graph, changes, since, until)


def touches(subject: Subject) -> Touches:
    """The changes between `since` and `until` (both included) of the files that are in the graph."""
    changes = subject.changes
    assert changes is not None
    key_of_path = file_keys(subject.graph, changes)
    first = 0 if subject.since is None else int(np.searchsorted(changes.time, subject.since, "left"))
    last = len(changes.time) if subject.until is None else int(np.searchsorted(changes.time, subject.until, "right"))
    rows = slice(*np.searchsorted(changes.touch_commit, (first, max(first, last))).tolist())
    commit, key = changes.touch_commit[rows], key_of_path[changes.touch_path[rows]]
    kept = key >= 0
    return Touches(commit[kept], key[kept], key_of_path[key_of_path >= 0])


def distinct(subject: Subject, name: str, thing: Callable[[Changes, IntColumn], IntColumn]) -> Column:
    """float64[n]: how many different things (commits, authors) touched any file of each subtree.

    `thing` gives the thing of each row of commits. Where no file is tracked: NaN. Without a history: what
    was recorded under `name`, of which the largest in the subtree is a lower bound for the whole.
    """
    if not has_history(subject):
        return largest(subject.graph, own(subject.graph, name))
    assert subject.changes is not None
    found, tree = touches(subject), subject.graph.tree
    counts = distinct_below(tree, thing(subject.changes, found.commit), found.key)
    tracked = np.bincount(found.tracked, minlength=len(subject.graph)).astype(np.float64)
    return np.where(tree.subtree_sum(tracked) > 0, counts, np.nan)


@lru_cache(maxsize=2)  # both are values compared by identity; dragging a time range changes neither
def file_keys(graph: Graph, changes: Changes) -> IntColumn:
    """int32[p]: node key of each path of the changes, -1 = not in the graph.

    A file is found by the place it was analysed at, which it keeps when a plan moves it.
    """
    if "file" not in graph.kind_names:
        return np.full(len(changes.paths), -1, np.int32)
    files = np.flatnonzero((graph.kinds == graph.kind_names.index("file")) & (graph.parent != REMOVED))
    places = {graph.files[f] if (f := graph.file[key]) >= 0 else graph.ids[key]: key for key in files.tolist()}
    keys: npt.NDArray[np.int32] = np.array([places.get(path, -1) for path in changes.paths], np.int32)
    return keys
