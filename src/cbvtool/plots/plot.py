"""A plot: panes and layers, and the place on the screen that it is drawn for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cbvtool.plots.layers import Layer
from cbvtool.plots.panes import Pane


@dataclass(frozen=True, eq=False)
class Plot:
    """What a view draws in one part of its layout.

    panes   their coordinate systems
    layers  in the order of painting
    input   names of the layers that are picked, topmost first; None = all, the last one painted first
    height  of the content in logical pixels, if more than the viewport: the host scrolls, `Viewport.top` says where
    reveal  (what, y0, y1): once `what` is another than before, the host scrolls so that these pixels of the content are
            seen; None = nothing
    blend   "over", or "min": the darker colour wins (EX-4)
    gradual  names of layers of bars that tile a plane: where they differ from those of the plot before, the host shows
            shortly how these become the new ones; see `overlap`
    """

    panes: tuple[Pane, ...] = ()
    layers: tuple[Layer, ...] = ()
    input: tuple[str, ...] | None = None
    height: float = 0.0
    blend: str = "over"
    reveal: tuple[int, float, float] | None = None
    gradual: tuple[str, ...] = ()

    def pane(self, name: str) -> Pane:
        """The pane of that name. Raises KeyError."""
        for pane in self.panes:
            if pane.name == name:
                return pane
        raise KeyError(name)


@dataclass(frozen=True)
class Hit:
    """What the pointer is on: a layer's name and one of its items; item -1 = nothing."""

    layer: str = ""
    item: int = -1

    def __bool__(self) -> bool:
        """Whether it is on something."""
        return self.item >= 0


NOTHING = Hit()


@dataclass(frozen=True)
class Viewport:
    """What a plot is drawn for.

    width, height  logical pixels
    scale    device pixels a logical one
    top      logical pixels that are scrolled away above
    moving   the picture is being zoomed, panned or dragged: coarse will do
    measure  (text, size, bold) -> logical pixels that the text takes
    """

    width: float
    height: float
    scale: float = 1.0
    top: float = 0.0
    moving: bool = False
    measure: Callable[[str, float, bool], float] = lambda text, size, bold: 0.55 * size * len(text)
