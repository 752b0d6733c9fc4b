"""What two traces do not share, between their rows (EX-6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import GAP, Bars, Labels, Raster, Segments, Theme, ViewContext, Viewport

from .palette import only_colors
from .room import Box, Room
from .scene import Scene
from .state import Part

Layers = list[Bars | Labels | Segments | Raster]
_LEAST = 90  # how opaque the least difference in a row of pixels is


def difference_layers(context: ViewContext, scene: Scene, room: Room, shown: Part, viewport: Viewport) -> Layers:
    """A strip whose left half marks what the first trace has alone, its right half the second; nothing for one."""
    if scene.alignment is None:
        return []
    return [context.memo(_strip, scene, room.between, shown, round(room.between[3] * viewport.scale), context.theme)]


def only_shares(scene: Scene, shown: Part, height: int) -> npt.NDArray[np.float64]:
    """float64[height, 2]: of the rows of each pixel, the share that the first and the second trace has alone."""
    found = np.zeros((height, 2))
    if scene.alignment is None or not height:
        return found
    edges = np.clip(np.linspace(shown[0], shown[1], height + 1), 0, scene.length)
    low = np.floor(edges[:-1]).astype(np.int64)
    high = np.maximum(np.ceil(edges[1:]).astype(np.int64), low + 1)
    high = np.minimum(high, scene.length)
    for side, other in ((0, scene.alignment.b), (1, scene.alignment.a)):
        before = np.concatenate(([0], np.cumsum(other == GAP)))
        found[:, side] = (before[high] - before[np.minimum(low, high)]) / np.maximum(high - low, 1)
    return found


def _strip(scene: Scene, box: Box, shown: Part, height: int, theme: Theme) -> Raster:
    """Four pixels wide: the first trace, a line of ground, the second trace."""
    share = only_shares(scene, shown, max(height, 1))
    image = np.zeros((max(height, 1), 8, 4), np.uint8)
    image[:] = theme.plane
    for side, columns in ((0, slice(1, 4)), (1, slice(4, 7))):
        color = np.array(only_colors(theme)[side][:3], np.float64)
        some = share[:, side] > 0
        alpha = np.where(some, _LEAST + (255 - _LEAST) * share[:, side], 0.0)[:, None] / 255
        mixed = np.array(theme.plane[:3]) * (1 - alpha) + color * alpha
        image[:, columns, :3] = np.rint(mixed)[:, None, :]
    x, y, width, tall = box
    return Raster(name="differences", image=image, box=(x, y, x + width, y + tall))
