"""What follows from events: windows, focus areas, folding, alignment, dropped groups, what is pointed at and chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cbvtool.api import (
    NO_CALL,
    EventKind,
    OpenSource,
    Request,
    Say,
    SelectNodes,
    SetValue,
    ShowOverlay,
    ViewContext,
    ViewEvent,
    Viewport,
    function_title,
)

from .arranging import PANES, whole_of, window_of
from .changes import changes_in, next_change
from .code_overlay import NAME
from .difference import Difference, amounts_in, difference_in
from .matching import Compared, Known, call_of, compared_in, known_in
from .overview import OVER
from .pair import Chosen, chosen_in, proposals, source_of, traces_of
from .state import LOWER, MOST_DROPPED, UPPER, TraceDiffState, Window, changed
from .tables import thread_at
from .united import BARS, edges
from .visible import known_at, planes_of

Answer = tuple[TraceDiffState, tuple[Request, ...]]
_NEXT_MODE = {"best": "all", "all": "aligned", "aligned": "best"}
_LEVEL = 14.0  # logical pixels of a drag for a level
_LEAST = 4.0  # logical pixels: a shorter drag in the overview is a click


def react(context: ViewContext, state: TraceDiffState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    pair = chosen_in(context, state)
    if event.part in {"pairs", "upper", "lower", "groups", "functions"}:
        return _in_table(context, state, event, pair)
    if pair is None:
        return state, ()
    if event.part in {"slower", "faster"}:
        return _in_difference(context, state, event, pair)
    if event.part == "union":
        return _in_union(context, state, event, pair)
    if event.part == "overview":
        return _in_overview(context, state, event, pair), ()
    match event.kind:
        case EventKind.HOVER:
            return _hovered(context, state, event, pair), ()
        case EventKind.LEAVE:
            return _pointed(state, -1, NO_CALL, -1, 0.0), ()
        case EventKind.RANGE if event.range is not None and event.pane in PANES:
            return with_window(state, PANES.index(event.pane), event.range.x), ()
        case EventKind.CLICK:
            return _clicked(context, state, event, pair)
        case EventKind.DOUBLE if event.hit.layer.startswith("bars "):
            return _to_call(context, state, pair, _side(event), _call(context, event, pair)), ()
        case EventKind.PRESS if event.pane in PANES:
            side = PANES.index(event.pane)
            return replace(state, pressed=(state.upper[side], state.lower[side], 0.0, 0.0)), ()
        case EventKind.DRAG | EventKind.DROP if event.start is not None and event.start.pane in PANES:
            return _folded(context, state, event, pair), ()
        case EventKind.KEY:
            return _key(context, state, event, pair)
    return state, ()


def with_window(state: TraceDiffState, side: int, window: Window | None) -> TraceDiffState:
    """The state with another window of one side."""
    windows: Any = changed(state.windows, side, window)
    return replace(state, windows=windows)


# -- pointing and choosing --


def _side(event: ViewEvent) -> int:
    return UPPER if event.hit.layer.endswith("upper") else LOWER


def _call(context: ViewContext, event: ViewEvent, pair: tuple[Chosen, Chosen]) -> int:
    """The call at the pointer: of a merged bar the one that runs there."""
    source, side = source_of(context, pair), _side(event)
    trace = (source.upper, source.lower)[side]
    row = event.hit.item
    calls = trace.calls
    low = int(trace.threads.ptr[pair[side].thread])
    moment = event.x + float(calls.start[low])
    depth, end = calls.depth[row], int(trace.threads.ptr[pair[side].thread + 1])
    while calls.end[row] < moment:
        following = int(calls.end_row[row])
        if following >= end or calls.depth[following] != depth or calls.start[following] > moment:
            break
        row = following
    return row


def _pointed(state: TraceDiffState, side: int, call: int, match: int, at: float) -> TraceDiffState:
    if (state.side, state.call, state.match, state.at) == (side, call, match, at):
        return state
    return replace(state, side=side, call=call, match=match, at=at)


def _hovered(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]
) -> TraceDiffState:
    side = PANES.index(event.pane) if event.pane in PANES else -1
    if state.size != event.size:
        state = replace(state, size=event.size)
    if event.hit.layer.startswith("tubes"):
        return _pointed(state, side, NO_CALL, event.hit.item, 0.0)
    if not event.hit.layer.startswith("bars "):
        return _pointed(state, side, NO_CALL, -1, 0.0)
    side, call = _side(event), _call(context, event, pair)
    known, compared = known_at(context, state, event.size), compared_in(context, pair)
    match = -1
    if known is not None and compared is not None:
        own = known.of_row(side, compared.trees[side].row(call))
        match = int(own[0]) if len(own) else -1
    return _pointed(state, side, call, match, event.x)


def _clicked(context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]) -> Answer:
    compared, known = compared_in(context, pair), known_at(context, state, event.size)
    if event.hit.layer.startswith("tubes") and compared is not None and known is not None:
        row = int(known.rows[event.hit.item, UPPER])
        call = call_of(compared, UPPER, row)
        return replace(state, chosen=(UPPER, call), turn=0, match=event.hit.item), ()
    if not event.hit.layer.startswith("bars "):
        return (replace(state, chosen=None, turn=0) if state.chosen is not None else state), ()
    side, call = _side(event), _call(context, event, pair)
    turn = state.turn + 1 if state.chosen == (side, call) else 0
    state = replace(state, chosen=(side, call), turn=turn)
    trace = (source_of(context, pair).upper, source_of(context, pair).lower)[side]
    nodes = context.nodes(int(trace.calls.function[call]), pair[side].number)
    requests: tuple[Request, ...] = (SelectNodes(nodes),) if nodes else ()
    if compared is None or known is None:
        return state, requests
    state, said = _aligned_to(context, state, pair, compared, known, side, call, turn)
    return state, (*requests, said)


def partners_of(compared: Compared, known: Known, side: int, call: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Matches that a click on a call aligns to: its own, then the best of each group that has matches below it."""
    tree = compared.trees[side]
    row = tree.row(call)
    below = known.below(side, row, int(tree.end_row[row]))
    below = below[known.group[below] >= 0]
    own = below[known.rows[below, side] == row]
    _, first = np.unique(known.group[below], return_index=True)
    rest = np.sort(below[first])
    found = np.concatenate((own, rest[~np.isin(known.group[rest], known.group[own])]))
    return found.astype(np.int64)


