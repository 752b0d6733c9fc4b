"""A map of the runs: those that are alike, by their call trees or parameters, lie near each other (CF-3, CF-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.api import (
    CLASS_COLORS,
    Ensemble,
    Labels,
    NeedProgress,
    Pane,
    Plot,
    PointGroups,
    Points,
    RunMap,
    ViewContext,
    Viewport,
    locate,
    parameter_points,
    parameters_of,
    point_distances,
    point_groups,
    scaled_map,
    tree_distances,
)

from .figures import Floats
from .furniture import Layer, head, inner, still
from .lasso import RunMarks, lasso_layers
from .picture import WAITING, sentence
from .preparing import FlowModel, fault_in, model_in
from .seen import chosen_in, key_of_marks, run_marks
from .state import CallFlowState

PART, PLACES = "map", "places"
MOST_RUNS = 3_000
_NAMED = 12  # runs up to which all are named
MAPS = (("trees", "Call trees"), ("parameters", "Parameters"), ("both", "Both"))
_TITLES = {"trees": "by call trees", "parameters": "by parameters", "both": "by call trees and parameters"}


@dataclass(frozen=True, eq=False)
class MappedRuns:
    """Places and groups of runs; or a sentence that says why there are none."""

    map: RunMap | None
    groups: PointGroups | None
    fault: str = ""


def map_runs(ensemble: Ensemble, by: str, *, progress: NeedProgress) -> MappedRuns:
    """By distances of call trees, of parameters, or of both, where each counts as much."""
    runs = len(ensemble)
    if runs > MOST_RUNS:
        return MappedRuns(None, None, f"A map is drawn of {MOST_RUNS:,} runs at most; these are {runs:,}.")
    apart = np.zeros((runs, runs)) if by == "parameters" else tree_distances(ensemble.inclusive, progress)
    if by != "trees":
        points = parameter_points(parameters_of(ensemble.parameters), runs)
        if not points.shape[1]:
            return MappedRuns(None, None, "There is no parameter that tells these runs from each other.")
        apart = np.hypot(_whole(apart), _whole(point_distances(points)))
    found = scaled_map(apart, progress=progress)
    return MappedRuns(found, point_groups(found.place))


def _whole(apart: Floats) -> Floats:
    """Distances in parts of the largest."""
    return apart / (float(apart.max(initial=0.0)) or 1.0)


def mapped_in(context: ViewContext) -> MappedRuns | None:
    """The map; None = it is being made."""
    found: MappedRuns | None = context.found.get(PART)
    return found


def draw_map(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """A disc for each run, in the colour of its group; rings round those that stand out."""
    model, theme, mapped = model_in(context), context.theme, mapped_in(context)
    if model is None or mapped is None or mapped.map is None or mapped.groups is None:
        fault = fault_in(context) if model is None else mapped.fault if mapped else context.failed.get(PART, "")
        return sentence(theme, viewport, fault or (WAITING if model is None else "Drawing a map of the runs …"))
    pane = _pane(mapped.map.place, viewport)
    place, group = mapped.map.place, mapped.groups.group
    color = np.array(CLASS_COLORS, np.uint8)[group % len(CLASS_COLORS)]
    ring, above = run_marks(context, state, model)
    chosen = chosen_in(state, model)
    if chosen.any():
        color[~chosen, 3] = 90
    rows = np.argsort(above, kind="stable")
    marked = rows[above[rows] > 0]
    many = "1 group" if len(mapped.groups) == 1 else f"{len(mapped.groups)} groups"
    text = (
        f"{len(place):,} runs {_TITLES[str(context.values['map'])]}: {many}; error of distances {mapped.map.error:.0%}"
    )
    layers: list[Layer] = [
        Points(name="rings", pane=PLACES, x=place[marked, 0], y=place[marked, 1], color=ring[marked], size=15.0),
        Points(name="gaps", pane=PLACES, x=place[marked, 0], y=place[marked, 1], color=theme.ground, size=11.0),
        Points(
            name=PLACES,
            pane=PLACES,
            x=place[rows, 0],
            y=place[rows, 1],
            color=color[rows],
            size=8.0,
            item=rows.astype(np.int32),
        ),
    ]
    named = np.arange(len(place)) if len(place) <= _NAMED else marked[above[marked] > 1]
    layers.append(
        Labels(
            name="run names",
            pane=PLACES,
            x=place[named, 0],
            y=place[named, 1],
            text=tuple(f"   {model.ensemble.names[run]}" for run in named.tolist()),
            color=theme.text,
            size=10.0,
            halo=theme.halo,
        )
    )
    key = key_of_marks(context, state, model)
    return Plot((pane,), (*layers, *head(text, key, viewport, theme), *lasso_layers(state, PART, theme)))


def map_marks(context: ViewContext, state: CallFlowState, model: FlowModel, viewport: Viewport) -> RunMarks:
    """Where the runs lie on the canvas."""
    mapped = mapped_in(context)
    if mapped is None or mapped.map is None:
        return RunMarks(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    x, y = locate(_pane(mapped.map.place, viewport), mapped.map.place[:, 0], mapped.map.place[:, 1])
    return RunMarks(x, y, np.arange(len(x)))


def _pane(place: Floats, viewport: Viewport) -> Pane:
    """Equal lengths along both axes, all runs within."""
    shape = inner(viewport)
    low, high = place.min(axis=0, initial=np.inf), place.max(axis=0, initial=-np.inf)
    if not len(place):
        low, high = np.zeros(2), np.ones(2)
    middle, size = (low + high) / 2, np.maximum(high - low, 1e-9)
    unit = 1.15 * max(size[0] / shape.width, size[1] / shape.height)  # data for a pixel
    half = unit * shape.width / 2, unit * shape.height / 2
    return still(
        PLACES,
        shape,
        (float(middle[0] - half[0]), float(middle[0] + half[0])),
        (float(middle[1] + half[1]), float(middle[1] - half[1])),
    )
