"""What is drawn over everything else, ring included: relations that must not be missed, in a colour of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.fan_out import thinned
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.picture import Color

if TYPE_CHECKING:
    from cbvtool.geometry.scene.scene import Scene

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

MOST = 1_500  # curves of a layer; more would lie on top of each other


@dataclass(frozen=True, eq=False)
class OverLayer:
    """Relations between items, drawn over everything: violations, cycles, what a proposal would do.

    name        what they are, for tests and for whoever switches a layer off
    relations   bool[lifted]
    color       of all of them
    width       factor on the usual width; they do not taper, so that they can be seen at both ends
    """

    name: str
    relations: Mask
    color: Color
    width: float = 1.5


def over_layers(scene: Scene) -> tuple[OverLayer, ...]:
    """The layers of a scene, the highest last: what is added here is drawn by window and `render` alike."""
    if scene.violating is None or not scene.violating.any():
        return ()
    return (OverLayer("violations", scene.violating, THEMES[scene.state.theme].warning),)


def layer_curves(scene: Scene, layer: OverLayer, chosen: Mask | None = None) -> Rows:
    """int64[]: rows of the curves of a layer, none of a layer of another scene.

    chosen   bool[lifted], of the relations that stand out: only those among them; None = nothing does
    """
    shown, count = layer.relations, len(scene.lifted.source)
    if len(shown) != count:
        return np.empty(0, np.int64)
    if chosen is not None and len(chosen) == count:
        shown = shown & chosen
    lifted = scene.curve_lifted
    rows = np.flatnonzero(shown[lifted])
    return thinned(rows, lifted[rows], MOST)


def layer_colors(layers: Sequence[tuple[OverLayer, int]], samples: int) -> npt.NDArray[np.uint8]:
    """uint8[e, samples, 4]: the colour of so many curves of each layer."""
    colors = np.array([layer.color for layer, _ in layers], np.uint8).reshape(-1, 1, 4)
    return np.repeat(np.repeat(colors, samples, axis=1), [count for _, count in layers], axis=0)
