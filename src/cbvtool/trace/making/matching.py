"""Begins, ends and spans of one thread, in time, to calls in preorder: one compiled pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.table import NO_ROW

BEGIN, END, SPAN = 0, 1, 2  # kinds of events
ANY_FUNCTION = 2**32 - 1  # of an end that does not say which function ends

# What `match` counts, in this order, in the words that a user reads.
REPAIRS = ("ends without a begin", "calls without an end of their own", "calls that overlap another one")
_UNMATCHED, _UNENDED, _OVERLAPPING = 0, 1, 2
_NEVER = 2**63 - 1


@kernel
def match(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    kind: npt.NDArray[np.uint8],
    function: npt.NDArray[np.uint32],
    time: npt.NDArray[np.int64],
    finish: npt.NDArray[np.int64],
    order: npt.NDArray[np.uint32],
    begun: npt.NDArray[np.int64],
    base: int,
    last: int,
    out_function: npt.NDArray[np.uint32],
    out_start: npt.NDArray[np.int64],
    out_end: npt.NDArray[np.int64],
    out_depth: npt.NDArray[Any],
    out_end_row: npt.NDArray[np.uint32],
    is_open: npt.NDArray[np.bool_],
    row_of: npt.NDArray[np.uint32],
    repairs: npt.NDArray[np.int64],
) -> int:
    """Write the calls of one thread into columns, and return how deep they go (0 = no calls).

    kind, function, time   of e events
    finish                 end of each span; anything for begins and ends
    order                  the events by ascending time, spans of equal start the longest first; empty = as they are
    begun                  zeros, one for each function: a place to count in, zeros again afterwards
    base                   row of the thread's first call: what `out_end_row` counts from
    last                   ns, where open calls end: no event is later
    out_...                columns of the thread's calls, one for each begin and span, in the order of these
    is_open                which of them were still running
    row_of                 row (from `base` on) of the call that each event begins or ends, in the order in which
                           events are given, NO_ROW for an end without a begin; empty = not wanted
    repairs                counts are added to it, see `REPAIRS`

    An end closes the innermost begin of its function, and what stands above that, which has no end of its own. A call
    that would outlast the span around it is cut off there. Linear in e, however the events are nested.
    """
    # The calls that are open are linked through the columns: until a call ends, `out_end_row` has the row of the one
    # around it + 1 (0 = none), `out_end` where it must end (its own end, if it is a span, or that of one around it),
    # `is_open` whether it is a span.
    functions = len(begun)  # `begun`: begins of each function that are open
    wants_rows = len(row_of) > 0
    ordered = len(order) > 0
    top = np.int64(-1)  # row of the innermost open call
    height = deepest = row = begins = 0
    for place in range(len(kind)):
        event = np.int64(order[place]) if ordered else place
        now = time[event]
        what = kind[event]
        if what != END:
            while top >= 0 and out_end[top] <= now:
                done = top
                top = np.int64(out_end_row[done]) - 1
                height -= 1
                out_end_row[done] = base + row
                if not is_open[done]:
                    repairs[_OVERLAPPING] += 1
                    begun[out_function[done]] -= 1
                    begins -= 1
                is_open[done] = False
            limit = _NEVER
            if top >= 0:
                limit = out_end[top]
            if what == SPAN:
                if finish[event] > limit:
                    repairs[_OVERLAPPING] += 1
                else:
                    limit = max(finish[event], now)
            else:
                begun[function[event]] += 1
                begins += 1
            is_open[row] = what == SPAN
            out_end[row] = limit
            out_end_row[row] = top + 1
            out_function[row] = function[event]
            out_start[row] = now
            out_depth[row] = height
            if wants_rows:
                row_of[event] = base + row
            top = np.int64(row)
            row += 1
            height += 1
            deepest = max(deepest, height)
            continue
        while top >= 0 and is_open[top] and out_end[top] <= now:
            done = top
            top = np.int64(out_end_row[done]) - 1
            height -= 1
            out_end_row[done] = base + row
            is_open[done] = False
        wanted = function[event]
        if begins == 0 or (wanted != ANY_FUNCTION and (wanted >= functions or begun[wanted] == 0)):
            repairs[_UNMATCHED] += 1
            if wants_rows:
                row_of[event] = NO_ROW
            continue
        while True:
            done = top
            top = np.int64(out_end_row[done]) - 1
            height -= 1
            out_end_row[done] = base + row
            limit = out_end[done]
            cut = min(now, limit)
            out_end[done] = cut
            if is_open[done]:
                is_open[done] = False
                repairs[_OVERLAPPING] += cut < limit
                continue
            repairs[_OVERLAPPING] += cut < now
            begun[out_function[done]] -= 1
            begins -= 1
            if wanted == ANY_FUNCTION or out_function[done] == wanted:
                if wants_rows:
                    row_of[event] = base + done
                break
            repairs[_UNENDED] += 1
    while top >= 0:
        done = top
        top = np.int64(out_end_row[done]) - 1
        out_end_row[done] = base + row
        out_end[done] = min(last, out_end[done])
        is_open[done] = not is_open[done]
        begun[out_function[done]] = 0
    return deepest


@kernel
def survey(
    kind: npt.NDArray[np.uint8],
    time: npt.NDArray[np.int64],
    finish: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
) -> None:
    """Look at the events of a thread once; `found` gets what `builder.Survey` names.

    "Steps" are begins and ends: how many, and how many of them are earlier than the one before. Spans are ordered by
    start, the longest first, or by end, or neither. First and last time of all.
    """
    steps = late = spans = 0
    first, last, before = _NEVER, -_NEVER - 1, -_NEVER - 1
    before_start = before_finish = -_NEVER - 1
    by_start = by_end = True
    for event in range(len(kind)):
        now = time[event]
        first = min(first, now)
        last = max(last, now)
        if kind[event] != SPAN:
            steps += 1
            late += now < before
            before = now
            continue
        spans += 1
        then = finish[event]
        last = max(last, then)
        by_start &= now > before_start or (now == before_start and then <= before_finish)
        by_end &= then >= before_finish
        before_start, before_finish = now, then
    found[0], found[1], found[2], found[3] = steps, late, spans, by_start
    found[4], found[5], found[6] = by_end, first, last


@kernel
def sizes_of_ended(time: npt.NDArray[np.int64], finish: npt.NDArray[np.int64], size: npt.NDArray[np.uint32]) -> bool:
    """Sizes of the subtrees of spans that were written when they ended, in postorder; whether none has to be mended.

    finish  ascending. Of equal spans the one that was written later is the outer one

    The subtree before that of size s at i ends at i - s; so no stack is needed. Linear.
    """
    clean = True
    for at in range(len(time)):
        now = time[at]
        before = np.int64(at) - 1
        if before >= 0 and time[before] >= now:
            if time[before] >= finish[at]:  # it begins where this one ends, and counts as the next
                clean = False
            while before >= 0 and time[before] >= now:
                before -= np.int64(size[before])
        if before >= 0 and finish[before] > now:
            clean = False
        size[at] = at - before
    return clean


@kernel
def calls_of_ended(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    size: npt.NDArray[np.uint32],
    function: npt.NDArray[np.uint32],
    time: npt.NDArray[np.int64],
    finish: npt.NDArray[np.int64],
    base: int,
    out_function: npt.NDArray[np.uint32],
    out_start: npt.NDArray[np.int64],
    out_end: npt.NDArray[np.int64],
    out_depth: npt.NDArray[Any],
    out_end_row: npt.NDArray[np.uint32],
    row_of: npt.NDArray[np.uint32],
) -> int:
    """Write spans that stand in postorder as calls, by the sizes of their subtrees; return how deep they go.

    In postorder a subtree of s calls ends at its root i, in preorder it begins there; so root i of depth d stands at
    row i - s + 1 + d. It is what `match` writes if `sizes_of_ended` finds nothing to mend.
    """
    around = np.empty(len(size), np.int64)  # where the subtrees around begin in postorder; few of its pages are touched
    wants_rows = len(row_of) > 0
    height = deepest = 0
    at = np.int64(len(size))
    while at > 0:
        at -= 1
        while height and around[height - 1] > at:
            height -= 1
        begin = at - np.int64(size[at]) + 1
        row = begin + height
        out_function[row] = function[at]
        out_start[row] = time[at]
        out_end[row] = finish[at]
        out_depth[row] = height
        out_end_row[row] = base + row + np.int64(size[at])
        if wants_rows:
            row_of[at] = base + row
        around[height] = begin
        height += 1
        deepest = max(deepest, height)
    return deepest
