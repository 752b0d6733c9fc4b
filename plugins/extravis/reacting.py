"""What follows from events: what is looked at, what is marked, what is open, selection (EX-4, EX-5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import (
    GAP,
    NO_FUNCTION,
    EventKind,
    Menu,
    OpenSource,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    ViewContext,
    ViewEvent,
)

from .bundle import CURVES, RING
from .pointing import call_of_row, call_under
from .scene import Scene, part_in, scene_in, shown_rows
from .sequence import GROUND, OVERVIEW, ROWS, WHOLE
from .similar import FOUND, similar_in
from .state import ExtraVisState, Part, pointed
from .tree import BOXES

Answer = tuple[ExtraVisState, tuple[Request, ...]]
_LEAST_ROWS = 4.0  # that the rows can be zoomed to
_AROUND = 20  # rows at least that are shown on both sides of a difference
_ON_BOXES = {BOXES, f"{BOXES} 1", RING}
_ON_CURVES = {CURVES, "highlighted curves"}


def react(context: ViewContext, state: ExtraVisState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    scene = scene_in(context, state)
    if scene is None:
        return state, ()
    if event.part in {"pairs", "similar"}:
        return _row(context, scene, state, event)
    match event.kind:
        case EventKind.HOVER:
            return _hover(context, scene, state, event), ()
        case EventKind.LEAVE:
            return pointed(state), ()
        case EventKind.RANGE if event.range is not None and event.pane == ROWS:
            return replace(state, shown=_kept(scene, event.range.y)), ()
        case EventKind.DRAG | EventKind.DROP if event.start is not None and event.part == "sequence":
            return _dragged(context, scene, state, event, event.start)
        case EventKind.CLICK:
            return _clicked(context, scene, state, event)
        case EventKind.DOUBLE:
            return _doubled(context, scene, state, event)
        case EventKind.MENU:
            return _menu(scene, state, event)
        case EventKind.KEY:
            return _key(context, scene, state, event)
    return state, ()


def _kept(scene: Scene, shown: Part) -> Part | None:
    """Rows that can be shown; None = all."""
    whole = float(max(scene.length, 1))
    long = min(max(shown[1] - shown[0], min(_LEAST_ROWS, whole)), whole)
    middle = (shown[0] + shown[1]) / 2
    low = min(max(middle - long / 2 if long != shown[1] - shown[0] else shown[0], 0.0), whole - long)
    return None if long >= whole else (low, low + long)


def _hover(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> ExtraVisState:
    if event.hit.layer in _ON_BOXES:
        return pointed(state, "box", event.hit.item)
    if event.hit.layer in _ON_CURVES:
        return pointed(state, "pair", event.hit.item)
    if event.hit.layer == GROUND:
        number, row = call_under(context, state, scene, (event.px, event.py), event.size)
        if row >= 0:
            return pointed(state, "pair", int(scene.lanes[number].identity[row]), number, row)
    return pointed(state)


def look_at(context: ViewContext, scene: Scene, state: ExtraVisState, part: tuple[int, int] | None) -> Answer:
    """Look at some rows; the other views are told the window of their calls (EX-4)."""
    if part is None or part[1] - part[0] >= scene.length:
        return replace(state, part=None, told=None), (SetFocus(replace(context.focus, window=None)),)
    for number, lane in enumerate(scene.lanes):
        first, last = lane.places(*part)
        if last > first:
            start = scene.columns.prepared[number].sequence.start
            told = int(start[first]), int(start[last - 1])
            focus = replace(context.focus, window=told, trace=scene.columns.prepared[number].number)
            return replace(state, part=part, told=told), (SetFocus(focus),)
    return state, ()


def _dragged(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent, start: ViewEvent) -> Answer:
    if start.pane == WHOLE:
        low, high = sorted((start.y, _row_of(event, start, scene)))
        return replace(state, shown=_kept(scene, (low, max(high, low + _LEAST_ROWS)))), ()
    if start.pane != ROWS:
        return state, ()
    low, high = sorted((start.y, _row_of(event, start, scene, shown_rows(context, state, scene))))
    rows = int(max(low, 0.0)), min(int(np.ceil(high)), scene.length)
    if rows[1] <= rows[0]:
        return state, ()
    return look_at(context, scene, replace(pointed(state), dragging=event.kind is EventKind.DRAG), rows)


def _row_of(event: ViewEvent, start: ViewEvent, scene: Scene, shown: Part | None = None) -> float:
    """The row at the pointer, also where it has left the pane in which it began."""
    if event.pane == start.pane:
        return event.y
    low, high = shown or (0.0, float(scene.length))
    return low if event.py < start.py else high


def _clicked(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> Answer:
    layer, item = event.hit.layer, event.hit.item
    if layer == OVERVIEW:
        low, high = shown_rows(context, state, scene)
        half = (high - low) / 2
        return replace(state, shown=_kept(scene, (event.y - half, event.y + half))), ()
    if layer == FOUND:
        return to_similar(context, scene, state, item)
    if layer in _ON_BOXES and 0 <= item < len(scene.icicle.key):
        key = int(scene.icicle.key[item])
        return replace(state, pair=-1), ((SelectNodes((key,)),) if key >= 0 else ())
    if layer in _ON_CURVES:
        return replace(state, pair=item), ()
    if layer == GROUND:
        number, row = call_under(context, state, scene, (event.px, event.py), event.size)
        if row >= 0:
            return _selected(context, scene, state, number, row)
    return cleared(context, state)


def _selected(context: ViewContext, scene: Scene, state: ExtraVisState, number: int, row: int) -> Answer:
    call = call_of_row(scene, number, row)
    _, callee = scene.columns.prepared[number].functions(scene.lanes[number].at(row))
    trace = scene.columns.prepared[number].number
    focus = replace(context.focus, trace=trace, calls=(call,), function=callee)
    new = replace(state, pair=int(scene.lanes[number].identity[row]))
    return new, (SetFocus(focus), SelectNodes(context.nodes(callee, trace)))


def cleared(context: ViewContext, state: ExtraVisState) -> Answer:
    """Nothing is selected."""
    if state.pair < 0 and context.focus.function == NO_FUNCTION and not context.selected:
        return state, ()
    left = replace(context.focus, calls=(), function=NO_FUNCTION)
    return replace(state, pair=-1), (SetFocus(left), SelectNodes(()))


def _doubled(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> Answer:
    """A container opens or closes; rows show the part that is looked at, and then all again."""
    if event.hit.layer in _ON_BOXES:
        return toggled(context, scene, state, event.hit.item)
    if event.pane in {ROWS, WHOLE}:
        return zoomed_to_part(context, scene, state), ()
    if event.part == "bundle" and event.hit.layer not in _ON_CURVES:
        return look_at(context, scene, state, None)
    return state, ()


def toggled(context: ViewContext, scene: Scene, state: ExtraVisState, box: int) -> Answer:
    """Open a container that is closed, close one that is open."""
    shown = scene.icicle
    if not 0 <= box < len(shown.key) or shown.key[box] < 0:
        return state, ()
    if shown.own[box]:
        box = int(shown.parent[box])
    if box < 0:
        return state, ()
    if not shown.closed[box] and shown.last[box] - shown.first[box] == 1 and box in shown.column:
        box = int(shown.parent[box])  # a column that holds nothing: what is around it
    if box < 0:
        return state, ()
    name = context.graph.ids[int(shown.key[box])]
    left = tuple(each for each in state.toggled if each != name)
    names = left if len(left) < len(state.toggled) else (*left, name)
    return pointed(replace(state, toggled=names, pair=-1)), ()


def zoomed_to_part(context: ViewContext, scene: Scene, state: ExtraVisState) -> ExtraVisState:
    """Show the part that is looked at; all rows, if that is shown already."""
    low, high = part_in(context, state, scene)
    part = _kept(scene, (float(low), float(high))) if high > low else None
    return replace(state, shown=None if part is None or part == state.shown else part)


def _menu(scene: Scene, state: ExtraVisState, event: ViewEvent) -> Answer:
    if event.hit.layer in _ON_BOXES:
        closed = 0 <= event.hit.item < len(scene.icicle.key) and scene.icicle.closed[event.hit.item]
        number = event.hit.item
        toggle = f"toggle={number}", "Open" if closed else "Close"
        return state, (Menu((toggle, (f"source={number}", "Show source"))),)
    others = (
        ("m", "Mark this part and find parts like it"),
        ("z", "Zoom to the part, or show all"),
        ("a", "Look at all calls"),
        ("s", "Show source of the callee"),
        ("Escape", "Remove mark and selection"),
    )
    return state, (Menu(others),)


def _key(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> Answer:
    name, _, number = event.key.partition("=")
    match name:
        case "toggle" if number.lstrip("-").isdigit():
            return toggled(context, scene, state, int(number))
        case "source" if number.lstrip("-").isdigit():
            return state, _source_of_box(scene, int(number))
        case "m":
            low, high = part_in(context, state, scene)
            if high - low >= scene.length or high <= low:
                return state, (Say("Drag over the rows to look for first."),)
            return replace(state, mark=(low, high)), ()
        case "z" | "f":
            return zoomed_to_part(context, scene, state), ()
        case "a":
            return look_at(context, scene, replace(state, shown=None), None)
        case "n" | "p":
            return _next_similar(context, scene, state, 1 if name == "n" else -1)
        case "s":
            return state, _source(context, scene, state, event)
        case "Escape":
            if state.mark is not None:
                return replace(state, mark=None), ()
            if state.pair >= 0 or context.selected:
                return cleared(context, state)
            if state.part is not None or context.focus.window is not None:
                return look_at(context, scene, state, None)
    return state, ()


def _source_of_box(scene: Scene, box: int) -> tuple[Request, ...]:
    known = 0 <= box < len(scene.icicle.key) and scene.icicle.key[box] >= 0
    return (OpenSource(int(scene.icicle.key[box])),) if known else (Say("This code is not open."),)


def _source(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> tuple[Request, ...]:
    """Of the box, or of the callee of the call or curve under the pointer, or of the selected call."""
    if event.hit.layer in _ON_BOXES:
        return _source_of_box(scene, event.hit.item)
    if 0 <= state.row < scene.length and state.lane < len(scene.lanes):
        place, prepared = scene.lanes[state.lane].at(state.row), scene.columns.prepared[state.lane]
        if place >= 0 and prepared.number == 0:
            return (context.source(prepared.functions(place)[1]),)
    one = state.at if state.kind == "pair" else state.pair
    if 0 <= one < len(scene.pairs):
        return _source_of_box(scene, int(scene.icicle.column[int(scene.pairs.callee[one])]))
    if context.focus.function != NO_FUNCTION and context.focus.trace == 0:
        return (context.source(context.focus.function),)
    return (Say("Point at a call, a curve or a box to see its source."),)


def to_similar(context: ViewContext, scene: Scene, state: ExtraVisState, item: int) -> Answer:
    """Look at a part that was found; the rows are moved so that it is seen."""
    similar = similar_in(context, state)
    if similar is None or similar.found is None or not 0 <= item < len(similar.found):
        return state, ()
    rows = int(similar.found.low[item]), int(similar.found.high[item])
    shown = shown_rows(context, state, scene)
    if not shown[0] <= rows[0] < rows[1] <= shown[1]:
        long = max(shown[1] - shown[0], 1.5 * (rows[1] - rows[0]))
        middle = (rows[0] + rows[1]) / 2
        state = replace(state, shown=_kept(scene, (middle - long / 2, middle + long / 2)))
    return look_at(context, scene, state, rows)


def _next_similar(context: ViewContext, scene: Scene, state: ExtraVisState, by: int) -> Answer:
    similar = similar_in(context, state)
    if state.mark is None and scene.alignment is not None:
        return _next_difference(scene, state, by)
    if similar is None or similar.found is None:
        return state, (Say("Mark a part first: drag over rows, then press M."),)
    low = similar.found.low
    here = part_in(context, state, scene)[0]
    at = int(np.searchsorted(low, here, "right")) if by > 0 else int(np.searchsorted(low, here, "left")) - 1
    return to_similar(context, scene, state, at % len(low))


def _next_difference(scene: Scene, state: ExtraVisState, by: int) -> Answer:
    """Show the next rows, one after the other, that one of both recordings has alone."""
    assert scene.alignment is not None
    same = np.concatenate(([True], scene.alignment.same, [True]))
    first = np.flatnonzero(same[:-1] & ~same[1:])
    last = np.flatnonzero(~same[:-1] & same[1:])
    if not len(first):
        return state, (Say("Both recordings have the same calls in the same order."),)
    at = state.difference + by if 0 <= state.difference < len(first) else 0 if by > 0 else -1
    at %= len(first)
    begin, end = int(first[at]), int(last[at])
    around = max(end - begin, _AROUND)
    here = _kept(scene, (begin - float(around), end + float(around)))
    counts = [int((each[begin:end] != GAP).sum()) for each in (scene.alignment.a, scene.alignment.b)]
    said = " and ".join(
        f"{count:,} call{'' if count == 1 else 's'} of {name} alone"
        for name, count in zip("AB", counts, strict=True)
        if count
    )
    found = replace(state, shown=here, difference=at)
    return found, (Say(f"Difference {at + 1:,} of {len(first):,}: {said}."),)


def _row(context: ViewContext, scene: Scene, state: ExtraVisState, event: ViewEvent) -> Answer:
    """A row of a table: a pair is selected, or its source opened; a similar part is looked at."""
    item = event.hit.item
    if event.kind not in {EventKind.ROW, EventKind.OPEN} or item < 0:
        return state, ()
    if event.part == "similar":
        return to_similar(context, scene, state, item)
    if item >= len(scene.pairs):
        return state, ()
    if event.kind is EventKind.OPEN:
        return state, _source_of_box(scene, int(scene.icicle.column[int(scene.pairs.callee[item])]))
    return replace(state, pair=item), ()
