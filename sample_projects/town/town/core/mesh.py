"""A surface of triangles."""

from town.gui.triangle import Point, Triangle


class Mesh:
    """Triangles that share sides."""

    def __init__(self) -> None:
        self.triangles: list[Triangle] = []

    def add(self, a: Point, b: Point, c: Point, d: Point) -> None:
        """Add a square as two triangles."""
        self.triangles += [Triangle(a, b, c), Triangle(a, c, d)]
