"""Layers of lines and texts on the canvas: located, in logical pixels of the content, and shortened to their room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.plots.layers import Bands, Curves, Labels, Segments
from cbvtool.plots.panes import BoxShape, Pane, SectorShape, locate
from cbvtool.plots.plot import Viewport

Points = npt.NDArray[np.float64]

BENT_PIECES = 24  # straight pieces in which a segment is drawn in a bent pane
CURVE_PIECES = 16  # straight pieces of a cubic one
LEAST_LETTERS = 3
ELLIPSIS = "…"


class ShownLabel(NamedTuple):
    """A label that has room: its row in the layer, its text, its place, radians by which it is turned clockwise."""

    number: int
    text: str
    x: float
    y: float
    angle: float = 0.0


def on_canvas(pane: Pane | None, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Points, Points]:
    """Data of a pane (None = the canvas) -> logical pixels of the content."""
    return (np.asarray(x, np.float64), np.asarray(y, np.float64)) if pane is None else locate(pane, x, y)


def segment_lines(layer: Segments, pane: Pane | None) -> tuple[Points, Points, Points, Points]:
    """x0, y0, x1, y1: straight pieces of the segments, equally many of each one, in their order."""
    pieces = BENT_PIECES if pane is not None and isinstance(pane.shape, SectorShape) else 1
    share = np.linspace(0.0, 1.0, pieces + 1)
    x0, y0 = np.asarray(layer.x0, np.float64)[:, None], np.asarray(layer.y0, np.float64)[:, None]
    x1, y1 = np.asarray(layer.x1, np.float64)[:, None], np.asarray(layer.y1, np.float64)[:, None]
    px, py = on_canvas(pane, x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
    return px[:, :-1].ravel(), py[:, :-1].ravel(), px[:, 1:].ravel(), py[:, 1:].ravel()


def flat_curve(points: Points) -> Points:
    """float64[q, 2]: places along a curve of cubic pieces; points float64[3 k + 1, 2]."""
    if len(points) < 4:
        return points[[0, -1]] if len(points) else points
    t = np.linspace(0.0, 1.0, CURVE_PIECES + 1)[:-1, None]
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    last = (len(points) - 1) // 3 * 3
    parts = [sum(w * points[at + k] for k, w in enumerate(weights)) for at in range(0, last, 3)]
    return np.concatenate([*parts, points[last : last + 1]])


def curve_outlines(points: npt.ArrayLike, ptr: npt.NDArray[np.int64], pane: Pane | None) -> Iterator[Points]:
    """float64[q, 2] of each curve, in its order."""
    rows = np.asarray(points, np.float64)
    located = np.stack(on_canvas(pane, rows[:, 0], rows[:, 1]), axis=1) if len(rows) else rows
    yield from (flat_curve(located[first:last]) for first, last in pairwise(ptr.tolist()))


def curve_lines(layer: Curves, pane: Pane | None) -> tuple[Points, npt.NDArray[np.int64]]:
    """(float64[m, 4], int64[m]): the straight pieces x0, y0, x1, y1 of all curves, and the row of the curve of each."""
    lines, owner = [np.zeros((0, 4))], [np.zeros(0, np.int64)]
    for number, curve in enumerate(curve_outlines(layer.points, layer.ptr, pane)):
        lines.append(np.concatenate((curve[:-1], curve[1:]), axis=1))
        owner.append(np.full(max(len(curve) - 1, 0), number, np.int64))
    return np.concatenate(lines), np.concatenate(owner)


def band_outlines(layer: Bands, pane: Pane | None) -> Iterator[tuple[int, Points]]:
    """(row, closed outline float64[q, 2]) of each band, in the order of painting."""
    left = list(curve_outlines(layer.left, layer.ptr, pane))
    right = list(curve_outlines(layer.right, layer.ptr, pane))
    order = range(len(left)) if layer.z is None else np.argsort(layer.z, kind="stable").tolist()
    yield from ((number, np.concatenate((left[number], right[number][::-1]))) for number in order)


def shown_labels(layer: Labels, pane: Pane | None, viewport: Viewport) -> list[ShownLabel]:
    """The labels that begin inside their pane and the viewport and have room, shortened to it."""
    if not len(layer.text):
        return []
    x, y = on_canvas(pane, layer.x, layer.y)
    low, high = viewport.top - layer.size, viewport.top + viewport.height + layer.size
    inside = np.isfinite(x) & np.isfinite(y) & (y >= low) & (y <= high)
    inside &= (x >= -viewport.width) & (x <= 2 * viewport.width)
    room = None if layer.room is None else np.asarray(layer.room, np.float64)
    if pane is not None:
        shape = pane.shape
        if isinstance(shape, BoxShape):
            inside &= (x >= shape.x - 0.5) & (x <= shape.x + shape.width + 0.5)
            inside &= (y >= shape.y - 0.5) & (y <= shape.y + shape.height + 0.5)
            left, right = x - shape.x, shape.x + shape.width - x
            border = {"left": right, "right": left, "center": 2 * np.minimum(left, right)}[layer.anchor]
            room = border if room is None else np.minimum(room, border)
    found = []
    for number in np.flatnonzero(inside).tolist():
        text = layer.text[number]
        if room is not None:
            text = shortened(text, float(room[number]), layer.size, layer.bold, viewport)
        if text:
            angle = 0.0 if layer.angle is None else float(layer.angle[number])
            found.append(ShownLabel(number, text, float(x[number]), float(y[number]), angle))
    return found


def shortened(text: str, room: float, size: float, bold: bool, viewport: Viewport) -> str:
    """The text, or so much of it as fits before an ellipsis; "" if fewer than `LEAST_LETTERS` are left."""
    if room <= 0 or not text:
        return ""
    if (
        len(text) < 4 * room and viewport.measure(text, size, bold) <= room
    ):  # a text of a thousand letters is not measured
        return text
    low, high = 0, min(len(text) - 1, int(4 * room))
    while low < high:
        middle = (low + high + 1) // 2
        if viewport.measure(text[:middle] + ELLIPSIS, size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS if low >= LEAST_LETTERS else ""
