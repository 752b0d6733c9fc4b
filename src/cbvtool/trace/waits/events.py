"""Waits and releases of a trace as columns, in the order that matching them takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.runs import runs_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Waits:
    """w rows of the table of waits, a set of objects being several of them; times are ns.

    row     int64[w]  of the table
    call    int64[w]  that waits
    thread  int64[w]  of the call
    object  int64[w]  row of the table of objects, `NO_ROW` = unknown
    start   int64[w]
    end     int64[w]
    all     bool[w]   whether the call waits for all of its objects, not for any
    open    bool[w]   still under way at the end of the trace
    group   int64[w]  number of the wait: rows with the same call, start and end are one
    groups  how many there are
    """

    row: Ints
    call: Ints
    thread: Ints
    object: Ints
    start: Ints
    end: Ints
    all: npt.NDArray[np.bool_]
    open: npt.NDArray[np.bool_]
    group: Ints
    groups: int

    def __len__(self) -> int:
        return len(self.row)

    def first_rows(self) -> Ints:
        """int64[groups]: the first row of each wait."""
        found = np.full(self.groups, len(self), np.int64)
        np.minimum.at(found, self.group, np.arange(len(self)))
        return found

    def take(self, rows: Ints, objects: Ints | None = None) -> Waits:
        """These rows, for other objects where they are given (int64 of the same length)."""
        return Waits(
            self.row[rows],
            self.call[rows],
            self.thread[rows],
            self.object[rows] if objects is None else objects,
            self.start[rows],
            self.end[rows],
            self.all[rows],
            self.open[rows],
            self.group[rows],
            self.groups,
        )


@dataclass(frozen=True, eq=False)
class Releases:
    """r rows of the table of releases by (object, time, row); times are ns.

    call         int64[r]  that releases
    thread       int64[r]  of the call
    object       int64[r]
    time         int64[r]  when it begins to release
    end          int64[r]  end of the call, where that begins with the release; else, within a longer call, `time`
    other        int64[r]  the last row before this one that is of the same object and another thread, -1 = none
    ending_last  int64[r]  of the rows of the object up to this one, that with the largest end (the last of equal ones)
    """

    call: Ints
    thread: Ints
    object: Ints
    time: Ints
    end: Ints
    other: Ints
    ending_last: Ints

    def __len__(self) -> int:
        return len(self.call)


def is_asleep(trace: Trace, things: Ints) -> npt.NDArray[np.bool_]:
    """bool[n]: whether each object (row, or `NO_ROW`) is a timer: who waits for it sleeps, and is ended by none."""
    objects = trace.table("objects")
    kinds = [kind for kind in np.unique(objects["kind"]).tolist() if trace.strings[kind] == "timer"]
    found: npt.NDArray[np.bool_] = np.isin(things, np.flatnonzero(np.isin(objects["kind"], kinds)))
    return found


def waits_of(trace: Trace) -> Waits:
    """The waits of a trace, in the order of its table; those of calls that are not there are left out."""
    table = trace.table("waits")
    call = table["call"].astype(np.int64)
    row = np.flatnonzero(call < len(trace.calls))
    call = call[row]
    start, end = table["start"][row], np.maximum(table["start"][row], table["end"][row])
    still = np.isin(call, trace.open_rows) & (end >= trace.calls.end[call])
    thing = table["object"][row].astype(np.int64)
    still &= ~is_asleep(trace, thing)  # sleep ends by itself
    order, new = runs_of(call, start, end)
    number = np.cumsum(new) - 1
    group = np.empty(len(row), np.int64)
    group[order] = number
    groups = int(number[-1]) + 1 if len(row) else 0
    return Waits(row, call, trace.thread_of(call), thing, start, end, table["all"][row], still, group, groups)


def releases_of(trace: Trace) -> Releases:
    """The releases of a trace; those of unknown objects, or of calls that are not there, are left out."""
    table = trace.table("releases")
    call, thing = table["call"].astype(np.int64), table["object"].astype(np.int64)
    rows = np.flatnonzero((call < len(trace.calls)) & (thing != NO_ROW))
    rows = rows[np.lexsort((table["time"][rows], thing[rows]))]
    call, thing, time = call[rows], thing[rows], table["time"][rows]
    end = np.where(trace.calls.start[call] == time, trace.calls.end[call], time)
    thread = trace.thread_of(call)
    number = np.arange(len(rows))
    run = np.ones(len(rows), np.bool_)  # where a run of one object and one thread begins
    run[1:] = (thing[1:] != thing[:-1]) | (thread[1:] != thread[:-1])
    before = np.maximum.accumulate(np.where(run, number, 0)) - 1 if len(rows) else number
    same = before >= 0
    same[same] = thing[before[same]] == thing[same]
    return Releases(call, thread, thing, time, end, np.where(same, before, -1), _ending_last(thing, end))


def _ending_last(thing: Ints, end: Ints) -> Ints:
    """Within each object: the row so far that ends last."""
    if not len(end):
        return np.empty(0, np.int64)
    number = np.arange(len(end))
    # Ranks of the ends, larger for later objects: so a running maximum never looks back into an earlier object.
    rank = np.empty(len(end), np.int64)
    by_end = np.lexsort((number, end, thing))
    rank[by_end] = number
    best: Ints = by_end[np.maximum.accumulate(rank)]
    return best
