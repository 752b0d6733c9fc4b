"""What follows from events: windows, hover, selection, folding, keys, search, marks."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from cbvtool.api import (
    NO_CALL,
    NO_FUNCTION,
    Ask,
    EventKind,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    ViewContext,
    ViewEvent,
    duration,
    levels_in,
    neighbour,
    next_of,
)

from .about import NO_THREAD, about
from .activity import SWITCH
from .choosing import Answer, dropped, in_merged, ranged, switched_levels, thread_key, with_its_levels
from .emphasis import matching
from .shown import chosen_threads, threads_of, warp_in
from .state import MOST_MARKS, TraceVisState, Window, moved, window_of
from .telling import is_call, merged_under

_WAYS = {"Up": "caller", "Down": "callee", "Left": "before", "Right": "after", "n": "next", "p": "previous"}
_STEP = 18.0  # logical pixels of a drag for a level
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(ns|us|µs|ms|s)?\s*")
_FACTOR = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, None: 1e9}


def react(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    new, requests = _reaction(context, state, event)
    if new.selected not in {NO_CALL, state.selected} and event.kind in {EventKind.KEY, EventKind.OPEN}:
        new = with_its_levels(context.trace(), new)
    return new, requests


def _reaction(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    if event.part in {"structure", "pattern"}:
        return _in_overview(context, state, event)
    if event.part in {"threads", "functions", "relations"} and event.kind is not EventKind.KEY:
        return _in_table(context, state, event)
    if state.merged and event.pane == "merged" and event.kind is not EventKind.KEY:
        return in_merged(context, state, event)
    match event.kind:
        case EventKind.HOVER:
            return _hovered(state, event)
        case EventKind.LEAVE:
            return (replace(state, hover=None) if state.hover is not None else state), ()
        case EventKind.RANGE if event.range is not None:
            low, high = warp_in(context).inverse(np.array(event.range.x)).tolist()
            new = moved(context, state, (low, high), keep=not event.range.moving)
            return _told(context, new) if not event.range.moving else (_kept_apart(context, new), ())
        case EventKind.CLICK:
            return _clicked(context, state, event)
        case EventKind.DOUBLE if is_call(event.hit):
            return to_call(context, state, event.hit.item)
        case EventKind.PRESS:
            return replace(state, pressed=(state.upper, state.lower), hover=None), ()
        case EventKind.DRAG | EventKind.DROP if event.start is not None:
            if event.start.hit.layer == "threads":
                return dropped(context, state, event)
            if event.start.pane == "ruler":
                return ranged(context, state, event)
            return _folded(context, state, event), ()
        case EventKind.KEY:
            return _key(context, state, event)
    return state, ()


def _told(context: ViewContext, state: TraceVisState) -> Answer:
    """Tell the other views the window."""
    trace = context.trace()
    low, high = window_of(context, _kept_apart(context, state))
    whole = low <= 0 and high >= trace.length
    told = None if whole else (math.floor(low) + trace.span[0], math.ceil(high) + trace.span[0])
    return replace(state, told=told), (SetFocus(replace(context.focus, window=told)),)


def _kept_apart(context: ViewContext, state: TraceVisState) -> TraceVisState:
    """While a gesture goes on, the window is that of this view, whatever the others show."""
    return replace(state, told=context.focus.window)


def _hovered(state: TraceVisState, event: ViewEvent) -> Answer:
    if not event.pane.startswith("thread "):
        return (replace(state, hover=None) if state.hover is not None else state), ()
    return replace(state, hover=(int(event.pane.removeprefix("thread ")), event.x, event.y)), ()


def _clicked(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    if event.hit.layer == "threads":
        return about(state, thread=event.hit.item), ()
    if event.hit.layer == SWITCH:
        return switched_levels(state, event.hit.item), ()
    if not is_call(event.hit):
        if event.hit:  # a counter, an instant
            return state, ()
        left = about(replace(state, selected=NO_CALL))
        if left == state and context.focus.function == NO_FUNCTION:
            return state, ()
        cleared = replace(context.focus, calls=(), function=NO_FUNCTION)
        return left, (SetFocus(cleared), SelectNodes(()))
    row = merged_under(context, event.hit.item, float(warp_in(context).inverse(event.x)))
    return selected(context, about(state, call=row), row)


def selected(context: ViewContext, state: TraceVisState, row: int) -> Answer:
    """A call is selected here, its function in the others, its node in the 3D view."""
    function = int(context.trace().calls.function[row])
    focus = replace(context.focus, calls=(row,), function=function)
    return replace(state, selected=row), (SetFocus(focus), SelectNodes(context.nodes(function)))


def to_call(context: ViewContext, state: TraceVisState, row: int, room: float = 0.05) -> Answer:
    """Show a call, with some time around it, and select it."""
    calls, origin = context.trace().calls, context.trace().span[0]
    low, high = float(calls.start[row] - origin), float(calls.end[row] - origin)
    around = max((high - low) * room, 1.0)
    return _shown(context, *selected(context, state, row), (low - around, high + around))


def _shown(context: ViewContext, state: TraceVisState, requests: tuple[Request, ...], window: Window) -> Answer:
    """Another window, with what was asked for before, in one focus."""
    new, (told,) = _told(context, moved(context, state, window))
    assert isinstance(told, SetFocus)
    kept = [request for request in requests if not isinstance(request, SetFocus)]
    focus = next((request.focus for request in requests if isinstance(request, SetFocus)), context.focus)
    return new, (SetFocus(replace(focus, window=told.focus.window)), *kept)


def _folded(context: ViewContext, state: TraceVisState, event: ViewEvent) -> TraceVisState:
    """Up folds, down unfolds: from the top, with Shift from below (TV-7)."""
    start, levels = event.start, levels_in(context)
    if start is None or state.pressed is None or levels is None:
        return state
    by = round((start.py - event.py) / _STEP)
    deepest = max((levels.depth_of(thread) for thread in threads_of(context, state)), default=1) - 1
    upper, lower = state.pressed
    if "shift" in event.modifiers:
        bottom = (deepest if lower is None else lower) - by
        lower = None if bottom >= deepest else max(bottom, -1)
    else:
        upper = min(max(upper + by, 0), deepest + 1)
    pressed = None if event.kind is EventKind.DROP else state.pressed
    if (upper, lower, pressed) == (state.upper, state.lower, state.pressed):
        return state
    return replace(state, upper=upper, lower=lower, pressed=pressed)


def _in_overview(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    """A click moves the window there; a drag chooses it."""
    if event.pane != "whole":
        return state, ()
    warp = warp_in(context)
    if event.kind is EventKind.CLICK:
        low, high = warp.forward(np.array(window_of(context, state))).tolist()
        ends = warp.inverse(np.array([event.x - (high - low) / 2, event.x + (high - low) / 2])).tolist()
        return _told(context, moved(context, state, (ends[0], ends[1])))
    if event.kind in {EventKind.DRAG, EventKind.DROP} and event.start is not None:
        low, high = warp.inverse(np.array(sorted((event.start.x, event.x)))).tolist()
        if high > low:
            new = moved(context, state, (low, high), keep=event.kind is EventKind.DROP)
            return _told(context, new) if event.kind is EventKind.DROP else (_kept_apart(context, new), ())
    return state, ()


def _in_table(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    item = event.hit.item
    if item < 0:
        return state, ()
    if event.part == "threads":
        if event.kind is EventKind.CHECK:
            shown = frozenset(chosen_threads(context, state)) ^ {item}
            return replace(state, hidden=()), (SetFocus(replace(context.focus, threads=shown)),)
        if event.kind is EventKind.OPEN:
            pinned = (
                tuple(dict.fromkeys((item, *state.pinned)))
                if item not in state.pinned
                else tuple(thread for thread in state.pinned if thread != item)
            )
            return replace(state, pinned=pinned), ()
        if event.kind is EventKind.ROW:
            return about(state, thread=NO_THREAD if state.about_thread == item else item), ()
        return state, ()
    if event.kind is EventKind.OPEN:  # a row leads to its calls: the longest one of the window, then the next ones
        found = context.found.get("figures")
        row = NO_CALL if found is None else int(found.longest_row[item])
        return to_call(context, state, row) if row != NO_CALL else (state, ())
    if event.kind is EventKind.ROW:
        return state, (SetFocus(replace(context.focus, function=item)), SelectNodes(context.nodes(item)))
    return state, ()


def _key(context: ViewContext, state: TraceVisState, event: ViewEvent) -> Answer:
    key = event.key
    if key.startswith("search="):
        return _searched(context, state, key.removeprefix("search="))
    if key.startswith("range="):
        return _typed(context, state, key.removeprefix("range="))
    if key.startswith("note="):
        return _noted(context, state, key.removeprefix("note="))
    if key in {"h", "H", "e"} or (key in {"Up", "Down"} and "shift" in event.modifiers):
        return thread_key(context, state, event)
    if key == "i":
        return replace(state, merged=not state.merged, merged_x=None, hover=None), ()
    if key in _WAYS and state.selected != NO_CALL:
        levels = levels_in(context)
        row = NO_CALL if levels is None else neighbour(context.trace(), levels, state.selected, _WAYS[key])
        if row == NO_CALL:
            return state, (Say(f"There is no {_SAID[_WAYS[key]]}."),)
        return _seen(context, state, row)
    asked: dict[str, Ask] = {
        "/": Ask("search", "Find functions whose name holds", state.search),
        "g": Ask("range", "Show this time, such as 120ms..1.5s"),
        "m": Ask("note", "Note at this moment"),
    }
    if key in asked:
        return state, (asked[key],)
    if key in {"Enter", "Return"} and state.selected != NO_CALL:
        return to_call(context, state, state.selected)
    if key in {"f", "F"} and state.search:
        return _hit(context, state, backward=key == "F")
    if key in {"[", "Backspace"} and state.back:
        here = window_of(context, state)
        new = replace(state, window=state.back[-1], back=state.back[:-1], forward=(*state.forward, here))
        return _told(context, new)
    if key == "]" and state.forward:
        here = window_of(context, state)
        new = replace(state, window=state.forward[-1], forward=state.forward[:-1], back=(*state.back, here))
        return _told(context, new)
    if key == "s":
        return state, _source(context, state)
    return state, ()


_SAID = {
    "caller": "caller",
    "callee": "call below",
    "before": "call before it",
    "after": "call after it",
    "next": "other call of the function",
    "previous": "other call of the function",
}


def _seen(context: ViewContext, state: TraceVisState, row: int) -> Answer:
    """Select a call; the window moves only if it is not in it, and widens only if the call is longer."""
    calls, origin = context.trace().calls, context.trace().span[0]
    low, high = float(calls.start[row] - origin), float(calls.end[row] - origin)
    window = window_of(context, state)
    new, requests = selected(context, state, row)
    if low < window[1] and high > window[0]:
        return new, requests
    long = max(window[1] - window[0], (high - low) * 1.1)
    middle = (low + high) / 2
    return _shown(context, new, requests, (middle - long / 2, middle + long / 2))


def _searched(context: ViewContext, state: TraceVisState, text: str) -> Answer:
    new = replace(state, search=text[:200], hits=NO_CALL)
    if not text:
        return new, ()
    which = context.memo(matching, context.trace(), new.search)
    count = int(which[context.trace().calls.function].sum())
    functions = int(which.sum())
    if not count:
        return new, (Say(f"No function has a name with {new.search!r}."),)
    found, requests = _hit(context, new, backward=False)
    return found, (*requests, Say(f"{count:,} calls of {functions:,} functions; F steps through them."))


def _hit(context: ViewContext, state: TraceVisState, *, backward: bool) -> Answer:
    """The next call of a function that was searched for, by time of its row."""
    trace = context.trace()
    functions = np.flatnonzero(context.memo(matching, trace, state.search)).tolist()
    last = state.hits if state.hits != NO_CALL else -1
    rows = [row for row in (next_of(trace, f, last, backward=backward) for f in functions[:200]) if row != NO_CALL]
    if not rows:
        return state, ()
    beyond = [row for row in rows if (row < last if backward else row > last)] or rows
    row = max(beyond) if backward else min(beyond)
    return _seen(context, replace(state, hits=row), row)


def _typed(context: ViewContext, state: TraceVisState, text: str) -> Answer:
    ends = [_NUMBER.fullmatch(part) for part in text.split("..")]
    if len(ends) != 2 or not all(ends):
        return state, (Say(f"{text!r} is no range of time: type 120ms..1.5s."),)
    low, high = (float(end[1]) * _FACTOR[end[2]] for end in ends if end is not None)
    if not low < high:
        return state, (Say("The range ends before it begins."),)
    return _told(context, moved(context, state, (low, high)))


def _noted(context: ViewContext, state: TraceVisState, note: str) -> Answer:
    """A mark where the pointer was, at the selected call, or in the middle of the window."""
    trace = context.trace()
    time = sum(window_of(context, state)) / 2
    if state.hover is not None:
        time = float(warp_in(context).inverse(state.hover[1]))
    elif state.selected != NO_CALL:
        time = float(trace.calls.start[state.selected] - trace.span[0])
    if not note:
        near = min(state.marks, key=lambda mark: abs(mark[0] - time), default=None)
        return replace(state, marks=tuple(mark for mark in state.marks if mark != near)), ()
    marks = (*state.marks, (time, note[:200]))[-MOST_MARKS:]
    long = f" {duration(abs(marks[-1][0] - marks[-2][0]))} after the mark before." if len(marks) > 1 else ""
    return replace(state, marks=marks), (Say(f"Marked.{long}"),)


def _source(context: ViewContext, state: TraceVisState) -> tuple[Request, ...]:
    function = context.focus.function
    if state.selected != NO_CALL:
        function = int(context.trace().calls.function[state.selected])
    if function == NO_FUNCTION:
        return (Say("Select a call to see its source."),)
    return (context.source(function),)
