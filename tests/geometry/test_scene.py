"""The pipeline: one slot for each stage (design 1), and what a scene shows of a graph."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given

from cbvtool.errors import InputError
from cbvtool.geometry.colors import COLOR_MAPS, THEMES
from cbvtool.geometry.scales import TALLEST, Scale
from cbvtool.geometry.scene.scene import Pipeline, Scene, item_values
from cbvtool.geometry.state.view_state import Drag, Mapping, RelationFilter, ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.empty import empty_containers
from cbvtool.metrics import METRICS
from cbvtool.mining.changes import Changes
from tests.layout.cases import Case, cases, random_graph

MAPPING = Mapping("sloc", "complexity", "sloc")
LAYOUT = {"weight", "tree", "layout", "lifted", "routes", "curves", "ends", "boxes", "shape", "blocks"}


@pytest.fixture
def graph() -> Graph:
    return random_graph(120, 300, seed=1)


def rerun(pipeline: Pipeline, graph: Graph, state: ViewState, changes: Changes | None = None) -> set[str]:
    """The stages that run for `state`."""
    before = pipeline.runs.copy()
    pipeline.scene(graph, changes, state)
    return set(pipeline.runs - before)


@pytest.fixture
def shown(graph: Graph) -> tuple[Pipeline, ViewState]:
    pipeline, state = Pipeline(), ViewState(expanded=frozenset({0, 1, 2, 3}), mapping=MAPPING)
    pipeline.scene(graph, None, state)
    return pipeline, state


def test_the_same_state_computes_nothing(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """Design 1: inputs are compared; equal states are the same input."""
    pipeline, state = shown
    assert rerun(pipeline, graph, replace(state, expanded=frozenset([3, 2, 1, 0]))) == set()


def test_a_copy_of_the_state_computes_nothing(graph: Graph) -> None:
    """No field of the view state is of a type that is taken for another input at each call."""
    pipeline = Pipeline()
    filters = RelationFilter("selection", cycles=True, violations=True, distance=3, crossing=True)
    log = Scale("log", 1.0)
    ways = Mapping("sloc", "complexity", "sloc", angle_by="mean", height_scale=log, color_scale=Scale("log"))
    state = ViewState(
        expanded=frozenset({0, 1, 2, 3}),
        hidden=frozenset({9}),
        only="sloc > 1",
        kinds_off=frozenset({"call"}),
        filter=filters,
        selected=(1, 2),
        mapping=ways,
        drag=Drag((4,), 2),
    )
    pipeline.scene(graph, None, state)
    assert {"drag", "of_nodes", "sure", "by_ends", "filtered", "crossing", "angle_combined"} <= set(pipeline.runs)
    assert rerun(pipeline, graph, deepcopy(state)) == set()


def test_an_input_is_of_a_type_that_can_be_compared() -> None:
    """A new frozen type is compared by its value; one that would be recomputed at each call is refused."""

    @dataclass(frozen=True)
    class Value:
        number: int

    @dataclass(frozen=True, eq=False)
    class Columns:
        column: object

    @dataclass
    class Changing:
        number: int

    pipeline, column = Pipeline(), np.zeros(3)

    def runs(*inputs: object) -> int:
        pipeline._run("stage", lambda *_: None, *inputs)
        return pipeline.runs["stage"]

    assert [runs(Value(1)), runs(Value(1)), runs(Value(2)), runs(Value(2))] == [1, 1, 2, 2]
    kept = Columns(column)
    assert [runs(kept, column), runs(kept, column), runs(Columns(column), column)] == [3, 3, 4]
    assert [runs(kept, column), runs(kept, column.copy())] == [5, 6]
    runs(Changing(1))
    with pytest.raises(TypeError, match="Changing is no input of a stage"):
        runs(Changing(1))


def test_hover_and_selection_compute_nothing(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """Highlight within 50 ms: pointing at things builds no geometry."""
    pipeline, state = shown
    assert rerun(pipeline, graph, replace(state, hovered=3, selected=(4, 5))) == set()


def test_another_colour_metric_does_not_lay_out(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """Design 1: "a change of colour does not lay out"."""
    pipeline, state = shown
    colored, raised = {"color_axis", "color", "mesh"}, {"height_axis", "height", "raised", "mesh"}
    assert rerun(pipeline, graph, replace(state, mapping=replace(MAPPING, color="complexity"))) == colored
    assert rerun(pipeline, graph, replace(state, mapping=replace(MAPPING, color_map="thesis"))) == colored
    log = replace(MAPPING, color_map="thesis", color_scale=Scale("log"))
    assert rerun(pipeline, graph, replace(state, mapping=log)) == colored
    high = replace(log, height_scale=Scale("quantile"))
    assert rerun(pipeline, graph, replace(state, mapping=high)) == raised
    assert rerun(pipeline, graph, replace(state, mapping=replace(high, thickness="count"))) == {"thickness"}
    assert rerun(pipeline, graph, replace(state, mapping=replace(high, height_by="mean", thickness="count"))) == {
        "height_metric",
        "height_combined",
        *raised,
    }


def test_another_height_metric_moves_points_only(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """A mapping change keeps the triangles."""
    pipeline, state = shown
    before = pipeline.scene(graph, None, state).mesh
    other = replace(state, mapping=replace(MAPPING, height="sloc"))
    assert rerun(pipeline, graph, other) == {"height_axis", "height", "raised", "mesh"}
    assert pipeline.scene(graph, None, other).mesh.triangles is before.triangles


def test_beta_only_bends_the_curves(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """CBV-2: the slider is live: neither paths nor layout are computed again."""
    pipeline, state = shown
    assert rerun(pipeline, graph, replace(state, beta=0.5)) == {"curves"}


def test_another_theme_only_recolours(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """Look-and-feel: a theme is colours."""
    pipeline, state = shown
    assert rerun(pipeline, graph, replace(state, theme="dark")) == {"color", "mesh", "curve_color", "drag_color"}


def test_another_time_range_does_not_lay_out(graph: Graph) -> None:
    """Design 1: the range changes history metrics, not the angles by size."""
    changes = Changes(
        ("a", "b"),
        np.array([100, 200]),
        np.array([0, 1], np.int32),
        ("x@y", "z@y"),
        np.array([0, 1], np.int32),
        np.array([0, 0], np.int32),
        (graph.ids[-1],),
        head="b",
    )
    pipeline = Pipeline()
    state = ViewState(expanded=frozenset({0}), mapping=Mapping("sloc", "commits", "sloc"))
    pipeline.scene(graph, changes, state)
    ran = rerun(pipeline, graph, replace(state, since=150), changes)
    assert {"values", "height"} <= ran
    assert not ran & LAYOUT


def test_expanding_does_not_weigh_again(graph: Graph, shown: tuple[Pipeline, ViewState]) -> None:
    """CBV-6: what nodes weigh follows from the graph and the angle metric alone."""
    pipeline, state = shown
    ran = rerun(pipeline, graph, replace(state, expanded=state.expanded | {5}))
    assert "weight" not in ran
    assert "tree" in ran


def test_an_unknown_metric_or_colour_map_is_one_sentence(graph: Graph) -> None:
    """A mapping can come from a document that somebody edited."""
    with pytest.raises(InputError, match="beauty"):
        Pipeline().scene(graph, None, ViewState(mapping=replace(MAPPING, color="beauty")))
    with pytest.raises(InputError, match="rainbow"):
        Pipeline().scene(graph, None, ViewState(mapping=replace(MAPPING, color_map="rainbow")))


def scene_of(case: Case) -> Scene:
    values = {"sloc": np.abs(case.weight), "complexity": np.abs(case.weight[::-1])}
    state = ViewState(expanded=case.expanded, root=case.root, hidden=case.hidden, mapping=MAPPING)
    return Pipeline().scene(case.graph.with_(values=values), None, state)


@given(cases())
def test_heights_are_one_scale_for_all_leaves(case: Case) -> None:
    """CBV-3: normalised over all visible innermost nodes; 0 for what was not measured, for inner nodes, and where all
    are alike."""
    scene = scene_of(case)
    tree = scene.tree
    values = item_values(tree, scene.values["complexity"], METRICS["complexity"])
    assert not scene.height[~tree.leaf].any()
    assert not scene.height[np.isnan(values)].any()
    assert (scene.height <= TALLEST).all()
    leaves = tree.leaf & ~np.isnan(values)
    assert scene.height_legend.missing == (tree.leaf & np.isnan(values)).sum()
    if leaves.any() and values[leaves].max() == values[leaves].min():
        assert not scene.height.any()
    elif leaves.any():
        top = scene.height_legend.maximum
        np.testing.assert_allclose(scene.height[leaves], TALLEST * np.minimum(values[leaves] / top, 1))
        assert scene.height_legend.axis.above == (values[leaves] > top).sum()
        assert top == values[leaves].max() or scene.height_legend.axis.above
        assert scene.height_legend.minimum == 0


@given(cases())
def test_only_leaves_carry_the_colour_map(case: Case) -> None:
    """Look-and-feel: inner nodes in two close greys per ring; not measured is a neutral grey."""
    scene = scene_of(case)
    theme = THEMES["light"]
    greys = {color for pair in theme.inner for color in pair}
    values = item_values(scene.tree, scene.values["sloc"], METRICS["sloc"])
    bare = empty_containers(case.graph)
    for item in range(len(scene.tree)):
        color = tuple(scene.color[item].tolist())
        if not scene.tree.leaf[item]:
            assert color in greys
        elif bare[scene.tree.key[item]]:
            assert color == theme.ground  # nothing is in it that a colour could tell
        elif np.isnan(values[item]):
            assert color == theme.missing
        else:
            assert color not in greys | {theme.missing}


@given(cases())
def test_the_columns_of_a_scene_fit_together(case: Case) -> None:
    """Contract of the scene: every curve is of a lifted relation, every triangle of an item."""
    scene = scene_of(case)
    e, v = len(scene.curves), len(scene.tree)
    assert scene.curve_color.shape == (*scene.curves.shape[:2], 4)
    assert len(scene.curve_source) == len(scene.curve_target) == len(scene.curve_lifted) == len(scene.curve_boxes) == e
    np.testing.assert_array_equal(scene.lifted.source[scene.curve_lifted], scene.curve_source)
    np.testing.assert_array_equal(scene.lifted.target[scene.curve_lifted], scene.curve_target)
    assert len(scene.height) == len(scene.color) == v
    assert scene.mesh.triangle_item.max() < v
    assert (scene.curves[:, :, :2] >= scene.curve_boxes[:, None, :2] - 1e-6).all()
    assert (scene.curves[:, :, :2] <= scene.curve_boxes[:, None, 2:] + 1e-6).all()


def test_relations_run_from_teal_to_orange(graph: Graph) -> None:
    """CBV-4, look-and-feel: the user's end and the used end differ, 35 % opaque."""
    scene = Pipeline().scene(graph, None, ViewState(mapping=MAPPING))
    light = THEMES["light"]
    assert (scene.curve_color[:, 0, :3] == light.user[:3]).all()
    assert (scene.curve_color[:, -1, :3] == light.used[:3]).all()
    assert (scene.curve_color[:, :, 3] == round(0.35 * 255)).all()


