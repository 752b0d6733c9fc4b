"""The scene: the whole picture of a view state as arrays; and the pipeline that makes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from cbvtool.asking.expression import Query, asks_pattern
from cbvtool.asking.search import filter_of, hidden_by
from cbvtool.budget import OverBudget
from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import FanOut, fan_out
from cbvtool.bundling.paths import Routes, control_boxes, routes
from cbvtool.bundling.spline import SAMPLES
from cbvtool.errors import Cancelled, InputError
from cbvtool.geometry.colors import BY_KIND, RELATION_ALPHA, THEMES, gradient, map_colors, map_stops, relation_ends
from cbvtool.geometry.scales import TALLEST, Axis, Legend, Scale, fit
from cbvtool.geometry.scene.affected import affected_colors, affected_curves, of_impact
from cbvtool.geometry.scene.classes import class_colors, class_order
from cbvtool.geometry.scene.drag import DragCurves, bent_curves, drag_curves
from cbvtool.geometry.scene.estimate import estimated_lines
from cbvtool.geometry.scene.filtered import (
    by_distance,
    by_ends,
    by_evidence,
    echo,
    leaves_out,
    of_nodes,
    standing_for,
    sure_and_forbidden,
)
from cbvtool.geometry.scene.ghosts import Ghosts, ghosts
from cbvtool.geometry.scene.kinds import curves_by_kind
from cbvtool.geometry.scene.planned import Pair, PlannedChanges, planned_of, unchanged_tops
from cbvtool.geometry.scene.rings import Cells, Mesh, block_cells, ring_mesh
from cbvtool.geometry.scene.shown import outside_tops, shown_relations, test_tops, with_outside
from cbvtool.geometry.scene.thickness import Thickness, thickness, weighed
from cbvtool.geometry.state.view_state import NEAREST, OF_TRACES, VARIABLES, ViewState
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.graph import REMOVED, Confidence, Edges, Graph, LiftedEdges, lift
from cbvtool.graph.same import column_on, common_keys
from cbvtool.layout.both import both, both_extents
from cbvtool.layout.empty import empty_containers
from cbvtool.layout.radial import Extents, RadialLayout, extents, own_extents, radial_layout
from cbvtool.layout.visible import VisibleTree, has_own_content, visible_tree
from cbvtool.layout.weights import own_part, own_weight, proportional_weight
from cbvtool.metrics import METRICS
from cbvtool.metrics.aggregate import aggregated, with_aggregation
from cbvtool.metrics.history.baseline import Span
from cbvtool.metrics.metric import BEING_MEASURED, Metric, Subject
from cbvtool.metrics.values import Metrics, Values
from cbvtool.mining.changes import Changes
from cbvtool.progress import checkpoint
from cbvtool.rules import Rules, breaking
from cbvtool.trace.overlay.relations import Observed

FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
Colors = npt.NDArray[np.uint8]
Curves = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
T = TypeVar("T")

NO_RULES = Rules()
FRESH_ALPHA = 0.8  # opacity of relations that only one of two versions has
KEPT = 3  # graphs whose metric values are cached: a plan's target, its base, and the target before the last step


@dataclass(frozen=True, eq=False)
class Variable:
    """What a visual variable shows: a metric, labelled by how it is combined, and its column, float64[n] by key."""

    metric: Metric
    column: FloatColumn


@dataclass(frozen=True, eq=False)
class Scene:
    """What is shown. v items of the visible tree, e curves of S samples, n node keys.

    values         metric name -> float64[n] by key, absolute
    drawn          the metrics that are drawn: those of the view state, or earlier ones while these are measured
    pending        metrics of the view state that are not measured yet: until then the earlier ones are drawn
    height         float64[v]       of the blocks, in radii of the disc; 0 = inner node, or not measured
    color          uint8[v, 4]      leaves by the colour map, inner nodes grey
    mesh           the rings
    blocks         the cells of the blocks
    relations      bool[m]          the relations of the graph that pass switches and filter (whatever its mode),
                                    wherever their ends are
    lifted         relations between items
    fan            the curves' ends and weights
    curves         float32[e, S, 3] from dependant to dependency, in the plane z = 0
    curve_color    uint8[e, S, 4]   teal to orange, 35 % opaque
    curve_source, curve_target      int32[e]  items
    curve_lifted   int32[e]         row of `lifted` of each curve
    curve_boxes    float64[e, 4]    bounding box of each curve: least x, least y, largest x, largest y
    drag           relations of what is being dragged; None = no drag
    thickness      of the curves
    variables      visual variable -> the metric that it shows, combined as the view state says
    total          number of relations that would be drawn without a filter
    filtered       keys of the topmost nodes that the filter of nodes (`only`) hides
    unfiltered     a sentence: why the filter of nodes, although valid, hides nothing
    unsearched     the filter of nodes still shows its previous result: its regular expressions are not searched for yet
    whole          extents of all nodes on the circle in a view that is not restricted to a subtree
    class_order    classes of the colour metric; those with a colour of their own come first
    plan           the changes of the plan; None = there is no plan, or another hierarchy is shown
    observed       `graph` with calls and times of a trace; None = none is open
    violating      bool[lifted]: relations that stand for a violation; None = violations are not marked
    left_out       float32[k, S, 3] a sample of all relations, which stands for those that the filter leaves out
    ghosts         empty places of nodes that the plan moves, removes or creates; None = no plan is marked
    """

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
    thickness: Thickness
    variables: Mapping[str, Variable]
    total: int
    filtered: frozenset[int]
    whole: Extents
    unfiltered: str = ""
    unsearched: bool = False
    class_order: tuple[str, ...] = ()
    plan: PlannedChanges | None = None
    ghosts: Ghosts | None = None
    observed: Observed | None = None
    violating: Mask | None = None
    left_out: Curves | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for parts of two graphs: keys and rows of one index columns of the other."""
        graph, known = self.tree.graph, self.values.subject.graph
        if known is not graph or (self.observed is not None and self.observed.graph.parent is not graph.parent):
            raise ValueError("a scene of two graphs: tree, values and what a trace adds are of one")
        if not len(self.relations) == len(self.lifted.of_edge) == len(self.graph.edges):
            raise ValueError("a scene of two graphs: its relations are not those of its tree's graph")

    @property
    def graph(self) -> Graph:
        """The graph that keys and rows of relations are of: that of the tree, with what a trace adds."""
        return self.tree.graph if self.observed is None else self.observed.graph

    def keys_in(self, keys: Iterable[int], graph: Graph) -> list[int]:
        """Those of `keys` that name the same node in the graph of the scene and in `graph`.

        The two sides of a plan, or of two versions, have the same keys, whatever their nodes are called in each.
        """
        if self.plan is not None and any(side.ids is graph.ids for side in (self.plan.base, self.plan.target)):
            known = min(len(self.graph), len(graph))
            return [key for key in keys if 0 <= key < known]
        return common_keys(keys, self.graph, graph)

    @property
    def marks(self) -> PlannedChanges | None:
        """The changes of the plan, if they are to be marked."""
        return self.plan if self.state.planned else None

    @property
    def curve_lifted(self) -> IntColumn:
        """int32[e]: row of `lifted` of each curve."""
        return self.fan.lifted

    def drag_curves(self, pointer: tuple[float, float]) -> Curves:
        """float32[c, S, 3]: the relations of the dragged nodes, with their free end at a point of the disc."""
        return np.empty((0, SAMPLES, 3), np.float32) if self.drag is None else self.drag.at(pointer)


