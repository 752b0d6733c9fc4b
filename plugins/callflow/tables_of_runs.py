"""Tables that say why runs differ: effects, differences beside noise, the trend, alike runs (CF-6 to CF-8)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    FEWEST_ODD,
    FEWEST_POSITIONS,
    FEWEST_RUNS,
    RunDifferences,
    RunEffect,
    ViewColumn,
    ViewContext,
    ViewPart,
    ViewTable,
    function_title,
    run_differences,
)

from .explaining import (
    AlikeRuns,
    ExplainedRuns,
    FollowedRuns,
    OrderedRuns,
    alike_in,
    explained_in,
    followed_in,
    order_in,
)
from .figures import Floats, scaled, written
from .noise import BesideNoise, beside_noise, side_name, sides_of
from .preparing import FlowModel, second_of, selected_module, target_of
from .state import CallFlowState

Ints = npt.NDArray[np.int64]
WHY, NOISE, TREND, ALIKE = "why", "noise", "trend", "alike"
OF_RUNS = {TREND, ALIKE}  # whose rows are runs; the others' are modules, or call paths of the selected one
PARTS = (
    ViewPart(WHY, "table", title="Why"),
    ViewPart(NOISE, "table", title="Beyond noise"),
    ViewPart(TREND, "table", title="Order"),
    ViewPart(ALIKE, "table", title="Alike runs"),
)
_NONE = np.empty(0, np.int32)
_MOST_ROWS = 10_000
CHANCE, BEYOND = "may be chance", "beyond chance"
WITHIN, OUTSIDE, UNKNOWN = "within the noise", "beyond the noise", "no repeats to tell"


def draw_table_of_runs(context: ViewContext, state: CallFlowState, model: FlowModel, part: str) -> ViewTable:
    """One of the tables."""
    if part == WHY:
        explained = explained_in(context, model)
        if explained is None:
            return ViewTable((), _NONE, empty="Testing parameters …")
        return context.memo(why_table, model, explained, selected_module(state, model))
    ordered = order_in(context, model)
    if part == NOISE:
        one, other = target_of(context, model), second_of(context, model)
        return context.memo(noise_table, model, ordered, one, other, selected_module(state, model))
    target, second = target_of(context, model), second_of(context, model)
    marked = frozenset({second}) if context.values["mode"] == "difference" else frozenset[int]()
    if part == TREND:
        followed = followed_in(context, state, model)
        if followed is None:
            return ViewTable((), _NONE, empty="Looking for steps …")
        columns, items = context.memo(_order, model, followed)
        first = {item: int(ordered.position[item]) for item in items.tolist()}
        chosen, ticked = (
            frozenset(item for item, at in first.items() if at in set(ordered.position[list(runs)].tolist()))
            for runs in (frozenset({target}), marked)
        )
        return ViewTable(columns, items, selected=chosen, marked=ticked)
    alike = alike_in(context, model)
    if alike is None or alike.found is None:
        return ViewTable((), _NONE, empty="Comparing runs …" if alike is None else alike.fault)
    columns, items = context.memo(_alike, model, alike)
    return ViewTable(columns, items, selected=frozenset({target}), marked=marked)


def why_table(model: FlowModel, explained: ExplainedRuns, module: int) -> ViewTable:
    """Parts and the parameters that explain them, the strongest first; grey what chance alone may do.

    Parts are modules by themselves, or the call paths of the selected module (-1 = none).
    """
    if not explained.parameters:
        return ViewTable((), _NONE, empty="No parameter differs among the runs, other than names of single runs.")
    if len(model.ensemble) < FEWEST_RUNS:
        return ViewTable((), _NONE, empty=f"{FEWEST_RUNS} runs are needed to tell what explains them.")
    found: Sequence[RunEffect] = explained.modules
    if module >= 0:
        inside = model.graph.of_node == module
        found = [each for each in explained.sites if inside[each.part]]
    more, found = max(len(found) - _MOST_ROWS, 0), found[:_MOST_ROWS]
    if not found:
        return ViewTable((), _NONE, empty="The runs do not differ here.")
    ends = np.array([(each.least, each.most) for each in found], np.float64)
    (least, most), unit = _both(ends, model.ensemble.unit)
    parameters = explained.parameters
    real = [each.is_found for each in found]
    part = np.array([each.part for each in found], np.int64)
    # A part may be in several rows, one for each parameter: rows that follow the first have items of their own.
    items = _separate(part, _count(model, module))
    return ViewTable(
        (
            *_named(model, part, module),
            ViewColumn("Parameter", [parameters[each.parameter].name for each in found], kind="text"),
            ViewColumn(
                "Explains", np.round([100 * each.strength for each in found], 1), "%", "bar", "Of the ranks' variance"
            ),
            ViewColumn("Verdict", [BEYOND if each else CHANCE for each in real], kind="text"),
            ViewColumn("Least at", [each.low for each in found], kind="text"),
            ViewColumn("Least", least, unit, help="Median there, by itself"),
            ViewColumn("Most at", [each.high for each in found], kind="text"),
            ViewColumn("Most", most, unit, help="Median there, by itself"),
            ViewColumn("Chance", np.array([each.chance for each in found]), help="Corrected for all pairs tested"),
            ViewColumn("Also", [", ".join(parameters[each.parameter].also) for each in found], kind="text"),
        ),
        items,
        more,
        faint=frozenset(item for item, each in zip(items.tolist(), real, strict=True) if not each),
    )


def noise_table(model: FlowModel, ordered: OrderedRuns, one: int, other: int, module: int) -> ViewTable:
    """What the repeats of B spend more than those of A, the largest first; grey what is within their noise."""
    sides = sides_of(ordered, one, other)
    if one == other:
        return ViewTable((), _NONE, empty="A and B are one run: tick another one as B.")
    values = model.ensemble.exclusive if module >= 0 else model.graph.exclusive
    found: RunDifferences = run_differences(values[sides[0]], values[sides[1]])
    noise = beside_noise(values, ordered, one, other)
    rows = np.arange(values.shape[1]) if module < 0 else np.flatnonzero(model.graph.of_node == module)
    rows = rows[~(np.isnan(found.first[rows]) & np.isnan(found.second[rows]))]
    rows = rows[np.argsort(-np.abs(found.change[rows]), kind="stable")]
    more, rows = max(len(rows) - _MOST_ROWS, 0), rows[:_MOST_ROWS]
    if not len(rows):
        return ViewTable((), _NONE, empty="Neither run has anything here.")
    amounts, unit = scaled(np.stack((found.first[rows], found.second[rows], found.change[rows])), model.ensemble.unit)
    chance, names = found.chance[rows], [side_name(model, ordered, side) for side in sides]
    verdicts = [_verdict(noise, row) for row in rows.tolist()]
    items = rows.astype(np.int32)
    return ViewTable(
        (
            *_named(model, rows, module),
            ViewColumn("A", amounts[0], unit, help=f"Mean of {names[0]}, by itself"),
            ViewColumn("B", amounts[1], unit, help=f"Mean of {names[1]}, by itself"),
            ViewColumn("B minus A", amounts[2], unit, help=f"{names[1]} minus {names[0]}"),
            ViewColumn("Verdict", verdicts, kind="text"),
            ViewColumn("Chance", chance, help="That the noise of the repeats gives as much, corrected for all rows"),
        ),
        items,
        more,
        faint=frozenset(item for item, each in zip(items.tolist(), verdicts, strict=True) if each == WITHIN),
    )


def _verdict(noise: BesideNoise, row: int) -> str:
    """In words: of the repeats, and of A and B where one is odd among its own."""
    if math.isnan(noise.chance[row]):
        return UNKNOWN
    odd = [f"odd in {name}" for name, is_odd in zip("AB", noise.is_odd[:, row].tolist(), strict=True) if is_odd]
    return ", ".join((*([OUTSIDE] if noise.is_beyond[row] else []), *odd)) or WITHIN


def _order(model: FlowModel, followed: FollowedRuns) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    """A row for each position, which stands for its first run."""
    unit, ordered, trend = model.ensemble.unit, followed.ordered, followed.trend
    module = model.graph.name[followed.module] if followed.module >= 0 else "Whole run"
    said = [""] * len(ordered.labels)
    for step in trend.steps:
        share = f" ({(step.after - step.before) / step.before:+.1%})" if step.before else ""
        said[step.at] = f"step: {written(step.before, unit)} to {written(step.after, unit)}{share}"
    for each in trend.breaks:
        sure = "" if each.is_found else f", {CHANCE} ({each.chance:.2f})"
        words = f"breaks the trend: {written(each.expected, unit)} expected{sure}"
        said[each.at] = f"{said[each.at]}; {words}" if said[each.at] else words
    if not any(said):
        said[0] = "no step, and nothing breaks the trend"
    if len(ordered.labels) < FEWEST_POSITIONS:
        said[0] = f"{FEWEST_POSITIONS} positions are needed to tell steps"
    if ordered.fault:
        said[0] = f"{ordered.fault} {said[0]}".strip()
    means, scale = scaled(trend.means, unit)
    first = [int((ordered.position == at).argmax()) for at in range(len(ordered.labels))]
    columns = (
        ViewColumn(ordered.along, ordered.labels, kind="text"),
        ViewColumn("Runs", trend.runs.astype(np.int64)),
        ViewColumn(module, means, scale, "bar", help="Mean of the runs here"),
        ViewColumn("What", said, kind="text"),
    )
    return columns, np.array(first, np.int32)


def _alike(model: FlowModel, alike: AlikeRuns) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    """A row for each run, those furthest from all others first."""
    found, names = alike.found, model.ensemble.names
    assert found is not None
    order = np.argsort(-np.nan_to_num(found.alone), kind="stable")
    totals, unit = scaled(model.ensemble.totals[order], model.ensemble.unit)
    few = len(names) < FEWEST_ODD
    odd = [f"{FEWEST_ODD} runs are needed to tell" if few else "odd" if each else "" for each in found.is_odd[order]]
    columns = (
        ViewColumn("Run", [names[run] for run in order.tolist()], kind="text"),
        ViewColumn("Whole run", totals, unit),
        ViewColumn("Most like", [names[run] if run >= 0 else "" for run in found.nearest[order].tolist()], kind="text"),
        ViewColumn("Differs", np.round(100 * found.distance[order], 2), "%", help="Distance of both call trees"),
        ViewColumn("From the nearest", np.round(100 * found.alone[order], 2), "%", "bar", "Median of three distances"),
        ViewColumn("Odd", odd, kind="text", help="Further from all others than these are from each other"),
    )
    return columns, order.astype(np.int32)


def part_of(model: FlowModel, item: int, module: int) -> int:
    """The module, or call path, of a row's item."""
    return item % _count(model, module)


