"""Figures of functions in a window of time, on some threads: how often, how long, called by whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.flat import FlatFigures
from cbvtool.trace.model.trace import Trace

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WindowFigures:
    """Of f functions, of the calls that touch a window; times are cut off at its ends.

    flat          count, total, own and longest
    cpu           int64[f]  ns of CPU time, own, of calls that lie within the window as a whole; 0 where unknown
    longest_row   int64[f]  the row of the longest call, -1
    pair          int64[p]  caller * f + callee, ascending; roots have no pair
    pair_count, pair_total  int64[p]
    """

    flat: FlatFigures
    cpu: Rows
    longest_row: Rows
    pair: Rows
    pair_count: Rows
    pair_total: Rows

    def callers(self, function: int) -> tuple[Rows, Rows, Rows]:
        """Callers of a function: int64[k] each function, its calls and their time."""
        f = len(self.flat.count)
        which = np.flatnonzero(self.pair % f == function) if f else np.empty(0, np.int64)
        return self.pair[which] // f, self.pair_count[which], self.pair_total[which]

    def callees(self, function: int) -> tuple[Rows, Rows, Rows]:
        """Functions that it calls: int64[k] each function, its calls and their time."""
        f = len(self.flat.count)
        low, high = np.searchsorted(self.pair, [function * f, (function + 1) * f])
        return self.pair[low:high] - function * f, self.pair_count[low:high], self.pair_total[low:high]


def window_figures(
    trace: Trace,
    window: tuple[float, float],
    threads: tuple[int, ...] | None = None,
    rows: tuple[int, int] | None = None,
    progress: Progress = silent,
) -> WindowFigures:
    """Figures of the calls of some threads (None = all) that touch a window (ns since the start of the trace).

    rows  only calls of this range: those below a call. Skips what ends before the window; linear in the rest.
    """
    f, calls, ptr = len(trace.functions), trace.calls, trace.threads.ptr.tolist()
    count, total, own, longest, cpu = (np.zeros(f, np.int64) for _ in range(5))
    row_of = np.full(f, -1, np.int64)
    cpu_of = calls.cpu if calls.cpu is not None else np.empty(0, np.int64)
    begin, stop = int(window[0]) + trace.span[0], int(np.ceil(window[1])) + trace.span[0]
    low_row, high_row = rows or (0, len(calls))
    pairs: list[Rows] = []
    for done, thread in enumerate(range(len(trace.threads)) if threads is None else threads):
        progress("Adding up functions", done, len(trace.threads) if threads is None else len(threads))
        low, high = max(ptr[thread], low_row), min(ptr[thread + 1], high_row)
        if low >= high:
            continue
        found = _add_window(
            calls.function,
            calls.start,
            calls.end,
            calls.end_row,
            cpu_of,
            low,
            high,
            begin,
            stop,
            count,
            total,
            own,
            longest,
            row_of,
            cpu,
        )
        pairs.append(found)
    keys, counts, totals = _added(pairs, f)
    return WindowFigures(FlatFigures(count, total, own, longest), cpu, row_of, keys, counts, totals)


def _added(parts: list[Rows], f: int) -> tuple[Rows, Rows, Rows]:
    """Pairs of all threads, added."""
    every = np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
    keys, place = np.unique(every[:, 0], return_inverse=True)
    counts, totals = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    np.add.at(counts, place, every[:, 1])
    np.add.at(totals, place, every[:, 2])
    return keys, counts, totals


@kernel
def _add_window(  # noqa: PLR0913, C901 -- a compiled loop takes columns, not objects
    function: npt.NDArray[np.uint32],
    start: Rows,
    end: Rows,
    end_row: npt.NDArray[np.uint32],
    cpu: Rows,
    low: int,
    high: int,
    begin: int,
    stop: int,
    count: Rows,
    total: Rows,
    own: Rows,
    longest: Rows,
    longest_row: Rows,
    cpu_sum: Rows,
) -> Rows:
    """Add the calls of one thread; returns int64[p, 3]: pair, calls, ns, each pair once."""
    f = len(count)
    stack = np.empty(64, np.int64)
    running = np.zeros(f, np.int64)
    table = np.full(256, -1, np.int64)  # open addressing: slot -> row of `pairs`
    pairs = np.empty((128, 3), np.int64)
    known = 0
    height = 0
    row = low
    while row < high:
        if start[row] > stop:
            break
        if end[row] < begin:
            row = end_row[row]
            continue
        while height and end_row[stack[height - 1]] <= row:
            height -= 1
            running[function[stack[height]]] -= 1
        what = function[row]
        time = min(end[row], stop) - max(start[row], begin)
        whole = start[row] >= begin and end[row] <= stop
        count[what] += 1
        own[what] += time
        if not running[what]:
            total[what] += time
        if longest_row[what] < 0 or time > longest[what]:
            longest[what], longest_row[what] = time, row
        if len(cpu) and whole and cpu[row] >= 0:
            cpu_sum[what] += cpu[row]
        if height:
            caller = function[stack[height - 1]]
            own[caller] -= time
            if len(cpu) and whole and cpu[row] >= 0:
                above = stack[height - 1]
                if cpu[above] >= 0 and start[above] >= begin and end[above] <= stop:
                    cpu_sum[caller] -= cpu[row]
            key = np.int64(caller) * f + what
            slot = (key * 2654435761 >> 12) & (len(table) - 1)
            while table[slot] >= 0 and pairs[table[slot], 0] != key:
                slot = (slot + 1) & (len(table) - 1)
            if table[slot] < 0:
                if known == len(pairs):
                    more = np.empty((2 * known, 3), np.int64)
                    more[:known] = pairs
                    pairs = more
                    table = np.full(len(table) * 2, -1, np.int64)
                    for old in range(known):
                        slot = (pairs[old, 0] * 2654435761 >> 12) & (len(table) - 1)
                        while table[slot] >= 0:
                            slot = (slot + 1) & (len(table) - 1)
                        table[slot] = old
                    slot = (key * 2654435761 >> 12) & (len(table) - 1)
                    while table[slot] >= 0:
                        slot = (slot + 1) & (len(table) - 1)
                table[slot] = known
                pairs[known, 0], pairs[known, 1], pairs[known, 2] = key, 0, 0
                known += 1
            pairs[table[slot], 1] += 1
            pairs[table[slot], 2] += time
        running[what] += 1
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = row
        height += 1
        row += 1
    return pairs[:known]
