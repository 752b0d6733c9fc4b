"""Two metrics of modules, or of the call paths of one: a dot for each of them in each run (CF-3; 004, 5.4.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.api import (
    Ensemble,
    InputError,
    Labels,
    ModuleHierarchy,
    ModuleSplit,
    NeedProgress,
    Pane,
    Plot,
    Points,
    Profile,
    Segments,
    SuperGraph,
    Trace,
    ViewContext,
    Viewport,
    locate,
    module_hierarchy,
    runs_of,
    super_graph,
    united,
)

from .figures import Floats, written
from .furniture import Layer, axis_below, head, inner, still
from .lasso import RunMarks, lasso_layers
from .picture import WAITING, sentence
from .preparing import FlowModel, fault_in, is_exclusive, model_in, parts_of, selected_module
from .seen import Longs, SeenGroups, key_of_marks, run_marks, seen_in
from .state import CallFlowState

PART, DOTS = "scatter", "dots"
MOST_DOTS = 20_000
_LEFT = 64.0  # logical pixels left of the dots, where the upright axis is written
_SIZE = 11.0
_MARGIN = 1.04  # of the ranges, so that no dot is cut


@dataclass(frozen=True, eq=False)
class SecondMetric:
    """The same runs by another metric, and their modules; or a sentence."""

    ensemble: Ensemble | None
    graph: SuperGraph | None
    fault: str = ""


def second_metric(
    parts: tuple[Trace | Profile, ...],
    names: tuple[str, ...],
    metric: str,
    model: FlowModel,
    splits: tuple[ModuleSplit, ...],
    *,
    progress: NeedProgress,
) -> SecondMetric:
    """The union of what is open by a metric. Its nodes are those of any other metric of the same runs."""
    try:
        ensemble = united(runs_of(zip(names, parts, strict=True)), metric, progress)
        return SecondMetric(ensemble, super_graph(ensemble, model.grouping, splits))
    except InputError as error:
        return SecondMetric(None, None, str(error))


def asked_for(context: ViewContext, state: CallFlowState) -> tuple[object, ...] | None:
    """Arguments of `second_metric`; None = none is wanted."""
    values = context.values
    metric = str(values["other"]).strip()
    if not metric:
        return None
    model = model_in(context)
    return None if model is None else (*parts_of(context), metric, model, state.splits)


@dataclass(frozen=True, eq=False)
class Dots:
    """k dots. x, y: float64[k]; run, row: int64[k], row of `SeenGroups`; names and units of both axes."""

    x: Floats
    y: Floats
    run: Longs
    row: Longs
    names: tuple[str, str]
    units: tuple[str, str]


def dots_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> Dots | str:
    """What is drawn; or a sentence that says why nothing is."""
    seen = seen_in(context, state, model)
    row = int(seen.group[state.site]) if 0 <= state.site < len(seen.group) and seen.site.max(initial=-1) >= 0 else -1
    if asked_for(context, state) is None:
        unit, metric = model.ensemble.unit, model.ensemble.metric
        names = (f"{metric}, inclusive", f"{metric}, exclusive")
        return context.memo(_dots, seen.inclusive, seen.exclusive, row, names, (unit, unit))
    second: SecondMetric | None = context.found.get("second")
    if second is None or second.ensemble is None or second.graph is None:
        return second.fault if second is not None else "Reading the second metric …"
    exclusive = is_exclusive(context)
    module = selected_module(state, model)
    y = context.memo(_second_values, second, model, seen, module, exclusive)
    if y is None:
        return "Reading the second metric …"
    kind = "exclusive" if exclusive else "inclusive"
    names = (f"{model.ensemble.metric}, {kind}", f"{second.ensemble.metric}, {kind}")
    units = (model.ensemble.unit, second.ensemble.unit)
    return context.memo(_dots, seen.values(exclusive), y, row, names, units)


def _second_values(
    second: SecondMetric, model: FlowModel, seen: SeenGroups, module: int, exclusive: bool
) -> Floats | None:
    """float64[r, m] of what is seen; None = it is of other modules yet."""
    assert second.ensemble is not None
    assert second.graph is not None
    if second.graph.name != model.graph.name:
        return None
    of: SuperGraph | ModuleHierarchy = second.graph
    if module >= 0:
        of = module_hierarchy(second.ensemble, second.graph.of_node == module)
    found = of.exclusive if exclusive else of.inclusive
    return found if found.shape == seen.inclusive.shape else None


def _dots(x: Floats, y: Floats, row: int, names: tuple[str, str], units: tuple[str, str]) -> Dots:
    rows = np.argsort(-np.nan_to_num(np.fmax.reduce(x, axis=0)), kind="stable")
    rows = rows[: max(MOST_DOTS // max(len(x), 1), 1)] if row < 0 else np.array([row])
    known = ~(np.isnan(x[:, rows]) | np.isnan(y[:, rows]))
    run, at = np.nonzero(known)
    return Dots(x[run, rows[at]], y[run, rows[at]], run.astype(np.int64), rows[at].astype(np.int64), names, units)


def draw_scatter(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """Dots; those of runs that stand out lie above the others."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    dots = dots_in(context, state, model)
    if isinstance(dots, str) or not len(dots.x):
        return sentence(theme, viewport, dots if isinstance(dots, str) else "No run has it.")
    pane = _pane(dots, viewport)
    color, above = run_marks(context, state, model)
    order = np.argsort(above[dots.run], kind="stable")
    fill = color[dots.run[order]]
    fill[:, 3] = np.minimum(fill[:, 3], np.where(above[dots.run[order]] > 0, 230, 130))
    seen = seen_in(context, state, model)
    single = len(np.unique(dots.row)) == 1
    what = f"{seen.title} › {seen.name[int(dots.row[0])]}" if single and seen.site[0] >= 0 else seen.title
    said = f"{what}: {len(dots.x):,} dots, one for each run" + (
        "" if single else f" and {'call path' if seen.site[0] >= 0 else 'box'}"
    )
    shape = inner(viewport, _LEFT)
    fits = (
        viewport.measure(dots.names[1], _SIZE, False) <= shape.height - 40.0
    )  # beside the upright axis, below its end
    if not fits:
        said += f"; {dots.names[1]} upward"
    if (likeness := correlation(dots.x, dots.y)) is not None:
        said += f"; correlation {likeness:.2f}"
    left, top = np.array([shape.x]), np.array([shape.y])
    layers: list[Layer] = [
        Points(
            name=DOTS, pane=DOTS, x=dots.x[order], y=dots.y[order], color=fill, size=6.0, item=order.astype(np.int32)
        ),
        Segments(name="upright", x0=left, x1=left, y0=top, y1=top + shape.height, color=theme.level),
        Labels(
            name="upper",
            x=left - 4.0,
            y=top + 6.0,
            text=(written(float(pane.y[0]), dots.units[1]),),
            color=theme.muted,
            size=10.5,
            anchor="right",
        ),
        *axis_below(pane.x[0], pane.x[1], dots.units[0], shape, theme, dots.names[0]),
        *head(said, key_of_marks(context, state, model), viewport, theme),
    ]
    if fits:
        layers.append(
            Labels(
                name="upright name",
                x=left - 12.0,
                y=top + shape.height / 2,
                text=(dots.names[1],),
                color=theme.muted,
                size=_SIZE,
                anchor="center",
                angle=np.array([-np.pi / 2]),
            )
        )
    return Plot((pane,), (*layers, *lasso_layers(state, PART, theme)))


def correlation(x: Floats, y: Floats) -> float | None:
    """Pearson's, -1 to 1; None where one of them is constant."""
    if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
        return None
    return float(np.corrcoef(x, y)[0, 1])


def scatter_marks(context: ViewContext, state: CallFlowState, model: FlowModel, viewport: Viewport) -> RunMarks:
    """Where the dots lie on the canvas."""
    dots = dots_in(context, state, model)
    if isinstance(dots, str):
        return RunMarks(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    return RunMarks(*locate(_pane(dots, viewport), dots.x, dots.y), dots.run)


def _pane(dots: Dots, viewport: Viewport) -> Pane:
    """From 0 on, or from the smallest value where one lies below."""
    ends = []
    for values in (dots.x, dots.y):
        low, high = min(float(values.min(initial=0.0)), 0.0), float(values.max(initial=0.0))
        ends.append((low * _MARGIN, high * _MARGIN if high > low else low + 1.0))
    (x0, x1), (y0, y1) = ends
    return still(DOTS, inner(viewport, _LEFT), (x0, x1), (y1, y0))
