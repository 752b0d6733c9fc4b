"""Many curves whose colour changes along them, filled into an image: laid over each other, or the darker one wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

BLENDS = ("over", "min", "max")
_PICKED = 0.4  # of a pixel that a curve covers


def curve_image(
    points: npt.NDArray[np.float32] | npt.NDArray[np.float64],
    width: npt.NDArray[np.float64],
    color: npt.NDArray[np.float64],
    ground: tuple[int, int, int, int],
    size: tuple[int, int],
    blend: str = "over",
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """(uint8[h, w, 4], int32[h, w] the curve that a pixel shows or -1) of e curves, the last one on top.

    points  float[e, samples, 2]  pixels
    width   float64[e]  pixels
    color   float64[e, 2, 4]  at the begin and the end of each, 0..255; alpha is of the whole curve
    ground  what lies behind; pixels that no curve touches are transparent, all others opaque
    size    (width, height)
    blend   "over"; "min": on each channel the smaller value, "max": the larger one (EX-4). Both do not depend on the
            order of the curves
    """
    wide, high = size
    image, item = np.zeros((high, wide, 4), np.uint8), np.full((high, wide), -1, np.int32)
    if high and wide and len(points):
        shade = np.empty((high, wide, 3), np.float32)
        shade[:] = ground[:3]
        before = np.empty((high, wide, 4), np.float32)
        stamp = np.full((high, wide), -1, np.int32)
        behind = np.array(ground[:3], np.float64)
        number = BLENDS.index(blend)
        _fill(np.asarray(points, np.float64), width, color, behind, number, (shade, before, stamp, item))
        touched = stamp >= 0
        image[touched, :3] = np.rint(shade[touched])
        image[touched, 3] = 255
    return image, item


@kernel
def _fill(points: Any, width: Any, color: Any, ground: Any, blend: int, pixels: Any) -> None:
    """before: float32[h, w, 4], the shade of each pixel before the curve of `stamp`, and how much of it this covers."""
    shade, before, stamp, item = pixels
    high, wide = stamp.shape
    samples = points.shape[1]
    for curve in range(len(points)):
        half = max(width[curve], 0.2) / 2
        alpha = color[curve, 0, 3] / 255
        thin = min(1.0, 2 * half)  # a curve thinner than a pixel is paler
        half = max(half, 0.5)
        for piece in range(samples - 1):
            x0, y0 = points[curve, piece, 0], points[curve, piece, 1]
            x1, y1 = points[curve, piece + 1, 0], points[curve, piece + 1, 1]
            dx, dy = x1 - x0, y1 - y0
            long = np.sqrt(dx * dx + dy * dy)
            if not long > 1e-9:
                continue
            flat = abs(dx) >= abs(dy)
            a0, a1, b0, slope = (x0, x1, y0, dy / dx) if flat else (y0, y1, x0, dx / dy)
            slant = (abs(dx) if flat else abs(dy)) / long
            first, last = int(np.floor(min(a0, a1))), int(np.floor(max(a0, a1)))
            reach = (half + 0.5) / slant
            for a in range(max(first, 0), min(last, (wide if flat else high) - 1) + 1):
                at = min(max(a + 0.5, min(a0, a1)), max(a0, a1))
                middle = b0 + (at - a0) * slope
                gone = (piece + (at - a0) / (a1 - a0)) / (samples - 1)
                red = color[curve, 0, 0] + (color[curve, 1, 0] - color[curve, 0, 0]) * gone
                green = color[curve, 0, 1] + (color[curve, 1, 1] - color[curve, 0, 1]) * gone
                blue = color[curve, 0, 2] + (color[curve, 1, 2] - color[curve, 0, 2]) * gone
                low = max(int(np.floor(middle - reach)), 0)
                top = min(int(np.floor(middle + reach)), (high if flat else wide) - 1)
                for b in range(low, top + 1):
                    share = min(max(half + 0.5 - abs(b + 0.5 - middle) * slant, 0.0), 1.0) * thin
                    y, x = (b, a) if flat else (a, b)
                    mine = stamp[y, x] == curve
                    if share <= 0.0 or (mine and share <= before[y, x, 3]):
                        continue
                    if not mine:
                        stamp[y, x] = curve
                        before[y, x, 0], before[y, x, 1], before[y, x, 2] = (
                            shade[y, x, 0],
                            shade[y, x, 1],
                            shade[y, x, 2],
                        )
                    before[y, x, 3] = share
                    if share >= _PICKED * thin:
                        item[y, x] = curve
                    ink = share * alpha
                    r, g, u = before[y, x, 0], before[y, x, 1], before[y, x, 2]
                    if blend == 0:
                        r, g, u = r + (red - r) * ink, g + (green - g) * ink, u + (blue - u) * ink
                    else:
                        to_r = ground[0] + (red - ground[0]) * ink
                        to_g = ground[1] + (green - ground[1]) * ink
                        to_u = ground[2] + (blue - ground[2]) * ink
                        if blend == 1:
                            r, g, u = min(to_r, r), min(to_g, g), min(to_u, u)
                        else:
                            r, g, u = max(to_r, r), max(to_g, g), max(to_u, u)
                    shade[y, x, 0], shade[y, x, 1], shade[y, x, 2] = r, g, u
