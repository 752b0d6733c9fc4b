"""The outlines of segments in the picture, for marks, selections and drags."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.scene import Scene

Points = npt.NDArray[np.float64]
Pixels = tuple[tuple[float, float], ...]
STEP = pi / 90  # radians between two points of an arc


def sector(a0: float, a1: float, r0: float, r1: float) -> Points:
    """float64[k, 2]: the outline of an annular sector on the disc; angles clockwise from 12 o'clock."""
    steps = max(2, int(np.ceil((a1 - a0) / STEP)) + 1)
    angles = np.linspace(a0, a1, steps)
    outer = np.column_stack((np.sin(angles), np.cos(angles))) * r1
    inner = np.column_stack((np.sin(angles), np.cos(angles)))[::-1] * r0
    return np.concatenate((outer, inner))


def on_plane(points: Points, height: float = 0.0) -> Points:
    """float64[k, 3]: points of the disc lifted to `height`."""
    return np.column_stack((points, np.full(len(points), height)))


@dataclass(frozen=True)
class Face:
    """A flat piece of a segment: angles, radii, and the height at which it lies."""

    a0: float
    a1: float
    r0: float
    r1: float
    z: float

    def outline(self, camera: Camera, width: int, height: int) -> Pixels:
        """Its corners in the picture."""
        return projected(camera, on_plane(sector(self.a0, self.a1, self.r0, self.r1), self.z), width, height)


def faces(scene: Scene, item: int) -> list[Face]:
    """The visible faces of an item itself: the top of a block, or the flat segment of an inner node.

    A block without height also has the flat part outside of it.
    """
    layout = scene.layout
    a0, a1, r1 = float(layout.a0[item]), float(layout.a1[item]), float(layout.r1[item])
    if not scene.tree.leaf[item]:
        return [Face(a0, a1, float(layout.r0[item]), r1, 0.0)]
    found = [Face(a0, a1, layout.band0, layout.band1, float(scene.height[item]))]
    if r1 > layout.band1 * (1 + 1e-9) and scene.height[item] <= 0:
        found.append(Face(a0, a1, layout.band1, r1, 0.0))
    return found


def projected(camera: Camera, points: Points, width: int, height: int) -> Pixels:
    """float64[k, 2]: pixels of points in the picture."""
    pixels = np.asarray(camera.project(points, width, height)[0])[:, :2]
    return tuple((float(x), float(y)) for x, y in pixels)
