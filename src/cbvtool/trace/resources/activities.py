"""When a thread runs, waits, reads or writes: from the recorded intervals, whatever calls they lie in (OC-1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Trace

Ints = npt.NDArray[np.int64]
Intervals = tuple[Ints, Ints]  # starts and ends, ascending, apart from each other
RUN, WAIT, IO = range(3)  # rows of the states "runs", "waits" and "reads, writes"
ACTIVITIES = np.arange(3, dtype=np.int32)  # the state of each "function" of `ActivityColumns`: itself


class ActivityColumns(NamedTuple):
    """Activities of a thread, one after the other, as columns of calls: see `slices.add_times`."""

    function: npt.NDArray[np.uint32]
    start: Ints
    end: Ints
    depth: npt.NDArray[np.uint32]


def activity_columns(trace: Trace, thread: int) -> ActivityColumns:
    """What a thread does while a call of it goes on. Waiting wins over reading and writing."""
    low, high = trace.threads.ptr[thread : thread + 2].tolist()
    calls = trace.calls
    outermost = low + np.flatnonzero(calls.depth[low:high] == 0)
    running = _united(calls.start[outermost], calls.end[outermost])
    waiting, using = (_united(*_intervals(trace, table, low, high)) for table in ("waits", "io"))
    points = np.unique(np.concatenate([*running, *waiting, *using]))
    start, end = points[:-1], points[1:]
    state = np.where(_inside(start, using), IO, RUN)
    state[_inside(start, waiting)] = WAIT
    at = _inside(start, running)
    found = ActivityColumns(state[at].astype(np.uint32), start[at], end[at], np.zeros(int(at.sum()), np.uint32))
    for column in found:
        column.flags.writeable = False  # as the columns of calls are: the kernel is compiled once
    return found


def _intervals(trace: Trace, table: str, low: int, high: int) -> Intervals:
    """Those that a table has of the calls `low` to `high`."""
    rows = trace.table(table)
    at = (rows["call"] != NO_ROW) & (rows["call"] >= low) & (rows["call"] < high)
    return rows["start"][at], rows["end"][at]


def _united(start: Ints, end: Ints) -> Intervals:
    """Intervals that overlap or meet as one."""
    order = np.argsort(start, kind="stable")
    start, latest = start[order], np.maximum.accumulate(end[order])
    if not len(start):
        return start, latest
    first = np.concatenate(([True], start[1:] > latest[:-1]))
    return start[first], latest[np.append(np.flatnonzero(first)[1:] - 1, len(start) - 1)]


def _inside(points: Ints, intervals: Intervals) -> npt.NDArray[np.bool_]:
    """Which points lie in one of some intervals, the end left out."""
    start, end = intervals
    at = np.searchsorted(start, points, "right") - 1
    found: npt.NDArray[np.bool_] = np.zeros(len(points), np.bool_)
    found[at >= 0] = points[at >= 0] < end[at[at >= 0]]
    return found
