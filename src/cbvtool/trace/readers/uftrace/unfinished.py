"""Waits that never ended: uftrace writes no call that does not return, but the kernel tells who left the processor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Calls, Threads

Ints = npt.NDArray[np.int64]


def unfinished_waits(
    calls: Calls, threads: Threads, open_rows: npt.NDArray[np.uint32], thread: Ints, start: Ints, end: Ints
) -> tuple[Ints, Ints]:
    """(calls, ns): the innermost open call of each thread that waited at the end of its recording, and since when.

    thread, start, end  int64[g]: when threads (rows) left the processor of their own accord, and came back, -1 = never

    Behind the last record of such a thread there is no call, so what it waited for is unknown. It waited if it was away
    for most of the time that was left.
    """
    if not len(open_rows):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    rows = open_rows.astype(np.int64)
    of = np.searchsorted(threads.ptr, rows, "right") - 1
    found: list[tuple[int, int]] = []
    for one in np.unique(of).tolist():
        innermost = int(rows[of == one].max())
        own = slice(int(threads.ptr[one]), int(threads.ptr[one + 1]))
        ended = np.ones(own.stop - own.start, np.bool_)
        ended[rows[of == one] - own.start] = False
        last = max(int(calls.start[own].max()), int(calls.end[own][ended].max(initial=0)))
        until = int(threads.last[one])
        away = np.flatnonzero((thread == one) & (start >= last))
        absent = np.where(end[away] < 0, until, end[away]) - start[away]
        if len(away) and 2 * int(absent.sum()) > until - last:
            found.append((innermost, int(start[away].min())))
    return np.array([call for call, _ in found], np.int64), np.array([since for _, since in found], np.int64)
