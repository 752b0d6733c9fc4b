"""Recovers each node's own weight from a metric's column, which is combined upward, so that angles add up (CBV-4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph

FloatColumn = npt.NDArray[np.float64]


def own_part(graph: Graph, column: FloatColumn) -> FloatColumn:
    """float64[n]: a summed metric without the part of the children; NaN if nothing was measured.

    Remainders within the rounding error of the sums become 0.
    """
    below = _sum_of_children(graph, np.nan_to_num(column))
    rest = column - below
    rest[rest <= 1e-9 * np.abs(column)] = 0.0
    return rest


def own_weight(graph: Graph, column: FloatColumn, *, summed: bool) -> FloatColumn:
    """float64[n]: the weight of each node for the layout; NaN = not measured.

    column  float64[n] by key, combined upward
    summed  whether the metric is a sum; otherwise only the innermost measured nodes have a weight

    A value measured on a node, but on nothing below it (for example a file's commits), is divided evenly among the
    leaves below it. So the width of a node matches its value, whatever it contains.
    """
    tree = graph.tree
    measured = (column > 0).astype(np.float64)
    innermost = (measured > 0) & (tree.subtree_sum(measured) == 1)
    leaf = (np.diff(tree.child_ptr) == 0) & (tree.pos >= 0)
    leaves_below = tree.subtree_sum(leaf.astype(np.float64))
    givers = np.flatnonzero(innermost & ~leaf)

    weight = own_part(graph, column) if summed else np.where(innermost, column, np.nan)
    share = np.zeros(len(tree.order) + 1)
    each = column[givers] / leaves_below[givers]
    np.add.at(share, tree.pos[givers], each)  # the subtrees of givers are disjoint ranges of positions
    np.add.at(share, tree.end[givers], -each)
    inside = np.zeros(len(tree.order) + 1, np.int64)
    np.add.at(inside, tree.pos[givers], 1)
    np.add.at(inside, tree.end[givers], -1)
    received = np.cumsum(share)[tree.pos]
    takers = leaf & (np.cumsum(inside)[tree.pos] > 0)
    weight[givers] = np.nan
    weight[takers] = received[takers]
    return weight


def proportional_weight(graph: Graph, column: FloatColumn) -> FloatColumn:
    """float64[n]: weights that make siblings as wide as their values, for values that are not sums (such as a mean).

    column  float64[n] by key; nodes without a value above 0 count as not measured: NaN
    """
    tree = graph.tree
    value = np.where(column > 0, column, 0.0)
    siblings = _sum_of_children(graph, value)
    share = np.where(tree.depth == 0, 1.0, 0.0)
    for depth in range(1, int(tree.depth.max(initial=0)) + 1):
        keys = np.flatnonzero((tree.depth == depth) & (value > 0))
        above = graph.parent[keys]
        share[keys] = share[above] * value[keys] / siblings[above]
    return own_weight(graph, np.where(value > 0, share, np.nan), summed=False)


def _sum_of_children(graph: Graph, column: FloatColumn) -> FloatColumn:
    """float64[n]: sum of `column` over the children of each node."""
    child = np.flatnonzero(graph.parent >= 0)
    return np.bincount(graph.parent[child], weights=column[child], minlength=len(graph)).astype(np.float64, copy=False)
