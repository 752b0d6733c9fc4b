"""Begins, ends and spans of one thread, in time, to calls in preorder: one compiled pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

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
    functions: int,
    base: int,
    last: int,
    out_function: npt.NDArray[np.uint32],
    out_start: npt.NDArray[np.int64],
    out_end: npt.NDArray[np.int64],
    out_depth: npt.NDArray[Any],
    out_end_row: npt.NDArray[np.uint32],
    is_open: npt.NDArray[np.bool_],
    repairs: npt.NDArray[np.int64],
) -> int:
    """Write the calls of one thread into columns, and return how deep they go (0 = no calls).

    kind, function, time   of e events, `time` ascending. Spans of equal start: the longest first
    finish                 end of each span; anything for begins and ends
    functions              number of functions
    base                   row of the thread's first call: what `out_end_row` counts from
    last                   ns, where open calls end: no event is later
    out_...                columns of the thread's calls, one for each begin and span, in the order of these
    is_open                which of them were still running
    repairs                counts are added to it, see `REPAIRS`

    An end closes the innermost begin of its function, and what stands above that, which has no end of its own. A call
    that would outlast the span around it is cut off there. Linear in e, however the events are nested.
    """
    stack = np.empty(64, np.int64)  # rows
    limit = np.empty(64, np.int64)  # where the call must end: its own end, if it is a span, or that of one around it
    is_span = np.empty(64, np.bool_)
    begun = np.zeros(functions, np.int64)  # begins of each function on the stack
    height = deepest = row = begins = 0
    for event in range(len(kind)):
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
                break
            repairs[_UNENDED] += 1
    while height:
        height -= 1
        done = stack[height]
        out_end[done] = min(last, limit[height])
        out_end_row[done] = base + row
        is_open[done] = not is_span[height]
    return deepest
