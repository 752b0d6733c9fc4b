"""A hierarchy as an icicle of columns: what of it is shown, in which order, with which containers closed (EX-2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
ELSEWHERE = -1  # the key of the column of calls whose function has no node


@dataclass(frozen=True, eq=False)
class Icicle:
    """b boxes in preorder and k columns, from left to right. The root of the hierarchy has no box.

    key        int64[b]  node, `ELSEWHERE`
    parent     int64[b]  box around it, -1
    depth      int64[b]  0 = outermost
    first      int64[b]  its columns are `first:last`
    last       int64[b]
    closed     bool[b]   a container of which nothing inside is shown
    own        bool[b]   what the container around it, which has the same key, does itself
    column     int64[k]  box of each column
    of_node    int64[n]  column of a call of each node; -1 = none
    elsewhere  the column of functions without a node, -1
    """

    key: Rows
    parent: Rows
    depth: Rows
    first: Rows
    last: Rows
    closed: Mask
    own: Mask
    column: Rows
    of_node: Rows
    elsewhere: int = -1

    def __len__(self) -> int:
        """Number of columns."""
        return len(self.column)

    def of_functions(self, node: npt.NDArray[np.int32]) -> Rows:
        """int64[f]: the column of each function. node: int32[f], -1 = none."""
        found: Rows = np.where(node < 0, self.elsewhere, self.of_node[node] if len(self.of_node) else -1)
        return found

    def path(self, box: int) -> list[int]:
        """The boxes around a box and itself, the outermost first."""
        found = [box]
        while self.parent[found[-1]] >= 0:
            found.append(int(self.parent[found[-1]]))
        return found[::-1]


def icicle(graph: Graph, called: Mask, closed: Mask, rank: Rows | None = None, elsewhere: bool = False) -> Icicle:
    """What is shown of a graph.

    called     bool[n]  the nodes that are shown, with all around them
    closed     bool[n]  containers that are columns themselves
    rank       int64[n]  order of siblings, equal ones as in the graph; None = as in the graph
    elsewhere  whether there is a column of functions without a node, at the right
    """
    tree, n = graph.tree, len(graph)
    order = tree.order.astype(np.int64)
    inside = np.concatenate(([0], np.cumsum(called[order])))
    low = np.maximum(tree.pos, 0)
    shown = (tree.pos >= 0) & (inside[np.maximum(tree.end, 0)] > inside[low])
    key, parent, depth, first, last = (list[int]() for _ in range(5))
    shut, own, column = list[bool](), list[bool](), list[int]()
    of_node = np.full(n, -1, np.int64)

    def box(node: int, around: int, deep: int, is_closed: bool, is_own: bool) -> int:
        key.append(node)
        parent.append(around)
        depth.append(deep)
        first.append(len(column))
        last.append(len(column))
        shut.append(is_closed)
        own.append(is_own)
        return len(key) - 1

    root = int(order[0]) if len(order) else -1
    waiting: list[tuple[int, int, int]] = [(root, -1, -1)] if root >= 0 and shown[root] else []
    while waiting:
        node, around, deep = waiting.pop()
        if node < -1:  # all in the box ~(node + 2) is done
            last[-node - 2] = len(column)
            continue
        children = [] if closed[node] and node != root else [int(k) for k in tree.children(node) if shown[k]]
        at = around
        if node != root:
            at = box(
                node,
                around,
                deep,
                bool(closed[node] and inside[tree.end[node]] - inside[low[node]] > called[node]),
                False,
            )
            waiting.append((-at - 2, 0, 0))
        if called[node] or not children:
            if children or node == root:
                inner = box(node, at, deep + 1, False, True)
                last[inner] += 1
                column.append(inner)
            else:
                column.append(at)
            of_node[node] = len(column) - 1
        if not children and node != root:
            of_node[order[low[node] : tree.end[node]]] = len(column) - 1
        if rank is not None:
            children.sort(key=lambda each: (int(rank[each]), int(tree.pos[each])))
        waiting.extend((child, at, deep + 1) for child in reversed(children))
    other = -1
    if elsewhere:
        at = box(ELSEWHERE, -1, 0, False, False)
        last[at] += 1
        column.append(at)
        other = len(column) - 1
    around_it, deep_it, begin, end = (np.array(values, np.int64) for values in (parent, depth, first, last))
    return Icicle(
        np.array(key, np.int64),
        around_it,
        deep_it,
        begin,
        end,
        np.array(shut, np.bool_),
        np.array(own, np.bool_),
        np.array(column, np.int64),
        of_node,
        other,
    )
