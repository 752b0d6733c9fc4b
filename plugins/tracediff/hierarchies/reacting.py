"""What follows from events over two hierarchies: windows, folding, what is pointed at and chosen."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.api import NO_CALL, EventKind, OpenSource, Request, Say, SelectNodes, ViewContext, ViewEvent, Viewport

from ..arranging import PANES
from ..reacting import folded, with_window
from ..state import LOWER, UPPER, TraceDiffState
from .changed import changed_keys, kind_of
from .designs import Designs, designs_in
from .picture import WORDS, planes_of, window_of

Answer = tuple[TraceDiffState, tuple[Request, ...]]
_AROUND = 0.08  # of a node's width: room at both of its sides after a zoom


def react(context: ViewContext, state: TraceDiffState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    designs = designs_in(context)
    if designs is None:
        return state, ()
    state = _fitting(designs, state)
    if event.part == "changes":
        return _in_table(context, state, event, designs)
    side = PANES.index(event.pane) if event.pane in PANES else -1
    row = event.hit.item if event.hit.layer.startswith("bars ") else NO_CALL
    match event.kind:
        case EventKind.HOVER | EventKind.LEAVE:
            return _hovered(state, event, designs, side, row), ()
        case EventKind.RANGE if event.range is not None and side >= 0:
            return with_window(state, side, event.range.x), ()
        case EventKind.CLICK:
            return _clicked(context, state, event, designs, side, row)
        case EventKind.DOUBLE if row >= 0:
            return zoomed(state, designs, int(designs.nodes[side].key[row])), ()
        case EventKind.PRESS if side >= 0:
            return replace(state, pressed=(state.upper[side], state.lower[side], 0.0, 0.0)), ()
        case EventKind.DRAG | EventKind.DROP if event.start is not None and event.start.pane in PANES:
            planes = planes_of(context, state, designs, Viewport(*event.start.size))
            return folded(state, event, event.start, max(planes[PANES.index(event.start.pane)].deepest, 1)), ()
        case EventKind.KEY:
            return _key(context, state, event, designs)
    return state, ()


def _fitting(designs: Designs, state: TraceDiffState) -> TraceDiffState:
    """The state without rows that the hierarchies do not have (any more)."""
    if state.call >= 0 and (state.side < 0 or state.call >= len(designs.nodes[state.side])):
        state = replace(state, side=-1, call=NO_CALL, match=-1)
    if state.chosen is not None and state.chosen[1] >= len(designs.nodes[state.chosen[0]]):
        state = replace(state, chosen=None)
    return state if state.match < len(designs.known) else replace(state, match=-1)


def _hovered(state: TraceDiffState, event: ViewEvent, designs: Designs, side: int, row: int) -> TraceDiffState:
    match = -1
    if event.hit.layer.startswith("tubes"):
        match = event.hit.item
    elif row >= 0 and side >= 0:
        own = designs.known.of_row(side, row)
        match = int(own[0]) if len(own) else -1
    call = row if side >= 0 else NO_CALL
    if (state.side, state.call, state.match) == (side, call, match):
        return state
    return replace(state, side=side, call=call, match=match)


def _clicked(
    context: ViewContext, state: TraceDiffState, event: ViewEvent, designs: Designs, side: int, row: int
) -> Answer:
    """A node is selected in all views, and the same node of the other hierarchy brought below it."""
    if event.hit.layer.startswith("tubes"):
        side, row = LOWER, int(designs.known.rows[event.hit.item, LOWER])
    if row < 0 or side < 0:
        return (state if state.chosen is None else replace(state, chosen=None)), ()
    key = int(designs.nodes[side].key[row])
    state = replace(state, chosen=(side, row))
    partner = designs.partner(side, row)
    if partner >= 0 and not event.hit.layer.startswith("tubes"):
        low, high = window_of(state, designs, side)
        by = float(designs.trees[1 - side].start[partner] - designs.trees[side].start[row])
        state = with_window(with_window(state, side, (low, high)), 1 - side, (low + by, high + by))
    return state, (*_selecting(context, designs, key), *_saying(designs, key))


def _selecting(context: ViewContext, designs: Designs, key: int) -> tuple[Request, ...]:
    return (SelectNodes((key,)),) if designs.nodes[LOWER].row[key] >= 0 and not context.inputs else ()


def _saying(designs: Designs, key: int) -> tuple[Request, ...]:
    kind = kind_of(designs, key)
    name = designs.graphs[LOWER if designs.nodes[LOWER].row[key] >= 0 else UPPER].names[key]
    return (Say(f"{name}: {WORDS[kind]}."),) if kind in WORDS else ()


def zoomed(state: TraceDiffState, designs: Designs, key: int) -> TraceDiffState:
    """Both windows go to a node; where one hierarchy lacks it, that window stays."""
    for side in (UPPER, LOWER):
        row, tree = int(designs.nodes[side].row[key]), designs.trees[side]
        if row >= 0:
            begin, end = float(tree.start[row]), float(tree.end[row])
            room = max((end - begin) * _AROUND, 1.0)
            state = with_window(state, side, (begin - room, end + room))
    return state


def _chosen(context: ViewContext, state: TraceDiffState, designs: Designs, key: int) -> Answer:
    side = LOWER if designs.nodes[LOWER].row[key] >= 0 else UPPER
    state = replace(zoomed(state, designs, key), chosen=(side, int(designs.nodes[side].row[key])))
    return state, (*_selecting(context, designs, key), *_saying(designs, key))


def _key(context: ViewContext, state: TraceDiffState, event: ViewEvent, designs: Designs) -> Answer:
    chosen = -1 if state.chosen is None else int(designs.nodes[state.chosen[0]].key[state.chosen[1]])
    match event.key:
        case "A":
            return replace(state, windows=(None, None)), (Say("Both are shown whole, in one scale."),)
        case "n" | "p":
            keys = context.memo(changed_keys, designs).tolist()
            if not keys:
                return state, (Say("Both hierarchies are the same."),)
            step = 1 if event.key == "n" else -1
            at = keys.index(chosen) + step if chosen in keys else 0 if step > 0 else -1
            return _chosen(context, state, designs, keys[at % len(keys)])
        case "s" if chosen >= 0 and designs.nodes[LOWER].row[chosen] >= 0:
            return state, (OpenSource(chosen),)
        case "Enter" if chosen >= 0:
            return zoomed(state, designs, chosen), ()
        case "Escape" if state.chosen is not None:
            return replace(state, chosen=None), ()
    return state, ()


def _in_table(context: ViewContext, state: TraceDiffState, event: ViewEvent, designs: Designs) -> Answer:
    key = event.hit.item
    if not 0 <= key < len(designs.nodes[LOWER].row) or event.kind not in {EventKind.ROW, EventKind.OPEN}:
        return state, ()
    if event.kind is EventKind.OPEN:
        return state, (OpenSource(key),) if designs.nodes[LOWER].row[key] >= 0 else ()
    return _chosen(context, state, designs, key)
