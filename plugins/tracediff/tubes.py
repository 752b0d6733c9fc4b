"""Tubes as pixels (TD-6): shaded across by a parabola, deeper ones in front, thin ones at least a pixel wide and soft.

Both borders of a tube have the same y, so a piece of it between two samples is a trapezoid with level ends. How much of
a pixel it covers is the area that its left border leaves minus the one that its right border leaves, which is exact.

Source: Trümper, Döllner, Telea 2013, section IV-C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import kernel

Floats = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]
STEEPEST = 60.0  # pixels across for one down that a thin tube is widened for


@dataclass(frozen=True, eq=False)
class TubeImage:
    """What tubes look like in a rectangle.

    image  uint8[h, w, 4], not multiplied by alpha
    item   int32[h, w]: the tube in front, -1 = none
    box    x0, y0, x1, y1, logical pixels
    """

    image: Colors
    item: npt.NDArray[np.int32]
    box: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Tubes:
    """n tubes on the canvas, logical pixels.

    middle  float64[n, s, 2]: places along each; half: float64[n, s], how far the borders lie left and right
    depth   float64[n, 2]: stack depth of both ends, of which a place between has its share by arc length
    length  float64[n, s]: arc length at each place, 0..1
    """

    middle: Floats
    half: Floats
    depth: Floats
    length: Floats

    def __len__(self) -> int:
        return len(self.middle)


def painted(
    tubes: Tubes, color: Colors, shine: Floats, box: tuple[float, float, float, float], scale: float
) -> TubeImage:
    """Paint tubes into the pixels of a rectangle.

    color  uint8[n, 4]; shine: float64[n], how strong a white highlight runs along the middle, 0..1
    scale  device pixels a logical one
    """
    width, height = max(round((box[2] - box[0]) * scale), 1), max(round((box[3] - box[1]) * scale), 1)
    image = np.zeros((height, width, 4), np.uint8)
    item = np.full((height, width), -1, np.int32)
    if len(tubes):
        x = (tubes.middle[..., 0] - box[0]) * scale
        y = (tubes.middle[..., 1] - box[1]) * scale
        z = tubes.depth[:, :1] * (1 - tubes.length) + tubes.depth[:, 1:] * tubes.length
        order = np.argsort(-tubes.depth.sum(axis=1), kind="stable")  # in front first: what it hides is skipped
        _paint(image, item, x, y, tubes.half * scale, z, color, shine, order)
    return TubeImage(image, item, box)


@kernel
def _paint(
    image: Colors,
    item: npt.NDArray[np.int32],
    px: Floats,
    py: Floats,
    half: Floats,
    depth: Floats,
    color: Colors,
    shine: Floats,
    order: npt.NDArray[np.int64],
) -> None:
    height, samples = item.shape[0], px.shape[1]
    front = np.full(item.shape, -np.inf)
    for i in order:
        red, green, blue = float(color[i, 0]), float(color[i, 1]), float(color[i, 2])
        alpha, white = color[i, 3] / 255, shine[i]
        s = 0
        while s < samples - 1:
            # Pieces that run on the same way make one sweep down or up; each row of pixels is painted once a sweep.
            down = py[i, s + 1] >= py[i, s]
            e = s + 1
            while e < samples - 1 and (py[i, e + 1] >= py[i, e]) == down:
                e += 1
            first, last, step = (s, e, 1) if down else (e, s, -1)
            top, bottom = py[i, first], py[i, last]
            low, high = max(int(np.floor(top)), 0), min(int(np.ceil(bottom)), height)
            at = first
            xa = ha = za = 0.0
            for row in range(low, high + 1 if low < high else low):
                y = min(max(float(row), top), bottom)
                while at + step != last and py[i, at + step] < y:
                    at += step
                other = at + step
                long = py[i, other] - py[i, at]
                u = min(max((y - py[i, at]) / long, 0.0), 1.0) if long > 1e-9 else 0.0
                x = px[i, at] + (px[i, other] - px[i, at]) * u
                h = half[i, at] + (half[i, other] - half[i, at]) * u
                z = depth[i, at] + (depth[i, other] - depth[i, at]) * u
                share = min(float(row), bottom) - max(row - 1.0, top)
                if row > low and share > 0:
                    ends, look = (xa, ha, x, h, share), (red, green, blue, alpha, white)
                    _paint_row(image, item, front, row - 1, ends, (z + za) / 2, look, i)
                xa, ha, za = x, h, z
            s = e


@kernel
def _paint_row(
    image: Colors,
    item: npt.NDArray[np.int32],
    front: Floats,
    row: int,
    ends: tuple[float, float, float, float, float],
    z: float,
    look: tuple[float, float, float, float, float],
    number: int,
) -> None:
    """Paint what one tube covers of a row of pixels.

    ends  x and half the width at the row's upper and at its lower border, and how much of the row's height it takes
    look  red, green, blue, alpha (0..1), strength of the highlight
    """
    xa, ha, xb, hb, share = ends
    red, green, blue, alpha, shine = look
    slope = min(abs(xb - xa) / share, STEEPEST)
    least = 0.5 * np.sqrt(1 + slope * slope)
    ha, hb = max(ha, least), max(hb, least)
    la, lb, ra, rb = xa - ha, xb - hb, xa + ha, xb + hb
    begin, end = max(int(np.floor(min(la, lb))), 0), min(int(np.ceil(max(ra, rb))), item.shape[1])
    if begin >= end:
        return
    inner, outer = int(np.ceil(max(la, lb))), int(np.floor(min(ra, rb)))
    middle, across = (la + lb + ra + rb) / 4, 4 / max(ra + rb - la - lb, 1e-6)
    thin = across > 0.8
    alpha *= share
    for x in range(begin, end):
        behind = z <= front[row, x]
        known = image[row, x, 3]
        if behind and known == 255:
            continue
        cover = 1.0 if inner <= x < outer else _right_of(la, lb, x) - _right_of(ra, rb, x)
        part = cover * alpha
        if part <= 0.002:
            continue
        light, white = 0.92, 0.0
        if not thin:
            off = min(max((x + 0.5 - middle) * across, -1.0), 1.0)
            bow = 1 - off * off
            light, white = 0.5 + 0.5 * bow, shine * bow * bow * bow * bow
        if known == 0:
            whole, mine, rest = part, 1.0, 0.0
        else:
            under = known / 255
            mine, rest = (part * (1 - under), under) if behind else (part, under * (1 - part))
            whole = mine + rest
            mine, rest = mine / whole, rest / whole
        light, white = light * (1 - white) * mine, 255 * white * mine + 0.5
        image[row, x, 0] = np.uint8(red * light + white + image[row, x, 0] * rest)
        image[row, x, 1] = np.uint8(green * light + white + image[row, x, 1] * rest)
        image[row, x, 2] = np.uint8(blue * light + white + image[row, x, 2] * rest)
        image[row, x, 3] = np.uint8(255 * whole + 0.5)
        if cover * share >= 0.5 and not behind:
            item[row, x] = number
            front[row, x] = z


@kernel
def _right_of(a: float, b: float, x: int) -> float:
    """How much of the pixel from x to x + 1 lies right of a border that runs straight from a to b over its height."""
    low, high = min(a, b), max(a, b)
    if high <= x:
        return 1.0
    if low >= x + 1:
        return 0.0
    if high - low < 1e-9:
        return x + 1 - low
    # The mean of clip(x + 1 - border, 0, 1) over the border's way.
    inner_low, inner_high = max(low, float(x)), min(high, x + 1.0)
    inside = (inner_high - inner_low) * (x + 1 - (inner_low + inner_high) / 2)
    return (inside + max(float(x) - low, 0.0)) / (high - low)
