"""Control paths, splines and fan-out (CBV-2, CBV-5) on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import fan_out, thinned
from cbvtool.bundling.paths import Routes, inner_points, routes, steps_to_ancestor
from cbvtool.bundling.spline import basis
from cbvtool.graph import LiftedEdges, lift
from cbvtool.layout.radial import RadialLayout, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from tests.bundling.stepwise import control_points, sample, straighten
from tests.layout.cases import Case, cases, random_graph


def lifted(case: Case) -> tuple[VisibleTree, RadialLayout, LiftedEdges]:
    tree = case.tree()
    return tree, case.layout(tree), lift(case.graph.edges, tree.represent)


def lifted_routes(tree: VisibleTree, layout: RadialLayout, edges: LiftedEdges) -> Routes:
    """One route for each lifted relation, from the middle of the one item to the middle of the other."""
    items = np.arange(len(tree), dtype=np.int32)
    return routes(tree, layout, items, (layout.a0 + layout.a1) / 2, edges.source, edges.target)


def path(tree: VisibleTree, a: int, b: int) -> list[int]:
    """Items from a up to the least common ancestor and down to b, by walking."""
    above = [a]
    while above[-1] != 0:
        above.append(int(tree.parent[above[-1]]))
    down = [b]
    while down[-1] not in above:
        down.append(int(tree.parent[down[-1]]))
    return above[: above.index(down[-1])] + down[::-1]


@given(cases(), st.booleans())
def test_control_paths_are_tree_paths(case: Case, keep: bool) -> None:
    """CBV-2: over the least common ancestor, which is left out on demand unless it is the only inner point."""
    tree, layout, edges = lifted(case)
    points, ptr = control_points(lifted_routes(tree, layout, edges), keep_ancestor=keep)
    place = inner_points(tree, layout)
    for row, (a, b) in enumerate(zip(edges.source.tolist(), edges.target.tolist(), strict=True)):
        items = path(tree, a, b)
        if not keep and len(items) > 3:
            items.remove(min(items, key=lambda item: tree.level[item]))
        np.testing.assert_allclose(points[ptr[row] : ptr[row + 1]], place[items], atol=1e-12)


@given(cases(), st.floats(0, 1), st.integers(2, 40), st.booleans())
def test_all_at_once_is_step_by_step(case: Case, beta: float, samples: int, keep: bool) -> None:
    """CBV-2: the one product is path, straightening and spline."""
    tree, layout, edges = lifted(case)
    route = lifted_routes(tree, layout, edges)
    points, ptr = control_points(route, keep_ancestor=keep)
    expected = sample(straighten(points, ptr, beta), ptr, samples, dtype=np.float64)
    found = bundle(route, beta, samples, keep_ancestor=keep, dtype=np.float64)
    np.testing.assert_allclose(found[:, :, :2], expected, atol=1e-12)
    assert not found[:, :, 2].any()


@given(cases())
def test_curves_begin_and_end_at_their_nodes(case: Case) -> None:
    """Property line "curves begin and end at their nodes": on the inner radius, inside the node's own extent."""
    tree, layout, edges = lifted(case)
    fan = fan_out(case.graph.edges, tree, layout, edges)
    curves = bundle(routes(tree, layout, fan.item, fan.angle, fan.source, fan.target), 0.8, dtype=np.float64)
    for sample_number, item in ((0, edges.source[fan.lifted]), (-1, edges.target[fan.lifted])):
        x, y = curves[:, sample_number, 0], curves[:, sample_number, 1]
        np.testing.assert_allclose(np.hypot(x, y), layout.band0)
        angle = np.arctan2(x, y) % (2 * np.pi)
        assert (layout.a0[item] <= angle + 1e-12).all()
        assert (angle <= layout.a1[item] + 1e-12).all()


@given(cases(), st.integers(3, 60))
def test_curves_stay_inside_the_inner_circle(case: Case, samples: int) -> None:
    """CBV-2: relations are drawn inside the inner circle (a spline stays in the hull of its control points)."""
    tree, layout, edges = lifted(case)
    curves = bundle(lifted_routes(tree, layout, edges), 0.8, samples, dtype=np.float64)
    assert (np.hypot(curves[..., 0], curves[..., 1]) <= layout.band0 + 1e-9).all()


@given(cases(), st.integers(1, 50))
def test_fan_out_keeps_weight_count_and_ends(case: Case, slots: int) -> None:
    """CBV-5 and property line "lifting conserves weight": curves of a relation add up to it, and join its items."""
    assume(np.abs(case.graph.edges.weight).sum(dtype=np.float64) < 1e12)  # sums of larger ones are not associative
    tree, layout, edges = lifted(case)
    fan = fan_out(case.graph.edges, tree, layout, edges, slots=slots)
    many = len(edges.source)
    np.testing.assert_allclose(np.bincount(fan.lifted, fan.weight, many), edges.weight, atol=1e-3)
    np.testing.assert_array_equal(np.bincount(fan.lifted, fan.count, many), edges.count)
    np.testing.assert_array_equal(fan.item[fan.source], edges.source[fan.lifted])
    np.testing.assert_array_equal(fan.item[fan.target], edges.target[fan.lifted])
    assert fan.hidden_weight == 0
    assert (layout.a0[fan.item] <= fan.angle).all()
    assert (fan.angle <= layout.a1[fan.item]).all()


