"""Combining upward: from what was measured on each node itself to one value for its whole subtree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph, TreeIndex

Column = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]


def own(graph: Graph, name: str) -> Column:
    """float64[n]: the recorded values called `name`; all NaN when nothing was recorded under it."""
    return graph.values.get(name, np.full(len(graph), np.nan))


def total(graph: Graph, values: Column) -> Column:
    """float64[n]: sum over each subtree; NaN where nothing in it was measured, and for removed nodes."""
    measured = graph.tree.subtree_sum((~np.isnan(values)).astype(np.float64))
    return np.where(measured > 0, graph.tree.subtree_sum(values), np.nan)


def largest(graph: Graph, values: Column) -> Column:
    """float64[n]: maximum over each subtree; NaN where nothing in it was measured, and for removed nodes."""
    return np.where(graph.parent == REMOVED, np.nan, graph.tree.subtree_max(values))


def share(part: Column, whole: Column) -> Column:
    """float64[n]: `part / whole`, 0 where the whole is 0; NaN where the whole was not measured."""
    result = np.where(np.isnan(whole), np.nan, 0.0)
    np.divide(np.nan_to_num(part), whole, out=result, where=whole > 0)
    return result


def distinct_below(tree: TreeIndex, thing: npt.NDArray[np.integer], key: IntColumn) -> Column:
    """float64[n]: number of distinct things that occur in each subtree.

    thing, key   int[r], int32[r]  thing `thing[i]` occurs on node `key[i]` (which must not be removed)

    Exact, in O(r log r + r * depth). Every occurrence counts 1 on its path to the root. Occurrences of one thing that
    are neighbours in preorder would be counted twice from their least common ancestor upward, so that 1 is subtracted
    there. Subtree sums give the result (M. Hui, Color set size problem with applications to string matching, 1992,
    section 2).
    """
    order = np.lexsort((tree.pos[key], thing))
    thing, key = thing[order], key[order]
    same = np.flatnonzero(thing[1:] == thing[:-1])
    joint = tree.lowest_common_ancestor(key[same], key[same + 1])
    n = len(tree.pos)
    change = np.bincount(key, minlength=n) - np.bincount(joint, minlength=n)
    return tree.subtree_sum(change.astype(np.float64))
