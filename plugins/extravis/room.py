"""Where the parts of the sequence view lie on the canvas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Icicle, Viewport

from .scene import Scene

Floats = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]  # x, y, width, height: logical pixels
OVERVIEW, TIMES, MARKS, BETWEEN = 44.0, 66.0, 14.0, 26.0
LEGEND = 24.0
MOST_LEVELS = 12  # of containers that have a height of their own
_LEVEL, _LEAVES = 16.0, 74.0
_SHARE = 0.38  # of the height, that the hierarchy takes at most


@dataclass(frozen=True)
class Room:
    """overview: the whole trace in miniature; lanes: the rows of each trace, with `heads` above; between: the strip of
    differences, of no width for one trace; marks: at the right; level, leaves: heights of containers and of columns.
    """

    overview: Box
    lanes: tuple[Box, ...]
    heads: tuple[Box, ...]
    between: Box
    marks: Box
    level: float
    leaves: float

    def borders(self, scene: Scene, lane: int = 0) -> Floats:
        """float64[k + 1]: borders of the columns, logical pixels of the canvas."""
        x, _, width, _ = self.lanes[lane]
        return x + np.linspace(0.0, width, len(scene.icicle) + 1)

    def lane_at(self, px: float) -> int:
        """Which trace lies at a place."""
        return 1 if len(self.lanes) > 1 and px >= self.lanes[1][0] else 0


def levels_of(shown: Icicle) -> int:
    """How many levels of containers are drawn above the columns."""
    containers = np.ones(len(shown.key), np.bool_)
    containers[shown.column] = False
    return min(int(shown.depth[containers].max(initial=-1)) + 1, MOST_LEVELS)


def room_of(scene: Scene, viewport: Viewport) -> Room:
    """For a viewport."""
    levels, count = levels_of(scene.icicle), len(scene.lanes)
    high = max(viewport.height - LEGEND, 20.0)
    most = high * _SHARE
    whole = levels * _LEVEL + _LEAVES
    scale = min(1.0, most / whole)
    level, leaves = round(_LEVEL * scale, 2), _LEAVES * scale
    top = float(round(levels * level + leaves)) + (16.0 if count > 1 else 0.0)
    left = OVERVIEW + TIMES
    between = BETWEEN if count > 1 else 0.0
    width = max((viewport.width - left - MARKS - between) / count, 8.0)
    width = float(int(width))
    xs = [left + number * (width + between) for number in range(count)]
    rows = float(max(int(high - top), 4))
    return Room(
        (0.0, top, OVERVIEW - 6.0, rows),
        tuple((x, top, width, rows) for x in xs),
        tuple((x, top - levels * level - leaves, width, levels * level + leaves) for x in xs),
        (left + width, top, between, rows),
        (xs[-1] + width, top, MARKS, rows),
        level,
        leaves,
    )
