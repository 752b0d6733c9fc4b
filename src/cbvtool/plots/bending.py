"""A straight picture bent into a part of a ring: each pixel looks up where it lies in it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.plots.straight import Numbers, Pixels
from cbvtool.trace.kernels import kernel


@kernel
def turn_of(y: float, x: float) -> float:
    """`atan2(y, x)` within 2e-8, in a quarter of its time (Abramowitz and Stegun 1964, 4.4.49)."""
    wide, high = abs(x), abs(y)
    most = max(wide, high)
    if most == 0.0:
        return 0.0
    a = min(wide, high) / most
    s = a * a
    rest = 0.0429096138 + s * (-0.0161657367 + s * 0.0028662257)
    rest = -0.1420889944 + s * (0.1065626393 + s * (-0.0752896400 + s * rest))
    angle = a * (1.0 + s * (-0.3333314528 + s * (0.1999355085 + s * rest)))
    if high > wide:
        angle = math.pi / 2 - angle
    if x < 0:
        angle = math.pi - angle
    return -angle if y < 0 else angle


@kernel
def bend(
    straight: Pixels,
    straight_item: Numbers,
    image: Pixels,
    item: Numbers,
    sector: npt.NDArray[np.float64],
    samples: int,
) -> None:
    """Fill `image` uint32[h, w] and `item` int32[h, w] from a straight picture uint32[v, u] and its items.

    straight_item   int32[v, u], or [0, 0]

    sector   x and y of the centre, radius of the first row and after the last one, angle of the first column and
             after the last one; in pixels of `image`, radians
    samples  on a side of each pixel that are averaged; 1 = the nearest one. The item is that of the pixel's middle.
    """
    cx, cy, r0, r1, a0, a1 = sector[0], sector[1], sector[2], sector[3], sector[4], sector[5]
    rows, columns = straight.shape
    height, width = image.shape
    per_turn, per_pixel = columns / (a1 - a0), rows / (r1 - r0)
    middle = (a0 + a1) / 2
    near, far = min(r0, r1) - 1.0, max(r0, r1) + 1.0
    for y in range(height):
        dy = y + 0.5 - cy
        for x in range(width):
            dx = x + 0.5 - cx
            square = dx * dx + dy * dy
            if square > far * far or (near > 0 and square < near * near):
                continue
            radius = math.sqrt(square)
            angle = turn_of(dy, dx) - middle
            if angle < -math.pi:
                angle += 2 * math.pi * math.ceil((-math.pi - angle) / (2 * math.pi))
            elif angle >= math.pi:
                angle -= 2 * math.pi * (1 + math.floor((angle - math.pi) / (2 * math.pi)))
            u, v = (angle + middle - a0) * per_turn, (radius - r0) * per_pixel
            inside = 0 <= u < columns and 0 <= v < rows
            if inside and len(straight_item) > 0:
                item[y, x] = straight_item[int(v), int(u)]
            if samples == 1:
                if inside:
                    image[y, x] = straight[int(v), int(u)]
                continue
            # Near by, u and v change evenly.
            turn = per_turn / max(square, 0.25)
            grow = per_pixel / max(radius, 0.5)
            r = g = b = a = 0
            for j in range(samples):
                oy = (j + 0.5) / samples - 0.5
                for i in range(samples):
                    ox = (i + 0.5) / samples - 0.5
                    su = u + (dx * oy - dy * ox) * turn
                    sv = v + (dx * ox + dy * oy) * grow
                    if 0 <= su < columns and 0 <= sv < rows:
                        pixel = straight[int(sv), int(su)]
                        r += pixel & 255
                        g += (pixel >> 8) & 255
                        b += (pixel >> 16) & 255
                        a += (pixel >> 24) & 255
            count = samples * samples
            half = count // 2
            image[y, x] = np.uint32(
                ((r + half) // count)
                | (((g + half) // count) << 8)
                | (((b + half) // count) << 16)
                | (((a + half) // count) << 24)
            )
