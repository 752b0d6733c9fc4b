"""The state of ViewFusion: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.api import NO_CALL, Trace, ViewContext

Window = tuple[float, float]  # ns since the start of the trace; calls can be panned aside, so it may reach beyond
FAR = 2.0**62  # ns: no time of a trace lies beyond
HIGHEST = 200  # levels of the code


@dataclass(frozen=True)
class ViewFusionState:
    """What users did in the view.

    window    what is shown; None = all
    told      the window that the other views were told last: absolute ns
    hover     x in time, and pixels of the canvas; None = the pointer is elsewhere
    code      whether the pointer brushes the code, not the calls
    height    so many levels above the cell under the pointer begins the subtree that is brushed
    selected  the row of the selected call
    thread    its row; -1 = the one with most calls
    """

    window: Window | None = None
    told: tuple[int, int] | None = None
    hover: tuple[float, float, float] | None = None
    code: bool = False
    height: int = 0
    selected: int = NO_CALL
    thread: int = -1


def window_of(context: ViewContext, state: ViewFusionState) -> Window:
    """The window shown: the one of this view, or the shared one if others have changed that since."""
    trace = context.trace()
    window: Window | None = state.window
    if context.focus.window != state.told:
        low, high = context.focus.within(trace.span)
        window = float(low - trace.span[0]), float(high - trace.span[0])
    low_end, high_end = window or (0.0, trace.length)
    half = max(0.5, abs(low_end) * 2.0**-50)  # far from 0 there is no float within a nanosecond
    return (low_end, high_end) if high_end > low_end else (low_end - half, low_end + half)


def moved(context: ViewContext, state: ViewFusionState, window: Window) -> ViewFusionState:
    """The state with another window, at most one length of the trace to the left or to the right of it."""
    whole = context.trace().length
    long = min(max(window[1] - window[0], 1e-3), 3 * whole)
    low = min(max(window[0], -whole), 2 * whole - long)
    return replace(state, window=(low, low + long))


def thread_of(context: ViewContext, state: ViewFusionState) -> int:
    """The thread that is drawn: the chosen one, else of those that are looked at the one with most calls; -1 = none."""
    trace, some = context.trace(), context.focus.threads
    if state.thread >= 0 and (some is None or state.thread in some or len(some) != 1):
        return state.thread
    return context.memo(_busiest, trace, some)


def _busiest(trace: Trace, some: frozenset[int] | None) -> int:
    ptr = trace.threads.ptr
    rows = [row for row in range(len(trace.threads)) if not some or row in some]
    return max(rows, key=lambda row: (int(ptr[row + 1] - ptr[row]), -row), default=-1)


def usable(trace: Trace, state: ViewFusionState) -> ViewFusionState:
    """A state from a document. Raises ValueError where it speaks of what the trace does not have."""
    if not -1 <= state.thread < len(trace.threads):
        raise ValueError("a thread that the trace does not have")
    if not -1 <= state.selected < len(trace.calls):
        raise ValueError("a call that the trace does not have")
    if not 0 <= state.height <= HIGHEST:
        raise ValueError("a height that no tree has")
    if state.window is not None and not -FAR < state.window[0] < state.window[1] < FAR:
        raise ValueError("a window that ends before it begins, or lies beyond all times")
    return replace(state, hover=None)
