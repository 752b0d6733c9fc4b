"""Which threads stand where, what time they show, and where rows of tables lead (ST-6, ST-8)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cbvtool.api import EventKind, Request, Say, SetFocus, ViewContext, ViewEvent, thread_title

from .estimates import THREAD, WAIT, changes, chosen_change, estimate_rows
from .pairs import Known, known_in
from .pathway import path_of
from .state import SyncState, Window
from .threads import colored, colors_of, placed

Answer = tuple[SyncState, tuple[Request, ...]]
_AROUND = 0.4  # of a wait's length, on both sides of it


def with_window(context: ViewContext, state: SyncState, thread: int, window: Window) -> SyncState:
    """The state with another window of one thread alone."""
    low, high = framed(context, (window[0], window[1] - window[0]))
    others = tuple(each for each in state.windows if each[0] != thread)
    return replace(state, windows=(*others, (thread, low, high)))


def framed(context: ViewContext, place: tuple[float, float]) -> Window:
    """A window from its begin and its length, moved into the trace."""
    whole = context.trace().length
    long = min(max(place[1], 1e-3), whole)
    low = min(max(place[0], 0.0), whole - long)
    return low, low + long


def around(low: float, high: float, room: float) -> Window:
    """From begin to end, with some room beside."""
    more = max((high - low) * room, 1.0)
    return low - more, high + more


def aligned(context: ViewContext, state: SyncState, window: Window) -> Answer:
    """All threads show this window, and so do the other views."""
    low, high = framed(context, (window[0], window[1] - window[0]))
    trace = context.trace()
    whole = low <= 0 and high >= trace.length
    told = None if whole else (math.floor(low) + trace.span[0], math.ceil(high) + trace.span[0])
    new = replace(state, window=None if whole else (low, high), windows=(), told=told)
    return new, (SetFocus(replace(context.focus, window=told)),)


def moved(context: ViewContext, state: SyncState, **places: object) -> SyncState:
    """The state with threads at other places; each keeps its colour unless its neighbours force it (ST-3)."""
    new = replace(state, **places)  # type: ignore[arg-type] # fields of SyncState
    colors = colors_of(context, state)
    every = dict(state.colors) | colors
    return replace(new, colors=tuple(sorted((every | colored(placed(context, new), every)).items())))


def made_main(context: ViewContext, state: SyncState, thread: int) -> Answer:
    """The thread becomes the straight one; the one that was takes its place in the semicircle."""
    at = placed(context, state)
    if thread == at.main:
        return state, ()
    ring = tuple(at.main if each == thread else each for each in at.ring)
    if thread not in at.ring and at.main >= 0:
        ring = (*ring, at.main)
    shown = tuple(each for each in state.hidden if each != thread)
    wide = -1 if state.wide == thread else state.wide
    return moved(context, state, main=thread, ring=ring, hidden=shown, wide=wide), ()


def swapped(context: ViewContext, state: SyncState, one: int, other: int) -> Answer:
    """Two threads change places."""
    at = placed(context, state)
    if one == other or one not in at.every or other not in at.every:
        return state, ()
    if at.main in {one, other}:
        return made_main(context, state, other if one == at.main else one)
    change = {one: other, other: one}
    return moved(context, state, main=at.main, ring=tuple(change.get(each, each) for each in at.ring)), ()


def hidden(context: ViewContext, state: SyncState, thread: int) -> Answer:
    """The thread is not drawn any more; the table of threads brings it back."""
    at = placed(context, state)
    if len(at.every) < 2 or thread not in at.every:
        return state, (Say("One thread stays."),)
    main, ring = (at.ring[0], at.ring[1:]) if thread == at.main else (at.main, tuple(e for e in at.ring if e != thread))
    wide = -1 if state.wide == thread else state.wide
    gone = (*state.hidden, thread)
    new = moved(context, state, main=main, ring=ring, hidden=gone, wide=wide, over=-1, hover=-1)
    name = thread_title(context.trace().threads, thread)
    return new, (Say(f"{name} is hidden. Tick it in the table to bring it back; H brings back all."),)


def widened_thread(context: ViewContext, state: SyncState, thread: int) -> SyncState:
    """A thread of the semicircle has more room, or as much as the others again."""
    if thread not in placed(context, state).ring:
        return state
    return replace(state, wide=-1 if state.wide == thread else thread)


def in_table(context: ViewContext, state: SyncState, event: ViewEvent) -> Answer:
    """A row leads to its place in the picture."""
    item, known = event.hit.item, known_in(context)
    if item < 0 or event.kind not in {EventKind.ROW, EventKind.CHECK, EventKind.OPEN}:
        return state, ()
    if event.part == "threads":
        if event.kind is EventKind.CHECK:
            return _ticked(context, state, item)
        if event.kind is EventKind.OPEN:
            return widened_thread(context, state, item), ()
        return made_main(context, state, item) if item in placed(context, state).every else (state, ())
    if known is None or event.kind is EventKind.CHECK:
        return state, ()
    if event.part == "path":
        steps = path_of(context, state, known)
        if item >= len(steps):
            return state, ()
        origin = context.trace().span[0]
        step = steps[item]
        return aligned(
            context, _drawn(context, state, step.thread), around(step.start - origin, step.end - origin, 0.2)
        )
    if event.part == "what-if":
        return chosen_row(context, state, known, item), ()
    if event.part == "estimate":
        return _affected(context, state, known, item)
    return _to_wait(context, state, known, _longest_of(known, event.part, item))


def _ticked(context: ViewContext, state: SyncState, thread: int) -> Answer:
    if thread in placed(context, state).every:
        return hidden(context, state, thread)
    shown = tuple(each for each in state.hidden if each != thread)
    if shown != state.hidden:
        return moved(context, state, hidden=shown), ()
    return made_main(context, state, thread)


def _longest_of(known: Known, part: str, item: int) -> int:
    """The row of the longest wait that a row of a table speaks of; -1 = none of those that are kept."""
    waits = known.longest
    if part == "waits":
        return item if item < len(waits) else -1
    if part == "totals" and item < len(known.totals):
        fits = waits.thread == known.totals.waiting[item]
        fits &= waits.releasing == known.totals.releasing[item]
    elif part == "objects" and item < len(known.objects):
        fits = waits.object == known.objects.object[item]
    else:
        return -1
    rows = np.flatnonzero(fits)
    return int(rows[0]) if len(rows) else -1


def chosen_row(context: ViewContext, state: SyncState, known: Known, item: int) -> SyncState:
    """The change in a row of the table is thought through."""
    listed = context.memo(changes, known, chosen_change(state, known))
    return replace(state, change=listed[item]) if item < len(listed) else state


def _affected(context: ViewContext, state: SyncState, known: Known, item: int) -> Answer:
    """The thread or the wait in a row of an estimate is shown."""
    rows = estimate_rows(context, state, known)
    if rows is None or item >= len(rows.what):
        return state, ()
    what, row = int(rows.what[item]), int(rows.row[item])
    if what == THREAD:
        return made_main(context, state, row)
    if what != WAIT:
        return state, ()
    waits = known.longest
    table = known.trace.table("waits")
    (at,) = np.nonzero((waits.call == table["call"][row]) & (waits.start == table["start"][row]))
    return _to_wait(context, state, known, int(at[0]) if len(at) else -1)


def _to_wait(context: ViewContext, state: SyncState, known: Known, row: int) -> Answer:
    """The thread that waits becomes main; all threads show the wait, with some time around it; its curve stands out."""
    if row < 0:
        return state, (Say("These waits are too short to be kept: zoom in to see them."),)
    waits, origin = known.longest, context.trace().span[0]
    new = made_main(context, state, int(waits.thread[row]))[0]
    if waits.releasing[row] >= 0:
        new = _drawn(context, new, int(waits.releasing[row]))
    pairs = np.flatnonzero((known.pairs.waiting == waits.call[row]) & (known.pairs.wait_start == waits.start[row]))
    pair = int(pairs[np.argmax(known.pairs.moment[pairs])]) if len(pairs) else -1
    new = replace(new, wait=pair, selected=int(waits.call[row]))
    return aligned(context, new, around(float(waits.start[row] - origin), float(waits.end[row] - origin), _AROUND))


def _drawn(context: ViewContext, state: SyncState, thread: int) -> SyncState:
    """The state in which a thread is drawn."""
    if thread in placed(context, state).every:
        return state
    shown = moved(context, state, hidden=tuple(each for each in state.hidden if each != thread))
    return shown if thread in placed(context, shown).every else made_main(context, shown, thread)[0]
