"""Overviews of the whole trace (TV-2), by structure and by pattern, with markers of window and activity."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_CALL,
    NO_FUNCTION,
    Bars,
    BoxShape,
    Labels,
    LevelFolding,
    Levels,
    NeedProgress,
    Pane,
    Plot,
    Raster,
    Segments,
    Theme,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    Warp,
    activity_pattern,
    bars_of,
    grid_of,
    level_tops,
    levels_in,
    thread_title,
)

from .activity import colors_in
from .palette import Colors, mixed
from .shown import grid_in, threads_of, warp_in
from .state import TraceVisState, window_of

COLUMNS = 1024  # of the pattern
_STRIP = 12.0  # logical pixels for the activity of one function
_Pattern = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]


def make_pattern(trace: Trace, threads: tuple[int, ...], warp: Warp, progress: NeedProgress) -> _Pattern:
    """`activity_pattern` of the whole trace: a need."""
    return activity_pattern(trace, threads, grid_of((0.0, trace.length), COLUMNS, warp), progress)


def draw_structure(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Plot:
    """The thread in focus as a miniature icicle plot of the whole trace."""
    threads, levels = threads_of(context, state), levels_in(context)
    if levels is None or not threads:
        return Plot()
    thread = threads[0]
    if state.selected != NO_CALL:
        own = int(context.trace().thread_of(np.array([state.selected]))[0])
        thread = own if own in threads else thread
    elif state.hover is not None and state.hover[0] in threads:
        thread = state.hover[0]
    grid = grid_in(context, (0.0, context.trace().length), viewport.width)
    height = max(viewport.height - _STRIP, 10.0)
    bars = context.memo(_miniature, context.trace(), levels, thread, grid, height, colors_in(context)[1], context.theme)
    pane = Pane("whole", BoxShape(0.0, 0.0, viewport.width, height), (grid.left, grid.right), (0.0, height), "", "")
    name = Labels(
        name="name",
        x=np.array([8.0]),
        y=np.array([height - 10]),
        text=(thread_title(context.trace().threads, thread),),
        color=context.theme.text,
        size=11.0,
        bold=True,
        halo=context.theme.halo,
    )
    return Plot((pane,), (bars, *_activity(context, height, viewport), *_markers(context, state, grid, viewport), name))


def _miniature(
    trace: Trace, levels: Levels, thread: int, grid: TimeGrid, height: float, colors: Colors, theme: Theme
) -> Bars:
    depth = max(levels.depth_of(thread), 1)
    row = min(height / depth, 14.0)
    bars = bars_of(trace, levels, thread, grid)
    tops = level_tops(LevelFolding(unfolded=row), depth - 1)
    color = mixed(colors[trace.calls.function[bars.row]], theme.ground, np.where(bars.count > 1, 0.25, 0.0))
    return Bars(
        name="whole trace",
        pane="whole",
        x0=bars.x0,
        x1=bars.x1,
        y0=tops[bars.depth],
        y1=tops[bars.depth + 1],
        color=color,
    )


def draw_pattern(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Plot:
    """Functions down, time across, dark where a function runs."""
    found: _Pattern | None = context.found.get("pattern")
    if found is None:
        say = Labels(
            name="wait",
            x=np.array([viewport.width / 2]),
            y=np.array([viewport.height / 2]),
            text=("Looking for patterns …",),
            color=context.theme.muted,
            anchor="center",
        )
        return Plot((), (say,))
    height = max(viewport.height - _STRIP, 10.0)
    grid = grid_in(context, (0.0, context.trace().length), viewport.width)
    pixels = max(int(height * viewport.scale), 1)
    image = context.memo(_mural, found[0], pixels, context.theme)
    box = (grid.left, 0.0, grid.right, height)
    pane = Pane("whole", BoxShape(0.0, 0.0, viewport.width, height), (grid.left, grid.right), (0.0, height), "", "")
    raster = context.memo(_raster, image, box)
    return Plot((pane,), (raster, *_activity(context, height, viewport), *_markers(context, state, grid, viewport)))


def _raster(image: npt.NDArray[np.uint8], box: tuple[float, float, float, float]) -> Raster:
    return Raster(name="pattern", pane="whole", image=image, box=box, smooth=True)


def _mural(shares: npt.NDArray[np.float32], pixels: int, theme: Theme) -> npt.NDArray[np.uint8]:
    """uint8[h, w, 4]: rows averaged down to pixels, so that nothing is lost between them (Information Mural)."""
    rows: npt.NDArray[np.floating[Any]] = shares
    if len(rows) > pixels:
        edges = np.linspace(0, len(rows), pixels + 1).astype(np.int64)
        sums = np.add.reduceat(rows, edges[:-1], axis=0)
        rows = sums / np.maximum(np.diff(edges), 1)[:, None]
    ink = np.sqrt(np.clip(rows, 0.0, 1.0))[..., None]  # a short call is seen as well
    ground, dark = (np.array(color[:3], np.float64) for color in (theme.ground, theme.text))
    image = np.full((*rows.shape, 4), 255, np.uint8)
    image[..., :3] = np.rint(ground * (1 - ink) + dark * ink)
    return image


def _activity(context: ViewContext, top: float, viewport: Viewport) -> tuple[Any, ...]:
    """Markers of all calls of the selected function, in a strip of their own."""
    function, found = context.focus.function, context.found.get("pattern")
    if function == NO_FUNCTION or found is None:
        return ()
    place = np.flatnonzero(found[1] == function)
    if not len(place):
        return ()
    return (context.memo(_strip, found[0], int(place[0]), top, viewport.width, context.theme),)


def _strip(shares: npt.NDArray[np.float32], row: int, top: float, width: float, theme: Theme) -> Bars:
    active = np.flatnonzero(shares[row] > 0)
    x0 = active * (width / shares.shape[1])
    alpha = np.rint(110 + 145 * shares[row][active]).astype(np.uint8)
    color = np.empty((len(active), 4), np.uint8)
    color[:, :3], color[:, 3] = theme.accent[:3], alpha
    y = np.full(len(active), top + 2)
    return Bars(name="activity", x0=x0, x1=x0 + max(width / shares.shape[1], 1.0), y0=y, y1=y + _STRIP - 4, color=color)


def _markers(context: ViewContext, state: TraceVisState, grid: TimeGrid, viewport: Viewport) -> tuple[Any, ...]:
    """What lies outside of the window is veiled; its ends are lines."""
    low, high = warp_in(context).forward(np.array(window_of(context, state))).tolist()
    scale = viewport.width / max(grid.right - grid.left, 1e-12)
    x0, x1 = (low - grid.left) * scale, (high - grid.left) * scale
    if x1 - x0 >= viewport.width - 1:
        return ()
    theme, bottom = context.theme, viewport.height
    x1 = max(x1, x0 + 2)
    veil = Bars(
        name="veil",
        x0=np.array([0.0, x1]),
        x1=np.array([x0, viewport.width]),
        y0=np.zeros(2),
        y1=np.full(2, bottom),
        color=(*theme.ground[:3], 165),
    )
    ends = Segments(
        name="window",
        x0=np.array([x0, x1]),
        x1=np.array([x0, x1]),
        y0=np.zeros(2),
        y1=np.full(2, bottom),
        color=theme.accent,
        width=2.0,
    )
    return veil, ends
