"""Fills the layers of a plot that are made of pixels: bars, images, areas and points, straight or bent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color
from cbvtool.plots import bending, shapes, straight
from cbvtool.plots.layers import Areas, Bars, Colors, Cushion, Layer, Points, Raster, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, SectorShape, locate
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plots.vectors import segment_lines

T = TypeVar("T")
Scalar = TypeVar("Scalar", bound=np.generic)

MOST_LINES = 2_000  # segments that are painted one by one; more are filled, without dashes
SAMPLES = 2  # a side of each pixel of a bent pane that is still
STRIPES = 6  # logical pixels from one stripe of a pattern to the next
WIDEST_BENT, HIGHEST_BENT = 6000, 3000  # pixels of a pane before it is bent

_NO_ITEMS = np.zeros((0, 0), np.int32)
_NO_NUMBERS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Tile:
    """What one layer fills.

    left, top  its first pixel, in device pixels of the viewport
    image      uint8[h, w, 4], colours multiplied by alpha
    item       int32[h, w], -1 = none; [0, 0] if the layer is not picked
    """

    left: int
    top: int
    image: npt.NDArray[np.uint8]
    item: npt.NDArray[np.int32]

    @property
    def right(self) -> int:
        """One past its last column."""
        return self.left + int(self.image.shape[1])

    @property
    def bottom(self) -> int:
        """One past its last row."""
        return self.top + int(self.image.shape[0])

    def item_at(self, column: int, row: int) -> int:
        """The item at a device pixel, -1 = none."""
        if len(self.item) and self.left <= column < self.right and self.top <= row < self.bottom:
            return int(self.item[row - self.top, column - self.left])
        return -1


@dataclass(frozen=True, eq=False)
class Filled:
    """A plot with its layers filled: `tiles[i]` is that of `plot.layers[i]`; None = it fills no pixel."""

    plot: Plot
    viewport: Viewport
    tiles: tuple[Tile | None, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in device pixels."""
        return device_size(self.viewport)


class LayerCache(Generic[T]):
    """What was made of the layers of the last plot: one that is the same object in the same place is kept.

    made   how many layers something was made of so far
    """

    def __init__(self) -> None:
        self.made = 0
        self._kept: dict[int, tuple[Layer, tuple[object, ...], T]] = {}

    def all_of(self, plot: Plot, viewport: Viewport, make: Callable[[Layer, Pane | None], T]) -> tuple[T, ...]:
        """`make(layer, pane)` for each layer, the pane None for the canvas. Those of other layers are forgotten."""
        found = self.all_until(plot, viewport, make, math.inf)
        assert found is not None
        return found

    def all_until(
        self, plot: Plot, viewport: Viewport, make: Callable[[Layer, Pane | None], T], until: float
    ) -> tuple[T, ...] | None:
        """The same until a time of `time.thread_time`; None = it was not enough, and the same again gets further.

        What was made with care for a picture at rest will do while it moves, too.
        """
        panes = {pane.name: pane for pane in plot.panes}
        kept: dict[int, tuple[Layer, tuple[object, ...], T]] = {}
        before = self.made
        for layer in plot.layers:
            pane = panes.get(layer.pane)
            key = (pane, *place_key(pane, viewport))
            former = self._kept.get(id(layer))
            if former is None or former[0] is not layer or (former[1] != key and former[1] != (*key[:-1], False)):
                if self.made > before and time.thread_time() > until:
                    continue
                former = (layer, key, make(layer, pane))
                self.made += 1
            kept[id(layer)] = former
        self._kept = kept
        if any(id(layer) not in kept for layer in plot.layers):
            return None
        return tuple(kept[id(layer)][2] for layer in plot.layers)


def fill(plot: Plot, viewport: Viewport, cache: LayerCache[Tile | None] | None = None) -> Filled:
    """Fill the layers of a plot for a place on the screen. The same plot gives the same pixels.

    cache   of the host: its tiles are used again
    A layer of a pane that the plot lacks is left out.
    """
    filled = fill_until(plot, viewport, LayerCache() if cache is None else cache, math.inf)
    assert filled is not None
    return filled


def fill_until(plot: Plot, viewport: Viewport, cache: LayerCache[Tile | None], until: float) -> Filled | None:
    """The same until a time of `time.thread_time`; None = it was not enough, and the same again gets further."""
    tiles = cache.all_until(plot, viewport, lambda layer, pane: fill_layer(layer, pane, viewport), until)
    return None if tiles is None else Filled(plot, viewport, tiles)


