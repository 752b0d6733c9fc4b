"""A ruler: times along the upper border of what is drawn over them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import Theme
from cbvtool.plots.layers import Bars, Labels
from cbvtool.trace.timeline.bars import TimeGrid
from cbvtool.trace.timeline.ticks import time_text

_TICK = 7.0  # logical pixels


def time_ruler(
    grid: TimeGrid, times: npt.NDArray[np.float64], width: float, top: float, high: float, theme: Theme
) -> tuple[Bars, Bars, Labels]:
    """Ground, ticks and times of a ruler, over the whole width of a canvas.

    times  ns, those with a label (`tick_times`)
    top    logical pixels, where it begins; high: how high it is
    """
    x = (grid.warp.forward(times) - grid.left) * (width / (grid.right - grid.left))
    begin, bottom = np.zeros(1), top + high
    tick = np.floor(x)  # ticks and border are whole pixels, and so sharp
    steps = np.diff(times)
    least = float(steps.min()) if len(steps) else grid.window[1] - grid.window[0]
    return (
        Bars(name="ruler ground", x0=begin, x1=begin + width, y0=begin + top, y1=begin + bottom, color=theme.plane),
        Bars(
            name="ruler ticks",
            x0=np.append(tick, 0.0),
            x1=np.append(tick + 1, width),
            y0=np.append(np.full(len(x), bottom - _TICK), bottom - 1),
            y1=np.full(len(x) + 1, bottom),
            color=theme.level,
        ),
        Labels(
            name="ruler times",
            x=np.clip(x + 4, 4, None),
            y=np.full(len(x), top + high / 2 - 1),
            text=tuple(time_text(time, least) for time in times.tolist()),
            color=theme.muted,
            size=11.0,
            room=np.full(len(x), 200.0),
        ),
    )