@dataclass(frozen=True, eq=False)
class _Side:
    """The inputs of scales and places, for the graph that is shown or for its counterpart (base or target of the plan).

    tree    without what steps of the plan opened
    known   extents of its own nodes, without room for nodes that only the counterpart has
    names   of the classes of the colour metric
    """

    values: Values
    tree: VisibleTree
    weight: FloatColumn
    own: FloatColumn
    known: Extents
    variables: Mapping[str, Variable]
    names: tuple[str, ...]

    @property
    def graph(self) -> Graph:
        """The graph that these inputs describe."""
        return self.values.subject.graph


class Pipeline:
    """Makes scenes; each stage keeps its last inputs and result, and runs again only when an input changed.

    An input counts as unchanged if it is the same object, or if it is equal and its type compares by value
    (`_is_value`). `runs` counts how often each stage ran.

    patient   wait for slow metrics; otherwise the last metric stays until somebody has measured the new one
    beside    another pipeline with which this one shares `kept_values`, the metric values of the last few graphs
    """

    def __init__(self, *, patient: bool = True, beside: Pipeline | None = None) -> None:
        self.patient = patient
        self.kept_values: list[tuple[tuple[Any, ...], Values]] = [] if beside is None else beside.kept_values
        self.runs: Counter[str] = Counter()
        self._slots: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self._columns: dict[str, tuple[Graph, FloatColumn]] = {}  # visual variable -> column drawn last, and whose
        self._drawn: dict[str, str] = {}  # visual variable -> metric of its column
        self._shown: tuple[Graph, MetricMapping, Mapping[str, Variable]] | None = None  # of the last scene

    def scene(
        self,
        graph: Graph,
        changes: Changes | None,
        state: ViewState,
        metrics: Metrics = METRICS,
        rules: Rules = NO_RULES,
        planned: Graph | None = None,
        *,
        plan: Pair | None = None,
        observed: Observed | None = None,
        at_once: bool = False,
    ) -> Scene:
        """The scene of `state`.

        rules    used by the filter for violations and by their marks
        planned  the graph in the folder hierarchy, which the rules refer to, if `graph` is in another hierarchy
        plan     (base, target), as for `planned_of`; `graph` is one of the two. Scales are those of the base, and nodes
                 that the plan does not change have the same place in both pictures
        observed  `graph` with what a trace adds: the relations of this graph are shown
        at_once  a user waits: do not search for the regular expressions of the filter of nodes, which may take seconds.
                 The filter hides what it hid before, and the scene says so (`unsearched`)

        A job that is cancelled stops between two stages, or during a search for regular expressions (`checkpoint`).

        Raises InputError when the mapping names a metric or a colour map that does not exist.
        """
        run = self._run
        hidden = state.hidden | run("outside", outside_tops, graph) if not state.external else state.hidden
        hidden = hidden if state.tests else run("tests", frozenset.union, hidden, run("test_tops", test_tops, graph))
        values = self._values_of(graph, changes, state, metrics)
        (filtered, unfiltered), awaited, unsearched = (
            self._filtered(graph, values, state.only, at_once) if state.only else (_NOTHING, (), False)
        )
        hidden = run("hidden", frozenset.union, hidden, filtered) if filtered else hidden
        done = None if plan is None else run("plan", planned_of, *plan)
        if done is not None and state.changes_only:
            hidden = run("unchanged", _without_unchanged, hidden, done, graph)
        mapping, variables = self._variables(values, state)
        wide, tall, hue = variables.values()
        weight = run("weight", _weight, graph, wide.column, wide.metric, bool(mapping.angle_by))
        content = run("content", has_own_content, graph, weight)
        tree = run("tree", visible_tree, graph, state.expanded, state.root, hidden, weight, content)
        own = run("own", own_extents, graph, weight, state.root, hidden, content)
        known = run("extents", Extents.of, graph.tree, own)
        names = _class_names(hue.metric, values.subject)
        fitting = _fitting(state)
        fitted = (
            run("fitted", visible_tree, graph, fitting, state.root, hidden, weight, content) if state.opened else tree
        )
        shown = _Side(values, fitted, weight, own, known, variables, names)
        other = self._other_side(done, graph, changes, state, metrics, hidden, mapping)
        before = other if other is not None and done is not None and graph is done.target else shown
        tall_axis, hue_axis = (
            self._pinned(variable, before, shown, tree, scale)
            for variable, scale in (("height", mapping.height_scale), ("color", mapping.color_scale))
        )
        was = before.variables["color"]
        classes: tuple[str, ...] = ()
        if was.metric.names is not None:
            classes = run("class_order", class_order, before.tree, was.column, before.names)
        if state.drag:  # dragged nodes leave the ring, but still count for the scales
            hidden = hidden | frozenset(state.drag.keys)
            opened = state.expanded | state.drag.opened
            tree = run("rest", visible_tree, graph, opened, state.root, hidden, weight, content)
            own = run("rest_own", own_extents, graph, weight, state.root, hidden, content)
            known = run("rest_extents", Extents.of, graph.tree, own)
        empty = None
        if done is not None and other is not None and state.planned:
            of_target = graph is done.target
            laid = run("both", both, done.base, done.target, state.root)
            pair = (own, other.own) if of_target else (other.own, own)
            every = run("both_extents", both_extents, laid, *pair, () if state.drag is None else state.drag.keys)
            known = every[0 if of_target else 1]
        layout = run("layout", radial_layout, tree, weight, known)
        if done is not None and other is not None and state.planned:
            empty = run("ghosts", ghosts, done, laid, every[2], known, tree, layout, state.expanded, of_target)
        at_top = state.root == graph.root
        whole = known if at_top else run("whole", extents, graph, weight, graph.root, hidden, content)
        full = graph if observed is None else observed.graph
        ruled = planned or graph
        if observed is not None:
            ruled = full if ruled is graph else run("ruled", _with_relations_of, ruled, full)
        relations, lifted, there = self._relations(full, tree, state, rules, ruled)
        violating = None
        if rules and state.mark_violations:
            violating = run("violating", standing_for, lifted, run("breaking", breaking, ruled, rules))
        weight_by = mapping.thickness if mapping.thickness in OF_TRACES else "weight"
        fan, route = run("routes", _routes, run("weighed", weighed, full, observed, weight_by), tree, layout, lifted)
        curves = run("curves", _curves, route, state.beta)
        left_out = None
        if lifted is not there and state.impact is None and leaves_out(state.filter):
            left_out = run("left_out", _left_out, full.edges, tree, layout, there, state.beta)
        ends = run("ends", _curve_ends, fan, lifted)
        height, height_legend = run("height", _heights, tree, tall.column, tall.metric, tall_axis)
        color, color_legend = run(
            "color", _colors, tree, hue.column, hue.metric, hue_axis, mapping.color_map, state.theme, names, classes
        )
        if state.impact is not None:
            color = run("affected", affected_colors, tree, color, state.impact, state.theme)
        shape = run("shape", ring_mesh, tree, layout)
        mesh = run("mesh", Mesh.with_color, run("raised", Mesh.with_height, shape, height), color)
        blocks = run("blocks", block_cells, tree, layout)
        if mapping.relations == BY_KIND:
            curve_color = run("by_kind", curves_by_kind, full.edges, lifted, fan.lifted, state.theme, SAMPLES)
        else:
            curve_color = run("curve_color", _curve_color, len(curves), state.theme, mapping.relations)
        if done is not None and done.version and state.planned:
            curve_color = run("fresh", _fresh, curve_color, done, graph is done.target, lifted, fan, state.theme)
        if state.filter.crossing:
            curve_color = run("crossing", _by_distance, curve_color, tree, *ends)
        if state.impact is not None:
            curve_color = run("affected_curves", affected_curves, curve_color, tree, ends[0], state.impact, state.theme)
        drag = None
        if state.drag is not None and state.drag.splits:
            drag = run("drag", bent_curves, tree, lifted, fan, curves, state.drag)
        elif state.drag is not None:
            drag = run("drag", drag_curves, full, tree, layout, state.drag, state.beta, relations)
        return Scene(
            state,
            tree,
            layout,
            values,
            mapping,
            _pending(values, state.mapping, awaited),
            height,
            color,
            mesh,
            blocks,
            relations,
            lifted,
            fan,
            curves,
            curve_color,
            *ends,
            run("boxes", control_boxes, route),
            color_legend,
            height_legend,
            drag,
            run("drag_color", _curve_color, 0 if drag is None else len(drag.fixed), state.theme, mapping.relations),
            run("thickness", thickness, fan, mapping.thickness),
            variables,
            int(there.count.sum()),
            filtered,
            whole,
            unfiltered,
            unsearched,
            classes,
            done,
            empty,
            observed,
            violating,
            left_out,
        )

    def _values_of(self, graph: Graph, changes: Changes | None, state: ViewState, metrics: Metrics) -> Values:
        """The metric values of a graph; those of the last few graphs are cached."""
        inputs = (graph, changes, state.since, state.until, state.pinned, metrics, self.patient)
        for known, values in self.kept_values:
            if all(map(_same, known, inputs)):
                return values
        checkpoint()
        self.runs["values"] += 1
        values = _values(*inputs)
        self.kept_values[:] = [(inputs, values), *self.kept_values[: KEPT - 1]]
        return values

    def _other_side(
        self,
        plan: PlannedChanges | None,
        graph: Graph,
        changes: Changes | None,
        state: ViewState,
        metrics: Metrics,
        hidden: frozenset[int],
        mapping: MetricMapping,
    ) -> _Side | None:
        """The inputs for base or target, whichever is not `graph`.

        None = there is no plan, or one of the metrics is not measured yet.
        """
        if plan is None:
            return None
        run, other = self._run, plan.base if graph is plan.target else plan.target
        values = self._values_of(other, changes, state, metrics)
        if any(values.takes_long(getattr(mapping, variable)) for variable in VARIABLES):
            return None
        root = state.root if state.root < len(other) and other.parent[state.root] != REMOVED else other.root
        variables = {
            variable: self._combined(variable, values, name, getattr(mapping, f"{variable}_by"), values[name], "other_")
            for variable in VARIABLES
            for name in [getattr(mapping, variable)]
        }
        wide = variables["angle"]
        weight = run("other_weight", _weight, other, wide.column, wide.metric, bool(mapping.angle_by))
        content = run("other_content", has_own_content, other, weight)
        tree = run("other_tree", visible_tree, other, _fitting(state), root, hidden, weight, content)
        own = run("other_own", own_extents, other, weight, root, hidden, content)
        known = run("other_extents", Extents.of, other.tree, own)
        names = _class_names(variables["color"].metric, values.subject)
        return _Side(values, tree, weight, own, known, variables, names)

    def _pinned(self, variable: str, before: _Side, shown: _Side, tree: VisibleTree, scale: Scale) -> Axis:
        """The scale of the values before the plan, applied to the values shown now, in `tree`."""
        run, was = self._run, before.variables[variable]
        extent = run("item_extents", _item_extents, before.tree, before.known)
        axis = run(f"{variable}_axis", _axis, before.tree, extent, was.column, was.metric, scale)
        if before is shown and tree is shown.tree:
            return axis
        now = shown.variables[variable]
        if not axis.maximum > axis.minimum:  # before, nothing was measured, or all values were equal
            extent = run("shown_extents", _item_extents, shown.tree, shown.known)
            return run(f"{variable}_own", _axis, shown.tree, extent, now.column, now.metric, scale)
        return run(f"{variable}_pinned", _axis_for, axis, tree, now.column, now.metric)

    def _filtered(self, graph: Graph, values: Values, text: str, at_once: bool) -> tuple[Hidden, tuple[str, ...], bool]:
        """(what the filter `text` hides, its metrics that are not measured yet, whether its search is pending).

        While metrics are measured, the filter hides what it hid before; with `at_once` also while a search is pending.
        A filter that is not valid hides nothing. A filter that exceeds its budget raises OverBudget if the pipeline is
        `patient`; otherwise it hides nothing either.
        """
        query, needed = self._run("filter", filter_of, text, values.metrics)
        if awaited := tuple(name for name in needed if values.takes_long(name)):
            (before, *_), hidden = self._slots.get("filtered", ((None,), _NOTHING))
            return (hidden if before is graph else _NOTHING), awaited, False
        if query is None:
            return _NOTHING, (), False
        inputs = (graph, query, needed, self.patient, *(values[name] for name in needed))
        if not at_once or not asks_pattern(text) or self._has("filtered", inputs):
            return self._run("filtered", partial(_hidden_by, checkpoint), *inputs), (), False
        (before, asked, *_), (hidden, _) = self._slots.get("filtered", ((None, None), _NOTHING))
        if before is not None and asked == query and before.names == graph.names and before.ids == graph.ids:
            try:  # the earlier result is cached, so that this searches for nothing
                return self._run("filtered", partial(_hidden_by, _not_now), *inputs), (), False
            except Cancelled:
                pass
        there = [] if before is None else common_keys(hidden, before, graph)
        return (frozenset(key for key in there if graph.parent[key] >= 0), ""), (), True

    def _relations(
        self, graph: Graph, tree: VisibleTree, state: ViewState, rules: Rules, planned: Graph
    ) -> tuple[Mask, LiftedEdges, LiftedEdges]:
        """(bool[m] relations of the graph that pass the switches and the filter, whatever its mode; those between items
        that are drawn; those between items that would be drawn without a filter).
        """
        run, chosen = self._run, state.filter
        switches = state.guesses, state.external, state.kinds_off, state.tests
        relations = run("relations", shown_relations, graph, *switches)
        lifted = run("lifted", lift, graph.edges, tree.represent, relations)
        every = lifted
        if chosen.evidence != "any":
            relations = run("evidence", by_evidence, graph, relations, chosen.evidence)
            lifted = run("evidence_lifted", lift, graph.edges, tree.represent, relations)
        if chosen.violations or chosen.confidence < Confidence.GUESS:
            relations = run("sure", sure_and_forbidden, planned, relations, chosen.confidence, chosen.violations, rules)
            lifted = run("sure_lifted", lift, graph.edges, tree.represent, relations)
        if chosen.cycles or chosen.distance > NEAREST:
            lifted, relations = run("by_ends", by_ends, graph, tree, lifted, relations, chosen.cycles, chosen.distance)
        if chosen.mode != "all" and state.path is None and state.impact is None:
            keys = state.selected or ((state.hovered,) if state.hovered >= 0 else ())
            lifted = run("of_nodes", of_nodes, tree, lifted, keys, chosen)
        if state.impact is not None:
            lifted = run("of_impact", of_impact, lifted, state.impact)
        return relations, lifted, every

    def _variables(self, values: Values, state: ViewState) -> tuple[MetricMapping, Mapping[str, Variable]]:
        """(the mapping with the metrics that are drawn, visual variable -> the metric that it shows).

        What is measured during a drag waits for its end: it would move the ring.
        """
        graph = values.subject.graph
        if state.drag is not None and self._shown is not None and self._shown[0] is graph:
            return self._shown[1:]
        columns = [self._column(variable, values, getattr(state.mapping, variable)) for variable in VARIABLES]
        drawn: dict[str, Any] = {variable: self._drawn[variable] for variable in VARIABLES}
        mapping = replace(state.mapping, **drawn)
        ways = mapping.angle_by, mapping.height_by, mapping.color_by
        variables = {
            variable: self._combined(variable, values, getattr(mapping, variable), how, column)
            for variable, how, column in zip(VARIABLES, ways, columns, strict=True)
        }
        self._shown = graph, mapping, variables
        return mapping, variables

    def _column(self, variable: str, values: Values, wanted: str) -> FloatColumn:
        """float64[n]: the column that a visual variable draws.

        While `wanted` is measured, this is the metric drawn last; if that takes long, too, its previous column.
        """
        name = self._drawn.get(variable, wanted) if values.takes_long(wanted) else wanted
        graph = values.subject.graph
        kept: FloatColumn
        whose, kept = self._columns.get(variable, (graph, np.full(len(graph), np.nan)))
        if whose is not graph:
            kept = column_on(kept, whose, graph)
        column = kept if values.takes_long(name) else values[name]
        self._drawn[variable] = name
        # Reuse the previous array if its values are equal: then sizes do not change with the time range.
        if kept is not column and not np.array_equal(kept, column, equal_nan=True):
            kept = column
        self._columns[variable] = graph, kept
        return kept

    def _combined(
        self, variable: str, values: Values, name: str, how: str, column: FloatColumn, side: str = ""
    ) -> Variable:
        """The column of a visual variable, combined upward as `how` says, with a metric labelled accordingly."""
        if not how:
            return Variable(values.metrics[name], column)
        lines = values["sloc"] if how == "weighted" else column
        graph = values.subject.graph
        return Variable(
            self._run(f"{side}{variable}_metric", with_aggregation, values.metrics[name], how),
            self._run(f"{side}{variable}_combined", aggregated, graph, column, how, lines),
        )

    def _run(self, stage: str, function: Callable[..., T], *inputs: Any) -> T:
        if self._has(stage, inputs):
            kept: T = self._slots[stage][1]
            return kept
        checkpoint()
        self.runs[stage] += 1
        result = function(*inputs)
        self._slots[stage] = (inputs, result)
        return result

    def _has(self, stage: str, inputs: tuple[Any, ...]) -> bool:
        """Whether the stage last ran with these inputs."""
        kept = self._slots.get(stage)
        return kept is not None and len(kept[0]) == len(inputs) and all(map(_same, kept[0], inputs))


