"""The waits that are seen, and the releases that ended them (ST-4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    MUTEX,
    Contended,
    Correspondences,
    LongWaits,
    NeedProgress,
    Trace,
    ViewContext,
    WaitTotals,
    contended,
    correspondences,
    dur_of,
    longest_waits,
    wait_totals,
    with_waits,
)

from .arranging import Arrangement

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
MOST_AT_ONCE, MOST_CURVES = 150, 20_000  # of curves; those beyond the first are drawn on a worker
MOST_ROWS = 10_000  # of the table of waits
MOST_MARKS = 300  # waits without a release
_SEEN = 1.5  # logical pixels


@dataclass(frozen=True, eq=False)
class Known:
    """What the need "waits" finds.

    trace     the trace with its waits: those that are known by the names of functions where none were recorded
    wait, io  int64[n]: ns of each call (ST-1)
    shared    bool[objects]: whether several threads waited for an object
    group     int64[w]: number of the wait of each row of the table of waits; one for several objects is several rows
    """

    trace: Trace
    pairs: Correspondences
    wait: Ints
    io: Ints
    totals: WaitTotals
    longest: LongWaits
    objects: Contended
    shared: Bools
    group: Ints

    def several(self, objects: Ints) -> Bools:
        """bool[n]: whether several threads waited for an object; of none, and of unknown ones, no."""
        found = (objects >= 0) & (objects < len(self.shared))
        found[found] = self.shared[objects[found]]
        return found


def make_known(trace: Trace, rule: str, *, progress: NeedProgress) -> Known:
    """Find all that the view draws of waits."""
    trace = with_waits(trace)
    pairs = correspondences(trace, "literal" if rule == "literal" else "default", progress)
    progress("adding up waits", 3, 4)
    waits, objects = trace.table("waits"), trace.table("objects")
    known = (waits["object"] < len(objects)) & (waits["call"] < len(trace.calls))
    call = waits["call"][known].astype(np.int64)
    both = np.unique(np.stack((waits["object"][known].astype(np.int64), trace.thread_of(call))), axis=1)
    shared = np.bincount(both[0], minlength=len(objects)) > 1
    keys = np.stack([waits[name].astype(np.int64) for name in ("call", "start", "end")])
    group = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1) if len(waits) else np.empty(0, np.int64)
    return Known(
        trace,
        pairs,
        dur_of(trace, "wait"),
        dur_of(trace, "io"),
        wait_totals(trace, pairs),
        longest_waits(trace, pairs, MOST_ROWS),
        contended(trace, pairs),
        shared,
        group.astype(np.int64),
    )


def known_in(context: ViewContext) -> Known | None:
    """What is known of the waits; None while they are being matched."""
    found: Known | None = context.found.get("waits")
    return found if found is not None and len(found.wait) == len(context.trace().calls) else None


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows of the correspondences that are seen, the longest waits first.

    rows   those that are drawn at once
    rest   those that are drawn on a worker
    count  of all, also of those that are not drawn
    """

    rows: Ints
    rest: Ints
    count: int


def seen_in(context: ViewContext, at: Arrangement, known: Known) -> Seen:
    """Those of which both threads are drawn, and a part of the wait lies in its thread's window (ST-4)."""
    return context.memo(_seen, at, known, context.memo(_longest_first, known.pairs))


def _longest_first(pairs: Correspondences) -> Ints:
    return np.argsort(pairs.wait_start - pairs.wait_end, kind="stable")


def _seen(at: Arrangement, known: Known, order: Ints) -> Seen:
    pairs, origin = known.pairs, at.trace.span[0]
    low, high = _ends(at)
    waiter, releaser = pairs.waiting_thread, pairs.releasing_thread
    fits = (pairs.wait_start - origin <= high[waiter]) & (pairs.wait_end - origin >= low[waiter])
    fits &= np.isfinite(high[releaser])
    rows = order[fits[order]]
    return Seen(rows[:MOST_AT_ONCE], rows[MOST_AT_ONCE:MOST_CURVES], len(rows))


def _ends(at: Arrangement) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Begin and end of each thread's window, ns since the start; of those that are not drawn nothing lies within."""
    low, high = np.full((2, len(at.trace.threads)), -np.inf)
    low[:] = np.inf
    for thread, window in at.windows.items():
        low[thread], high[thread] = window
    return low, high


def unanswered(context: ViewContext, at: Arrangement, known: Known) -> tuple[Ints, Bools]:
    """(rows of the table of waits that no release ended and that are seen, whether each never ended); longest first.

    A lock that is free is taken without a release: a time that is too short to be seen has no mark.
    """
    return context.memo(_unanswered, at, known, *context.memo(_without_release, known))


def _without_release(known: Known) -> tuple[Ints, Bools]:
    rows = np.concatenate((known.pairs.open, known.pairs.unexplained))
    never = np.arange(len(rows)) < len(known.pairs.open)
    waits = known.trace.table("waits")
    order = np.argsort(waits["start"][rows] - waits["end"][rows], kind="stable")
    return rows[order], never[order]


def _unanswered(at: Arrangement, known: Known, rows: Ints, never: Bools) -> tuple[Ints, Bools]:
    waits, origin = known.trace.table("waits"), at.trace.span[0]
    low, high = _ends(at)
    thread = at.trace.thread_of(waits["call"][rows].astype(np.int64))
    start, end = waits["start"][rows] - origin, waits["end"][rows] - origin
    shortest = np.full(len(low), np.inf)
    for one, (begin, last) in at.windows.items():
        shortest[one] = _SEEN * (last - begin) / max(at.pixels[one], 1.0)
    fits = np.flatnonzero((start <= high[thread]) & (end >= low[thread]) & (end - start >= shortest[thread]))
    return rows[fits[:MOST_MARKS]], never[fits[:MOST_MARKS]]


def has_links(known: Known) -> bool:
    """Whether links were recorded: starts of threads, messages. They have curves, too."""
    return bool((known.pairs.kind > MUTEX).any())


def alike(known: Known, row: int, others: Ints) -> tuple[Bools, Bools]:
    """Of other correspondences, whether they waited for the same set of objects as `row` did, and for one of them."""
    things = known.trace.table("waits")["object"].astype(np.int64)
    wait, rows = int(known.pairs.wait[row]), known.pairs.wait[others]
    none = np.zeros(len(others), np.bool_)
    if wait < 0:
        return none, none
    mine = np.unique(things[known.group == known.group[wait]])
    size = np.bincount(known.group)
    common = np.bincount(known.group, weights=np.isin(things, mine))
    group = known.group[np.maximum(rows, 0)]
    is_wait = rows >= 0
    shares = is_wait & (common[group] > 0)
    return shares & (common[group] == size[group]) & (size[group] == len(mine)), shares


def pair_of(known: Known, call: int, time: float) -> int:
    """The correspondence of a wait of a call: of the one under way at a time (ns of the trace), or the first; or -1."""
    rows = np.flatnonzero(known.pairs.waiting == call)
    if not len(rows):
        return -1
    under_way = (known.pairs.wait_start[rows] <= time) & (time <= known.pairs.wait_end[rows])
    return int(rows[np.argmax(under_way)])
