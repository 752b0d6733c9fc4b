"""The view from above as a drawing, and what is said of every item."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cbvtool.bundling.spline import SAMPLES
from cbvtool.geometry.colors import FADED_CURVES, THEMES
from cbvtool.geometry.overlay.flat import PIECES, beziers, flat
from cbvtool.geometry.overlay.furniture import tooltip_lines
from cbvtool.geometry.overlay.item_facts import item_facts
from cbvtool.geometry.picture import Rect, Text
from cbvtool.geometry.scene.scene import Pipeline, in_theme
from tests.geometry.scenes import random_scene, scene_of, shop


def points_of(bezier: np.ndarray, piece: int, t: np.ndarray) -> np.ndarray:
    """float64[e, t, 2]: on one cubic piece, by de Casteljau."""
    level = [bezier[:, 3 * piece + k, None] for k in range(4)]
    while len(level) > 1:
        level = [a * (1 - t[:, None]) + b * t[:, None] for a, b in pairwise(level)]
    return level[0]


def test_facts_are_the_tooltips() -> None:
    """One column at a time gives what the tooltip says of each item alone, counts of relations included."""
    for scene in (random_scene(60, 150), scene_of(shop(), depth=1), scene_of(shop())):
        facts = item_facts(scene)
        assert [facts.lines(item) for item in range(len(scene.tree))] == [
            tooltip_lines(scene, item) for item in range(len(scene.tree))
        ]


def test_curves_follow_the_samples() -> None:
    """Between the knots, too, the Beziers stay within a hundredth of the disc's radius of the samples."""
    scene = random_scene()
    bezier = beziers(scene.curves, PIECES)
    at = np.rint(np.linspace(0, SAMPLES - 1, PIECES + 1)).astype(int)
    farthest = 0.0
    for piece in range(PIECES):
        inside = np.arange(at[piece], at[piece + 1] + 1)
        path = points_of(bezier, piece, np.linspace(0, 1, 200))
        away = np.linalg.norm(path[:, :, None] - scene.curves[:, None, inside, :2], axis=3).min(axis=1)
        farthest = max(farthest, float(away.max()))
    assert farthest < 0.01
    np.testing.assert_allclose(bezier[:, [0, -1]], scene.curves[:, [0, -1], :2], atol=1e-6)


def test_sectors_are_those_of_the_layout() -> None:
    """Angles and radii are the layout's; sectors lie in the picture, whose middle is the ring's."""
    scene = random_scene()
    drawing = flat(scene, size=(900, 700))
    sectors, layout = drawing.sectors, scene.layout
    np.testing.assert_array_equal(sectors.a0, layout.a0[sectors.item])
    np.testing.assert_allclose(sectors.r1 / drawing.radius, layout.r1[sectors.item])
    assert set(sectors.item.tolist()) == set(range(1, len(scene.tree)))
    assert drawing.center[0] == pytest.approx(450)
    assert drawing.center[1] - drawing.disc_radius > 0
    middle = (drawing.tapers.left[:, 0] + drawing.tapers.right[:, 0]) / 2 - drawing.center
    np.testing.assert_allclose(middle * (1, -1) / drawing.radius, scene.curves[:, 0, :2], atol=1e-6)


def test_a_taper_is_narrower_toward_the_used() -> None:
    tapers = flat(random_scene(mapping=scene_of(shop()).state.mapping)).tapers
    width = np.linalg.norm(tapers.left - tapers.right, axis=2)
    assert (width[:, 0] > 2 * width[:, -1]).all()


def test_what_is_wanted_is_on_it() -> None:
    """Title, legends and ground can be left out; heights are not seen from above and have no legend."""
    scene = scene_of(shop())
    whole = flat(scene, title="Shop", commit="1a2b3c")
    said = {item.text for item in whole.words.items if isinstance(item, Text)}
    assert {"Shop", "Colour", "Relations"} <= said
    assert "Height" not in said
    assert any("commit 1a2b3c" in text for text in said)
    assert whole.ground == THEMES["light"].ground
    whole = flat(scene, size=(700, 700))
    bare = flat(scene, size=(700, 700), title="Shop", legends=False, heading=False, transparent=True)
    assert bare.ground is None
    assert not any(isinstance(item, Rect) for item in bare.words.items)
    assert "Shop" not in {item.text for item in bare.words.items if isinstance(item, Text)}
    assert bare.radius > whole.radius  # nothing has to be kept clear


def test_many_curves_are_thinned_and_said_so() -> None:
    scene = random_scene(300, 400)
    some = flat(scene, most=50)
    assert len(some.tapers) <= 50
    assert some.note == f"{len(some.tapers)} of {len(scene.curves)} curves drawn, evenly chosen"
    assert some.note in {item.text for item in some.words.items if isinstance(item, Text)}
    assert flat(scene).note == ""


def test_what_stands_out_does() -> None:
    scene = scene_of(shop())
    relations = np.zeros(len(scene.lifted.count), bool)
    relations[0] = True
    items = np.zeros(len(scene.tree), bool)
    items[scene.lifted.source[0]] = True
    drawing = flat(scene, items=items, relations=relations)
    assert sorted(set(drawing.tapers.opacity.tolist())) == [FADED_CURVES, 1.0]
    assert drawing.tapers.opacity[-1] == 1.0  # over the others
    changed = (drawing.sectors.color != flat(scene).sectors.color).any(axis=1)
    assert not changed[drawing.sectors.item == scene.lifted.source[0]].any()
    assert changed.any()


def test_another_theme_is_the_scene_of_that_theme() -> None:
    """`in_theme` gives what the pipeline makes of the other theme."""
    pipeline = Pipeline()
    light = scene_of(shop(), pipeline=pipeline)
    turned, dark = in_theme(light, "dark"), scene_of(shop(), theme="dark")
    np.testing.assert_array_equal(turned.color, dark.color)
    np.testing.assert_array_equal(turned.curve_color, dark.curve_color)
    np.testing.assert_array_equal(turned.mesh.color, dark.mesh.color)
    assert (turned.color_legend.stops, turned.color_legend.maximum) == (
        dark.color_legend.stops,
        dark.color_legend.maximum,
    )
    assert in_theme(light, "light") is light