def warm_up() -> None:
    """Compile all loops, or load them from the disk: seconds after an installation, else a tenth of one."""
    zeros, one = np.zeros(1), np.ones(1)
    item, color = np.zeros(1, np.int32), np.full((1, 4), 255, np.uint8)
    panes = (
        Pane("straight", BoxShape(0, 0, 4, 4), (0, 1), (0, 1)),
        Pane("bent", SectorShape(2, 2, 0, 2, 0, 6), (0, 1), (0, 1)),
    )
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    layers = tuple(
        layer
        for pane in ("straight", "bent")
        for layer in (
            Bars(name=f"bars {pane}", pane=pane, x0=zeros, x1=one, y0=zeros, y1=one, color=color, item=item),
            Raster(name=f"image {pane}", pane=pane, image=color[None], box=(0, 0, 1, 1), item=item[None]),
            Areas(name=f"areas {pane}", pane=pane, points=corners, ptr=np.array([0, 3]), color=color, item=item),
            Points(name=f"points {pane}", pane=pane, x=zeros, y=zeros, color=color, item=item),
        )
    )
    fill(Plot(panes, layers), Viewport(4, 4))


def device_size(viewport: Viewport) -> tuple[int, int]:
    """Width and height of a viewport in device pixels."""
    return max(round(viewport.width * viewport.scale), 1), max(round(viewport.height * viewport.scale), 1)


def place_key(pane: Pane | None, viewport: Viewport) -> tuple[object, ...]:
    """What of the viewport decides how a layer of `pane` looks: equal keys, equal pixels. The last: coarse will do."""
    bent = pane is not None and isinstance(pane.shape, SectorShape)
    return (viewport.width, viewport.height, viewport.scale, viewport.top, bent and viewport.moving)