def _aligned_to(
    context: ViewContext,
    state: TraceDiffState,
    pair: tuple[Chosen, Chosen],
    compared: Compared,
    known: Known,
    side: int,
    call: int,
    turn: int,
) -> tuple[TraceDiffState, Say]:
    """The other side is moved so that the strongest matched group begins below, or the next one."""
    found = partners_of(compared, known, side, call)
    if not len(found):
        return state, Say(f"No call of {'BA'[side]} matches it, or what it called.")
    match = int(found[turn % len(found)])
    state = _aligned(context, state, pair, compared, known, match, side)
    name = _name(compared, 1 - side, int(known.rows[match, 1 - side]))
    which = f" ({turn % len(found) + 1} of {len(found):,}; click again for the next)" if len(found) > 1 else ""
    return replace(state, match=match), Say(
        f"Aligned to {name} in {'BA'[side]}, similarity {known.similarity[match]:.2f}{which}."
    )


def _aligned(
    context: ViewContext,
    state: TraceDiffState,
    pair: tuple[Chosen, Chosen],
    compared: Compared,
    known: Known,
    match: int,
    side: int,
) -> TraceDiffState:
    """Both calls of a match begin at one x, in one scale; the window of `side` stays."""
    low, high = window_of(context, state, pair, side)
    starts = [float(compared.trees[each].start[known.rows[match, each]]) for each in (UPPER, LOWER)]
    by = starts[1 - side] - starts[side]
    return with_window(with_window(state, side, (low, high)), 1 - side, (low + by, high + by))


def _name(compared: Compared, side: int, row: int) -> str:
    call = call_of(compared, side, row)
    trace = (compared.source.upper, compared.source.lower)[side]
    return function_title(trace.functions, int(trace.calls.function[call])) if call >= 0 else "the roots"


def _to_call(
    context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], side: int, call: int
) -> TraceDiffState:
    """The window goes to a call, that of the other side to its match."""
    compared, known = compared_in(context, pair), known_in(context, pair)
    trace = (source_of(context, pair).upper, source_of(context, pair).lower)[side]
    first = int(trace.threads.ptr[pair[side].thread])
    begin, end = (float(each[call] - trace.calls.start[first]) for each in (trace.calls.start, trace.calls.end))
    room = max((end - begin) * 0.05, 1.0)
    state = with_window(state, side, (begin - room, end + room))
    if compared is None or known is None:
        return state
    found = partners_of(compared, known, side, call)
    return _aligned(context, state, pair, compared, known, int(found[0]), side) if len(found) else state


# -- folding and focus areas --


