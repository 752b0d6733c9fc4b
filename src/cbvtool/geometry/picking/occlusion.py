"""Which blocks hide highlighted segments (CBV-8): they are drawn as if of glass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picking.pick import blocks_met
from cbvtool.geometry.scene.scene import Scene

Mask = npt.NDArray[np.bool_]

MOST = 24  # highlighted segments that are looked at, the widest ones; among many more nobody looks for a single one
NEAR = 1e-6  # a block met this near to the end of a ray is the block on which the ray ends


def hiding(scene: Scene, camera: Camera, standing_out: Mask) -> Mask:
    """bool[v]: the blocks between the camera and an innermost segment of `standing_out`, bool[v].

    A segment is hidden where the middle of its top, or of its foot toward the relations, cannot be seen.
    """
    layout, tree = scene.layout, scene.tree
    extent = layout.a1 - layout.a0
    items = np.flatnonzero(standing_out & tree.leaf & (extent > 0))
    items = items[np.argsort(-extent[items], kind="stable")[:MOST]]
    result = np.zeros(len(tree), np.bool_)
    origin = np.array(camera.position)
    angle = (layout.a0[items] + layout.a1[items]) / 2
    toward = np.stack((np.sin(angle), np.cos(angle)), axis=1)
    middle = (layout.band0 + layout.band1) / 2
    tops = np.column_stack((toward * middle, scene.height[items]))
    feet = np.column_stack((toward * layout.band0, np.zeros(len(items))))
    ways = np.concatenate((tops, feet)) - origin
    ray, distance, met = blocks_met(layout, scene.blocks, scene.height, origin, ways)
    result[met[(distance < 1 - NEAR) & (met != np.tile(items, 2)[ray])]] = True
    return result
