"""Layout changes glide: from where each segment was, to where it will be, matched by key (DESIGN 3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.geometry.scene import Pipeline, Scene
from cbvtool.geometry.view_state import Drag, ViewState
from cbvtool.project import Project
from cbvtool.view import motion


@pytest.fixture
def pair(shop: Project) -> tuple[Scene, Scene]:
    """Before and after expanding a package."""
    pipeline, key_of = Pipeline(), shop.graph.key_of
    before = ViewState(expanded=frozenset({key_of["shop"]}))
    after = replace(before, expanded=before.expanded | {key_of["shop/domain"]})
    return pipeline.scene(shop.graph, shop.changes, before), pipeline.scene(shop.graph, shop.changes, after)


def test_it_begins_where_things_were(pair: tuple[Scene, Scene]) -> None:
    before, after = pair
    first = motion.between(motion.start_of(before, after), after, 0.0)
    for node in ("shop/ui", "tests", "shop"):
        was, now = (int(s.tree.represent[s.graph.key_of[node]]) for s in (before, after))
        for column in ("a0", "a1", "r0", "r1"):
            assert getattr(first.layout, column)[now] == pytest.approx(getattr(before.layout, column)[was])
    assert first.layout.band0 == before.layout.band0


def test_what_was_hidden_comes_out_of_what_stood_for_it(pair: tuple[Scene, Scene]) -> None:
    before, after = pair
    graph = after.graph
    host = int(before.tree.represent[graph.key_of["shop/domain"]])
    start = motion.start_of(before, after)
    fresh = [int(after.tree.represent[key]) for key in graph.children(graph.key_of["shop/domain"])]
    assert (start.a0[fresh] >= before.layout.a0[host] - 1e-9).all()
    assert (start.a1[fresh] <= before.layout.a1[host] + 1e-9).all()
    assert (start.height[fresh] == before.height[host]).all()


def test_it_ends_in_the_scene_itself(pair: tuple[Scene, Scene]) -> None:
    before, after = pair
    last = motion.between(motion.start_of(before, after), after, 1.0)
    for column in ("a0", "a1", "r0", "r1"):
        assert np.allclose(getattr(last.layout, column), getattr(after.layout, column))
    assert np.allclose(last.height, after.height)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
def test_segments_are_never_turned_inside_out(pair: tuple[Scene, Scene], share: float) -> None:
    for before, after in (pair, pair[::-1]):
        scene = motion.between(motion.start_of(before, after), after, share)
        assert (scene.layout.a1 > scene.layout.a0).all()
        assert (scene.layout.r1 >= scene.layout.r0).all()
        assert np.isfinite(scene.mesh.points).all()


def test_a_drag_closes_the_layout_up(shop: Project) -> None:
    """DND-1: what is lifted leaves, the others glide together."""
    pipeline, key_of = Pipeline(), shop.graph.key_of
    state = ViewState(expanded=frozenset({key_of["shop"]}))
    before = pipeline.scene(shop.graph, shop.changes, state)
    after = pipeline.scene(shop.graph, shop.changes, replace(state, drag=Drag((key_of["shop/domain"],))))
    assert motion.can_glide(before, after)
    middle = motion.between(motion.start_of(before, after), after, 0.5)
    item = int(after.tree.represent[key_of["shop/ui"]])
    was = int(before.tree.represent[key_of["shop/ui"]])
    extents = [float(s.layout.a1[i] - s.layout.a0[i]) for s, i in ((before, was), (middle, item), (after, item))]
    assert extents[0] < extents[1] < extents[2]


def test_a_change_of_colour_does_not_move_anything(shop: Project) -> None:
    pipeline, state = Pipeline(), ViewState()
    before = pipeline.scene(shop.graph, shop.changes, state)
    after = pipeline.scene(shop.graph, shop.changes, replace(state, theme="dark"))
    assert not motion.can_glide(before, after)