def _count(model: FlowModel, module: int) -> int:
    return max(len(model.graph) if module < 0 else len(model.ensemble.parent), 1)


def _separate(part: Ints, count: int) -> npt.NDArray[np.int32]:
    """int32[n]: the n-th row of a part has the part's number and n times the number of parts."""
    order = np.argsort(part, kind="stable")
    ordered = part[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    earlier = np.empty(len(part), np.int64)
    earlier[order] = np.arange(len(part)) - np.repeat(begins, np.diff(np.append(begins, len(part))))
    return (part + count * earlier).astype(np.int32)


def _named(model: FlowModel, part: Ints, module: int) -> tuple[ViewColumn, ...]:
    """The first columns: what a row is about."""
    ensemble = model.ensemble
    if module < 0:
        return (ViewColumn("Box", [model.graph.name[row] for row in part.tolist()], kind="text"),)
    above = ensemble.parent[part]
    names = [function_title(ensemble.functions, int(row)) for row in ensemble.function[part]]
    callers = [
        function_title(ensemble.functions, int(ensemble.function[row])) if row >= 0 else "" for row in above.tolist()
    ]
    return ViewColumn("Function", names, kind="text"), ViewColumn("Called from", callers, kind="text")


def _both(ends: Floats, unit: str) -> tuple[Floats, str]:
    amounts, scale = scaled(ends.T, unit)
    return amounts, scale
