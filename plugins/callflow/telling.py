"""Tooltips: what runs spend in a module, who is in a bin, what flows from one to another."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Hit, ViewContext, box_statistics, function_title

from . import box_plots, icicle, parallel, run_map, scatter, spreading
from .explaining import order_in
from .figures import Floats, differences, place_among, signed, written
from .noise import noise_in, side_name, sides_of
from .picture import BACK, BINS, BOXES, FLOWS, LOOPS, spread_in
from .preparing import FlowModel, is_exclusive, model_in, path_of, second_of, target_of
from .run_map import mapped_in
from .scatter import dots_in
from .seen import hierarchy_in, ranks_in, seen_in
from .spreading import measured
from .state import CallFlowState

_MOST = 8  # names


def tell_hit(context: ViewContext, state: CallFlowState, part: str, hit: Hit) -> tuple[str, ...]:
    """Lines on what is under the pointer."""
    model = model_in(context)
    if model is None or hit.item < 0:
        return ()
    if part != "main":
        return _beside(context, state, model, hit)
    if hit.layer in {BOXES, LOOPS} and hit.item < len(model.graph):
        return _module(context, model, hit.item)
    if hit.layer == BINS:
        return _bin(context, model, hit.item)
    is_flow = hit.layer == FLOWS or hit.layer.startswith(BACK)
    return _flow(context, model, hit.item) if is_flow and hit.item < len(model.graph.source) else ()


def _beside(context: ViewContext, state: CallFlowState, model: FlowModel, hit: Hit) -> tuple[str, ...]:
    """In the linked views."""
    match hit.layer:
        case icicle.CALLS:
            return _call(context, state, model, hit.item)
        case box_plots.BOX_ROWS:
            return _row(context, state, model, hit.item)
        case scatter.DOTS:
            return _dot(context, state, model, hit.item)
        case spreading.RUNS if context.values["histogram"] == "sites":
            return _path(context, state, model, hit.item)
        case spreading.RUNS | box_plots.OUTLIERS | run_map.PLACES | parallel.LINES | parallel.CORNERS:
            return _run(context, state, model, hit.item)
    return ()


def _call(context: ViewContext, state: CallFlowState, model: FlowModel, row: int) -> tuple[str, ...]:
    tree = hierarchy_in(context, state, model)
    if row >= len(tree):
        return ()
    values = (tree.exclusive if is_exclusive(context) else tree.inclusive)[:, row]
    own = float(np.nan_to_num(np.fmax.reduce(tree.exclusive[:, row])))
    name = function_title(model.ensemble.functions, int(tree.function[row]))
    every = tree.exclusive if is_exclusive(context) else tree.inclusive
    noise = _noise_line(context, model, every, row)
    return (name, *_runs_lines(context, model, values), *noise, f"most by itself: {written(own, model.ensemble.unit)}")


def _row(context: ViewContext, state: CallFlowState, model: FlowModel, row: int) -> tuple[str, ...]:
    """A row of box plots."""
    seen = seen_in(context, state, model)
    if row >= len(seen):
        return ()
    over_ranks = context.values["over"] == "ranks"
    values = ranks_in(context, model, seen).inclusive if over_ranks else seen.values(is_exclusive(context))
    found, unit = box_statistics(values[:, row : row + 1]), model.ensemble.unit
    low, median, high = (written(float(each), unit) for each in found.quartile[:, 0])
    said = f"median {median}, half of them from {low} to {high}"
    beyond = int(found.is_outlier.sum())
    odd = (f"{beyond:,} beyond 1.5 times that range",) if beyond else ()
    return (seen.name[row], *_runs_lines(context, model, seen.values(is_exclusive(context))[:, row]), said, *odd)


def _dot(context: ViewContext, state: CallFlowState, model: FlowModel, item: int) -> tuple[str, ...]:
    dots = dots_in(context, state, model)
    if isinstance(dots, str) or item >= len(dots.x):
        return ()
    seen, run = seen_in(context, state, model), int(dots.run[item])
    ends = [
        f"{name}: {written(float(value[item]), unit)}"
        for name, value, unit in zip(dots.names, (dots.x, dots.y), dots.units, strict=True)
    ]
    return (seen.name[int(dots.row[item])], model.ensemble.names[run], *ends)


def _path(context: ViewContext, state: CallFlowState, model: FlowModel, site: int) -> tuple[str, ...]:
    """A call path, with its callers."""
    if site >= len(model.ensemble.parent):
        return ()
    ensemble = model.ensemble
    names = [function_title(ensemble.functions, int(ensemble.function[row])) for row in _above(model, site)]
    values = (ensemble.exclusive if is_exclusive(context) else ensemble.inclusive)[:, site]
    called = (f"called from {' → '.join(names[:-1][-_MOST:])}",) if len(names) > 1 else ()
    return (names[-1], *called, *_runs_lines(context, model, values))


def _above(model: FlowModel, site: int) -> list[int]:
    return path_of(CallFlowState(site=site), model)


def _run(context: ViewContext, state: CallFlowState, model: FlowModel, run: int) -> tuple[str, ...]:
    ensemble = model.ensemble
    if run >= len(ensemble):
        return ()
    name, values = measured(context, state, model)
    place, count = place_among(values, run)
    value = written(float(values[run]), ensemble.unit)
    parameters = [f"{key}: {text}" for key, text in list(ensemble.parameters[run].items())[:_MOST]]
    mapped = mapped_in(context)
    groups = None if mapped is None else mapped.groups
    group = () if groups is None or len(groups) < 2 else (f"group {int(groups.group[run]) + 1} on the map",)
    told = f"{name}: {value}, number {place:,} of {count:,} from the most"
    return (ensemble.names[run], told, *group, *parameters)


def _module(context: ViewContext, model: FlowModel, module: int) -> tuple[str, ...]:
    unit = model.ensemble.unit
    every = model.values(is_exclusive(context))
    own = float(np.fmax.reduce(model.graph.exclusive[:, module]))
    told = (*_runs_lines(context, model, every[:, module]), *_noise_line(context, model, every, module))
    lines = (model.graph.name[module], *told, f"most by itself: {written(own, unit)}")
    within = model.graph.within[:, module]
    if np.isnan(within).all():
        return lines
    return (*lines, f"calls itself: at most {written(float(np.nanmax(within)), unit)} in these calls")


def _runs_lines(context: ViewContext, model: FlowModel, values: Floats) -> list[str]:
    """Ends and median over the runs; the target's value, or a difference."""
    unit, names = model.ensemble.unit, model.ensemble.names
    known = values[~np.isnan(values)]
    if not len(known):
        return ["in no run"]
    runs = len(values)
    found = [] if runs == 1 else [f"in {len(known):,} of {runs:,} runs"]
    if len(known) > 1:
        ends = [written(float(each), unit) for each in (known.min(), np.median(known), known.max())]
        found.append(f"{ends[0]} to {ends[2]}, median {ends[1]}")
    else:
        found.append(written(float(known[0]), unit))
    one, other = target_of(context, model), second_of(context, model)
    if context.values["mode"] == "target":
        if np.isnan(values[one]):
            found.append(f"{names[one]}: lacks it")
        else:
            place, count = place_among(values, one)
            value = written(float(values[one]), unit)
            found.append(f"{names[one]}: {value}, number {place:,} of {count:,} from the most")
    if context.values["mode"] == "difference":
        change = float(differences(values[:, None], one, other)[0])
        ends = [written(float(values[each]), unit) for each in (one, other)]
        found += [f"A, {names[one]}: {ends[0]}", f"B, {names[other]}: {ends[1]}", f"B minus A: {signed(change, unit)}"]
    return found


