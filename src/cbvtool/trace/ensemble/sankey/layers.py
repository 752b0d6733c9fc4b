"""Columns of a Sankey diagram: callers left of callees; edges that close a cycle run back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


def back_edges(nodes: int, source: Ints, target: Ints) -> npt.NDArray[np.bool_]:
    """bool[e]: the edges to a box that is being visited, when boxes are visited depth first in their order.

    Without them the graph has no cycle. A box that calls itself has such an edge.
    """
    out: list[list[int]] = [[] for _ in range(nodes)]
    for edge in np.lexsort((target, source)).tolist():
        out[int(source[edge])].append(edge)
    back = np.zeros(len(source), np.bool_)
    state = bytearray(nodes)  # 1 = being visited, 2 = done
    called = np.zeros(nodes, np.bool_)
    called[target] = True
    for root in [*np.flatnonzero(~called).tolist(), *np.flatnonzero(called).tolist()]:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, edges = stack[-1]
            edge = next(edges, None)
            if edge is None:
                state[node] = 2
                stack.pop()
                continue
            to = int(target[edge])
            back[edge] = state[to] == 1
            if not state[to]:
                state[to] = 1
                stack.append((to, iter(out[to])))
    return back


def layers(nodes: int, source: Ints, target: Ints, back: npt.NDArray[np.bool_]) -> Ints:
    """int32[nodes]: the column of each box: one right of the last of its callers; roots in the first."""
    found = np.zeros(nodes, np.int32)
    ahead = ~back
    source, target = source[ahead], target[ahead]
    for _ in range(nodes):
        wanted = found.copy()
        np.maximum.at(wanted, target, found[source] + 1)
        if np.array_equal(wanted, found):
            break
        found = wanted
    return found
