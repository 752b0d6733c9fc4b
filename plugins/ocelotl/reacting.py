"""What follows from events: which partition, what is selected, where the user looks, jumps to calls and code (OC-6)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cbvtool.api import (
    EventKind,
    OpenView,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    SetValue,
    ViewContext,
    ViewEvent,
    function_title,
)

from .figures import place_of
from .frame import NAMES, PLANE
from .picture import SHAPES
from .preparing import Model, model_in, optima_of, shown, suggested
from .quality import LIST
from .state import Look, OcelotlState, Region, look_of, looked

Answer = tuple[OcelotlState, tuple[Request, ...]]
_SAY_WAIT = Say("All partitions are still being found.")


def react(context: ViewContext, state: OcelotlState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    model = model_in(context)
    if event.kind is EventKind.KEY and event.key in {"b", "B", "u"}:
        return _travelled(context, state, event.key)
    if model is None:
        return state, ()
    if event.part == "quality":
        return _in_list(model, state, event)
    if event.part in {"findings", "resources"}:
        return _in_table(context, state, model, event)
    match event.kind:
        case EventKind.RANGE if event.range is not None:
            return _ranged(context, state, event.range.x, event.range.moving)
        case EventKind.DRAG | EventKind.DROP if event.start is not None and event.start.pane == PLANE:
            return _dragged(context, state, model, event), ()
        case EventKind.CLICK:
            return _clicked(context, state, model, event)
        case EventKind.DOUBLE if event.hit.layer == "resources":
            return _told(context, looked(context, state, _into(model, look_of(context, state), event.hit.item)))
        case EventKind.DOUBLE if event.hit.layer in SHAPES:
            region = _region_of(model, event)
            return _zoomed(context, state, model, region)
        case EventKind.KEY:
            return _key(context, state, model, event)
    return state, ()


def _told(context: ViewContext, state: OcelotlState) -> Answer:
    """Tell the other views the window, and go back to the first picture of what is looked at now."""
    window = state.look.window
    same = window == context.focus.window
    requests: list[Request] = [] if same else [SetFocus(replace(context.focus, window=window))]
    if context.values["step"]:
        requests.append(SetValue("step", 0))
    return replace(state, told=window), tuple(requests)


def _ranged(context: ViewContext, state: OcelotlState, x: tuple[float, float], moving: bool) -> Answer:
    """Wheel, arrow keys and F: while the gesture goes on the picture is stretched, then there are fresh slices."""
    first, last = context.trace().span
    low, high = first + math.floor(x[0]), first + math.ceil(x[1])
    high = max(high, low + 1)
    if moving:
        return replace(state, moving=(low, high)), ()
    window = None if low <= first and high >= last else (low, high)
    return _told(context, looked(context, state, replace(look_of(context, state), window=window)))


def _into(model: Model, look: Look, row: int) -> Look:
    """The look at a resource of the model; its root is what is looked at already."""
    tree = model.cells.tree
    if row <= 0 or row >= len(tree):
        return look
    own = tree.path(row)
    return replace(look, resource=f"{look.resource} / {own}" if look.resource else own)


def _travelled(context: ViewContext, state: OcelotlState, key: str) -> Answer:
    """Back, forward, and up to the resource around."""
    here = look_of(context, state)
    if key == "u":
        return _told(context, looked(context, state, replace(here, resource=here.resource.rpartition(" / ")[0])))
    there = state.past if key == "b" else state.future
    if not there:
        return state, (Say("There is nothing to go back to." if key == "b" else "There is nothing to go forward to."),)
    if key == "b":
        new = replace(state, look=there[-1], past=there[:-1], future=(*state.future, here))
    else:
        new = replace(state, look=there[-1], future=there[:-1], past=(*state.past, here))
    return _told(context, replace(new, selected=None, second=None, moving=None))


def _in_list(model: Model, state: OcelotlState, event: ViewEvent) -> Answer:
    if event.pane != LIST or event.kind not in {EventKind.CLICK, EventKind.DRAG, EventKind.DROP, EventKind.KEY}:
        return state, ()
    if event.kind is EventKind.KEY:
        return state, ()
    if model.every is None:
        return state, (_SAY_WAIT,)
    return state, (SetValue("step", min(max(math.floor(event.x) + 1, 1), len(model.every))),)


def _dragged(context: ViewContext, state: OcelotlState, model: Model, event: ViewEvent) -> OcelotlState:
    """A rectangle of whole slices and leaves; with Ctrl the one that the other is compared with."""
    start = event.start
    assert start is not None
    origin, edges = context.trace().span[0], model.cells.edges
    times = sorted((start.x + origin, event.x + origin))
    first, last = (int(np.searchsorted(edges, time, "right")) - 1 for time in times)
    leaves = sorted((start.y, event.y))
    most = len(model.cells.tree.leaves)
    region = Region(
        min(max(math.floor(leaves[0]), 0), most - 1),
        min(max(math.ceil(leaves[1]), 1), most),
        min(max(first, 0), model.cells.slices - 1),
        min(max(last, 0), model.cells.slices - 1),
    )
    if "ctrl" in start.modifiers or "ctrl" in event.modifiers:
        return replace(state, second=region)
    return replace(state, selected=region)


def _region_of(model: Model, event: ViewEvent) -> Region | None:
    """That of the shape under the pointer."""
    row, first, last = place_of(model.cells.slices, event.hit.item)
    return _of_row(model, row, first, last) if 0 <= row < len(model.cells.tree) else None


def _of_row(model: Model, row: int, first: int, last: int) -> Region:
    tree = model.cells.tree
    return Region(int(tree.first_leaf[row]), int(tree.first_leaf[tree.end[row]]), first, last)


def _clicked(context: ViewContext, state: OcelotlState, model: Model, event: ViewEvent) -> Answer:
    """A shape or a resource is selected, and the code of what it does most."""
    if event.hit.layer == "resources" and event.pane == NAMES:
        region: Region | None = _of_row(model, event.hit.item, 0, model.cells.slices - 1)
    elif event.hit.layer in SHAPES:
        region = _region_of(model, event)
    else:
        return (state, ()) if state.selected is None else (replace(state, selected=None, second=None), ())
    if region is None:
        return state, ()
    if "ctrl" in event.modifiers:
        return replace(state, second=region), ()
    function = function_of(context, model, region)
    nodes = () if function < 0 else context.nodes(function)
    return replace(state, selected=region), (SelectNodes(nodes),)


def region_amounts(model: Model, region: Region) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """float64[x]: of each state in a region."""
    part = model.cells.amount[region.top : region.bottom, region.first : region.last + 1]
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = part.sum(axis=(0, 1))
    return found


def function_of(context: ViewContext, model: Model, region: Region) -> int:
    """The function that runs longest in a region, where states are functions; -1 = none."""
    amounts = region_amounts(model, region)
    if not amounts.any():
        return -1
    name, functions = model.cells.state[int(np.argmax(amounts))], context.trace().functions
    return next((row for row in range(len(functions)) if function_title(functions, row) == name), -1)


def _zoomed(context: ViewContext, state: OcelotlState, model: Model, region: Region | None) -> Answer:
    """The window of a region, and the smallest resource around it, with slices of their own."""
    if region is None:
        return state, ()
    tree, edges = model.cells.tree, model.cells.edges
    row = 0
    while True:
        inner = [
            child
            for child in tree.children(row)
            if tree.first_leaf[child] <= region.top and region.bottom <= tree.first_leaf[tree.end[child]]
        ]
        if not inner:
            break
        row = inner[0]
    look = _into(model, look_of(context, state), row)
    window = int(edges[region.first]), int(edges[region.last + 1])
    if window != model.cells.window:
        look = replace(look, window=window)
    return _told(context, looked(context, state, look))


def _key(context: ViewContext, state: OcelotlState, model: Model, event: ViewEvent) -> Answer:
    region = state.selected
    match event.key:
        case "[" | "]" | "g" | "G" | "0":
            return state, _walked(context, model, event.key)
        case "Enter" if region is not None:
            return _zoomed(context, state, model, region)
        case "Escape" if region is not None or state.second is not None:
            return replace(state, selected=None, second=None), ()
        case "t" if region is not None:
            edges, threads = model.cells.edges, model.cells.thread[region.top : region.bottom]
            window = int(edges[region.first]), int(edges[region.last + 1])
            chosen = frozenset(int(each) for each in threads if each >= 0)
            focus = replace(context.focus, window=window, threads=chosen or None)
            look = replace(look_of(context, state), window=window)
            return replace(looked(context, state, look), told=window), (SetFocus(focus), OpenView("tracevis"))
        case "s" if region is not None:
            function = function_of(context, model, region)
            if function < 0:
                return state, (Say("What is selected there most is no single function."),)
            return state, (context.source(function),)
        case "s" | "t" | "Enter":
            return state, (Say("Select an area first: click it, or drag a rectangle."),)
    return state, ()


def _walked(context: ViewContext, model: Model, key: str) -> tuple[Request, ...]:
    """One partition on in the list, the marked one, or the first picture."""
    if key == "0":
        return (SetValue("step", 0),)
    if model.every is None:
        return (_SAY_WAIT,)
    number, _ = shown(context, model)
    every = optima_of(model)
    if key in {"g", "G"}:
        return (SetValue("step", every.marked + 1),)
    wanted = min(max(number + (1 if key == "]" else -1), 0), len(every) - 1)
    return (SetValue("step", 0 if wanted == suggested(model) else wanted + 1),)


def _in_table(context: ViewContext, state: OcelotlState, model: Model, event: ViewEvent) -> Answer:
    """A row selects its place; opening it looks there, with as much around it."""
    item, cells = event.hit.item, model.cells
    if event.kind not in {EventKind.ROW, EventKind.OPEN} or item < 0:
        return state, ()
    if event.part == "resources":
        if item >= len(cells.tree):
            return state, ()
        if event.kind is EventKind.OPEN:
            return _told(context, looked(context, state, _into(model, look_of(context, state), item)))
        return replace(state, selected=_of_row(model, item, 0, cells.slices - 1)), ()
    if model.findings is None or item >= len(model.findings):
        return state, ()
    found = model.findings[item]
    chosen = replace(state, selected=_of_row(model, found.row, found.first, found.last))
    if event.kind is EventKind.ROW:
        return chosen, ()
    around = (found.last - found.first) // 2 + 1
    first, last = max(found.first - around, 0), min(found.last + around, cells.slices - 1)
    look = replace(look_of(context, state), window=(int(cells.edges[first]), int(cells.edges[last + 1])))
    return _told(context, looked(context, state, look))
