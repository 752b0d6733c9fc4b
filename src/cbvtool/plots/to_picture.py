"""A filled plot as a Picture that every painter paints: images, lines and texts in the order of the layers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color, Image, Item, Picture, Polyline, Rect, Text
from cbvtool.plots.filling import MOST_LINES, Filled, LayerCache, Tile, color_rows
from cbvtool.plots.layers import Areas, Bands, Bars, Curves, Labels, Layer, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane
from cbvtool.plots.plot import Viewport
from cbvtool.plots.vectors import band_outlines, curve_outlines, on_canvas, segment_lines, shown_labels

Items = tuple[Item, ...]

MOST_RECTANGLES = 4_000  # bars of a layer that are rectangles in a file of lines; more make an image
TUBE_LINES = 5  # strips across a band that is shaded like a tube


def to_picture(filled: Filled, lines: bool = False, cache: LayerCache[Items] | None = None) -> Picture:
    """The plot as a Picture of its viewport, in logical pixels.

    lines   for SVG and PDF: bars that are plain rectangles become such, up to `MOST_RECTANGLES` of a layer
    cache   of the host, for pictures with the same `lines`: its items are used again
    """
    plot, viewport = filled.plot, filled.viewport
    tiles = {id(layer): tile for layer, tile in zip(plot.layers, filled.tiles, strict=True)}

    def make(layer: Layer, pane: Pane | None) -> Items:
        if pane is None and layer.pane != CANVAS:
            return ()
        tile = tiles[id(layer)]
        return tuple(layer_items(layer, pane, viewport, tile, lines=lines, darken=plot.blend == "min"))

    kept: LayerCache[Items] = LayerCache() if cache is None else cache
    items = tuple(item for found in kept.all_of(plot, viewport, make) for item in found)
    return Picture(round(viewport.width), round(viewport.height), items)


def layer_items(
    layer: Layer, pane: Pane | None, viewport: Viewport, tile: Tile | None, *, lines: bool = False, darken: bool = False
) -> list[Item]:
    """What one layer is made of in a Picture of the viewport. `tile`: of a layer that fills pixels."""
    if lines and isinstance(layer, Bars) and _is_plain(layer, pane) and tile is not None:
        return _rectangles(layer, pane, viewport)
    items: list[Item] = []
    if tile is not None:
        scale, (height, width) = viewport.scale, tile.image.shape[:2]
        items.append(
            Image(tile.left / scale, tile.top / scale, width / scale, height / scale, tile.image, darken=darken)
        )
    if isinstance(layer, Segments) and len(layer.x0) <= MOST_LINES:
        items += _segments(layer, pane, viewport)
    elif isinstance(layer, Curves):
        colors = _colors(layer.color, len(layer.ptr) - 1)
        for color, curve in zip(colors, curve_outlines(layer.points, layer.ptr, pane), strict=True):
            items += _lines(curve, color, layer.width, pane, viewport)
    elif isinstance(layer, Bands):
        items += _bands(layer, pane, viewport)
    elif isinstance(layer, Areas) and layer.outline is not None:
        x, y = on_canvas(pane, layer.points[:, 0], layer.points[:, 1])
        located = np.stack((x, y), axis=1)
        for first, last in zip(layer.ptr[:-1].tolist(), layer.ptr[1:].tolist(), strict=True):
            ring = located[[*range(first, last), first]] if last > first else located[:0]
            items += _lines(ring, layer.outline, 1.0, pane, viewport)
    elif isinstance(layer, Labels):
        colors = _colors(layer.color, len(layer.text))
        items += [
            Text(
                label.text,
                label.x,
                label.y - viewport.top,
                layer.size,
                colors[label.number],
                layer.anchor,
                angle=math.degrees(label.angle),
                bold=layer.bold,
                halo=layer.halo,
            )
            for label in shown_labels(layer, pane, viewport)
        ]
    return items


def clipped(points: npt.NDArray[np.float64], pane: Pane | None, viewport: Viewport) -> list[npt.NDArray[np.float64]]:
    """The parts of an open line float[p, 2], in pixels of the content, that lie inside its pane and near the viewport.

    In a bent pane the line is left as it is, but for what lies far from the viewport.
    """
    left, top = -viewport.width, viewport.top - viewport.height
    right, bottom = 2 * viewport.width, viewport.top + 2 * viewport.height
    if pane is not None and isinstance(pane.shape, BoxShape):
        shape = pane.shape
        left, top, right, bottom = shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    if len(points) < 2 or not np.isfinite(points).all():
        return []
    inside = (points >= (left, top)) & (points <= (right, bottom))
    if inside.all():
        return [points]
    start, step = points[:-1], np.diff(points, axis=0)
    first, last = np.zeros(len(step)), np.ones(len(step))
    # Liang and Barsky 1984: where each piece enters and leaves the rectangle.
    for side, edge in (
        ((-step[:, 0], start[:, 0] - left), (step[:, 0], right - start[:, 0])),
        ((-step[:, 1], start[:, 1] - top), (step[:, 1], bottom - start[:, 1])),
    ):
        for p, q in (side, edge):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                at = q / p
            first = np.where(p < 0, np.maximum(first, at), first)
            last = np.where(p > 0, np.minimum(last, at), last)
            last = np.where((p == 0) & (q < 0), -1.0, last)
    found: list[list[npt.NDArray[np.float64]]] = []
    joined = False
    for row in np.flatnonzero(first <= last).tolist():
        begin, end = start[row] + first[row] * step[row], start[row] + last[row] * step[row]
        if joined and first[row] == 0 and row and last[row - 1] == 1 and first[row - 1] <= last[row - 1]:
            found[-1].append(end)
        else:
            found.append([begin, end])
        joined = True
    return [np.array(line) for line in found]


def _lines(
    points: npt.NDArray[np.float64],
    color: Color,
    width: float,
    pane: Pane | None,
    viewport: Viewport,
    dashed: bool = False,
) -> list[Item]:
    return [
        Polyline(tuple((x, y - viewport.top) for x, y in line.tolist()), color, width, dashed)
        for line in clipped(points, pane, viewport)
    ]


def _segments(layer: Segments, pane: Pane | None, viewport: Viewport) -> list[Item]:
    count = len(layer.x0)
    if not count:
        return []
    pieces = np.stack(segment_lines(layer, pane), axis=1).reshape(count, -1, 4)
    items: list[Item] = []
    for color, rows in zip(_colors(layer.color, count), pieces, strict=True):
        line = np.concatenate((rows[:, :2], rows[-1:, 2:]))
        items += _lines(line, color, layer.width, pane, viewport, layer.dashed)
    return items


def _bands(layer: Bands, pane: Pane | None, viewport: Viewport) -> list[Item]:
    colors = _colors(layer.color, len(layer.ptr) - 1)
    items: list[Item] = []
    for number, outline in band_outlines(layer, pane):
        if len(outline) < 4 or not np.isfinite(outline).all():
            continue
        half = len(outline) // 2
        left, right = outline[:half], outline[half:][::-1]
        strips = TUBE_LINES if layer.tube else 1
        for strip in range(strips):
            end = 1.0 if colors[number][3] == 255 else (strip + 1) / strips  # opaque strips overlap: no seams
            a, b = left + (right - left) * (strip / strips), left + (right - left) * end
            ring = np.concatenate((a, b[::-1])) - (0.0, viewport.top)
            fill = _tube_color(colors[number], (strip + 0.5) / strips) if layer.tube else colors[number]
            items.append(Polyline(tuple(map(tuple, ring.tolist())), (0, 0, 0, 0), 0.0, False, fill))
    return items


def _tube_color(color: Color, across: float) -> Color:
    """Of a place across a tube, 0..1: brightest in the middle."""
    light = 0.62 + 0.38 * (1 - abs(1 - 2 * across) ** 2)
    return round(color[0] * light), round(color[1] * light), round(color[2] * light), color[3]


def _is_plain(layer: Bars, pane: Pane | None) -> bool:
    """Whether a layer of bars can be drawn as rectangles and looks the same."""
    straight = pane is None or isinstance(pane.shape, BoxShape)
    alone = layer.merged is None or not (np.asarray(layer.merged) > 1).any()
    return straight and alone and layer.shade is None and not layer.pattern and len(layer.x0) <= MOST_RECTANGLES


def _rectangles(layer: Bars, pane: Pane | None, viewport: Viewport) -> list[Item]:
    """Cut at the border of the pane and of the viewport."""
    x0, y0 = on_canvas(pane, layer.x0, layer.y0)
    x1, y1 = on_canvas(pane, layer.x1, layer.y1)
    y0, y1 = y0 - viewport.top, y1 - viewport.top
    left, top, right, bottom = 0.0, 0.0, viewport.width, viewport.height
    if pane is not None:
        shape = pane.shape
        assert isinstance(shape, BoxShape)
        left, right = max(left, shape.x), min(right, shape.x + shape.width)
        top, bottom = max(top, shape.y - viewport.top), min(bottom, shape.y - viewport.top + shape.height)
    least = 1 / viewport.scale
    a, b = np.minimum(x0, x1), np.maximum(np.maximum(x0, x1), np.minimum(x0, x1) + least)
    c, d = np.minimum(y0, y1), np.maximum(np.maximum(y0, y1), np.minimum(y0, y1) + least)
    a, b, c, d = np.maximum(a, left), np.minimum(b, right), np.maximum(c, top), np.minimum(d, bottom)
    colors = _colors(layer.color, len(a))
    outline = layer.outline or (0, 0, 0, 0)
    return [
        Rect(float(a[i]), float(c[i]), float(b[i] - a[i]), float(d[i] - c[i]), colors[i], outline)
        for i in np.flatnonzero((a < b) & (c < d)).tolist()
    ]


def _colors(color: npt.NDArray[np.uint8] | Color, count: int) -> list[Color]:
    rows = [(r, g, b, a) for r, g, b, a in color_rows(color).tolist()]
    return rows * count if len(rows) == 1 else rows
