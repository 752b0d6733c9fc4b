"""A triangle in space."""

from math import sqrt

Point = tuple[float, float, float]


class Triangle:
    """Three corners, against the clock as seen from outside."""

    def __init__(self, a: Point, b: Point, c: Point) -> None:
        self.corners = (a, b, c)

    def area(self) -> float:
        """Half of the parallelogram that two sides span."""
        a, b, c = self.corners
        u = [q - p for p, q in zip(a, b, strict=True)]
        v = [q - p for p, q in zip(a, c, strict=True)]
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        return sqrt(sum(part * part for part in cross)) / 2