def pane_pixels(pane: Pane | None, viewport: Viewport) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the device pixels that a pane may touch, right and bottom excluded."""
    width, height = device_size(viewport)
    if pane is None:
        return 0, 0, width, height
    shape, scale = pane.shape, viewport.scale
    if isinstance(shape, BoxShape):
        edges = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
    else:
        reach = max(shape.r0, shape.r1) + 1 / scale
        edges = (shape.cx - reach, shape.cy - reach, shape.cx + reach, shape.cy + reach)
    if not all(map(math.isfinite, edges)):
        return 0, 0, 0, 0
    left, right = (math.floor(edge * scale + 0.5) for edge in (edges[0], edges[2]))
    top, bottom = (math.floor((edge - viewport.top) * scale + 0.5) for edge in (edges[1], edges[3]))
    return max(left, 0), max(top, 0), min(right, width), min(bottom, height)


def fill_layer(layer: Layer, pane: Pane | None, viewport: Viewport) -> Tile | None:
    """The tile of one layer; None for layers that are no pixels, and for those outside of the viewport."""
    if pane is None and layer.pane != CANVAS:
        return None
    if isinstance(layer, Raster) and layer.multiplied:
        ready = _ready(layer, pane, viewport)
        if ready is not None:
            return ready
        layer = _divided(layer)
    if isinstance(layer, Bars | Raster):
        if pane is not None and isinstance(pane.shape, SectorShape):
            return _bent(layer, pane, pane.shape, viewport)
        return _straight(layer, pane_pixels(pane, viewport), _way(pane, viewport), viewport.scale)
    if isinstance(layer, Areas | Points):
        return _located(layer, pane, viewport)
    if isinstance(layer, Segments) and len(layer.x0) > MOST_LINES:
        return _located(_strips(layer, pane, viewport), None, viewport, pane)
    return None


def _ready(layer: Raster, pane: Pane | None, viewport: Viewport) -> Tile | None:
    """The image as it is, where each of its pixels is one of the canvas; else None."""
    (x0, y0, x1, y1), scale = layer.box, viewport.scale
    left, top = round(x0 * scale), round((y0 - viewport.top) * scale)
    right, bottom = round(x1 * scale), round((y1 - viewport.top) * scale)
    width, height = device_size(viewport)
    if pane is not None or layer.image.shape[:2] != (bottom - top, right - left):
        return None
    if not (0 <= left <= right <= width and 0 <= top <= bottom <= height):
        return None
    return Tile(left, top, layer.image, _NO_ITEMS if layer.item is None else layer.item)


def _divided(layer: Raster) -> Raster:
    """The same with colours that are not multiplied by alpha."""
    alpha = np.maximum(layer.image[..., 3:].astype(np.float32), 1)
    image = layer.image.copy()
    image[..., :3] = np.minimum(np.rint(layer.image[..., :3] * (255 / alpha)), 255)
    return replace(layer, image=image, multiplied=False)


def _way(pane: Pane | None, viewport: Viewport) -> tuple[float, float, float, float]:
    """Factor and shift of x, and of y: data of a straight pane -> device pixels."""
    scale = viewport.scale
    if pane is None:
        return scale, 0.0, scale, -viewport.top * scale
    shape = pane.shape
    assert isinstance(shape, BoxShape)
    fx = shape.width * scale / ((pane.x[1] - pane.x[0]) or 1.0)
    fy = shape.height * scale / ((pane.y[1] - pane.y[0]) or 1.0)
    return fx, shape.x * scale - pane.x[0] * fx, fy, (shape.y - viewport.top) * scale - pane.y[0] * fy


def _straight(
    layer: Bars | Raster, clip: tuple[int, int, int, int], way: tuple[float, float, float, float], scale: float
) -> Tile | None:
    """A layer filled on straight pixels, as large as what is seen of it."""
    left, top, right, bottom = clip
    if left >= right or top >= bottom:
        return None
    fx, sx, fy, sy = way
    if isinstance(layer, Raster):
        x0, y0, x1, y1 = layer.box
        edges = np.array([x0 * fx + sx - left, x1 * fx + sx - left, y0 * fy + sy - top, y1 * fy + sy - top])
        if not np.isfinite(edges).all() or edges[0] == edges[1] or edges[2] == edges[3] or not layer.image.size:
            return None
        pixels, item = _empty(right - left, bottom - top, layer.item is not None)
        number = given(_NO_ITEMS if layer.item is None else layer.item, np.int32)
        source = given(layer.image, np.uint8)
        straight.fill_image(pixels, item, source, number, edges, bool(layer.smooth))
        return _tile(left, top, pixels, item)
    bars = [given(column, np.float64) for column in (layer.x0, layer.x1, layer.y0, layer.y1)]
    boxes = straight.pixel_boxes(
        bars[0], bars[1], bars[2], bars[3], np.array([fx, sx, fy, sy, right - 1, bottom - 1], np.float64)
    )
    if not len(boxes):
        return None
    x_low, x_high = max(int(boxes[:, 0].min()), left), min(int(boxes[:, 1].max()), right)
    y_low, y_high = max(int(boxes[:, 2].min()), top), min(int(boxes[:, 3].max()), bottom)
    if x_low >= x_high or y_low >= y_high:
        return None
    boxes -= np.array([x_low, x_low, y_low, y_low], np.int32)
    pixels, item = _empty(x_high - x_low, y_high - y_low, layer.item is not None)
    at = layer.shade.at if layer.shade is not None else None
    shade = _shade(layer.shade, math.nan if at is None else at * fx + sx - x_low)
    many = layer.shade is not None and (layer.shade.depth is not None or layer.shade.shadow)
    product = np.ones(pixels.shape if many else (0, 0), np.float32)
    straight.fill_boxes(pixels, item, boxes, _look(layer, (x_low, y_low), scale), shade, product)
    return _tile(x_low, y_low, pixels, item)


def _bent(layer: Bars | Raster, pane: Pane, shape: SectorShape, viewport: Viewport) -> Tile | None:
    """The same, filled straight along the ring, and then bent."""
    left, top, right, bottom = pane_pixels(pane, viewport)
    scale, sweep, thick = viewport.scale, shape.a1 - shape.a0, shape.r1 - shape.r0
    if left >= right or top >= bottom or not sweep or not thick or not math.isfinite(sweep):
        return None
    width = min(max(math.ceil(abs(sweep) * max(shape.r0, shape.r1) * scale), 1), WIDEST_BENT)
    height = min(max(math.ceil(abs(thick) * scale), 1), HIGHEST_BENT)
    fx, fy = width / ((pane.x[1] - pane.x[0]) or 1.0), height / ((pane.y[1] - pane.y[0]) or 1.0)
    flat = _straight(layer, (0, 0, width, height), (fx, -pane.x[0] * fx, fy, -pane.y[0] * fy), scale)
    if flat is None:
        return None
    # Only the part of the ring in which there is something.
    a0, a1 = (shape.a0 + sweep * column / width for column in (flat.left, flat.right))
    r0, r1 = (shape.r0 + thick * row / height for row in (flat.top, flat.bottom))
    around = sector_box(replace(shape, a0=a0, a1=a1, r0=r0, r1=r1))
    left, right = max(left, math.floor(around[0] * scale)), min(right, math.ceil(around[2] * scale))
    top = max(top, math.floor((around[1] - viewport.top) * scale))
    bottom = min(bottom, math.ceil((around[3] - viewport.top) * scale))
    if left >= right or top >= bottom:
        return None
    pixels, item = _empty(right - left, bottom - top, bool(len(flat.item)))
    x, y = shape.cx * scale - left, (shape.cy - viewport.top) * scale - top
    sector = np.array([x, y, r0 * scale, r1 * scale, a0, a1])
    whole = flat.image.view(np.uint32)[..., 0]
    numbers = given(flat.item, np.int32)
    bending.bend(whole, numbers, pixels, item, sector, 1 if viewport.moving else SAMPLES)
    return _tile(left, top, pixels, item)


def sector_box(shape: SectorShape) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the rectangle around a sector, in logical pixels."""
    low, high = sorted((shape.a0, shape.a1))
    quarters = np.arange(math.ceil(low / (math.pi / 2)), math.floor(min(high, low + 7) / (math.pi / 2)) + 1)
    angles = np.concatenate(([low, high], quarters * (math.pi / 2)))
    x = shape.cx + np.outer((shape.r0, shape.r1), np.cos(angles))
    y = shape.cy + np.outer((shape.r0, shape.r1), np.sin(angles))
    return float(x.min()) - 1, float(y.min()) - 1, float(x.max()) + 1, float(y.max()) + 1


