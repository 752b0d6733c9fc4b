"""Which segments lie in a region that the user drew over the picture: those whose middle is inside it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.rings import drawn_items
from cbvtool.geometry.scene.scene import Scene

Points = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
IntColumn = npt.NDArray[np.int32]


def inside(points: Points, outline: Points) -> Mask:
    """bool[k]: which of the points float64[k, 2] lie in the polygon float64[c, 2], by the even-odd rule.

    The outline closes itself. A polygon of fewer than three corners holds nothing.
    """
    result = np.zeros(len(points), np.bool_)
    if len(outline) < 3:
        return result
    low, high = outline.min(axis=0), outline.max(axis=0)
    near = np.flatnonzero(
        (points[:, 0] >= low[0]) & (points[:, 0] <= high[0]) & (points[:, 1] >= low[1]) & (points[:, 1] <= high[1])
    )
    near = near[np.argsort(points[near, 1], kind="stable")]
    x, y = points[near].T.copy()
    odd = np.zeros(len(near), np.bool_)
    ends = np.stack((outline[:, 1], np.roll(outline[:, 1], -1)))
    first, last = np.searchsorted(y, ends.min(axis=0)), np.searchsorted(y, ends.max(axis=0))
    # Only points at the height of an edge can have it on their right. Half open, so that a ray meets a corner once.
    for (x0, y0), (x1, y1), begin, end in zip(outline, np.roll(outline, -1, axis=0), first, last, strict=True):
        beside = slice(begin, end)
        if begin < end:
            odd[beside] ^= x[beside] < x0 + (y[beside] - y0) / (y1 - y0) * (x1 - x0)
    result[near] = odd
    return result


def middles(scene: Scene) -> Points:
    """float64[v, 3]: the middle of each segment; of a block, the middle of its top."""
    layout, leaf = scene.layout, scene.tree.leaf
    angle = (layout.a0 + layout.a1) / 2
    radius = np.where(leaf, (layout.band0 + layout.band1) / 2, (layout.r0 + layout.r1) / 2)
    return np.stack((radius * np.sin(angle), radius * np.cos(angle), np.where(leaf, scene.height, 0.0)), axis=1)


def items_in(scene: Scene, camera: Camera, width: int, height: int, outline: Points) -> IntColumn:
    """int32[]: the innermost items whose middle is seen in a polygon float64[c, 2] of pixels; if none, the inner items.

    A region drawn around blocks usually touches their containers, too: those count only if the region holds no block.
    """
    items = drawn_items(scene.tree)
    seen, depth = camera.project(middles(scene)[items], width, height)
    found = items[inside(seen, outline) & (depth > 0)]
    leaves = found[scene.tree.leaf[found]]
    return leaves if len(leaves) else found
