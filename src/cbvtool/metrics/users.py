"""What fan-in and fan-out have in common: the distinct files outside a subtree that are related to it."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, IntColumn, distinct_below

_NO_USE = ("co-change",)  # kinds of relations that tell of no use


def related_files(graph: Graph, near: IntColumn, far: IntColumn) -> Column:
    """float64[n]: for each node v, how many different files outside v are related to something in v.

    near, far  int32[m]  keys: relation i makes the file of `far[i]` count for every node that holds `near[i]`

    A file is outside v when it neither lies in v nor holds v. A far end that lies in no file counts as itself.
    NaN for removed nodes.
    """
    tree = graph.tree
    there = (tree.pos[near] >= 0) & (tree.pos[far] >= 0)
    near, file = near[there], file_of(graph)[far[there]]
    apart = (tree.pos[near] < tree.pos[file]) | (tree.pos[near] >= tree.end[file])
    pair = np.unique(file[apart].astype(np.int64) * len(graph) + near[apart])
    file, near = (pair // len(graph)).astype(np.int32), (pair % len(graph)).astype(np.int32)
    held = distinct_below(tree, file, near)
    # That counts a file also for the nodes that hold the file itself beside something related to it: they are
    # the ancestors of the deepest of the joints of the file with what it is related to.
    joint = tree.lowest_common_ancestor(file, near)
    deepest = np.lexsort((tree.depth[joint], file))
    last = np.append(file[deepest][1:] != file[deepest][:-1], True)[: len(file)]
    inside = tree.subtree_sum(np.bincount(joint[deepest][last], minlength=len(graph)).astype(np.float64))
    return np.where(graph.parent == REMOVED, np.nan, held - inside)


def uses(graph: Graph) -> tuple[IntColumn, IntColumn]:
    """The two ends (user, used) of all relations by which one node uses another."""
    edges = graph.edges
    kinds = [i for i, name in enumerate(edges.kind_names) if name not in _NO_USE]
    rows = np.isin(edges.kind, kinds)
    return edges.source[rows], edges.target[rows]


def file_of(graph: Graph) -> IntColumn:
    """int32[n]: key of the file that each node lies in, the nearest one upward; of the node itself without one."""
    tree = graph.tree
    is_file = np.array([name == "file" for name in graph.kind_names])[graph.kinds]
    result = np.where(is_file, np.arange(len(graph), dtype=np.int32), -1).astype(np.int32)
    for level in range(1, int(tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((tree.depth == level) & (result == -1))
        result[keys] = result[graph.parent[keys]]
    return np.where(result == -1, np.arange(len(graph), dtype=np.int32), result)
