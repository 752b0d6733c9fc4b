"""Where everything lies on the canvas: the straight view above, the semicircle around a common centre below (ST-3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    BoxShape,
    LevelFolding,
    Levels,
    Pane,
    SectorShape,
    Trace,
    ViewContext,
    Viewport,
    level_tops,
    levels_in,
    locate,
    thread_title,
)

from .legend import legend_height
from .state import SyncState, Window
from .threads import Placed, placed, window_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]
HEADER, STRIP, RULER, LINE = 24.0, 18.0, 20.0, 13.0  # logical pixels; LINE: of the names of threads
NAME_ROWS = 3  # of names below the semicircle, where they are crowded
WIDEST_NAME, NAME_SIZE = 150.0, 11.0
_MAIN = 0.3  # of the height, that the straight view takes at most by itself
_ROW, _BENT_ROW = 17.0, 30.0  # height of a level, at most
_ZERO = 0.55  # of the outer radius, that the zero level has by itself, or more where stacks are shallow
_APART = 10.0  # from the splitter to the centre
_WIDE = 304.0  # logical pixels of the focused sector, along the outer radius, at least
_USUAL = 0.4  # of the deepest thread's height, that a sector has at least
_FOLDED = 0.15  # of a level
_AWAY = 0.12  # of a level: how far inside of its bar an anchor lies


class Source:
    """The calls of a picture. No dataclass: the memo would count the arrays of the trace as part of what it keeps."""

    def __init__(self, trace: Trace, levels: Levels) -> None:
        self.trace, self.levels = trace, levels


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The panes of a picture.

    source   its calls
    at       which threads are drawn
    panes    of each thread; x: ns since the start of the trace, y: levels, folded ones being lower
    windows  of each thread
    pixels   logical pixels along the time axis of each
    tops     float64[deepest + 2]: y of the levels
    center   of the semicircle, logical pixels
    radii    zero level and outer one
    split    y of the border between the straight view and the semicircle
    name     logical pixels that the name of a thread of the semicircle may take
    wide     the thread with more room, -1 = none
    """

    source: Source
    at: Placed
    panes: dict[int, Pane]
    windows: dict[int, Window]
    pixels: dict[int, float]
    tops: Floats
    center: tuple[float, float]
    radii: tuple[float, float]
    split: float
    name: float
    wide: int

    @property
    def trace(self) -> Trace:
        """Of the calls."""
        return self.source.trace

    @property
    def levels(self) -> Levels:
        """The calls by depth."""
        return self.source.levels

    def level_height(self, thread: int) -> float:
        """Logical pixels of a level that is not folded."""
        pane = self.panes[thread]
        shape = pane.shape
        high = shape.height if isinstance(shape, BoxShape) else shape.r1 - shape.r0
        return high / max(pane.y[1] - pane.y[0], 1e-9)

    def toward_center(self, thread: Ints, depth: Ints) -> Floats:
        """y of the places of levels from which curves leave toward the centre: within the level, on its inner side."""
        top, bottom = self.tops[depth], self.tops[depth + 1]
        share = np.where(thread == self.at.main, 1 - _AWAY, _AWAY)
        found: Floats = top + (bottom - top) * share
        return found

    def places(self, thread: Ints, time: Floats, y: Floats) -> Floats:
        """float64[n, 2]: where a moment (ns since the start) of each thread lies, cut off at its window."""
        found = np.zeros((len(thread), 2))
        for one in np.unique(thread).tolist():
            here = np.flatnonzero(thread == one)
            window = self.windows[one]
            px, py = locate(self.panes[one], np.clip(time[here], *window), y[here])
            found[here, 0], found[here, 1] = px, py
        return found


def arrangement(context: ViewContext, state: SyncState, viewport: Viewport) -> Arrangement | None:
    """The panes; None while the calls are being sorted, or where no thread is drawn."""
    levels, at = levels_in(context), placed(context, state)
    if levels is None or at.main < 0:
        return None
    windows = tuple((thread, *window_of(context, state, thread)) for thread in at.every)
    size = (viewport.width, viewport.height - context.memo(legend_height, viewport))  # without the legend
    deepest = context.memo(_deepest, levels, at.every)
    tops = context.memo(_tops, min(state.upper, deepest), deepest)
    division = (state.share * viewport.height, state.radius)
    widest = context.memo(_widest, context.trace(), at.ring, viewport.measure)
    source = context.memo(Source, context.trace(), levels)
    return context.memo(_arranged, source, at, windows, state.wide, division, tops, size, widest)