def _same(before: Any, now: Any) -> bool:
    """Whether an input is unchanged since the last run."""
    return before is now or (type(before) is type(now) and _is_value(type(now)) and bool(before == now))


_BY_IDENTITY: object = object.__hash__


def _is_value(kind: type) -> bool:
    """Whether equal objects of this type count as the same input: the type defines equality and a hash.

    Numbers, texts, tuples and frozen dataclasses do. Arrays, tables, and dataclasses with `eq=False`, such as graphs,
    are compared by identity. Raises TypeError for any other type: its objects would be new, and the stage would run, at
    each call.
    """
    if kind.__hash__ is _BY_IDENTITY or issubclass(kind, np.ndarray | Mapping):
        return False
    if kind.__hash__ is None:
        raise TypeError(f"{kind.__name__} is no input of a stage: make it a frozen dataclass, with eq=False for arrays")
    return True


def _not_now() -> None:
    """Abort a search for regular expressions before it starts, because a user waits."""
    raise Cancelled


# (Keys of the topmost nodes that a filter hides; a sentence why it hides nothing, or empty.)
Hidden = tuple[frozenset[int], str]
_NOTHING: Hidden = (frozenset(), "")


def _values(
    graph: Graph,
    changes: Changes | None,
    since: int | None,
    until: int | None,
    pinned: tuple[Span, ...],
    metrics: Metrics,
    patient: bool,
) -> Values:
    return Values(Subject(graph, changes, since, until, pinned=pinned), metrics, patient=patient)


