"""Ribbons along curves: taper (look-and-feel), and no more points than needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cbvtool.geometry.scene.ribbons import hairlines, needed_samples, refined, ribbons

SAMPLES = 32


def half_circle(samples: int = SAMPLES) -> np.ndarray:
    """float32[1, samples, 3] on the unit circle."""
    angle = np.linspace(0, np.pi, samples)
    return np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1).astype(np.float32)[None]


def colors(curves: np.ndarray) -> np.ndarray:
    shades = np.zeros((*curves.shape[:2], 4), np.uint8)
    shades[:, :, 0] = np.linspace(0, 200, curves.shape[1])
    shades[:, :, 3] = 90
    return shades


def distance_to_polyline(point: np.ndarray, line: np.ndarray) -> float:
    """Smallest distance of a point to the straight pieces through `line`, by the definition."""
    best = np.inf
    for a, b in pairwise(line):
        along = b - a
        share = np.clip(np.dot(point - a, along) / max(float(np.dot(along, along)), 1e-30), 0, 1)
        best = min(best, float(np.hypot(*(point - a - share * along))))
    return best


def test_a_ribbon_is_narrower_at_the_used_end() -> None:
    """Look-and-feel: "narrower toward the used end"; the width is the one asked for at both ends, across the curve."""
    curves = half_circle()
    shape = ribbons(curves, colors(curves), (0.2, 0.05))
    sides = shape.points.reshape(SAMPLES, 2, 3)
    wide = np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1)
    np.testing.assert_allclose(wide[[0, -1]], [0.2, 0.05], atol=1e-6)
    assert (np.diff(wide) < 0).all()
    np.testing.assert_allclose(sides.mean(axis=1), curves[0], atol=1e-6)


def test_a_soft_border_is_transparent_and_outside() -> None:
    """Look-and-feel: soft edges: the border lies outside of the width, and fades to nothing."""
    curves = half_circle()
    shape = ribbons(curves, colors(curves), (0.2, 0.2), soft=0.03)
    rows = shape.points.reshape(SAMPLES, 4, 3)
    np.testing.assert_allclose(np.linalg.norm(rows[:, 3] - rows[:, 0], axis=1), 0.26, atol=1e-6)
    alpha = shape.color.reshape(SAMPLES, 4, 4)[:, :, 3]
    assert (alpha == [0, 90, 90, 0]).all()


def test_ribbons_do_not_join_curves() -> None:
    """No triangle has points of two curves, and later curves come later: they are painted over earlier ones."""
    curves = np.concatenate((half_circle(), half_circle() + 5, half_circle() - 5))
    shape = ribbons(curves, colors(curves), (0.1, 0.1), tolerance=0.01)
    curve = np.rint(shape.points[:, 0] / 5).astype(int)  # -1, 0, 1 by place
    of_triangle = curve[shape.triangles]
    assert (of_triangle == of_triangle[:, :1]).all()
    order = np.array([{0: 0, 1: 1, -1: 2}[number] for number in of_triangle[:, 0]])
    assert (np.diff(order) >= 0).all()


def test_no_curves_are_no_triangles() -> None:
    """A scene without relations draws."""
    shape = ribbons(np.empty((0, SAMPLES, 3), np.float32), np.empty((0, SAMPLES, 4), np.uint8), (1, 1), tolerance=1)
    assert len(shape.points) == len(shape.triangles) == 0


@given(arrays(np.float32, (2, SAMPLES, 3), elements=st.floats(-1, 1, width=32)), st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_samples_that_are_left_out_were_not_needed(curves: np.ndarray, tolerance: float) -> None:
    """Every sample stays within the tolerance of the polyline through those that are kept."""
    keep = needed_samples(curves, tolerance)
    assert keep[:, 0].all()
    assert keep[:, -1].all()
    for curve, kept in zip(curves[:, :, :2].astype(np.float64), keep, strict=True):
        line = curve[kept]
        assert max(distance_to_polyline(point, line) for point in curve) <= tolerance * 1.01 + 1e-5


def test_a_straight_curve_needs_few_samples() -> None:
    """The point of it: what is straight costs few triangles, what bends keeps its own."""
    line = np.zeros((1, 63, 3), np.float32)
    line[0, :, 0] = np.linspace(0, 1, 63)
    assert needed_samples(line, 1e-4).sum() <= 8
    assert needed_samples(half_circle(63), 1e-4).sum() > 25


def test_refining_rounds_the_corners() -> None:
    """The four-point scheme keeps the samples, and its new ones lie nearer to the circle than the chords do."""
    curves = half_circle(12)
    fine, shades = refined(curves, colors(curves))
    np.testing.assert_array_equal(fine[:, ::2], curves)
    np.testing.assert_array_equal(shades[:, ::2], colors(curves))
    off = np.abs(np.linalg.norm(fine[0, 1::2, :2], axis=1) - 1)
    chord = np.abs(np.linalg.norm((curves[0, 1:, :2] + curves[0, :-1, :2]) / 2, axis=1) - 1)
    assert (off < chord / 3).all()


def test_hairlines_join_what_is_kept() -> None:
    """Curves without a width: each piece joins two kept samples of one curve, from its first to its last."""
    curves = np.concatenate((half_circle(), half_circle() + 5, half_circle() - 5))
    points, pieces, shades = hairlines(curves, colors(curves), 0.01)
    keep = needed_samples(curves, 0.01)
    np.testing.assert_array_equal(points, curves[keep])
    np.testing.assert_array_equal(shades, colors(curves)[keep])
    assert len(pieces) == keep.sum() - 3
    assert (np.abs(points[pieces[:, 1]] - points[pieces[:, 0]]).max(axis=1) < 2).all()
    assert sorted(pieces[:, 1].tolist()) == sorted(set(pieces[:, 1].tolist()))
