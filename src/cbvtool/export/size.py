"""How large a picture is, in pixels and in those units in which its letters are as large as in the window."""

from __future__ import annotations

Size = tuple[int, int]

LEAST = (640, 480)  # title and legends have room beside the view


def logical(pixels: Size, shown: Size) -> tuple[Size, float]:
    """(size in logical pixels, scale) of a picture that has the letters of the view, as large as its side allows.

    pixels   of the picture; shown: size of the view in logical pixels
    """
    scale = min(pixels[0] / shown[0], pixels[1] / shown[1])
    return (round(pixels[0] / scale), round(pixels[1] / scale)), scale


def readable(pixels: Size) -> tuple[Size, float]:
    """The same for a picture without a window: at 1, or smaller where title and legends would cover the view."""
    small = pixels[0] < LEAST[0] or pixels[1] < LEAST[1]
    return logical(pixels, LEAST) if small else (pixels, 1.0)
