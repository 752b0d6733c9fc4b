"""How many matches of a search lie inside each segment that stands for hidden nodes (CBV-7)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.picture import Item, Picture, Rect, Text
from cbvtool.geometry.scene.scene import Scene

MOST = 80  # most numbers in a picture; the largest ones stay
SIZE, TALL, INSET = 10.0, 15.0, 5.0  # px
OUTWARD = 0.86  # where along the radius of its segment a number stands: outside of the name


@lru_cache(maxsize=1)  # the camera turns many times while scene and keys stay the same
def counts(scene: Scene, keys: frozenset[int]) -> npt.NDArray[np.int64]:
    """int64[v]: number of matches that each item stands for, itself included; 0 = none, or only the item itself.

    keys   keys of the matches; a key beyond the scene's graph (of a node that an undone step had made) is ignored
    """
    found = np.fromiter((key for key in keys if key < len(scene.tree.represent)), np.int64)
    shown = scene.tree.represent[found]
    inside = shown >= 0
    count = np.bincount(shown[inside], minlength=len(scene.tree))
    alone = np.bincount(shown[inside & (scene.tree.key[shown] == found)], minlength=len(scene.tree))
    return np.where(count > alone, count, 0)


def match_counts(
    scene: Scene, keys: frozenset[int], camera: Camera, width: int, height: int, *, measure: Measure = rough_width
) -> Picture:
    """A number on each segment that hides matches; where two numbers would overlap, only the larger one."""
    count, layout = counts(scene, keys), scene.layout
    items = np.argsort(-count, kind="stable")[: min(MOST, int(np.count_nonzero(count)))]
    if not len(items):
        return Picture(width, height)
    angle = (layout.a0[items] + layout.a1[items]) / 2
    leaf = scene.tree.leaf[items]
    inner, outer = np.where(leaf, layout.band0, layout.r0[items]), np.where(leaf, layout.band1, layout.r1[items])
    radius = inner + OUTWARD * (outer - inner)
    points = np.column_stack((np.sin(angle) * radius, np.cos(angle) * radius, scene.height[items]))
    place = camera.project(points, width, height)[0]
    theme, found, taken = THEMES[scene.state.theme], list[Item](), list[tuple[float, float, float]]()
    for item, (x, y) in zip(items.tolist(), place.tolist(), strict=True):
        text = f"{count[item]:,}"
        wide = max(measure(text, SIZE, True) + 2 * INSET, TALL)
        if any(abs(x - a) < (wide + w) / 2 + 1 and abs(y - b) < TALL + 1 for a, b, w in taken):
            continue
        taken.append((x, y, wide))
        found.append(Rect(x - wide / 2, y - TALL / 2, wide, TALL, theme.accent, (*theme.ground[:3], 255), TALL / 2))
        found.append(Text(text, x, y, SIZE, (255, 255, 255, 255), bold=True))
    return Picture(width, height, tuple(found))
