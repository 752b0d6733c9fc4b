"""Curves on the disc as flat ribbons: narrower toward the dependency, with no more points than the eye needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Curves = npt.NDArray[np.float32]
Colors = npt.NDArray[np.uint8]

CURVE_WIDTH = (0.0038, 0.0013)  # of a relation, at its dependant and at its dependency; the ring's radius is 1


@dataclass(frozen=True, eq=False)
class Ribbons:
    """points float32[p, 3], color uint8[p, 4], triangles int32[t, 3]: later curves come later in `triangles`."""

    points: npt.NDArray[np.float32]
    color: Colors
    triangles: npt.NDArray[np.int32]


def ribbons(
    curves: Curves, color: Colors, width: npt.ArrayLike, *, soft: float = 0.0, tolerance: float = 0.0
) -> Ribbons:
    """Ribbons along sampled planar curves.

    curves     float32[e, S, 3], S >= 2; they stay in their plane z = const
    color      uint8[e, S, 4]
    width      [2] or [e, 2]: full width at the first and at the last sample, in the unit of the curves
    soft       width of a transparent border on both sides, which smooths the edge; 0 = none
    tolerance  samples nearer than this to the straight line between their neighbours are left out
    """
    count, samples = curves.shape[:2]
    if count == 0:
        return Ribbons(np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8), np.empty((0, 3), np.int32))
    keep = needed_samples(curves, tolerance) if tolerance > 0 else np.ones((count, samples), np.bool_)
    side = sideways(curves)[keep]
    along = np.linspace(0.0, 0.5, samples, dtype=np.float32)
    ends = np.broadcast_to(np.asarray(width, np.float32), (count, 2))
    half = (ends[:, :1] * (0.5 - along) + ends[:, 1:] * along)[keep]
    rows = curves[keep]
    if soft > 0:
        offsets = np.stack((-half - soft, -half, half, half + soft), axis=1)
    else:
        offsets = np.stack((-half, half), axis=1)
    across = offsets.shape[1]
    points = np.repeat(rows[:, None, :], across, axis=1)
    points[:, :, :2] += side[:, None, :] * offsets[:, :, None]
    shades = np.repeat(color[keep][:, None, :], across, axis=1)
    if soft > 0:
        shades[:, (0, -1), 3] = 0

    first = _followed(keep)
    corner = (first[:, None] * across + np.arange(across - 1)).astype(np.int32)
    quads = np.stack((corner, corner + 1, corner + across, corner + 1, corner + across + 1, corner + across), axis=-1)
    return Ribbons(points.reshape(-1, 3), shades.reshape(-1, 4), quads.reshape(-1, 3))


def hairlines(curves: Curves, color: Colors, tolerance: float) -> tuple[Curves, npt.NDArray[np.int32], Colors]:
    """Curves as lines without a width: points float32[p, 3], line pieces int32[l, 2], colours uint8[p, 4].

    curves, color, tolerance   as for `ribbons`
    """
    keep = needed_samples(curves, tolerance)
    first = _followed(keep).astype(np.int32)
    return curves[keep], np.stack((first, first + 1), axis=1), color[keep]


def _followed(keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """int64[]: indices of the kept samples that have a next one on their curve."""
    number = np.cumsum(keep.sum(axis=1))
    followed = np.ones(number[-1], np.bool_)
    followed[number - 1] = False
    return np.flatnonzero(followed)


def refined(curves: Curves, color: Colors) -> tuple[Curves, Colors]:
    """The curves with a further sample between every two, float32[e, 2 S - 1, 3], and their colours.

    The four-point scheme of Dyn, Gregory and Levin ("A 4-point interpolatory subdivision scheme for curve design",
    CAGD 4, 1987): the samples stay, and the corners between them are rounded.
    """
    count, samples = curves.shape[:2]
    if samples < 4:
        return curves, color
    fine = np.empty((count, 2 * samples - 1, 3), np.float32)
    fine[:, ::2] = curves
    fine[:, 3:-3:2] = 9 / 16 * (curves[:, 1:-2] + curves[:, 2:-1]) - 1 / 16 * (curves[:, :-3] + curves[:, 3:])
    fine[:, 1] = 3 / 8 * curves[:, 0] + 3 / 4 * curves[:, 1] - 1 / 8 * curves[:, 2]
    fine[:, -2] = 3 / 8 * curves[:, -1] + 3 / 4 * curves[:, -2] - 1 / 8 * curves[:, -3]
    shades = np.empty((count, 2 * samples - 1, 4), np.uint8)
    shades[:, ::2] = color
    shades[:, 1::2] = (color[:, :-1].astype(np.uint16) + color[:, 1:]) // 2
    return fine, shades


def needed_samples(curves: Curves, tolerance: float) -> npt.NDArray[np.bool_]:
    """bool[e, S]: samples without which the polyline would leave the curve by more than `tolerance`.

    Neighbouring pieces are joined pairwise as long as every sample between stays near the chord (bottom-up
    merging on a binary grid, all curves at once); the ends always stay.
    """
    count, samples = curves.shape[:2]
    keep = np.ones((count, samples), np.bool_)
    joined = np.ones((count, samples - 1), np.bool_)  # pieces, at the length reached so far, that one chord replaces
    step = 2
    while step < samples:
        starts = np.arange(0, samples - step, step)
        a, b = curves[:, starts, :2], curves[:, starts + step, :2]
        chord = b - a
        square = np.maximum((chord**2).sum(axis=2), 1e-24)
        near = np.ones((count, len(starts)), np.bool_)
        for inner in range(1, step):
            d = curves[:, starts + inner, :2] - a
            share = np.clip((chord * d).sum(axis=2) / square, 0.0, 1.0)  # place on the chord, 0..1
            near &= ((d - share[:, :, None] * chord) ** 2).sum(axis=2) <= tolerance**2
        pieces = joined[:, : 2 * len(starts)].reshape(count, len(starts), 2)
        near &= pieces.all(axis=2)
        if not near.any():
            break
        keep[:, starts + step // 2] &= ~near
        joined = near
        step *= 2
    return keep


def sideways(curves: Curves) -> npt.NDArray[np.float32]:
    """float32[e, S, 2]: unit vectors across the curves, in their plane."""
    xy = curves[:, :, :2]
    along = np.empty_like(xy)
    along[:, 1:-1] = xy[:, 2:] - xy[:, :-2]
    along[:, 0] = xy[:, 1] - xy[:, 0]
    along[:, -1] = xy[:, -1] - xy[:, -2]
    length = np.sqrt((along**2).sum(axis=2, keepdims=True))
    along /= np.maximum(length, 1e-12)
    return np.stack((-along[:, :, 1], along[:, :, 0]), axis=2)
