"""Counters as strips above the threads, instants as marks in them: on the same warped time as calls."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    Labels,
    Points,
    Segments,
    Theme,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    Warp,
    duration,
    time_text,
)

from .counting import CounterTrack, column_values, value_at
from .palette import mixed
from .shown import RULER, STRIP, counters_in, warp_in

_MARK = 7.0  # logical pixels of an instant


def strip_layers(context: ViewContext, grid: TimeGrid, viewport: Viewport) -> tuple[Bars | Labels | Segments, ...]:
    """The strips of all counters, one below another under the ruler."""
    layers: list[Bars | Labels | Segments] = []
    for number, track in enumerate(counters_in(context)):
        top = RULER + STRIP * number
        layers += context.memo(_strip, track, number, grid, top, viewport.width, context.theme)
    return tuple(layers)


def _strip(
    track: CounterTrack, number: int, grid: TimeGrid, top: float, width: float, theme: Theme
) -> tuple[Bars | Labels | Segments, ...]:
    value = column_values(track, grid)
    known = np.flatnonzero(np.isfinite(value))
    low, high = min(float(track.value.min()), 0.0), max(float(track.value.max()), 0.0)
    room, base = STRIP - 8, top + STRIP - 3
    scale = room / (high - low) if high > low else 0.0
    column = width / len(value)
    zero = base + low * scale
    y = zero - value[known] * scale
    color = mixed(np.array([theme.accent], np.uint8), theme.ground, 0.45)[0]
    shade = (int(color[0]), int(color[1]), int(color[2]), 255)
    bars = Bars(
        name=f"counter {number}",
        x0=known * column,
        x1=(known + 1) * column,
        y0=np.minimum(y, zero - 1),
        y1=np.maximum(y, zero),
        color=shade,
        item=np.full(len(known), number, np.int32),
    )
    line = Segments(
        name=f"counter line {number}",
        x0=np.array([0.0]),
        x1=np.array([width]),
        y0=np.array([base]),
        y1=np.array([base]),
        color=theme.line,
    )
    most = f"{track.name}, up to {track.value.max():,.6g}"
    label = Labels(
        name=f"counter name {number}",
        x=np.array([8.0]),
        y=np.array([top + 9]),
        text=(most,),
        color=theme.text,
        size=11.0,
        halo=theme.halo,
    )
    return bars, line, label


def instants_layer(context: ViewContext, thread: int, pane: str, grid: TimeGrid, width: float) -> Points | None:
    """Marks on the upper edge of a thread; those that lie in one place are one mark."""
    found: Points | None = context.memo(_marks, context.trace(), thread, pane, grid, width, context.theme)
    return found


def _marks(trace: Trace, thread: int, pane: str, grid: TimeGrid, width: float, theme: Theme) -> Points | None:
    rows = instants_of(trace, thread)
    if not len(rows):
        return None
    time = trace.table("instants")["time"][rows].astype(np.float64) - trace.span[0]
    inside = np.flatnonzero((time >= grid.window[0]) & (time <= grid.window[1]))
    if not len(inside):
        return None
    x = grid.warp.forward(time[inside])
    place = ((x - grid.left) * (width / (grid.right - grid.left)) / (_MARK / 2)).astype(np.int64)
    _, first = np.unique(place, return_index=True)
    return Points(
        name=f"instants {thread}",
        pane=pane,
        x=x[first],
        y=np.full(len(first), 2.0),
        color=theme.warning,
        shape="triangle",
        size=_MARK,
        item=rows[inside][first].astype(np.int32),
    )


def instants_of(trace: Trace, thread: int) -> npt.NDArray[np.int64]:
    """Rows of the instants of a thread, by time; those of no thread belong to the first one."""
    table = trace.table("instants")
    own = table["thread"] == thread
    if thread == 0:
        own = own | (table["thread"] < 0)
    rows = np.flatnonzero(own)
    return rows[np.argsort(table["time"][rows], kind="stable")]


def tell_counter(context: ViewContext, number: int, x: float) -> tuple[str, ...]:
    """The value of a counter at a place of warped time."""
    tracks = counters_in(context)
    if not 0 <= number < len(tracks):
        return ()
    warp: Warp = warp_in(context)
    value = value_at(tracks[number], float(warp.inverse(x)))
    return (tracks[number].name, f"{value:,.6g}" if value == value else "no value yet")


def tell_instant(context: ViewContext, row: int) -> tuple[str, ...]:
    """What happened, and when."""
    trace = context.trace()
    table = trace.table("instants")
    if not 0 <= row < len(table):
        return ()
    name, text = trace.strings[int(table["name"][row])], trace.strings[int(table["text"][row])]
    time = float(table["time"][row] - trace.span[0])
    return tuple(line for line in (name, text, f"at {time_text(time, max(time / 1e6, 1.0))}") if line)


def range_layers(
    window: tuple[float, float] | None, grid: TimeGrid, viewport: Viewport, theme: Theme
) -> tuple[Bars | Labels | Segments, ...]:
    """A range of time that was chosen, with its length."""
    if window is None:
        return ()
    x = (grid.warp.forward(np.array(window)) - grid.left) * (viewport.width / (grid.right - grid.left))
    x0, x1 = (float(min(max(place, 0.0), viewport.width)) for place in x)
    top, bottom = np.array([viewport.top]), np.array([viewport.top + viewport.height])
    ends = np.array([x0, x1])
    return (
        Bars(
            name="range",
            x0=np.array([x0]),
            x1=np.array([max(x1, x0 + 1)]),
            y0=top,
            y1=bottom,
            color=(*theme.accent[:3], 26),
        ),
        Segments(
            name="range ends", x0=ends, x1=ends, y0=np.repeat(top, 2), y1=np.repeat(bottom, 2), color=theme.accent
        ),
        Labels(
            name="range length",
            x=np.array([(x0 + x1) / 2]),
            y=top + 38,
            text=(duration(int(window[1] - window[0])),),
            color=theme.accent,
            size=11.0,
            anchor="center",
            bold=True,
            halo=(*theme.ground[:3], 255),
        ),
    )
