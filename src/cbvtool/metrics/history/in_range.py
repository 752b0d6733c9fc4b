"""Common functions of the history metrics: the changes in a time range, on the nodes of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, IntColumn, largest, own
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes

WINDOW = 183 * 24 * 60 * 60  # seconds: the six months over which change frequency is counted (CBV-4)


@dataclass(frozen=True, eq=False)
class Touches:
    """r changes of the files of a graph within a time range, in ascending date.

    commit   int32[r]  row of the commit in `Changes`
    key      int32[r]  node key of the file
    tracked  int32[f]  node keys of all files in the history, also of those not changed in the range
    """

    commit: IntColumn
    key: IntColumn
    tracked: IntColumn


def has_history(subject: Subject) -> bool:
    """Whether the subject has commits, not only values recorded from them."""
    return subject.changes is not None and bool(subject.changes.sha)


def recent(subject: Subject) -> Subject:
    """The subject with a closed time range; by default the last six months **of the history**, not of today.

    A given range stays; if it has no start, it begins six months before its end.
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
    rows = slice(*np.searchsorted(changes.touch_commit, commits_of(subject)).tolist())
    commit, key = changes.touch_commit[rows], key_of_path[changes.touch_path[rows]]
    kept = key >= 0
    return Touches(commit[kept], key[kept], key_of_path[key_of_path >= 0])


def commits_below(subject: Subject, kind: npt.NDArray[np.bool_] | None = None) -> Column:
    """float64[n]: number of commits in the range that touched any file of each subtree; NaN if no file is tracked.

    kind   bool[c]  count only these commits

    Each touch counts on its path to the root, except on the part that it shares with the previous touch of the same
    commit (see `combine.distinct_below`). Where that part begins does not depend on the range.
    """
    graph, changes = subject.graph, subject.changes
    assert changes is not None
    index = _indexed(graph, changes)
    rows = slice(*np.searchsorted(index.commit, commits_of(subject)).tolist())
    key, joint = index.key[rows], index.joint[rows]
    if kind is not None:
        kept = kind[index.commit[rows]]
        key, joint = key[kept], joint[kept]
    n = len(graph)
    count = np.bincount(key, minlength=n) - np.bincount(joint[joint >= 0], minlength=n)
    return np.where(index.tracked, graph.tree.subtree_sum(count.astype(np.float64)), np.nan)


def authors_below(subject: Subject) -> Column:
    """float64[n]: number of authors who touched any file of each subtree in the range; NaN if no file is tracked.

    As `combine.distinct_below`, but only pairs (author, file) touched in the range count. The least common ancestor of
    two such pairs follows from those of the neighbouring pairs between them: it is the one nearest to the root.
    """
    graph, changes = subject.graph, subject.changes
    assert changes is not None
    index, pairs = _indexed(graph, changes), pairs_of(graph, changes)
    there = np.flatnonzero(touched_pairs(graph, changes, *commits_of(subject)))
    n, count = len(graph), np.zeros(len(graph), np.int64)
    if len(there):
        joint = np.minimum.reduceat(pairs.joint[: there[-1] + 1], there[:-1] + 1) if len(there) > 1 else there[:0]
        count = np.bincount(pairs.key[there], minlength=n)
        count -= np.bincount(graph.tree.order[joint[joint >= 0]], minlength=n)
    return np.where(index.tracked, graph.tree.subtree_sum(count.astype(np.float64)), np.nan)


@dataclass(frozen=True, eq=False)
class AuthorPairs:
    """The p distinct pairs (author, file), by author, then in preorder of the tree.

    row     int32[r]  the pair of each touch, by commit
    author  int32[p]
    key     int32[p]  node key of the file
    joint   int32[p]  position in preorder of the least common ancestor with the previous pair; -1 = that pair has
                      another author
    """

    row: IntColumn
    author: IntColumn
    key: IntColumn
    joint: IntColumn


@lru_cache(maxsize=4)  # compared by identity; dragging a time range changes neither
def pairs_of(graph: Graph, changes: Changes) -> AuthorPairs:
    """The pairs of all commits."""
    index, tree = _indexed(graph, changes), graph.tree
    author = changes.author[index.commit]
    order = np.lexsort((tree.pos[index.key], author))
    author, key = author[order], index.key[order]
    new = np.append(True, (author[1:] != author[:-1]) | (key[1:] != key[:-1]))[: len(key)]
    row = np.empty(len(key), np.int32)
    row[order] = np.cumsum(new) - 1
    author, key = author[new], key[new]
    joint = np.full(len(key), -1, np.int32)
    same = np.flatnonzero(author[1:] == author[:-1])
    joint[same + 1] = tree.pos[tree.lowest_common_ancestor(key[same], key[same + 1])]
    return AuthorPairs(row, author, key, joint)


