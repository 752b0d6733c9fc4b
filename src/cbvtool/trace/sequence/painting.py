"""A massive sequence view as pixels: calls as rows, green at the caller, red at the callee (EX-2, EX-3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Color = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class PixelSpans:
    """The pixels that a call of each of i identities covers.

    left  int32[i]  the first of them
    long  int32[i]  how many; negative where the caller is at the right. In the middle of the pixel `x` after its
                    caller's end the call has gone `(x + 0.5) / abs(long)` of its way
    """

    left: npt.NDArray[np.int32]
    long: npt.NDArray[np.int32]


def pixel_spans(
    caller: npt.NDArray[np.int64], callee: npt.NDArray[np.int64], left: Floats, right: Floats, width: int
) -> PixelSpans:
    """From the caller's column to the callee's, both whole; a call within a column runs through it to the right.

    caller, callee  int64[i]  columns
    left, right     float64[k]  borders of the columns, pixels; a pixel belongs to what covers any of it that is more
                    than rounding
    width           of the picture, pixels
    """
    low, high = left[np.minimum(caller, callee)], right[np.maximum(caller, callee)]
    first = np.clip(np.floor(low + 1e-6), 0, width).astype(np.int32)
    last = np.clip(np.ceil(high - 1e-6), 0, width).astype(np.int32)
    last = np.where((last <= first) & (first < width) & (high > 0), first + 1, np.maximum(last, first))
    return PixelSpans(first, np.where(callee >= caller, last - first, first - last).astype(np.int32))


def paint_sequence(
    identity: npt.NDArray[np.int32],
    weight: Floats,
    spans: PixelSpans,
    shown: tuple[float, float],
    size: tuple[int, int],
    colors: tuple[Color, Color, Color],
    alone: npt.NDArray[np.bool_] | None = None,
) -> Image:
    """uint8[height, width, 4]: the calls from `shown[0]` to `shown[1]` (places, with fractions), first at the top.

    A pixel is `sum(F_i W_i c_i) / sum(F_i W_i)` over all calls of its row; F is the share of a call that lies in the
    row, c_i the colour of call i there: the ground where it does not cover the pixel.

    identity  int32[m]; -1 covers nothing
    size      (width, height)
    colors    of caller, callee, ground
    alone     bool[i]: only calls of these identities count, by themselves and all alike; what they do not cover is
              transparent

    Linear in calls and pixels. Source: Holten et al. 2007, equation 3, and EX-3.
    """
    width, height = size
    image = np.zeros((height, width, 4), np.uint8)
    if not height or not width or shown[1] <= shown[0]:
        return image
    ends = np.array(colors, np.float64)[:, :3]
    only = np.ones(0, np.bool_) if alone is None else alone
    where = np.column_stack((spans.left, spans.long))
    _paint(identity, weight, where, (float(shown[0]), float(shown[1])), ends, only, np.zeros((width + 1, 3)), image)
    return image


@kernel
def _paint(identity: Any, weight: Any, where: Any, shown: Any, colors: Any, only: Any, sums: Any, image: Any) -> None:
    """Each row: what begins and ends at a pixel, summed from the left.

    where  int32[i, 2]  of `PixelSpans`, beside each other in memory
    sums   float64[width + 1, 3], zeros: differences of weight, of weight * share of the way at pixel 0, of weight *
           share of the way from one pixel to the next
    """
    low, high = shown
    height, width = image.shape[0], image.shape[1]
    m, scale, masked = len(identity), (high - low) / height, len(only) > 0
    for y in range(height):
        a, b = low + y * scale, low + (y + 1) * scale
        begin, end = max(int(np.floor(a)), 0), min(int(np.ceil(b)), m)
        total = 0.0
        for i in range(begin, end):
            share = min(b, i + 1.0) - max(a, float(i))
            if share <= 0.0:
                continue
            one = identity[i]
            if masked and (one < 0 or not only[one]):
                continue
            w = share if masked else share * weight[i]
            total += w
            if one < 0:
                continue
            x0, long = where[one, 0], where[one, 1]
            x1 = x0 + abs(long)
            if x1 == x0:
                continue
            by_step = w / long
            from_start = by_step * (0.5 - (x0 if long > 0 else x1))
            sums[x0, 0] += w
            sums[x0, 1] += from_start
            sums[x0, 2] += by_step
            sums[x1, 0] -= w
            sums[x1, 1] -= from_start
            sums[x1, 2] -= by_step
        cover, way, slope = 0.0, 0.0, 0.0
        least = 1e-9 * total
        for x in range(width):
            cover += sums[x, 0]
            way += sums[x, 1]
            slope += sums[x, 2]
            sums[x, 0] = 0.0
            sums[x, 1] = 0.0
            sums[x, 2] = 0.0
            if total <= 0.0 or cover <= least:
                if not masked:
                    for c in range(3):
                        image[y, x, c] = np.uint8(colors[2, c])
                    image[y, x, 3] = 255
                continue
            gone = min(max((way + slope * x) / cover, 0.0), 1.0)  # each call's share of the way, weighted
            there = 1.0 if masked else cover / total
            for c in range(3):
                color = colors[0, c] + (colors[1, c] - colors[0, c]) * gone
                image[y, x, c] = np.uint8(color * there + colors[2, c] * (1.0 - there) + 0.5)
            image[y, x, 3] = 255
        for part in range(3):
            sums[width, part] = 0.0