def test_a_slot_has_its_owners_own_part_of_a_sum() -> None:
    """The `(module)` slot stands for what a file is apart from its functions."""
    builder = GraphBuilder("shop")
    builder.add_node("a.py", "", "a.py", "file", values={"sloc": 5})
    builder.add_node("a.py::f", "a.py", "f", "function", values={"sloc": 30})
    graph = builder.freeze()
    scene = Pipeline().scene(
        graph, None, ViewState(expanded=frozenset({0, 1}), mapping=Mapping("sloc", "sloc", "sloc"))
    )
    assert scene.tree.slot.tolist() == [False, False, True, False]
    values = item_values(scene.tree, scene.values["sloc"], METRICS["sloc"])
    assert values.tolist() == [35, 35, 5, 30]
    np.testing.assert_allclose(scene.height, [0, 0, TALLEST * 5 / 30, TALLEST])


def test_values_are_computed_when_asked_for(graph: Graph) -> None:
    """Tooltips give absolute values of any metric; only the mapped ones are computed for a picture."""
    computed = []

    def spy(name: str):
        metric = METRICS[name]
        return replace(metric, compute=lambda subject: computed.append(name) or metric.compute(subject))

    metrics = {name: spy(name) for name in METRICS}
    scene = Pipeline().scene(graph, None, ViewState(mapping=MAPPING), metrics)
    assert set(computed) == {"sloc", "complexity"}
    assert list(scene.values) == list(METRICS)
    assert scene.values["fan_in"].shape == (len(graph),)
    assert scene.values["fan_in"][graph.root] == 0, "nothing lies outside of the root"
    assert set(computed) == {"sloc", "complexity", "fan_in"}