def _pending(values: Values, mapping: MetricMapping, awaited: tuple[str, ...]) -> tuple[str, ...]:
    names = dict.fromkeys(getattr(mapping, variable) for variable in VARIABLES)
    return tuple(dict.fromkeys((*(name for name in names if values.takes_long(name)), *awaited)))


def _hidden_by(
    cancel: Callable[[], object],
    graph: Graph,
    query: Query,
    needed: tuple[str, ...],
    patient: bool,
    *columns: FloatColumn,
) -> Hidden:
    try:
        return hidden_by(graph, query, dict(zip(needed, columns, strict=True)), cancel), ""
    except OverBudget as error:
        if patient:
            raise
        return frozenset(), f"The filter hides nothing. {error}"


def _fitting(state: ViewState) -> frozenset[int]:
    """Keys of the expanded nodes whose content counts for the scales."""
    return state.expanded - state.opened if state.opened else state.expanded


def _weight(graph: Graph, column: FloatColumn, metric: Metric, proportional: bool) -> FloatColumn:
    """float64[n]: each node's own weight; `proportional`: siblings are as wide as values that cannot be summed."""
    _check_amount(metric, "width")
    if metric.name == "sloc" and metric.missing == BEING_MEASURED:
        column = estimated_lines(graph)  # the ring has nearly its final shape at once
    if proportional:
        return with_outside(graph, proportional_weight(graph, column))
    return with_outside(graph, own_weight(graph, column, summed=metric.combine == "sum"))


