"""The state of TraceVis: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.api import NO_CALL, Trace, ViewContext

Window = tuple[float, float]  # ns since the start of the trace
MOST_STEPS = 50  # back and forward
FAR = 2.0**62  # ns: no time of a trace lies beyond
MOST_MARKS = 200


@dataclass(frozen=True)
class TraceVisState:
    """What users did in the view.

    window    what is shown; None = all
    told      the window that the other views were told last, as they count: absolute ns
    hover     thread, x in warped time, y in pixels of its pane; None = the pointer is elsewhere
    selected  the row of the selected call
    upper, lower  folding: levels 0 to `upper` - 1; levels beyond `lower`, None = none
    pressed   `upper` and `lower` when a drag began, for the other levels to follow from
    hidden, pinned  rows of threads
    marks     time and note of each
    back, forward  windows shown before and, after going back, later
    search    what function names must hold to be found
    hits      rows of the last step through what was found: the current one, or `NO_CALL`
    about_call, about_thread, about_range  what tables and merged calls are about: one of them, or the window
    merged    whether merged calls stand in place of those along time
    merged_x  what is seen of them, ns from the left; None = all
    by_hand   threads in the order that the user gave them
    whole     threads that are shown with all their levels, however deep
    """

    window: Window | None = None
    told: tuple[int, int] | None = None
    hover: tuple[int, float, float] | None = None
    selected: int = NO_CALL
    upper: int = 0
    lower: int | None = None
    pressed: tuple[int, int | None] | None = None
    hidden: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    marks: tuple[tuple[float, str], ...] = ()
    back: tuple[Window, ...] = ()
    forward: tuple[Window, ...] = ()
    search: str = ""
    hits: int = NO_CALL
    about_call: int = NO_CALL
    about_thread: int = -1
    about_range: Window | None = None
    merged: bool = False
    merged_x: Window | None = None
    by_hand: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()


def window_of(context: ViewContext, state: TraceVisState) -> Window:
    """The window shown: the one of this view, or the shared one if others have changed that since."""
    trace = context.trace()
    whole = (0.0, trace.length)
    if context.focus.window != state.told:
        low, high = context.focus.within(trace.span)
        window: Window | None = (float(low - trace.span[0]), float(high - trace.span[0]))
    else:
        window = state.window
    if window is None:
        return whole
    low_end = min(max(window[0], 0.0), whole[1])
    high_end = min(max(window[1], low_end), whole[1])
    return (low_end, high_end) if high_end > low_end else (max(low_end - 0.5, 0.0), max(low_end - 0.5, 0.0) + 1.0)


def moved(context: ViewContext, state: TraceVisState, window: Window, *, keep: bool = True) -> TraceVisState:
    """The state with another window. keep: what was shown before can be gone back to."""
    whole = context.trace().length
    long = min(max(window[1] - window[0], 1e-3), whole)
    low = min(max(window[0], 0.0), whole - long)
    back = (*state.back, window_of(context, state))[-MOST_STEPS:] if keep else state.back
    return replace(state, window=(low, low + long), back=back, forward=() if keep else state.forward)


def usable(trace: Trace, state: TraceVisState) -> TraceVisState:
    """A state from a document. Raises ValueError where it speaks of what the trace does not have."""
    threads, calls = len(trace.threads), len(trace.calls)
    if any(not 0 <= thread < threads for thread in (*state.hidden, *state.pinned, *state.by_hand, *state.whole)):
        raise ValueError("a thread that the trace does not have")
    if not -1 <= state.about_thread < threads:
        raise ValueError("a thread that the trace does not have")
    if any(not -1 <= row < calls for row in (state.selected, state.hits, state.about_call)):
        raise ValueError("a call that the trace does not have")
    if state.upper < 0 or (state.lower is not None and state.lower < -1):
        raise ValueError("levels that cannot be folded")
    single = (state.window, state.about_range, state.merged_x)
    windows = [*state.back, *state.forward, *(window for window in single if window)]
    if any(not -FAR < window[0] < window[1] < FAR for window in windows):
        raise ValueError("a window that ends before it begins, or lies beyond all times")
    if len(windows) > 2 * MOST_STEPS + 3 or len(state.marks) > MOST_MARKS or len(state.search) > 500:
        raise ValueError("more than a state holds")
    return replace(state, hover=None, pressed=None)
