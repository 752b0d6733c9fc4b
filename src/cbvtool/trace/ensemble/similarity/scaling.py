"""A map of runs in two dimensions whose distances approximate the given ones (CF-3).

The first start is classical scaling, the others are seeded random points. Each is improved by majorisation (SMACOF).
The result with the least stress is kept and turned to its principal axes.

Sources: W. Torgerson 1952; J. de Leeuw and P. Mair, Multidimensional scaling using majorization (2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent

Floats = npt.NDArray[np.float64]
STEPS = 500
ENOUGH = 1e-7  # share of the stress: iteration stops at a smaller improvement
_STARTS = 10
_MANY = 400  # from this number of runs, only the first start is used


@dataclass(frozen=True, eq=False)
class RunMap:
    """Places float64[r, 2] of r runs. stress: sum of squared errors over pairs.

    Error: its square root, relative (0..1).
    """

    place: Floats
    stress: float
    error: float


def scaled_map(distance: Floats, seed: int = 1, progress: Progress = silent) -> RunMap:
    """The map of distances float64[r, r], symmetric. The same input gives the same map. Raises Cancelled."""
    runs = len(distance)
    if runs < 2 or not distance.any():
        return RunMap(np.zeros((runs, 2)), 0.0, 0.0)
    unit = float(distance.max())
    apart = distance / unit
    random = np.random.default_rng(seed)
    starts = [_classical(apart)]
    starts += [random.normal(0.0, 0.5, (runs, 2)) for _ in range(_STARTS if runs < _MANY else 0)]
    found = []
    for number, start in enumerate(starts):
        progress("Drawing a map of the runs", number, len(starts))
        found.append(_majorised(apart, start))
    stress, place = min(found, key=lambda each: each[0])
    error = float(np.sqrt(stress / ((apart**2).sum() / 2)))
    return RunMap(_turned(place) * unit, stress * unit**2, error)


def _classical(apart: Floats) -> Floats:
    """Torgerson's scaling: the two largest components of the centred squares."""
    squares = apart**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    value, vector = np.linalg.eigh(-centred / 2)
    found: Floats = vector[:, -2:] * np.sqrt(np.maximum(value[-2:], 0.0))
    return found


def _majorised(apart: Floats, place: Floats) -> tuple[float, Floats]:
    """(stress, places) after steps by the transform of Guttman."""
    own = _apart(place)
    stress = float(((own - apart) ** 2).sum() / 2)
    for _ in range(STEPS):
        ratio = -apart / np.where(own > 0, own, 1.0) * (own > 0)
        ratio[np.diag_indices(len(ratio))] = -ratio.sum(axis=1)
        place = ratio @ place / len(place)
        own = _apart(place)
        before, stress = stress, float(((own - apart) ** 2).sum() / 2)
        if before - stress <= ENOUGH * stress:
            break
    return stress, place


def _apart(place: Floats) -> Floats:
    found: Floats = np.hypot(place[:, None, 0] - place[:, 0], place[:, None, 1] - place[:, 1])
    return found


def _turned(place: Floats) -> Floats:
    """Centred, with the longest axis along x; on each axis, the most distant point is on the positive side."""
    place = place - place.mean(axis=0)
    _, vector = np.linalg.eigh(place.T @ place)
    found: Floats = place @ vector[:, ::-1]
    furthest = found[np.abs(found).argmax(axis=0), np.arange(2)]
    return found * np.where(furthest < 0, -1.0, 1.0)
