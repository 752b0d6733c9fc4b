"""Collapsed containers: a rim in the grey of containers tells them from files (OC-4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import Theme
from cbvtool.geometry.scene.rings import cells
from cbvtool.graph import REMOVED, Graph
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree
from cbvtool.metrics.structure.users import of_kinds

Mask = npt.NDArray[np.bool_]
FloatColumn = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]

SHARE = 0.16  # of the thickness of a block that its rim takes
ABOVE = 0.0015  # height of the rim above its face, in radii of the disc


def collapsed(tree: VisibleTree) -> Mask:
    """bool[v]: items that stand for the nodes below them. A file stands for itself."""
    children = np.diff(tree.graph.tree.child_ptr)[tree.key] > 0
    result: Mask = tree.leaf & ~tree.slot & children & ~of_kinds(tree.graph, ("file",))[tree.key]
    return result


def files_within(graph: Graph) -> npt.NDArray[np.int64]:
    """int64[n]: how many files lie below each node, itself counted if it is one."""
    there = of_kinds(graph, ("file",)) & (graph.parent != REMOVED)
    return np.rint(graph.tree.subtree_sum(there.astype(np.float64))).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rims:
    """Triangles of the rims.

    points         float32[p, 3]
    triangles      int32[t, 3]   counter-clockwise seen from above
    item           int32[p]      item of the tree that each point belongs to
    """

    points: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    item: npt.NDArray[np.int32]

    def colors(self, theme: Theme, faded: Mask | None, fade: float) -> Colors:
        """uint8[p, 4]: the grey of containers; for `faded` items, bool[v], mixed with the ground by `fade` (0..1)."""
        grey, ground = np.array(theme.closed, np.float64), np.array(theme.ground, np.float64)
        pair = np.rint(np.stack((grey, grey + (ground - grey) * fade))).astype(np.uint8)
        return pair[np.zeros(len(self.item), np.intp) if faded is None else faded[self.item].astype(np.intp)]


def rims(layout: RadialLayout, height: FloatColumn, items: npt.NDArray[np.integer]) -> Rims:
    """The rims of items: at the outer edge of the block's top, and of the flat part outside of it.

    height   float64[v], of the blocks
    """
    cut = cells(layout, items.astype(np.int32))
    wide = SHARE * (layout.band1 - layout.band0)
    beyond = layout.r1[cut.item] > layout.band1 * (1 + 1e-6)
    item = np.concatenate((cut.item, cut.item[beyond]))
    a0, a1 = (np.concatenate((angle, angle[beyond])) for angle in (cut.a0, cut.a1))
    outer = np.concatenate((np.full(len(cut.item), layout.band1), layout.r1[cut.item[beyond]]))
    z = np.concatenate((height[cut.item], np.zeros(int(beyond.sum())))) + ABOVE
    corners = [(a0, outer - wide), (a1, outer - wide), (a1, outer), (a0, outer)]
    points = np.stack([np.stack((np.sin(a) * r, np.cos(a) * r, z), axis=1) for a, r in corners], axis=1)
    first = 4 * np.arange(len(item), dtype=np.int32)[:, None]
    triangles = (first + np.array([0, 1, 2, 0, 2, 3], np.int32)).reshape(-1, 3)
    return Rims(points.reshape(-1, 3).astype(np.float32), triangles, np.repeat(item, 4))