@lru_cache(maxsize=4)  # several metrics of one range use it
def touched_pairs(graph: Graph, changes: Changes, first: int, last: int) -> npt.NDArray[np.int64]:
    """int64[p]: touches of each pair (author, file) in the commits from `first` up to, but without, `last`."""
    index, pairs = _indexed(graph, changes), pairs_of(graph, changes)
    rows = slice(*np.searchsorted(index.commit, (first, last)).tolist())
    often: npt.NDArray[np.int64] = np.bincount(pairs.row[rows], minlength=len(pairs.key))
    return often


def recorded(subject: Subject, name: str) -> Column:
    """float64[n]: recorded values `name`, for graphs without a history. A subtree has its maximum, a lower bound."""
    return largest(subject.graph, own(subject.graph, name))


def sum_of_touches(subject: Subject, amount: npt.NDArray[np.integer]) -> Column:
    """float64[n]: sum of `amount` over the touches in the range, over the files of each subtree.

    amount   int[r]  of each touch in `Changes`

    NaN if no file is tracked.
    """
    graph, changes = subject.graph, subject.changes
    assert changes is not None
    index = _indexed(graph, changes)
    rows = slice(*np.searchsorted(index.commit, commits_of(subject)).tolist())
    total = np.bincount(index.key[rows], amount[index.touch[rows]], len(graph)).astype(np.float64, copy=False)
    return np.where(index.tracked, graph.tree.subtree_sum(total), np.nan)


@dataclass(frozen=True, eq=False)
class _Index:
    """r touches of files of the graph, by commit, and within a commit in preorder of the tree.

    touch      int32[r]  row in `Changes`
    commit     int32[r]
    key        int32[r]  node key of the file
    joint      int32[r]  least common ancestor with the previous touch of the same commit; -1 = there is none
    tracked    bool[n]   whether the history has a file in the subtree
    """

    touch: IntColumn
    commit: IntColumn
    key: IntColumn
    joint: IntColumn
    tracked: npt.NDArray[np.bool_]


@lru_cache(maxsize=4)  # compared by identity; dragging a time range changes neither
def _indexed(graph: Graph, changes: Changes) -> _Index:
    tree, key_of_path = graph.tree, file_keys(graph, changes)
    key = key_of_path[changes.touch_path]
    kept = np.flatnonzero(key >= 0)
    kept = kept[np.lexsort((tree.pos[key[kept]], changes.touch_commit[kept]))]
    key, commit = key[kept], changes.touch_commit[kept]
    joint = np.full(len(key), -1, np.int32)
    same = np.flatnonzero(commit[1:] == commit[:-1])
    joint[same + 1] = tree.lowest_common_ancestor(key[same], key[same + 1])
    known = np.bincount(key_of_path[key_of_path >= 0], minlength=len(graph)).astype(np.float64)
    return _Index(kept.astype(np.int32), commit, key, joint, tree.subtree_sum(known) > 0)


def commits_of(subject: Subject) -> tuple[int, int]:
    """The first commit in the time range, and one past its last."""
    changes = subject.changes
    assert changes is not None
    first = 0 if subject.since is None else int(np.searchsorted(changes.time, subject.since, "left"))
    last = len(changes.time) if subject.until is None else int(np.searchsorted(changes.time, subject.until, "right"))
    return first, max(first, last)


@lru_cache(maxsize=2)  # compared by identity; dragging a time range changes neither
def file_keys(graph: Graph, changes: Changes) -> IntColumn:
    """int32[p]: node key of each path in the history, -1 = not in the graph.

    A file is found by its path at the analysis, which it keeps when a plan moves it.
    """
    if "file" not in graph.kind_names:
        return np.full(len(changes.paths), -1, np.int32)
    files = np.flatnonzero((graph.kinds == graph.kind_names.index("file")) & (graph.parent != REMOVED))
    places = {graph.files[f] if (f := graph.file[key]) >= 0 else graph.ids[key]: key for key in files.tolist()}
    keys: npt.NDArray[np.int32] = np.array([places.get(path, -1) for path in changes.paths], np.int32)
    return keys
