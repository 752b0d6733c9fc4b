"""Panes: coordinate systems on the canvas, straight or bent, and the way from data to canvas and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BoxShape:
    """A rectangle on the canvas, in logical pixels from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class SectorShape:
    """A part of a ring: x of the data runs along it from angle `a0` to `a1`, y outward from radius `r0` to `r1`.

    cx, cy  the centre, logical pixels; r0, r1 as well
    a0, a1  radians; 0 = to the right, growing clockwise on the screen. `a1 < a0` runs the other way.
    """

    cx: float
    cy: float
    r0: float
    r1: float
    a0: float
    a1: float


@dataclass(frozen=True)
class Pane:
    """A coordinate system on the canvas. What is drawn in it is cut at its border.

    name   unique within the plot
    shape  where it lies
    x, y   range of the data that is shown: the first value at the left (at `a0`) and at the top (at `r0`), the second
           at the other side; `first > second` turns the axis round
    zoom   what the wheel, F and the arrow keys change: "x", "xy", "y" or "" = nothing
    pan    the drags that the host takes, as `zoom`; others reach the view as press, drag and drop
    limit  the widest range of x that zooming and panning may show, None = any
    home   the range of x that F and a double click on empty ground show; None = `limit`
    """

    name: str
    shape: BoxShape | SectorShape
    x: tuple[float, float]
    y: tuple[float, float]
    zoom: str = "x"
    pan: str = "x"
    limit: tuple[float, float] | None = None
    home: tuple[float, float] | None = None


CANVAS = ""  # the name of the pane whose coordinates are logical pixels of the whole canvas


def locate(pane: Pane, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Data -> canvas, logical pixels: two float64 of the common shape of `x` and `y`."""
    u = (np.asarray(x, np.float64) - pane.x[0]) / _length(pane.x)
    v = (np.asarray(y, np.float64) - pane.y[0]) / _length(pane.y)
    u, v = np.broadcast_arrays(u, v)
    shape = pane.shape
    if isinstance(shape, BoxShape):
        return shape.x + u * shape.width, shape.y + v * shape.height
    angle = shape.a0 + u * (shape.a1 - shape.a0)
    radius = shape.r0 + v * (shape.r1 - shape.r0)
    return shape.cx + radius * np.cos(angle), shape.cy + radius * np.sin(angle)


def place(pane: Pane, px: npt.ArrayLike, py: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Canvas -> data: the inverse of `locate`. Places outside of the pane lie beyond the ranges it shows."""
    px, py = np.broadcast_arrays(np.asarray(px, np.float64), np.asarray(py, np.float64))
    shape = pane.shape
    if isinstance(shape, BoxShape):
        u, v = (px - shape.x) / (shape.width or 1.0), (py - shape.y) / (shape.height or 1.0)
    else:
        dx, dy = px - shape.cx, py - shape.cy
        sweep = (shape.a1 - shape.a0) or 1.0
        # The turn that lies nearest to the middle of the sector: the rest of the ring is halved between its two ends.
        middle = (shape.a0 + shape.a1) / 2
        angle = middle + (np.arctan2(dy, dx) - middle + math.pi) % (2 * math.pi) - math.pi
        u, v = (angle - shape.a0) / sweep, (np.hypot(dx, dy) - shape.r0) / ((shape.r1 - shape.r0) or 1.0)
    return pane.x[0] + u * _length(pane.x), pane.y[0] + v * _length(pane.y)


def _length(range_: tuple[float, float]) -> float:
    """Of a range, with its sign; an empty one counts as 1, so that nothing is divided by zero."""
    return (range_[1] - range_[0]) or 1.0
