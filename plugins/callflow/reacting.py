"""What follows from events: which module, call path and run are selected, what is compared (CF-3, CF-4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import EventKind, Range, Request, Say, SelectNodes, SetValue, ViewContext, ViewEvent, Viewport

from . import box_plots, icicle, parallel, run_map, scatter, spreading
from .frame import whole_of
from .lasso import caught, drawn_on
from .parallel import parallel_marks
from .picture import BINS, BOXES, LOOPS, spread_in
from .preparing import FlowModel, model_in, selected_module, target_of
from .run_map import map_marks, mapped_in
from .scatter import dots_in, scatter_marks
from .seen import hierarchy_in, seen_in
from .splitting import KEYS, UNDO, UNDO_ALL, menu_of, put_together, split_box
from .spreading import spread_marks
from .state import CallFlowState, Lasso
from .tables_of_runs import OF_RUNS, PARTS, part_of

Answer = tuple[CallFlowState, tuple[Request, ...]]
TABLES = {each.name for each in PARTS}
MODES = ("summary", "target", "difference")
_MARKS = {
    spreading.PART: spread_marks,
    scatter.PART: scatter_marks,
    run_map.PART: map_marks,
    parallel.PART: parallel_marks,
}


def react(context: ViewContext, state: CallFlowState, event: ViewEvent) -> Answer:
    """The next state, and what the host is to do."""
    model = model_in(context)
    if model is None:
        return state, ()
    match event.kind:
        case EventKind.RANGE if event.range is not None:
            return _ranged(state, model, event.range, event.part), ()
        case EventKind.CLICK if event.part == "main":
            return _clicked(context, state, model, event)
        case EventKind.MENU if event.part == "main":
            return _menu(context, state, model, event)
        case EventKind.CLICK:
            return _clicked_beside(context, state, model, event)
        case EventKind.DRAG if event.part in _MARKS and event.start is not None:
            return drawn_on(state, event), ()
        case EventKind.DROP if event.part in _MARKS and state.lasso.points:
            marks = _MARKS[event.part](context, state, model, Viewport(*event.size))
            after = caught(state, marks, event)
            return after, (Say(_said(after, model)),)
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


def _said(state: CallFlowState, model: FlowModel) -> str:
    return f"{len(state.runs):,} of {len(model.ensemble):,} runs are selected." if state.runs else "No run is selected."


def _ranged(state: CallFlowState, model: FlowModel, to: Range, part: str) -> CallFlowState:
    """Zoomed or panned; F, which changes x alone, shows all."""
    if part == icicle.PART:
        return replace(state, inside=None if to.x == (0.0, 1.0) else to.x)
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
    """A box is selected, and the code of its module; with Shift the runs of a bin; the ground lets go."""
    if event.hit.layer == BINS and "shift" in event.modifiers:
        return _runs_of_bin(context, state, model, event.hit.item)
    module = _box_at(context, model, event)
    return _opened(context, state, model, module) if module >= 0 else (_released(state), ())


def _runs_of_bin(context: ViewContext, state: CallFlowState, model: FlowModel, item: int) -> Answer:
    """Its runs join those that are selected, or leave them where all are."""
    module, number = divmod(item, int(context.values["bins"]))
    spread = spread_in(context, model)
    if not 0 <= module < len(model.graph):
        return state, ()
    own, before = set(np.flatnonzero(spread.bin[:, module] == number).tolist()), set(state.runs)
    after = replace(state, runs=tuple(sorted(before - own if own <= before else before | own)))
    return after, (Say(_said(after, model)),)


def _box_at(context: ViewContext, model: FlowModel, event: ViewEvent) -> int:
    """The module under the pointer, -1 = none."""
    module = event.hit.item if event.hit.layer in {BOXES, LOOPS} else -1
    if event.hit.layer == BINS:
        module = event.hit.item // int(context.values["bins"])
    return module if 0 <= module < len(model.graph) else -1


def _opened(context: ViewContext, state: CallFlowState, model: FlowModel, module: int) -> Answer:
    """A module is selected, and its code."""
    rows = np.unique(model.ensemble.function[model.graph.of_node == module])
    name = model.graph.name[module]
    inside = state.inside if name == state.module else None
    return replace(state, module=name, site=-1, inside=inside), (SelectNodes(code_of(context, model, rows.tolist())),)


def _menu(context: ViewContext, state: CallFlowState, model: FlowModel, event: ViewEvent) -> Answer:
    """What can be done with the box under the pointer, or with the selected one."""
    module = _box_at(context, model, event)
    requests: tuple[Request, ...] = ()
    if module >= 0 and model.graph.name[module] != state.module:
        state, requests = _opened(context, state, model, module)
    if state.module not in model.graph.name and not state.splits:
        return state, requests
    return state, (*requests, menu_of(state, state.module or "the selected box"))


def _clicked_beside(context: ViewContext, state: CallFlowState, model: FlowModel, event: ViewEvent) -> Answer:
    """In one of the linked views: what is hit is selected; the ground lets go of the selected runs."""
    item, second = event.hit.item, "ctrl" in event.modifiers
    match event.hit.layer:
        case icicle.CALLS:
            tree = hierarchy_in(context, state, model)
            return _revealed(context, state, model, int(tree.site[item])) if item < len(tree) else (state, ())
        case box_plots.BOX_ROWS:
            return _row_clicked(context, state, model, item)
        case box_plots.OUTLIERS | run_map.PLACES | parallel.LINES | parallel.CORNERS:
            return state, _chosen(context, item, second)
        case spreading.RUNS:
            if context.values["histogram"] == "sites":
                return _revealed(context, state, model, item)
            return state, _chosen(context, item, second)
        case scatter.DOTS:
            dots = dots_in(context, state, model)
            if isinstance(dots, str) or item >= len(dots.run):
                return state, ()
            after, requests = _row_clicked(context, state, model, int(dots.row[item]))
            return after, (*requests, *_chosen(context, int(dots.run[item]), second))
    return (replace(state, runs=()) if state.runs and event.part in _MARKS else state), ()


def _row_clicked(context: ViewContext, state: CallFlowState, model: FlowModel, row: int) -> Answer:
    """A module, or a call path of the selected one."""
    seen = seen_in(context, state, model)
    if not 0 <= row < len(seen):
        return state, ()
    site = int(seen.site[row])
    return _opened(context, state, model, row) if site < 0 else _revealed(context, state, model, site)


def _row_of_runs(context: ViewContext, state: CallFlowState, model: FlowModel, event: ViewEvent) -> Answer:
    """A run is chosen; a module is selected, so that its call paths follow; a call path is revealed."""
    if event.part in OF_RUNS:
        return state, _chosen(context, event.hit.item, second=event.kind is EventKind.CHECK)
    module = selected_module(state, model)
    part = part_of(model, event.hit.item, module)
    if module >= 0:
        return _revealed(context, state, model, part)
    return _opened(context, state, model, part)


def _released(state: CallFlowState) -> CallFlowState:
    if not state.module and state.site < 0 and not state.runs:
        return state
    if state.site >= 0 or state.module:
        return replace(state, module="", site=-1, inside=None)
    return replace(state, runs=())


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
        case "e" | "c" | "d":
            return split_box(state, model, KEYS[key])
        case _ if key in {UNDO, UNDO_ALL}:
            return put_together(state, everything=key == UNDO_ALL)
        case "s" | "g":
            return _gathered(context, state, model, group=key == "g")
    return state, ()


def _gathered(context: ViewContext, state: CallFlowState, model: FlowModel, *, group: bool) -> Answer:
    """The target among the selected runs, or out of them; or the runs of its group on the map."""
    target = target_of(context, model)
    if not group:
        after = replace(state, runs=tuple(sorted(set(state.runs) ^ {target})))
        return after, (Say(_said(after, model)),)
    mapped = mapped_in(context)
    if mapped is None or mapped.groups is None:
        return state, (Say("There is no map of the runs yet: open Map."),)
    own = np.flatnonzero(mapped.groups.group == mapped.groups.group[target])
    after = replace(state, runs=tuple(own.tolist()), lasso=Lasso())
    return after, (Say(_said(after, model)),)


def _stepped(context: ViewContext, state: CallFlowState, model: FlowModel, step: int) -> Answer:
    """The next module in the order of the picture: column by column, from above."""
    layout = model.layout
    order = np.lexsort((layout.top, layout.layer)).tolist()
    if not order:
        return state, ()
    here = selected_module(state, model)
    at = order.index(here) + step if here >= 0 else 0 if step > 0 else -1
    return _opened(context, state, model, order[at % len(order)])