def _folded(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]
) -> TraceDiffState:
    """A vertical drag folds levels: from the root, with Shift from the leaves (TV-7)."""
    start = event.start
    if start is None or state.pressed is None:
        return state
    planes = planes_of(context, state, pair, Viewport(*start.size))
    if planes is None:
        return state
    return folded(state, event, start, max(planes[PANES.index(start.pane)].deepest, 1))


def folded(state: TraceDiffState, event: ViewEvent, start: ViewEvent, deepest: int) -> TraceDiffState:
    """The state while levels are dragged. start: where the drag began; deepest: how many levels there are."""
    if state.pressed is None:
        return state
    side = PANES.index(start.pane)
    inward = (start.py - event.py) * (1 if side == UPPER else -1)
    upper, lower = state.pressed[0], state.pressed[1]
    by = round(inward / _LEVEL)
    if "shift" in start.modifiers:
        lower = (deepest - 1 if lower is None else lower) - by
        lower = None if lower >= deepest - 1 else max(lower, -1)
    else:
        upper = min(max(upper + by, 0), deepest)
    uppers: Any = changed(state.upper, side, upper)
    lowers: Any = changed(state.lower, side, lower)
    dropped = event.kind is EventKind.DROP
    return replace(state, upper=uppers, lower=lowers, pressed=None if dropped else state.pressed)


def _in_overview(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]
) -> TraceDiffState:
    """A drag chooses the focus area of a side; one that begins inside of it moves it; a click moves it there."""
    pane = event.start.pane if event.start is not None else event.pane
    if pane not in OVER:
        return state
    side = OVER.index(pane)
    whole = whole_of(context, pair)
    low, high = window_of(context, state, pair, side)
    match event.kind:
        case EventKind.PRESS:
            return replace(state, pressed=(0, None, low, high))
        case EventKind.CLICK:
            half = (high - low) / 2
            return with_window(state, side, (event.x - half, event.x + half))
        case EventKind.DOUBLE:
            return with_window(state, side, None)
        case EventKind.DRAG | EventKind.DROP if event.start is not None and state.pressed is not None:
            first, last = state.pressed[2:]
            inside = first < event.start.x < last and last - first < 0.98 * (whole[1] - whole[0])
            done = replace(state, pressed=None) if event.kind is EventKind.DROP else state
            if inside:
                by = event.x - event.start.x
                return with_window(done, side, (first + by, last + by))
            if abs(event.px - event.start.px) < _LEAST:
                return done
            begin, end = sorted((event.start.x, event.x))
            return with_window(done, side, (max(begin, whole[0]), min(end, whole[1])))
    return state


# -- keys --


def _key(context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]) -> Answer:
    compared, known = compared_in(context, pair), known_at(context, state, event.size)
    match event.key:
        case "a" if compared is not None and known is not None:
            return _strongest(context, state, pair, compared, known)
        case "A":
            return replace(state, windows=(None, None)), (Say("Both begin with their roots, in one scale."),)
        case "d" if compared is not None and known is not None:
            return _drop(state, compared, known)
        case "D":
            return replace(state, dropped=()), (Say("All groups are whole again."),)
        case "m":
            return state, (SetValue("mode", _NEXT_MODE[str(context.values["mode"])]),)
        case "n" | "p":
            return _to_change(context, state, pair, event.key == "n")
        case "x":
            swapped = ((pair[LOWER].number, pair[LOWER].thread), (pair[UPPER].number, pair[UPPER].thread))
            return replace(_fresh(state), threads=swapped, windows=state.windows[::-1]), (Say("A and B are swapped."),)
        case "o":
            return state, (ShowOverlay(NAME),)
        case "s" if state.chosen is not None:
            return state, (_source(context, pair, *state.chosen),)
        case "Enter" if state.chosen is not None:
            return _to_call(context, state, pair, *state.chosen), ()
        case "Escape" if state.chosen is not None or state.dropped:
            return replace(state, chosen=None, turn=0, dropped=() if state.chosen is None else state.dropped), ()
    return state, ()


def _to_change(context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], forward: bool) -> Answer:
    """The next call that is not as it was, chosen and shown."""
    changes = changes_in(context, pair)
    if changes is None:
        return state, (Say("Choose Matches: Aligned one to one, to go from one change to the next."),)
    found = next_change(changes, *(state.chosen or (UPPER, -1)), forward)
    if found is None:
        return state, (Say("No call changed."),)
    return _to_call(context, replace(state, chosen=found), pair, *found), ()


