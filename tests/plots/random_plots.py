"""Random plots in which each item has a colour of its own, so that what is seen tells which item it is."""

from __future__ import annotations

import math

import numpy as np

from cbvtool.plots.filling import Filled
from cbvtool.plots.layers import Areas, Bars, Layer, Points, Raster
from cbvtool.plots.panes import BoxShape, Pane, SectorShape
from cbvtool.plots.plot import Plot

WIDTH, HEIGHT = 160, 120


def own_colors(first: int, count: int) -> np.ndarray:
    """uint8[count, 4]: opaque, a colour for each number from `first` on."""
    number = np.arange(first, first + count, dtype=np.uint32) + 1
    return np.stack((number & 255, number >> 8, np.full(count, 77), np.full(count, 255)), axis=1).astype(np.uint8)


def number_of(pixel: np.ndarray) -> int:
    """What `own_colors` gave a pixel uint8[4]; -1 = clear."""
    return int(pixel[0]) + 256 * int(pixel[1]) - 1 if pixel[3] == 255 else -1


def random_pane(rng: np.random.Generator, name: str, bent: bool) -> Pane:
    """A pane somewhere on the canvas, its axes in either direction."""
    x = tuple(rng.uniform(-50, 50, 2).tolist())
    y = tuple(rng.uniform(-5, 5, 2).tolist())
    if bent:
        a0 = rng.uniform(-math.pi, math.pi)
        sweep = rng.uniform(0.3, 2 * math.pi) * rng.choice([-1, 1])
        cx, cy, r0 = rng.uniform(20, 140), rng.uniform(20, 100), rng.uniform(0, 40)
        return Pane(name, SectorShape(cx, cy, r0, r0 + rng.uniform(5, 60), a0, a0 + sweep), x, y)
    return Pane(name, BoxShape(*rng.uniform(-20, 60, 2).tolist(), *rng.uniform(5, 120, 2).tolist()), x, y)


def random_plot(seed: int, bent: bool) -> tuple[Plot, dict[int, tuple[str, int]]]:
    """Three panes with bars, images, areas and points; and for each number of a colour the layer and item it is."""
    rng = np.random.default_rng(seed)
    panes = tuple(random_pane(rng, f"pane {i}", bent) for i in range(3))
    layers: list[Layer] = []
    meant: dict[int, tuple[str, int]] = {}
    used = 0
    for pane in panes:
        (x0, x1), (y0, y1) = pane.x, pane.y
        count = int(rng.integers(1, 60))
        u, v = np.sort(rng.uniform(-0.2, 1.2, (2, count)), axis=0), rng.uniform(-0.2, 1.2, count)
        item = rng.permutation(count).astype(np.int32)
        name = f"bars {pane.name}"
        layers.append(
            Bars(
                name=name,
                pane=pane.name,
                x0=x0 + u[0] * (x1 - x0),
                x1=x0 + u[1] * (x1 - x0),
                y0=y0 + v * (y1 - y0),
                y1=y0 + (v + 0.1) * (y1 - y0),
                color=own_colors(used, count),
                item=item,
            )
        )
        meant |= {used + row: (name, int(item[row])) for row in range(count)}
        used += count
        name = f"image {pane.name}"
        box = (x0 + 0.6 * (x1 - x0), y0 + 0.5 * (y1 - y0), x1, y1)
        layers.append(
            Raster(
                name=name,
                pane=pane.name,
                image=own_colors(used, 12).reshape(3, 4, 4),
                box=box,
                item=np.arange(12, dtype=np.int32).reshape(3, 4),
            )
        )
        meant |= {used + row: (name, row) for row in range(12)}
        used += 12
        name = f"area {pane.name}"
        corners = rng.uniform(0, 1, (4, 2)) * (x1 - x0, y1 - y0) + (x0, y0)
        layers.append(
            Areas(
                name=name,
                pane=pane.name,
                points=corners,
                ptr=np.array([0, 4]),
                color=own_colors(used, 1),
                item=np.array([7], np.int32),
            )
        )
        meant[used] = (name, 7)
        used += 1
        name = f"points {pane.name}"
        layers.append(
            Points(
                name=name,
                pane=pane.name,
                x=rng.uniform(min(pane.x), max(pane.x), 1),
                y=rng.uniform(min(pane.y), max(pane.y), 1),
                color=own_colors(used, 1),
                size=9,
                shape=str(rng.choice(["disc", "square", "diamond", "triangle", "cross"])),
                item=np.zeros(1, np.int32),
            )
        )
        meant[used] = (name, 0)
        used += 1
    return Plot(panes, tuple(layers)), meant


def seen(filled: Filled) -> np.ndarray:
    """uint8[h, w, 4]: all tiles, one over the other; at the soft edge of an area or a point, alpha is 1."""
    width, height = filled.size
    whole, soft = np.zeros((height, width, 4)), np.zeros((height, width), bool)
    for tile in filled.tiles:
        if tile is not None:
            part = whole[tile.top : tile.bottom, tile.left : tile.right]
            part *= 1 - tile.image[..., 3:] / 255
            part += tile.image
            soft[tile.top : tile.bottom, tile.left : tile.right] |= tile.image[..., 3] % 255 > 0
    whole[soft] = 1
    return np.rint(whole).astype(np.uint8)
