"""What a run would gain by a lock split, a wait removed, or faster input and output: an estimate (NEW-18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.progress import stopping
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import Correspondences
from cbvtool.trace.waits.totals import NOBODY, LongWaits, longest_waits

Ints = npt.NDArray[np.int64]
Kind = Literal["split", "without", "wait", "io"]

ASSUMPTIONS = (
    "Threads do the same work in the same order, and there are processors enough for all of them.",
    "A wait ends when the release that ended it comes, as long after it as it did.",
    "Waits that nothing in the recording ended take as long as they did.",
)
_ABOUT = {
    "split": "Each wait for the object takes 1/{factor:g} of the time by which it holds its thread up.",
    "without": "Waits for the object take no time.",
    "wait": "This one wait takes no time.",
    "io": "Input and output takes 1/{factor:g} of its time.",
}


@dataclass(frozen=True)
class WhatIf:
    """A change to think through.

    kind    "split": a lock in `factor` parts; "without": no wait for an object; "wait": one wait less; "io": input and
            output `factor` times as fast
    object  row of the table of objects, for "split" and "without"
    factor  not used for "without" and "wait"
    wait    row of the table of waits, for "wait"; of a wait for several objects any of its rows
    """

    kind: Kind
    object: int = -1
    factor: float = 2.0
    wait: int = -1


@dataclass(frozen=True, eq=False)
class Estimate:
    """What would be, as far as `assumptions` hold; times are ns.

    end          estimated length of the run
    before       its length as it was recorded
    threads      int64[t]: how much earlier each thread would end
    waits        int64[w]: rows of the table of waits that would become shorter, those that shrink most first
    saved        int64[w]: by how much
    assumptions  sentences
    """

    end: int
    before: int
    threads: Ints
    waits: Ints
    saved: Ints
    assumptions: tuple[str, ...]


def what_if(trace: Trace, found: Correspondences, change: WhatIf) -> Estimate:
    """Replay the waits of a run in the order of their ends, with one change. Raises ValueError for a factor below 1.

    Between its waits a thread takes as long as it did, less what faster input and output saves; a wait ends at the new
    time of its release plus the time it took to wake up, but not before it begins.
    """
    if not change.factor >= 1:
        raise ValueError(f"a factor is 1 or more, not {change.factor!r}")
    waits = longest_waits(trace, found, None)
    gone = _gone(trace, waits, change)
    begin = trace.threads.first.astype(np.int64)
    last = trace.threads.last.astype(np.int64)
    # What happens on each thread, in the order of time: it is released (1), it releases another (0), it ends (2).
    events: list[tuple[int, int, int, int]] = []
    for at in range(len(waits)):
        events.append((int(waits.end[at]), 1, int(waits.thread[at]), at))
        if waits.releasing[at] != NOBODY:
            events.append((int(waits.moment[at]), 0, int(waits.releasing[at]), at))
    events += [(end, 2, thread, -1) for thread, end in enumerate(last.tolist())]
    events.sort()
    quick = _Saved(trace, change)
    old, new = begin.copy(), begin.copy()  # where each thread stands in the recording, and where it would
    released: dict[int, int] = {}
    saved = np.zeros(len(waits), np.int64)
    for event in stopping(range(len(events))):
        time, kind, thread, at = events[event]
        start = int(waits.start[at]) if kind == 1 else time
        start = max(start, int(old[thread]))
        new[thread] += max(start - int(old[thread]) - quick(thread, int(old[thread]), start), 0)
        old[thread] = start
        if kind == 0:
            released[at] = int(new[thread])
        elif kind == 1:
            length = max(time - start, 0)
            until = length
            if at in released:  # as long after its release as it was
                until = max(released[at] + time - int(waits.moment[at]) - int(new[thread]), 0)
            if gone[at]:
                until = 0 if change.kind != "split" else int(until / change.factor)
            saved[at] = length - until
            new[thread] += until
            old[thread] = max(time, start)
    shorter = np.flatnonzero(saved > 0)
    shorter = shorter[np.argsort(-saved[shorter], kind="stable")]
    first, end = trace.span
    about = _ABOUT[change.kind].format(factor=change.factor)
    length = int(new.max()) - first if len(new) else 0
    return Estimate(length, end - first, last - new, waits.row[shorter], saved[shorter], (about, *ASSUMPTIONS))


def _gone(trace: Trace, waits: LongWaits, change: WhatIf) -> npt.NDArray[np.bool_]:
    """bool[waits]: those that a change itself is about."""
    if change.kind == "io":
        return np.zeros(len(waits), np.bool_)
    of_object: npt.NDArray[np.bool_] = waits.object == change.object
    if change.kind != "wait":
        return of_object
    table = trace.table("waits")
    if not 0 <= change.wait < len(table):
        return np.zeros(len(waits), np.bool_)
    call, start = int(table["call"][change.wait]), int(table["start"][change.wait])
    this_one: npt.NDArray[np.bool_] = (waits.call == call) & (waits.start == start)
    return this_one


class _Saved:
    """How much faster input and output saves a thread between two times, ns."""

    def __init__(self, trace: Trace, change: WhatIf) -> None:
        self._sums: dict[int, tuple[Ints, Ints]] = {}
        table = trace.table("io")
        if change.kind != "io" or not len(table):
            return
        call = table["call"].astype(np.int64)
        rows = np.flatnonzero(call < len(trace.calls))
        thread = trace.thread_of(call[rows])
        share = 1 - 1 / change.factor
        for one in np.unique(thread).tolist():
            mine = rows[thread == one]
            mine = mine[np.argsort(table["end"][mine], kind="stable")]
            length = np.maximum(table["end"][mine] - table["start"][mine], 0)
            sums = np.concatenate(([0], np.cumsum((length * share).astype(np.int64))))
            self._sums[one] = table["end"][mine], sums

    def __call__(self, thread: int, begin: int, end: int) -> int:
        if thread not in self._sums:
            return 0
        ends, sums = self._sums[thread]
        low, high = np.searchsorted(ends, [begin, end], "right")
        return int(sums[high] - sums[low])
