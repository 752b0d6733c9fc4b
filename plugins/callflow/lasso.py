"""Runs selected by a line drawn round them (CF-3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import Areas, EventKind, Theme, ViewEvent

from .figures import Floats
from .state import CallFlowState, Lasso

Longs = npt.NDArray[np.int64]
MOST = 1_000  # corners
_APART = 3.0  # logical pixels between corners


@dataclass(frozen=True, eq=False)
class RunMarks:
    """Where k marks of runs lie. x, y: float64[k], logical pixels of the part; run: int64[k], -1 = of no run."""

    x: Floats
    y: Floats
    run: Longs


def drawn_on(state: CallFlowState, event: ViewEvent) -> CallFlowState:
    """The line so far."""
    assert event.start is not None
    points = state.lasso.points or (event.start.px, event.start.py)
    if math.hypot(event.px - points[-2], event.py - points[-1]) < _APART or len(points) >= 2 * MOST:
        return state
    return replace(state, lasso=Lasso(event.part, (*points, event.px, event.py)))


def caught(state: CallFlowState, marks: RunMarks, event: ViewEvent) -> CallFlowState:
    """The runs of the marks within the line are selected; Shift adds them to those that are."""
    assert event.kind is EventKind.DROP
    inside = marks.run[within(state.lasso, marks.x, marks.y) & (marks.run >= 0)]
    runs = set(inside.tolist()) | (set(state.runs) if "shift" in event.modifiers else set())
    return replace(state, runs=tuple(sorted(runs)), lasso=Lasso())


def within(lasso: Lasso, x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
    """bool[k]: the places that lie within the line, which is closed between its ends (even-odd rule)."""
    found = np.zeros(len(x), np.bool_)
    corners = np.array(lasso.points, np.float64).reshape(-1, 2)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:
            crosses = (y0 > y) != (y1 > y)
            found ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return found


def lasso_layers(state: CallFlowState, part: str, theme: Theme) -> list[Areas]:
    """The line, while it is drawn in this part."""
    if state.lasso.part != part or len(state.lasso.points) < 6:
        return []
    points = np.array(state.lasso.points, np.float64).reshape(-1, 2)
    ptr = np.array([0, len(points)])
    return [Areas(name="lasso", points=points, ptr=ptr, color=(*theme.accent[:3], 40), outline=theme.accent)]
