"""Figures of functions over a part of the calls of a thread: what is in focus (VF-5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace

Rows = npt.NDArray[np.int64]
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class PartFigures:
    """Of f functions, over some calls; times are cut off at the ends of the window.

    count    int64[f]
    total    int64[f]  ns: the durations of all calls, also of those within one another
    own      int64[f]  ns: without the calls below, whether these are in the part or not
    first    int64[f]  ns since the start of the trace; `NEVER` where there is no call
    deepest  int64[f]  depth of the deepest call, -1
    depths   int64[f]  sum of the depths of all calls
    """

    count: Rows
    total: Rows
    own: Rows
    first: Rows
    deepest: Rows
    depths: Rows


def part_figures(
    trace: Trace, window: tuple[float, float], rows: tuple[tuple[int, int], ...], path: tuple[int, ...] = ()
) -> PartFigures:
    """Figures of the calls that touch a window (ns since the start of the trace). Linear in the rows looked at.

    rows  ranges of rows of calls (first, after the last) of one thread, each with all that lies below its calls
    path  rows that count by themselves; one that lies in a range counts once
    """
    f, calls = len(trace.functions), trace.calls
    found = PartFigures(*(np.zeros(f, np.int64) for _ in range(6)))
    found.first[:], found.deepest[:] = NEVER, -1
    begin, stop, origin = _within(trace, window)
    columns = (calls.function, calls.start, calls.end, calls.depth, calls.end_row)
    sums = (found.count, found.total, found.own, found.first, found.deepest, found.depths)
    apart = _apart(rows)
    for low, high in apart:
        _add_rows(columns, low, high, (begin, stop, origin), sums, True)
    for row in dict.fromkeys(path):
        if not any(low <= row < high for low, high in apart):
            _add_rows(columns, row, row + 1, (begin, stop, origin), sums, False)
    return found


def outermost_time(
    trace: Trace,
    window: tuple[float, float],
    rows: tuple[tuple[int, int], ...],
    path: tuple[int, ...],
    group: Rows,
    groups: int,
) -> Rows:
    """int64[groups], ns: how long some call of each group runs, on each thread: calls within one of the group add none.

    The calls are those of `part_figures`, cut off at the ends of the window; calls that are not in the part hold none.

    rows   as for `part_figures`, also of several threads
    path   the same
    group  int64[f]: the group of each function, such as its file; -1 = none
    """
    calls, (begin, stop, _) = trace.calls, _within(trace, window)
    apart = _apart(rows)
    alone = [(row, row + 1) for row in dict.fromkeys(path) if not any(low <= row < high for low, high in apart)]
    spans = np.array(sorted([*apart, *alone]), np.int64).reshape(-1, 2)
    time = np.zeros(groups, np.int64)
    columns = (calls.function, calls.start, calls.end, calls.end_row)
    _add_outermost(columns, spans, (begin, stop), np.asarray(group, np.int64), time)
    return time


def _within(trace: Trace, window: tuple[float, float]) -> tuple[int, int, int]:
    """Begin and end of a window as times of the trace, and its origin.

    The window may reach beyond all times that an int64 holds; beyond the ends of the trace there is no call.
    """
    origin, last = trace.span[0], trace.span[1] + 1
    begin = min(max(int(np.floor(window[0])) + origin, origin - 1), last)
    stop = min(max(int(np.ceil(window[1])) + origin, origin - 1), last)
    return begin, stop, origin


def _apart(rows: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The ranges in their order, none of them in another one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(rows):
        if found and low < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


@kernel
def _add_rows(columns, low, high, window, sums, whole):  # type: ignore[no-untyped-def]  # tuples of arrays, for Numba
    """Add the calls of a range. whole: what lies below its calls lies in it, and is told from them by depth alone."""
    function, start, end, depth, end_row = columns
    begin, stop, origin = window
    count, total, own, first, deepest, depths = sums
    above = np.zeros(64, np.int64)  # function of the last call at each depth
    lowest = np.int64(NEVER)  # of all so far: the caller of what lies deeper is in the range
    row = low
    while row < high:
        if start[row] > stop:
            break
        if end[row] < begin:
            row = np.int64(end_row[row]) if whole else high
            continue
        what, deep = np.int64(function[row]), np.int64(depth[row])
        time = min(end[row], stop) - max(start[row], begin)
        count[what] += 1
        total[what] += time
        own[what] += time
        first[what] = min(first[what], start[row] - origin)
        deepest[what] = max(deepest[what], deep)
        depths[what] += deep
        if whole:
            if deep > lowest:
                own[above[deep - 1]] -= time
            lowest = min(lowest, deep)
            if deep >= len(above):
                above = np.concatenate((above, np.zeros(deep + 1, np.int64)))
            above[deep] = what
        else:
            below = np.int64(row + 1)
            while below < end_row[row] and start[below] <= stop:
                if end[below] >= begin:
                    own[what] -= min(end[below], stop) - max(start[below], begin)
                below = np.int64(end_row[below])
        row += 1


@kernel
def _add_outermost(columns, spans, window, group, time):  # type: ignore[no-untyped-def]  # tuples of arrays, for Numba
    """Add the time of the calls in some ranges of rows that lie in no call of their group."""
    function, start, end, end_row = columns
    begin, stop = window
    until = np.zeros(64, np.int64)  # rows after the outermost calls that are under way, the innermost last
    which = np.zeros(64, np.int64)  # their groups
    deep = 0
    runs = np.zeros(len(time), np.bool_)  # the groups that have one
    for span in range(len(spans)):
        row, high = spans[span, 0], spans[span, 1]
        while row < high and start[row] <= stop:
            if end[row] < begin:
                row = min(np.int64(end_row[row]), high)
                continue
            while deep > 0 and until[deep - 1] <= row:
                deep -= 1
                runs[which[deep]] = False
            what = group[function[row]]
            if what >= 0 and not runs[what]:
                time[what] += min(end[row], stop) - max(start[row], begin)
                if deep >= len(until):
                    until = np.concatenate((until, np.zeros(deep, np.int64)))
                    which = np.concatenate((which, np.zeros(deep, np.int64)))
                until[deep], which[deep] = end_row[row], what
                runs[what] = True
                deep += 1
            row += 1
