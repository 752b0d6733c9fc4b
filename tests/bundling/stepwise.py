"""Bundles made one step after the other, as the sources describe them: what the one product is judged by."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.paths import Routes
from cbvtool.bundling.spline import SAMPLES, basis

Points = npt.NDArray[np.float64]
Pointers = npt.NDArray[np.int64]


def control_points(routes: Routes, *, keep_ancestor: bool = True) -> tuple[Points, Pointers]:
    """Control polygons as CSR: float64[p, 2] and int64[e + 1].

    keep_ancestor   whether the least common ancestor is a control point (as d3 does); left out, it stays only
                    where it is the one inner point (Holten 2006, section 4.1)
    """
    count = routes.up + routes.down + 1
    if not keep_ancestor:
        count = np.where(count > 3, count - 1, count)
    ptr = np.concatenate(([0], np.cumsum(count))).astype(np.int64)
    points = np.empty((int(ptr[-1]), 2))
    for up, down, rows in routes.shapes:
        begin, finish = ptr[rows], ptr[rows + 1] - 1
        last = up if keep_ancestor or up + down == 2 else up - 1
        for step in range(last + 1):
            points[begin + step] = routes.anchors[routes.source[rows], step]
        for step in range(down):
            points[finish - step] = routes.anchors[routes.target[rows], step]
    return points, ptr


def straighten(points: Points, ptr: Pointers, beta: float) -> Points:
    """Pull control points toward the line between the ends (Holten 2006, section 4.3, equation 1).

    points  float64[p, 2], ptr int64[e + 1]: control polygons as CSR
    beta    0 = straight lines, 1 = the polygons as they are

    `P'_i = beta P_i + (1 - beta) (P_0 + i / (N - 1) (P_{N-1} - P_0))`
    """
    counts = np.diff(ptr)
    first, last = points[ptr[:-1]], points[ptr[1:] - 1]
    step = np.arange(len(points)) - np.repeat(ptr[:-1], counts)
    share = step / np.repeat(np.maximum(counts - 1, 1), counts)
    line = np.repeat(first, counts, axis=0) + share[:, None] * np.repeat(last - first, counts, axis=0)
    return np.asarray(beta * points + (1 - beta) * line)


def sample(
    points: Points, ptr: Pointers, samples: int = SAMPLES, *, dtype: npt.DTypeLike = np.float32
) -> npt.NDArray[Any]:
    """Points on the curves of all control polygons, which stay as they are: straighten them before.

    points   float64[p, 2], ptr int64[e + 1]: control polygons as CSR, at least two points each
    samples  how many points on each curve; the first and the last are the ends of its polygon
    result   dtype[e, samples, 2]
    """
    counts = np.diff(ptr)
    curves = np.empty((len(counts), samples, 2), dtype)
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        polygons = points[ptr[rows, None] + np.arange(count)]
        curves[rows] = np.einsum("sc,ecd->esd", basis(count, samples), polygons)
    return curves
