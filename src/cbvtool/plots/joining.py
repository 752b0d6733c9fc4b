"""Several plots on one canvas, each in a box of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cbvtool.plots.layers import Layer
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, SectorShape
from cbvtool.plots.plot import Plot


def joined(plots: Sequence[tuple[str, Plot, BoxShape]]) -> Plot:
    """One plot of (name, plot, box). Layers and panes are called `name/layer` there.

    What was drawn on the canvas of a plot lies in a pane over its box, and is cut there.
    """
    panes, layers = list[Pane](), list[Layer]()
    for name, plot, box in plots:
        around = f"{name}/"
        panes.append(Pane(around, box, (0.0, box.width), (0.0, box.height), "", ""))
        for pane in plot.panes:
            panes.append(replace(pane, name=f"{name}/{pane.name}", shape=_moved(pane, box)))
        for layer in plot.layers:
            pane_name = around if layer.pane == CANVAS else f"{name}/{layer.pane}"
            layers.append(replace(layer, name=f"{name}/{layer.name}", pane=pane_name))
    return Plot(
        tuple(panes), tuple(layers), blend="min" if any(plot.blend == "min" for _, plot, _ in plots) else "over"
    )


def _moved(pane: Pane, box: BoxShape) -> BoxShape | SectorShape:
    shape = pane.shape
    if isinstance(shape, BoxShape):
        return replace(shape, x=shape.x + box.x, y=shape.y + box.y)
    return replace(shape, cx=shape.cx + box.x, cy=shape.cy + box.y)
