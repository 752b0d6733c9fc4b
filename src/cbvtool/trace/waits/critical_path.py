"""What a moment depended on: back through waits and links to the threads that ended them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import MUTEX, Correspondences

MOST_STEPS = 100_000


@dataclass(frozen=True)
class CriticalStep:
    """A stretch of the path on one thread, ns, and how it came there.

    thread  row
    start   when the thread was released, or the path begins
    end     when it released the next one, or the moment that was asked about
    row     of `Correspondences`: the wait or link that ended at `start`; -1 = the path begins here
    """

    thread: int
    start: int
    end: int
    row: int


def critical_path(trace: Trace, found: Correspondences, thread: int, moment: int) -> tuple[CriticalStep, ...]:
    """The stretches that a moment of a thread (ns) depended on, the earliest first.

    Greedy: from the moment back to the end of the thread's last wait that something released, from that release back
    on the releasing thread, and so on. Where the moment lies within such a wait, that one is followed first. No wait is
    gone through twice, and time never runs forward. At most `MOST_STEPS` stretches, the latest ones.
    """
    usable = np.flatnonzero((found.kind != MUTEX) & (found.moment <= found.wait_end))
    usable = usable[np.lexsort((found.wait_end[usable], found.waiting_thread[usable]))]
    threads, ends = found.waiting_thread[usable], found.wait_end[usable]
    steps: list[CriticalStep] = []
    seen = np.zeros(len(found), np.bool_)
    now = int(moment)
    inside = usable[(threads == thread) & (found.wait_start[usable] <= now) & (ends > now)]
    inside = inside[found.moment[inside] <= now]
    if len(inside):
        row = int(inside[np.argmax(found.moment[inside])])
        seen[row] = True
        steps.append(CriticalStep(thread, now, now, row))
        thread, now = int(found.releasing_thread[row]), int(found.moment[row])
    while len(steps) < MOST_STEPS:
        low, high = np.searchsorted(threads, [thread, thread + 1])
        at = int(low + np.searchsorted(ends[low:high], now, "right")) - 1
        while at >= low and (seen[usable[at]] or found.moment[usable[at]] > now):
            at -= 1
        if at < low:
            begin = min(now, int(trace.threads.first[thread]))
            steps.append(CriticalStep(thread, begin, now, -1))
            break
        row = int(usable[at])
        seen[row] = True
        steps.append(CriticalStep(thread, int(found.wait_end[row]), now, row))
        thread, now = int(found.releasing_thread[row]), int(found.moment[row])
    return tuple(reversed(steps))
