"""Layers over everything: what must not be missed is hidden by nothing, and no layer costs nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from cbvtool.drawing import renderer as drawing
from cbvtool.drawing.renderer import Renderer
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.layers import MOST, OverLayer, layer_colors, layer_curves
from cbvtool.geometry.scene.scene import Scene
from tests.geometry.scenes import random_scene, scene_of, shop

MAGENTA = (255, 0, 255, 255)
SIZE = (240, 160)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(shop())


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer(*SIZE)
    yield made
    made.close()


def _layer(scene: Scene, *rows: int) -> OverLayer:
    chosen = np.zeros(len(scene.lifted.source), np.bool_)
    chosen[list(rows)] = True
    return OverLayer("test", chosen, MAGENTA)


def _magenta(frame: npt.NDArray[np.uint8]) -> int:
    red, green, blue = np.moveaxis(frame.astype(int), -1, 0)
    return int(((red > 200) & (green < 90) & (blue > 200)).sum())


def test_the_curves_of_a_layer_are_those_of_its_relations(scene: Scene) -> None:
    layer = _layer(scene, 0, 2)
    assert set(scene.curve_lifted[layer_curves(scene, layer)]) == {0, 2}
    chosen = np.zeros(len(scene.lifted.source), np.bool_)
    chosen[2] = True
    assert set(scene.curve_lifted[layer_curves(scene, layer, chosen)]) == {2}
    assert not len(layer_curves(scene, OverLayer("of another scene", np.ones(99, np.bool_), MAGENTA)))
    assert layer_colors([(layer, 2), (layer, 1)], 5).shape == (3, 5, 4)


def test_of_very_many_an_even_sample_is_drawn() -> None:
    many = random_scene(3_000, 6_000)
    every = OverLayer("all", np.ones(len(many.lifted.source), np.bool_), MAGENTA)
    assert 0.5 * MOST <= len(layer_curves(many, every)) <= MOST


def test_a_layer_is_seen_through_everything_until_it_is_gone(
    scene: Scene, renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UI.md: violations and cycles are a layer of their own, over everything: in a low view walls do not hide them."""
    renderer.camera(Camera(tilt=70.0).fitted(*SIZE))
    renderer.show(scene)
    assert _magenta(renderer.frame()) == 0
    every = OverLayer("all", np.ones(len(scene.lifted.source), np.bool_), MAGENTA)
    monkeypatch.setattr(drawing, "over_layers", lambda _: (every,))
    renderer.show(scene)
    assert _magenta(renderer.frame()) > 30
    assert _magenta(renderer.frame(moving=True)) > 30
    monkeypatch.setattr(drawing, "over_layers", lambda _: ())
    renderer.show(scene)
    assert _magenta(renderer.frame()) == 0