def frame_of(context: ViewContext, state: SyncState, viewport: Viewport) -> Arrangement | None:
    """The same panes, whatever they show: the same object while threads zoom and pan."""
    trace = context.trace()
    windows = tuple((thread, 0.0, trace.length) for thread in placed(context, state).every)
    return arrangement(context, replace(state, windows=windows), viewport)


def _widest(trace: Trace, threads: tuple[int, ...], measure: Callable[[str, float, bool], float]) -> float:
    return max((measure(thread_title(trace.threads, thread), NAME_SIZE, False) for thread in threads), default=0.0)


def _deepest(levels: Levels, threads: tuple[int, ...]) -> int:
    return max((levels.depth_of(thread) for thread in threads), default=1) or 1


def _tops(upper: int, deepest: int) -> Floats:
    return level_tops(LevelFolding(upper, None, _FOLDED, 1.0), deepest)


def _arranged(
    source: Source,
    at: Placed,
    windows: tuple[tuple[int, float, float], ...],
    wide: int,
    division: tuple[float, float],
    tops: Floats,
    size: tuple[float, float],
    widest: float,
) -> Arrangement:
    (width, height), (trace, levels) = size, (source.trace, source.levels)
    wide = wide if wide in at.ring else -1
    above = HEADER + STRIP * (2 if wide >= 0 else 1) + RULER
    window = {thread: (low, high) for thread, low, high in windows}
    high_of = {thread: max(float(tops[max(levels.depth_of(thread), 1)]), 1e-3) for thread in at.every}
    limit = (0.0, trace.length)
    needed = min((above + 6 + _ROW * high_of[at.main]) / max(height, 1.0), _MAIN)
    split = min(max(division[0] or height * needed, above + 24), height - 60)
    split = split if at.ring else height
    room = max(split - above - 6, 10.0)
    main = Pane(
        f"main {at.main}",
        BoxShape(0.0, above, width, room),
        window[at.main],
        (0.0, max(high_of[at.main], room / _ROW)),
        limit=limit,
    )
    panes, pixels = {at.main: main}, {at.main: width}
    center = (width / 2, split + _APART)
    name, outer = _rim(len(at.ring), widest + 6, width, height - center[1])
    high = _usual([high_of[thread] for thread in at.ring])
    inner = outer * division[1] or max(outer * _ZERO, outer - _BENT_ROW * high)
    for thread, (a0, a1) in _sectors(at.ring, wide, outer).items():
        sector = SectorShape(*center, inner, outer, a0, a1)
        levels_shown = (0.0, max(high, high_of[thread]))  # the levels of a far deeper thread are thinner
        panes[thread] = Pane(f"ring {thread}", sector, window[thread], levels_shown, limit=limit)
        pixels[thread] = (a0 - a1) * outer
    return Arrangement(source, at, panes, window, pixels, tops, center, (inner, outer), split, name, wide)


def _usual(high: list[float]) -> float:
    """The height that most of the stacks stay within: one thread that imports modules must not flatten all others."""
    return max(sorted(high)[(4 * len(high) - 1) // 5], _USUAL * max(high)) if high else 1.0


def _rim(count: int, widest: float, width: float, height: float) -> tuple[float, float]:
    """Logical pixels that a name may take, and the outer radius, which leaves room for the names outside of it."""
    rough = max(min(width / 2 - 60, height - 2 * LINE), 40.0)
    each = math.pi * rough / max(count, 1)
    name = max(min(WIDEST_NAME, widest, NAME_ROWS * each - 14, width / 5), 24.0)
    rows = min(math.ceil((name + 14) / each), NAME_ROWS)
    return name, max(min(width / 2 - name - 18, height - LINE * rows - 14), 40.0)


def _sectors(ring: tuple[int, ...], wide: int, outer: float) -> dict[int, tuple[float, float]]:
    """The angles between which each thread lies, from left to right; time runs the same way."""
    if not ring:
        return {}
    gap = min((1.5 if len(ring) > 20 else 5.0) / outer, math.pi / (4 * len(ring)))
    room = math.pi - gap * (len(ring) - 1)
    even = room / len(ring)
    shares = dict.fromkeys(ring, even)
    if wide in shares and len(ring) > 1:
        broad = max(even, min(max(_WIDE / outer, 3 * even), 0.7 * room))
        shares = dict.fromkeys(ring, (room - broad) / (len(ring) - 1)) | {wide: broad}
    found, angle = dict[int, tuple[float, float]](), math.pi
    for thread in ring:
        found[thread] = (angle, angle - shares[thread])
        angle -= shares[thread] + gap
    return found
