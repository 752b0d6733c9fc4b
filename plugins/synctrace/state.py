"""The state of SyncTrace: plain values, kept by documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from cbvtool.api import NO_CALL, Trace

FAR = 2.0**62  # ns: no time of a trace lies beyond
Window = tuple[float, float]  # ns since the start of the trace
Kind = Literal["split", "without", "wait", "io"]
KINDS: tuple[Kind, ...] = ("split", "without", "wait", "io")
Change = tuple[Kind, int]  # what, and the row of the object or of the wait
SHARES, RADII = (0.12, 0.75), (0.15, 0.9)  # that `share` and `radius` may have


@dataclass(frozen=True)
class SyncState:
    """What users did in the view.

    main      the thread of the straight view, -1 = the program's main one
    ring      the threads of the semicircle from left to right; empty = as usual
    hidden    threads that are not drawn
    wide      the thread of the semicircle that has more room, -1 = none
    share     of the height, that the straight view has; 0 = what its calls need
    radius    of the zero level, as a share of the outer one; 0 = what the calls leave
    windows   of each thread with a window of its own: thread, begin, end
    window    of all others; None = all
    told      the window that the other views were told last
    colors    number of the colour of each thread, as they were given: thread, colour
    upper     so many outer levels are folded
    selected  row of the selected call
    wait      row of the selected correspondence, -1 = none
    hover     row of the correspondence under the pointer, -1 = none
    over      the thread under the pointer, -1 = none
    at        the moment under the pointer, ns
    path      thread and moment (ns since the start) whose critical path is shown
    change    the change that is thought through, None = none
    pressed   `share`, `radius` and `upper` when a drag began
    """

    main: int = -1
    ring: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    wide: int = -1
    share: float = 0.0
    radius: float = 0.0
    windows: tuple[tuple[int, float, float], ...] = ()
    window: Window | None = None
    told: tuple[int, int] | None = None
    colors: tuple[tuple[int, int], ...] = ()
    upper: int = 0
    selected: int = NO_CALL
    wait: int = -1
    hover: int = -1
    over: int = -1
    at: float = 0.0
    path: tuple[int, float] | None = None
    change: Change | None = None
    pressed: tuple[float, float, int] | None = None


def usable(trace: Trace, state: SyncState) -> SyncState:
    """A state from a document. Raises ValueError where it speaks of what the trace does not have."""
    threads = len(trace.threads)
    named = [*state.ring, *state.hidden, *(one for one, _, _ in state.windows), *(one for one, _ in state.colors)]
    if state.path is not None:
        named.append(state.path[0])
    if any(not 0 <= thread < threads for thread in named) or not all(
        -1 <= thread < threads for thread in (state.main, state.wide)
    ):
        raise ValueError("a thread that the trace does not have")
    if len(set(state.ring)) < len(state.ring):
        raise ValueError("a thread twice in the semicircle")
    if not -1 <= state.selected < len(trace.calls):
        raise ValueError("a call that the trace does not have")
    windows = [(low, high) for _, low, high in state.windows]
    windows += [state.window] if state.window is not None else []
    if any(not -FAR < low < high < FAR for low, high in windows):
        raise ValueError("a window that ends before it begins, or lies beyond all times")
    if not (
        (state.share == 0.0 or SHARES[0] <= state.share <= SHARES[1])
        and (state.radius == 0.0 or RADII[0] <= state.radius <= RADII[1])
        and state.upper >= 0
    ):
        raise ValueError("a division that cannot be drawn")
    if state.path is not None and not -FAR < state.path[1] < FAR:
        raise ValueError("a moment beyond all times")
    return replace(state, hover=-1, over=-1, wait=-1, pressed=None)
