"""The calls of each thread by stack depth, in the order of time: what finds the calls of a window at once."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import NO_CALL, Trace

Rows = npt.NDArray[np.int64]
STRIDE = 32  # calls that an entry of the coarse tables stands for


@dataclass(frozen=True, eq=False)
class Levels:
    """The n calls of a trace by thread, then by depth, then by time: 4.5 bytes a call, and 0.5 more for coarse tables.

    calls   how many the trace has: more than n where some of its threads were left out
    row     uint32[n]  rows of calls
    first   int64[t + 1]  thread i has the levels `first[i]:first[i + 1]`
    ptr     int64[levels + 1]  a level has the places `ptr[level]:ptr[level + 1]` of `row`
    coarse  int64[levels + 1]  and the entries `coarse[level]:coarse[level + 1]` of
    start   int64[...]  where every `STRIDE`th call of the level begins, and
    end     int64[...]  where the last of the `STRIDE` calls from it on ends, ns
    """

    row: npt.NDArray[np.uint32]
    first: Rows
    ptr: Rows
    coarse: Rows
    start: Rows
    end: Rows
    calls: int = 0

    def depth_of(self, thread: int) -> int:
        """How many levels a thread has."""
        return int(self.first[thread + 1] - self.first[thread])

    def rows(self, thread: int, depth: int) -> npt.NDArray[np.uint32]:
        """The calls of a thread at a depth, by time; none where it is not so deep."""
        if not 0 <= depth < self.depth_of(thread):
            return self.row[:0]
        level = int(self.first[thread]) + depth
        return self.row[int(self.ptr[level]) : int(self.ptr[level + 1])]


def levels_of(trace: Trace, progress: Progress = silent, threads: Container[int] | None = None) -> Levels:
    """The calls of a trace by depth. Linear. May raise Cancelled.

    threads  rows of them; the others get no levels. None = all
    """
    calls, ptr = trace.calls, trace.threads.ptr.tolist()
    chosen = [threads is None or thread in threads for thread in range(len(trace.threads))]
    row = np.empty(sum(high - low for (low, high), on in zip(pairwise(ptr), chosen, strict=True) if on), np.uint32)
    first, ends = [0], [np.zeros(1, np.int64)]
    begin = 0
    for thread, on in enumerate(chosen):
        if not on:
            first.append(first[-1])
            continue
        if thread % 64 == 0 or ptr[thread + 1] - ptr[thread] > 1 << 16:
            progress("Sorting calls by depth", ptr[thread], len(calls))
        low, high = ptr[thread], ptr[thread + 1]
        depth = calls.depth[low:high]
        count = np.bincount(depth, minlength=0).astype(np.int64)
        ends.append(begin + np.cumsum(count))
        first.append(first[-1] + len(count))
        if high - low:
            _place(depth, low, ends[-1] - count, row)
        begin += high - low
    places = np.concatenate(ends)
    coarse = np.concatenate(([0], np.cumsum(-(-np.diff(places) // STRIDE))))
    start, end = np.empty(int(coarse[-1]), np.int64), np.empty(int(coarse[-1]), np.int64)
    if len(row):
        _coarse(row, calls.start, calls.end, places, coarse, start, end)
    return Levels(row, np.array(first, np.int64), places, coarse, start, end, len(calls))


@kernel
def _place(depth: npt.NDArray[Any], low: int, free: Rows, row: npt.NDArray[np.uint32]) -> None:
    """Sort the calls of a thread by depth, each level in the order of rows."""
    for number in range(len(depth)):
        level = depth[number]
        row[free[level]] = low + number
        free[level] += 1


@kernel
def _coarse(
    row: npt.NDArray[np.uint32], start: Rows, end: Rows, ptr: Rows, coarse: Rows, out_start: Rows, out_end: Rows
) -> None:
    """The coarse tables of all levels."""
    for level in range(len(ptr) - 1):
        for entry in range(coarse[level], coarse[level + 1]):
            place = ptr[level] + (entry - coarse[level]) * STRIDE
            out_start[entry] = start[row[place]]
            out_end[entry] = end[row[min(place + STRIDE, ptr[level + 1]) - 1]]


def parent_of(trace: Trace, levels: Levels, row: int) -> int:
    """The call around a call, `NO_CALL` for roots."""
    depth = int(trace.calls.depth[row])
    if depth == 0:
        return NO_CALL
    above = levels.rows(int(trace.thread_of(np.array([row]))[0]), depth - 1)
    return int(above[int(np.searchsorted(above, row)) - 1])


def path_to(trace: Trace, levels: Levels, row: int) -> tuple[int, ...]:
    """The calls around a call and itself, the outermost first."""
    return (*reversed(tuple(_around(trace, levels, row))), row)


def _around(trace: Trace, levels: Levels, row: int) -> Iterator[int]:
    thread = int(trace.thread_of(np.array([row]))[0])
    for depth in range(int(trace.calls.depth[row]) - 1, -1, -1):
        above = levels.rows(thread, depth)
        row = int(above[int(np.searchsorted(above, row)) - 1])
        yield row


def call_at(trace: Trace, levels: Levels, thread: int, depth: int, time: int) -> int:
    """The call of a thread at a depth that runs at a time (ns since the trace's start), `NO_CALL` if none does."""
    rows = levels.rows(thread, depth)
    moment = time + trace.span[0]
    low, high = 0, len(rows)
    while low < high:  # the first one that begins later
        middle = (low + high) // 2
        if int(trace.calls.start[rows[middle]]) <= moment:
            low = middle + 1
        else:
            high = middle
    if not low:
        return NO_CALL
    row = int(rows[low - 1])
    return row if int(trace.calls.end[row]) >= moment else NO_CALL