def _source(context: ViewContext, pair: tuple[Chosen, Chosen], side: int, call: int) -> Request:
    """The source of a call, with what was changed in it where the recordings are of two commits."""
    source = source_of(context, pair)
    trace = (source.upper, source.lower)[side]
    function = int(trace.calls.function[call])
    nodes = context.nodes(function, pair[side].number)
    old, new = source.upper.header.commit, source.lower.header.commit
    if old == new or not old or not new:
        old = new = ""
    if nodes:
        return OpenSource(nodes[0], old=old, new=new)
    return OpenSource(-1, trace.functions.file[function], int(trace.functions.line[function]), old, new)


def _strongest(
    context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], compared: Compared, known: Known
) -> Answer:
    """Aligned at the strongest match: of equally similar ones the longest (TD-3)."""
    rows = np.flatnonzero(known.group >= 0)
    if not len(rows):
        return state, (Say("No calls match, so there is nothing to align at."),)
    best = float(known.similarity[rows].max())
    ties = rows[known.similarity[rows] == best]
    long = [
        compared.trees[side].end[known.rows[ties, side]] - compared.trees[side].start[known.rows[ties, side]]
        for side in (UPPER, LOWER)
    ]
    match = int(ties[np.argmax(np.minimum(long[0], long[1]))])
    name = _name(compared, UPPER, int(known.rows[match, UPPER]))
    many = f"; {len(ties) - 1:,} others are as similar, this one is the longest" if len(ties) > 1 else ""
    state = _aligned(context, state, pair, compared, known, match, UPPER)
    return replace(state, match=match), (Say(f"Aligned at {name}, similarity {best:.2f}{many}."),)


def _drop(state: TraceDiffState, compared: Compared, known: Known) -> Answer:
    """The group that is pointed at shows its inner groups (level control, TD-2)."""
    match = state.match
    if not 0 <= match < len(known) or known.group[match] < 0:
        return state, (Say("Point at a match, or at a call that has one, and press D."),)
    return dropped_group(state, compared, known, int(known.group[match]))


def dropped_group(state: TraceDiffState, compared: Compared, known: Known, group: int) -> Answer:
    """The root match of a group is dropped."""
    root = known.rows[known.root[group]]
    calls = tuple(call_of(compared, side, int(root[side])) for side in (UPPER, LOWER))
    if len(state.dropped) >= MOST_DROPPED or NO_CALL in calls:
        return state, (Say("This group stays as it is."),)
    size = int((known.group == group).sum())
    if size < 2:
        return state, (Say("This group is one match: there is nothing within it."),)
    kept = replace(state, dropped=(*state.dropped, (calls[0], calls[1])), match=-1)
    name = _name(compared, UPPER, int(root[UPPER]))
    return kept, (Say(f"The match of {name} is dropped: its inner groups are shown. Shift+D brings it back."),)


# -- both in one --


def _in_union(context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]) -> Answer:
    """A click chooses a call path, a double click zooms to it; N and P go to the next largest change."""
    difference = difference_in(context, pair)
    if difference is None:
        return _key(context, state, event, pair) if event.kind is EventKind.KEY else (state, ())
    row = event.hit.item if event.hit.layer == BARS else -1
    match event.kind:
        case EventKind.HOVER:
            return (state if state.context == row else replace(state, context=row)), ()
        case EventKind.LEAVE:
            return (state if state.context < 0 else replace(state, context=-1)), ()
        case EventKind.RANGE if event.range is not None:
            return replace(state, union=event.range.x), ()
        case EventKind.CLICK:
            return _chosen_path(context, state, pair, difference, row, zoom=False)
        case EventKind.DOUBLE if row > 0:
            return replace(state, union=_window_of(context, difference, row)), ()
        case EventKind.KEY if event.key in {"n", "p"}:
            at = -1 if state.chosen is None else difference.context_of(*state.chosen)
            following = _next_difference(context, difference, at, event.key == "n")
            if following is None:
                return state, (Say("No call path takes another time."),)
            return _chosen_path(context, state, pair, difference, following, zoom=True)
        case EventKind.KEY if event.key == "Enter" and state.chosen is not None:
            return replace(state, union=_window_of(context, difference, difference.context_of(*state.chosen))), ()
        case EventKind.KEY if event.key == "A":
            return replace(state, union=None), ()
        case EventKind.KEY:
            return _key(context, state, event, pair)
    return state, ()