def _strips(layer: Segments, pane: Pane | None, viewport: Viewport) -> Areas:
    """Many segments as areas of the canvas, as wide as the lines are."""
    x0, y0, x1, y1 = segment_lines(layer, pane)
    pieces = len(x0) // len(layer.x0)
    dx, dy = x1 - x0, y1 - y0
    with np.errstate(divide="ignore", invalid="ignore"):
        half = max(layer.width, 1 / viewport.scale) / 2 / np.hypot(dx, dy)
    aside, up = -dy * half, dx * half
    corners = (x0 + aside, y0 + up, x1 + aside, y1 + up, x1 - aside, y1 - up, x0 - aside, y0 - up)
    color = color_rows(layer.color)
    return Areas(
        name=layer.name,
        points=np.stack(corners, axis=1).reshape(-1, 2),
        ptr=np.arange(len(x0) + 1, dtype=np.int64) * 4,
        color=color if len(color) == 1 else np.repeat(color, pieces, axis=0),
    )


def _located(layer: Areas | Points, pane: Pane | None, viewport: Viewport, border: Pane | None = None) -> Tile | None:
    """Areas or points: located on the canvas, filled there, and cut at the border of their pane.

    border   the pane whose border cuts, if `pane`, that of the coordinates, is the canvas
    """
    border = border or pane
    left, top, right, bottom = pane_pixels(border, viewport)
    x, y = (layer.x, layer.y) if isinstance(layer, Points) else (layer.points[:, 0], layer.points[:, 1])
    if not len(x) or left >= right or top >= bottom:
        return None
    px, py = to_device(pane, viewport, x, y)
    reach = layer.size * viewport.scale if isinstance(layer, Points) else 1.0
    good = np.isfinite(px) & np.isfinite(py)
    if not good.any():
        return None
    left = max(left, math.floor(max(px[good].min() - reach, 0)))
    right = min(right, math.ceil(min(px[good].max() + reach, right)) + 1)
    top = max(top, math.floor(max(py[good].min() - reach, 0)))
    bottom = min(bottom, math.ceil(min(py[good].max() + reach, bottom)) + 1)
    if left >= right or top >= bottom:
        return None
    pixels, item = _empty(right - left, bottom - top, layer.item is not None)
    look = _look(layer, (left, top), viewport.scale)
    if isinstance(layer, Points):
        mark = (shapes.SHAPES.index(layer.shape), layer.size * viewport.scale / 2)
        shapes.fill_marks(pixels, item, given(px - left, np.float64), given(py - top, np.float64), mark, look)
    else:
        points = np.stack((np.clip(px - left, -1e6, 1e6), np.clip(py - top, -1e6, 1e6)), axis=1)
        points[~good] = np.nan
        shapes.fill_polygons(pixels, item, points, given(layer.ptr, np.int64), look)
    if border is not None and isinstance(border.shape, SectorShape):
        outside = ~_inside(border.shape, left, top, pixels.shape, viewport)
        pixels[outside] = 0
        if len(item):
            item[outside] = -1
    return _tile(left, top, pixels, item)


