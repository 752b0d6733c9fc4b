"""From a call to the ones beside it: caller, first callee, the ones before and after, the next of its function."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.model.trace import NO_CALL, Trace
from cbvtool.trace.timeline.levels import Levels, parent_of

_AT_ONCE = 1 << 16


def neighbour(trace: Trace, levels: Levels, row: int, way: str) -> int:
    """The call beside another one, `NO_CALL` if there is none.

    way  "caller"; "callee": the first one; "before", "after": of the same depth on the thread, whoever called it;
         "next", "previous": call of the same function, in the order of rows
    """
    calls = trace.calls
    if not 0 <= row < len(calls):
        return NO_CALL
    if way == "caller":
        return parent_of(trace, levels, row)
    if way == "callee":
        return row + 1 if int(calls.end_row[row]) > row + 1 else NO_CALL
    if way in {"before", "after"}:
        thread = int(trace.thread_of(np.array([row]))[0])
        rows = levels.rows(thread, int(calls.depth[row]))
        place = int(np.searchsorted(rows, row)) + (1 if way == "after" else -1)
        return int(rows[place]) if 0 <= place < len(rows) else NO_CALL
    return next_of(trace, int(calls.function[row]), row, backward=way == "previous")


def next_of(trace: Trace, function: int, row: int, *, backward: bool = False) -> int:
    """The next call of a function after a row (or before it), round the end; `NO_CALL` if there is no other."""
    column, n = trace.calls.function, len(trace.calls)
    first, last = ((0, row), (row + 1, n))
    for low, high in (first, last) if backward else (last, first):
        blocks = range(low, high, _AT_ONCE)
        for begin in reversed(blocks) if backward else blocks:
            found = np.flatnonzero(column[begin : min(begin + _AT_ONCE, high)] == function)
            if len(found):
                return begin + int(found[-1 if backward else 0])
    return NO_CALL
