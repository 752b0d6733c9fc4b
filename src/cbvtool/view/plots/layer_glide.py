"""Lets bars of a plot become those of the next one, shortly, where the plot says so (`Plot.gradual`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qtpy.QtCore import QObject

from cbvtool.geometry.picture import Picture
from cbvtool.plots.filling import Filled, LayerCache, Tile, fill
from cbvtool.plots.layers import Bars
from cbvtool.plots.overlap import Passage, passage
from cbvtool.plots.plot import Plot
from cbvtool.plots.to_picture import Items, to_picture
from cbvtool.view.canvas.motion import animation

GLIDE = 180  # ms


class LayerGlide(QObject):
    """Belongs to a canvas. show: called when there is another picture of the way.

    animated  False: bars are others at once
    picture   what is shown on the way; None = the plot as it is. Files never have it.
    """

    def __init__(self, show: Callable[[], None], animated: bool, parent: QObject) -> None:
        super().__init__(parent)
        self.animated = animated
        self.picture: Picture | None = None
        self._show = show
        self._way: Passage | None = None
        self._filled: Filled | None = None  # the plot that the way leads to
        self._tiles: LayerCache[Tile | None] = LayerCache()
        self._items: LayerCache[Items] = LayerCache()
        self._animation = animation(self, self._slide, GLIDE)
        self._animation.setObjectName("layer glide")

    def lead(self, before: Filled, after: Filled) -> None:
        """Begin the way from one plot to the next. One that is under way ends, unless it leads there already."""
        if not self.animated or before.viewport != after.viewport or not _in_one_place(before.plot, after.plot):
            self.stop()
            return
        found = passage(_bars_of(before.plot), _bars_of(after.plot))
        if found is not None:
            self.stop()
            self._way, self._filled = found, after
            self._animation.start()
        elif self._way is not None:
            self._filled = after  # something beside the bars is another

    def stop(self) -> None:
        """Show the plot as it is from now on."""
        self._animation.stop()
        self._way, self._filled, self.picture = None, None, None

    def _slide(self, share: float) -> None:
        if self._way is None or self._filled is None:
            return
        if share >= 1:
            self.stop()
        else:
            filled = fill(on_the_way(self._filled.plot, self._way, share), self._filled.viewport, self._tiles)
            self.picture = to_picture(filled, cache=self._items)
        self._show()


def on_the_way(plot: Plot, way: Passage, share: float) -> Plot:
    """The plot that a way leads to, with what is seen on the way in the place of its gradual layers."""
    first = next(place for place, layer in enumerate(plot.layers) if layer.name in plot.gradual)
    rest = [layer for layer in plot.layers if layer.name not in plot.gradual]
    return replace(plot, layers=(*rest[:first], *way.at(share), *rest[first:]))


def _in_one_place(before: Plot, after: Plot) -> bool:
    """Whether both have gradual layers, and the same panes."""
    return bool(before.gradual) and before.gradual == after.gradual and before.panes == after.panes


def _bars_of(plot: Plot) -> list[Bars]:
    return [layer for layer in plot.layers if layer.name in plot.gradual and isinstance(layer, Bars)]
