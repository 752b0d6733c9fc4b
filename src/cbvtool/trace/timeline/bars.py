"""The bars of a window (TV-1, TV-9; 002 §4.2.2.2): one for each call that is wide enough, one for many that are not.

Calls narrower than `threshold` pixels merge with the ones beside them under the same bar, unless a gap of as many
pixels lies between; below a merged bar all is merged. Columns are `threshold` pixels wide. A merged bar grows by steps
to the end of the column that it reaches, so the cost depends on columns and levels, not on calls: at most one wide bar
and one merged bar begin in a column, which is the bound of 2 x columns x levels. (Hence two merged bars that begin in
the same column become one, even if their parents differ: nobody could see the difference.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.timeline.levels import STRIDE, Levels
from cbvtool.trace.timeline.warp import LINEAR, Warp, WarpKnots, block_of, knots_of, warped_in

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_ROW, _LAST, _COUNT, _DEPTH, _ABOVE, _NARROW, _GROUP = range(7)  # columns of what the kernel finds
_COLUMNS = 7


@dataclass(frozen=True, eq=False)
class TimeBars:
    """k bars of one thread, by depth, then by time; coordinates are warped time, cut off at the window.

    row     int64[k]  the call, or the first one of those that are merged
    last    int64[k]  the last one of them at this depth; the call itself
    count   uint32[k] how many calls of this depth it stands for
    depth   int32[k]
    x0, x1  float64[k]
    above   int32[k]  the bar that it lies under, -1 at depth 0
    """

    row: Rows
    last: Rows
    count: npt.NDArray[np.uint32]
    depth: npt.NDArray[np.int32]
    x0: Floats
    x1: Floats
    above: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.row)

    def merges(self, row: int) -> int:
        """How many calls the bar of a call stands for; 1 = itself alone, or no bar is its."""
        found = np.flatnonzero(self.row == row)
        return int(self.count[found[0]]) if len(found) else 1

    def take(self, which: npt.NDArray[Any]) -> TimeBars:
        """The bars of an index or mask; `above` still counts in the old order."""
        columns = (self.row, self.last, self.count, self.depth, self.x0, self.x1, self.above)
        return TimeBars(*(column[which] for column in columns))


@dataclass(frozen=True, eq=False)
class TimeGrid:
    """The columns of a window, all equally wide in warped time.

    window  ns since the start of the trace
    warp    what bends time
    edges   float64[columns + 1]: ns since the start of the trace, the borders of columns
    left, right  warped time of the window's ends
    knots   the warp in the window, as exact as the columns need it
    """

    window: tuple[float, float]
    warp: Warp
    edges: Floats
    left: float
    right: float
    knots: WarpKnots = field(default_factory=WarpKnots)


def grid_of(window: tuple[float, float], pixels: float, warp: Warp = LINEAR, threshold: float = 1.0) -> TimeGrid:
    """The columns of a window of some pixels, each `threshold` pixels wide (at least 1/16) or a bit more."""
    columns = max(1, int(pixels / max(threshold, 1 / 16)))
    left, right = warp.forward(np.array(window, np.float64)).tolist()
    knots = knots_of(warp, window, (right - left) / pixels) if right > left else WarpKnots()
    edges = knots.inverse(warp, np.linspace(left, right, columns + 1)).copy()
    edges[0], edges[-1] = window
    return TimeGrid(window, warp, edges, left, right, knots)


def bars_of(trace: Trace, levels: Levels, thread: int, grid: TimeGrid, depth: int = 1 << 30) -> TimeBars:
    """The bars of a thread, at most 2 for each column and level. depth: only so many levels."""
    columns, left, right = len(grid.edges) - 1, grid.left, grid.right
    deep = min(levels.depth_of(thread), depth)
    if not (right > left) or deep < 1:
        return _none()
    calls = trace.calls
    found, places = _all_levels(
        levels.row,
        levels.start,
        levels.end,
        levels.ptr,
        levels.coarse,
        int(levels.first[thread]),
        deep,
        calls.start,
        calls.end,
        calls.end_row,
        trace.span[0],
        grid.edges,
        left,
        columns / (right - left),
        *grid.knots.columns(grid.warp),
    )
    return TimeBars(
        found[_ROW],
        found[_LAST],
        found[_COUNT].astype(np.uint32),
        found[_DEPTH].astype(np.int32),
        left + places[0] * ((right - left) / columns),
        left + places[1] * ((right - left) / columns),
        found[_ABOVE].astype(np.int32),
    )


def _none() -> TimeBars:
    rows, floats = np.empty(0, np.int64), np.empty(0, np.float64)
    return TimeBars(rows, rows, np.empty(0, np.uint32), np.empty(0, np.int32), floats, floats, np.empty(0, np.int32))


def clustered(bars: TimeBars) -> tuple[TimeBars, npt.NDArray[np.int32]]:
    """Cluster-wise (002 §4.2.2.2): a merged bar with all that lies below it is one box.

    Returns the bars that are left, whose `count` is how many calls the box holds, and int32: the deepest level of each.
    """
    root = np.arange(len(bars))
    deepest, total = bars.depth.astype(np.int32), bars.count.astype(np.int64)
    for bar in np.flatnonzero(bars.above >= 0).tolist():  # parents come before
        above = int(root[bars.above[bar]])
        if bars.count[above] > 1:
            root[bar] = above
            deepest[above] = max(deepest[above], bars.depth[bar])
            total[above] += int(bars.count[bar])
    kept = root == np.arange(len(bars))
    left = bars.take(kept)
    count = np.minimum(total[kept], 2**32 - 1).astype(np.uint32)
    return TimeBars(left.row, left.last, count, left.depth, left.x0, left.x1, left.above), deepest[kept]


@kernel
def _lower_row(rows: npt.NDArray[np.uint32], low: int, high: int, row: int) -> int:
    """The first place from `low` on whose call is not before `row`; by growing steps, then by halves."""
    if low >= high or rows[low] >= row:
        return low
    step = 1
    while low + step < high and rows[low + step] < row:
        low += step
        step *= 2
    high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle
        else:
            high = middle
    return high


@kernel
def _first_at(rows: npt.NDArray[np.uint32], times: Rows, low: int, high: int, time: float) -> int:
    """The first place of `low` to `high` whose time is at least `time`: by growing steps, then by halves."""
    if low >= high or times[rows[low]] >= time:
        return low
    step = 1
    while low + step < high and times[rows[low + step]] < time:
        low += step
        step *= 2
    high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if times[rows[middle]] < time:
            low = middle
        else:
            high = middle
    return high


@kernel
def _last_before(times: Rows, low: int, high: int, time: float) -> int:
    """The last entry of `low` to `high` whose time is before `time`, `low` - 1 if there is none."""
    if low >= high or times[low] >= time:
        return low - 1
    step = 1
    while low + step < high and times[low + step] < time:
        low += step
        step *= 2
    high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] < time:
            low = middle
        else:
            high = middle
    return low


@kernel
def _across(  # noqa: PLR0913 -- a compiled loop takes columns, and unpacking a tuple of them costs more than the rest
    time: float,
    hint: int,
    left: float,
    scale: float,
    theta: float,
    events: Rows,
    at: Floats,
    knot: Rows,
    knot_time: Rows,
    knot_at: Floats,
    slack: float,
) -> float:
    """The column of a time, with its fraction. hint: the segment between knots to begin with."""
    if theta > 0.0:
        segment = min(block_of(time, knot_time, hint), len(knot) - 2)
        if knot[segment + 1] - knot[segment] > 1 or knot_at[segment + 1] - knot_at[segment] < slack:
            share = (time - knot_time[segment]) / (knot_time[segment + 1] - knot_time[segment])
            time = knot_at[segment] + (knot_at[segment + 1] - knot_at[segment]) * share
        else:
            time = warped_in(time, knot[segment], theta, events, at, slack)
    return (time - left) * scale


@kernel
def _one_level(  # noqa: PLR0913, C901 -- a compiled loop takes columns, not objects
    rows: npt.NDArray[np.uint32],
    coarse_start: Rows,
    coarse_end: Rows,
    base: int,
    top: int,
    entry0: int,
    start: Rows,
    end: Rows,
    end_row: npt.NDArray[np.uint32],
    origin: int,
    edges: Floats,
    left: float,
    scale: float,
    theta: float,
    events: Rows,
    at: Floats,
    knot: Rows,
    knot_time: Rows,
    knot_at: Floats,
    slack: float,
    depth: int,
    above_low: int,
    above_high: int,
    found: Rows,
    places: Floats,
) -> int:
    """Append the bars of one depth below those of the depth above; return how many there are now.

    edges  times of the borders of columns; columns are what places are measured in
    """
    columns = len(edges) - 1
    wide = float(columns)
    window0, window1 = edges[0] + origin, edges[columns] + origin
    count = above_high
    hint = 0
    place = base
    for above in range(above_low if depth else 0, above_high if depth else 1):
        finish = top
        parent = -1
        if depth:
            parent = above
            if end_row[found[_LAST, above]] == found[_ROW, above] + 1:
                continue  # a leaf
            place = _lower_row(rows, place, top, found[_ROW, above])
            after = end_row[found[_LAST, above]]
            # Below a bar without grandchildren each row is a call of this level: the end is known without a search.
            finish = place + after - found[_ROW, above] - 1
            if finish > top or rows[finish - 1] >= after or (finish < top and rows[finish] < after):
                finish = _lower_row(rows, place, top, after)
        if place >= finish:
            continue
        if end[rows[place]] < window0:  # what ends before the window is not seen: whole strides, then call by call
            first = (place - base + STRIDE - 1) // STRIDE
            entry = _last_before(coarse_end, entry0 + first, entry0 + (finish - base) // STRIDE, window0) - entry0
            if entry >= first:
                place = base + (entry + 1) * STRIDE
            place = _first_at(rows, end, place, finish, window0)
        while place < finish:
            row = rows[place]
            begin, stop = start[row], end[row]
            if begin > window1:
                place = finish
                break
            x0, x1 = 0.0, wide
            if begin > window0:
                if theta > 0.0:
                    hint = block_of(float(begin - origin), knot_time, hint)
                    x0 = _across(
                        float(begin - origin), hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack
                    )
                else:  # apart, since a call of a kernel with so many arrays costs more than this
                    x0 = (begin - origin - left) * scale
                x0 = min(max(x0, 0.0), wide)
            if stop < window1:
                if theta > 0.0:
                    x1 = _across(
                        float(stop - origin), hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack
                    )
                else:
                    x1 = (stop - origin - left) * scale
                x1 = min(max(x1, x0), wide)
            if x1 - x0 >= 1.0:
                found[_ROW, count] = found[_LAST, count] = row
                found[_COUNT, count], found[_DEPTH, count], found[_ABOVE, count] = 1, depth, parent
                found[_NARROW, count] = 0
                places[0, count], places[1, count] = x0, x1
                count += 1
                place += 1
                continue
            # A narrow one: it goes on with the merged bar before it, or begins one.
            bar = count - 1
            goes_on = count > above_high and found[_NARROW, bar] == 1
            if goes_on:
                beside = found[_GROUP, bar] == parent and x0 - places[1, bar] < 1.0
                goes_on = beside or int(places[0, bar]) == int(x0)
            if not goes_on:
                bar = count
                found[_ROW, bar], found[_COUNT, bar], found[_DEPTH, bar], found[_ABOVE, bar] = row, 0, depth, parent
                found[_NARROW, bar] = 1
                places[0, bar] = x0
                count += 1
            reached = place + 1
            # Often all the rest begins in the column in which the bar ends: then only the last one may be wide.
            next_column = edges[min(int(x1) + 1, columns)] + origin
            if reached + 1 < finish and x1 < wide and start[rows[finish - 1]] < next_column:
                reached = finish - 1
                moment = float(end[rows[reached - 1]] - origin)
                x1 = max(x1, _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack))
            while x1 < wide and reached < finish:
                # All that begins before the end of the column in which the bar ends now, but for the last one, is
                # narrow: whole strides by the coarse tables, as long as the next stride is narrower than a column.
                time = edges[min(int(x1) + 1, columns)] + origin
                first = (reached - base + STRIDE - 1) // STRIDE
                whole = (finish - base) // STRIDE
                entry = _last_before(coarse_start, entry0 + first, entry0 + whole, time) - entry0
                if entry < first:
                    break
                if base + entry * STRIDE > reached:
                    reached = base + entry * STRIDE
                    if entry > first:
                        moment = float(coarse_end[entry0 + entry - 1] - origin)
                        x1 = max(
                            x1, _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack)
                        )
                    else:
                        moment = float(end[rows[reached - 1]] - origin)
                        x1 = max(
                            x1, _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack)
                        )
                moment = float(coarse_start[entry0 + entry] - origin)
                from_x = _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack)
                moment = float(coarse_end[entry0 + entry] - origin)
                to_x = _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack)
                if to_x - from_x >= 1.0 or from_x - x1 >= 1.0:
                    break
                reached = base + (entry + 1) * STRIDE
                x1 = max(x1, to_x)
            if x1 < wide and reached < finish:
                time = edges[min(int(x1) + 1, columns)] + origin
                end_of = min(finish, base + ((reached - base) // STRIDE + 2) * STRIDE)
                reach = _first_at(rows, start, reached, end_of, time)
                if reach - 1 > reached:  # the last one may be wide: the loop looks at it
                    reached = reach - 1
                    moment = float(end[rows[reached - 1]] - origin)
                    x1 = max(x1, _across(moment, hint, left, scale, theta, events, at, knot, knot_time, knot_at, slack))
            found[_COUNT, bar] += reached - place
            found[_LAST, bar], found[_GROUP, bar] = rows[reached - 1], parent
            places[1, bar] = min(x1, wide)
            place = reached
    return count


@kernel
def _all_levels(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    rows: npt.NDArray[np.uint32],
    coarse_start: Rows,
    coarse_end: Rows,
    ptr: Rows,
    coarse: Rows,
    level: int,
    deep: int,
    start: Rows,
    end: Rows,
    end_row: npt.NDArray[np.uint32],
    origin: int,
    edges: Floats,
    left: float,
    scale: float,
    theta: float,
    events: Rows,
    at: Floats,
    knot: Rows,
    knot_time: Rows,
    knot_at: Floats,
    slack: float,
) -> tuple[Rows, Floats]:
    """The bars of the first `deep` levels from `level` on: int64[_COLUMNS, k]; float64[2, k], columns of the grid."""
    room = 2 * len(edges) + 8
    found, places = np.empty((_COLUMNS, 4 * room), np.int64), np.empty((2, 4 * room), np.float64)
    low, count = 0, 0  # the bars of the level above are `low` to `count`
    for number in range(deep):
        if count + room > found.shape[1]:  # grows by factors, or each level would copy all above it
            more = np.empty((_COLUMNS, 4 * (count + room)), np.int64)
            wider = np.empty((2, 4 * (count + room)), np.float64)
            more[:, :count], wider[:, :count] = found[:, :count], places[:, :count]
            found, places = more, wider
        done = _one_level(
            rows,
            coarse_start,
            coarse_end,
            ptr[level + number],
            ptr[level + number + 1],
            coarse[level + number],
            start,
            end,
            end_row,
            origin,
            edges,
            left,
            scale,
            theta,
            events,
            at,
            knot,
            knot_time,
            knot_at,
            slack,
            number,
            low,
            count,
            found,
            places,
        )
        if done == count:
            break
        low, count = count, done
    return found[:, :count], places[:, :count]
