"""A second renderer in a window, over the first one: nothing in the first hides what this one shows."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

from cbvtool.drawing.surface import Surface
from cbvtool.geometry.scene.layers import OverLayer, layer_colors, layer_curves
from cbvtool.geometry.scene.ribbons import CURVE_WIDTH, refined, ribbons
from cbvtool.geometry.scene.scene import Scene

SOFT = 0.0012  # border of the ribbons
Z = 0.002


class OverEverything:
    """Shows the over-layers of a scene; without any, a frame costs no more time."""

    def __init__(self, window: vtkRenderWindow, below: vtkRenderer) -> None:
        """Draws over the renderer `below` of a window from `offscreen_window`, with the same camera."""
        self._renderer = vtkRenderer()
        self._renderer.SetUseOIT(False)
        self._renderer.SetLayer(1)
        self._renderer.SetActiveCamera(below.GetActiveCamera())
        self._renderer.SetDraw(False)
        window.SetNumberOfLayers(2)
        window.AddRenderer(self._renderer)
        self._surface = Surface(window, translucent=True)
        self._renderer.AddActor(self._surface.actor)
        self._shown: tuple[object, ...] = ()  # inputs of the last drawing, compared by `is`

    def show(
        self, scene: Scene | None, layers: Sequence[OverLayer], chosen: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Show these layers of a scene, the last on top.

        While relations are highlighted (bool[lifted]), only those among them.
        """
        of: tuple[object, ...] = () if scene is None else (scene.curves, scene.fan, chosen, scene.state.theme)
        of += tuple(layer.relations for layer in layers)
        if len(of) == len(self._shown) and all(map(operator.is_, of, self._shown)):
            return
        self._shown = of
        found = [] if scene is None else [(layer, layer_curves(scene, layer, chosen)) for layer in layers]
        rows = np.concatenate([np.empty(0, np.int64), *(rows for _, rows in found)])
        self._renderer.SetDraw(len(rows) > 0)
        if scene is None or not len(rows):
            self._surface.hide()
            return
        curves = scene.curves[rows]
        color = layer_colors([(layer, len(its)) for layer, its in found], curves.shape[1])
        width = np.repeat([layer.width * CURVE_WIDTH[0] for layer, _ in found], [len(its) for _, its in found])
        both_ends = np.repeat(width[:, None], 2, axis=1).astype(np.float32)
        shape = ribbons(*refined(curves, color), both_ends, soft=SOFT, tolerance=SOFT / 4)
        shape.points[:, 2] = Z
        self._surface.set(shape.points, shape.triangles, shape.color)
