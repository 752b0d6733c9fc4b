"""The legend below the plane: what colours mean, their strength, and marks (OC-3)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import AREA, OTHER_TIMES, SAME_TIMES, Bars, Labels, Shapes, Theme, Viewport

from .frame import LEGEND
from .palette import between, state_colors
from .preparing import Model

_SIZE, _BOX, _STEPS = 11.0, 11.0, 24


def legend(model: Model, shapes: Shapes, two: bool, viewport: Viewport, theme: Theme) -> tuple[Bars | Labels, ...]:
    """States as far as there is room, the others counted; what is paler, and marks that are there."""
    colors = state_colors(model.cells, theme)
    top, zero = viewport.height - LEGEND, np.zeros(1)
    texts, places = list[str](), list[float]()
    boxes = list[tuple[float, float, tuple[int, ...]]]()

    def wide(text: str) -> float:
        return viewport.measure(text, _SIZE, False)

    def write(text: str, x: float) -> float:
        texts.append(text)
        places.append(x)
        return x + wide(text) + 14.0

    x, last = 8.0, _strength(model, two)
    if two:
        x = write(model.cells.state[0], x) - 8.0
        for step in range(_STEPS):
            color = between(colors[0], colors[1], np.array([step / (_STEPS - 1)]))[0]
            boxes.append((x + 3.0 * step, x + 3.0 * (step + 1), tuple(color.tolist())))
        x = write(model.cells.state[1], x + 3.0 * _STEPS + 6.0)
    else:
        for count, state in enumerate(model.cells.state):
            left = len(model.cells.state) - count
            ahead = wide(last) + 14.0 + (0.0 if left == 1 else wide(f"and {left:,} more") + 14.0)
            if count and x + _BOX + 5.0 + wide(state) + 14.0 + ahead > viewport.width:
                x = write(f"and {left:,} more", x)
                break
            boxes.append((x, x + _BOX, tuple(colors[count].tolist())))
            x = write(state, x + _BOX + 5.0)
    for text in (last, *_marks(shapes)):
        if x + wide(text) + 8.0 > viewport.width:
            break
        x = write(text, x)
    middle = top + LEGEND / 2
    x0, x1 = np.array([box[0] for box in boxes]), np.array([box[1] for box in boxes])
    return (
        Bars(
            name="legend ground",
            x0=zero,
            x1=zero + viewport.width,
            y0=zero + top,
            y1=zero + viewport.height,
            color=theme.plane,
        ),
        Bars(
            name="legend",
            x0=x0,
            x1=x1,
            y0=x0 * 0 + middle - _BOX / 2,
            y1=x0 * 0 + middle + _BOX / 2,
            color=np.array([box[2] for box in boxes], np.uint8).reshape(-1, 4),
        ),
        Labels(
            name="legend texts",
            x=np.array(places),
            y=np.full(len(places), middle),
            text=tuple(texts),
            color=theme.text,
            size=_SIZE,
        ),
    )


def _strength(model: Model, two: bool) -> str:
    if model.cells.what != "time":
        return "paler: less than in the densest cell"
    return "paler: less of the time is in both" if two else "paler: less of the time, blank: none"


def _marks(shapes: Shapes) -> list[str]:
    """Of those that are drawn."""
    found = ["framed: alike and merged"] if (shapes.mark == AREA).any() else []
    if (shapes.mark == SAME_TIMES).any():
        found.append("╱ too low, cut at the same times")
    if (shapes.mark == OTHER_TIMES).any():
        found.append("╳ at different times")
    return found
