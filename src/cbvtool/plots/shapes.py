"""Compiled loops that fill polygons and marks with soft edges into a grid of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.plots.straight import Numbers, Pixels, blend, in_stripe, striped
from cbvtool.trace.kernels import kernel

SHAPES = ("disc", "square", "diamond", "triangle", "cross")
FINE = 4  # lines a pixel on which a polygon is cut


@kernel
def fill_polygons(
    image: Pixels, item: Numbers, points: npt.NDArray[np.float64], ptr: npt.NDArray[np.int64], look: Any
) -> None:
    """Fill polygons by the even-odd rule, the last on top; the item is that of whoever covers half of a pixel.

    points   float64[p, 2] in pixels of `image`; polygon i is rows ptr[i]:ptr[i + 1]
    look     see `straight.fill_boxes`
    """
    color, number, mark, _, grid = look
    height, width = image.shape
    cover = np.zeros(width + 1, np.float64)
    for i in range(len(ptr) - 1):
        first, last = ptr[i], ptr[i + 1]
        if last - first < 3:
            continue
        low, high, good = np.inf, -np.inf, True
        for p in range(first, last):
            good = good and np.isfinite(points[p, 0]) and np.isfinite(points[p, 1])
            low, high = min(low, points[p, 1]), max(high, points[p, 1])
        if not good:
            continue
        c = i if len(color) > 1 else 0
        red, green, blue, alpha = color[c, 0], color[c, 1], color[c, 2], color[c, 3]
        bright = 0.3 * red + 0.59 * green + 0.11 * blue > 140
        m = mark[i] if len(mark) > 0 else 0
        crossings = np.empty(last - first, np.float64)
        for y in range(max(int(np.floor(low)), 0), min(int(np.ceil(high)), height)):
            begin, end = width, 0
            for line in range(FINE):
                level = y + (line + 0.5) / FINE
                count = 0
                for p in range(first, last):
                    q = p + 1 if p + 1 < last else first
                    ya, yb = points[p, 1], points[q, 1]
                    if (ya <= level) != (yb <= level):
                        crossings[count] = points[p, 0] + (level - ya) / (yb - ya) * (points[q, 0] - points[p, 0])
                        count += 1
                crossings[:count].sort()
                for k in range(0, count - 1, 2):
                    a, b = max(crossings[k], 0.0), min(crossings[k + 1], float(width))
                    if a >= b:
                        continue
                    for x in range(int(a), min(int(np.ceil(b)), width)):
                        cover[x] += (min(b, x + 1.0) - max(a, float(x))) / FINE
                    begin, end = min(begin, int(a)), max(end, min(int(np.ceil(b)), width))
            for x in range(begin, end):
                share = min(cover[x], 1.0)
                cover[x] = 0.0
                if share <= 0.0:
                    continue
                if len(number) > 0 and share >= 0.5:
                    item[y, x] = number[i]
                r, g, b = float(red), float(green), float(blue)
                if m > 0 and in_stripe(m, x + grid[0], y + grid[1], grid[2]):
                    r, g, b = striped(r, bright), striped(g, bright), striped(b, bright)
                image[y, x] = np.uint32(blend(image[y, x], r, g, b, share * alpha / 255))


@kernel
def beyond(shape: int, x: float, y: float, half: float) -> float:
    """How far (x, y) lies outside of a mark about the origin, in pixels; negative = inside."""
    if shape == 1:
        return max(abs(x), abs(y)) - half
    if shape == 2:
        return (abs(x) + abs(y) - half * 1.25) * 0.70710678
    if shape == 3:
        return max(y - half * 0.75, abs(x) * 0.8660254 - y * 0.5 - half * 0.6)
    if shape == 4:
        arm = half * 0.34
        across, along = min(abs(x), abs(y)), max(abs(x), abs(y))
        return max(across - arm, along - half)
    return float(np.sqrt(x * x + y * y) - half)


@kernel
def fill_marks(
    image: Pixels, item: Numbers, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], mark: Any, look: Any
) -> None:
    """Fill marks about (x, y), in pixels of `image`, the last on top. mark: (number of its shape, half its size)."""
    color, number, _, _, _ = look
    shape, half = mark
    height, width = image.shape
    for i in range(len(x)):
        if not (np.isfinite(x[i]) and np.isfinite(y[i])):
            continue
        if not (-half - 2 < x[i] < width + half + 2 and -half - 2 < y[i] < height + half + 2):
            continue
        c = i if len(color) > 1 else 0
        reach = half * 1.3 + 1
        for py in range(max(int(y[i] - reach), 0), min(int(y[i] + reach) + 1, height)):
            for px in range(max(int(x[i] - reach), 0), min(int(x[i] + reach) + 1, width)):
                share = 0.5 - beyond(shape, px + 0.5 - x[i], py + 0.5 - y[i], half)
                if share <= 0.0:
                    continue
                if len(number) > 0 and share >= 0.5:
                    item[py, px] = number[i]
                alpha = min(share, 1.0) * color[c, 3] / 255
                image[py, px] = np.uint32(blend(image[py, px], color[c, 0], color[c, 1], color[c, 2], alpha))
