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
def sort_few(values: npt.NDArray[np.float64], first: int, last: int) -> None:
    """Sort values[first:last] in place: by insertion, since a line cuts a polygon at few places."""
    for k in range(first + 1, last):
        value, at = values[k], k
        while at > first and values[at - 1] > value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@kernel
def cut_lines(points: npt.NDArray[np.float64], first: int, last: int, begin: int, end: int) -> Any:
    """(int64[lines + 1], float64[c]): where the border of a polygon, points[first:last], cuts lines, left to right.

    Line k from `begin` to `end`, excluded, lies at y = (k + 0.5) / FINE; its cuts are those from ends[k - begin] to
    ends[k - begin + 1]. Each edge looks at the lines between its ends alone.
    """
    ends = np.zeros(end - begin + 1, np.int64)
    crossings = np.empty(0, np.float64)
    for fills in range(2):  # counted, then written
        for p in range(first, last):
            q = p + 1 if p + 1 < last else first
            xa, ya, xb, yb = points[p, 0], points[p, 1], points[q, 0], points[q, 1]
            low = max(int(np.floor(min(ya, yb) * FINE)) - 1, begin)
            for k in range(low, min(int(np.ceil(max(ya, yb) * FINE)) + 1, end)):
                level = (k + 0.5) / FINE
                if (ya <= level) != (yb <= level):
                    if fills:
                        crossings[ends[k - begin]] = xa + (level - ya) / (yb - ya) * (xb - xa)
                        ends[k - begin] += 1
                    else:
                        ends[k - begin + 1] += 1
        if not fills:
            for k in range(end - begin):
                ends[k + 1] += ends[k]
            crossings = np.empty(ends[-1], np.float64)
    for k in range(end - begin, 0, -1):  # each has become the end of its own
        ends[k] = ends[k - 1]
    ends[0] = 0
    for k in range(end - begin):
        sort_few(crossings, ends[k], ends[k + 1])
    return ends, crossings


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
    cover = np.zeros(width + 1, np.float64)  # of a row: what is covered in part,
    steps = np.zeros(width + 1, np.float64)  # and where it begins and ends to be covered as a whole
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
        top, bottom = max(int(np.floor(low)), 0), min(int(np.ceil(high)), height)
        if top >= bottom:
            continue
        ends, crossings = cut_lines(points, first, last, top * FINE, bottom * FINE)
        begins = np.empty(FINE * (last - first), np.int64)
        stops = np.empty(FINE * (last - first), np.int64)
        for y in range(top, bottom):
            spans = 0
            for line in range((y - top) * FINE, (y - top + 1) * FINE):
                for k in range(ends[line], ends[line + 1] - 1, 2):
                    a, b = max(crossings[k], 0.0), min(crossings[k + 1], float(width))
                    if a >= b:
                        continue
                    left, right = int(a), int(b)
                    if left == right:
                        cover[left] += (b - a) / FINE
                    else:
                        cover[left] += (left + 1 - a) / FINE
                        steps[left + 1] += 1.0 / FINE
                        steps[right] -= 1.0 / FINE
                        cover[right] += (b - right) / FINE
                    at = spans
                    while at > 0 and begins[at - 1] > left:
                        begins[at], stops[at] = begins[at - 1], stops[at - 1]
                        at -= 1
                    begins[at], stops[at] = left, right + 1
                    spans += 1
            done, whole = 0, 0.0
            for k in range(spans):  # each pixel once; between the arms of a bent one there is much room
                for x in range(max(begins[k], done), min(stops[k], width)):
                    whole += steps[x]
                    share = min(cover[x] + whole, 1.0)
                    cover[x] = steps[x] = 0.0
                    if share <= 0.0:
                        continue
                    if len(number) > 0 and share >= 0.5:
                        item[y, x] = number[i]
                    r, g, b = float(red), float(green), float(blue)
                    if m > 0 and in_stripe(m, x + grid[0], y + grid[1], grid[2]):
                        r, g, b = striped(r, bright), striped(g, bright), striped(b, bright)
                    image[y, x] = np.uint32(blend(image[y, x], r, g, b, share * alpha / 255))
                done = max(done, stops[k])
            cover[width] = steps[width] = 0.0


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
