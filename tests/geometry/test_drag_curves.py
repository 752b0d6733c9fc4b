"""Relations of what is dragged follow the pointer (DND-1)."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from cbvtool.geometry.scene.drag import DragCurves, bent_curves, drag_curves
from cbvtool.geometry.scene.filtered import subtree_items
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import Drag, Mapping, ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.radial import RadialLayout, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from tests.layout.cases import Case, cases, random_graph

POINT = st.tuples(st.floats(-1, 1), st.floats(-1, 1))


def dragged(
    graph: Graph, weight: np.ndarray, expanded: frozenset[int], keys: tuple[int, ...], target: int
) -> tuple[VisibleTree, RadialLayout, DragCurves]:
    tree = visible_tree(graph, expanded, 0, frozenset(keys), weight)
    layout = radial_layout(tree, weight)
    return tree, layout, drag_curves(graph, tree, layout, Drag(keys, target), 0.8)


@given(cases(), st.data(), POINT)
def test_one_end_stays_and_the_other_is_at_the_pointer(
    case: Case, data: st.DataObject, at: tuple[float, float]
) -> None:
    """DND-1: a curve joins the pointer with the node at its other end, whatever is aimed at."""
    graph = case.graph
    below = [int(key) for key in graph.tree.order[1:]]
    assume(below)
    held = data.draw(st.sampled_from(below))
    shown = [key for key in graph.tree.order.tolist() if not graph.is_below(key, held)]
    target = data.draw(st.sampled_from([-1, *shown]))
    tree, layout, drag = dragged(graph, case.weight, case.expanded, (held,), target)
    curves = drag.at(at)
    rows = np.arange(len(curves))
    free = np.where(drag.out, 0, -1)
    np.testing.assert_allclose(curves[rows, free, :2], np.tile(at, (len(curves), 1)), atol=1e-6)
    fixed = curves[rows, -1 - free]
    np.testing.assert_allclose(np.hypot(fixed[:, 0], fixed[:, 1]), layout.band0, atol=1e-6)
    angle = np.arctan2(fixed[:, 0], fixed[:, 1]) % (2 * np.pi)
    assert (angle > layout.a0[drag.item] - 1e-6).all()
    assert (angle < layout.a1[drag.item] + 1e-6).all()
    assert tree.leaf[drag.item].all()


@given(cases(), st.data())
def test_the_relations_are_those_that_leave_the_subtree(case: Case, data: st.DataObject) -> None:
    """DND-1: relations inside of what is dragged vanish, all others keep their weight and direction."""
    graph = case.graph
    below = [int(key) for key in graph.tree.order[1:]]
    assume(below)
    held = data.draw(st.sampled_from(below))
    _, _, drag = dragged(graph, case.weight, case.expanded, (held,), -1)
    weight = {True: 0.0, False: 0.0}
    edges = graph.edges
    for a, b, w in zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), strict=True):
        inside = [graph.parent[k] != -2 and graph.is_below(k, held) for k in (a, b)]
        if graph.parent[a] != -2 and graph.parent[b] != -2 and inside[0] != inside[1]:
            weight[inside[0]] += w
    assume(max(abs(w) for w in weight.values()) < 1e12)
    for out in (True, False):
        np.testing.assert_allclose(drag.weight[drag.out == out].sum(), weight[out], rtol=1e-6, atol=1e-3)


def test_several_nodes_move_together() -> None:
    """DND-1: the relations of all of them follow; those between them do not."""
    builder = GraphBuilder("shop")
    keys = [builder.add_node(name, "", name, "file") for name in "abcd"]
    for source, target in (("a", "b"), ("a", "c"), ("b", "d"), ("d", "a")):
        builder.add_edge(builder.key(source), builder.key(target), "import")
    graph = builder.freeze()
    weight = np.ones(len(graph))
    tree, _, drag = dragged(graph, weight, frozenset(), (keys[0], keys[1]), -1)
    ends = sorted(zip(tree.key[drag.item].tolist(), drag.out.tolist(), strict=True))
    assert ends == [(keys[2], True), (keys[3], False), (keys[3], True)]


def test_the_way_over_the_target_is_the_way_after_the_drop() -> None:
    """DND-1: aimed at the parent of the other end, the curve stays on that side of the circle."""
    builder = GraphBuilder("shop")
    for folder in ("north", "south", "x"):
        builder.add_node(folder, "", folder, "folder")
    for name in ("north/a", "north/b", "south/c", "x/held"):
        builder.add_node(name, name.split("/")[0], name, "file")
    builder.add_edge(builder.key("x/held"), builder.key("north/a"), "import")
    graph = builder.freeze()
    weight = np.where(np.arange(len(graph)) >= 4, 1.0, np.nan)
    opened, held = frozenset(range(len(graph))), (builder.key("x/held"),)

    def nearest_to_centre(target: str) -> float:
        tree, layout, drag = dragged(graph, weight, opened, held, builder.key(target))
        item = int(np.flatnonzero(tree.key == builder.key(target))[0])
        angle = (layout.a0[item] + layout.a1[item]) / 2
        curve = drag.at((0.98 * np.sin(angle), 0.98 * np.cos(angle)))[0]
        return float(np.hypot(curve[:, 0], curve[:, 1]).min())

    assert nearest_to_centre("south") < 0.25, "from the other side, through the middle"
    assert nearest_to_centre("north") > 0.4, "to a sibling, around it"


@given(POINT, st.floats(0.34, 0.66), st.integers(0, 24))
def test_a_relation_that_is_held_in_its_middle_bends_to_the_pointer(
    at: tuple[float, float], grip: float, number: int
) -> None:
    """DND-3: both ends stay, one sample of each curve is at the pointer; other relations are left out."""
    scene = _FEW
    number %= len(scene.lifted.source)
    user, used = (int(scene.tree.key[end[number]]) for end in (scene.lifted.source, scene.lifted.target))
    drag = bent_curves(
        scene.tree, scene.lifted, scene.fan, scene.curves, Drag((), act="invert", relation=(user, used), grip=grip)
    )
    curves = drag.at(at)
    inside = [subtree_items(scene.tree, (key,)) for key in (user, used)]
    expected = (inside[0][scene.lifted.source] & inside[1][scene.lifted.target])[scene.curve_lifted].sum()
    assert expected > 0
    assert len(curves) == expected
    assert (np.linalg.norm(curves[:, :, :2] - np.array(at), axis=2).min(axis=1) < 1e-5).all()
    whole = scene.curves[
        np.flatnonzero((inside[0][scene.lifted.source] & inside[1][scene.lifted.target])[scene.curve_lifted])
    ]
    for end in (0, -1):
        kept = {tuple(point) for point in curves[:, end].round(5).tolist()}
        assert kept == {tuple(point) for point in whole[:, end].round(5).tolist()}


_GRAPH = random_graph(20, 25, seed=2, deepest=3)
_FEW = Pipeline().scene(
    _GRAPH, None, ViewState(expanded=frozenset(range(len(_GRAPH))), mapping=Mapping("sloc", "complexity", "sloc"))
)
