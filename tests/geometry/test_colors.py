"""Colours: maps that every eye can read, themes that are legible."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cbvtool.geometry.colors import COLOR_MAPS, DEFAULT_MAP, OKABE_ITO, THEMES, gradient, map_colors, map_stops, rgba

# Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency,
# IEEE TVCG 15(6), 2009, table 1: severity 1.0, on linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(rgb: np.ndarray) -> np.ndarray:
    """sRGB 0..255 as linear light 0..1 (IEC 61966-2-1)."""
    c = np.asarray(rgb, np.float64) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray, deficiency: str = "none") -> np.ndarray:
    """CIE L*a*b* (D65) of colours as seen with a colour vision deficiency."""
    seen = np.clip(linear(rgb) @ DEFICIENCIES[deficiency].T, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = seen @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack((116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])), axis=1)


def contrast(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """WCAG 2.1 contrast ratio."""
    luminance = [float(linear(np.array(c[:3])) @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in (a, b)]
    return max(luminance) / min(luminance)


def confusion(name: str, deficiency: str) -> float:
    """Least difference (CIE76) between two colours of a map that lie a quarter of the scale apart."""
    seen = lab(map_colors(np.linspace(0, 1, 33), name)[:, :3], deficiency)
    return min(float(np.linalg.norm(seen[i] - seen[j])) for i, j in combinations(range(33), 2) if j - i >= 8)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("name", ["cividis", "ember"])
def test_values_a_quarter_apart_are_told_apart_by_every_eye(name: str, deficiency: str) -> None:
    """CBV-4, look-and-feel: colour-blind-safe maps; a difference of 10 is plainly seen."""
    assert confusion(name, deficiency) > 10


def test_the_map_of_the_thesis_is_not_the_default() -> None:
    """CBV-4: green to red is selectable, but the two are nearly one to a deuteranope: the test above can fail."""
    assert confusion("thesis", "deuteranopia") < 10
    assert DEFAULT_MAP in ("cividis", "ember")


def test_cividis_is_the_published_map() -> None:
    """Agreement with another copy of the published figures, to what 33 straight pieces can do."""
    matplotlib = pytest.importorskip("matplotlib")
    share = np.linspace(0, 1, 256)
    published = matplotlib.colormaps["cividis"](share)[:, :3] * 255
    ours = map_colors(share, "cividis")[:, :3].astype(np.float64)
    assert np.abs(ours - published).max() < 6


@pytest.mark.parametrize("name", COLOR_MAPS)
def test_maps_run_from_their_first_to_their_last_anchor(name: str) -> None:
    """CBV-4: with a legend whose stops are the colours that leaves get."""
    stops = map_stops(name)
    colors = map_colors(np.array([share for share, _ in stops]), name)
    assert [tuple(color) for color in colors.tolist()] == [color for _, color in stops]
    beyond = map_colors(np.array([-1.0, 2.0]), name)
    assert tuple(beyond[0].tolist()) == stops[0][1]
    assert tuple(beyond[1].tolist()) == stops[-1][1]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_what_was_not_measured_is_grey(theme) -> None:
    """CBV-4: not a colour of any map, and no inner node's grey."""
    color = map_colors(np.array([np.nan, 0.0]), DEFAULT_MAP, theme.missing)
    assert tuple(color[0].tolist()) == theme.missing
    assert max(theme.missing[:3]) - min(theme.missing[:3]) < 15
    assert theme.missing not in {grey for pair in theme.inner for grey in pair}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_writing_is_legible(theme) -> None:
    """WCAG 2.1: 4.5 for text, 3 for what is large or graphic; names also stand on the greys of inner nodes."""
    assert contrast(theme.text, theme.ground) > 7
    assert contrast(theme.muted, theme.ground) > 4.5
    assert min(contrast(theme.text, grey) for pair in theme.inner for grey in pair) > 4.5
    assert contrast(theme.accent, theme.ground) > 3
    assert contrast(theme.warning, theme.ground) > 3


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_both_ends_of_a_relation_are_told_apart_by_every_eye(theme, deficiency: str) -> None:
    """Direction not by hue alone: the ends differ in lightness too."""
    ends = lab(np.array([theme.user[:3], theme.used[:3]]), deficiency)
    assert np.linalg.norm(ends[0] - ends[1]) > 25
    assert abs(ends[0, 0] - ends[1, 0]) > 5


def test_a_gradient_runs_between_its_ends() -> None:
    """In linear light: the middle is no darker than the darker end."""
    theme = THEMES["light"]
    colors = gradient(theme.user, theme.used, 32)
    np.testing.assert_allclose(colors[[0, -1]], [theme.user[:3], theme.used[:3]], atol=1e-6)
    lightness = lab(colors)[:, 0]
    assert (np.diff(lightness) > 0).all()


def test_categories_are_all_different() -> None:
    """Look-and-feel: categorical from Okabe and Ito."""
    assert len(set(OKABE_ITO)) == 8
    assert OKABE_ITO[0] == rgba("#E69F00") == (230, 159, 0, 255)
