"""What the view needs: the union of the runs, then their modules and where these lie (CF-1, CF-2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Ensemble,
    Functions,
    InputError,
    ModuleGrouping,
    ModuleSplit,
    Need,
    NeedProgress,
    Profile,
    SankeyLayout,
    SuperGraph,
    Trace,
    ViewContext,
    grouping_of,
    runs_of,
    sankey,
    super_graph,
    united,
)

from .flows import FlowPaths, paths_of
from .state import CallFlowState

Floats = npt.NDArray[np.float64]
HEIGHT = 600.0  # of the layout; a canvas stretches it
MOST_FUNCTIONS = 300  # that are boxes where nothing else is known of them


@dataclass(frozen=True, eq=False)
class UnitedRuns:
    """The ensemble, or a sentence that says why there is none."""

    ensemble: Ensemble | None
    fault: str = ""


@dataclass(frozen=True, eq=False)
class FlowModel:
    """What can be drawn.

    paths  of the bands between boxes
    most   float64[g]: the largest inclusive value of each module, which its height is made of
    grouping  of functions, before splits
    note   why boxes are others than was wished; "" = they are as wished
    """

    ensemble: Ensemble
    graph: SuperGraph
    layout: SankeyLayout
    paths: FlowPaths
    most: Floats
    grouping: ModuleGrouping
    note: str = ""

    def values(self, exclusive: bool) -> Floats:
        """float64[r, g]"""
        return self.graph.exclusive if exclusive else self.graph.inclusive


@dataclass(frozen=True, eq=False)
class LaidModules:
    """The model, or a sentence."""

    model: FlowModel | None
    fault: str = ""


def preparing(context: ViewContext, state: CallFlowState) -> tuple[Need, ...]:
    """First the ensemble, then the modules: other modules need no new ensemble, and neither depends on the mode."""
    parts, names = parts_of(context)
    values = context.values
    needs = [Need("runs", "uniting runs", unite, (parts, names, str(values["metric"]).strip()))]
    runs: UnitedRuns | None = context.found.get("runs")
    if runs is not None and runs.ensemble is not None:
        least = int(values["least"])
        asked = (
            runs.ensemble,
            str(values["modules"]),
            str(values["table"]),
            state.splits,
            least,
            is_exclusive(context) and least > 0,
        )
        needs.append(Need("modules", "laying out modules", lay_out, asked))
    return tuple(needs)


def parts_of(context: ViewContext) -> tuple[tuple[Trace | Profile, ...], tuple[str, ...]]:
    """What is open, and what each is called."""
    parts = tuple(part for part in context.inputs if isinstance(part, Trace | Profile))
    return parts, tuple(run_name(part, number, context.names) for number, part in enumerate(parts))


def run_name(part: Trace | Profile, number: int, names: tuple[str, ...]) -> str:
    """Of the file; else of the program."""
    return (names[number] if number < len(names) else "") or part.header.program or f"run {number + 1}"


def unite(
    parts: tuple[Trace | Profile, ...], names: tuple[str, ...], metric: str, *, progress: NeedProgress
) -> UnitedRuns:
    """The ensemble of what is open."""
    try:
        return UnitedRuns(united(runs_of(zip(names, parts, strict=True)), metric, progress))
    except InputError as error:
        return UnitedRuns(None, str(error))


def lay_out(
    ensemble: Ensemble,
    by: str,
    table: str,
    splits: tuple[ModuleSplit, ...],
    least: int,
    exclusive: bool,
    *,
    progress: NeedProgress,
) -> LaidModules:
    """The modules and their places, which follow from the values of all runs alone; see `without_small`."""
    try:
        grouping, note = boxes_of(ensemble.functions, by, table)
    except InputError as error:
        return LaidModules(None, str(error))
    progress("laying out modules", 0, 0)
    grouping = without_small(ensemble, grouping, least, exclusive)
    graph = super_graph(ensemble, grouping, splits)
    most, flow = highest(graph.inclusive), highest(graph.flow)
    layout = sankey(most, graph.source, graph.target, flow, HEIGHT)
    return LaidModules(FlowModel(ensemble, graph, layout, paths_of(graph, layout), most, grouping, note))


def without_small(ensemble: Ensemble, grouping: ModuleGrouping, least: int, exclusive: bool) -> ModuleGrouping:
    """Modules that take less than so many % of the longest run, in any run, made one: no time is lost.

    exclusive   by what they take by themselves; else with what they call
    """
    if least <= 0:
        return grouping
    graph = super_graph(ensemble, grouping)
    values = np.nan_to_num(highest(graph.exclusive if exclusive else graph.inclusive))
    bound = least / 100 * float(ensemble.totals.max(initial=0.0))
    small = {name for name, value in zip(graph.name, values.tolist(), strict=True) if value < bound}
    if len(small) < 2:
        return grouping
    kept = [name not in small for name in grouping.name]
    number = np.where(kept, np.cumsum(kept) - 1, sum(kept)).astype(np.int32)
    names = tuple(name for name, keeps in zip(grouping.name, kept, strict=True) if keeps)
    return ModuleGrouping((*names, f"({len(small):,} below {least} %)"), number[grouping.of_function])


def boxes_of(functions: Functions, by: str, table: str) -> tuple[ModuleGrouping, str]:
    """(what boxes are, why they are others than was wished). Raises InputError; see `grouping_of`.

    Where no two modules are known, as in profiles of regions, functions are boxes: one box would show nothing.
    """
    found = grouping_of(functions, by, table)
    if by != "function" and not table.strip() and len(found.name) < 2 <= len(functions) <= MOST_FUNCTIONS:
        return grouping_of(functions, "function"), f"no {by}s are known: boxes are functions"
    return found, ""


def highest(values: Floats) -> Floats:
    """float64[n]: the largest value of each column over the runs that have one; NaN = none has."""
    found: Floats = np.fmax.reduce(values, axis=0)
    return found


def model_in(context: ViewContext) -> FlowModel | None:
    """What there is to draw; None = nothing yet, or nothing at all."""
    runs: UnitedRuns | None = context.found.get("runs")
    laid: LaidModules | None = context.found.get("modules")
    return laid.model if laid is not None and runs is not None and runs.ensemble is not None else None


def fault_in(context: ViewContext) -> str:
    """Why there is nothing to draw; "" = it is being made."""
    runs: UnitedRuns | None = context.found.get("runs")
    laid: LaidModules | None = context.found.get("modules")
    if runs is not None and runs.fault:
        return runs.fault
    return "" if laid is None else laid.fault


def is_exclusive(context: ViewContext) -> bool:
    """Whether boxes show what modules spend without those they call."""
    return bool(context.values["value"] == "exclusive")


def target_of(context: ViewContext, model: FlowModel) -> int:
    """Row of the target run, which is also A of a difference."""
    return min(int(context.values["target"]), len(model.ensemble)) - 1


def second_of(context: ViewContext, model: FlowModel) -> int:
    """Row of the second run, B of a difference."""
    return min(int(context.values["second"]), len(model.ensemble)) - 1


def selected_module(state: CallFlowState, model: FlowModel) -> int:
    """Row of the selected module, -1 = none that there is."""
    name = model.graph.name
    return name.index(state.module) if state.module in name else -1


def path_of(state: CallFlowState, model: FlowModel) -> list[int]:
    """Rows of the selected call path, outermost first; empty = none is selected."""
    ensemble = model.ensemble
    row, found = state.site, list[int]()
    while 0 <= row < len(ensemble.parent):
        found.append(row)
        row = int(ensemble.parent[row])
    return found[::-1]
