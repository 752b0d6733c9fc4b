"""Which item of a plot lies under the pointer: what is picked is what is seen."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cbvtool.plots.filling import Filled
from cbvtool.plots.layers import Bands, Curves, Labels, Layer, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, place
from cbvtool.plots.plot import NOTHING, Hit, Viewport
from cbvtool.plots.vectors import band_outlines, curve_lines, segment_lines, shown_labels

NEAR = 3.0  # logical pixels beside a line that still are on it


def pick(filled: Filled, px: float, py: float) -> Hit:
    """What is at a place of the content, in logical pixels: of the layers that are picked, the topmost one there."""
    panes = {pane.name: pane for pane in filled.plot.panes}
    for number in _order(filled):
        layer = filled.plot.layers[number]
        pane = panes.get(layer.pane)
        if pane is None and layer.pane != CANVAS:
            continue
        if pane is not None and filled.tiles[number] is None and not covers(pane, px, py):
            continue  # a tile ends at whole pixels itself
        item = _item(filled, number, layer, pane, px, py)
        if item >= 0:
            return Hit(layer.name, item)
    return NOTHING


def pane_at(panes: tuple[Pane, ...], px: float, py: float) -> Pane | None:
    """The pane at a place of the content, the last one of several; None = none."""
    return next((pane for pane in reversed(panes) if covers(pane, px, py)), None)


def covers(pane: Pane, px: float, py: float) -> bool:
    """Whether a pane holds a place of the content."""
    shape = pane.shape
    if isinstance(shape, BoxShape):
        return shape.x <= px < shape.x + shape.width and shape.y <= py < shape.y + shape.height
    x, y = place(pane, px, py)
    return bool(_between(float(x), pane.x) and _between(float(y), pane.y))


def _between(value: float, range_: tuple[float, float]) -> bool:
    return min(range_) <= value <= max(range_)


def _order(filled: Filled) -> Iterator[int]:
    """Numbers of the layers that are asked, the topmost first."""
    plot = filled.plot
    if plot.input is None:
        yield from reversed(range(len(plot.layers)))
        return
    numbers = {layer.name: number for number, layer in enumerate(plot.layers)}
    yield from (numbers[name] for name in plot.input if name in numbers)


def _item(filled: Filled, number: int, layer: Layer, pane: Pane | None, px: float, py: float) -> int:
    if layer.item is None:
        return -1
    tile, viewport = filled.tiles[number], filled.viewport
    if tile is not None and not isinstance(layer, Segments):
        column = math.floor(px * viewport.scale)
        return tile.item_at(column, math.floor((py - viewport.top) * viewport.scale))
    found = -1
    if isinstance(layer, Segments):
        x0, y0, x1, y1 = segment_lines(layer, pane)
        found = _nearest(x0, y0, x1, y1, px, py, layer.width)
        found = found if found < 0 else found // (len(x0) // len(layer.x0))
    elif isinstance(layer, Curves):
        lines, owner = curve_lines(layer, pane)
        found = _nearest(lines[:, 0], lines[:, 1], lines[:, 2], lines[:, 3], px, py, layer.width)
        found = found if found < 0 else int(owner[found])
    elif isinstance(layer, Bands):
        inside = [number for number, outline in band_outlines(layer, pane) if _inside(outline, px, py)]
        found = inside[-1] if inside else -1
    elif isinstance(layer, Labels):
        found = _label(layer, pane, viewport, px, py)
    return found if found < 0 else int(layer.item[found])


def _nearest(
    x0: npt.NDArray[np.float64],
    y0: npt.NDArray[np.float64],
    x1: npt.NDArray[np.float64],
    y1: npt.NDArray[np.float64],
    px: float,
    py: float,
    width: float,
) -> int:
    """The piece of a line that is nearest to a place, the last of equal ones; -1 = none is near enough."""
    if not len(x0):
        return -1
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.clip(np.where(square > 0, ((px - x0) * dx + (py - y0) * dy) / square, 0.0), 0.0, 1.0)
    away = np.nan_to_num(np.hypot(x0 + along * dx - px, y0 + along * dy - py), nan=np.inf)
    best = len(away) - 1 - int(np.argmin(away[::-1]))
    return best if away[best] <= max(width / 2, NEAR) else -1


def _inside(outline: npt.NDArray[np.float64], px: float, py: float) -> bool:
    """Whether a place lies in a closed polygon float[p, 2], by the even-odd rule."""
    x, y = outline[:, 0], outline[:, 1]
    xn, yn = np.roll(x, -1), np.roll(y, -1)
    cuts = (y <= py) != (yn <= py)
    with np.errstate(divide="ignore", invalid="ignore"):
        return bool(np.count_nonzero(cuts & (x + (py - y) / (yn - y) * (xn - x) > px)) % 2)


def _label(layer: Labels, pane: Pane | None, viewport: Viewport, px: float, py: float) -> int:
    for label in reversed(shown_labels(layer, pane, viewport)):
        wide = viewport.measure(label.text, layer.size, layer.bold)
        dx, dy, cos, sin = px - label.x, py - label.y, math.cos(label.angle), math.sin(label.angle)
        along = dx * cos + dy * sin + {"left": 0.0, "center": wide / 2, "right": wide}[layer.anchor]
        if 0.0 <= along <= wide and abs(dy * cos - dx * sin) <= layer.size * 0.6:
            return label.number
    return -1
