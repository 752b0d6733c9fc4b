"""Combines classes upward: the class that outweighs the others in a subtree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import TreeIndex
from cbvtool.metrics.combine import Column, IntColumn


def most_of(tree: TreeIndex, key: IntColumn, kind: IntColumn, weight: npt.NDArray[np.float64]) -> tuple[Column, Column]:
    """float64[n] twice: the class with the largest weight in each subtree (the lower number among equals); its weight.

    NaN = no class.

    key, kind, weight   int32[r], int32[r], float64[r]  an item of class `kind[i]` on node `key[i]`, which is not
                        removed

    Works level by level from below: each level passes its weights by class to the parents, where they are added up.
    """
    result = np.full(len(tree.pos), np.nan)
    most = result.copy()
    classes = int(kind.max(initial=0)) + 1
    own_depth = tree.depth[key]
    carried, heavy = np.empty(0, np.int64), np.empty(0, np.float64)  # from below: key * classes + class, weight
    for depth in range(int(own_depth.max(initial=-1)), -1, -1):
        own = np.flatnonzero(own_depth == depth)
        codes = np.concatenate((carried, key[own].astype(np.int64) * classes + kind[own]))
        distinct, row = np.unique(codes, return_inverse=True)
        total = np.bincount(row, np.concatenate((heavy, weight[own])), len(distinct))
        nodes, found = distinct // classes, distinct % classes
        order = np.lexsort((found, -total, nodes))
        first = order[np.append(True, nodes[order][1:] != nodes[order][:-1])[: len(order)]]
        result[nodes[first]] = found[first]
        most[nodes[first]] = total[first]
        carried, heavy = tree.parent[nodes] * np.int64(classes) + found, total.astype(np.float64, copy=False)
    return result, most
