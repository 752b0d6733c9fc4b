"""A project over time: versions measured one after the other, in the keys of the newest one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.evolution.figures import FIGURES, ITEMS, SUMS, MeasuredVersion, measured, then_changes
from cbvtool.graph import Graph, TreeIndex
from cbvtool.metrics.combine import IntColumn
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes
from cbvtool.mining.versions import MainLineCommit
from cbvtool.rules import Rules
from cbvtool.versions.difference import same_nodes

Series = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Evolution:
    """s commits, the oldest first, and n nodes of the last one.

    graph      the last version
    values     name of a figure -> float32[s, n]; NaN = the node was not there, or not measured
    component  "modules" and "files" -> int32[s, n]: which cycle each is in at a commit, -1 = none
    broken     of each commit: (rule in words, key of the source, key of the target) of what is still there
    """

    commits: tuple[MainLineCommit, ...]
    graph: Graph
    values: Mapping[str, Series]
    component: Mapping[str, npt.NDArray[np.int32]]
    broken: tuple[frozenset[tuple[str, int, int]], ...]

    def series(self, figure: str, key: int) -> Series:
        """float32[s]: a figure of one node, by commit."""
        column: Series = self.values[figure][:, key]
        return column


def evolution(
    commits: Sequence[MainLineCommit],
    graph_of: Callable[[int], Graph | None],
    moved: Callable[[int, int], Mapping[str, str]],
    rules: Rules,
    changes: Changes | None,
) -> Evolution:
    """The figures of the `commits`, the oldest first; at least one.

    graph_of   row of a commit -> its graph, asked for once each, from the newest to the oldest; None = it cannot be
               read, and is left out. That of the newest must be there.
    moved      rows of two commits -> files that moved from the first to the second, from -> to
    rules      for all of them
    changes    the history, for hot spots, in the paths of the newest; None = there are no hot spots
    """
    last = len(commits) - 1
    newest = graph_of(last)
    assert newest is not None
    values = {name: np.full((len(commits), len(newest)), np.nan, np.float32) for name in FIGURES}
    component = {name: np.full((len(commits), len(newest)), -1, np.int32) for name in ITEMS}
    broken = dict[int, frozenset[tuple[str, int, int]]]()
    path_key = file_keys(newest, changes) if changes is not None else np.empty(0, np.int32)
    later, later_row, place = newest, last, np.arange(len(newest), dtype=np.int32)  # where each node is in `later`
    for row in range(last, -1, -1):
        graph = newest if row == last else graph_of(row)
        if graph is None:
            continue
        if row < last:
            place = earlier_place(graph, later, moved(row, later_row), place)
        history = None
        if changes is not None:
            history = then_changes(changes, graph, np.where(path_key >= 0, place[path_key], -1).tolist())
        found = measured(graph, rules, history, commits[row].time)
        _take(newest, found, place, row, values, component)
        broken[row] = _in_newest(found, place)
        later, later_row = graph, row
    rows = sorted(broken)
    return Evolution(
        tuple(commits[row] for row in rows),
        newest,
        {name: column[rows] for name, column in values.items()},
        {name: column[rows] for name, column in component.items()},
        tuple(broken[row] for row in rows),
    )


def earlier_place(before: Graph, after: Graph, moved: Mapping[str, str], place: IntColumn) -> IntColumn:
    """int32[n]: where each node is in `before`, -1 = nowhere; `place` says where it is in `after`."""
    there = same_nodes(before, after, moved)
    back = np.full(len(after) + 1, -1, np.int32)  # one more for -1
    kept = np.flatnonzero(there >= 0)
    back[there[kept]] = kept
    return back[place]


def fill_from_below(tree: TreeIndex, values: npt.NDArray[np.float64], missing: npt.NDArray[np.bool_]) -> None:
    """Give nodes that were not there the sum of what was: a folder that was made later has the files moved into it.

    values   float64[n], changed in place
    missing  bool[n]: those that may get a value
    """
    for depth in range(int(tree.depth.max(initial=0)) - 1, -1, -1):
        below = np.flatnonzero((tree.depth == depth + 1) & ~np.isnan(values))
        below = below[missing[tree.parent[below]]]
        if len(below):
            above = np.unique(tree.parent[below])
            values[above] = np.bincount(tree.parent[below], values[below], len(values))[above]


def _take(
    newest: Graph,
    found: MeasuredVersion,
    place: IntColumn,
    row: int,
    values: Mapping[str, Series],
    component: Mapping[str, npt.NDArray[np.int32]],
) -> None:
    lives = np.flatnonzero(place >= 0)
    for name, column in found.values.items():
        now = np.full(len(place), np.nan)
        now[lives] = column[place[lives]]
        if name in SUMS:
            fill_from_below(newest.tree, now, place < 0)
        values[name][row] = now
    for name, number in found.component.items():
        component[name][row, lives] = number[place[lives]]


def _in_newest(found: MeasuredVersion, place: IntColumn) -> frozenset[tuple[str, int, int]]:
    """The broken rules by keys of the newest version."""
    now = {found.graph.ids[at]: key for key, at in enumerate(place.tolist()) if at >= 0}
    return frozenset(
        (rule, now[source], now[target]) for rule, source, target in found.broken if source in now and target in now
    )


def with_ids(found: Evolution, graph: Graph) -> IntColumn:
    """int32[g]: the node of the evolution of each key of `graph`, by its id; -1 = there is none."""
    known = found.graph.key_of
    keys: IntColumn = np.array([known.get(id_, -1) for id_ in graph.ids], np.int32)
    if graph.root >= 0:
        keys[graph.root] = found.graph.root
    return keys
