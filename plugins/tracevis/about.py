"""What tables and merged calls are about: a call, a thread, a range of time, or all that the window shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cbvtool.api import NO_CALL, ViewContext, duration, function_title, thread_title

from .shown import threads_of
from .state import TraceVisState, Window, window_of

NO_THREAD = -1


@dataclass(frozen=True)
class Part:
    """A part of the trace.

    window   ns since the start of the trace, whole numbers
    threads  rows
    rows     of calls, first and after the last; None = all
    title    in words
    """

    window: tuple[int, int]
    threads: tuple[int, ...]
    rows: tuple[int, int] | None
    title: str


def part_of(context: ViewContext, state: TraceVisState) -> Part:
    """What was chosen."""
    trace = context.trace()
    if 0 <= state.about_call < len(trace.calls):
        calls, row = trace.calls, state.about_call
        window = int(calls.start[row] - trace.span[0]), int(calls.end[row] - trace.span[0])
        thread = int(trace.thread_of(np.array([row]))[0])
        name = function_title(trace.functions, int(calls.function[row]))
        return Part(window, (thread,), (row, int(calls.end_row[row])), f"one call of {name}")
    if state.about_thread >= 0:
        name = thread_title(trace.threads, state.about_thread)
        return Part(_whole(window_of(context, state)), (state.about_thread,), None, f"{name}, in the window")
    threads = threads_of(context, state)
    if state.about_range is not None:
        low, high = state.about_range
        return Part(_whole(state.about_range), threads, None, f"the range of {duration(int(high - low))}")
    return Part(_whole(window_of(context, state)), threads, None, "the window")


def _whole(window: Window) -> tuple[int, int]:
    return int(window[0]), math.ceil(window[1])


def about(
    state: TraceVisState, call: int = NO_CALL, thread: int = NO_THREAD, window: Window | None = None
) -> TraceVisState:
    """The state about something else; about the window where nothing is given."""
    return replace(state, about_call=call, about_thread=thread, about_range=window, merged_x=None)
