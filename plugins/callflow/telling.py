"""Tooltips: what runs spend in a module, who is in a bin, what flows from one to another."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Hit, ViewContext

from .figures import Floats, differences, place_among, signed, written
from .picture import BACK, BINS, BOXES, FLOWS, LOOPS, is_exclusive, spread_in
from .preparing import FlowModel, model_in, second_of, target_of
from .spreading import RUNS, measured
from .state import CallFlowState

_MOST = 8  # names


def tell_hit(context: ViewContext, state: CallFlowState, part: str, hit: Hit) -> tuple[str, ...]:
    """Lines on what is under the pointer."""
    model = model_in(context)
    if model is None or hit.item < 0:
        return ()
    if part == "spread":
        return _run(context, state, model, hit.item) if hit.layer == RUNS else ()
    if hit.layer in {BOXES, LOOPS} and hit.item < len(model.graph):
        return _module(context, model, hit.item)
    if hit.layer == BINS:
        return _bin(context, model, hit.item)
    is_flow = hit.layer == FLOWS or hit.layer.startswith(BACK)
    return _flow(context, model, hit.item) if is_flow and hit.item < len(model.graph.source) else ()


def _run(context: ViewContext, state: CallFlowState, model: FlowModel, run: int) -> tuple[str, ...]:
    ensemble = model.ensemble
    if run >= len(ensemble):
        return ()
    name, values = measured(context, state, model)
    place, count = place_among(values, run)
    value = written(float(values[run]), ensemble.unit)
    parameters = [f"{key}: {text}" for key, text in list(ensemble.parameters[run].items())[:_MOST]]
    return (ensemble.names[run], f"{name}: {value}, number {place:,} of {count:,} from the most", *parameters)


def _module(context: ViewContext, model: FlowModel, module: int) -> tuple[str, ...]:
    unit = model.ensemble.unit
    values = model.values(is_exclusive(context))[:, module]
    own = float(np.fmax.reduce(model.graph.exclusive[:, module]))
    lines = (model.graph.name[module], *_runs_lines(context, model, values), f"most by itself: {written(own, unit)}")
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
    return (ends, *_runs_lines(context, model, graph.flow[:, flow]), *back)
