"""Fewer segments for the eye: neighbours that are thinner than it can tell apart are drawn as one.

Thousands of slivers cost a frame several times as much as its pixels, and look like noise. Picking and all values
use the exact scene.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]

SLIT = 3.0  # gaps are closed beside items up to this many times as wide as `smallest`


@dataclass(frozen=True, eq=False)
class Coarse:
    """A smaller tree with its layout: g groups instead of v items.

    tree, layout   of the groups; a group stands where its members stand together
    shown          int32[g]  the member that the group looks like: the highest one, then the widest
    group          int32[v]  group of each item
    """

    tree: VisibleTree
    layout: RadialLayout
    shown: IntColumn
    group: IntColumn


def coarsen(tree: VisibleTree, layout: RadialLayout, height: FloatColumn, smallest: float) -> Coarse:
    """Merge items thinner than `smallest` radians with their thin neighbours, up to about that extent.

    height   float64[v]

    Works level by level. Neighbours merge if they have the same parent (or parents that were merged), and if both are
    innermost or both are not. All other items stay as they are, except that gaps beside narrow siblings are closed. The
    result is a tree again.
    """
    extent = layout.a1 - layout.a0
    thin = extent < smallest
    bucket = np.floor((layout.a0 + layout.a1) / 2 / smallest).astype(np.int64)
    first = np.arange(len(tree), dtype=np.int32)  # the first member of the group of each item
    for level in range(1, tree.rings + 1):
        rows = np.flatnonzero(tree.level == level)
        if len(rows) < 2:
            continue
        above = first[tree.parent[rows]]
        before, after = rows[:-1], rows[1:]
        same = (
            thin[before]
            & thin[after]
            & (bucket[before] == bucket[after])
            & (above[:-1] == above[1:])
            & (tree.leaf[before] == tree.leaf[after])
        )
        run = np.cumsum(np.concatenate(([True], ~same))) - 1
        starts = rows[np.concatenate(([True], ~same))]
        first[rows] = starts[run]

    leaders = np.flatnonzero(first == np.arange(len(tree)))
    number = np.full(len(tree), -1, np.int32)
    number[leaders] = np.arange(len(leaders), dtype=np.int32)
    group = number[first]

    best = np.lexsort((extent, height, group))
    shown = best[np.flatnonzero(np.append(np.diff(group[best]) > 0, True))].astype(np.int32)
    a1 = np.zeros(len(leaders))
    np.maximum.at(a1, group, layout.a1)
    parent = np.where(tree.parent[leaders] >= 0, group[np.maximum(tree.parent[leaders], 0)], -1).astype(np.int32)
    end = np.arange(1, len(leaders) + 1, dtype=np.int32)
    ring = tree.level[leaders]
    for depth in range(int(ring.max(initial=0)), 0, -1):
        rows = np.flatnonzero(ring == depth)
        np.maximum.at(end, parent[rows], end[rows])
    represent = np.where(tree.represent >= 0, group[np.maximum(tree.represent, 0)], -1).astype(np.int32)
    merged = VisibleTree(
        tree.graph, tree.key[leaders], tree.slot[leaders], parent, ring, end, tree.leaf[leaders], represent
    )
    a0, a1 = _without_slits(merged, layout.a0[leaders], a1, SLIT * smallest)
    lying = RadialLayout(a0, a1, layout.r0[leaders], layout.r1[leaders], layout.band0, layout.band1, layout.key_angle)
    return Coarse(merged, lying, shown, group)


def _without_slits(
    tree: VisibleTree, a0: FloatColumn, a1: FloatColumn, narrow: float
) -> tuple[FloatColumn, FloatColumn]:
    """The angles with gaps closed beside items narrower than `narrow`, toward siblings and edges of the parent.

    A gap beside a segment of a few pixels is a fraction of a pixel: it does not separate them, it only flickers.
    """
    a0, a1 = a0.copy(), a1.copy()
    is_narrow = a1 - a0 < narrow
    for level in range(2, tree.rings + 1):  # top-level items keep their gaps
        rows = np.flatnonzero(tree.level == level)
        parent = tree.parent[rows]
        sibling = parent[:-1] == parent[1:]
        first, last = rows[np.append(True, ~sibling)], rows[np.append(~sibling, True)]
        first, last = first[is_narrow[first]], last[is_narrow[last]]
        a0[first], a1[last] = a0[tree.parent[first]], a1[tree.parent[last]]
        before, after = rows[:-1][sibling], rows[1:][sibling]
        close = is_narrow[before] | is_narrow[after]
        middle = (a1[before] + a0[after])[close] / 2
        a1[before[close]] = middle
        a0[after[close]] = middle
    return a0, a1