def test_a_collapsed_node_fans_out_to_its_hidden_leaves() -> None:
    """CBV-5: with fine slots each relation of a collapsed node ends exactly where its hidden leaf would lie."""
    graph = random_graph(120, 200)
    weight = graph.values["sloc"]
    tree = visible_tree(graph, frozenset(), own_weight=weight)
    layout = radial_layout(tree, weight)
    edges = lift(graph.edges, tree.represent)
    fan = fan_out(graph.edges, tree, layout, edges, slots=1_000_000)
    shown = edges.of_edge >= 0
    expected = np.stack((layout.key_angle[graph.edges.source], layout.key_angle[graph.edges.target]), axis=1)[shown]
    found = np.stack((fan.angle[fan.source], fan.angle[fan.target]), axis=1)
    assert len(found) == len(expected) > 100
    np.testing.assert_allclose(found[np.lexsort(found.T)], expected[np.lexsort(expected.T)])
    assert len(edges.source) < len(found), "it is more than one curve for a pair of items"


@pytest.mark.parametrize("most", [5000, 300, 20, 1])
def test_too_many_curves_share_coarser_slots(most: int) -> None:
    """CBV-5, design 7: however many relations there are, the number of curves is bounded, and no weight is lost."""
    graph = random_graph(500, 4000)
    weight = graph.values["sloc"]
    tree = visible_tree(graph, frozenset(range(len(graph))), own_weight=weight)
    layout = radial_layout(tree, weight)
    edges = lift(graph.edges, tree.represent)
    fan = fan_out(graph.edges, tree, layout, edges, most=most)
    assert len(fan) <= most
    assert fan.weight.sum() + fan.hidden_weight == pytest.approx(edges.weight.sum())
    curves = bundle(routes(tree, layout, fan.item, fan.angle, fan.source, fan.target), 0.8)
    assert np.isfinite(curves).all()


@given(cases())
def test_steps_to_the_common_ancestor(case: Case) -> None:
    """CBV-2: for every pair of leaves, an item with itself going over its parent."""
    tree = case.tree()
    assume(len(tree) > 1)
    leaves = np.flatnonzero(tree.leaf).astype(np.int32)
    a, b = (grid.ravel() for grid in np.meshgrid(leaves, leaves))
    up, down = steps_to_ancestor(tree, a, b)
    for row, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        top = int(tree.chain[i, up[row]])
        assert top == tree.chain[j, down[row]]
        assert up[row] >= 1
        assert down[row] >= 1
        walked = path(tree, i, j)
        assert len(walked) == (1 if i == j else up[row] + down[row] + 1)


@given(st.integers(2, 20), st.integers(2, 64), st.floats(0, 1))
def test_weights_of_a_sample_sum_to_one(count: int, samples: int, beta: float) -> None:
    """A spline is affine: moving all control points moves the curve; its ends are the polygon's ends."""
    weights = basis(count, samples, beta)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights[0], np.eye(count)[0], atol=1e-12)
    np.testing.assert_allclose(weights[-1], np.eye(count)[-1], atol=1e-12)


@given(st.integers(2, 8))
def test_straight_pieces_join_the_spline_smoothly(count: int) -> None:
    """FACTS: the curve starts as a straight piece to (5 P0 + P1) / 6; direction and speed do not jump there."""
    points = np.random.default_rng(count).random((count, 2))
    fine = 3 * (count - 1) * 1000 + 2001  # a sample at every thousandth of a third
    curve = basis(count, fine) @ points
    np.testing.assert_allclose(curve[1000], (5 * points[0] + points[1]) / 6)
    speed = np.diff(curve, axis=0)
    np.testing.assert_allclose(speed[999], speed[1000], atol=1e-6)
    np.testing.assert_allclose(speed[-1000], speed[-1001], atol=1e-6)


def test_beta_zero_is_straight_and_one_leaves_the_polygon() -> None:
    """CBV-2: the two ends of the slider."""
    points, ptr = np.random.default_rng(1).random((9, 2)), np.array([0, 4, 9])
    np.testing.assert_array_equal(straighten(points, ptr, 1.0), points)
    straight = straighten(points, ptr, 0.0)
    for first, last in ((0, 3), (4, 8)):
        for axis in range(2):
            expected = np.linspace(points[first, axis], points[last, axis], last - first + 1)
            np.testing.assert_allclose(straight[first : last + 1, axis], expected)


def test_one_point_is_no_curve() -> None:
    """A control polygon has two ends."""
    with pytest.raises(ValueError, match="two control points"):
        basis(1, 32)


@pytest.mark.parametrize("in_order", [True, False])
def test_thousands_at_once_are_step_by_step(in_order: bool) -> None:
    """What is done in blocks for speed, sorted by shape or not, is the same as one after the other."""
    graph = random_graph(300, 4000)
    tree = visible_tree(graph, frozenset(range(len(graph))), own_weight=graph.values["sloc"])
    layout = radial_layout(tree, graph.values["sloc"])
    route = lifted_routes(tree, layout, lift(graph.edges, tree.represent))
    if in_order:
        route = route.take(route.order)
    points, ptr = control_points(route)
    assert max(len(rows) for _, _, rows in route.shapes) > 500
    assert (np.diff(route.order) == 1).all() == in_order
    found = bundle(route, 0.8, dtype=np.float64)
    np.testing.assert_allclose(found[:, :, :2], sample(straighten(points, ptr, 0.8), ptr, dtype=np.float64), atol=1e-12)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=200), st.integers(1, 100))
def test_a_sample_of_curves_is_small_enough_and_shows_each_relation(groups: list[int], most: int) -> None:
    """Design 7: what lies on top of each other is drawn once."""
    rows = np.arange(5, 5 + len(groups))
    group = np.array(groups, np.int32)
    taken = thinned(rows, group, most)
    assert len(taken) <= max(most, 1)
    assert (np.diff(taken) > 0).all()
    assert set(taken.tolist()) <= set(rows.tolist())
    if len(rows) <= most:
        assert taken.tolist() == rows.tolist()
    if len(set(groups)) <= most:
        assert set(group[taken - 5].tolist()) == set(groups)
