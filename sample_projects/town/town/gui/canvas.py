"""Writes surfaces as lines of text, for want of a screen."""

from town.core.mesh import Mesh
from town.gui.triangle import Triangle


def draw(mesh: Mesh) -> list[str]:
    """A line for each triangle."""
    return [_line(triangle) for triangle in mesh.triangles]


def _line(triangle: Triangle) -> str:
    return f"{triangle.area():8.2f} " + " ".join(str(corner) for corner in triangle.corners)
