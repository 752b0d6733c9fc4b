"""What explains the runs, found in the background: parameters, alike runs, a trend, repeats (CF-6 to CF-8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Ensemble,
    InputError,
    Need,
    NeedProgress,
    RunEffect,
    RunNeighbours,
    RunParameter,
    RunTrend,
    SuperGraph,
    ViewContext,
    parameters_of,
    run_effects,
    run_neighbours,
    run_positions,
    run_trend,
    tree_distances,
)

from .preparing import FlowModel, model_in, selected_module
from .state import CallFlowState

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ORDER = "the order of the runs"


@dataclass(frozen=True, eq=False)
class ExplainedRuns:
    """Pairs of a part and a parameter, the strongest first: parts are modules, and call paths, by themselves.

    graph   whose modules they are
    """

    graph: SuperGraph
    parameters: tuple[RunParameter, ...]
    modules: tuple[RunEffect, ...]
    sites: tuple[RunEffect, ...]


@dataclass(frozen=True, eq=False)
class AlikeRuns:
    """Which run of an ensemble is like which, or a sentence that says why that is not known."""

    ensemble: Ensemble
    found: RunNeighbours | None
    fault: str = ""


@dataclass(frozen=True, eq=False)
class OrderedRuns:
    """Runs by what orders them; runs of one position are repeats.

    along     the parameter, or `ORDER`
    position  int64[r]
    labels    of the positions
    fault     why the wished order is not there; "" = it is
    """

    along: str
    position: Ints
    labels: tuple[str, ...]
    fault: str = ""


@dataclass(frozen=True, eq=False)
class FollowedRuns:
    """How a module with what it calls, or the whole runs (-1), goes along an order."""

    graph: SuperGraph
    module: int
    ordered: OrderedRuns
    trend: RunTrend


def explaining(context: ViewContext, state: CallFlowState) -> tuple[Need, ...]:
    """Needs of the tables of runs, once there are modules."""
    model = model_in(context)
    if model is None:
        return ()
    ensemble = model.ensemble
    ordered = order_in(context, model)
    module = selected_module(state, model)
    return (
        Need("explained", "testing parameters", explain, (ensemble, model.graph)),
        Need("alike", "comparing runs", compare, (ensemble,)),
        Need("trend", "looking for steps", follow, (ensemble, model.graph, module, ordered)),
    )


def explain(ensemble: Ensemble, graph: SuperGraph, *, progress: NeedProgress) -> ExplainedRuns:
    """All parts against all parameters."""
    parameters = tuple(parameters_of(ensemble.parameters))
    modules = run_effects(graph.exclusive, parameters)
    return ExplainedRuns(
        graph, parameters, tuple(modules), tuple(run_effects(ensemble.exclusive, parameters, progress=progress))
    )


def compare(ensemble: Ensemble, *, progress: NeedProgress) -> AlikeRuns:
    """Distances of the call trees."""
    try:
        return AlikeRuns(ensemble, run_neighbours(tree_distances(ensemble.inclusive, progress)))
    except InputError as error:
        return AlikeRuns(ensemble, None, str(error))


def follow(
    ensemble: Ensemble, graph: SuperGraph, module: int, ordered: OrderedRuns, *, progress: NeedProgress
) -> FollowedRuns:
    """The trend of a module with what it calls, or of the whole runs (-1)."""
    progress("looking for steps", 0, 0)
    values = ensemble.totals if module < 0 else np.nan_to_num(graph.inclusive[:, module])
    return FollowedRuns(graph, module, ordered, run_trend(values, ordered.position, len(ordered.labels)))


def explained_in(context: ViewContext, model: FlowModel) -> ExplainedRuns | None:
    """None = it is being found out; what was found of other modules is out of date."""
    found: ExplainedRuns | None = context.found.get("explained")
    return found if found is not None and found.graph is model.graph else None


def alike_in(context: ViewContext, model: FlowModel) -> AlikeRuns | None:
    """None = it is being found out."""
    found: AlikeRuns | None = context.found.get("alike")
    return found if found is not None and found.ensemble is model.ensemble else None


def followed_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> FollowedRuns | None:
    """None = it is being found out; what was found of another module or order is out of date."""
    found: FollowedRuns | None = context.found.get("trend")
    if found is None or found.graph is not model.graph or found.ordered is not order_in(context, model):
        return None
    return found if found.module == selected_module(state, model) else None


def order_in(context: ViewContext, model: FlowModel) -> OrderedRuns:
    """The order that the user wishes."""
    ordered: OrderedRuns = context.memo(ordered_runs, model.ensemble, str(context.values["along"]).strip())
    return ordered


def ordered_runs(ensemble: Ensemble, along: str) -> OrderedRuns:
    """By a parameter; empty = the first number that differs, else the first category, else as the runs come."""
    texts = [each.get(along, "") for each in ensemble.parameters]
    if along and all(texts):
        return _by(along, texts)
    fault = ""
    if along:
        lacking = ensemble.names[texts.index("")]
        fault = f"{lacking} does not say its {along}."
    if not along:
        try:
            known = parameters_of(ensemble.parameters)
        except InputError:
            known = []
        known = [each for each in known if not np.isnan(each.values).any()]
        first = next((each for each in known if each.is_number), next(iter(known), None))
        if first is not None:
            return _by(first.name, [each.get(first.name, "") for each in ensemble.parameters])
    return OrderedRuns(ORDER, np.arange(len(ensemble)), ensemble.names, fault)


def _by(along: str, texts: list[str]) -> OrderedRuns:
    position, count = run_positions(texts)
    return OrderedRuns(along, position, tuple(texts[int((position == at).argmax())] for at in range(count)))


def repeats_of(ordered: OrderedRuns, run: int) -> Ints:
    """int64[k]: the runs at the position of a run, which are its repeats."""
    found: Ints = np.flatnonzero(ordered.position == ordered.position[run])
    return found
