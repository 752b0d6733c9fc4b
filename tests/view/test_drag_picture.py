"""What is painted over the frame during a drag (DND-1, look-and-feel)."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.picture import Polyline, Rect, Text
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.plan import Create, replay
from cbvtool.project import Project

SIZE = (800, 600)
ACCENT, WARNING = (11, 132, 243, 255), (194, 24, 122, 255)


@pytest.fixture
def scene(shop: Project) -> Scene:
    graph = shop.graph
    return Pipeline().scene(graph, shop.changes, ViewState(expanded=frozenset({graph.key_of["shop"]})))


@given(st.floats(0, 6), st.floats(0.001, 2 * pi), st.floats(0.1, 0.9), st.floats(0.005, 0.4))
def test_hatching_stays_inside(start: float, extent: float, inner: float, depth: float) -> None:
    """No line of a hatched sector leaves it, and there are not thousands."""
    lines = drag_picture.hatching(start, start + extent, inner, inner + depth)
    assert 1 <= len(lines) <= 400
    for line in lines:
        radius = np.hypot(line[:, 0], line[:, 1])
        assert (radius >= inner - 1e-9).all()
        assert (radius <= inner + depth + 1e-9).all()
        turned = (np.arctan2(line[:, 0], line[:, 1]) - start) % (2 * pi)
        assert ((turned <= extent + 1e-6) | (turned >= 2 * pi - 1e-6)).all()


def test_a_target_is_outlined_and_a_forbidden_one_hatched(scene: Scene) -> None:
    """By more than colour: hatching."""
    item = emphasis.item_of(scene, scene.graph.key_of["shop/ui"])
    camera = Camera.fit(*SIZE)
    allowed = drag_picture.target_picture(scene, item, camera, *SIZE, ACCENT, WARNING, refused=False)
    forbidden = drag_picture.target_picture(scene, item, camera, *SIZE, ACCENT, WARNING, refused=True)
    assert {line.color for line in allowed.items} == {ACCENT}
    assert len(forbidden.items) > len(allowed.items) + 5
    assert ACCENT not in {line.color for line in forbidden.items}


def test_a_target_is_filled_with_a_fifth_of_the_accent(scene: Scene) -> None:
    graph = scene.graph
    item = emphasis.item_of(scene, graph.key_of["shop"])
    aimed = drag_picture.aimed_at(scene, item, ACCENT)
    inside = slice(item, int(scene.tree.end[item]))
    expected = np.rint(scene.color[inside, :3] * 0.8 + np.array(ACCENT[:3]) * 0.2)
    assert np.array_equal(aimed.color[inside, :3], expected)
    outside = np.ones(len(scene.tree), bool)
    outside[inside] = False
    assert np.array_equal(aimed.color[outside], scene.color[outside])


def test_the_ghost_is_at_the_pointer_and_never_large(scene: Scene) -> None:
    graph, camera = scene.graph, Camera.fit(*SIZE, tilt=0)
    lifted = drag_picture.lift(scene, [graph.key_of["shop"]])
    picture = drag_picture.ghost_picture(lifted, (0.2, -0.3), camera, *SIZE, ACCENT)
    ghost = picture.items[0]
    assert isinstance(ghost, Polyline)
    points = np.array(ghost.points)
    pointer = camera.project(np.array([[0.2, -0.3, 0.0]]), *SIZE)[0][0]
    assert np.abs((points.min(axis=0) + points.max(axis=0)) / 2 - pointer).max() < 2
    assert (points.max(axis=0) - points.min(axis=0)).max() < 0.2 * min(SIZE)


@pytest.mark.parametrize("pointer", [(5.0, 5.0), (795.0, 595.0), (400.0, 300.0), (795.0, 5.0)])
def test_the_card_stays_in_the_picture_and_its_text_on_it(pointer: tuple[float, float]) -> None:
    lines = [("domain", (0, 0, 0, 255)), ("A package cannot hold a class.", WARNING)]
    picture = drag_picture.caption_picture(lines, pointer, *SIZE, [50.0, 210.0], (255, 255, 255, 240), ACCENT)
    card = picture.items[0]
    assert isinstance(card, Rect)
    assert card.x >= 0
    assert card.y >= 0
    assert card.x + card.width <= SIZE[0]
    assert card.y + card.height <= SIZE[1]
    texts = [item for item in picture.items if isinstance(item, Text)]
    assert [text.text for text in texts] == ["domain", "A package cannot hold a class."]
    assert all(card.x < text.x and card.y < text.y < card.y + card.height for text in texts)


def test_the_selection_is_outlined(scene: Scene) -> None:
    key_of = scene.graph.key_of
    picture = drag_picture.selection_picture(
        scene, (key_of["shop/ui"], key_of["shop"]), Camera.fit(*SIZE), *SIZE, ACCENT
    )
    assert len(picture.items) == 2
    assert all(line.points[0] == line.points[-1] and line.color == ACCENT for line in picture.items)


def test_what_is_empty_has_a_dashed_outline(shop: Project) -> None:
    """DND-2: a container in which nothing is can be seen, and told from the others: it is hatched, without a colour."""
    graph = replay(shop.graph, [Create("plan:1", "shop", "ports", "package")])
    scene = Pipeline().scene(graph, shop.changes, ViewState(expanded=frozenset({graph.key_of["shop"]})))
    lines = drag_picture.empty_picture(scene, Camera.fit(*SIZE), *SIZE, ACCENT).items
    dashed = [isinstance(line, Polyline) and line.dashed for line in lines]
    assert dashed[-1]  # over its hatching
    assert len(dashed) > 4 > sum(dashed)
    item = int(scene.tree.represent[graph.key_of["plan:1"]])
    assert tuple(scene.color[item].tolist()) == THEMES["light"].ground
    before = Pipeline().scene(shop.graph, shop.changes, ViewState(expanded=frozenset({shop.graph.key_of["shop"]})))
    assert not drag_picture.empty_picture(before, Camera.fit(*SIZE), *SIZE, ACCENT).items
