"""Adaptive brushing (TV-6; 002 §4.2.1.1): what the pointer means, by where it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import NO_CALL, Trace
from cbvtool.trace.timeline.bars import TimeBars
from cbvtool.trace.timeline.levels import Levels, path_to

OVERVIEW, APPROACH, DETAIL = "overview", "approach", "detail"


@dataclass(frozen=True)
class Brushed:
    """The focus subset of a thread.

    mode   "overview": below the plot, the path to the nearest bar; "approach": between bars, the paths through both
           neighbours; "detail": in a bar, all below it; "" = nothing
    items  rows of the focus items: one, or the left and the right one
    rows   ranges of rows (first, after the last) that are in the subset with all that lies in them
    path   rows that are in it by themselves
    """

    mode: str = ""
    items: tuple[int, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()
    path: tuple[int, ...] = ()


def brushed(
    trace: Trace,
    levels: Levels,
    bars: TimeBars,
    x: npt.NDArray[np.float64],
    tops: npt.NDArray[np.float64],
    at: tuple[float, float],
) -> Brushed:
    """What the pointer at `at` (pixels of the pane) means.

    bars  what is drawn of the thread
    x     float64[k, 2]: left and right of each bar, pixels
    tops  `level_tops`, pixels: y of each level, and the end of the last one
    """
    if not len(bars):
        return Brushed()
    px, py = at
    left, right = x[:, 0], x[:, 1]
    top, bottom = tops[bars.depth], tops[bars.depth + 1]
    inside = (left <= px) & (px <= right) & (top <= py) & (py < bottom)
    if inside.any():
        bar = int(np.flatnonzero(inside)[-1])
        first, last = int(bars.row[bar]), int(bars.last[bar])
        return Brushed(DETAIL, (first,), ((first, int(trace.calls.end_row[last])),))
    away_x = np.maximum(np.maximum(left - px, px - right), 0.0)
    away_y = np.maximum(np.maximum(top - py, py - bottom), 0.0)
    same = (top <= py) & (py < bottom)
    if not same.any():
        nearest = int(np.argmin(np.hypot(away_x, away_y)))
        row = int(bars.row[nearest])
        return Brushed(OVERVIEW, (row,), (), path_to(trace, levels, row))
    sides = []
    for beside, away in (((right < px), px - right), ((left > px), left - px)):
        which = np.flatnonzero(same & beside)
        if len(which):
            sides.append(int(which[np.argmin(away[which])]))
    rows = tuple(int(bars.row[bar]) for bar in sides)
    below = tuple((int(bars.row[bar]), int(trace.calls.end_row[int(bars.last[bar])])) for bar in sides)
    path = dict.fromkeys(step for row in rows for step in path_to(trace, levels, row))
    return Brushed(APPROACH, rows, below, tuple(path))


def in_focus(bars: TimeBars, focus: Brushed) -> npt.NDArray[np.bool_]:
    """bool[k]: the bars that stand for a call of the focus subset."""
    found = np.zeros(len(bars), np.bool_)
    for first, after in focus.rows:
        found |= (bars.row < after) & (bars.last >= first) & (bars.row >= first)
    depths = bars.depth
    for depth, row in enumerate(focus.path):
        if len(focus.items) > 1:  # paths through two items share their upper part: any depth
            found |= (bars.row <= row) & (row <= bars.last) & (bars.count == 1) & (bars.row == row)
        else:
            found |= (depths == depth) & (bars.row <= row) & (row <= bars.last)
    return found


def standing_for(
    trace: Trace, levels: Levels, thread: int, bars: TimeBars, marked: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """int64[k]: the first call of a marked function, bool[f], among those that each bar of a thread stands for.

    `NO_CALL` where there is none. Linear in what is merged.
    """
    calls = trace.calls
    if not len(bars) or not marked.any():
        return np.full(len(bars), NO_CALL, np.int64)
    found = np.where(marked[calls.function[bars.row]], bars.row, NO_CALL)
    merged = np.flatnonzero((found == NO_CALL) & (bars.count > 1))
    if len(merged):
        level = int(levels.first[thread]) + bars.depth[merged].astype(np.int64)
        found[merged] = _first_marked(
            calls.function, levels.row, levels.ptr, level, bars.row[merged], bars.last[merged], marked
        )
    return found


@kernel
def _first_marked(
    function: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    ptr: npt.NDArray[np.int64],
    level: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    marked: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """int64[k]: of the calls of a level from one row to another the first one of a marked function, -1 = none."""
    found = np.full(len(level), -1, np.int64)
    for bar in range(len(level)):
        low, high = ptr[level[bar]], ptr[level[bar] + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if rows[middle] < first[bar]:
                low = middle + 1
            else:
                high = middle
        while low < end and rows[low] <= last[bar]:
            if marked[function[rows[low]]]:
                found[bar] = rows[low]
                break
            low += 1
    return found
