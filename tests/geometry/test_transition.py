"""Layout changes glide: from where each segment was, to where it will be, matched by key (CBV-6, design 3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scene import transition
from cbvtool.geometry.scene.closed import collapsed
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.scene.transition import Way, way
from cbvtool.geometry.state.view_state import Drag, ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.depth import expanded_to
from cbvtool.plan import Create, History, Move, Operation, group
from cbvtool.trace.overlay.relations import beside_calls
from tests.geometry.scenes import MAPPING, shop
from tests.layout.cases import random_graph

GRAPH = random_graph(120, 150, seed=5)


def _scenes(graph: Graph, *states: ViewState) -> list[Scene]:
    pipeline = Pipeline()
    return [pipeline.scene(graph, None, replace(state, mapping=MAPPING)) for state in states]


def _way(before: Scene, after: Scene) -> Way:
    found = way(before, after)
    assert found is not None
    return found


def _folded(graph: Graph) -> tuple[ViewState, ViewState, int]:
    core = graph.key_of["core"]
    closed = ViewState(expanded=frozenset({graph.root}))
    return closed, replace(closed, expanded=closed.expanded | {core}), core


def _blocks(scene: Scene) -> dict[tuple[int, bool], tuple[float, ...]]:
    """Angles, height and colour of every block that has an extent, by key."""
    layout, tree = scene.layout, scene.tree
    return {
        (int(tree.key[i]), bool(tree.slot[i])): (
            *(round(float(x), 9) for x in (layout.a0[i], layout.a1[i], scene.height[i])),
            *scene.color[i].tolist(),
        )
        for i in np.flatnonzero(tree.leaf)
        if layout.a1[i] - layout.a0[i] > 1e-9
    }


def test_children_grow_out_of_their_parent_and_shrink_into_it() -> None:
    """CBV-6: both ways: inside of it, as high and in its colour."""
    graph = shop()
    closed, opened, core = _folded(graph)
    small, large = _scenes(graph, closed, opened)
    host = int(small.tree.represent[core])
    for found, share in ((_way(small, large), 0.0), (_way(large, small), 1.0)):
        scene = found.at(share)
        for child in graph.children(core).tolist():
            item = int(scene.tree.represent[child])
            assert small.layout.a0[host] - 1e-9 <= scene.layout.a0[item] < scene.layout.a1[item]
            assert scene.layout.a1[item] <= small.layout.a1[host] + 1e-9
            assert scene.height[item] == pytest.approx(small.height[host])
            assert scene.color[item].tolist() == small.color[host].tolist()


def test_what_stays_begins_where_it_was_and_ends_where_it_will_be() -> None:
    graph = shop()
    closed, opened, core = _folded(graph)
    small, large = _scenes(graph, closed, opened)
    found = _way(small, large)
    for scene, like in ((found.at(0.0), small), (found.at(1.0), large)):
        blocks = _blocks(like)
        there = _blocks(scene)
        assert {key: there[key] for key in blocks if key[0] != core} == {
            key: value for key, value in blocks.items() if key[0] != core
        }


states = st.builds(
    lambda depth, root, hidden: (depth, root, hidden),
    st.integers(1, 4),
    st.just(0) | st.sampled_from(range(len(GRAPH))),
    st.lists(st.integers(1, len(GRAPH) - 1), max_size=3),
)


def _state(depth: int, root: int, hidden: list[int]) -> ViewState:
    root = root if len(GRAPH.children(root)) else GRAPH.root
    return ViewState(expanded=expanded_to(GRAPH, depth, root) | {root}, root=root, hidden=frozenset(hidden) - {root})


@given(states, states, st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
def test_between_any_two_places_the_picture_is_sound(one: tuple, other: tuple, share: float) -> None:
    """Restrict, hide, levels and back again: nothing turns inside out, siblings keep their order, rows fit."""
    before, after = _scenes(GRAPH, _state(*one), _state(*other))
    found = way(before, after)
    if found is None:
        return
    scene = found.at(share)
    layout, tree = scene.layout, scene.tree
    assert (layout.a1 >= layout.a0).all()
    assert (layout.r1 >= layout.r0 - 1e-9).all()
    assert np.isfinite(scene.mesh.points).all()
    assert layout.a0.min() >= 0
    assert layout.a1.max() <= 2 * np.pi + 1e-9
    leaves = np.flatnonzero(tree.leaf)
    assert (np.diff(layout.a0[leaves]) >= -1e-9).all()
    ends = scene.tree.key[scene.lifted.source]
    whose = found.leaving if scene.lifted is found.leaving.scene.lifted else found.coming
    original = before if whose is found.leaving and whose is not found.coming else after
    assert np.array_equal(ends, original.tree.key[original.lifted.source])
    assert np.isfinite(scene.curves).all()
    assert len(scene.curves) == len(scene.curve_lifted) == len(scene.curve_color)


@given(states, states)
def test_items_on_the_way_are_a_tree(one: tuple, other: tuple) -> None:
    """Of the items of both places: a child lies one ring inside its parent, a slot one inside its owner."""
    before, after = _scenes(GRAPH, _state(*one), _state(*other))
    found = way(before, after)
    if found is None:
        return
    tree = found.coming.scene.tree
    assert (tree.level[0], tree.parent[0]) == (0, -1)
    assert np.array_equal(tree.level[1:], tree.level[tree.parent[1:]] + 1)
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    assert (tree.end[1:] <= tree.end[tree.parent[1:]]).all()
    for part in (before.tree, after.tree):
        items = {(int(key), bool(slot)) for key, slot in zip(part.key, part.slot, strict=True)}
        assert items <= {(int(key), bool(slot)) for key, slot in zip(tree.key, tree.slot, strict=True)}


def test_a_way_to_more_has_the_tree_of_more() -> None:
    """What is expanded is all that there is on the way: item by item the tree of the place where it leads."""
    builder = GraphBuilder("own")
    for node, parent in (("core", ""), ("core/a.py", "core"), ("core/b.py", "core"), ("web.py", "")):
        kind = "file" if node.endswith(".py") else "folder"
        builder.add_node(node, parent, node, kind, values={"sloc": 10.0, "complexity": 1.0})
    builder.add_edge(builder.key("web.py"), builder.key("core"), "import")
    slots = 0
    for graph in (shop(), builder.freeze()):
        small, large = _scenes(graph, *_folded(graph)[:2])
        slots += int(large.tree.slot.sum())
        for found in (_way(small, large), _way(large, small)):
            for column in ("key", "slot", "parent", "level", "end", "leaf"):
                assert np.array_equal(getattr(found.coming.scene.tree, column), getattr(large.tree, column)), column
    assert slots == 1  # `core` is something itself


@given(states, states)
def test_it_ends_in_the_scene_itself(one: tuple, other: tuple) -> None:
    before, after = _scenes(GRAPH, _state(*one), _state(*other))
    found = way(before, after)
    if found is None:
        return
    last = found.at(1.0)
    rows = found.item
    for column in ("a0", "a1"):
        assert np.allclose(getattr(last.layout, column)[rows], getattr(after.layout, column))
    assert np.allclose(last.height[rows][last.tree.leaf[rows]], after.height[last.tree.leaf[rows]])
    assert np.array_equal(last.color[rows], after.color)
    assert np.allclose(last.curves, after.curves, atol=1e-5)


@given(states, states, states)
def test_a_second_change_continues_from_where_the_first_is(one: tuple, two: tuple, three: tuple) -> None:
    """Interruptible: what is seen when the second begins is where it begins."""
    first, second, third = _scenes(GRAPH, _state(*one), _state(*two), _state(*three))
    found = way(first, second)
    if found is None:
        return
    halfway = found.at(0.4)
    onward = way(halfway, third)
    if onward is None:
        return
    begin = onward.at(0.0)
    there, before = _blocks(begin), _blocks(halfway)
    for key in before.keys() & there.keys():
        assert there[key] == before[key]


def test_a_drag_closes_the_layout_up() -> None:
    """DND-1: what is lifted leaves, the others glide together."""
    graph = shop()
    closed, _, core = _folded(graph)
    before, after = _scenes(graph, closed, replace(closed, drag=Drag((core,))))
    middle = _way(before, after).at(0.5)
    item = [int(s.tree.represent[graph.key_of["web"]]) for s in (before, middle, after)]
    extents = [float(s.layout.a1[i] - s.layout.a0[i]) for s, i in zip((before, middle, after), item, strict=True)]
    assert extents[0] < extents[1] < extents[2]


def test_heights_and_colours_glide_where_they_are() -> None:
    """CBV-4: another metric: blocks grow and change their colour, nothing else moves, and curves are not made anew."""
    graph = shop()
    state = ViewState(expanded=expanded_to(graph, 9), mapping=MAPPING)
    pipeline = Pipeline()
    before = pipeline.scene(graph, None, state)
    after = pipeline.scene(graph, None, replace(state, mapping=replace(MAPPING, height="sloc", color="complexity")))
    middle = _way(before, after).at(0.5)
    assert middle.curves is after.curves
    assert np.allclose(middle.layout.a0, after.layout.a0)
    assert np.allclose(middle.height, (before.height + after.height) / 2)
    assert not np.array_equal(middle.color, after.color)


def test_what_does_not_move_does_not_glide() -> None:
    graph = shop()
    closed, *_ = _folded(graph)
    before, chosen, dark = _scenes(graph, closed, replace(closed, selected=(1,)), replace(closed, theme="dark"))
    assert way(before, chosen) is None
    assert way(before, dark) is None


def test_graphs_whose_keys_mean_other_nodes_do_not_glide() -> None:
    """Another analysis of a subject numbers its nodes anew; a step of the plan does not."""
    graph = shop()
    closed, *_ = _folded(graph)
    anew = GraphBuilder("shop")
    for node in ("core", "web", "api"):
        anew.add_node(node, "", node, "folder", values={"sloc": 5.0, "complexity": 1.0, "nl3_lines": 0.0})
    other = anew.freeze()
    (before,), (after,) = _scenes(graph, closed), _scenes(other, replace(closed, expanded=frozenset({other.root})))
    assert way(before, after) is None
    moved = History(graph).do(group(graph, Move(("core/part_0.py",), "web"))).graph
    (later,) = _scenes(moved, closed)
    assert moved is not graph
    assert way(before, later) is not None


def test_huge_scenes_do_not_glide(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = shop()
    closed, opened, _ = _folded(graph)
    before, after = _scenes(graph, closed, opened)
    monkeypatch.setattr(transition, "MOST", len(after.tree) - 1)
    assert way(before, after) is None


def test_many_curves_fade_out_and_in_few_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = shop()
    closed, opened, _ = _folded(graph)
    before, after = _scenes(graph, closed, opened)
    few = _way(before, after)
    assert few.follows
    assert few.fading(0.5) == 1.0
    assert not np.allclose(few.at(0.2).curves, few.at(0.7).curves)
    monkeypatch.setattr(transition, "FOLLOWED", 0)
    many = _way(before, after)
    assert [many.fading(share) for share in (0.0, 0.5, 1.0)] == [1.0, 0.0, 1.0]
    assert many.at(0.2).curves is before.curves
    assert many.at(0.7).curves is after.curves


def _planned(graph: Graph, *operations: Operation) -> Graph:
    return History(graph).do(group(graph, *operations)).graph


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("back", [False, True])
def test_what_is_drawn_on_the_way_is_of_one_graph(monkeypatch: pytest.MonkeyPatch, follows: bool, back: bool) -> None:
    """A step that creates a node, and its undo: no key of one graph looks up a column of the other."""
    monkeypatch.setattr(transition, "FOLLOWED", 10**6 if follows else 0)
    graph = shop()
    made = _planned(
        graph, Create("plan:1", graph.ids[graph.root], "new", "folder"), Move(("core/part_0.py",), "plan:1")
    )
    state = ViewState(expanded=frozenset({*expanded_to(graph, 9), made.key_of["plan:1"]}))
    (before,), (after,) = _scenes(graph, state), _scenes(made, state)
    one, other = (after, before) if back else (before, after)
    found = _way(one, other)
    halves = [found.at(share) for share in (0.0, 0.2, 0.49, 0.5, 0.8, 1.0)]
    for scene in halves:
        assert scene.tree.graph is scene.graph is scene.values.subject.graph
        assert scene.graph is other.graph or not follows
        assert len(scene.tree.represent) == len(scene.graph)
        assert len(collapsed(scene.tree)) == len(scene.tree) == len(scene.color)
        assert len(scene.layout.key_angle) == len(scene.graph)
        assert np.isfinite(scene.mesh.points).all()
    if not follows and not back:
        assert halves[0].graph is before.graph
        assert _blocks(halves[0]) == _blocks(before)


def test_a_scene_of_two_graphs_cannot_be_made() -> None:
    graph = shop()
    made = _planned(graph, Create("plan:1", graph.ids[graph.root], "new", "folder"))
    closed, *_ = _folded(graph)
    (before,), (after,) = _scenes(graph, closed), _scenes(made, closed)
    for changes in ({"tree": after.tree}, {"values": after.values}, {"observed": beside_calls(made)}):
        with pytest.raises(ValueError, match="two graphs"):
            replace(before, **changes)
    observed = beside_calls(graph)
    assert replace(before, observed=observed).graph is observed.graph


def test_nodes_of_two_plans_with_one_key_do_not_grow_out_of_each_other() -> None:
    """Two plans create a node each, which have the same key: that of the one is not where the other was."""
    graph = shop()
    one, other = (_planned(graph, Create(node, parent, "new", "file")) for node, parent in (("a", "api"), ("b", "web")))
    closed = ViewState(expanded=frozenset({graph.root}))
    opened = replace(closed, expanded=closed.expanded | {graph.key_of["web"]})
    (before,), (after,) = _scenes(one, closed), _scenes(other, opened)
    begin = _way(before, after).at(0.0)
    new, host = (int(begin.tree.represent[key]) for key in (other.key_of["b"], graph.key_of["api"]))
    assert not begin.layout.a0[host] < begin.layout.a1[new] <= begin.layout.a1[host]


def test_what_is_taken_out_of_a_closed_container_stays_on_the_circle() -> None:
    """DND-1: the undo of a drop into a container, however narrow that is, draws nothing beyond the whole circle."""
    state, tried = ViewState(expanded=expanded_to(GRAPH, 2)), 0
    history = History(GRAPH)
    for node, target in [(n, t) for n in GRAPH.children(0).tolist() for t in GRAPH.children(0).tolist() if n != t]:
        planned = history.do(group(GRAPH, Move((GRAPH.ids[node],), GRAPH.ids[target])))
        if planned.refusals:
            continue
        closed = replace(state, expanded=state.expanded - {target}, mapping=MAPPING)
        after_drop, undone = Pipeline().scene(planned.graph, None, closed), Pipeline().scene(GRAPH, None, closed)
        found, tried = _way(after_drop, undone), tried + 1
        for share in (0.0, 0.3, 0.9):
            layout = found.at(share).layout
            assert 0 <= layout.a0.min() <= layout.a1.max() <= transition.TURN + 1e-9
            assert (layout.a0 <= layout.a1 + 1e-9).all()
    assert tried > 3
