"""Layers made one image: what a view fills on another thread, and shows as a single layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.plots.filling import fill_layer
from cbvtool.plots.layers import Layer, Raster
from cbvtool.plots.panes import Pane
from cbvtool.plots.plot import Viewport
from cbvtool.plots.straight import Numbers, Pixels
from cbvtool.trace.kernels import kernel


@kernel
def lay_over(image: Pixels, item: Numbers, tile: Pixels, number: Numbers, left: int, top: int) -> None:
    """Blend `tile` over `image`, colours multiplied by alpha in both, its first pixel at (left, top), all inside.

    number   int32 like `tile`, or [0, 0]; -1 leaves the item below
    """
    height, width = tile.shape
    for y in range(height):
        for x in range(width):
            above = tile[y, x]
            alpha = (above >> 24) & 255
            if len(number) > 0 and number[y, x] >= 0:
                item[top + y, left + x] = number[y, x]
            if alpha == 0:
                continue
            below, found = image[top + y, left + x], 0
            for shift in range(0, 32, 8):
                part = ((above >> shift) & 255) + (((below >> shift) & 255) * (255 - alpha) + 127) // 255
                found |= min(part, 255) << shift
            image[top + y, left + x] = np.uint32(found)


def flattened(name: str, layers: Sequence[Layer], panes: Sequence[Pane], viewport: Viewport) -> Raster:
    """The pixels of layers, the last on top, as one image of the canvas, made on any thread; its items are theirs.

    Texts, and lines that are painted one by one, are left out. A layer without items leaves those below it.
    """
    by_name = {pane.name: pane for pane in panes}
    found = [fill_layer(layer, by_name.get(layer.pane), viewport) for layer in layers]
    tiles = [tile for tile in found if tile is not None and tile.image.size]
    left, top = (min((getattr(tile, side) for tile in tiles), default=0) for side in ("left", "top"))
    right, bottom = (max((getattr(tile, side) for tile in tiles), default=0) for side in ("right", "bottom"))
    image, item = np.zeros((bottom - top, right - left), np.uint32), np.full((bottom - top, right - left), -1, np.int32)
    for tile in tiles:
        pixels = np.ascontiguousarray(tile.image).view(np.uint32)[..., 0]
        lay_over(image, item, pixels, tile.item, tile.left - left, tile.top - top)
    scale = viewport.scale
    box = (left / scale, top / scale + viewport.top, right / scale, bottom / scale + viewport.top)
    return Raster(name=name, image=image.view(np.uint8).reshape(*image.shape, 4), box=box, item=item, multiplied=True)
