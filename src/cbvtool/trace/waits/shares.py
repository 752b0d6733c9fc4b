"""How much of each call is waiting, releasing, or input and output (ST-1)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.runs import runs_of

Ints = npt.NDArray[np.int64]
Activity = Literal["wait", "release", "io"]


def dur_of(trace: Trace, activity: Activity) -> Ints:
    """int64[n], ns: how long each call waits, releases, or reads and writes, itself and in the calls below it.

    `dur_x(f) = dur(f)` of a call that does nothing else, else the sum over its children (ST-1; Trümper 2014, §4.3.2).
    If a recorder saw a call wait during only a part of its time, as in a `with` statement, that part is added, and only
    once even if it waited for several objects; `dur_x` never exceeds the call's duration. A call within such a part
    counts with its whole duration: `Queue.get` waits in a call of its own. Raises KeyError for another activity.
    """
    calls = trace.calls
    own = np.zeros(len(calls), np.int64)
    call, start, end = {"wait": _spans, "io": _spans, "release": _whole}[activity](
        trace, trace.table({"wait": "waits", "io": "io", "release": "releases"}[activity])
    )
    np.add.at(own, call, end - start)
    if len(call):
        levels = int(calls.depth.max()) + 2
        _sum_up(own, calls.start, calls.end, calls.depth, levels)
        order = np.lexsort((start, call))
        spans = call[order], start[order], end[order]
        _fill(own, *spans, calls.start, calls.end, calls.depth, np.zeros((3, levels), np.int64))
    return own


def _spans(trace: Trace, table: Table) -> tuple[Ints, Ints, Ints]:
    """(call, start, end) of each span in a table; a span recorded for several objects comes once."""
    calls = trace.calls
    call = table["call"].astype(np.int64)
    rows = np.flatnonzero(call < len(calls))
    call = call[rows]
    start = np.clip(table["start"][rows], calls.start[call], calls.end[call])
    end = np.clip(table["end"][rows], start, calls.end[call])
    order, new = runs_of(call, start, end)
    once = order[new]
    return call[once], start[once], end[once]


def _whole(trace: Trace, table: Table) -> tuple[Ints, Ints, Ints]:
    """(call, start, end) of each call that does nothing but release: the calls that begin when they release."""
    call = table["call"].astype(np.int64)
    known = call < len(trace.calls)
    call, time = call[known], table["time"][known]
    call = np.unique(call[trace.calls.start[call] == time])
    return call, trace.calls.start[call], trace.calls.end[call]


@kernel
def _sum_up(own: Ints, start: Ints, end: Ints, depth: npt.NDArray[Any], levels: int) -> None:
    """Add to each call what those below it have, up to its duration; rows are in preorder, so children come later."""
    below = np.zeros(levels, np.int64)
    for row in range(len(own) - 1, -1, -1):
        level = np.int64(depth[row])
        total = own[row] + below[level + 1]
        duration = end[row] - start[row]
        if total > duration:
            total = duration
        own[row] = total
        below[level + 1] = 0
        below[level] += total


@kernel
def _fill(
    own: Ints, call: Ints, first: Ints, last: Ints, start: Ints, end: Ints, depth: npt.NDArray[Any], room: Ints
) -> None:
    """Give all calls within a span of their caller, and all below them, their whole duration.

    The spans are sorted by call and start. room: int64[3, levels], working space; its rows hold for each
    level the last call seen there (-1 if it lies within a span itself), the next span of that call, and the latest end
    of those of its spans that have begun.
    """
    rows, places, reach = room[0], room[1], room[2]
    span = 0
    for row in range(len(own)):
        level = np.int64(depth[row])
        while span < len(call) and call[span] < row:
            span += 1
        inside = False
        if level > 0:
            above = rows[level - 1]
            at = places[level - 1]
            while above >= 0 and at < len(call) and call[at] == above and first[at] <= start[row]:
                reach[level - 1] = max(reach[level - 1], last[at])
                at += 1
            places[level - 1] = at
            inside = above < 0 or reach[level - 1] >= end[row]
        if inside:
            own[row] = end[row] - start[row]
        rows[level] = -1 if inside else row
        places[level] = span
        reach[level] = start[row] - 1
