"""A flat picture as data: what to paint over the 3D frame, for any painter (QPainter, Pillow, SVG)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

Color = tuple[int, int, int, int]  # red, green, blue, alpha; 0..255


@dataclass(frozen=True)
class Text:
    """One line of text. `x`, `y` in pixels from the top left; `angle` in degrees, clockwise, about (x, y)."""

    text: str
    x: float
    y: float
    size: float  # pixels, the height of the font
    color: Color
    anchor: str = "center"  # left | center | right: the part of the text at x; vertically it is centred on y
    angle: float = 0.0
    bold: bool = False
    halo: Color | None = None
    key: int = -1  # node it names


@dataclass(frozen=True)
class Rect:
    """A rectangle with round corners, filled and outlined; alpha 0 leaves either out."""

    x: float
    y: float
    width: float
    height: float
    fill: Color
    outline: Color = (0, 0, 0, 0)
    radius: float = 0.0


@dataclass(frozen=True)
class Polyline:
    """Straight pieces through `points` [(x, y), ...]; `fill` with alpha > 0 closes and fills it."""

    points: tuple[tuple[float, float], ...]
    color: Color
    width: float = 1.0
    dashed: bool = False
    fill: Color = (0, 0, 0, 0)


@dataclass(frozen=True)
class Image:
    """Pixels stretched over a rectangle; pixels uint8[h, w, 4], the colours multiplied by alpha.

    `darken`: over other items, the darker of both colours is shown.
    """

    x: float
    y: float
    width: float
    height: float
    pixels: npt.NDArray[np.uint8] = field(compare=False)
    darken: bool = False


Item = Text | Rect | Polyline | Image


def unmultiplied(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """uint8[h, w, 4]: the same pixels, the colours no longer multiplied by alpha."""
    alpha = pixels[..., 3:].astype(np.uint32)
    whole = np.where(alpha > 0, (pixels[..., :3] * np.uint32(255) + alpha // 2) // np.maximum(alpha, 1), 0)
    return np.concatenate((np.minimum(whole, 255).astype(np.uint8), pixels[..., 3:]), axis=2)


@dataclass(frozen=True)
class Picture:
    """Items in the order of painting."""

    width: int
    height: int
    items: tuple[Item, ...] = ()

    def __add__(self, other: Picture) -> Picture:
        return Picture(self.width, self.height, self.items + other.items)

    def scaled(self, factor: float) -> Picture:
        """The same, everything `factor` times as large."""
        if factor == 1:
            return self
        items = tuple(_scaled(item, factor) for item in self.items)
        return Picture(round(self.width * factor), round(self.height * factor), items)


def _scaled(item: Item, factor: float) -> Item:
    if isinstance(item, Text):
        return replace(item, x=item.x * factor, y=item.y * factor, size=item.size * factor)
    if isinstance(item, Rect):
        return Rect(
            item.x * factor,
            item.y * factor,
            item.width * factor,
            item.height * factor,
            item.fill,
            item.outline,
            item.radius * factor,
        )
    if isinstance(item, Image):
        x, y, width, height = (value * factor for value in (item.x, item.y, item.width, item.height))
        return replace(item, x=x, y=y, width=width, height=height)
    points = tuple((x * factor, y * factor) for x, y in item.points)
    return replace(item, points=points, width=item.width * factor)
