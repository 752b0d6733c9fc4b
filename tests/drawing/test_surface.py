"""A surface keeps its buffers where it can: what it says about that, and what VTK is given."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.drawing.gl import offscreen_window
from cbvtool.drawing.surface import Surface

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
TRIANGLES = np.array([[0, 1, 2], [1, 3, 2]], np.int32)
RED, BLUE = (np.tile(np.array(color, np.uint8), (4, 1)) for color in ((255, 0, 0, 255), (0, 0, 255, 255)))


@pytest.fixture
def surface() -> Surface:
    return Surface(offscreen_window())


def shown(surface: Surface) -> tuple[list[list[float]], list[list[int]], list[list[int]]]:
    mesh = surface.mesh
    return mesh.points.tolist(), mesh.regular_faces.tolist(), mesh.point_data["color"].tolist()


def test_other_values_reuse_the_buffers(surface: Surface) -> None:
    """Moved points and other colours of the same triangles: VTK keeps its arrays."""
    assert surface.set(POINTS, TRIANGLES, RED) is False
    mesh = surface.mesh
    assert surface.set(POINTS + 1, TRIANGLES.copy(), BLUE) is True
    assert surface.mesh is mesh
    assert shown(surface) == ((POINTS + 1).tolist(), TRIANGLES.tolist(), BLUE.tolist())


@pytest.mark.parametrize(
    ("points", "triangles", "color"),
    [(POINTS, TRIANGLES[:, ::-1].copy(), BLUE), (POINTS, TRIANGLES[:1], BLUE), (POINTS[:3], TRIANGLES[:1], BLUE[:3])],
    ids=["turned round", "fewer triangles", "fewer points"],
)
def test_other_triangles_need_new_ones(
    surface: Surface, points: np.ndarray, triangles: np.ndarray, color: np.ndarray
) -> None:
    surface.set(POINTS, TRIANGLES, RED)
    mesh = surface.mesh
    assert surface.set(points, triangles, color) is False
    assert surface.mesh is not mesh
    assert shown(surface) == (points.tolist(), triangles.tolist(), color.tolist())


def test_nothing_is_hidden_and_reuses_nothing(surface: Surface) -> None:
    """VTK keeps no arrays of nothing: those that were there wait for the next call."""
    none = np.empty((0, 3), np.int32)
    assert surface.set(POINTS[:0], none, RED[:0]) is False
    assert not surface.actor.GetVisibility()
    surface.set(POINTS, TRIANGLES, RED)
    assert surface.actor.GetVisibility()
    assert surface.set(POINTS[:0], none, RED[:0]) is False
    assert not surface.actor.GetVisibility()
    assert surface.set(POINTS, TRIANGLES, BLUE) is True
    assert surface.actor.GetVisibility()
    assert shown(surface)[2] == BLUE.tolist()