def _check_amount(metric: Metric, what: str) -> None:
    if metric.names is not None:
        raise InputError(f"{metric.label} is a class, which has no {what}: it can be shown by colour alone.")


def _class_names(metric: Metric, subject: Subject) -> tuple[str, ...]:
    """Names of the classes of a categorical metric; empty for others."""
    return () if metric.names is None else metric.names(subject)


def _with_relations_of(graph: Graph, other: Graph) -> Graph:
    """`graph` with the relations of `other`, which has the same keys."""
    return graph.with_(edges=other.edges)


def _routes(edges: Edges, tree: VisibleTree, layout: RadialLayout, lifted: LiftedEdges) -> tuple[FanOut, Routes]:
    """The curves' ends and routes, in the order of their shapes, because equal shapes are computed together."""
    fan = fan_out(edges, tree, layout, lifted)
    route = routes(tree, layout, fan.item, fan.angle, fan.source, fan.target)
    return fan.take(route.order), route.take(route.order)


def _curves(route: Routes, beta: float) -> Curves:
    curves = bundle(route, beta)
    curves.flags.writeable = False
    return curves


def _left_out(edges: Edges, tree: VisibleTree, layout: RadialLayout, every: LiftedEdges, beta: float) -> Curves:
    """float32[k, S, 3]: curves of a sample of all relations."""
    return _curves(_routes(edges, tree, layout, echo(every))[1], beta)


