"""Which call of a thread was running at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Calls, Threads


@kernel
def _innermost(
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    end_row: npt.NDArray[np.uint32],
    base: int,
    time: npt.NDArray[np.int64],
    out: npt.NDArray[np.uint32],
) -> None:
    """One sweep over the calls of a thread, whose first row is `base`, and ascending times."""
    stack = np.empty(64, np.int64)
    height = row = 0
    for place in range(len(time)):
        now = time[place]
        while row < len(start) and start[row] <= now:
            while height and end_row[stack[height - 1]] <= base + row:
                height -= 1
            if height == len(stack):
                stack = np.concatenate((stack, np.empty(height, np.int64)))
            stack[height] = row
            height += 1
            row += 1
        while height and end[stack[height - 1]] < now:
            height -= 1
        out[place] = base + stack[height - 1] if height else NO_ROW


def calls_at(
    calls: Calls,
    threads: Threads,
    thread: npt.NDArray[np.integer],
    time: npt.NDArray[np.int64],
    following: bool = False,
) -> npt.NDArray[np.uint32]:
    """The innermost call that runs on a thread at a time, `NO_ROW` where none does. Ends belong to calls.

    following  the first call that begins then or later, instead
    """
    found = np.full(len(time), NO_ROW, np.uint32)
    order = np.lexsort((time, thread))
    bounds = np.flatnonzero(np.diff(thread[order], prepend=-1, append=-1))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        asked = order[begin:end]
        low, high = threads.ptr[thread[asked[0]] : thread[asked[0]] + 2].tolist()
        if following:
            rows = np.searchsorted(calls.start[low:high], time[asked])
            found[asked] = np.where(rows < high - low, low + rows, NO_ROW)
        else:
            out = np.empty(len(asked), np.uint32)
            _innermost(calls.start[low:high], calls.end[low:high], calls.end_row[low:high], low, time[asked], out)
            found[asked] = out
    return found
