"""Who changed it most, as a class."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.classes import most_of
from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import author_files, commits_of, file_keys, has_history
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.mining.changes import Changes


def compute(subject: Subject) -> Column:
    """float64[n]: row of the author with the most changes of files in each subtree, in the time range or ever.

    What lies inside a file has the file's author: history knows files only. NaN where nobody changed anything.
    """
    return main_authors(subject)[0]


def main_authors(subject: Subject) -> tuple[Column, Column]:
    """(row of the author, share of the changes that are theirs) of each subtree, float64[n] each."""
    graph, changes = subject.graph, subject.changes
    if changes is None or not has_history(subject):
        nothing = np.full(len(graph), np.nan)
        return nothing, nothing
    return _main_authors(graph, changes, *commits_of(subject))


@lru_cache(maxsize=4)  # the author and the share are two metrics
def _main_authors(graph: Graph, changes: Changes, first: int, last: int) -> tuple[Column, Column]:
    author, key, often = author_files(graph, changes, first, last)
    column, most = most_of(graph.tree, key, author, often)
    whole = graph.tree.subtree_sum(np.bincount(key, often, len(graph)).astype(np.float64, copy=False))
    part = np.divide(most, whole, out=np.full(len(graph), np.nan), where=whole > 0)
    # Everything below a file, level by level from above.
    is_file = np.zeros(len(graph), np.bool_)
    tracked = file_keys(graph, changes)
    is_file[tracked[tracked >= 0]] = True
    for depth in range(1, int(graph.tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((graph.tree.depth == depth) & (graph.parent != REMOVED))
        inside = keys[is_file[graph.parent[keys]]]
        is_file[inside] = True
        column[inside] = column[graph.parent[inside]]
        part[inside] = part[graph.parent[inside]]
    return column, part


def names(subject: Subject) -> tuple[str, ...]:
    """What stands before the @ of each author's address; the whole address where two would be called the same."""
    changes = subject.changes
    addresses = () if changes is None else changes.authors
    short = [_short(address) for address in addresses]
    often = Counter(short)
    return tuple(name if name and often[name] == 1 else address for name, address in zip(short, addresses, strict=True))


def _short(address: str) -> str:
    """`ada` for `ada@example.org`, and for `12345+ada@users.noreply.github.com`."""
    name = address.partition("@")[0]
    number, plus, rest = name.partition("+")
    return rest if plus and number.isdigit() else name


MAIN_AUTHOR = Metric(
    "main_author",
    "Main author",
    "",
    "neither",
    "most",
    compute,
    "Who changed its files most often in the time range; by default in the whole history.",
    history=True,
    names=names,
)
