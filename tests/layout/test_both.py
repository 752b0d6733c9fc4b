"""NEW-23: base and target of a plan share one circle; what the plan leaves alone does not move (property tests)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.both import MOST_LEFT, both, both_extents
from cbvtool.layout.radial import own_extents, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from cbvtool.layout.weights import own_weight
from cbvtool.plan import Move, Operation, Rename, run
from tests.plan.strategies import plans


def _weight(graph: Graph) -> np.ndarray:
    column = graph.tree.subtree_sum(graph.values["sloc"])
    return own_weight(graph, column, summed=True)


def _own(graph: Graph) -> np.ndarray:
    return own_extents(graph, _weight(graph))


def _angles(graph: Graph, known: object, expanded: set[int]) -> tuple[VisibleTree, np.ndarray, np.ndarray]:
    tree = visible_tree(graph, expanded, own_weight=_weight(graph))
    layout = radial_layout(tree, _weight(graph), known)  # type: ignore[arg-type]  # what both_extents gave
    return tree, layout.a0, layout.a1


@given(plans(), st.data())
def test_what_a_plan_leaves_alone_has_the_same_angles_before_and_after(
    planned: tuple[Graph, list[Operation]], data: st.DataObject
) -> None:
    base, target = planned[0], run(*planned).graph
    expanded = set(data.draw(st.lists(st.integers(0, len(target) - 1))))
    laid = both(base, target)
    of_target, of_base, _ = both_extents(laid, _own(target), _own(base))
    after, a0, a1 = _angles(target, of_target, expanded)
    before, b0, b1 = _angles(base, of_base, expanded)
    now = {(int(key), bool(slot)): item for item, (key, slot) in enumerate(zip(after.key, after.slot, strict=True))}
    for item, (key, slot) in enumerate(zip(before.key.tolist(), before.slot.tolist(), strict=True)):
        if laid.of_base[key] == key and (key, slot) in now:
            there = now[key, slot]
            np.testing.assert_allclose((a0[there], a1[there]), (b0[item], b1[item]), atol=1e-9)
    for tree, first, last in ((after, a0, a1), (before, b0, b1)):
        leaves = np.flatnonzero(tree.leaf)
        assert (first[leaves[1:]] >= last[leaves[:-1]] - 1e-9).all(), "items stand in the order of their tree"


@given(plans())
def test_every_place_that_is_left_is_empty_and_in_its_container(planned: tuple[Graph, list[Operation]]) -> None:
    base, target = planned[0], run(*planned).graph
    laid = both(base, target)
    of_target, _, every = both_extents(laid, _own(target), _own(base))
    for key in laid.left.tolist():
        above = int(base.parent[key])
        first, last = every.first[laid.of_base[key]], every.last[laid.of_base[key]]
        assert of_target.first[above] - 1e-9 <= first <= last <= of_target.last[above] + 1e-9
        inside = target.children(above)
        apart = (of_target.last[inside] <= first + 1e-9) | (of_target.first[inside] >= last - 1e-9)
        assert apart.all()


@given(plans())
def test_places_that_are_left_take_a_limited_share(planned: tuple[Graph, list[Operation]]) -> None:
    base, target = planned[0], run(*planned).graph
    laid = both(base, target)
    of_target, _, every = both_extents(laid, _own(target), _own(base))
    taken = sum(every.last[laid.of_base[key]] - every.first[laid.of_base[key]] for key in laid.left.tolist())
    whole = float(of_target.last[target.root])
    assert taken <= MOST_LEFT * whole + 1e-9
    assert len(of_target.first) == len(target)


def _files(*names: str) -> Graph:
    builder = GraphBuilder("subject")
    builder.add_node("a", "", "a", "folder")
    builder.add_node("b", "", "b", "folder")
    for name in names:
        builder.add_node(f"a/{name}", "a", name, "file", values={"sloc": 10.0})
    return builder.freeze()


def test_a_ghost_stands_where_it_was_among_its_siblings() -> None:
    base = _files("1", "2", "3")
    target = run(base, [Move(("a/2",), "b")]).graph
    laid = both(base, target)
    _, _, every = both_extents(laid, _own(target), _own(base))
    key = base.key_of
    one, three = every.first[key["a/1"]], every.first[key["a/3"]]
    assert one < every.first[laid.of_base[key["a/2"]]] < three
    assert laid.left.tolist() == [key["a/2"]] == laid.come.tolist()


def test_another_name_leaves_a_place_only_where_the_order_changes() -> None:
    base = _files("1", "2", "3")
    assert not len(both(base, run(base, [Rename("a/2", "25")]).graph).left)
    assert both(base, run(base, [Rename("a/2", "4")]).graph).left.tolist() == [base.key_of["a/2"]]


def test_in_the_picture_of_a_moved_folder_nothing_has_moved() -> None:
    base = _files("1", "2")
    target = run(base, [Move(("a",), "b"), Move(("a/1",), "b")]).graph
    assert both(base, target, base.key_of["a"]).left.tolist() == [base.key_of["a/1"]]


def test_what_is_held_leaves_the_ring_though_it_was_there_before() -> None:
    base = _files("1", "2", "3")
    target = run(base, [Move(("a/2",), "b")]).graph
    laid, held = both(base, target), target.key_of["a/3"]
    own = own_extents(target, _weight(target), hidden=[held])
    of_target, _, _ = both_extents(laid, own, _own(base), (held,))
    assert of_target.first[held] == of_target.last[held]
