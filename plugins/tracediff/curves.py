"""Curves along control polygons, and the borders of the tubes around them (TD-5, TD-6).

The curve is d3's `curveBundle.beta(b)`: control points pulled toward the line between the ends, a uniform cubic
B-spline with them, and straight pieces at both ends. Source: Trümper, Döllner, Telea 2013, sections IV-B and IV-C.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BETA = 0.8
SAMPLES = 96  # points on each curve; TD-6 asks for 50 to 100


def curve_points(points: Floats, ptr: Ints, beta: float = BETA, samples: int = SAMPLES) -> Floats:
    """float64[n, samples, 2]: places along the curve of each control polygon, at equal steps of the parameter.

    points  float64[p, 2]; polygon i is rows `ptr[i]:ptr[i + 1]`, at least two of them
    """
    found = np.empty((len(ptr) - 1, samples, 2))
    _curve_points(np.ascontiguousarray(points, np.float64), np.asarray(ptr, np.int64), beta, found)
    return found


@kernel
def _curve_points(points: Floats, ptr: Ints, beta: float, found: npt.NDArray[np.float64]) -> None:
    samples = found.shape[1]
    for i in range(len(ptr) - 1):
        first, count = ptr[i], ptr[i + 1] - ptr[i]
        pulled = np.empty((count, 2))
        for k in range(count):
            share = k / (count - 1)
            for axis in range(2):
                begin, end = points[first, axis], points[first + count - 1, axis]
                pulled[k, axis] = beta * points[first + k, axis] + (1 - beta) * (begin + share * (end - begin))
        whole = count - 1 + 2 / 3  # segments of the spline, and a third for either straight piece
        for s in range(samples):
            at = s / (samples - 1) * whole - 1 / 3
            segment = min(max(int(np.floor(at)), 0), count - 2)
            t = min(max(at - segment, 0.0), 1.0)
            a, b = (1 - t) ** 3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6
            c, d = (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6, t**3 / 6
            for axis in range(2):
                p = pulled[:, axis]
                before, after = p[max(segment - 1, 0)], p[min(segment + 2, count - 1)]
                value = a * before + b * p[segment] + c * p[segment + 1] + d * after
                if at < 0:  # straight from the end to (5 P0 + P1) / 6
                    value = p[0] + (1 + 3 * at) * (p[1] - p[0]) / 6
                elif at > count - 1:
                    value = p[count - 1] + (1 - 3 * (at - count + 1)) * (p[count - 2] - p[count - 1]) / 6
                found[i, s, axis] = value


def arc_lengths(curves: Floats) -> Floats:
    """float64[n, samples]: how far each point lies along its curve, 0..1 of its length."""
    step = np.hypot(np.diff(curves[..., 0], axis=1), np.diff(curves[..., 1], axis=1))
    along = np.concatenate((np.zeros((len(curves), 1)), np.cumsum(step, axis=1)), axis=1)
    found: Floats = along / np.maximum(along[:, -1:], 1e-12)
    return found


def profile(t: Floats, thin: float) -> Floats:
    """phi(t) = lambda + (1 - lambda) / 2 * (1 + cos 2 pi t): how much of its width a tube has along the way."""
    found: Floats = thin + (1 - thin) / 2 * (1 + np.cos(2 * np.pi * t))
    return found


def half_widths(t: Floats, widths: Floats, thin: float) -> Floats:
    """float64[n, samples]: how far the borders lie left and right of the curve (TD-6).

    t       float64[n, samples]  arc length, 0..1
    widths  float64[n, 2]  of the calls at both ends
    thin    lambda
    """
    found: Floats = profile(t, thin) * ((1 - t) * widths[:, :1] / 2 + t * widths[:, 1:] / 2)
    return found


def tube_borders(curves: Floats, widths: Floats, thin: float) -> tuple[Floats, Floats]:
    """The x of the left and of the right border of each tube, float64[n, samples]; y is that of the curve."""
    half = half_widths(arc_lengths(curves), widths, thin)
    return curves[..., 0] - half, curves[..., 0] + half