def test_dragging_closes_up_and_keeps_the_rest(graph: Graph) -> None:
    """DND-1: what is dragged leaves the layout; while the pointer moves over one target nothing is laid out."""
    pipeline = Pipeline()
    state = ViewState(expanded=frozenset({0}), mapping=MAPPING)
    held = int(graph.children(0)[2])
    dragging = pipeline.scene(graph, None, replace(state, drag=Drag((held,))))
    assert dragging.tree.represent[held] == -1
    assert held not in dragging.tree.key
    target = int(graph.children(0)[4])
    assert rerun(pipeline, graph, replace(state, drag=Drag((held,), target))) == {"drag"}
    assert rerun(pipeline, graph, replace(state, drag=Drag((held,), target))) == set()
    assert dragging.drag is not None
    assert len(dragging.drag_color) == len(dragging.drag.fixed)
    assert pipeline.scene(graph, None, state).drag is None


def test_dragging_leaves_the_scales_alone() -> None:
    """DND-1: nothing changes its colour or height while something is held, be it the largest of all."""
    builder = GraphBuilder("root")
    for name, lines in (("small", 10.0), ("middle", 20.0), ("large", 90.0)):
        builder.add_node(name, "", name, "file", values={"sloc": lines})
    graph = builder.freeze()
    pipeline, state = Pipeline(), ViewState(expanded=frozenset({0}), mapping=Mapping("sloc", "sloc", "sloc"))
    before = pipeline.scene(graph, None, state)
    dragging = pipeline.scene(graph, None, replace(state, drag=Drag((graph.key_of["large"],))))
    for column in ("height", "color"):
        kept = {key: getattr(before, column)[before.tree.represent[key]].tolist() for key in (1, 2)}
        assert {key: getattr(dragging, column)[dragging.tree.represent[key]].tolist() for key in (1, 2)} == kept
    assert dragging.height_legend.maximum == dragging.color_legend.maximum == 90


