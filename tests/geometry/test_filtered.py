"""Which relations a filter leaves: modes, directions, cycles, violations, confidence (CBV-7, DND-6, DND-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scene.filtered import FAINT, STRONG, hierarchy_distance, subtree_items
from cbvtool.geometry.scene.scene import NO_RULES, Pipeline, Scene
from cbvtool.geometry.state.view_state import Mapping, RelationFilter, ViewState, relation_filter
from cbvtool.graph import Confidence, Graph, GraphBuilder
from cbvtool.layout.depth import expanded_to
from cbvtool.rules import Rules, parse_rules, violations
from tests.layout.cases import random_graph

MAPPING = Mapping("sloc", "complexity", "sloc")


def scene_of(
    graph: Graph,
    pipeline: Pipeline | None = None,
    rules: Rules = NO_RULES,
    state: dict[str, Any] | None = None,
    **chosen: Any,
) -> Scene:
    """The scene of `graph`, everything expanded, with this relation filter."""
    view = ViewState(mapping=MAPPING, expanded=expanded_to(graph, 9), filter=RelationFilter(**chosen), **(state or {}))
    return (pipeline or Pipeline()).scene(graph, None, view, rules=rules)


def drawn(scene: Scene) -> set[tuple[str, str]]:
    ids, key = scene.graph.ids, scene.tree.key
    ends = zip(scene.lifted.source, scene.lifted.target, strict=True)
    found = {(ids[key[a]], ids[key[b]]) for a, b in ends}
    curves = zip(scene.curve_source, scene.curve_target, strict=True)
    assert {(ids[key[a]], ids[key[b]]) for a, b in curves} == found, "what is listed is what is drawn"
    return found


@pytest.fixture
def graph() -> Graph:
    """core/a -> core/b -> io/c -> io/d -> core/a, and web/e -> core/a, d -> f (a guess), b -> a (type checking)."""
    builder = GraphBuilder("p")
    for folder in ("core", "io", "web"):
        builder.add_node(folder, "", folder, "folder")
    for name in ("core/a", "core/b", "io/c", "io/d", "web/e", "web/f"):
        builder.add_node(name, name.partition("/")[0], name[-1], "file", file=name, values={"sloc": 10})
    for user, used, confidence in (
        ("core/a", "core/b", 0),
        ("core/b", "io/c", 1),
        ("io/c", "io/d", 1),
        ("io/d", "core/a", 0),
        ("web/e", "core/a", 1),
        ("io/d", "web/f", 2),
    ):
        builder.add_edge(builder.key(user), builder.key(used), "import", confidence=confidence)
    return builder.freeze()


ALL = {("core/a", "core/b"), ("core/b", "io/c"), ("io/c", "io/d"), ("io/d", "core/a"), ("web/e", "core/a")}


def test_all_is_the_neutral_mode(graph: Graph) -> None:
    """DND-6: nothing is left out, and no stage runs that nobody uses."""
    pipeline = Pipeline()
    scene = scene_of(graph, pipeline)
    assert drawn(scene) == ALL
    assert scene.total == len(ALL)
    assert not {"of_nodes", "by_ends", "sure", "crossing", "affected"} & set(pipeline.runs)


@pytest.mark.parametrize(
    ("direction", "wanted"),
    [
        ("both", {("core/a", "core/b"), ("core/b", "io/c"), ("io/d", "core/a"), ("web/e", "core/a")}),
        ("out", {("core/a", "core/b"), ("core/b", "io/c")}),
        ("in", {("core/a", "core/b"), ("io/d", "core/a"), ("web/e", "core/a")}),
    ],
)
def test_only_those_of_the_selection(graph: Graph, direction: str, wanted: set[tuple[str, str]]) -> None:
    """DND-6: a folder stands for its whole subtree; incoming, outgoing, both."""
    state = {"selected": (graph.key_of["core"],)}
    scene = scene_of(graph, mode="selection", direction=direction, state=state)
    assert drawn(scene) == wanted
    assert scene.total == len(ALL)
    hovered = scene_of(graph, mode="selection", direction=direction, state={"hovered": graph.key_of["core"]})
    assert drawn(hovered) == wanted
    both = {"selected": (graph.key_of["web/e"],), "hovered": graph.key_of["core"]}
    assert drawn(scene_of(graph, mode="selection", state=both)) == {("web/e", "core/a")}, "the selection comes first"
    assert drawn(scene_of(graph, mode="selection")) == set()


def test_indirect_ones_to_a_depth(graph: Graph) -> None:
    """DND-6: transitive, step by step, each direction by itself."""
    state = {"selected": (graph.key_of["web/e"],)}
    way = [("web/e", "core/a"), ("core/a", "core/b"), ("core/b", "io/c"), ("io/c", "io/d"), ("io/d", "core/a")]
    for depth in range(1, 6):
        assert drawn(scene_of(graph, mode="indirect", depth=depth, state=state)) == set(way[:depth])
    assert drawn(scene_of(graph, mode="indirect", depth=0, state=state)) == set(way)
    assert drawn(scene_of(graph, mode="indirect", depth=0, direction="in", state=state)) == set()


@given(st.integers(0, 50), st.integers(0, 3), st.sampled_from(["in", "out", "both"]))
def test_indirect_ones_are_those_of_networkx(seed: int, depth: int, direction: str) -> None:
    """DND-6: a relation is shown when its near end is less than `depth` steps away."""
    graph = random_graph(20, 30, seed=seed)
    whole = scene_of(graph)
    key = int(graph.tree.order[seed % len(graph)])
    judge = nx.DiGraph(list(zip(whole.lifted.source.tolist(), whole.lifted.target.tolist(), strict=True)))
    judge.add_nodes_from(range(len(whole.tree)))
    start = set(np.flatnonzero(subtree_items(whole.tree, (key,))).tolist())
    wanted = set()
    for name, way in (("out", judge), ("in", judge.reverse())):
        if direction in (name, "both"):
            far = nx.multi_source_dijkstra_path_length(way, start) if start else {}
            near = {item for item, length in far.items() if not depth or length < depth}
            wanted |= {(a, b) for a, b in judge.edges if (a if name == "out" else b) in near}
    scene = scene_of(graph, mode="indirect", depth=depth, direction=direction, state={"selected": (key,)})
    assert set(zip(scene.lifted.source.tolist(), scene.lifted.target.tolist(), strict=True)) == wanted
    for row in np.flatnonzero(scene.lifted.of_edge >= 0).tolist():
        item = scene.tree.represent
        ends = item[graph.edges.source[row]], item[graph.edges.target[row]]
        lifted = scene.lifted.of_edge[row]
        assert ends == (scene.lifted.source[lifted], scene.lifted.target[lifted])


def test_only_cycles_at_the_visible_level(graph: Graph) -> None:
    """CBV-7: strongly connected components of what is seen: of files, or of collapsed folders."""
    assert drawn(scene_of(graph, cycles=True)) == ALL - {("web/e", "core/a")}
    folders = ViewState(mapping=MAPPING, expanded=frozenset({0}), filter=RelationFilter(cycles=True))
    assert drawn(Pipeline().scene(graph, None, folders)) == {("core", "io"), ("io", "core")}
    with_guess = {"guesses": True, "external": True}
    assert ("io/d", "web/f") not in drawn(scene_of(graph, cycles=True, state=with_guess))


@given(st.integers(0, 50))
def test_cycles_are_those_of_networkx(seed: int) -> None:
    """CBV-7: an independent judge."""
    graph = random_graph(15, 30, seed=seed)
    whole, found = scene_of(graph), scene_of(graph, cycles=True)
    pairs = list(zip(whole.lifted.source.tolist(), whole.lifted.target.tolist(), strict=True))
    component = {i: n for n, c in enumerate(nx.strongly_connected_components(nx.DiGraph(pairs))) for i in c}
    wanted = {(a, b) for a, b in pairs if component[a] == component[b]}
    assert set(zip(found.lifted.source.tolist(), found.lifted.target.tolist(), strict=True)) == wanted


def test_only_violations(graph: Graph) -> None:
    """CBV-7: those that break a rule, as the list of violations names them."""
    rules = parse_rules('[rules]\nlayers = ["web", "core", "io"]\n')
    scene = scene_of(graph, violations=True, rules=rules)
    ids = graph.ids
    assert drawn(scene) == {(ids[v.source], ids[v.target]) for v in violations(graph, rules)} == {("io/d", "core/a")}
    assert scene.relations.sum() == 1
    assert drawn(scene_of(graph, violations=True)) == set()


def test_least_confidence(graph: Graph) -> None:
    """CBV-7: the switch for guesses stays."""
    guesses = {"guesses": True}
    assert len(drawn(scene_of(graph, state=guesses))) == 6
    assert drawn(scene_of(graph, confidence=Confidence.RESOLVED, state=guesses)) == ALL
    assert drawn(scene_of(graph, confidence=Confidence.EXACT)) == {("core/a", "core/b"), ("io/d", "core/a")}


def test_least_distance_and_crossing(graph: Graph) -> None:
    """DND-7: through the least common ancestor; the farther the stronger, as a switch."""
    assert drawn(scene_of(graph, distance=3)) == {("core/b", "io/c"), ("io/d", "core/a"), ("web/e", "core/a")}
    assert drawn(scene_of(graph, distance=5)) == set()
    plain, crossing = scene_of(graph), scene_of(graph, crossing=True)
    assert crossing.curves is not None
    alpha = {
        (graph.ids[plain.tree.key[a]], graph.ids[plain.tree.key[b]]): int(color[0, 3])
        for a, b, color in zip(crossing.curve_source, crossing.curve_target, crossing.curve_color, strict=True)
    }
    assert alpha["core/a", "core/b"] == round(255 * FAINT)
    assert alpha["core/b", "io/c"] == round(255 * STRONG)
    assert len(np.unique(plain.curve_color[:, :, 3])) == 1


def test_distances_against_walking_up() -> None:
    """DND-7: steps of the tree, counted one by one."""
    graph = random_graph(40, 90, seed=5)
    scene = scene_of(graph)
    parent = scene.tree.parent.tolist()

    def ways_up(item: int) -> list[int]:
        return [item] if parent[item] < 0 else [item, *ways_up(parent[item])]

    lifted = scene.lifted
    distance = hierarchy_distance(scene.tree, lifted.source, lifted.target)
    for a, b, steps in zip(lifted.source.tolist(), lifted.target.tolist(), distance.tolist(), strict=True):
        above, other = ways_up(a), ways_up(b)
        joint = next(item for item in above if item in other)
        assert steps == above.index(joint) + other.index(joint) >= 2


def test_a_hover_makes_only_its_own_relations(graph: Graph) -> None:
    """DND-6: nothing is laid out, lifted or filtered anew."""
    pipeline = Pipeline()
    scene_of(graph, pipeline, mode="selection", distance=3)
    pipeline.runs.clear()
    scene_of(graph, pipeline, mode="selection", distance=3, state={"hovered": graph.key_of["core"]})
    assert not {"tree", "layout", "lifted", "by_ends", "relations", "mesh", "color"} & set(pipeline.runs)
    pipeline.runs.clear()
    scene_of(graph, pipeline, mode="selection", distance=3, state={"hovered": graph.key_of["core"]})
    assert not pipeline.runs


def test_a_filter_is_read_from_a_document() -> None:
    """CBV-7: saved with the view; what makes no sense in a document is left out."""
    chosen = RelationFilter("indirect", 0, "in", True, True, 1, 4, True)
    assert relation_filter(vars(chosen)) == chosen
    damaged = {"mode": "every", "depth": -1, "direction": 3, "cycles": 1, "confidence": 7, "distance": 1, "more": 0}
    assert relation_filter(damaged) == RelationFilter()
    assert relation_filter({**damaged, "crossing": True}) == replace(RelationFilter(), crossing=True)
