"""The circular icicle plot (CBV-1): angles from weights, rings from levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.radial import RadialLayout, radial_layout, ring_radii
from cbvtool.layout.visible import VisibleTree, visible_tree
from tests.layout.cases import Case, cases, random_graph


def own_extents(case: Case, tree: VisibleTree) -> np.ndarray:
    """float64[n]: what each shown node adds to the circle, by the definition, node by node."""
    graph, weight = case.graph, case.weight
    leaves = [float(w) for key, w in enumerate(weight) if w > 0 and len(graph.children(key)) == 0]
    sample = leaves or [float(w) for w in weight if w > 0]
    slim = float(np.median(sample)) / 4 if sample else 1.0
    ends = set(graph.edges.source.tolist()) | set(graph.edges.target.tolist())
    result = np.zeros(len(graph))
    for key in np.flatnonzero(tree.represent >= 0).tolist():
        shown = any(tree.represent[child] >= 0 for child in graph.children(key))
        if weight[key] > 0:
            result[key] = weight[key]
        elif not shown or key in ends:
            result[key] = slim
    empty = [key for key in np.flatnonzero(result > 0).tolist() if is_empty(graph, key)]
    others = float(result.sum() - result[empty].sum())
    if empty and others > 0:  # DND-2: each gets 8 degrees at least, all together a quarter at most
        share = min(8 / 360, 1 / 4 / len(empty))
        result[empty] = np.maximum(result[empty], others * share / (1 - share * len(empty)))
    return result


def is_empty(graph: Graph, key: int) -> bool:
    """Whether a node is a container with nothing in it."""
    holds = graph.kind(key) in ("folder", "package") or graph.ids[key].startswith("plan:")
    return holds and key != graph.root and len(graph.children(key)) == 0


@given(cases())
def test_angles_are_prefix_sums_of_the_weights(case: Case) -> None:
    """Without gaps, angles are running sums over the preorder."""
    tree = case.tree()
    layout = case.layout(tree, gap=0.0, top_gap=0.0)
    own = own_extents(case, tree)
    total, running, before = own.sum(), 0.0, {}
    for key in case.graph.tree.order.tolist():
        before[key] = running
        running += own[key]
    for item, key in enumerate(tree.key.tolist()):
        below = own[key] if tree.slot[item] else own[case.graph.subtree(key)].sum()
        assert layout.a0[item] == pytest.approx(2 * np.pi * before[key] / total, abs=1e-9)
        assert layout.a1[item] == pytest.approx(2 * np.pi * (before[key] + below) / total, abs=1e-9)


@given(cases())
def test_children_lie_inside_their_parents_and_apart(case: Case) -> None:
    """Property lines "children inside parents" and "siblings do not overlap"; look-and-feel: gaps between them."""
    tree = case.tree()
    layout = case.layout(tree)
    assert (layout.a0 < layout.a1).all()
    for item in range(1, len(tree)):
        parent = tree.parent[item]
        assert layout.a0[parent] < layout.a0[item]
        assert layout.a1[item] < layout.a1[parent]
    for parent in range(len(tree)):
        children = np.flatnonzero(tree.parent == parent)
        assert (layout.a1[children[:-1]] < layout.a0[children[1:]]).all()


@given(cases())
def test_rings_follow_levels_and_leaves_reach_the_innermost(case: Case) -> None:
    """CBV-1: high levels outside, one ring each; a leaf above the deepest level still reaches the innermost ring."""
    tree = case.tree()
    layout = case.layout(tree)
    drawn = np.arange(len(tree)) >= min(1, len(tree) - 1)
    assert (layout.r0[tree.leaf & drawn] == layout.band0).all()
    for item in np.flatnonzero(drawn & (tree.level > 1)):
        parent = tree.parent[item]
        assert layout.r1[item] < layout.r0[parent], "below its parent's ring"
    assert layout.r1[drawn].max() == 1.0
    assert (layout.r0[drawn] < layout.r1[drawn]).all()
    assert 0.5 <= layout.band0 < layout.band1 <= 1.0


@given(cases())
def test_every_node_lies_inside_the_item_that_stands_for_it(case: Case) -> None:
    """CBV-5: where a hidden leaf would lie is inside its collapsed node, in the order of the tree."""
    tree = case.tree()
    layout = case.layout(tree)
    shown = tree.represent >= 0
    assert np.isnan(layout.key_angle[~shown]).all()
    item = tree.represent[shown]
    assert (layout.a0[item] <= layout.key_angle[shown]).all()
    assert (layout.key_angle[shown] <= layout.a1[item]).all()
    leaves = [k for k in case.graph.tree.order.tolist() if shown[k] and len(case.graph.children(k)) == 0]
    assert (np.diff(layout.key_angle[leaves]) > 0).all()


def test_expanding_moves_no_neighbour() -> None:
    """CBV-5, CBV-6: extents follow from the weights alone, whatever is expanded."""
    graph = random_graph(200, 300)
    weight = graph.values["sloc"]
    few = visible_tree(graph, frozenset(), own_weight=weight)
    many = visible_tree(graph, frozenset(range(len(graph))), own_weight=weight)
    closed, opened = radial_layout(few, weight), radial_layout(many, weight)
    top = [int(np.flatnonzero((many.key == key) & ~many.slot)[0]) for key in few.key]
    np.testing.assert_allclose(opened.a0[top], closed.a0)
    np.testing.assert_allclose(opened.a1[top], closed.a1)


def _shop(weights: dict[str, float]) -> tuple[Graph, np.ndarray]:
    builder = GraphBuilder("shop")
    for name in weights:
        builder.add_node(name, "", name, "file")
    return builder.freeze(), np.array([np.nan, *weights.values()])


def _extents(layout: RadialLayout) -> np.ndarray:
    return layout.a1[1:] - layout.a0[1:]


def test_a_leaf_that_was_not_measured_gets_a_slim_extent() -> None:
    """CBV-4: a quarter of the median measured leaf."""
    graph, weight = _shop({"a": 100, "b": 40, "c": 8, "d": np.nan, "e": 0})
    layout = radial_layout(visible_tree(graph, frozenset()), weight, gap=0, top_gap=0)
    np.testing.assert_allclose(_extents(layout) / _extents(layout)[1], [2.5, 1, 0.2, 0.25, 0.25])


def test_gaps_are_nominal_pixels_but_never_more_than_a_share() -> None:
    """Look-and-feel: 3 px between top-level nodes; a sliver keeps most of its extent."""
    graph, weight = _shop({"a": 1000, "b": 1000, "c": 0.5})
    tree = visible_tree(graph, frozenset())
    layout = radial_layout(tree, weight)
    exact = radial_layout(tree, weight, gap=0, top_gap=0)
    pixel = 2 / 1000 / 0.7
    assert layout.a0[2] - layout.a1[1] == pytest.approx(3 * pixel)
    assert _extents(layout)[2] == pytest.approx(0.75 * _extents(exact)[2])


@pytest.mark.parametrize("rings", range(1, 9))
def test_rings_leave_room_for_the_relations(rings: int) -> None:
    """CBV-1: for every depth the inner circle keeps at least half of the radius, and the data ring is the thickest."""
    radii = ring_radii(np.ones(rings))
    assert radii.shape == (rings, 2)
    assert radii[0, 1] == 1.0
    assert radii[-1, 0] >= 0.5
    thickness = radii[:, 1] - radii[:, 0]
    assert (thickness > 0.03).all()
    assert thickness[-1] == thickness.max()
    assert (radii[1:, 1] < radii[:-1, 0]).all(), "rings do not touch"


def test_rings_that_divide_nothing_are_thin() -> None:
    """CBV-1: `src/main/java/org` leaves the room to the levels that say something; what divides is thick."""
    builder = GraphBuilder("shop")
    for name, parent in (
        ("src", ""),
        ("main", "src"),
        ("test", "src"),
        ("org", "main"),
        ("net", "main"),
        ("com", "test"),
    ):
        builder.add_node(name, parent, name, "folder")
    leaves = {"a": "org", "b": "org", "c": "net", "d": "com", "e": "com", "f": ""}
    for name, parent in leaves.items():
        builder.add_node(name, parent, name, "file")
    graph = builder.freeze()

    def thickness(net: float, alone: float) -> np.ndarray:
        values = {"a": 60.0, "b": 40.0, "c": net, "d": 50.0, "e": 50.0, "f": alone}
        weight = np.array([values.get(graph.names[key], np.nan) for key in range(len(graph))])
        tree = visible_tree(graph, frozenset(range(len(graph))), own_weight=weight)
        layout = radial_layout(tree, weight)
        outermost = {int(level): int(np.flatnonzero(tree.level == level)[0]) for level in range(1, 4)}
        folder = {
            level: next(int(i) for i in np.flatnonzero((tree.level == level) & ~tree.leaf)) for level in outermost
        }
        return np.array([layout.r1[item] - layout.r0[item] for item in folder.values()])

    src, main, org = thickness(net=1.0, alone=1.0)
    assert src == pytest.approx(org, rel=0.1), "both are thin"
    assert main > 1.7 * src, "main beside test is a division"
    src, main, org = thickness(net=80.0, alone=400.0)
    np.testing.assert_allclose([src, org], main, rtol=0.1)
    src, main, org = thickness(net=15.0, alone=1.0)
    assert 1.1 * src < org < 0.9 * main, "by degrees"


def test_hiding_closes_the_gap() -> None:
    """CBV-7, DND-1: what is hidden or dragged leaves the circle, the others share it."""
    graph, weight = _shop({"a": 10, "b": 10, "c": 10})
    case = Case(graph, weight, frozenset(), 0, frozenset())
    whole = case.layout(case.tree(), gap=0, top_gap=0)
    fewer = replace(case, hidden=frozenset({2}))
    closed = fewer.layout(fewer.tree(), gap=0, top_gap=0)
    np.testing.assert_allclose(_extents(whole), 2 * np.pi / 3)
    np.testing.assert_allclose(_extents(closed), np.pi)


def test_nothing_to_show_is_one_ring() -> None:
    """An empty project is a full ring, not an error."""
    graph = GraphBuilder("empty").freeze()
    layout = radial_layout(visible_tree(graph, frozenset()), np.array([np.nan]))
    assert (layout.a0[0], layout.a1[0]) == (0.0, 2 * np.pi)
    assert (layout.r0[0], layout.r1[0]) == (layout.band0, 1.0)