def test_what_takes_next_to_nothing_of_the_ring_does_not_take_the_colours() -> None:
    """CBV-4: a tiny file that consists of nothing else than what is measured leaves the others their colours."""
    builder = GraphBuilder("root")
    for number in range(4):
        builder.add_node(
            f"{number}.py", "", f"{number}.py", "file", values={"sloc": 1000.0, "nl3_lines": 10.0 * number}
        )
    builder.add_node("tiny.py", "", "tiny.py", "file", values={"sloc": 3.0, "nl3_lines": 3.0})
    scene = Pipeline().scene(
        builder.freeze(), None, ViewState(expanded=frozenset({0}), mapping=Mapping("sloc", "sloc"))
    )
    legend = scene.color_legend
    assert legend.maximum == pytest.approx(0.03)
    assert legend.axis.above == 1
    assert legend.show(legend.maximum) == "≥ 3 %"
    assert scene.height_legend.maximum == 1000


@pytest.mark.parametrize("name", COLOR_MAPS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_map_and_theme_draws(graph: Graph, name: str, theme: str) -> None:
    """CBV-4: with a legend for each map."""
    scene = Pipeline().scene(graph, None, ViewState(mapping=replace(MAPPING, color_map=name), theme=theme))
    stops = scene.color_legend.stops
    assert (stops[0][0], stops[-1][0]) == (0.0, 1.0)
    largest = int(np.argmax(np.where(scene.tree.leaf, scene.values["sloc"][scene.tree.key], -1)))
    assert tuple(scene.color[largest].tolist()) == stops[-1][1]
    assert scene.color_legend.label == METRICS["sloc"].label
    assert scene.color_legend.unit == METRICS["sloc"].unit
