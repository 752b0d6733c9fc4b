"""What follows from events: windows, division of the canvas, folding, what is pointed at and chosen (ST-6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import (
    NO_CALL,
    NO_FUNCTION,
    EventKind,
    Menu,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    SetValue,
    ViewContext,
    ViewEvent,
    Viewport,
    levels_in,
)

from .arranging import arrangement
from .choosing import Answer, aligned, around, framed, hidden, in_table, made_main, swapped, widened_thread, with_window
from .estimates import asked, offered
from .pairs import known_in, pair_of
from .state import RADII, SHARES, SyncState
from .telling import PAIRS, call_under, is_call
from .threads import placed, window_of

_LEVEL = 18.0  # logical pixels of a drag for a level
NAMES = ("thread names", "main name", "discs", "thread bands")


def react(context: ViewContext, state: SyncState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    if event.part != "main":
        return in_table(context, state, event)
    if event.pane.startswith("over ") and event.kind in {EventKind.CLICK, EventKind.DRAG, EventKind.DROP}:
        return _in_overview(context, state, event), ()
    match event.kind:
        case EventKind.HOVER:
            return _hovered(context, state, event), ()
        case EventKind.LEAVE:
            return _pointed(state, -1, -1, state.at), ()
        case EventKind.RANGE if event.range is not None:
            thread = thread_of(event)
            return (state if thread < 0 else with_window(context, state, thread, event.range.x)), ()
        case EventKind.CLICK:
            return _clicked(context, state, event)
        case EventKind.MENU:
            return state, _menu(context, event)
        case EventKind.DOUBLE if event.hit.layer in NAMES:
            return hidden(context, state, event.hit.item)
        case EventKind.DOUBLE if is_call(event.hit):
            return _to_call(context, state, call_under(context, event.hit.item, event.x)), ()
        case EventKind.PRESS:
            return replace(state, pressed=(state.share, state.radius, state.upper)), ()
        case EventKind.DRAG | EventKind.DROP if event.start is not None and state.pressed is not None:
            return _dragged(context, state, event)
        case EventKind.KEY:
            return _key(context, state, event)
    return state, ()


def thread_of(event: ViewEvent) -> int:
    """The thread that an event is about: of its pane, or of the name that was hit; -1 = none."""
    if event.hit.layer in NAMES:
        return event.hit.item
    kind, _, number = event.pane.partition(" ")
    return int(number) if kind in {"main", "ring", "over"} else -1


def _pointed(state: SyncState, thread: int, pair: int, time: float) -> SyncState:
    if (state.over, state.hover, state.at) == (thread, pair, time):
        return state
    return replace(state, over=thread, hover=pair, at=time)


def _hovered(context: ViewContext, state: SyncState, event: ViewEvent) -> SyncState:
    thread, known, pair = thread_of(event), known_in(context), -1
    if event.hit.layer == "gathered":
        thread = state.over  # a path stays while it is pointed at
    if known is not None and event.hit.layer in PAIRS:
        pair = event.hit.item
    elif known is not None and is_call(event.hit):
        row = call_under(context, event.hit.item, event.x)
        pair = pair_of(known, row, event.x + context.trace().span[0]) if known.wait[row] else -1
    time = event.x if event.pane.startswith(("main ", "ring ")) else state.at
    return _pointed(state, thread, pair, time)


def _clicked(context: ViewContext, state: SyncState, event: ViewEvent) -> Answer:
    if event.hit.layer in NAMES:
        return widened_thread(context, state, event.hit.item), ()
    if event.hit.layer in PAIRS:
        return replace(state, wait=event.hit.item), ()
    if is_call(event.hit):
        row, known = call_under(context, event.hit.item, event.x), known_in(context)
        pair = -1 if known is None else pair_of(known, row, event.x + context.trace().span[0])
        function = int(context.trace().calls.function[row])
        focus = replace(context.focus, calls=(row,), function=function)
        return replace(state, selected=row, wait=pair), (SetFocus(focus), SelectNodes(context.nodes(function)))
    if event.hit or (state.selected == NO_CALL and state.wait < 0 and context.focus.function == NO_FUNCTION):
        return state, ()
    cleared = replace(context.focus, calls=(), function=NO_FUNCTION)
    return replace(state, selected=NO_CALL, wait=-1), (SetFocus(cleared), SelectNodes(()))


def _to_call(context: ViewContext, state: SyncState, row: int) -> SyncState:
    """The window of its thread alone goes to a call."""
    calls, origin = context.trace().calls, context.trace().span[0]
    thread = int(context.trace().thread_of(np.array([row]))[0])
    window = around(float(calls.start[row] - origin), float(calls.end[row] - origin), 0.05)
    return replace(with_window(context, state, thread, window), selected=row)


def _in_overview(context: ViewContext, state: SyncState, event: ViewEvent) -> SyncState:
    """A click moves the window of that thread there; a drag chooses it."""
    thread = thread_of(event)
    if event.kind is EventKind.CLICK:
        low, high = window_of(context, state, thread)
        return with_window(context, state, thread, framed(context, (event.x - (high - low) / 2, high - low)))
    if event.start is None or not event.start.pane.startswith("over "):
        return state
    low, high = sorted((event.start.x, event.x))
    return with_window(context, state, thread_of(event.start), (low, high)) if high > low else state


def _dragged(context: ViewContext, state: SyncState, event: ViewEvent) -> Answer:
    start, dropped = event.start, event.kind is EventKind.DROP
    assert start is not None
    assert state.pressed is not None
    share, radius, upper = state.pressed
    left = replace(state, pressed=None) if dropped else state
    if start.hit.layer in NAMES:
        target = thread_of(event)
        if not dropped:
            return replace(state, over=target), ()
        return swapped(context, left, start.hit.item, target) if target >= 0 else (left, ())
    if start.hit.layer in {"splitter", "radius"}:
        at = arrangement(context, replace(state, share=share, radius=radius), Viewport(*start.size))
        if at is None:
            return left, ()
        by = event.py - start.py
        if start.hit.layer == "splitter":
            return replace(left, share=_between((at.split + by) / max(start.size[1], 1.0), *SHARES)), ()
        return replace(left, radius=_between((at.radii[0] + by) / at.radii[1], *RADII)), ()
    thread, levels = thread_of(start), levels_in(context)
    if thread < 0 or levels is None:
        return left, ()
    deepest = max((levels.depth_of(each) for each in placed(context, state).every), default=1)
    by = round((start.py - event.py) / _LEVEL)
    return replace(left, upper=int(_between(upper + by, 0, deepest))), ()


def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _key(context: ViewContext, state: SyncState, event: ViewEvent) -> Answer:
    at, key = placed(context, state), event.key
    thread = state.over if state.over in at.every else at.main
    if change := asked(key):
        return replace(state, change=change), (Say("An estimate: the tables What if and Estimate tell more."),)
    if thread < 0 and key != "H":
        return state, ()
    match key:
        case "a":
            return aligned(context, state, window_of(context, state, thread))
        case "A":
            return aligned(context, state, (0.0, context.trace().length))
        case "m":
            return made_main(context, state, thread)
        case "w":
            return widened_thread(context, state, thread), ()
        case "h":
            return hidden(context, state, thread)
        case "H":
            return replace(state, hidden=()), ()
        case "o":
            return state, (SetValue("color", "thread" if context.values["color"] == "object" else "object"),)
        case "c":
            path = (thread, state.at if state.over >= 0 else window_of(context, state, thread)[1])
            return replace(state, path=path), (Say("The critical path back from here is marked; C takes it away."),)
        case "C" | "Escape" if state.path is not None:
            return replace(state, path=None), ()
        case "Escape" if state.change is not None:
            return replace(state, change=None), ()
        case "Enter" if state.selected != NO_CALL:
            return _to_call(context, state, state.selected), ()
        case "s":
            return state, _source(context, state)
    return state, ()


def _menu(context: ViewContext, event: ViewEvent) -> tuple[Request, ...]:
    """What could be thought through of the wait under the pointer, or of the whole run."""
    known = known_in(context)
    if known is None:
        return ()
    pair = event.hit.item if event.hit.layer in PAIRS else -1
    if is_call(event.hit):
        pair = pair_of(known, call_under(context, event.hit.item, event.x), event.x + context.trace().span[0])
    entries = offered(context, known, pair)
    return (Menu(entries),) if entries else ()


def _source(context: ViewContext, state: SyncState) -> tuple[Request, ...]:
    if state.selected == NO_CALL:
        return (Say("Select a call to see its source."),)
    return (context.source(int(context.trace().calls.function[state.selected])),)
