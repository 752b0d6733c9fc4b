"""A soft shadow at the foot of the blocks: the higher a block, the wider and darker its shadow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import Theme
from cbvtool.geometry.scales import TALLEST
from cbvtool.geometry.scene.rings import tops
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

FloatColumn = npt.NDArray[np.float64]

STEPS = 240  # strips around the ring
SOFT = 2  # neighbours on each side that a strip is averaged with
REACH = (0.018, 0.085)  # width of the shadow in radii of the disc: for flat blocks, for the highest
DARK = (0.35, 1.0)  # share of the theme's shadow: for flat blocks, for the highest
FALL = ((0.0, 1.0), (0.4, 0.36), (1.0, 0.0))  # (share of the width, share of the darkness)
LIFT = 0.0007  # height over the ground: below highlighted relations


@dataclass(frozen=True, eq=False)
class Shadow:
    """Strips around the ring, inside and outside of the blocks.

    points     float32[p, 3]
    dark       float32[p]    0..1
    triangles  int32[t, 3]
    """

    points: npt.NDArray[np.float32]
    dark: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]

    def colors(self, theme: Theme) -> npt.NDArray[np.uint8]:
        """uint8[p, 4]: the theme's shadow at the darkness of each point."""
        color = np.tile(np.array(theme.shadow, np.uint8), (len(self.dark), 1))
        color[:, 3] = np.rint(color[:, 3] * self.dark)
        return color


def contact_shadow(tree: VisibleTree, layout: RadialLayout, height: FloatColumn) -> Shadow:
    """The shadow of blocks of that height, float64[v]."""
    share = _blurred(tops(tree, layout, height, STEPS)[:, 2] / TALLEST)
    angle = (np.arange(STEPS) + 0.5) * (2 * np.pi / STEPS)
    reach, dark = (low + (high - low) * share for low, high in (REACH, DARK))
    points, darkness = list[FloatColumn](), list[FloatColumn]()
    for edge, way in ((layout.band0, -1.0), (layout.band1, 1.0)):
        for far, strong in FALL:
            radius = edge + way * far * reach
            points.append(np.stack((np.sin(angle) * radius, np.cos(angle) * radius, np.full(STEPS, LIFT)), axis=1))
            darkness.append(strong * dark)
    here = np.arange(STEPS, dtype=np.int32)
    beside = (here + 1) % STEPS
    quads = []
    for row in (row for row in range(2 * len(FALL) - 1) if row != len(FALL) - 1):
        low, high = row * STEPS, (row + 1) * STEPS
        quads += [(low + here, low + beside, high + beside), (low + here, high + beside, high + here)]
    triangles = np.concatenate([np.stack(quad, axis=1) for quad in quads]).astype(np.int32)
    return Shadow(np.concatenate(points).astype(np.float32), np.concatenate(darkness).astype(np.float32), triangles)


def _blurred(values: FloatColumn) -> FloatColumn:
    """The mean of each value and its neighbours, around the ring."""
    around = np.concatenate((values[-SOFT:], values, values[:SOFT]))
    width = 2 * SOFT + 1
    return np.convolve(around, np.full(width, 1 / width), "valid")
