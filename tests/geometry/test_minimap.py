"""CBV-6: the mini-map says where one is, comes only when one does not see it anyway, and stands on no legend."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import pytest

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay.furniture import corners
from cbvtool.geometry.overlay.minimap import RADIUS, SIDE, map_box, map_place, minimap, wants_map
from cbvtool.geometry.picture import Polyline, Rect
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.layout.depth import expanded_to
from tests.geometry.scenes import MAPPING, shop

SIZE = (900, 700)


def _scene(root: str = "") -> Scene:
    graph = shop()
    key = graph.key_of[root] if root else graph.root
    return Pipeline().scene(graph, None, ViewState(expanded=expanded_to(graph, 9), root=key, mapping=MAPPING))


def _middle(scene: Scene, node: str) -> tuple[float, float]:
    """Pixel of the map in the middle of a top-level folder's segment, which is where it lies in the whole picture."""
    whole = _scene()
    item = int(whole.tree.represent[whole.graph.key_of[f"{node}/part_0.py"]])
    angle = (whole.layout.a0[whole.tree.parent[item]] + whole.layout.a1[whole.tree.parent[item]]) / 2
    box = map_box(*SIZE, corners(*SIZE, scene))
    assert box is not None
    return box[0] + SIDE / 2 + 0.9 * RADIUS * sin(angle), box[1] + SIDE / 2 - 0.9 * RADIUS * cos(angle)


def test_it_comes_when_not_everything_is_seen() -> None:
    whole, part, camera = _scene(), _scene("core"), Camera.fit(*SIZE, tilt=0.0)
    assert not wants_map(whole, camera, *SIZE)
    assert wants_map(part, camera, *SIZE)
    assert wants_map(whole, camera.zoomed_at(2.5, 300, 300, *SIZE), *SIZE)


@pytest.mark.parametrize("size", [(1280, 800), (900, 700), (620, 460), (500, 300), (320, 240)])
def test_it_stands_on_no_legend(size: tuple[int, int]) -> None:
    taken = corners(*size, _scene())
    box = map_box(*size, taken)
    if size[0] >= 620:
        assert box is not None
    if box is not None:
        x, y, wide, tall = box
        assert all(x >= a + w or a >= x + wide or y >= b + h or b >= y + tall for a, b, w, h in taken)


@pytest.mark.parametrize("root", ["", "core", "web"])
def test_what_a_pixel_of_it_means(root: str) -> None:
    """The segments lie where they lie in the whole picture; while that is shown, a pixel is a spot of the disc, too."""
    scene, camera = _scene(root), Camera(azimuth=0.0)
    box = map_box(*SIZE, [])
    assert box is not None
    for node in ("api", "billing", "core", "web"):
        found = map_place(scene, camera, box, *_middle(scene, node))
        assert scene.graph.ids[found.key] == node
        assert (found.spot is None) == bool(root)
    assert map_place(scene, camera, box, box[0] + SIDE / 2, box[1] + SIDE / 2).key == scene.graph.root


def test_it_turns_with_the_view() -> None:
    scene, box = _scene("core"), map_box(*SIZE, [])
    assert box is not None
    x, y = _middle(scene, "web")
    across, upward = x - box[0] - SIDE / 2, y - box[1] - SIDE / 2
    turn = 70 * pi / 180  # the view turned by that angle: what lay there lies so much less clockwise
    x = box[0] + SIDE / 2 + across * cos(turn) + upward * sin(turn)
    y = box[1] + SIDE / 2 - across * sin(turn) + upward * cos(turn)
    assert scene.graph.ids[map_place(scene, Camera(azimuth=70.0), box, x, y).key] == "web"


@pytest.mark.parametrize("tilt", [0.0, 40.0, 75.0])
@pytest.mark.parametrize("root", ["", "core"])
def test_it_is_drawn_on_its_card(root: str, tilt: float) -> None:
    scene, box = _scene(root), map_box(*SIZE, [])
    assert box is not None
    camera = Camera(azimuth=33.0, tilt=tilt, distance=1.2, center=(0.4, -0.6))
    picture = minimap(scene, camera, *SIZE, box)
    card, *lines = picture.items
    assert isinstance(card, Rect)
    for line in lines:
        assert isinstance(line, Polyline)
        for x, y in line.points:
            assert box[0] <= x <= box[0] + SIDE
            assert box[1] <= y <= box[1] + SIDE
    accent = lines[-1]
    assert isinstance(accent, Polyline)
    assert len(accent.points) > 2


def test_the_whole_costs_nothing_while_nothing_is_restricted() -> None:
    pipeline, graph = Pipeline(), shop()
    state = ViewState(expanded=expanded_to(graph, 9), mapping=MAPPING)
    pipeline.scene(graph, None, state)
    assert pipeline.runs["whole"] == 0
    part = pipeline.scene(graph, None, replace(state, root=graph.key_of["core"]))
    assert pipeline.runs["whole"] == 1
    assert part.whole.last[part.graph.root] > 0