def _curve_ends(fan: FanOut, lifted: LiftedEdges) -> tuple[IntColumn, IntColumn]:
    return lifted.source[fan.lifted], lifted.target[fan.lifted]


def in_theme(scene: Scene, theme: str) -> Scene:
    """The same scene in the colours of another theme."""
    if scene.state.theme == theme:
        return scene
    hue = scene.variables["color"]
    color, legend = _colors(
        scene.tree,
        hue.column,
        hue.metric,
        scene.color_legend.axis,
        scene.drawn.color_map,
        theme,
        _class_names(hue.metric, scene.values.subject),
        scene.class_order,
    )
    if scene.state.impact is not None:
        color = affected_colors(scene.tree, color, scene.state.impact, theme)
    if scene.drawn.relations == BY_KIND:
        curve_color = curves_by_kind(scene.graph.edges, scene.lifted, scene.curve_lifted, theme, SAMPLES)
    else:
        curve_color = _curve_color(len(scene.curves), theme, scene.drawn.relations).copy()
    if scene.plan is not None and scene.plan.version and scene.state.planned:
        of_target = not scene.state.before
        curve_color = _fresh(curve_color, scene.plan, of_target, scene.lifted, scene.fan, theme)
    if scene.state.impact is not None:
        curve_color = affected_curves(curve_color, scene.tree, scene.curve_source, scene.state.impact, theme)
    curve_color[:, :, 3] = scene.curve_color[:, :, 3]
    return replace(
        scene,
        state=replace(scene.state, theme=theme),
        color=color,
        color_legend=legend,
        curve_color=curve_color,
        mesh=scene.mesh.with_color(color),
    )


