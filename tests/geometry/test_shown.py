"""What a view shows at all: guesses, packages outside, kinds of relations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.geometry.overlay.furniture import tooltip_lines
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.scene.shown import OUTSIDE_SHARE, counts, outside_tops, shown_relations
from cbvtool.geometry.state.view_state import Drag, Mapping, ViewState
from cbvtool.graph import EXTERNAL, Graph, GraphBuilder

MAPPING = Mapping("sloc", "complexity", "sloc")


@pytest.fixture
def graph() -> Graph:
    """a imports b and numpy (three times) and os, calls b.f, and may call c; b inherits from something in c."""
    builder = GraphBuilder("shop")
    for path in ("a.py", "b.py", "c.py"):
        builder.add_node(path, "", path, "file", file=path, values={"sloc": 100})
    builder.add_node("b.py::f", "b.py", "f", "function", file="b.py", values={"sloc": 20})
    builder.add_node("external", "", "(external)", EXTERNAL)
    for package in ("numpy", "os"):
        builder.add_node(f"external:{package}", "external", package, EXTERNAL)
    for user, used, kind, confidence, weight in (
        ("a.py", "b.py", "import", 0, 1),
        ("a.py", "b.py::f", "call", 1, 1),
        ("a.py", "c.py", "call", 2, 1),
        ("b.py", "c.py", "inherit", 1, 1),
        ("a.py", "external:numpy", "import", 0, 3),
        ("b.py", "external:os", "import", 0, 1),
    ):
        builder.add_edge(builder.key(user), builder.key(used), kind, confidence=confidence, weight=weight)
    return builder.freeze()


def scene_of(graph: Graph, pipeline: Pipeline | None = None, **state: object) -> Scene:
    view = ViewState(mapping=MAPPING, expanded=frozenset(range(len(graph))), **state)  # type: ignore[arg-type]
    return (pipeline or Pipeline()).scene(graph, None, view)


def drawn(scene: Scene) -> set[tuple[str, str]]:
    ids, key = scene.graph.ids, scene.tree.key
    return {(ids[key[a]], ids[key[b]]) for a, b in zip(scene.curve_source, scene.curve_target, strict=True)}


SURE = {("a.py", "b.py"), ("a.py", "b.py::f"), ("b.py", "c.py")}
GUESSED = {("a.py", "c.py")}
OUTSIDE = {("a.py", "external:numpy"), ("b.py", "external:os")}


def test_guesses_and_packages_are_hidden_by_default(graph: Graph) -> None:
    """One switch each."""
    assert drawn(scene_of(graph)) == SURE
    assert drawn(scene_of(graph, guesses=True)) == SURE | GUESSED
    assert drawn(scene_of(graph, external=True)) == SURE | OUTSIDE
    assert drawn(scene_of(graph, external=True, guesses=True)) == SURE | GUESSED | OUTSIDE


def test_kinds_can_be_switched_off(graph: Graph) -> None:
    """CBV-13: kinds of relations are told apart."""
    assert drawn(scene_of(graph, kinds_off=frozenset({"call", "no such kind"}))) == {("a.py", "b.py"), ("b.py", "c.py")}
    assert drawn(scene_of(graph, kinds_off=frozenset({"import", "call", "inherit"}))) == set()


def test_relations_of_definitions_end_at_them_when_their_file_is_open(graph: Graph) -> None:
    """Calls end at functions: the segment of the collapsed file takes them until it is expanded."""
    closed = Pipeline().scene(graph, None, ViewState(mapping=MAPPING, expanded=frozenset({0})))
    assert drawn(closed) == {("a.py", "b.py"), ("b.py", "c.py")}
    assert drawn(scene_of(graph)) == SURE


def test_packages_take_their_share_by_use_and_no_place_while_hidden(graph: Graph) -> None:
    """They are seen, and not in the way: a fixed share together, numpy with three uses thrice as wide as os."""
    hidden, shown = scene_of(graph), scene_of(graph, external=True)
    assert not any(graph.kind(key) == EXTERNAL for key in hidden.tree.key.tolist())
    layout = shown.layout

    def extent(node: str) -> float:
        item = int(np.flatnonzero(shown.tree.key == graph.key_of[node])[0])
        return float(layout.a1[item] - layout.a0[item])

    assert extent("external") == pytest.approx(2 * np.pi * OUTSIDE_SHARE, rel=0.05)  # gaps take a little of it
    assert extent("external:numpy") == pytest.approx(3 * extent("external:os"), rel=0.15)
    layout = Pipeline().scene(graph, None, replace(shown.state, mapping=Mapping("fan_in", "sloc", "sloc"))).layout
    assert extent("external") == pytest.approx(2 * np.pi * OUTSIDE_SHARE, rel=0.2)
    layout = Pipeline().scene(graph, None, replace(shown.state, mapping=Mapping("commits", "sloc", "sloc"))).layout
    assert extent("external") < np.pi, "nothing is measured: all are alike"


def test_switching_guesses_lays_nothing_out(graph: Graph) -> None:
    """Design 1: segments stay where they are, whatever relations are drawn."""
    pipeline = Pipeline()
    before = scene_of(graph, pipeline)
    pipeline.runs.clear()
    after = scene_of(graph, pipeline, guesses=True)
    assert after.layout is before.layout
    assert {"relations", "lifted"} <= set(pipeline.runs)
    assert not {"tree", "layout", "weight", "mesh"} & set(pipeline.runs)


def test_what_is_dragged_takes_the_shown_relations_along(graph: Graph) -> None:
    """DND-1: the same filter decides."""
    held = graph.key_of["c.py"]
    for guesses, partners in ((False, {"b.py"}), (True, {"a.py", "b.py"})):
        scene = scene_of(graph, guesses=guesses, drag=Drag((held,)))
        assert scene.drag is not None
        assert {graph.ids[scene.tree.key[item]] for item in scene.drag.item} == partners


def test_a_tooltip_counts_what_is_shown(graph: Graph) -> None:
    """CBV-8: the card says what one sees."""
    for guesses, text in ((False, "used by 1 relation"), (True, "used by 2 relations")):
        scene = scene_of(graph, guesses=guesses)
        item = int(scene.tree.represent[graph.key_of["c.py"]])
        assert tooltip_lines(scene, item)[-1].endswith(text)


def test_counts_of_the_switches(graph: Graph) -> None:
    """What each switch is about; what a plan removed does not count."""
    found = counts(graph)
    assert (found.guesses, found.packages, dict(found.kinds)) == (1, 2, {"import": 3, "call": 2, "inherit": 1})
    assert dict(counts(graph, guesses=False, external=False).kinds) == {"import": 1, "call": 1, "inherit": 1}
    assert list(counts(graph.with_(edges=graph.edges.take(np.array([4]))), external=False).kinds.items()) == [
        ("import", 0)
    ]
    parent = graph.parent.copy()
    parent[graph.key_of["c.py"]] = parent[graph.key_of["external:os"]] = -2
    rest = counts(graph.with_(parent=parent))
    assert (rest.guesses, rest.packages, dict(rest.kinds)) == (0, 1, {"import": 2, "call": 1})
    assert outside_tops(graph) == {graph.key_of["external"]}
    parent[[graph.key_of["external"], graph.key_of["external:numpy"]]] = -2
    assert outside_tops(graph.with_(parent=parent)) == frozenset()


def test_the_mask_covers_all_relations(graph: Graph) -> None:
    """One row for each relation of the graph: lists use it as it is."""
    assert shown_relations(graph, True, True, frozenset()).all()
    assert shown_relations(graph, False, False, frozenset()).tolist() == [True, True, False, True, False, False]
    nothing = graph.with_(edges=graph.edges.take(np.zeros(0, np.int64)))
    assert len(shown_relations(nothing, False, False, frozenset())) == 0
