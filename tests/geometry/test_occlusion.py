"""What hides what: against picking along rays to every segment (CBV-8)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picking.occlusion import hiding
from cbvtool.geometry.picking.pick import pick_item
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import Mapping, ViewState
from tests.layout.cases import random_graph

LOW = Camera.fit(800, 600, tilt=68.0)


def scene_of(seed: int) -> Scene:
    graph = random_graph(60, 100, seed=seed, deepest=4)
    state = ViewState(expanded=frozenset(range(len(graph))), mapping=Mapping("sloc", "complexity", "sloc"))
    return Pipeline().scene(graph, None, state)


def seen(scene: Scene, camera: Camera, item: int) -> bool:
    """Whether the middle of the top of a block is the first thing on the way to it."""
    layout = scene.layout
    angle = (layout.a0[item] + layout.a1[item]) / 2
    radius = (layout.band0 + layout.band1) / 2
    top = np.array([np.sin(angle) * radius, np.cos(angle) * radius, scene.height[item]])
    origin = np.array(camera.position)
    direction = top - origin
    return pick_item(scene, origin, direction / np.linalg.norm(direction)) == item


def test_a_top_that_is_not_seen_is_hidden_by_a_block() -> None:
    found = 0
    for seed in range(4):
        scene = scene_of(seed)
        leaves = np.flatnonzero(scene.tree.leaf & (scene.layout.a1 - scene.layout.a0 > 1e-3) & (scene.height > 1e-3))
        for item in leaves.tolist():
            mask = np.zeros(len(scene.tree), np.bool_)
            mask[item] = True
            glass = hiding(scene, LOW, mask)
            assert not glass[item]
            assert not (glass & ~scene.tree.leaf).any()
            if not seen(scene, LOW, item):
                found += 1
                assert glass.any()
    assert found > 5


def test_taking_the_glass_away_shows_the_top() -> None:
    scene = scene_of(7)
    leaves = np.flatnonzero(scene.tree.leaf & (scene.height > 1e-3))
    hidden = [item for item in leaves.tolist() if not seen(scene, LOW, item)]
    assert hidden
    for item in hidden:
        mask = np.zeros(len(scene.tree), np.bool_)
        mask[item] = True
        height = np.where(hiding(scene, LOW, mask), 0.0, scene.height)
        assert seen(replace(scene, height=height), LOW, item)


def test_from_above_nothing_hides_anything() -> None:
    scene = scene_of(3)
    everything = np.ones(len(scene.tree), np.bool_)
    above = Camera(tilt=0.0, distance=60.0)
    assert hiding(scene, above, everything).sum() < hiding(scene, LOW, everything).sum()


def test_nothing_stands_out() -> None:
    scene = scene_of(3)
    assert not hiding(scene, LOW, np.zeros(len(scene.tree), np.bool_)).any()
