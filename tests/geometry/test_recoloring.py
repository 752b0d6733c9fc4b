"""The picture of the relations in the colours of another theme, without drawing it again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.colors import RELATION_ALPHA, THEMES, gradient, relation_ends
from cbvtool.geometry.scene.recoloring import CLOSE, recolor, recoloring

S = 33


def _curves(theme: str, count: int = 5) -> np.ndarray:
    color = np.full((count, S, 4), round(255 * RELATION_ALPHA), np.uint8)
    color[:, :, :3] = np.rint(gradient(*relation_ends(THEMES[theme], "teal-orange"), S))
    return color


def _over(ground: np.ndarray, layers: list[tuple[np.ndarray, float]]) -> np.ndarray:
    for color, alpha in layers:
        ground = ground * (1 - alpha) + color * alpha
    return ground


@given(st.lists(st.tuples(st.integers(0, S - 1), st.floats(0.0, 0.95)), max_size=6), st.booleans())
def test_what_lies_over_each_other_gets_the_colours_that_drawing_would_give(
    layers: list[tuple[int, float]], to_dark: bool
) -> None:
    """Look-and-feel: a theme switches at once, and what is seen meanwhile does not lie."""
    old, new = ("light", "dark") if to_dark else ("dark", "light")
    before, after = _curves(old), _curves(new)
    ground, new_ground = THEMES[old].plane, THEMES[new].plane
    matrix = recoloring(before, ground, after, new_ground)
    assert matrix is not None
    drawn, wanted = (
        _over(np.array(plane[:3], float), [(colors[0, at, :3].astype(float), alpha) for at, alpha in layers])
        for plane, colors in ((ground, before), (new_ground, after))
    )
    pixels = np.rint(drawn)[None].astype(np.uint8)
    recolor(pixels, matrix, ground, new_ground)
    assert np.abs(pixels[0] - wanted).max() < CLOSE + 4
    if not layers:
        assert pixels[0].tolist() == list(new_ground[:3])


def test_what_no_map_leads_to_is_drawn_anew() -> None:
    """Colours that have nothing to do with those of before; other opacities; other curves."""
    light, dark = THEMES["light"].plane, THEMES["dark"].plane
    some = _curves("light", 6)
    many = some.copy()
    many[:, :, :3] = np.random.default_rng(3).integers(0, 255, (6, S, 3))
    assert recoloring(some, light, many, dark) is None
    fainter = some.copy()
    fainter[:, :, 3] //= 2
    assert recoloring(some, light, fainter, dark) is None
    assert recoloring(some, light, some[:3], dark) is None
    assert recoloring(some[:0], light, some[:0], dark) is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_same_colours_stay(theme: str) -> None:
    color, ground = _curves(theme), THEMES[theme].plane
    matrix = recoloring(color, ground, color, ground)
    assert matrix is not None
    pixels = color[0, :, :3].copy()
    recolor(pixels, matrix, ground, ground)
    assert np.abs(pixels.astype(int) - color[0, :, :3]).max() <= CLOSE
