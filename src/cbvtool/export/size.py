"""The size of a picture in pixels, and in units in which its letters are as large as in the window."""

from __future__ import annotations

Size = tuple[int, int]

LEAST = (640, 480)  # smallest size at which title and legends have room beside the view


def logical(pixels: Size, shown: Size) -> tuple[Size, float]:
    """(size in logical pixels, scale) of a picture whose letters are as large, relative to the view, as in the window.

    pixels   of the picture; shown: size of the view in logical pixels
    """
    scale = min(pixels[0] / shown[0], pixels[1] / shown[1])
    return (round(pixels[0] / scale), round(pixels[1] / scale)), scale


def readable(pixels: Size) -> tuple[Size, float]:
    """As `logical`, without a window: at scale 1, or smaller if title and legends would cover the view."""
    small = pixels[0] < LEAST[0] or pixels[1] < LEAST[1]
    return logical(pixels, LEAST) if small else (pixels, 1.0)
