"""Activity over time: how many calls begin in each part of a trace."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.model.trace import Trace

PARTS = 2048  # of the time that a trace spans: more than a window has pixels for
_AT_ONCE = 1 << 20  # calls


def activity(trace: Trace, threads: frozenset[int] | None, progress: Progress = silent) -> npt.NDArray[np.int64]:
    """int64[PARTS]: calls that begin in each part of the span of the trace, of some of its threads (None = all)."""
    found = np.zeros(PARTS, np.int64)
    first, last = trace.span
    if last <= first:
        return found
    ptr = trace.threads.ptr.tolist()
    for thread in trace.threads.counted(threads):
        for begin in range(ptr[thread], ptr[thread + 1], _AT_ONCE):
            progress("Counting calls over time", begin, len(trace.calls))
            start = trace.calls.start[begin : min(begin + _AT_ONCE, ptr[thread + 1])]
            part = ((start - first).astype(np.float64) * (PARTS / (last - first))).astype(np.int64)
            found += np.bincount(np.clip(part, 0, PARTS - 1), minlength=PARTS)
    return found
