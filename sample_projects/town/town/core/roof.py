"""Roofs of buildings."""

from town.core.mesh import Mesh
from town.gui.triangle import Point


def flat_roof(width: float, depth: float, height: float) -> Mesh:
    """A roof that rain stays on."""
    corners: list[Point] = [(0, 0, height), (width, 0, height), (width, depth, height), (0, depth, height)]
    roof = Mesh()
    roof.add(*corners)
    return roof
