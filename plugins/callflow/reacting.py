"""What follows from events: which module, call path and run are selected, what is compared (CF-3, CF-4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import EventKind, Range, Request, Say, SelectNodes, SetValue, ViewContext, ViewEvent

from .frame import whole_of
from .picture import BINS, BOXES, LOOPS
from .preparing import FlowModel, model_in, selected_module, target_of
from .spreading import RUNS
from .state import CallFlowState
from .tables_of_runs import OF_RUNS, PARTS, part_of

Answer = tuple[CallFlowState, tuple[Request, ...]]
TABLES = {each.name for each in PARTS}
MODES = ("summary", "target", "difference")


def react(context: ViewContext, state: CallFlowState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    model = model_in(context)
    if model is None:
        return state, ()
    match event.kind:
        case EventKind.RANGE if event.range is not None:
            return _ranged(state, model, event.range), ()
        case EventKind.CLICK if event.part == "main":
            return _clicked(context, state, model, event)
        case EventKind.CLICK if event.part == "spread" and event.hit.layer == RUNS:
            return state, _chosen(context, event.hit.item, second="ctrl" in event.modifiers)
        case EventKind.ROW | EventKind.OPEN if event.part == "runs" and event.hit.item >= 0:
            return state, _chosen(context, event.hit.item)
        case EventKind.CHECK if event.part == "runs" and event.hit.item >= 0:
            return state, _chosen(context, event.hit.item, second=True)
        case EventKind.ROW | EventKind.OPEN if event.part == "sites" and event.hit.item >= 0:
            return _revealed(context, state, model, event.hit.item)
        case EventKind.ROW | EventKind.OPEN | EventKind.CHECK if event.part in TABLES and event.hit.item >= 0:
            return _row_of_runs(context, state, model, event)
        case EventKind.KEY:
            return _key(context, state, model, event.key)
    return state, ()


def _ranged(state: CallFlowState, model: FlowModel, to: Range) -> CallFlowState:
    """Zoomed or panned; F, which changes x alone, shows all."""
    x, y = whole_of(model)
    if not to.moving and np.allclose(to.x, x) and np.allclose(to.y, state.y or y):
        return replace(state, x=None, y=None)
    return replace(state, x=to.x, y=to.y)


def _chosen(context: ViewContext, run: int, second: bool = False) -> tuple[Request, ...]:
    """A run as the target, or as the second one; the picture then shows it."""
    mode = str(context.values["mode"])
    wanted = "difference" if second else "target" if mode == "summary" else mode
    requests: tuple[Request, ...] = (SetValue("second" if second else "target", run + 1),)
    return requests if wanted == mode else (*requests, SetValue("mode", wanted))


def _clicked(context: ViewContext, state: CallFlowState, model: FlowModel, event: ViewEvent) -> Answer:
    """A box is selected, and the code of its module; the ground lets go."""
    module = event.hit.item if event.hit.layer in {BOXES, LOOPS} else -1
    if event.hit.layer == BINS:
        module = event.hit.item // int(context.values["bins"])
    if 0 <= module < len(model.graph):
        rows = np.unique(model.ensemble.function[model.graph.of_node == module])
        return replace(state, module=model.graph.name[module], site=-1), (
            SelectNodes(code_of(context, model, rows.tolist())),
        )
    return _released(state), ()


def _row_of_runs(context: ViewContext, state: CallFlowState, model: FlowModel, event: ViewEvent) -> Answer:
    """A run is chosen; a module is selected, so that its call paths follow; a call path is revealed."""
    if event.part in OF_RUNS:
        return state, _chosen(context, event.hit.item, second=event.kind is EventKind.CHECK)
    module = selected_module(state, model)
    part = part_of(model, event.hit.item, module)
    if module >= 0:
        return _revealed(context, state, model, part)
    rows = np.unique(model.ensemble.function[model.graph.of_node == part])
    return replace(state, module=model.graph.name[part], site=-1), (
        SelectNodes(code_of(context, model, rows.tolist())),
    )


def _released(state: CallFlowState) -> CallFlowState:
    return state if not state.module and state.site < 0 else replace(state, module="", site=-1)


def code_of(context: ViewContext, model: FlowModel, rows: list[int]) -> tuple[int, ...]:
    """Keys of the nodes of functions of the ensemble, as far as some input knows them."""
    own = model.ensemble.functions
    wanted = {(own.name[row], own.module[row], own.file[row]) for row in rows}
    found = set[int]()
    for number, part in enumerate(context.inputs):
        functions = getattr(part, "functions", None)
        if functions is None or not wanted:
            continue
        for row, key in enumerate(zip(functions.name, functions.module, functions.file, strict=True)):
            if key in wanted and (nodes := context.nodes(row, number)):
                found.update(nodes)
                wanted.discard(key)
    return tuple(sorted(found))


def _revealed(context: ViewContext, state: CallFlowState, model: FlowModel, site: int) -> Answer:
    """A call path: its modules light up."""
    if site >= len(model.ensemble.parent):
        return state, ()
    nodes = code_of(context, model, [int(model.ensemble.function[site])])
    return replace(state, site=site), (SelectNodes(nodes),) if nodes else ()


def _key(context: ViewContext, state: CallFlowState, model: FlowModel, key: str) -> Answer:
    runs, mode = len(model.ensemble), str(context.values["mode"])
    match key:
        case "m" | "M":
            return state, (SetValue("mode", MODES[(MODES.index(mode) + 1) % len(MODES)]),)
        case "[" | "]" if runs == 1:
            return state, (Say("There is only one run."),)
        case "[" | "]":
            return state, _chosen(context, (target_of(context, model) + (1 if key == "]" else -1)) % runs)
        case "Escape" | "0":
            return _released(state), ()
        case "n" | "p":
            return _stepped(context, state, model, 1 if key == "n" else -1)
    return state, ()


def _stepped(context: ViewContext, state: CallFlowState, model: FlowModel, step: int) -> Answer:
    """The next module in the order of the picture: column by column, from above."""
    layout = model.layout
    order = np.lexsort((layout.top, layout.layer)).tolist()
    if not order:
        return state, ()
    here = selected_module(state, model)
    at = order.index(here) + step if here >= 0 else 0 if step > 0 else -1
    module = order[at % len(order)]
    rows = np.unique(model.ensemble.function[model.graph.of_node == module])
    return replace(state, module=model.graph.name[module], site=-1), (
        SelectNodes(code_of(context, model, rows.tolist())),
    )
