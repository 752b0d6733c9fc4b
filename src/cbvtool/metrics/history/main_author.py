"""Who changed it most, as a class."""

from __future__ import annotations

from collections import Counter

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.metrics.classes import most_of
from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import has_history, touches
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: row of the author with the most changes of files in each subtree, in the time range or ever.

    What lies inside a file has the file's author: history knows files only. NaN where nobody changed anything.
    """
    graph = subject.graph
    if not has_history(subject):
        return np.full(len(graph), np.nan)
    assert subject.changes is not None
    found = touches(subject)
    author = subject.changes.author[found.commit]
    column = most_of(graph.tree, found.key, author, np.ones(len(author)))
    # Everything below a file, level by level from above.
    is_file = np.zeros(len(graph), np.bool_)
    is_file[found.tracked] = True
    for depth in range(1, int(graph.tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((graph.tree.depth == depth) & (graph.parent != REMOVED))
        inside = keys[is_file[graph.parent[keys]]]
        is_file[inside] = True
        column[inside] = column[graph.parent[inside]]
    return column


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
