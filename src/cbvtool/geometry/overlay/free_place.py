"""A free place for a card beside the ring, so that it does not cover the relations that it is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.scene import Scene

Pixels = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, top, right, bottom in px

_SIDES = 72  # of the polygon that stands for the ring
_STEP = 16  # px between the places that are tried
_MARGIN = 4  # px to the edges of the picture


def seen_ring(scene: Scene, camera: Camera, width: int, height: int) -> Pixels:
    """float64[2, 72, 2]: outline of the ring in pixels, on the ground and at the height of the tallest segment."""
    turn = np.linspace(0, 2 * np.pi, _SIDES, endpoint=False)
    rim = np.stack((np.sin(turn), np.cos(turn), np.zeros(_SIDES)), axis=1)
    top = rim + np.array([0.0, 0.0, float(np.max(scene.height, initial=0.0))])
    return np.stack([camera.project(points, width, height)[0] for points in (rim, top)])


def free_place(
    card: tuple[int, int],
    pointer: tuple[float, float],
    extent: tuple[int, int],
    ring: Pixels,
    taken: Sequence[Box] = (),
) -> tuple[int, int] | None:
    """The top left corner of a card in px, beside the ring and as near to the pointer as possible; None = no room.

    card, extent  width and height of the card and of the picture
    ring          float64[k, s, 2]: convex polygons that must stay free, as must the boxes `taken`
    """
    (w, h), (width, height) = card, extent
    left, top = np.meshgrid(
        np.arange(_MARGIN, width - w - _MARGIN, _STEP), np.arange(_MARGIN, height - h - _MARGIN, _STEP)
    )
    boxes = np.stack((left, top, left + w, top + h), axis=-1).reshape(-1, 4).astype(np.float64)
    if not len(boxes):
        return None
    free = np.ones(len(boxes), np.bool_)
    for polygon in ring:
        free &= ~_overlaps(boxes, polygon)
    for a, b, c, d in taken:
        free &= (boxes[:, 2] <= a) | (boxes[:, 0] >= c) | (boxes[:, 3] <= b) | (boxes[:, 1] >= d)
    if not free.any():
        return None
    x, y = pointer
    found = boxes[free]
    across = np.maximum(np.maximum(found[:, 0] - x, x - found[:, 2]), 0.0)
    along = np.maximum(np.maximum(found[:, 1] - y, y - found[:, 3]), 0.0)
    best = found[np.argmin(np.hypot(across, along))]
    return round(best[0]), round(best[1])


def _overlaps(boxes: Pixels, polygon: Pixels) -> npt.NDArray[np.bool_]:
    """bool[b]: which boxes (left, top, right, bottom) a convex polygon overlaps, by separating axes."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    apart = (boxes[:, 2] <= low[0]) | (boxes[:, 0] >= high[0]) | (boxes[:, 3] <= low[1]) | (boxes[:, 1] >= high[1])
    edges = np.roll(polygon, -1, axis=0) - polygon
    normals = np.stack((edges[:, 1], -edges[:, 0]), axis=1)
    reach = (normals @ polygon.T).T  # of each corner along each normal
    corners = boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2) @ normals.T
    apart |= ((corners.min(axis=1) >= reach.max(axis=0)) | (corners.max(axis=1) <= reach.min(axis=0))).any(axis=1)
    return np.asarray(~apart)
