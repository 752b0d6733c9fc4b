"""Curves with colours along them (EX-1, EX-4): their width, their order, minimum and maximum blending."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.plots.gradients import curve_image

GROUND = (250, 250, 247, 255)


def line(x0: float, y0: float, x1: float, y1: float, samples: int = 9) -> np.ndarray:
    share = np.linspace(0.0, 1.0, samples)[:, None]
    return np.array([x0, y0]) * (1 - share) + np.array([x1, y1]) * share


def colors(*ends: tuple[tuple[int, int, int], tuple[int, int, int]]) -> np.ndarray:
    return np.array([[(*a, 255), (*b, 255)] for a, b in ends], np.float64)


GREEN, RED = (0, 200, 0), (220, 0, 0)


def test_a_curve_runs_from_one_colour_to_the_other() -> None:
    """EX-1: 100 pixels from green to red, four wide, picked where it lies."""
    points = line(0.0, 10.0, 100.0, 10.0)[None]
    image, item = curve_image(points, np.array([4.0]), colors((GREEN, RED)), GROUND, (100, 20))
    assert (image[..., 3] > 0).sum(axis=0).tolist() == [4] * 100
    assert image[10, 0, :3].tolist() == pytest.approx([1, 199, 0], abs=1)
    assert image[10, 50, :3].tolist() == pytest.approx([110, 100, 0], abs=2)
    assert image[10, 99, :3].tolist() == pytest.approx([219, 1, 0], abs=1)
    assert (item[8:12] == 0).all()
    assert (item[:8] == -1).all()


@pytest.mark.parametrize(("blend", "crossing"), [("over", RED), ("min", (0, 0, 0)), ("max", (220, 200, 0))])
def test_what_a_crossing_shows(blend: str, crossing: tuple[int, int, int]) -> None:
    """EX-4: the last one over others; the smaller or the larger value on each channel."""
    points = np.stack((line(0.0, 10.0, 20.0, 10.0), line(10.0, 0.0, 10.0, 20.0)))
    ground = (0, 0, 0, 255) if blend == "max" else GROUND
    image, item = curve_image(points, np.array([4.0, 4.0]), colors((GREEN, GREEN), (RED, RED)), ground, (20, 20), blend)
    assert image[10, 10, :3].tolist() == list(crossing)
    assert image[10, 2, :3].tolist() == list(GREEN)
    assert item[10, 10] == 1


@given(st.integers(0, 1000), st.sampled_from(["min", "max"]))
def test_blending_needs_no_order(seed: int, blend: str) -> None:
    """EX-4: minimum and maximum are the same whichever curve is drawn first."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-5, 45, (4, 6, 2))
    width, shades = rng.uniform(0.5, 5, 4), np.dstack((rng.integers(0, 256, (4, 2, 3)), np.full((4, 2, 1), 255)))
    one = curve_image(points, width, shades.astype(np.float64), GROUND, (40, 40), blend)[0]
    back = curve_image(points[::-1], width[::-1], shades[::-1].astype(np.float64), GROUND, (40, 40), blend)[0]
    assert np.abs(one.astype(int) - back.astype(int)).max() <= 1


def test_no_curve_and_curves_outside_are_nothing() -> None:
    """EX-1: no curves; a curve beyond the picture; one of no length."""
    none = np.empty((0, 9, 2))
    assert not curve_image(none, np.empty(0), np.empty((0, 2, 4)), GROUND, (10, 10))[0].any()
    far = np.stack((line(-50.0, -9.0, -20.0, -9.0), line(3.0, 3.0, 3.0, 3.0)))
    assert not curve_image(far, np.ones(2), colors((RED, RED), (RED, RED)), GROUND, (10, 10))[0].any()
