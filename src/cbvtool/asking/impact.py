"""Impact of a change: direct and transitive dependants of nodes, by distance (DND-10)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from cbvtool.asking.steps import IntColumn, Mask, Rowed, Rows, Steps, first_seen
from cbvtool.graph import Graph
from cbvtool.metrics.combine import own as recorded
from cbvtool.metrics.structure.users import file_of
from cbvtool.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class Dependants:
    """The a nodes that depend on `changed` (keys, each with its subtree): nearest first, then in the order of the tree.

    node       int32[a]  keys
    distance   int32[a]  number of relations from each node to the change: 1 = direct
    test       bool[a]   the node is a test, or lies in one: it has to be run again rather than changed
    relations  rows of `row` for each position in `node`
    row        int64[r]  rows of `graph.edges`: the relations by which each node is affected at this distance
    """

    changed: tuple[int, ...]
    node: IntColumn
    distance: IntColumn
    test: Mask
    relations: Rowed
    row: Rows

    def __len__(self) -> int:
        """Number of nodes that are affected."""
        return len(self.node)

    def rows_of(self, position: int) -> Rows:
        """int64[r]: rows of `graph.edges` by which the node at a position is affected."""
        return self.row[self.relations.of(np.array([position]))]


def impact(
    graph: Graph,
    ways: Steps,
    changed: tuple[int, ...],
    *,
    kinds: Collection[str] | None = None,
    depth: int = 0,
    progress: Progress = silent,
) -> Dependants:
    """The dependants of `changed`: nodes that use something in it, or a whole of which it is a part, and so on.

    kinds   follow only relations of these kinds; None = all in `ways`
    depth   largest distance; 0 = any

    Breadth first, O(n + k) for k relations.
    """
    edges, n = graph.edges, len(graph)
    counts: Mask | None = None  # all do
    if kinds is not None:
        wanted = np.array([name in kinds for name in edges.kind_names], np.bool_)
        counts = wanted[edges.kind[ways.row]]
    inside = graph.tree.below(changed)
    # Distance of each node as a dependant, and as a dependency.
    distance, reach = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    distance[inside] = 0
    used, users, seen = np.zeros(n, np.bool_), inside.copy(), 0
    front = ways.closed(np.flatnonzero(inside).astype(np.int32), used, downward=False)
    while len(front) and (not depth or seen < depth):
        progress("looking for who is affected", 0, 0)
        reach[front] = seen
        seen += 1
        rows = ways.by_used.of(front)
        found = first_seen(ways.user[rows if counts is None else rows[counts[rows]]], users)
        distance[found] = seen
        front = ways.closed(found, used, downward=False)
    node = np.flatnonzero(distance > 0).astype(np.int32)
    node = node[np.lexsort((graph.tree.pos[node], distance[node]))]
    near = reach[ways.used]
    over = (near >= 0) & (distance[ways.user] == near + 1)
    if counts is not None:
        over &= counts
    own = ways.by_user.of(node)  # node after node
    over = over[own]
    at = np.repeat(np.arange(len(node)), ways.by_user.ptr[node + 1] - ways.by_user.ptr[node])[over]
    return Dependants(changed, node, distance[node], is_test(graph)[node], Rowed.by(at, len(node)), ways.row[own[over]])


def is_test(graph: Graph) -> Mask:
    """bool[n]: tests, and everything in their files."""
    marked = recorded(graph, "test") == 1
    result: Mask = marked | marked[file_of(graph)]
    return result


def counts_by_kind(graph: Graph, found: Dependants) -> dict[str, tuple[int, ...]]:
    """Kind of relation -> number of nodes affected by it at distance 1, 2, ...; the most frequent kind first.

    A node counts for each kind of relation by which it is affected.
    """
    position = np.repeat(np.arange(len(found)), np.diff(found.relations.ptr))
    kind = graph.edges.kind[found.row[found.relations.row]].astype(np.int64)
    farthest = int(found.distance.max(initial=0))
    pairs = np.unique(kind * max(len(found), 1) + position)
    kinds, at = pairs // max(len(found), 1), found.distance[pairs % max(len(found), 1)]
    table = {
        graph.edges.kind_names[number]: np.bincount(at[kinds == number], minlength=farthest + 1)[1:].tolist()
        for number in np.unique(kinds).tolist()
    }
    return {name: tuple(row) for name, row in sorted(table.items(), key=lambda entry: (-sum(entry[1]), entry[0]))}
