"""What stands around the linked views: a line of text above, ends of axes, what colours mean."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Bars, BoxShape, Labels, Pane, Points, Segments, Theme, Viewport

from .figures import written

Layer = Bars | Labels | Points | Segments
TOP, BOTTOM, SIDE = 24.0, 20.0, 10.0  # logical pixels
_SIZE = 11.0


def head(
    text: str, key: tuple[tuple[str, tuple[int, ...]], ...], viewport: Viewport, theme: Theme, y: float = 0.0
) -> list[Layer]:
    """A line of text, with the meaning of colours at the right as far as there is room for both."""
    wide = viewport.measure(text, _SIZE, False)
    right = viewport.width - SIDE
    found: list[Layer] = []
    for word, color in key[::-1]:
        needed = viewport.measure(word, _SIZE, False) + 22.0
        if right - needed < SIDE + min(wide, viewport.width * 0.55):
            break
        right -= needed
        place = np.array([right + 5.0])
        at = np.array([y + TOP / 2])
        red, green, blue, *_ = color
        found.append(Points(name=f"key {word}", x=place, y=at, color=(red, green, blue, 255), size=8.0))
        found.append(Labels(name=f"word {word}", x=place + 8.0, y=at, text=(word,), color=theme.muted, size=_SIZE))
    room = np.array([max(right - SIDE - 4.0, 0.0)])
    said = Labels(
        name="title",
        x=np.array([SIDE]),
        y=np.array([y + TOP / 2]),
        text=(text,),
        color=theme.text,
        size=_SIZE,
        room=room,
    )
    return [said, *found]


def inner(viewport: Viewport, left: float = SIDE) -> BoxShape:
    """The room between the line above and the axis below."""
    return BoxShape(left, TOP, max(viewport.width - left - SIDE, 4.0), max(viewport.height - TOP - BOTTOM, 4.0))


def axis_below(low: float, high: float, unit: str, shape: BoxShape, theme: Theme, middle: str = "") -> list[Layer]:
    """A line with both of its ends written below; what it measures in the middle."""
    y = np.array([shape.y + shape.height])
    left, right = np.array([shape.x]), np.array([shape.x + shape.width])
    below = y + BOTTOM / 2
    least, most = written(low, unit), written(high, unit)
    found: list[Layer] = [
        Segments(name="axis", x0=left, x1=right, y0=y, y1=y, color=theme.level),
        Labels(name="least", x=left, y=below, text=(least,), color=theme.muted, size=_SIZE),
        Labels(name="most", x=right, y=below, text=(most,), color=theme.muted, size=_SIZE, anchor="right"),
    ]
    if middle:
        room = np.array([max(shape.width - 7.0 * (len(least) + len(most)) - 20.0, 0.0)])
        found.append(
            Labels(
                name="measures",
                x=(left + right) / 2,
                y=below,
                text=(middle,),
                color=theme.muted,
                size=_SIZE,
                anchor="center",
                room=room,
            )
        )
    return found


def still(name: str, shape: BoxShape, x: tuple[float, float], y: tuple[float, float]) -> Pane:
    """A pane in which drags are the view's."""
    return Pane(name, shape, x, y, "", "")
