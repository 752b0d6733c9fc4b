"""Which nodes to expand for a picture of a given depth, and how deep the first picture goes (CBV-6)."""

from __future__ import annotations

import heapq

import numpy as np

from cbvtool.graph import Graph

# What a file contains is drill-down: the first picture shows folders, packages and files at most.
_CLOSED_AT_FIRST = frozenset({"file", "class", "function"})
_MOST = 120  # segments of the first picture; beyond this the labels would not fit
_WIDE = 0.05  # share of the circle above which a node is worth opening
_LONE = 0.3  # share above which it is opened whatever that costs: else one segment is the whole picture


def expanded_to(graph: Graph, depth: int, root: int = 0) -> frozenset[int]:
    """Keys of the nodes to expand so that `depth` levels below `root` are visible (1 = its children)."""
    keys = graph.subtree(root)
    inner = np.diff(graph.tree.child_ptr)[keys] > 0
    level = graph.tree.depth[keys] - graph.tree.depth[root]
    return frozenset(keys[inner & (level < depth)].tolist())


def expanded_to_files(graph: Graph, root: int = 0) -> frozenset[int]:
    """Keys of the nodes to expand so that every file below `root` is visible, and nothing that is in one."""
    kinds = np.isin(graph.kinds, [number for number, kind in enumerate(graph.kind_names) if kind == "file"])
    is_file = kinds.astype(np.float64)
    keys = graph.subtree(root)
    return frozenset(keys[(graph.tree.subtree_sum(is_file) - is_file)[keys] > 0].tolist())


def deepest(graph: Graph, root: int = 0) -> int:
    """Number of levels below `root`."""
    keys = graph.subtree(root)
    return int((graph.tree.depth[keys] - graph.tree.depth[root]).max(initial=0))


def first_picture(graph: Graph, root: int = 0) -> frozenset[int]:
    """Keys to expand at first: the widest nodes are opened, one after the other, while labels still fit.

    So the top levels are shown, deeper where most of the code is; files and what is in them stay closed. One with very
    many children waits for the others, so that it does not keep them closed.
    A lone child is opened for free: it says nothing by itself.
    """
    tree = graph.tree
    closed = [number for number, kind in enumerate(graph.kind_names) if kind in _CLOSED_AT_FIRST]
    openable = (np.diff(tree.child_ptr) > 0) & ~np.isin(graph.kinds, closed)
    size = tree.subtree_sum(graph.values.get("sloc", np.ones(len(graph))))
    if size[root] == 0:
        size = tree.subtree_sum(np.ones(len(graph)))

    expanded = {root}
    visible = len(graph.children(root))
    waiting = [(-size[key], int(key)) for key in graph.children(root) if openable[key]]
    costly: list[tuple[float, int]] = []  # would take most of the room that is left: what takes little comes first
    heapq.heapify(waiting)
    while waiting or costly:
        at_last = not waiting
        place = heapq.heappop(costly if at_last else waiting)
        share, key = -place[0] / size[root], place[1]
        children = graph.children(key)
        more = len(children) - 1
        if more and share >= _WIDE and not at_last and more > (_MOST - visible) / 2:
            heapq.heappush(costly, place)
            continue
        if more and share < _LONE and (share < _WIDE or visible + more > _MOST):
            continue
        expanded.add(key)
        visible += more
        for child in children[openable[children]]:
            heapq.heappush(waiting, (-size[child], int(child)))
    return frozenset(expanded)
