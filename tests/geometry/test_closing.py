"""The ring stays under the pointer: when it closes up, when a container opens, and while values arrive (DND-1)."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.closing import TURN, own_place, place_after
from cbvtool.geometry.scene.filtered import item_of
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import Drag, Mapping, ViewState
from cbvtool.layout.radial import RadialLayout, radial_layout
from cbvtool.layout.visible import VisibleTree, visible_tree
from cbvtool.project import Project
from tests.layout.cases import random_graph

GRAPH = random_graph(60, 0, seed=3, deepest=3)
WEIGHT = np.where(np.diff(GRAPH.tree.child_ptr) == 0, 1.0 + np.arange(len(GRAPH)) % 7, np.nan)


def _ring(hidden: frozenset[int]) -> tuple[VisibleTree, RadialLayout]:
    tree = visible_tree(GRAPH, range(len(GRAPH)), 0, hidden, WEIGHT)
    return tree, radial_layout(tree, WEIGHT)


@given(st.integers(1, len(GRAPH) - 1), st.floats(0, 2 * pi, exclude_max=True))
def test_what_stays_is_where_its_share_is(held: int, angle: float) -> None:
    """A part of a segment is the same part of the same segment; the place of what is held is between its neighbours."""
    before, after = _ring(frozenset()), _ring(frozenset({held}))
    if not after[0].leaf[1:].any():
        return
    found = place_after(*before, *after, angle)
    assert 0 <= found <= 2 * pi
    leaves = np.flatnonzero(before[0].leaf)
    at = [i for i in leaves.tolist() if before[1].a0[i] <= angle <= before[1].a1[i]]
    if not at:
        return  # a gap
    key = int(before[0].key[at[0]])
    item = int(after[0].represent[key])
    if item >= 0 and after[0].key[item] == key:
        share = (angle - before[1].a0[at[0]]) / (before[1].a1[at[0]] - before[1].a0[at[0]])
        now = (found - after[1].a0[item]) / (after[1].a1[item] - after[1].a0[item])
        assert now == pytest.approx(share, abs=1e-6)
    else:  # held: nothing that was before it is behind the seam now, nor the other way round
        for other in leaves.tolist():
            row = int(after[0].represent[int(before[0].key[other])])
            if row >= 0 and after[0].key[row] == before[0].key[other]:
                middle = (after[1].a0[row] + after[1].a1[row]) / 2
                assert (middle < found) == (before[1].a0[other] < angle)


@given(st.floats(-4, 4), st.floats(0.1, 1.0), st.floats(0, 6), st.floats(0, 70))
def test_a_turned_camera_sees_what_has_turned(by: float, radius: float, angle: float, tilt: float) -> None:
    """A place of the disc that has moved on by `by` is seen where it was."""
    camera = Camera.fit(900, 700, tilt, 30.0).with_(center=(0.2, -0.1))
    places = [np.array([[radius * sin(a), radius * cos(a), 0.1]]) for a in (angle, angle + by)]
    was, now = camera.project(places[0], 900, 700)[0], camera.turned(by).project(places[1], 900, 700)[0]
    assert np.abs(was - now).max() < 1e-6


def test_what_is_measured_during_a_drag_waits(shop: Project) -> None:
    """DND-1: other values arrive while something is held: the ring moves when it is dropped, not before."""
    assert shop.changes is not None
    pipeline, graph = Pipeline(), shop.graph
    key = graph.key_of["shop"]
    early = ViewState(expanded=frozenset({key}), mapping=Mapping(angle="commits"), since=0)
    late = replace(early, since=int(np.median(shop.changes.time)))
    held = Drag((graph.key_of["scripts"],))
    first = pipeline.scene(graph, shop.changes, early)
    before = pipeline.scene(graph, shop.changes, replace(early, drag=held))
    during = pipeline.scene(graph, shop.changes, replace(late, drag=held))
    assert during.layout is before.layout
    after = pipeline.scene(graph, shop.changes, late)
    assert not np.array_equal(after.layout.a0, first.layout.a0)


def test_the_own_ring_of_an_opened_container_is_found(shop: Project) -> None:
    """DND-1: the point in it that is nearest to the angle of the pointer; beside the container, inside its end."""
    graph = shop.graph
    scene = Pipeline().scene(graph, shop.changes, ViewState(expanded=frozenset({graph.key_of["shop"]})))
    layout, item = scene.layout, item_of(scene.tree, graph.key_of["shop"])
    middle = float(layout.a0[item] + layout.a1[item]) / 2
    for angle in (middle, middle + 0.1, middle + pi, middle - pi + 0.1):
        x, y = own_place(layout, item, angle)
        at = float(np.arctan2(x, y)) % TURN
        assert layout.a0[item] < at < layout.a1[item]
        assert layout.r0[item] < np.hypot(x, y) < layout.r1[item]
        if abs(angle - middle) < 0.2:
            assert at == pytest.approx(angle % TURN)
