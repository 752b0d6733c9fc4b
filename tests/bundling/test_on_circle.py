"""Bundled curves of any tree around a circle (CBV-2, EX-1)."""

from __future__ import annotations

import numpy as np

from cbvtool.bundling.on_circle import curves_on_circle


def test_curves_run_from_end_to_end_along_the_tree() -> None:
    """EX-1: two boxes of two leaves each; a curve between boxes bends to the centre, one within stays at its side."""
    parent = np.array([-1, 0, 0, -1, 3, 3])
    half, quarter = np.pi, np.pi / 2
    a0 = np.array([0, 0, quarter, half, half, half + quarter])
    a1 = a0 + np.array([half, quarter, quarter, half, quarter, quarter])
    boxes = np.array([1, 2, 4, 5])
    middle = (a0 + a1)[boxes] / 2
    begin, end = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 2])
    curves = curves_on_circle(parent, (a0, a1), (boxes, middle), (begin, end), 1.0, 33)
    assert curves.shape == (4, 33, 2)
    place = np.stack((np.sin(middle), -np.cos(middle)), axis=1)
    assert np.allclose(curves[:, 0], place[begin], atol=1e-6)
    assert np.allclose(curves[:, -1], place[end], atol=1e-6)
    radius = np.hypot(curves[..., 0], curves[..., 1])
    assert radius.max() <= 1 + 1e-6
    assert radius[1].min() < 0.35  # over both containers and the root
    assert (curves[0, 1:-1, 0] > 0).all()
    straight = curves_on_circle(parent, (a0, a1), (boxes, middle), (begin, end), 0.0, 33)
    share = np.linspace(0, 1, 33)
    along = np.linalg.norm(straight[1] - place[0], axis=1) / np.linalg.norm(place[2] - place[0])
    assert (np.diff(along) >= -1e-6).all()
    assert abs(along[16] - share[16]) < 0.05
