"""Which call created each thread: uftrace numbers threads, and records the calls that create some, apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import NO_CALL, Calls, Threads

Ints = npt.NDArray[np.int64]


def creators_of(calls: Calls, threads: Threads, creating: npt.NDArray[np.uint32]) -> Ints:
    """int64[t]: the call that created each thread, `NO_CALL` = unknown.

    creating  functions (rows) that create a thread

    Linux numbers threads upward, so within a process the n-th one was created by the n-th such call; where calls or
    threads are missing in the recording, nothing is said.
    """
    result = np.full(len(threads), NO_CALL, np.int64)
    rows = np.flatnonzero(np.isin(calls.function, creating))
    process = threads.process[np.searchsorted(threads.ptr, rows, "right") - 1]
    for one in np.unique(process).tolist():
        made = np.flatnonzero((threads.process == one) & (threads.id != one))
        made = made[np.argsort(threads.id[made])]
        own = rows[process == one]
        own = own[np.argsort(calls.start[own], kind="stable")]
        if len(made) == len(own) and (threads.first[made] >= calls.start[own]).all():
            result[made] = own
    return result
