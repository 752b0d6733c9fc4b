"""Layers: what a plot is made of, as arrays. Coordinates are data of a pane, or pixels of the canvas.

Each layer has a `name`, unique within the plot, and a `pane` (`panes.CANVAS` = logical pixels of the canvas).
`item` is what the pointer hits: int32[n], -1 = not picked; None = none of the layer is picked. Colours are
uint8[n, 4] (red, green, blue, alpha) or one `Color` for all. Arrays are not changed after they were handed over:
a layer that is the same object as before is not drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color
from cbvtool.plots.panes import CANVAS

Floats = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Items = npt.NDArray[np.int32] | None
Colors = npt.NDArray[np.uint8] | Color
Pattern = str  # "", "hatched", "diagonal" or "cross"


@dataclass(frozen=True)
class Cushion:
    """Cushion shading (TV-8; Trümper 2014, §2.2.3): psi(x, y) = [(1-(1-f_x*x)^d) * (1-abs(1-2*f_y*y)^d)]^k.

    at     x of the data at which bars are cut into two halves that are bright there: the pointer's. A bar that does
           not hold it is one half, bright on the side of it. None = each bar is a whole cushion, bright in its middle.
    depth  int32[n] for a treemap: d = depth + 1, multiplied over all cells that cover a place, x counted from the left
           and not cut, so that neighbours meet bright beside dark; None = d is 1
    power  k
    fx, fy see the formula
    ambient  what is left of a colour where psi is 0
    shadow the shading alone, whatever the colour: black, as opaque as the cushion is dark. Over a layer of plain bars
           it makes cushions of them, and need not be filled again when their colours change
    """

    at: float | None = None
    depth: npt.NDArray[np.int32] | None = None
    power: float = 0.2
    fx: float = 1.0
    fy: float = 0.8
    ambient: float = 0.3
    shadow: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class _Layer:
    """What all layers have.

    grab   a drag that begins on an item of it reaches the view
    wheel  the wheel over an item of it reaches the view
    """

    name: str
    pane: str = CANVAS
    grab: bool = False
    wheel: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars(_Layer):
    """n rectangles, straight or bent like their pane. `merged`: how many things each stands for; above 1 it is drawn
    so that it is told apart (TV-9, OC-4). Later ones lie on top.
    """

    x0: Floats
    x1: Floats
    y0: Floats
    y1: Floats
    color: Colors
    item: Items = None
    merged: npt.NDArray[np.uint32] | None = None
    shade: Cushion | None = None
    pattern: Pattern = ""
    outline: Color | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Raster(_Layer):
    """An image uint8[h, w, 4] stretched over `box` (x0, y0, x1, y1). item: int32[h, w].

    multiplied   its colours are multiplied by alpha already, as those of `flattened`
    """

    image: npt.NDArray[np.uint8]
    box: tuple[float, float, float, float]
    item: Items = None
    smooth: bool = False
    multiplied: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Segments(_Layer):
    """n straight pieces; `width` in logical pixels."""

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    color: Colors
    width: float = 1.0
    item: Items = None
    dashed: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Points(_Layer):
    """n marks; `size` in logical pixels. shape: "disc", "square", "diamond", "triangle" or "cross"."""

    x: Floats
    y: Floats
    color: Colors
    size: float = 5.0
    shape: str = "disc"
    item: Items = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Areas(_Layer):
    """n filled polygons: `points` float[p, 2], polygon i is rows `ptr[i]:ptr[i + 1]`."""

    points: Floats
    ptr: npt.NDArray[np.int64]
    color: Colors
    outline: Color | None = None
    item: Items = None
    pattern: Pattern = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves(_Layer):
    """n curves of cubic pieces: `points` float[p, 2]; curve i begins at row `ptr[i]` and goes on by three rows (two
    control points, end) a piece up to `ptr[i + 1]`.
    """

    points: Floats
    ptr: npt.NDArray[np.int64]
    color: Colors
    width: float = 1.0
    item: Items = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Bands(_Layer):
    """n bands between two borders of cubic pieces as in `Curves`, `left` and `right` float[p, 2] with the same `ptr`,
    shaded across like tubes where `tube`; painted by growing `z` float[n].
    """

    left: Floats
    right: Floats
    ptr: npt.NDArray[np.int64]
    color: Colors
    item: Items = None
    z: Floats | None = None
    tube: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Labels(_Layer):
    """n texts at (x, y), which is their left, their centre or their right, and vertically their centre.

    room  float[n]: logical pixels that each may take; a longer one is shortened with an ellipsis, or left out where
          fewer than three letters are left. None = any length.
    angle  float[n]: radians by which each is turned about (x, y), clockwise; None = upright
    """

    x: Floats
    y: Floats
    text: Sequence[str]
    color: Colors
    size: float = 12.0
    anchor: str = "left"  # left | center | right
    room: Floats | None = None
    bold: bool = False
    halo: Color | None = None
    item: Items = None
    angle: Floats | None = None


Layer = Bars | Raster | Segments | Points | Areas | Curves | Bands | Labels
