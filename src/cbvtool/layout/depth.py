"""Which nodes to expand for a picture of a given depth, and for the first picture (CBV-6)."""

from __future__ import annotations

import heapq

import numpy as np

from cbvtool.graph import Graph

# The first picture shows folders, packages and files; the content of files comes by expanding them.
_CLOSED_AT_FIRST = frozenset({"file", "class", "function"})
_MOST = 120  # segments of the first picture; with more, the labels would not fit
_WIDE = 0.05  # share of the circle from which a node is worth expanding
_LONE = 0.3  # share from which it is always expanded, because otherwise one segment dominates the picture


def expanded_to(graph: Graph, depth: int, root: int = 0) -> frozenset[int]:
    """Keys of the nodes to expand so that `depth` levels below `root` are visible (1 = its children)."""
    keys = graph.subtree(root)
    inner = np.diff(graph.tree.child_ptr)[keys] > 0
    level = graph.tree.depth[keys] - graph.tree.depth[root]
    return frozenset(keys[inner & (level < depth)].tolist())


def expanded_to_files(graph: Graph, root: int = 0) -> frozenset[int]:
    """Keys of the nodes to expand so that every file below `root` is visible, but not the content of files."""
    kinds = np.isin(graph.kinds, [number for number, kind in enumerate(graph.kind_names) if kind == "file"])
    is_file = kinds.astype(np.float64)
    keys = graph.subtree(root)
    return frozenset(keys[(graph.tree.subtree_sum(is_file) - is_file)[keys] > 0].tolist())


def deepest(graph: Graph, root: int = 0) -> int:
    """Number of levels below `root`."""
    keys = graph.subtree(root)
    return int((graph.tree.depth[keys] - graph.tree.depth[root]).max(initial=0))


def first_picture(graph: Graph, root: int = 0) -> frozenset[int]:
    """Keys to expand at first: the widest nodes are expanded, one after the other, while labels still fit.

    So the top levels are visible, and more levels where most of the code is; files stay closed. A node with very many
    children comes last, so that it does not prevent others from being expanded. A node with one child is always
    expanded, because that adds no segment.
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
    # Nodes whose children would take most of the room left; those with fewer children come first.
    costly: list[tuple[float, int]] = []
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
