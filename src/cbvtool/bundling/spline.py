"""From control polygons to curves: straightening, then a uniform cubic B-spline with doubled ends.

Both are linear in the control points, so that all curves with the same number of control points are one matrix
product. The curve is that of d3-shape's `curveBundle.beta(b)`: it starts with a straight piece from `P0` to
`(5 P0 + P1) / 6` and ends likewise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]
Pointers = npt.NDArray[np.int64]

SAMPLES = 32
# Parameter range of a straight piece, relative to a spline segment's: then both have equal speed where they join.
STRAIGHT = 1 / 3


@lru_cache(maxsize=256)
def basis(count: int, samples: int, beta: float = 1.0) -> Matrix:
    """float64[samples, count]: weight of each of `count` control points in each sample of the curve.

    The parameter runs in equal steps over the count - 1 segments of the spline, plus a third of a segment for the
    straight piece at either end.
    """
    if count < 2:
        raise ValueError("a curve has at least two control points")
    at = np.linspace(-STRAIGHT, count - 1 + STRAIGHT, samples)
    segment = np.clip(np.floor(at), 0, count - 2).astype(int)
    t = np.clip(at - segment, 0.0, 1.0)
    # The uniform cubic B-spline: weights of the four control points around a segment.
    four = np.stack(((1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3), axis=1) / 6
    weights = np.zeros((samples, count))
    rows = np.arange(samples)
    for offset in range(4):
        np.add.at(weights, (rows, np.clip(segment - 1 + offset, 0, count - 1)), four[:, offset])
    # The straight pieces: from an end to where the spline begins, (5 P0 + P1) / 6.
    for past, end, next_ in ((-at, 0, 1), (at - (count - 1), count - 1, count - 2)):
        straight = past > 0
        share = np.minimum(past[straight] / STRAIGHT, 1.0)  # 1 at the end itself
        weights[straight] = 0.0
        weights[straight, next_] = (1 - share) / 6
        weights[straight, end] = 1 - (1 - share) / 6
    weights = weights @ _straightening(count, beta)
    weights.flags.writeable = False
    return weights


def _straightening(count: int, beta: float) -> Matrix:
    """float64[count, count]: the straightening of a polygon as a matrix (Holten 2006, section 4.3, equation 1).

    `P'_i = beta P_i + (1 - beta) (P_0 + i / (N - 1) (P_{N-1} - P_0))`
    """
    share = np.linspace(0.0, 1.0, count)
    line = np.zeros((count, count))
    line[:, 0] += 1 - share
    line[:, -1] += share
    return beta * np.eye(count) + (1 - beta) * line
