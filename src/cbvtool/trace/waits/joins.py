"""Which thread's end let a wait for a thread go on: nothing releases it, it ends."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.events import Waits

Ints = npt.NDArray[np.int64]


def joined(trace: Trace, waits: Waits) -> Ints:
    """int64[w]: the thread whose end let each wait for an object of the kind "thread" go on; -1 = none, other waits.

    Handles of threads are recorded, but not whose they are. So it is the thread of the same process with the object's
    name, if it has one, else that of the process which ended last within the wait. A wait that began after its thread
    had ended waited for nothing.
    """
    result = np.full(len(waits), -1, np.int64)
    objects, threads, strings = trace.table("objects"), trace.threads, trace.strings
    kinds = [kind for kind in np.unique(objects["kind"]).tolist() if strings[kind] == "thread"]
    things = np.flatnonzero(np.isin(objects["kind"], kinds))
    rows = np.flatnonzero(np.isin(waits.object, things) & ~waits.open)
    real = np.array([kind == "thread" for kind in threads.kind], np.bool_) & (np.diff(threads.ptr) > 0)
    for row in rows.tolist():
        waiter = int(waits.thread[row])
        fits = real & (threads.process == threads.process[waiter])
        fits &= (threads.last >= waits.start[row]) & (threads.last <= waits.end[row])
        fits[waiter] = False
        found = np.flatnonzero(fits)
        name = strings[int(objects["name"][waits.object[row]])]
        called = [thread for thread in found.tolist() if name and threads.name[thread] == name]
        if called:
            result[row] = called[-1]
        elif len(found):
            result[row] = found[np.argmax(threads.last[found])]
    return result
