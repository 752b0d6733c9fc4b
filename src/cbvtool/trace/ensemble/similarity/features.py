"""Parameters of runs as points, so that runs with like parameters lie near each other (CF-3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.parameters import RunParameter

Floats = npt.NDArray[np.float64]


def parameter_points(parameters: Sequence[RunParameter], runs: int) -> Floats:
    """float64[r, d]: numbers from 0 to 1, categories one-hot, so that no order is made up among them.

    Two runs that differ in one category alone are 1 apart, as two whose number differs most. What a run does not say
    lies in the middle of numbers, and away from all categories.
    """
    columns = [np.zeros((runs, 0))]
    for one in parameters:
        known = ~np.isnan(one.values)
        if one.is_number:
            halved = one.values / 2  # of which no difference overflows
            low, high = np.nanmin(halved), np.nanmax(halved)
            columns.append(np.where(known, (halved - low) / ((high - low) or 1.0), 0.5)[:, None])
        else:
            levels = np.zeros((runs, len(one.levels)))
            levels[np.flatnonzero(known), one.values[known].astype(np.int64)] = math.sqrt(0.5)
            columns.append(levels)
    return np.concatenate(columns, axis=1)


def point_distances(points: Floats) -> Floats:
    """float64[r, r]: straight distances of float64[r, d]."""
    squares = (points**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2 * (points @ points.T), 0.0)
    np.fill_diagonal(apart, 0.0)
    found: Floats = np.sqrt((apart + apart.T) / 2)
    return found
