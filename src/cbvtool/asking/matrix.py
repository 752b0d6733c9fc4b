"""The dependency structure matrix: who depends on whom among n things, in an order that shows layers and cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Edges, Graph, are_dependencies, lift
from cbvtool.rules import files

IntColumn = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Things:
    """The n things for which rows and columns stand.

    key      int32[n]  node of each thing
    own      bool[n]   the thing is that node's own content, without its children
    item_of  int32[N]  thing that stands for each node key of the graph, -1 = none
    """

    key: IntColumn
    own: Mask
    item_of: IntColumn


@dataclass(frozen=True, eq=False)
class Matrix:
    """c cells of an n x n matrix, in the order of rows and then columns; row = dependant, column = dependency.

    key, own     as in `Things`, in the order of the matrix
    row, column  int32[c]
    count        int64[c]  number of relations
    cycle        int32[n]  number of the cycle to which each thing belongs, -1 = none
    blocks       first and one past the last position of each cycle, if the order keeps cycles together
    step         number of neighbours that were merged into one: 1 = none
    """

    key: IntColumn
    own: Mask
    row: IntColumn
    column: IntColumn
    count: Counts
    cycle: IntColumn
    blocks: tuple[tuple[int, int], ...] = ()
    step: int = 1

    def __len__(self) -> int:
        return len(self.key)

    def between(self, row: int, column: int) -> int:
        """Number of relations in one cell."""
        first, last = np.searchsorted(self.row, (row, row + 1))
        at = first + int(np.searchsorted(self.column[first:last], column))
        return int(self.count[at]) if at < last and self.column[at] == column else 0

    def window(self, rows: slice, columns: slice) -> tuple[Counts, Mask]:
        """(int64[r, c] counts, bool[r, c] whether both ends of a cell are in one cycle) of a part of the matrix."""
        first, last = np.searchsorted(self.row, (rows.start, rows.stop))
        inside = (self.column[first:last] >= columns.start) & (self.column[first:last] < columns.stop)
        at = np.flatnonzero(inside) + first
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        counts, cyclic = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        row, column = self.row[at], self.column[at]
        counts[row - rows.start, column - columns.start] = self.count[at]
        cyclic[row - rows.start, column - columns.start] = (self.cycle[row] >= 0) & (
            self.cycle[row] == self.cycle[column]
        )
        return counts, cyclic

    def coarser(self, step: int) -> Matrix:
        """The same with every `step` neighbours merged into one row and column; relations among these are left out.

        A merged thing has the key of its first member. It is in a cycle if all its members are in the same one.
        """
        if step == 1:
            return self
        size = -(-len(self) // step)
        row, column = self.row // step, self.column // step
        cell, place = np.unique(row.astype(np.int64) * size + column, return_inverse=True)
        count = np.bincount(place, self.count, len(cell)).astype(np.int64)
        other = cell // size != cell % size
        first = np.arange(size) * step
        same = np.logical_and.reduceat(self.cycle == np.repeat(self.cycle[first], step)[: len(self)], first)
        cycle = np.where(same, self.cycle[first], -1).astype(np.int32)
        return Matrix(
            self.key[first],
            self.own[first],
            (cell[other] // size).astype(np.int32),
            (cell[other] % size).astype(np.int32),
            count[other],
            cycle,
            (),
            step,
        )


def children_of(graph: Graph, top: int, relations: Mask | None = None) -> Things:
    """The children of `top`; before them its own content, if one of the `relations` (bool[m], None = all) ends there
    and is a dependency.
    """
    edges = graph.edges
    ends = (edges.source == top) | (edges.target == top)
    own = bool((ends & counted(edges, relations)).any())
    keys = [top] * own + graph.children(top).tolist()
    things = subtrees_of(graph, keys[own:])
    if not own:
        return things
    item_of = np.where(things.item_of >= 0, things.item_of + 1, -1).astype(np.int32)
    item_of[top] = 0
    return Things(np.array(keys, np.int32), np.arange(len(keys)) == 0, item_of)


def subtrees_of(graph: Graph, keys: Sequence[int]) -> Things:
    """The subtrees of `keys`; none of the keys lies inside another."""
    item_of = np.full(len(graph), -1, np.int32)
    for item, key in enumerate(keys):
        item_of[graph.subtree(key)] = item
    return Things(np.array(keys, np.int32), np.zeros(len(keys), np.bool_), item_of)


def members_of(graph: Graph, keys: Sequence[int], module: IntColumn) -> Things:
    """Files, or modules: the members of a cycle.

    module   int32[N]  key of the module of each node, -1 = it is in none
    """
    place = np.full(len(graph) + 1, -1, np.int32)  # the last entry is for what is in no module
    place[list(keys)] = np.arange(len(keys), dtype=np.int32)
    file = files(graph)
    item_of = np.where(place[file] >= 0, place[file], place[module]).astype(np.int32)
    return Things(np.array(keys, np.int32), np.zeros(len(keys), np.bool_), item_of)


def matrix(edges: Edges, things: Things, relations: Mask | None = None, *, by_cycles: bool = False) -> Matrix:
    """The matrix of `things`, in their own order.

    relations  bool[m]: edges to count if they are dependencies, None = all
    by_cycles  order things so that each one comes after its dependencies (relations are below the diagonal), and
               members of a cycle are adjacent; otherwise keep the order of `things`
    """
    lifted = lift(edges, things.item_of, counted(edges, relations))
    n = len(things.key)
    cycle, component = _cycles(lifted.source, lifted.target, n)
    order = np.arange(n) if not by_cycles else _used_first(lifted.source, lifted.target, component)
    place = np.empty(n, np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    row, column = place[lifted.source], place[lifted.target]
    cells = np.lexsort((column, row))
    cycle = cycle[order]
    blocks = tuple(_blocks(cycle)) if by_cycles else ()
    return Matrix(things.key[order], things.own[order], row[cells], column[cells], lifted.count[cells], cycle, blocks)


def counted(edges: Edges, relations: Mask | None = None) -> Mask:
    """bool[m]: those of `relations` (None = all) that a matrix counts: dependencies."""
    depends = are_dependencies(edges)
    return depends if relations is None else depends & relations


def _cycles(source: IntColumn, target: IntColumn, n: int) -> tuple[IntColumn, IntColumn]:
    """(int32[n] number of the cycle, -1 = none; int32[n] strongly connected component)."""
    from scipy.sparse import coo_array  # imported late: SciPy is slow to load
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(n, n))
    _, component = connected_components(links, directed=True, connection="strong")
    member = np.bincount(component, minlength=1)[component] > 1
    cycle = np.full(n, -1, np.int32)
    cycle[member] = np.unique(component[member], return_inverse=True)[1]
    return cycle, component.astype(np.int32)


def _used_first(source: IntColumn, target: IntColumn, component: IntColumn) -> npt.NDArray[np.int64]:
    """int64[n]: items, with components in layers, each after all its dependencies.

    Within a layer by their first item.
    """
    n = len(component)
    parts = int(component.max(initial=-1)) + 1
    first = np.full(parts, n)
    np.minimum.at(first, component, np.arange(n))
    user, used = component[source], component[target]
    pairs = np.unique(np.stack((used, user))[:, user != used], axis=1)  # by dependency
    users = np.searchsorted(pairs[0], np.arange(parts + 1))
    waits = np.bincount(pairs[1], minlength=parts)
    layer = np.zeros(parts, np.int64)
    ready, number = np.flatnonzero(waits == 0), 0
    while len(ready):
        layer[ready] = number
        freed = pairs[1][np.concatenate([np.arange(users[part], users[part + 1]) for part in ready.tolist()])]
        waits -= np.bincount(freed, minlength=parts)
        waits[ready] = -1
        ready, number = np.flatnonzero(waits == 0), number + 1
    return np.lexsort((np.arange(n), first[component], layer[component]))


def _blocks(cycle: IntColumn) -> Iterator[tuple[int, int]]:
    """Ranges of equal numbers other than -1."""
    bounds = np.flatnonzero(np.diff(cycle)) + 1
    for first, last in zip([0, *bounds.tolist()], [*bounds.tolist(), len(cycle)], strict=True):
        if last > first and cycle[first] >= 0:
            yield first, last


class Run(NamedTuple):
    """A range of neighbours below one node: first and one past the last position, key of that node."""

    first: int
    last: int
    key: int


def runs(graph: Graph, keys: IntColumn, least: int) -> list[Run]:
    """The deepest nodes with `least` or more adjacent `keys` below them, in order; the ranges do not overlap."""
    depth, parent = graph.tree.depth, graph.tree.parent
    taken = np.zeros(len(keys), np.bool_)
    found = []
    above = keys.copy()
    for level in range(int(depth[keys].max(initial=0)), 0, -1):
        above = np.where(depth[above] > level, parent[above], above)
        at_level = np.where(depth[above] == level, above, -1)
        bounds = np.flatnonzero(np.diff(at_level)) + 1
        for first, last in zip([0, *bounds.tolist()], [*bounds.tolist(), len(keys)], strict=True):
            if last - first >= least and at_level[first] >= 0 and not taken[first:last].any():
                taken[first:last] = True
                found.append(Run(first, last, int(at_level[first])))
    return sorted(found)
