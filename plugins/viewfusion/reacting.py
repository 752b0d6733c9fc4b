"""What follows from events: what is brushed, which of the two the pointer is for, windows, selection (VF-2, VF-6)."""

from __future__ import annotations

import math
from dataclasses import replace

from cbvtool.api import (
    NO_CALL,
    NO_FUNCTION,
    EventKind,
    OpenSource,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    ViewContext,
    ViewEvent,
    call_at,
)

from .activity import BARS, FOCUS, PANE
from .legend import INPUT
from .overview import WHOLE
from .scene import Prepared, prepared_in
from .state import HIGHEST, ViewFusionState, moved, window_of
from .structure import CELLS

Answer = tuple[ViewFusionState, tuple[Request, ...]]


def react(context: ViewContext, state: ViewFusionState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    prepared = prepared_in(context, state)
    if event.part == "threads":
        return _thread(state, event)
    if prepared is None:
        return state, ()
    if event.part == "overview":
        return _in_overview(context, state, event)
    if event.part == "files":
        return _file(context, prepared, state, event)
    match event.kind:
        case EventKind.HOVER if event.pane == PANE:
            return replace(state, hover=(event.x, event.px, event.py)), ()
        case EventKind.HOVER | EventKind.LEAVE:
            return (state if state.hover is None else replace(state, hover=None)), ()
        case EventKind.TAP if event.key == "Ctrl":
            return replace(state, code=not state.code), ()
        case EventKind.CLICK if event.hit.layer == INPUT:
            return replace(state, code=not state.code), ()
        case EventKind.WHEEL if event.hit.layer == CELLS:
            return _higher(prepared, state, event.hit.item, 1 if event.steps > 0 else -1), ()
        case EventKind.RANGE if event.range is not None:
            new = moved(context, state, event.range.x)
            return _told(context, new) if not event.range.moving else (_kept_apart(context, new), ())
        case EventKind.CLICK:
            return _clicked(context, prepared, state, event)
        case EventKind.DOUBLE:
            return _doubled(context, prepared, state, event)
        case EventKind.KEY:
            return _key(context, prepared, state, event)
    return state, ()


def _told(context: ViewContext, state: ViewFusionState) -> Answer:
    """Tell the other views the window, as far as the trace reaches."""
    trace = context.trace()
    low, high = window_of(context, _kept_apart(context, state))
    whole = trace.length
    told = None
    if (low > 0 or high < whole) and high > 0 and low < whole:
        told = math.floor(max(low, 0.0)) + trace.span[0], math.ceil(min(high, whole)) + trace.span[0]
    return replace(state, told=told), (SetFocus(replace(context.focus, window=told)),)


def _kept_apart(context: ViewContext, state: ViewFusionState) -> ViewFusionState:
    """While a gesture goes on, the window is that of this view, whatever the others show."""
    return replace(state, told=context.focus.window)


def _higher(prepared: Prepared, state: ViewFusionState, cell: int, by: int) -> ViewFusionState:
    """The subtree that is brushed begins higher or lower; at most at the root above the cell."""
    depth = int(prepared.tree.depth[cell]) if 0 <= cell < len(prepared.tree) else HIGHEST
    height = min(max(min(state.height, depth) + by, 0), depth, HIGHEST)
    return state if height == state.height else replace(state, height=height)


def call_under(context: ViewContext, prepared: Prepared, row: int, time: float) -> int:
    """The call of the recording under the pointer: of those merged in a bar, the one that runs there."""
    trace = prepared.trace
    found = call_at(trace, prepared.levels, prepared.thread, int(trace.calls.depth[row]), int(time))
    return prepared.there(row if found == NO_CALL or found < row else found)


def _clicked(context: ViewContext, prepared: Prepared, state: ViewFusionState, event: ViewEvent) -> Answer:
    if event.pane != PANE:
        return state, ()
    if event.hit.layer == CELLS:
        key = int(prepared.tree.key[prepared.tree.above(event.hit.item, state.height)])
        return state, (SelectNodes((key,)),)
    if event.hit.layer in {BARS, FOCUS}:
        return _selected(context, state, call_under(context, prepared, event.hit.item, event.x))
    return cleared(context, state)


def _selected(context: ViewContext, state: ViewFusionState, row: int) -> Answer:
    function = int(context.trace().calls.function[row])
    focus = replace(context.focus, calls=(row,), function=function)
    return replace(state, selected=row), (SetFocus(focus), SelectNodes(context.nodes(function)))


def cleared(context: ViewContext, state: ViewFusionState) -> Answer:
    """Nothing is selected."""
    if state.selected == NO_CALL and context.focus.function == NO_FUNCTION and not context.selected:
        return state, ()
    left = replace(context.focus, calls=(), function=NO_FUNCTION)
    return replace(state, selected=NO_CALL), (SetFocus(left), SelectNodes(()))


def _doubled(context: ViewContext, prepared: Prepared, state: ViewFusionState, event: ViewEvent) -> Answer:
    """A call is shown whole; a cell in the picture of the code."""
    if event.hit.layer == CELLS:
        key = int(prepared.tree.key[prepared.tree.above(event.hit.item, state.height)])
        return state, (SelectNodes((key,), reveal=True),)
    if event.hit.layer in {BARS, FOCUS}:
        return to_call(context, state, call_under(context, prepared, event.hit.item, event.x))
    return state, ()


def to_call(context: ViewContext, state: ViewFusionState, row: int) -> Answer:
    """Select a call and show it whole, with some time around it."""
    calls, origin = context.trace().calls, context.trace().span[0]
    low, high = float(calls.start[row] - origin), float(calls.end[row] - origin)
    room = max((high - low) * 0.05, 1.0)
    new, requests = _selected(context, state, row)
    new, (told,) = _told(context, moved(context, new, (low - room, high + room)))
    focus = next(request.focus for request in requests if isinstance(request, SetFocus))
    assert isinstance(told, SetFocus)
    kept = tuple(request for request in requests if not isinstance(request, SetFocus))
    return new, (SetFocus(replace(focus, window=told.focus.window)), *kept)


def _key(context: ViewContext, prepared: Prepared, state: ViewFusionState, event: ViewEvent) -> Answer:
    match event.key:
        case "Escape":
            return cleared(context, state)
        case "Up" | "Down" if state.code:
            cell = event.hit.item if event.hit.layer == CELLS else -1
            return _higher(prepared, state, cell, 1 if event.key == "Up" else -1), ()
        case "Enter" if state.selected != NO_CALL:
            return to_call(context, state, state.selected)
        case "s":
            return state, _source(context, prepared, state, event)
    return state, ()


def _source(context: ViewContext, prepared: Prepared, state: ViewFusionState, event: ViewEvent) -> tuple[Request, ...]:
    """Of the cell under the pointer, or of the selected call."""
    if event.hit.layer == CELLS:
        return (OpenSource(int(prepared.tree.key[event.hit.item])),)
    function = context.focus.function
    if state.selected != NO_CALL:
        function = int(context.trace().calls.function[state.selected])
    if function == NO_FUNCTION:
        return (Say("Select a call to see its source."),)
    return (context.source(function),)


def _in_overview(context: ViewContext, state: ViewFusionState, event: ViewEvent) -> Answer:
    """A click moves the window there; a drag chooses it."""
    if event.pane != WHOLE:
        return state, ()
    if event.kind is EventKind.CLICK:
        low, high = window_of(context, state)
        half = (high - low) / 2
        return _told(context, moved(context, state, (event.x - half, event.x + half)))
    if event.kind in {EventKind.DRAG, EventKind.DROP} and event.start is not None:
        low, high = sorted((event.start.x, event.x))
        if high > low:
            new = moved(context, state, (low, high))
            return _told(context, new) if event.kind is EventKind.DROP else (_kept_apart(context, new), ())
    return state, ()


def _file(context: ViewContext, prepared: Prepared, state: ViewFusionState, event: ViewEvent) -> Answer:
    item = event.hit.item
    if event.kind not in {EventKind.ROW, EventKind.OPEN} or not 0 <= item < len(prepared.tree):
        return state, ()
    key = int(prepared.tree.key[item])
    return state, (SelectNodes((key,), reveal=event.kind is EventKind.OPEN),)


def _thread(state: ViewFusionState, event: ViewEvent) -> Answer:
    if event.kind not in {EventKind.ROW, EventKind.OPEN} or event.hit.item < 0:
        return state, ()
    return replace(state, thread=event.hit.item, selected=NO_CALL, hover=None), ()
