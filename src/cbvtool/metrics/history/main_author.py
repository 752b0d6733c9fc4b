"""The author with the most changes, as a class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import commits_of, file_keys, has_history, pairs_of, touched_pairs
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.mining.changes import Changes


def compute(subject: Subject) -> Column:
    """float64[n]: row of the author with the most changes to files in each subtree, in the time range or ever.

    A node inside a file has the file's author, because the history knows only files. NaN without changes.
    """
    return main_authors(subject)[0]


def main_authors(subject: Subject) -> tuple[Column, Column]:
    """(row of the main author, share of the changes by this author), float64[n] each, for each subtree."""
    graph, changes = subject.graph, subject.changes
    if changes is None or not has_history(subject):
        nothing = np.full(len(graph), np.nan)
        return nothing, nothing
    return _main_authors(graph, changes, *commits_of(subject))


@lru_cache(maxsize=4)  # two metrics use it: the author and the share
def _main_authors(graph: Graph, changes: Changes, first: int, last: int) -> tuple[Column, Column]:
    known = _authors_of_nodes(graph, changes)
    column, part = np.full(len(graph), np.nan), np.full(len(graph), np.nan)
    if not len(known.node):
        return column, part
    before = np.append(0, np.cumsum(touched_pairs(graph, changes, first, last)))
    often = before[known.end] - before[known.begin]
    whole = np.add.reduceat(often, known.first)
    # The largest count; among equals, the author with the lower number.
    best = np.maximum.reduceat(often * known.authors + (known.authors - 1 - known.author), known.first)
    there = whole > 0
    node = known.node[there]
    column[node] = known.authors - 1 - best[there] % known.authors
    part[node] = best[there] // known.authors / whole[there]
    return column[known.holder], part[known.holder]


@dataclass(frozen=True, eq=False)
class _AuthorsOfNodes:
    """Authors who ever touched a file in each of k subtrees: q rows, by node, then by author.

    node        int32[k]  key
    first       int64[k]  row of its first author
    author      int64[q]
    begin, end  int64[q]  range of the pairs of this author in this subtree, in `in_range.AuthorPairs`
    authors     number of authors
    holder      int32[n]  the file around each node; the node itself if there is none
    """

    node: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    author: npt.NDArray[np.int64]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    authors: int
    holder: npt.NDArray[np.int32]


@lru_cache(maxsize=4)  # compared by identity; dragging a time range changes neither
def _authors_of_nodes(graph: Graph, changes: Changes) -> _AuthorsOfNodes:
    """See the class.

    The pairs of an author in a subtree are adjacent, so that their count is a difference of prefix sums.
    """
    tree, pairs, authors = graph.tree, pairs_of(graph, changes), max(len(changes.authors), 1)
    key, row = pairs.key, np.arange(len(pairs.key))
    nodes, rows = [key], [row]
    while len(key):
        row = row[tree.parent[key] >= 0]
        key = tree.parent[key[tree.parent[key] >= 0]]
        nodes.append(key)
        rows.append(row)
    node, row = np.concatenate(nodes), np.concatenate(rows)
    code = node.astype(np.int64) * authors + pairs.author[row]
    order = np.lexsort((row, code))
    code, row = code[order], row[order]
    new = np.flatnonzero(np.append(True, code[1:] != code[:-1])[: len(code)])
    code, begin = code[new], row[new]
    end = begin + np.diff(np.append(new, len(row)))
    node = (code // authors).astype(np.int32)
    first = np.flatnonzero(np.append(True, node[1:] != node[:-1])[: len(node)])
    return _AuthorsOfNodes(node[first], first, code % authors, begin, end, authors, _holders(graph, changes))


def _holders(graph: Graph, changes: Changes) -> npt.NDArray[np.int32]:
    """int32[n]: the file of the history around each node, found level by level from above.

    The node itself without one.
    """
    holder = np.arange(len(graph), dtype=np.int32)
    tracked = file_keys(graph, changes)
    is_file = np.zeros(len(graph), np.bool_)
    is_file[tracked[tracked >= 0]] = True
    for depth in range(1, int(graph.tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((graph.tree.depth == depth) & (graph.parent != REMOVED))
        inside = keys[is_file[graph.parent[keys]]]
        is_file[inside] = True
        holder[inside] = holder[graph.parent[inside]]
    return holder


def names(subject: Subject) -> tuple[str, ...]:
    """The part before the @ of each author's address; the whole address if two authors would get the same name."""
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
