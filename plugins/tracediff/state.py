"""The state of TraceDiff: plain values, kept by documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cbvtool.api import NO_CALL, Trace

FAR = 2.0**62  # ns: no time of a trace lies beyond
MOST_DROPPED = 200
Window = tuple[float, float]  # ns since the root of the thread began
UPPER, LOWER = 0, 1  # the two sides of the picture: the reference above, the test below


@dataclass(frozen=True)
class TraceDiffState:
    """What users did in the view. Pairs have a value for the upper side and one for the lower.

    threads   of each side: number of its trace among the inputs, row of the thread; None = as proposed
    windows   what is shown of each; None = all, from the root's start
    upper     so many outer levels are folded; lower: levels beyond are, None = none
    dropped   root matches whose groups show their inner groups: the calls of each
    side      the side that the pointer is on, -1 = none
    call      row of the call under it; match: row of the match under it, -1 = none
    at        the moment under it
    chosen    side and row of the call that was clicked; turn: how often, which picks its next match
    size      of the comparison's canvas, logical pixels, when the pointer moved last
    union     what is shown of both in one: ns of its width; None = all
    context   row of the call path under the pointer there, -1 = none
    pressed   `upper`, `lower` and the window of the side when a drag began
    """

    threads: tuple[tuple[int, int], tuple[int, int]] | None = None
    windows: tuple[Window | None, Window | None] = (None, None)
    upper: tuple[int, int] = (0, 0)
    lower: tuple[int | None, int | None] = (None, None)
    dropped: tuple[tuple[int, int], ...] = ()
    side: int = -1
    call: int = NO_CALL
    match: int = -1
    at: float = 0.0
    chosen: tuple[int, int] | None = None
    turn: int = 0
    size: tuple[float, float] = (0.0, 0.0)
    union: Window | None = None
    context: int = -1
    pressed: tuple[int, int | None, float, float] | None = None


def changed(pair: tuple[object, object], side: int, value: object) -> tuple[object, object]:
    """The pair with another value for one side."""
    return (value, pair[1]) if side == UPPER else (pair[0], value)


def usable(traces: Sequence[Trace], state: TraceDiffState) -> TraceDiffState:
    """A state from a document. Raises ValueError where it speaks of what the traces do not have."""
    for number, thread in state.threads or ():
        if not (0 <= number < len(traces) and 0 <= thread < len(traces[number].threads)):
            raise ValueError("a thread that the traces do not have")
    windows = (*state.windows, state.union)
    if any(window is not None and not -FAR < window[0] < window[1] < FAR for window in windows):
        raise ValueError("a window that ends before it begins, or lies beyond all times")
    if any(upper < 0 for upper in state.upper) or any(lower is not None and lower < -1 for lower in state.lower):
        raise ValueError("levels that cannot be folded")
    if len(state.dropped) > MOST_DROPPED:
        raise ValueError("more than a state holds")
    return replace(state, side=-1, call=NO_CALL, match=-1, chosen=None, turn=0, context=-1, pressed=None)
