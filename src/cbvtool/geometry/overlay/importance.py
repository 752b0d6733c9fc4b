"""Which segments are named first: selected and found ones, then those that stand out by height and colour."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.scales import TALLEST
from cbvtool.geometry.scene.scene import Scene, item_values

IntColumn = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ASKED = 30  # most names of selected or found items
LEAST = 0.45  # sum of the shares on both scales (0..2) from which a segment stands out
WIDE = 0.02  # radians from which a segment counts in full; a tiny file is easily the reddest of all
THIN = 0.004  # radians (a pixel or two) from which the highest block can be seen as such
PER_NAME = 70.0  # px of picture height for each name of a segment that stands out
FEWEST, MOST = 6, 14


def outstanding(scene: Scene, height: int, asked: Mask | None = None) -> IntColumn:
    """int64[]: items, the most important first: selected, then found, then the highest and reddest blocks.

    height   of the picture in pixels: a larger one has room for more
    asked    bool[v] items that were found; None = nothing was searched for

    The highest block that can be seen is always among them.
    """
    tree, layout = scene.tree, scene.layout
    extent = layout.a1 - layout.a0
    represent = scene.tree.represent
    keys = [key for key in scene.state.selected if key < len(represent)]
    first = [item for item in represent[keys].tolist() if item > 0]
    if asked is not None and len(asked) == len(tree):
        found = np.flatnonzero(asked)
        first += found[np.argsort(-extent[found], kind="stable")].tolist()
    score = np.where(tree.leaf & (extent > 0), _score(scene, extent), 0.0)
    order = np.argsort(-score, kind="stable")
    most = int(np.clip(height / PER_NAME, FEWEST, MOST))
    marked = [item for item in order[:most].tolist() if score[item] >= LEAST]
    highest = int(np.argmax(np.where(tree.leaf, scene.height * np.minimum(extent / THIN, 1.0), -1.0)))
    top = [highest] if scene.height[highest] > 0 else []
    return np.array(list(dict.fromkeys([*first[:ASKED], *top, *marked])), np.int64)


def _score(scene: Scene, extent: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[v]: sum of the item's shares on the scales of height and colour, 0..2."""
    seen = np.minimum(extent / WIDE, 1.0)
    tall = scene.height / TALLEST * seen
    legend, hue = scene.color_legend, scene.variables["color"]
    if legend.by_class or np.isnan(legend.axis.maximum):
        return tall
    red = np.nan_to_num(legend.axis.place(item_values(scene.tree, hue.column, hue.metric)))
    result: npt.NDArray[np.float64] = tall + red * seen
    return result