def _noise_line(context: ViewContext, model: FlowModel, values: Floats, row: int) -> tuple[str, ...]:
    """Of a difference: whether repeats differ as much among themselves."""
    if context.values["mode"] != "difference":
        return ()
    noise = noise_in(context, model, values)
    if np.isnan(noise.chance[row]):
        return ("no repeats of both: noise is not known",)
    ordered = order_in(context, model)
    sides = sides_of(ordered, target_of(context, model), second_of(context, model))
    names = " and ".join(side_name(model, ordered, side) for side in sides)
    odd = [
        f"{name} is odd among its repeats" for name, is_odd in zip("AB", noise.is_odd[:, row], strict=True) if is_odd
    ]
    said = (f"{'beyond' if noise.is_beyond[row] else 'within'} the noise of {names}",)
    return tuple(odd) if odd and not noise.is_beyond[row] else (*said, *odd)


def _bin(context: ViewContext, model: FlowModel, item: int) -> tuple[str, ...]:
    spread = spread_in(context, model)
    module, number = divmod(item, spread.count.shape[1])
    if module >= len(model.graph):
        return ()
    low, high = float(spread.low[module]), float(spread.high[module])
    step = (high - low) / spread.count.shape[1]
    unit, runs = model.ensemble.unit, np.flatnonzero(spread.bin[:, module] == number)
    names = ", ".join(model.ensemble.names[run] for run in runs[:_MOST].tolist())
    rest = f" and {len(runs) - _MOST:,} more" if len(runs) > _MOST else ""
    many = "1 run" if len(runs) == 1 else f"{len(runs):,} runs"
    ends = f"{written(low + step * number, unit)} to {written(low + step * (number + 1), unit)}"
    here = f"here {many}: {names}{rest}" if step <= 0 else f"here {many}, {ends}: {names}{rest}"
    return (*_module(context, model, module), here)


def _flow(context: ViewContext, model: FlowModel, flow: int) -> tuple[str, ...]:
    graph = model.graph
    ends = f"{graph.name[int(graph.source[flow])]} → {graph.name[int(graph.target[flow])]}"
    back = ("leads back: it closes a cycle",) if model.layout.back[flow] else ()
    noise = _noise_line(context, model, graph.flow, flow)
    return (ends, *_runs_lines(context, model, graph.flow[:, flow]), *noise, *back)
