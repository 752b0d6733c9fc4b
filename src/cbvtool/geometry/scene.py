"""The scene: everything that the picture of a view state consists of, as arrays; and the pipeline that makes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import FanOut, fan_out
from cbvtool.bundling.paths import Routes, control_boxes, routes
from cbvtool.bundling.spline import SAMPLES
from cbvtool.geometry.colors import RELATION_ALPHA, THEMES, gradient, map_colors, map_stops
from cbvtool.geometry.drag import DragCurves, drag_curves
from cbvtool.geometry.rings import Cells, Mesh, block_cells, ring_mesh
from cbvtool.geometry.scales import TALLEST, Legend, share_of, value_range
from cbvtool.geometry.shown import outside_tops, shown_relations, with_outside
from cbvtool.geometry.view_state import VARIABLES, Drag, ViewState
from cbvtool.geometry.view_state import Mapping as MetricMapping
from cbvtool.graph import Graph, LiftedEdges, lift
from cbvtool.layout.radial import RadialLayout, extents, radial_layout
from cbvtool.layout.visible import VisibleTree, has_own_content, visible_tree
from cbvtool.layout.weights import own_part, own_weight
from cbvtool.metrics import METRICS, evaluate
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.mining.changes import Changes
from cbvtool.progress import Progress

FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
Colors = npt.NDArray[np.uint8]
Curves = npt.NDArray[np.float32]
Metrics = Mapping[str, Metric]
T = TypeVar("T")

LARGE = 20_000  # nodes and relations from which on slow metrics take seconds


class Values(Mapping[str, FloatColumn]):
    """Metric name -> float64[n] by node key. A column is computed when it is asked for first.

    patient   nobody minds waiting for one
    """

    def __init__(self, subject: Subject, metrics: Metrics, *, patient: bool = True) -> None:
        self.subject = subject
        self.metrics = metrics
        self._quick = patient or len(subject.graph) + len(subject.graph.edges) <= LARGE
        self._columns: dict[str, FloatColumn] = {}

    def __getitem__(self, name: str) -> FloatColumn:
        if name not in self._columns:
            self._columns[name] = evaluate(name, self.subject, self.metrics)
        return self._columns[name]

    def takes_long(self, name: str) -> bool:
        """Whether asking for this metric now would take seconds, which somebody minds."""
        metric = self.metrics.get(name)
        return not self._quick and metric is not None and metric.slow and name not in self._columns

    def missing(self) -> list[str]:
        """Names of all that `takes_long`."""
        return [name for name in self.metrics if self.takes_long(name)]

    def measure(self, name: str, progress: Progress) -> None:
        """Compute one of them; on any thread."""
        if name not in self._columns:
            self._columns[name] = evaluate(name, replace(self.subject, progress=progress), self.metrics)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)


@dataclass(frozen=True, eq=False)
class Scene:
    """What is shown. v items of the visible tree, e curves of S samples, n node keys.

    values         metric name -> float64[n] by key, absolute
    drawn          the metrics that are drawn: those of the view state, or others while these are measured
    pending        metrics of the view state that are to be measured: for now what was drawn before is drawn
    height         float64[v]       of the blocks, in the radius of the disc; 0 = inner, or not measured
    color          uint8[v, 4]      leaves by the colour map, inner nodes grey
    mesh           the rings
    blocks         the cells that its blocks are drawn in
    relations      bool[m]          the relations of the graph that are shown at all, wherever their ends are
    lifted         relations between items
    fan            the curves' ends and weights
    curves         float32[e, S, 3] from the user to the used, in the plane z = 0
    curve_color    uint8[e, S, 4]   teal to orange, 35 % opaque
    curve_source, curve_target      int32[e]  items
    curve_lifted   int32[e]         row of `lifted` that each curve belongs to
    curve_boxes    float64[e, 4]    least x, least y, largest x, largest y, between which each curve lies
    drag           relations of what is being dragged; None = no drag
    """

    graph: Graph
    state: ViewState
    tree: VisibleTree
    layout: RadialLayout
    values: Values
    drawn: MetricMapping
    pending: tuple[str, ...]
    height: FloatColumn
    color: Colors
    mesh: Mesh
    blocks: Cells
    relations: npt.NDArray[np.bool_]
    lifted: LiftedEdges
    fan: FanOut
    curves: Curves
    curve_color: Colors
    curve_source: IntColumn
    curve_target: IntColumn
    curve_boxes: FloatColumn
    color_legend: Legend
    height_legend: Legend
    drag: DragCurves | None
    drag_color: Colors

    @property
    def curve_lifted(self) -> IntColumn:
        """int32[e]: row of `lifted` that each curve belongs to."""
        return self.fan.lifted

    def drag_curves(self, pointer: tuple[float, float]) -> Curves:
        """float32[c, S, 3]: the relations of what is dragged, with their free end at a point of the disc."""
        return np.empty((0, SAMPLES, 3), np.float32) if self.drag is None else self.drag.at(pointer)


class Pipeline:
    """Makes scenes; each stage keeps its last inputs and result, and runs again only when an input changed.

    Inputs are the same when they are the same object, or equal values of a simple type. `runs` counts how
    often each stage ran.

    patient   slow metrics are waited for; else what was drawn last stays until somebody has measured them
    """

    def __init__(self, *, patient: bool = True) -> None:
        self.patient = patient
        self.runs: Counter[str] = Counter()
        self._slots: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self._columns: dict[str, FloatColumn] = {}
        self._drawn: dict[str, str] = {}  # visual variable -> metric of its column

    def forget(self) -> None:
        """Another subject comes, whose keys mean other nodes: what was drawn before must not stand in for it."""
        self._columns, self._drawn = {}, {}

    def scene(
        self, graph: Graph, changes: Changes | None, state: ViewState, metrics: Metrics = METRICS
    ) -> Scene:  # fmt: skip
        """The scene of `state`.

        Raises InputError when the mapping names a metric or a colour map that does not exist.
        """
        run = self._run
        hidden = state.hidden | run("outside", outside_tops, graph) if not state.external else state.hidden
        hidden = hidden | frozenset(state.drag.keys) if state.drag else hidden
        values = run("values", _values, graph, changes, state.since, state.until, metrics, self.patient)
        angle, tall, hue = (self._column(variable, values, getattr(state.mapping, variable)) for variable in VARIABLES)
        mapping = replace(state.mapping, **self._drawn)
        weight = run("weight", _weight, graph, angle, metrics[mapping.angle])
        content = run("content", has_own_content, graph, weight)
        tree = run("tree", visible_tree, graph, state.expanded, state.root, hidden, weight, content)
        known = run("extents", extents, graph, weight, state.root, hidden, content)
        layout = run("layout", radial_layout, tree, graph, weight, known)
        relations = run("relations", shown_relations, graph, state.guesses, state.external, state.kinds_off)
        lifted = run("lifted", lift, graph.edges, tree.represent, relations)
        fan, route = run("routes", _routes, graph, tree, layout, lifted)
        curves = run("curves", _curves, route, state.beta)
        ends = run("ends", _curve_ends, fan, lifted)
        height, height_legend = run("height", _heights, graph, tree, tall, metrics[mapping.height])
        color, color_legend = run(
            "color", _colors, graph, tree, hue, metrics[mapping.color], mapping.color_map, state.theme
        )
        shape = run("shape", ring_mesh, tree, layout)
        mesh = run("mesh", Mesh.with_color, run("raised", Mesh.with_height, shape, height), color)
        blocks = run("blocks", block_cells, tree, layout)
        drag = None
        if state.drag is not None:
            drag = run("drag", drag_curves, graph, tree, layout, state.drag, state.beta, relations)
        return Scene(
            graph, state, tree, layout, values, mapping, _pending(values, state.mapping),
            height, color, mesh, blocks, relations, lifted, fan, curves,
            run("curve_color", _curve_color, len(curves), state.theme), *ends, run("boxes", control_boxes, route),
            color_legend, height_legend, drag,
            run("drag_color", _curve_color, 0 if drag is None else len(drag.fixed), state.theme),
        )  # fmt: skip

    def _column(self, variable: str, values: Values, wanted: str) -> FloatColumn:
        """float64[n]: what is drawn for a visual variable.

        While `wanted` is measured that is the metric drawn last, or its column of last time if that takes long, too.
        """
        name = self._drawn.get(variable, wanted) if values.takes_long(wanted) else wanted
        kept = self._columns.get(variable, np.empty(0))
        column = _fitted(kept, len(values.subject.graph)) if values.takes_long(name) else values[name]
        self._drawn[variable] = name
        # The array of last time, if the values are the same: sizes do not change with the time range.
        if kept is not column and not np.array_equal(kept, column, equal_nan=True):
            kept = self._columns[variable] = column
        return kept

    def _run(self, stage: str, function: Callable[..., T], *inputs: Any) -> T:
        kept = self._slots.get(stage)
        if kept is not None and len(kept[0]) == len(inputs) and all(map(_same, kept[0], inputs)):
            result: T = kept[1]
            return result
        self.runs[stage] += 1
        result = function(*inputs)
        self._slots[stage] = (inputs, result)
        return result


def _same(before: Any, now: Any) -> bool:
    """Whether an input is the one of last time. Arrays and graphs are values by identity."""
    return before is now or (isinstance(now, _SIMPLE) and type(before) is type(now) and bool(before == now))


_SIMPLE = (int, float, str, bool, tuple, frozenset, Drag)


def _values(
    graph: Graph, changes: Changes | None, since: int | None, until: int | None, metrics: Metrics, patient: bool
) -> Values:  # fmt: skip
    return Values(Subject(graph, changes, since, until), metrics, patient=patient)


def _pending(values: Values, mapping: MetricMapping) -> tuple[str, ...]:
    names = dict.fromkeys(getattr(mapping, variable) for variable in VARIABLES)
    return tuple(name for name in names if values.takes_long(name))


def _fitted(column: FloatColumn, n: int) -> FloatColumn:
    """float64[n]: the column of a graph with fewer or more keys; new nodes were not measured."""
    return np.concatenate((column[:n], np.full(max(0, n - len(column)), np.nan)))


def _weight(graph: Graph, column: FloatColumn, metric: Metric) -> FloatColumn:
    return with_outside(graph, own_weight(graph, column, summed=metric.combine == "sum"))


def _routes(graph: Graph, tree: VisibleTree, layout: RadialLayout, lifted: LiftedEdges) -> tuple[FanOut, Routes]:
    """Curves in the order of their shapes, in which they are made the fastest."""
    fan = fan_out(graph.edges, tree, layout, lifted)
    route = routes(tree, layout, fan.item, fan.angle, fan.source, fan.target)
    return fan.take(route.order), route.take(route.order)


def _curves(route: Routes, beta: float) -> Curves:
    curves = bundle(route, beta)
    curves.flags.writeable = False
    return curves


def _curve_ends(fan: FanOut, lifted: LiftedEdges) -> tuple[IntColumn, IntColumn]:
    return lifted.source[fan.lifted], lifted.target[fan.lifted]


def item_values(graph: Graph, tree: VisibleTree, column: FloatColumn, metric: Metric) -> FloatColumn:
    """float64[v]: value of each item; a `(module)` slot has its owner's own part of a sum, else its owner's value."""
    values = column[tree.key]
    if metric.combine == "sum":
        slots = np.flatnonzero(tree.slot)
        values[slots] = own_part(graph, column)[tree.key[slots]]
    return values


def _leaf_scale(
    graph: Graph, tree: VisibleTree, column: FloatColumn, metric: Metric
) -> tuple[FloatColumn, float, float, int]:
    """(float64[v] share 0..1, NaN = inner or not measured; minimum, maximum, number of leaves not measured).

    One scale for all visible innermost nodes, whatever their level (CBV-3).
    """
    values = np.where(tree.leaf, item_values(graph, tree, column, metric), np.nan)
    minimum, maximum = value_range(values, metric.origin)
    return share_of(values, minimum, maximum), minimum, maximum, int(np.isnan(values[tree.leaf]).sum())


def _heights(graph: Graph, tree: VisibleTree, column: FloatColumn, metric: Metric) -> tuple[FloatColumn, Legend]:
    share, minimum, maximum, missing = _leaf_scale(graph, tree, column, metric)
    height = TALLEST * np.nan_to_num(share)
    height.flags.writeable = False
    return height, Legend(metric, minimum, maximum, tallest=TALLEST, missing=missing)


def _colors(
    graph: Graph, tree: VisibleTree, column: FloatColumn, metric: Metric, color_map: str, theme: str
) -> tuple[Colors, Legend]:
    share, minimum, maximum, missing = _leaf_scale(graph, tree, column, metric)
    look = THEMES[theme]
    color = map_colors(share, color_map, look.missing)
    greys = np.array(look.inner, np.uint8)  # by ring, then by neighbour
    for level in range(tree.rings + 1):
        inner = np.flatnonzero(~tree.leaf & (tree.level == level))
        color[inner] = greys[level % 2, np.arange(len(inner)) % 2]
    color.flags.writeable = False
    return color, Legend(metric, minimum, maximum, map_stops(color_map), missing=missing)


def _curve_color(count: int, theme: str) -> Colors:
    """uint8[count, S, 4]: all relations look alike, so that one gradient is seen by every row."""
    look = THEMES[theme]
    color = np.full((SAMPLES, 4), round(255 * RELATION_ALPHA), np.uint8)
    color[:, :3] = np.rint(gradient(look.user, look.used, SAMPLES))
    return np.broadcast_to(color, (count, SAMPLES, 4))
