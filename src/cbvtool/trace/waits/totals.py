"""Who waits for whom, what was waited for longest, and which objects are contended (ST-8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import Correspondences
from cbvtool.trace.waits.events import is_asleep, waits_of
from cbvtool.trace.waits.runs import runs_of

Ints = npt.NDArray[np.int64]
NOBODY = -1  # in place of a releasing thread: nobody released it, as far as the recording knows


@dataclass(frozen=True, eq=False)
class WaitTotals:
    """p pairs of threads, those that cost most first; times are ns.

    waiting    int64[p]  thread
    releasing  int64[p]  thread, `NOBODY` for time-outs and waits without an end
    count      int64[p]  waits; one for several objects counts for each thread that released one of them
    total      int64[p]  their time
    longest    int64[p]
    object     int64[p]  row of the table of objects that most of this time was waited for, the first of equal ones;
                         `NO_ROW` = unknown
    of_object  int64[p]  the time for this object; a wait for several objects is one for each of them
    """

    waiting: Ints
    releasing: Ints
    count: Ints
    total: Ints
    longest: Ints
    object: Ints
    of_object: Ints

    def __len__(self) -> int:
        return len(self.waiting)


@dataclass(frozen=True, eq=False)
class LongWaits:
    """w waits, the longest first.

    row        int64[w]  of the table of waits, the first one of a set of objects
    call       int64[w]
    thread     int64[w]
    object     int64[w]  row of the table of objects, `NO_ROW` = unknown
    releasing  int64[w]  thread, or `NOBODY`
    release    int64[w]  row of the call that released, -1
    moment     int64[w]  ns, when it did; -1
    start      int64[w]  ns
    end        int64[w]
    open       bool[w]   still under way at the end of the trace
    """

    row: Ints
    call: Ints
    thread: Ints
    object: Ints
    releasing: Ints
    release: Ints
    moment: Ints
    start: Ints
    end: Ints
    open: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Contended:
    """o objects, those that were waited for longest first; times are ns.

    object   int64[o]  row of the table of objects, `NO_ROW` = those that are not known
    count    int64[o]  waits
    total    int64[o]
    longest  int64[o]
    threads  int64[o]  how many threads waited for it
    holder   int64[o]  the thread whose releases ended most of the waiting time, `NOBODY`
    held     int64[o]  that waiting time
    """

    object: Ints
    count: Ints
    total: Ints
    longest: Ints
    threads: Ints
    holder: Ints
    held: Ints

    def __len__(self) -> int:
        return len(self.object)


def wait_totals(trace: Trace, found: Correspondences) -> WaitTotals:
    """Count and time of the waits of each thread for each other one (ST-8)."""
    waits = longest_waits(trace, found, None)
    alone = waits.releasing == NOBODY
    ended = found.primary
    waiting = np.concatenate((found.waiting_thread[ended], waits.thread[alone])).astype(np.int64)
    releasing = np.concatenate((found.releasing_thread[ended], waits.releasing[alone])).astype(np.int64)
    starts = np.concatenate((found.wait_start[ended], waits.start[alone]))
    time = np.concatenate((found.wait_end[ended], waits.end[alone])) - starts
    # A wait for several objects that one thread released is one wait for it.
    calls = np.concatenate((found.waiting[ended], waits.call[alone]))
    things = np.concatenate((found.object[ended], waits.object[alone])).astype(np.int64)
    order, new = runs_of(waiting, releasing, calls, starts)
    once = order[new]
    groups, (count, total, longest) = _grouped((waiting[once], releasing[once]), time[once])
    order, new = runs_of(waiting, releasing, things, calls, starts)
    once = order[new]
    each, (_, share, _) = _grouped((waiting[once], releasing[once], things[once]), time[once])
    best = np.lexsort((each[2], -share, each[1], each[0]))  # the most waited for object of each pair comes first
    best = best[_first_of_runs(each[0][best], each[1][best])]  # pairs ascend here and in `groups`
    order = np.lexsort((groups[1], groups[0], -total))
    return WaitTotals(
        groups[0][order],
        groups[1][order],
        count[order],
        total[order],
        longest[order],
        each[2][best][order],
        share[best][order],
    )


def _first_of_runs(*keys: Ints) -> Ints:
    """int64: where runs of rows begin that are equal in all columns."""
    new = np.ones(len(keys[0]), np.bool_)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.flatnonzero(new)


def longest_waits(trace: Trace, found: Correspondences, most: int | None = 100) -> LongWaits:
    """The longest waits, `most` of them, None = all; of equally long ones the earliest first (ST-8)."""
    waits = waits_of(trace)
    first = waits.first_rows()
    length = waits.end[first] - waits.start[first]
    chosen = first[np.lexsort((waits.start[first], -length))[:most]]
    # The latest release of each wait is the one that ended it.
    at = np.full(waits.groups, -1, np.int64)
    group = np.full(len(trace.table("waits")), -1, np.int64)
    group[waits.row] = waits.group
    ended = np.flatnonzero(found.primary)
    ended = ended[np.argsort(found.moment[ended], kind="stable")]
    at[group[found.wait[ended]]] = ended
    end = at[waits.group[chosen]]
    known = end >= 0
    releasing = np.full(len(chosen), NOBODY, np.int64)
    release, moment = np.full((2, len(chosen)), -1, np.int64)
    thing = waits.object[chosen].copy()
    releasing[known], release[known] = found.releasing_thread[end[known]], found.releasing[end[known]]
    moment[known], thing[known] = found.moment[end[known]], found.object[end[known]]
    return LongWaits(
        waits.row[chosen],
        waits.call[chosen],
        waits.thread[chosen],
        thing,
        releasing,
        release,
        moment,
        waits.start[chosen],
        waits.end[chosen],
        waits.open[chosen],
    )


def contended(trace: Trace, found: Correspondences) -> Contended:
    """The objects that were waited for, with the thread that held each up most (ST-8)."""
    waits = waits_of(trace)
    time = waits.end - waits.start
    (things,), (count, total, longest) = _grouped((waits.object,), time)
    (pairs, _), _counts = _grouped((waits.object, waits.thread), time)
    threads = np.bincount(np.searchsorted(things, pairs), minlength=len(things))
    ended = found.primary
    (held, holders), (_, share, _) = _grouped(
        (found.object[ended], found.releasing_thread[ended].astype(np.int64)),
        (found.wait_end - found.wait_start)[ended],
    )
    holder, most = np.full(len(things), NOBODY, np.int64), np.zeros(len(things), np.int64)
    rising = np.lexsort((-holders, share))
    at = np.searchsorted(things, held[rising])
    holder[at], most[at] = holders[rising], share[rising]
    order = np.lexsort((things, -total))
    return Contended(
        things[order], count[order], total[order], longest[order], threads[order], holder[order], most[order]
    )


def explained(trace: Trace, found: Correspondences) -> tuple[int, int]:
    """(ns of waiting that a release of the trace ended, ns of all waiting that ended), without sleep."""
    waits = longest_waits(trace, found, None)
    ended = ~waits.open & ~is_asleep(trace, waits.object)
    time = (waits.end - waits.start)[ended]
    return int(time[waits.releasing[ended] != NOBODY].sum()), int(time.sum())


def asleep(trace: Trace, found: Correspondences) -> int:
    """ns that all threads slept: for a time of their own choice, which no other thread ends."""
    waits = longest_waits(trace, found, None)
    sleeps = is_asleep(trace, waits.object)
    return int((waits.end - waits.start)[sleeps].sum())


def _grouped(keys: tuple[Ints, ...], time: Ints) -> tuple[tuple[Ints, ...], tuple[Ints, Ints, Ints]]:
    """The different keys, ascending, and of each the number, sum and largest of its times."""
    if not len(time):
        empty = np.empty(0, np.int64)
        return tuple(empty for _ in keys), (empty, empty, empty)
    order, new = runs_of(*keys)
    first = np.flatnonzero(new)
    count = np.diff(np.append(first, len(order)))
    summed, longest = np.add.reduceat(time[order], first), np.maximum.reduceat(time[order], first)
    return tuple(key[order[first]] for key in keys), (count, summed, longest)
