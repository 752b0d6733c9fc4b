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
    stack = np.empty(64, np.int64)  # rows
    limit = np.empty(64, np.int64)  # where the call must end: its own end, if it is a span, or that of one around it
    is_span = np.empty(64, np.bool_)
    functions = len(begun)  # `begun`: begins of each function on the stack
    wants_rows = len(row_of) > 0
    ordered = len(order) > 0
    height = deepest = row = begins = 0
    for place in range(len(kind)):
        event = np.int64(order[place]) if ordered else place
        now = time[event]
        if kind[event] != END:
            while height and limit[height - 1] <= now:
                height -= 1
                done = stack[height]
                out_end[done] = limit[height]
                out_end_row[done] = base + row
                if not is_span[height]:
                    repairs[_OVERLAPPING] += 1
                    begun[out_function[done]] -= 1
                    begins -= 1
            if height == len(stack):
                stack = np.concatenate((stack, np.empty(height, np.int64)))
                limit = np.concatenate((limit, np.empty(height, np.int64)))
                is_span = np.concatenate((is_span, np.empty(height, np.bool_)))
            above = limit[height - 1] if height else _NEVER
            stack[height] = row
            is_span[height] = kind[event] == SPAN
            limit[height] = above
            if kind[event] == SPAN:
                if finish[event] > above:
                    repairs[_OVERLAPPING] += 1
                else:
                    limit[height] = max(finish[event], now)
            else:
                begun[function[event]] += 1
                begins += 1
            out_function[row] = function[event]
            out_start[row] = now
            out_depth[row] = height
            if wants_rows:
                row_of[event] = base + row
            row += 1
            height += 1
            deepest = max(deepest, height)
            continue
        while height and is_span[height - 1] and limit[height - 1] <= now:
            height -= 1
            out_end[stack[height]] = limit[height]
            out_end_row[stack[height]] = base + row
        wanted = function[event]
        if begins == 0 or (wanted != ANY_FUNCTION and (wanted >= functions or begun[wanted] == 0)):
            repairs[_UNMATCHED] += 1
            if wants_rows:
                row_of[event] = NO_ROW
            continue
        while True:
            height -= 1
            done = stack[height]
            cut = min(now, limit[height])
            out_end[done] = cut
            out_end_row[done] = base + row
            if is_span[height]:
                repairs[_OVERLAPPING] += cut < limit[height]
                continue
            repairs[_OVERLAPPING] += cut < now
            begun[out_function[done]] -= 1
            begins -= 1
            if wanted == ANY_FUNCTION or out_function[done] == wanted:
                if wants_rows:
                    row_of[event] = base + done
                break
            repairs[_UNENDED] += 1
    while height:
        height -= 1
        done = stack[height]
        out_end[done] = min(last, limit[height])
        out_end_row[done] = base + row
        is_open[done] = not is_span[height]
        begun[out_function[done]] = 0
    return deepest


@kernel
def survey(
    kind: npt.NDArray[np.uint8],
    time: npt.NDArray[np.int64],
    finish: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
) -> None:
    """Look at the events of a thread once; `found` gets what `SURVEY` names.

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


SURVEY = ("steps", "late", "spans", "by_start", "by_end", "first", "last")


@kernel
def order_of_ended(
    time: npt.NDArray[np.int64],
    finish: npt.NDArray[np.int64],
    size: npt.NDArray[np.uint32],
    order: npt.NDArray[np.uint32],
) -> bool:
    """Order spans that were written when they ended by their start. False where that does not do: sort them.

    finish  ascending, as calls are written by recorders that know them when they end: in postorder
    size    a place for the sizes of subtrees

    In postorder a subtree of s calls ends at its root i, in preorder it begins there; so root i of depth d stands at
    row i - s + 1 + d. Of equal spans the one that was written later is the outer one. Linear.
    """
    count = len(time)
    stack = np.empty(64, np.int64)
    height = 0
    for at in range(count):
        below = 1
        while height and time[stack[height - 1]] >= time[at]:
            height -= 1
            below += size[stack[height]]
        size[at] = below
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = at
        height += 1
    height = 0
    for back in range(count):
        at = count - 1 - back
        begin = at - np.int64(size[at]) + 1
        while height and stack[height - 1] > at:
            height -= 1
        order[begin + height] = at
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = begin
        height += 1
    late = 0
    for place in range(1, count):
        late += time[order[place]] < time[order[place - 1]]
    return late == 0
