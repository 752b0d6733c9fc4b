"""Legends of a small picture, reduced to chips of one line: a sign, the name of the metric, and the largest value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cbvtool.geometry.colors import Theme, gradient
from cbvtool.geometry.picture import Color, Item, Rect, Text
from cbvtool.geometry.scales import Legend

NARROW, LOW = 410, 380  # px: a picture narrower or lower than this has chips in place of cards
TALL = 24.0  # px of a chip
SHARE = 0.66  # of a row that the first of two chips takes
APART = 6.0  # px between two of them
EDGE = 14.0  # px to the edges of the picture
PAD = 8.0  # px inside
SIGN = 30.0  # px, width of the sign
THIN = 8.0  # px, height of the sign
SIZE = 11.0  # px of the text
PIECES = 15  # of a sign with a gradient

Measure = Callable[[str, float, bool], float]


def are_chips(width: int, height: int) -> bool:
    """Whether a picture of that size is too small for the cards of legends."""
    return width < NARROW or height < LOW


def chip_boxes(width: int, height: int) -> list[tuple[float, float, float, float]]:
    """(x, y, width, height) of the chips of heights, colours and relations; the first and the last share a row."""
    wide = width - 2 * EDGE
    first = (wide - APART) * SHARE
    low, high = height - EDGE - TALL, height - EDGE - 2 * TALL - APART
    return [
        (EDGE, high, first, TALL),
        (EDGE, low, wide, TALL),
        (EDGE + first + APART, high, wide - APART - first, TALL),
    ]


def color_sign(legend: Legend, x: float, y: float) -> list[Item]:
    """The sign of the colours, from the smallest to the largest value; for classes, the first ones."""
    if legend.by_class:
        colors = [entry.color for entry in legend.classes[:3]]
    else:
        at = [place for place, _ in legend.stops]
        shares = np.linspace(0, 1, PIECES) if legend.maximum > legend.minimum else np.zeros(PIECES)
        channels = [np.interp(shares, at, [color[c] for _, color in legend.stops]) for c in range(3)]
        colors = [(round(r), round(g), round(b), 255) for r, g, b in np.stack(channels, axis=1).tolist()]
    return _side_by_side(colors, x, y, [THIN] * len(colors))


def height_sign(theme: Theme, x: float, y: float) -> list[Item]:
    """Three blocks, each higher than the one before."""
    wide = SIGN / 3 - 2
    return [
        Rect(x + PAD + number * (wide + 2), y + TALL / 2 + 6 - high, wide, high, theme.muted)
        for number, high in enumerate((4.0, 8.0, 12.0))
    ]


def relation_sign(ends: tuple[Color, Color], x: float, y: float) -> list[Item]:
    """The sign of relations: a stroke from dependant to dependency that becomes narrower."""
    rows = np.rint(gradient(*ends, PIECES)).astype(int).tolist()
    colors = [(r, g, b, 255) for r, g, b in rows]
    return _side_by_side(colors, x, y, np.linspace(7.0, 2.0, PIECES).tolist())


def chip_words(theme: Theme, text: str, x: float, y: float) -> Text:
    """The text of a chip beside its sign."""
    return Text(text, x + PAD + SIGN + 6, y + TALL / 2, SIZE, theme.text, "left")


def words_room(wide: float) -> float:
    """Pixels that the text of a chip of width `wide` may take."""
    return wide - 2 * PAD - SIGN - 6


def _side_by_side(colors: list[Color], x: float, y: float, heights: list[float]) -> list[Item]:
    edges = [round(x + PAD + SIGN * number / len(colors)) for number in range(len(colors) + 1)]
    return [
        Rect(left, y + (TALL - tall) / 2, right - left, tall, color)
        for left, right, tall, color in zip(edges[:-1], edges[1:], heights, colors, strict=True)
    ]