def to_device(
    pane: Pane | None, viewport: Viewport, x: npt.ArrayLike, y: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Data of a pane (None = the canvas) -> device pixels of the viewport."""
    px, py = (np.asarray(x, np.float64), np.asarray(y, np.float64)) if pane is None else locate(pane, x, y)
    return px * viewport.scale, (py - viewport.top) * viewport.scale


def _inside(
    shape: SectorShape, left: int, top: int, size: tuple[int, ...], viewport: Viewport
) -> npt.NDArray[np.bool_]:
    """bool[h, w]: which pixels have their middle in a sector."""
    scale = viewport.scale
    dx = (np.arange(size[1]) + left + 0.5) / scale - shape.cx
    dy = ((np.arange(size[0]) + top + 0.5) / scale + viewport.top - shape.cy)[:, None]
    radius = np.hypot(dx, dy)
    middle, half = (shape.a0 + shape.a1) / 2, abs(shape.a1 - shape.a0) / 2
    turn = (np.arctan2(dy, dx) - middle + math.pi) % (2 * math.pi) - math.pi
    low, high = sorted((shape.r0, shape.r1))
    return np.asarray((radius >= low) & (radius < high) & (np.abs(turn) <= half))


def _empty(width: int, height: int, picked: bool) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """Clear pixels, and that many places without an item where the layer is picked."""
    return np.zeros((height, width), np.uint32), np.full((height, width), -1, np.int32) if picked else _NO_ITEMS


def _tile(left: int, top: int, pixels: npt.NDArray[np.uint32], item: npt.NDArray[np.int32]) -> Tile:
    image = pixels.view(np.uint8).reshape(*pixels.shape, 4)
    image.flags.writeable = False
    return Tile(left, top, image, item)


def _look(layer: Bars | Areas | Points, first: tuple[int, int], scale: float) -> Any:
    """What `straight.fill_boxes` calls so. `first`: device pixel at which the tile begins."""
    count = len(layer.x0 if isinstance(layer, Bars) else layer.x if isinstance(layer, Points) else layer.ptr)
    mark = np.zeros(0, np.uint8)
    if not isinstance(layer, Points):
        pattern = 2 * straight.PATTERNS.index(layer.pattern)
        if isinstance(layer, Bars) and layer.merged is not None:
            mark = (np.asarray(layer.merged) > 1).astype(np.uint8) + np.uint8(pattern)
        elif pattern:
            mark = np.full(count, pattern, np.uint8)
    outline: Color = layer.outline or (0, 0, 0, 0) if isinstance(layer, Bars) else (0, 0, 0, 0)
    period = max(round(STRIPES * scale), 2)
    grid = np.array([first[0] % period, first[1] % period, period, max(round(scale), 1)], np.int32)
    number = given(_NO_NUMBERS if layer.item is None else layer.item, np.int32)
    return color_rows(layer.color), number, mark, np.array(outline, np.uint8), grid


def given(values: npt.ArrayLike, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """The values as one kind of array, contiguous and not to be written to: for each other kind, loops are compiled."""
    found = np.ascontiguousarray(values, dtype).view()
    found.flags.writeable = False
    return found


def color_rows(color: Colors) -> npt.NDArray[np.uint8]:
    """uint8[n or 1, 4]: a colour for each, or one for all."""
    return given(np.atleast_2d(np.asarray(color, np.uint8)), np.uint8)


def _shade(cushion: Cushion | None, at: float) -> Any:
    """What `straight.fill_boxes` calls so. `at`: the bright place in pixels of the tile."""
    if cushion is None:
        return np.zeros(0), np.zeros(0), given(_NO_NUMBERS, np.int32)
    numbers = np.array([cushion.fx, cushion.fy, at, cushion.ambient, float(cushion.shadow)])
    depth = given(_NO_NUMBERS if cushion.depth is None else cushion.depth, np.int32)
    return numbers, straight.power_table(cushion.power), depth
