"""Tooltips: the call, its times and arguments, and how it compares with the other calls of its function."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.api import Hit, Trace, ViewContext, duration, function_title, levels_in, time_text

from .activity import SWITCH
from .merged import tell_merged
from .shown import warp_in
from .state import TraceVisState
from .strips import tell_counter, tell_instant

_MERGED = "merged"  # the layer of merged calls
_LONGEST = 120  # characters of an argument
_MOST_ARGUMENTS = 8


def tell_hit(context: ViewContext, state: TraceVisState, hit: Hit) -> tuple[str, ...]:
    """On what is under the pointer in the activity view."""
    if hit.layer == _MERGED:
        return tell_merged(context, hit.item)
    if hit.layer.startswith("counter "):
        return tell_counter(context, hit.item, math.nan if state.hover is None else state.hover[1])
    if hit.layer.startswith("instants "):
        return tell_instant(context, hit.item)
    if hit.layer == SWITCH:
        return ("Show all levels of this thread, or fewer (e)",)
    if not is_call(hit):
        return ()
    row = hit.item
    if state.hover is not None:
        row = merged_under(context, row, float(warp_in(context).inverse(state.hover[1])))
    return call_lines(context, row)


def is_call(hit: Hit) -> bool:
    """Whether the item that was hit is a call."""
    return hit.layer.startswith(("bars ", "focus ")) and hit.item >= 0


def call_lines(context: ViewContext, row: int, count: int = 1) -> tuple[str, ...]:
    """Lines on a call. count: how many the bar under the pointer stands for."""
    trace = context.trace()
    if not 0 <= row < len(trace.calls):
        return ()
    calls = trace.calls
    function, long = int(calls.function[row]), int(calls.end[row] - calls.start[row])
    name, module = function_title(trace.functions, function), trace.functions.module[function]
    start = float(calls.start[row] - trace.span[0])
    cpu = int(calls.cpu[row]) if calls.cpu is not None else -1
    lines = [f"{name}{_arguments(trace, row)}", *([module] if module else [])]
    lines.append(
        f"{duration(long)}{f', {duration(cpu)} of CPU' if cpu >= 0 else ''}, from {time_text(start, long / 10)}"
    )
    site = _site(trace, row)
    if site:
        lines.append(f"called in {site}")
    times = context.memo(durations_of, trace, function)
    if len(times) > 1:
        rank = len(times) - int(np.searchsorted(times, long, "right")) + 1
        mean, most = float(times.mean()), int(times[-1])
        lines.append(
            f"number {rank:,} of {len(times):,} calls by length; mean {duration(mean)}, longest {duration(most)}"
        )
    if count > 1:
        lines.append(f"and {count - 1:,} more, too narrow to be told apart")
    return tuple(lines)


def durations_of(trace: Trace, function: int) -> npt.NDArray[np.int64]:
    """int64[calls of the function]: how long each took, ascending."""
    rows = np.flatnonzero(trace.calls.function == function)
    return np.sort(trace.calls.end[rows] - trace.calls.start[rows])


def _arguments(trace: Trace, row: int) -> str:
    table = trace.table("arguments")
    which = np.flatnonzero(table["call"] == row)[:_MOST_ARGUMENTS]
    texts = trace.strings
    said = [f"{texts[int(table['name'][at])]}={texts[int(table['value'][at])]}"[:_LONGEST] for at in which.tolist()]
    return f"({', '.join(said)})" if said else ""


def _site(trace: Trace, row: int) -> str:
    table = trace.table("call_sites")
    which = np.flatnonzero(table["call"] == row)
    if not len(which):
        return ""
    return f"{trace.strings[int(table['file'][which[0]])]}:{int(table['line'][which[0]])}"


def merged_under(context: ViewContext, row: int, time: float) -> int:
    """The call under the pointer where a merged bar begins with `row`: of the same depth, the last one begun."""
    trace, levels = context.trace(), levels_in(context)
    if levels is None:
        return row
    thread = int(trace.thread_of(np.array([row]))[0])
    rows = levels.rows(thread, int(trace.calls.depth[row]))
    low, high, moment = int(np.searchsorted(rows, row)), len(rows), time + trace.span[0]
    while high - low > 1:
        middle = (low + high) // 2
        if int(trace.calls.start[rows[middle]]) <= moment:
            low = middle
        else:
            high = middle
    return int(rows[low])