def in_one_gradient(scene: Scene) -> Scene:
    """The scene with every relation in one gradient from dependant to dependency, for formats limited to that."""
    if scene.drawn.relations != BY_KIND:
        return scene
    drawn = replace(scene.drawn, relations=MetricMapping().relations)
    color = _curve_color(len(scene.curves), scene.state.theme, drawn.relations).copy()
    color[:, :, 3] = scene.curve_color[:, :, 3]
    return replace(scene, drawn=drawn, curve_color=color)


def item_values(tree: VisibleTree, column: FloatColumn, metric: Metric) -> FloatColumn:
    """float64[v]: value of each item. A `(module)` slot has its owner's own part of a sum, else its owner's value."""
    values = column[tree.key]
    if metric.combine == "sum":
        slots = np.flatnonzero(tree.slot)
        values[slots] = own_part(tree.graph, column)[tree.key[slots]]
    return values


def _item_extents(tree: VisibleTree, known: Extents) -> FloatColumn:
    first, last = known.of_items(tree)
    return last - first


def _axis(tree: VisibleTree, extent: FloatColumn, column: FloatColumn, metric: Metric, scale: Scale) -> Axis:
    """One scale for all visible innermost nodes, whatever their level (CBV-3); `extent`: part of the circle of each."""
    if metric.names is not None:
        return Axis(np.nan, np.nan)
    return fit(scale, _leaf_values(tree, column, metric), metric.origin, extent)


