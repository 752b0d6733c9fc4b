"""Where the two icicle plots lie: mirrored, A's root at the top, B's at the bottom, the band between (TD-3, TD-5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    BoxShape,
    LevelFolding,
    Levels,
    Pane,
    TimeBars,
    Trace,
    ViewContext,
    Viewport,
    bars_of,
    grid_of,
    level_tops,
    levels_of,
)

from .control import Side
from .pair import Chosen, source_of
from .state import LOWER, UPPER, TraceDiffState, Window

Floats = npt.NDArray[np.float64]
HEADER, LEGEND = 36.0, 24.0  # logical pixels of the title and the times of each side, and of the legend
PANES = ("upper", "lower")
SMALL = 20_000  # calls: so few are sorted at once, without a worker
_LEVEL, _LEAST, _FOLDED = 18.0, 3.0, 2.0  # logical pixels of a level, at most and at least, and of a folded one


@dataclass(frozen=True, eq=False)
class Plane:
    """One side of the picture.

    pane     x: ns since the thread's root began, y: logical pixels from the outer edge inward
    bars     what is drawn; their x counts like the pane's
    tops     float64: y of the levels
    levels   so many are drawn, of `deepest`
    side     the bars on the canvas
    """

    pane: Pane
    bars: TimeBars
    tops: Floats
    levels: int
    deepest: int
    side: Side

    @property
    def scale(self) -> float:
        """Logical pixels a ns."""
        assert isinstance(self.pane.shape, BoxShape)
        return self.pane.shape.width / max(self.pane.x[1] - self.pane.x[0], 1e-9)


def levels_in(context: ViewContext, trace: Trace, thread: int, side: int) -> Levels | None:
    """The calls of a thread by depth; None while they are being sorted."""
    if len(trace.calls) <= SMALL:
        return context.memo(_own_levels, trace, thread)
    found = context.found.get(f"levels {side}")
    return found[1] if found is not None and found[0] == (id(trace), thread) else None


def _own_levels(trace: Trace, thread: int) -> Levels:
    return levels_of(trace, threads=(thread,))


def root_start(trace: Trace, thread: int) -> float:
    """ns from the start of the trace to that of the thread's first call."""
    low, high = trace.threads.ptr[thread : thread + 2]
    return float(trace.calls.start[low] - trace.span[0]) if high > low else 0.0


def length_of(trace: Trace, thread: int) -> float:
    """ns from the first call of a thread to the end of its last one, at least 1."""
    low, high = (int(each) for each in trace.threads.ptr[thread : thread + 2])
    if low == high:
        return 1.0
    return max(float(trace.calls.end[low:high].max() - trace.calls.start[low]), 1.0)


def whole_of(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Window:
    """From the roots' start to the end of the longer thread: both sides have one scale at first."""
    source = source_of(context, pair)
    both = ((source.upper, pair[UPPER].thread), (source.lower, pair[LOWER].thread))
    return 0.0, max(context.memo(length_of, trace, thread) for trace, thread in both)


def window_of(context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], side: int) -> Window:
    """What is shown of a side."""
    return state.windows[side] or whole_of(context, pair)


def plane_of(
    context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], side: int, viewport: Viewport
) -> Plane | None:
    """One side; None while its calls are being sorted."""
    source = source_of(context, pair)
    trace, thread = (source.upper, source.lower)[side], pair[side].thread
    levels = levels_in(context, trace, thread, side)
    if levels is None:
        return None
    return context.memo(
        icicle_plane,
        trace,
        levels,
        thread,
        side,
        window_of(context, state, pair, side),
        whole_of(context, pair),
        (state.upper[side], state.lower[side]),
        (viewport.width, viewport.height),
        float(context.values["band"]),
    )


def body(size: tuple[float, float]) -> tuple[float, float]:
    """y of the outer edges of both icicle plots."""
    return HEADER, max(size[1] - LEGEND - HEADER, HEADER + 40)


def icicle_plane(
    trace: Trace,
    levels: Levels,
    thread: int,
    side: int,
    window: Window,
    whole: Window,
    fold: tuple[int, int | None],
    size: tuple[float, float],
    band: float,
) -> Plane:
    """The bars of a window on one half of a canvas; `band` is the share of it that is left to the bundles.

    whole  what a reset shows; fold: levels folded from the root, and the level beyond which they are folded
    """
    top, bottom = body(size)
    middle, room = (top + bottom) / 2, (bottom - top) / 2
    deepest = levels.depth_of(thread)
    free = room * (1 - band)
    height = min(max((free - 4) / max(deepest, 1), _LEAST), _LEVEL)
    tops = level_tops(LevelFolding(fold[0], fold[1], min(_FOLDED, height), height), max(deepest - 1, 0))
    drawn = min(int(np.searchsorted(tops, room - 8, "right")) - 1, deepest)
    begin = root_start(trace, thread)
    grid = grid_of((window[0] + begin, window[1] + begin), max(size[0], 4.0))
    bars = bars_of(trace, levels, thread, grid, max(drawn, 1))
    bars = TimeBars(bars.row, bars.last, bars.count, bars.depth, bars.x0 - begin, bars.x1 - begin, bars.above)
    shape = BoxShape(0.0, top if side == UPPER else middle, size[0], room)
    long = whole[1] - whole[0]
    pane = Pane(
        PANES[side],
        shape,
        window,
        (0.0, room) if side == UPPER else (room, 0.0),
        limit=(whole[0] - long, whole[1] + long),
        home=whole,
    )
    scale = size[0] / max(window[1] - window[0], 1e-9)
    y0, y1 = tops[bars.depth], tops[bars.depth + 1]
    y0, y1 = (top + y0, top + y1) if side == UPPER else (bottom - y1, bottom - y0)
    half = room * band
    on_canvas = Side(
        (bars.x0 - window[0]) * scale,
        (bars.x1 - window[0]) * scale,
        y0,
        y1,
        bars.above.astype(np.int64),
        bars.depth.astype(np.int64),
        middle - half if side == UPPER else middle + half,
        middle,
    )
    return Plane(pane, bars, tops, drawn, deepest, on_canvas)
