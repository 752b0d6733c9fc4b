"""What stands around the threads: overviews of whole threads, the time axis of the straight one, handles, grounds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Areas,
    Bars,
    BoxShape,
    Labels,
    LevelFolding,
    Levels,
    Pane,
    Points,
    Raster,
    SectorShape,
    Segments,
    Theme,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    bars_of,
    grid_of,
    level_tops,
    tick_times,
    time_ruler,
    time_text,
)

from .arranging import HEADER, RULER, STRIP, Arrangement
from .bars import striped
from .pairs import Known
from .palette import IO, activities, call_colors, thread_color
from .state import SyncState

Layer = Areas | Bars | Labels | Points | Raster | Segments
ARC = 24  # pieces of a border that is bent
_OUTER = 6  # levels in an overview


def ground_layers(context: ViewContext, at: Arrangement) -> tuple[Layer, ...]:
    """The ground of each sector, and the borders that can be moved: splitter and zero-level radius (ST-6)."""
    return context.memo(_ground, at, context.theme)


def _ground(at: Arrangement, theme: Theme) -> tuple[Layer, ...]:
    if not at.at.ring:
        return ()
    rings = [ring_outline(at.panes[thread].shape, at.radii[0], at.radii[1]) for thread in at.at.ring]
    (cx, cy), (inner, _) = at.center, at.radii
    shape = at.panes[at.at.main].shape
    assert isinstance(shape, BoxShape)
    y, wide = at.split, shape.width
    item = np.zeros(1, np.int32)
    one = np.ones(1)
    return (
        Areas(
            name="grounds",
            points=np.concatenate(rings),
            ptr=np.arange(len(rings) + 1, dtype=np.int64) * 2 * ARC,
            color=theme.plane,
        ),
        Bars(
            name="splitter",
            x0=0 * one,
            x1=wide * one,
            y0=(y - 3) * one,
            y1=(y + 4) * one,
            color=(0, 0, 0, 0),
            item=item,
            grab=True,
        ),
        Segments(name="split line", x0=0 * one, y0=y * one, x1=wide * one, y1=y * one, color=theme.level),
        Bars(
            name="split grip",
            x0=(cx - 18) * one,
            x1=(cx + 18) * one,
            y0=(y - 1.5) * one,
            y1=(y + 1.5) * one,
            color=theme.muted,
        ),
        Points(
            name="radius",
            x=cx * one,
            y=(cy + inner - 14) * one,
            color=theme.muted,
            size=9.0,
            shape="diamond",
            item=item,
            grab=True,
        ),
    )


def ring_outline(shape: object, near: float, far: float) -> npt.NDArray[np.float64]:
    """float64[2 * ARC, 2]: a part of a ring between two radii."""
    assert isinstance(shape, SectorShape)
    turn = np.linspace(shape.a0, shape.a1, ARC)
    radius, turn = np.repeat((far, near), ARC), np.concatenate((turn, turn[::-1]))
    return np.stack((shape.cx + radius * np.cos(turn), shape.cy + radius * np.sin(turn)), axis=1)


def overview(
    context: ViewContext, at: Arrangement, thread: int, row: int, known: Known | None, number: int, width: float
) -> tuple[Pane, tuple[Layer, ...]]:
    """A thread as a miniature of the whole trace, with its window. row: below which other one it stands."""
    whole = at.trace.length
    y, name = HEADER + STRIP * row, f"over {thread}"
    pane = Pane(name, BoxShape(0.0, y + 1, width, STRIP - 4), (0.0, whole), (0.0, 1.0), "", "")
    bars = context.memo(_miniature, at.trace, at.levels, thread, name, known, width, context.theme)
    low, high = at.windows[thread]
    if high - low >= whole:
        return pane, bars
    theme, scale = context.theme, width / whole
    x0, x1 = low * scale, max(high * scale, low * scale + 2)
    y0, y1 = np.full(2, y), np.full(2, y + STRIP - 2)
    veil = Bars(
        name=f"veil {name}",
        x0=np.array([0.0, x1]),
        x1=np.array([x0, width]),
        y0=y0,
        y1=y1,
        color=(*theme.ground[:3], 175),
    )
    ends = np.array([x0, x1])
    color = thread_color(number)
    return pane, (*bars, veil, Segments(name=f"ends {name}", x0=ends, x1=ends, y0=y0, y1=y1, color=color, width=2.0))


def time_axis(context: ViewContext, state: SyncState, at: Arrangement, viewport: Viewport) -> tuple[Layer, ...]:
    """Times of the window of the straight thread, above it, and the moment under the pointer there."""
    shape = at.panes[at.at.main].shape
    assert isinstance(shape, BoxShape)
    low, high = at.windows[at.at.main]
    top, width, theme = shape.y - RULER, max(shape.width, 1.0), context.theme
    grid = context.memo(grid_of, (low, high), width)
    layers: tuple[Layer, ...] = context.memo(_axis, grid, width, top, theme)
    if state.over == at.at.main and low <= state.at <= high:
        text = time_text(state.at, (high - low) / width)
        half = viewport.measure(text, 11.0, True) / 2 + 4
        x = np.array([min(max((state.at - low) / (high - low) * width, half), max(width - half, half))])
        layers += (
            Bars(
                name="pointer ground",
                x0=x - half,
                x1=x + half,
                y0=np.array([top]),
                y1=np.array([top + RULER - 1]),
                color=theme.plane,
            ),
            Labels(
                name="pointer time",
                x=x,
                y=np.array([top + RULER / 2 - 1]),
                text=(text,),
                color=theme.text,
                size=11.0,
                anchor="center",
                bold=True,
            ),
        )
    return layers


def _axis(grid: TimeGrid, width: float, top: float, theme: Theme) -> tuple[Layer, ...]:
    return time_ruler(grid, tick_times(grid, width), width, top, RULER, theme)


def _miniature(
    trace: Trace, levels: Levels, thread: int, name: str, known: Known | None, width: float, theme: Theme
) -> tuple[Bars, ...]:
    bars = bars_of(trace, levels, thread, grid_of((0.0, trace.length), max(width, 4.0)), _OUTER)
    deep = min(max(levels.depth_of(thread), 1), _OUTER)
    tops = level_tops(LevelFolding(unfolded=1.0 / deep), deep)
    none = np.zeros(len(bars), np.int64)
    wait, io = (none, none) if known is None else (known.wait[bars.row], known.io[bars.row])
    long = (trace.calls.end[bars.row] - trace.calls.start[bars.row]).astype(np.int64)
    plain = Bars(
        name=f"bars {name}",
        pane=name,
        x0=bars.x0,
        x1=bars.x1,
        y0=tops[bars.depth],
        y1=tops[bars.depth + 1],
        color=call_colors(wait, io, long, theme),
    )
    return plain, striped(f"io {name}", plain, np.flatnonzero(activities(wait, io) == IO))
