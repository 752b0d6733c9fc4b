"""Tables: the runs with their parameters, and the call paths of a module (CF-3)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Ensemble, ViewColumn, ViewContext, ViewTable, function_title

from .figures import Floats, differences, scaled
from .picture import WAITING
from .preparing import (
    FlowModel,
    fault_in,
    highest,
    is_exclusive,
    model_in,
    path_of,
    second_of,
    selected_module,
    target_of,
)
from .seen import chosen_in
from .spreading import measured
from .state import CallFlowState
from .tables_of_runs import PARTS, draw_table_of_runs

_NONE = np.empty(0, np.int32)
_MOST_ROWS = 10_000
_MOST_PARAMETERS = 12


def draw_table(context: ViewContext, state: CallFlowState, part: str) -> ViewTable:
    """One of the tables."""
    model = model_in(context)
    if model is None:
        return ViewTable((), _NONE, empty=fault_in(context) or WAITING)
    if part in {each.name for each in PARTS}:
        return draw_table_of_runs(context, state, model, part)
    return _runs(context, state, model) if part == "runs" else _sites(context, state, model)


def _runs(context: ViewContext, state: CallFlowState, model: FlowModel) -> ViewTable:
    ensemble = model.ensemble
    name, values = measured(context, state, model)
    amounts, unit = scaled(values, ensemble.unit)
    number = np.arange(len(ensemble), dtype=np.int32)
    second = frozenset({second_of(context, model)}) if context.values["mode"] == "difference" else frozenset[int]()
    columns = (
        ViewColumn("No.", number.astype(np.int64) + 1),
        ViewColumn("Run", ensemble.names, kind="text"),
        ViewColumn(name, amounts, unit, "bar", help="Mean over ranks; of the selected module, or of all"),
        *_chosen(state, model),
        *context.memo(_parameters, ensemble),
    )
    return ViewTable(columns, number, selected=frozenset({target_of(context, model)}), marked=second)


def _chosen(state: CallFlowState, model: FlowModel) -> tuple[ViewColumn, ...]:
    """Which runs are selected, if any are: sorted by it, they stand together."""
    chosen = chosen_in(state, model)
    if not chosen.any():
        return ()
    return (ViewColumn("Selected", ["yes" if each else "" for each in chosen.tolist()], kind="text"),)


def _parameters(ensemble: Ensemble) -> tuple[ViewColumn, ...]:
    """What the runs were run with, as far as they differ in it."""
    found = list[ViewColumn]()
    for name in dict.fromkeys(name for each in ensemble.parameters for name in each):
        texts = [each.get(name, "") for each in ensemble.parameters]
        if len(set(texts)) < 2 and len(texts) > 1:
            continue
        numbers = [_number(text) for text in texts]
        if any(number is None for number in numbers):
            found.append(ViewColumn(name, texts, kind="text"))
        else:
            found.append(ViewColumn(name, np.array(numbers, np.float64)))
    return tuple(found[:_MOST_PARAMETERS])


def _number(text: str) -> float | None:
    """A text as a number; NaN for an empty one, None for another text."""
    try:
        return float(text) if text else float("nan")
    except ValueError:
        return None


def _sites(context: ViewContext, state: CallFlowState, model: FlowModel) -> ViewTable:
    """The call paths of the selected module, or all, those that take most first."""
    module, exclusive = selected_module(state, model), is_exclusive(context)
    rows, left = context.memo(_rows, model, module, exclusive)
    if not len(rows):
        return ViewTable((), _NONE, empty="There is no call path.")
    values = model.ensemble.exclusive if exclusive else model.ensemble.inclusive
    one, other = target_of(context, model), second_of(context, model)
    target, unit = scaled(values[one, rows], model.ensemble.unit)
    change, change_unit = scaled(differences(values, one, other)[rows], model.ensemble.unit)
    names = model.ensemble.names
    columns = (
        *context.memo(_fixed, model, module, exclusive),
        ViewColumn("Target", target, unit, help=names[one]),
        ViewColumn("B minus A", change, change_unit, help=f"{names[other]} minus {names[one]}"),
    )
    chosen = frozenset(path_of(state, model)[-1:])
    return ViewTable(columns, rows.astype(np.int32), left, chosen)


def _rows(model: FlowModel, module: int, exclusive: bool) -> tuple[np.ndarray, int]:
    most = np.nan_to_num(highest(model.ensemble.exclusive if exclusive else model.ensemble.inclusive), nan=-np.inf)
    rows = np.arange(len(most)) if module < 0 else np.flatnonzero(model.graph.of_node == module)
    rows = rows[np.argsort(-most[rows], kind="stable")]
    return rows[:_MOST_ROWS], max(len(rows) - _MOST_ROWS, 0)


def _fixed(model: FlowModel, module: int, exclusive: bool) -> tuple[ViewColumn, ...]:
    """What does not depend on the runs that are compared."""
    rows, _ = _rows(model, module, exclusive)
    ensemble = model.ensemble
    values = (ensemble.exclusive if exclusive else ensemble.inclusive)[:, rows]
    known = (~np.isnan(values)).sum(axis=0).astype(np.int64)
    ends = np.stack((np.fmin.reduce(values, axis=0), _medians(values, known), np.fmax.reduce(values, axis=0)))
    (low, middle, high), unit = scaled(ends, ensemble.unit)
    entry = model.graph.entry[rows]
    return (
        ViewColumn("Function", [_title(ensemble, int(row)) for row in rows], kind="text"),
        ViewColumn("Module", [model.graph.name[int(model.graph.of_node[row])] for row in rows], kind="text"),
        ViewColumn("Enters", ["yes" if each else "" for each in entry], kind="text", help="Called from another module"),
        ViewColumn("Called from", [_path(ensemble, int(row)) for row in rows], kind="text"),
        ViewColumn("Runs", known, help="That have it"),
        ViewColumn("Min", low, unit),
        ViewColumn("Median", middle, unit),
        ViewColumn("Max", high, unit, "bar"),
    )


def _medians(values: Floats, known: np.ndarray) -> Floats:
    """float64[n]: over the runs that have a value; NaN = none has."""
    ordered = np.sort(values, axis=0)  # NaN last
    column = np.arange(values.shape[1])
    low, high = np.maximum(known - 1, 0) // 2, known // 2
    found: Floats = (ordered[low, column] + ordered[np.minimum(high, len(values) - 1), column]) / 2
    return found


def _title(ensemble: Ensemble, row: int) -> str:
    return function_title(ensemble.functions, int(ensemble.function[row]))


def _path(ensemble: Ensemble, row: int) -> str:
    """The functions above, outermost first."""
    names = list[str]()
    above = int(ensemble.parent[row])
    while above >= 0 and len(names) < 40:
        names.append(_title(ensemble, above))
        above = int(ensemble.parent[above])
    return ("… → " if above >= 0 else "") + " → ".join(names[::-1])