def _next_difference(context: ViewContext, difference: Difference, row: int, forward: bool) -> int | None:
    """The call path with the next smaller change of self time, or the next larger one; round the end."""
    own = amounts_in(context, difference).own
    change = np.abs(own[LOWER] - own[UPPER])
    order = np.argsort(-change, kind="stable")
    order = order[change[order] > 0]
    if not len(order):
        return None
    at = np.flatnonzero(order == row)
    if not len(at):
        return int(order[0])
    return int(order[(int(at[0]) + (1 if forward else -1)) % len(order)])


def _window_of(context: ViewContext, difference: Difference, row: int) -> Window:
    """Where a call path lies in the picture of both in one, with some room."""
    begin, end = context.memo(edges, difference, amounts_in(context, difference))
    low, high = float(begin[row]), float(end[row])
    room = max((high - low) * 0.1, 1.0)
    return max(low - room, 0.0), min(high + room, max(float(end[0]), 1.0))


def _chosen_path(
    context: ViewContext,
    state: TraceDiffState,
    pair: tuple[Chosen, Chosen],
    difference: Difference,
    row: int,
    *,
    zoom: bool,
) -> Answer:
    """The longest call of a call path is chosen, in all views; zoom: both pictures go there."""
    place = difference.place(row) if row > 0 else None
    if place is None:
        return (replace(state, chosen=None, turn=0) if state.chosen is not None else state), ()
    side, call = place
    state = replace(state, chosen=place, turn=0)
    if zoom:
        state = replace(_to_call(context, state, pair, side, call), union=_window_of(context, difference, row))
    trace = (difference.compared.source.upper, difference.compared.source.lower)[side]
    nodes = context.nodes(int(trace.calls.function[call]), pair[side].number)
    return state, (SelectNodes(nodes),) if nodes else ()


def _in_difference(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen]
) -> Answer:
    """A row leads to the place in both pictures; a double click opens its source."""
    difference = difference_in(context, pair)
    if difference is None or not 0 < event.hit.item < len(difference.union):
        return state, ()
    if event.kind is EventKind.ROW:
        return _chosen_path(context, state, pair, difference, event.hit.item, zoom=True)
    place = difference.place(event.hit.item)
    if event.kind is EventKind.OPEN and place is not None:
        return state, (_source(context, pair, *place),)
    return state, ()


# -- tables --


def _fresh(state: TraceDiffState) -> TraceDiffState:
    """What spoke of calls is gone."""
    return replace(
        state,
        windows=(None, None),
        union=None,
        context=-1,
        upper=(0, 0),
        lower=(None, None),
        dropped=(),
        side=-1,
        call=NO_CALL,
        match=-1,
        chosen=None,
        turn=0,
    )


def _in_table(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, pair: tuple[Chosen, Chosen] | None
) -> Answer:
    item = event.hit.item
    if item < 0 or event.kind not in {EventKind.ROW, EventKind.CHECK, EventKind.OPEN}:
        return state, ()
    if event.part == "pairs":
        found = proposals(context)
        if item >= len(found) or event.kind is EventKind.CHECK:
            return state, ()
        return _compared_with(state, pair, found[item].upper, found[item].lower), ()
    if event.part in {"upper", "lower"}:
        chosen = thread_at(traces_of(context), item)
        if chosen is None:
            return state, ()
        one, other = pair if pair is not None else (chosen, chosen)
        both = (chosen, other) if event.part == "upper" else (one, chosen)
        return _compared_with(state, pair, *both), ()
    if event.part != "groups" or pair is None:
        return state, ()
    compared, known = compared_in(context, pair), known_in(context, pair)
    if compared is None or known is None or item >= len(known.root):
        return state, ()
    if event.kind is EventKind.OPEN:
        return dropped_group(state, compared, known, item)
    return _to_group(state, compared, known, item), ()


def _compared_with(
    state: TraceDiffState, pair: tuple[Chosen, Chosen] | None, upper: Chosen, lower: Chosen
) -> TraceDiffState:
    if pair == (upper, lower):
        return state
    return replace(_fresh(state), threads=((upper.number, upper.thread), (lower.number, lower.thread)))


def _to_group(state: TraceDiffState, compared: Compared, known: Known, group: int) -> TraceDiffState:
    """Both windows show the roots of a group."""
    match = int(known.root[group])
    for side in (UPPER, LOWER):
        tree, row = compared.trees[side], int(known.rows[match, side])
        begin, end = float(tree.start[row]), float(tree.end[row])
        room = max((end - begin) * 0.08, 1.0)
        state = with_window(state, side, (begin - room, end + room))
    return replace(state, match=match)