def _axis_for(axis: Axis, tree: VisibleTree, column: FloatColumn, metric: Metric) -> Axis:
    """The scale of the base, applied to the values of the target."""
    return axis.pinned_for(_leaf_values(tree, column, metric))


def _leaf_values(tree: VisibleTree, column: FloatColumn, metric: Metric) -> FloatColumn:
    """float64[v]: values of the visible innermost nodes; NaN = inner node, or not measured."""
    return np.where(tree.leaf, item_values(tree, column, metric), np.nan)


def _heights(tree: VisibleTree, column: FloatColumn, metric: Metric, axis: Axis) -> tuple[FloatColumn, Legend]:
    _check_amount(metric, "height")
    values = _leaf_values(tree, column, metric)
    height = TALLEST * np.nan_to_num(axis.place(values))
    height.flags.writeable = False
    return height, Legend(metric, axis, tallest=TALLEST, missing=int(np.isnan(values[tree.leaf]).sum()))


def _colors(
    tree: VisibleTree,
    column: FloatColumn,
    metric: Metric,
    axis: Axis,
    color_map: str,
    theme: str,
    names: tuple[str, ...],
    classes: tuple[str, ...],
) -> tuple[Colors, Legend]:
    look = THEMES[theme]
    values = _leaf_values(tree, column, metric)
    missing = int(np.isnan(values[tree.leaf]).sum())
    if metric.names is not None:
        color, entries = class_colors(tree, column, names, classes, look)
        legend = Legend(metric, axis, missing=missing, classes=entries)
    else:
        color = map_colors(axis.place(values), color_map, look.missing)
        bare = empty_containers(tree.graph)[tree.key] & tree.leaf
        color[bare] = look.ground  # nothing is in them that a colour could tell
        legend = Legend(metric, axis, map_stops(color_map), missing=missing)
    greys = np.array(look.inner, np.uint8)  # pairs by ring, within a pair by neighbour
    for level in range(tree.rings + 1):
        inner = np.flatnonzero(~tree.leaf & (tree.level == level))
        color[inner] = greys[level % 2, np.arange(len(inner)) % 2]
    color.flags.writeable = False
    return color, legend


def _curve_color(count: int, theme: str, colors: str) -> Colors:
    """uint8[count, S, 4]: one gradient for all relations, stored once and viewed by every row."""
    color = np.full((SAMPLES, 4), round(255 * RELATION_ALPHA), np.uint8)
    color[:, :3] = np.rint(gradient(*relation_ends(THEMES[theme], colors), SAMPLES))
    return np.broadcast_to(color, (count, SAMPLES, 4))


def _without_unchanged(hidden: frozenset[int], plan: PlannedChanges, graph: Graph) -> frozenset[int]:
    return hidden | unchanged_tops(plan, graph)


def _fresh(
    color: Colors, plan: PlannedChanges, of_target: bool, lifted: LiftedEdges, fan: FanOut, theme: str
) -> Colors:
    """uint8[e, S, 4]: curves of relations that the other version lacks get one colour of their own."""
    only = plan.fresh if of_target else plan.gone
    if len(only) != len(lifted.of_edge):
        return color
    marked = np.zeros(len(lifted.count), np.bool_)
    marked[lifted.of_edge[only & (lifted.of_edge >= 0)]] = True
    color = color.copy()
    color[marked[fan.lifted]] = (*THEMES[theme].accent[:3], round(255 * FRESH_ALPHA))
    return color


def _by_distance(color: Colors, tree: VisibleTree, source: IntColumn, target: IntColumn) -> Colors:
    """uint8[e, S, 4]: the opacity of each curve by the hierarchy distance of its ends (DND-7)."""
    color = color.copy()
    color[:, :, 3] = np.rint(255 * by_distance(tree, source, target))[:, None]
    return color
