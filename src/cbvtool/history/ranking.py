"""Couplings in a graph, ranked: those that cross folders, or have no relation in the code (NEW-12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cbvtool.graph import Graph, are_dependencies
from cbvtool.history.change_sets import ChangeSets, IntColumn, Mask, Rows, change_sets
from cbvtool.history.coupled_files import CouplingOptions
from cbvtool.history.coupling import Couplings, couplings, sets_with
from cbvtool.metrics.combine import own
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes
from cbvtool.progress import Progress, silent

SIBLINGS = 2  # steps in the hierarchy between two nodes in the same folder
OF_SELECTION = 2  # least number of change sets with the selection
WAYS = {
    "surprising": "Source across folders, unrelated in the code",
    "folders": "Across folders",
    "unrelated": "Source, unrelated in the code",
    "all": "All that change together",
}


@dataclass(frozen=True, eq=False)
class Ranking:
    """Pairs of nodes that change together, the strongest first.

    thing     int32[p]  node for each path of the changes; -1 = none
    found     the pairs; things are keys
    related   bool[q]   whether there is a dependency between the two, or between nodes inside them
    source    bool[q]   whether both are source code, which could be related: not documents, generated or copied files
    apart     int32[q]  steps in the hierarchy from one to the other; 2 = in the same folder
    selected  the node that stands for the selection, which is one end of each pair; -1 = none
    """

    changes: Changes
    sets: ChangeSets
    thing: IntColumn
    found: Couplings
    related: Mask
    source: Mask
    apart: IntColumn
    selected: int = -1

    def __len__(self) -> int:
        return len(self.found)

    def rows(self, way: str) -> Rows:
        """Rows of the pairs of one of `WAYS`."""
        shown = np.ones(len(self), np.bool_)
        if way in ("surprising", "folders"):
            shown &= self.apart > SIBLINGS
        if way in ("surprising", "unrelated"):
            shown &= ~self.related & self.source
        return np.flatnonzero(shown)

    def commits(self, row: int) -> IntColumn:
        """int32: rows of the commits in which a pair changed together, the newest first."""
        pair = sets_with(self.sets, self.thing, int(self.found.first[row]), int(self.found.second[row]))
        return self.sets.commits_of(pair)[::-1]


def ranking(
    graph: Graph,
    changes: Changes,
    options: CouplingOptions,
    since: int | None = None,
    until: int | None = None,
    *,
    level: int = 0,
    selected: Iterable[int] = (),
    progress: Progress = silent,
) -> Ranking:
    """The couplings of files, or of containers `level` levels below the root.

    selected  keys of nodes that count as one thing; if given, only pairs with it, also rare ones

    Raises InputError for an invalid pattern of tickets, and any exception of `progress`.
    """
    chosen = tuple(selected)
    progress("finding what changes together", 0, 0)
    sets = change_sets(changes, options.within(since, until))
    key = file_keys(graph, changes)
    there = key >= 0
    thing_of = things_at(graph, key[there], level)
    inside = graph.tree.below(chosen) if chosen else np.zeros(len(graph), np.bool_)
    files = key[there]
    thing_of = np.where(inside[files], chosen[0] if chosen else -1, thing_of).astype(np.int32)
    thing = np.full(len(key), -1, np.int32)
    thing[there] = thing_of
    progress("finding what changes together", 0, 0)
    found = couplings(sets, thing, len(graph))
    if chosen:
        only = np.zeros(len(graph), np.bool_)
        only[chosen[0]] = True
        found = found.of(only)
        found = found.take((found.both >= OF_SELECTION) & (found.lift > 1.0))
    else:
        found = options.strong(found)
    found = found.ranked()
    progress("finding what changes together", 0, 0)
    item = np.full(len(graph), -1, np.int32)
    item[files] = thing_of
    owner = _file_of(graph, files)
    related = _related(graph, np.where(owner >= 0, item[owner], -1).astype(np.int32), found)
    has_source = np.zeros(len(graph), np.bool_)
    has_source[thing_of[is_source(graph, files) & (thing_of >= 0)]] = True
    source = has_source[found.first] & has_source[found.second]
    depth = graph.tree.depth
    above = graph.tree.lowest_common_ancestor(found.first, found.second)
    apart = depth[found.first] + depth[found.second] - 2 * depth[above]
    chosen_one = chosen[0] if chosen else -1
    return Ranking(changes, sets, thing, found, related, source, apart.astype(np.int32), chosen_one)


def things_at(graph: Graph, files: IntColumn, level: int) -> IntColumn:
    """int32[f]: the container of each file at most `level` levels below the root; 0 = the file itself."""
    if level == 0:
        return files
    depth, found = graph.tree.depth, graph.parent[files]
    while (deep := depth[found] > level).any():
        found = np.where(deep, graph.parent[found], found)
    return found.astype(np.int32)


def is_source(graph: Graph, files: IntColumn) -> Mask:
    """bool[f]: files with counted source lines that were written here: neither generated nor copied."""
    counted = ~np.isnan(own(graph, "sloc")[files])
    return counted & ~(own(graph, "generated")[files] > 0) & ~(own(graph, "vendored")[files] > 0)


def _file_of(graph: Graph, files: IntColumn) -> IntColumn:
    """int32[n]: the file of `files` at or above each node; -1 = none."""
    tree = graph.tree
    change = np.zeros(len(graph) + 1, np.int64)
    change[tree.pos[files]] += files + 1
    np.subtract.at(change, tree.end[files], files + 1)
    owner = np.full(len(graph), -1, np.int32)
    owner[tree.order] = (np.cumsum(change)[: len(tree.order)] - 1).astype(np.int32)
    return owner


def _related(graph: Graph, item: IntColumn, found: Couplings) -> Mask:
    """bool[q]: whether there is a dependency between the two things of a pair, in either direction.

    item  int32[n]  the thing of each node; -1 = none
    """
    edges, n = graph.edges, np.int64(len(graph))
    source, target = item[edges.source], item[edges.target]
    counts = are_dependencies(edges) & (source >= 0) & (target >= 0)
    low, high = np.minimum(source, target)[counts], np.maximum(source, target)[counts]
    return np.isin(found.first * n + found.second, np.unique(low * n + high))
