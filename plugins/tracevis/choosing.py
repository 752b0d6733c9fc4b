"""What is chosen by hand: ranges of time, the order of threads, boxes of merged calls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import (
    EventKind,
    MergedCalls,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    SetValue,
    Trace,
    ViewContext,
    ViewEvent,
    duration,
)

from .about import about
from .shown import LEAST_LEVELS, chosen_threads, warp_in
from .state import TraceVisState

Answer = tuple[TraceVisState, tuple[Request, ...]]


def in_merged(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """Zoom among merged calls; a click chooses the function, a double click shows its stack as wide as the canvas."""
    found: MergedCalls | None = context.found.get("merged")
    if event.kind is EventKind.RANGE and event.range is not None:
        return replace(state, merged_x=event.range.x), ()
    if found is None or event.hit.layer != "merged" or not 0 <= event.hit.item < len(found.x0):
        return state, ()
    box = event.hit.item
    if event.kind is EventKind.DOUBLE:
        return replace(state, merged_x=(float(found.x0[box]), float(found.x1[box]))), ()
    if event.kind is EventKind.CLICK:
        function = int(found.function[box])
        return state, (SetFocus(replace(context.focus, function=function)), SelectNodes(context.nodes(function)))
    return state, ()


def ranged(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """A drag along the ruler chooses a range of time, and measures it."""
    assert event.start is not None
    ends = warp_in(context).inverse(np.array(sorted((event.start.x, event.x))))
    low, high = (min(max(float(end), 0.0), context.trace().length) for end in ends)
    if not low < high:
        return state, ()
    said = (Say(f"{duration(int(high - low))} are chosen."),) if event.kind is EventKind.DROP else ()
    return about(replace(state, pressed=None), window=(low, high)), said


def dropped(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """A thread that is dropped on another one comes to stand in its place."""
    assert event.start is not None
    target = int(event.pane.removeprefix("thread ")) if event.pane.startswith("thread ") else -1
    if event.hit.layer == "threads":
        target = event.hit.item
    if event.kind is not EventKind.DROP or target < 0 or target == event.start.hit.item:
        return (replace(state, pressed=None) if event.kind is EventKind.DROP else state), ()
    order = chosen_threads(context, state)
    return _moved(state, order, event.start.hit.item, order.index(target))


def _moved(state: TraceVisState, order: tuple[int, ...], thread: int, place: int) -> Answer:
    """The threads in this order, but one at another place."""
    others = [each for each in order if each != thread]
    by_hand = (*others[:place], thread, *others[place:])
    return replace(state, by_hand=by_hand, pinned=(), pressed=None), (SetValue("order", "hand"),)


def thread_key(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """h hides the thread under the pointer, H shows all again; e shows all its levels, or fewer; Shift+Up and
    Shift+Down move it.
    """
    if event.key == "H" or (event.key == "h" and "shift" in event.modifiers):
        return replace(state, hidden=()), ()
    if state.hover is None:
        return state, (Say("Move the pointer to a thread before."),)
    thread = state.hover[0]
    if event.key == "e":
        return switched_levels(state, thread), ()
    if event.key == "h":
        return replace(state, hidden=(*state.hidden, thread), hover=None), (Say("Hidden. H shows all threads again."),)
    order = chosen_threads(context, state)
    if thread not in order:
        return state, ()
    place = order.index(thread) + (-1 if event.key == "Up" else 1)
    return _moved(state, order, thread, place) if 0 <= place < len(order) else (state, ())


def switched_levels(state: TraceVisState, thread: int) -> TraceVisState:
    """Show all levels of a thread, or fewer again."""
    others = tuple(each for each in state.whole if each != thread)
    return replace(state, whole=others if thread in state.whole else (*others, thread))


def with_its_levels(trace: Trace, state: TraceVisState) -> TraceVisState:
    """The selected call is to be seen, however deep it stands."""
    thread = int(trace.thread_of(np.array([state.selected]))[0])
    deep = int(trace.calls.depth[state.selected]) >= LEAST_LEVELS
    return switched_levels(state, thread) if deep and thread not in state.whole else state
