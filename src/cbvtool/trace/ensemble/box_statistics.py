"""Quartiles, whiskers and outliers of many samples at once (CF-3; J. Tukey, Exploratory Data Analysis, 1977)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
REACH = 1.5  # interquartile ranges beyond which a value is an outlier


@dataclass(frozen=True, eq=False)
class BoxStatistics:
    """Of m samples.

    count         int64[m]      values that there are
    quartile      float64[3, m] lower quartile, median, upper quartile; NaN = there is no value
    low, high     float64[m]    the furthest values that are no outliers
    is_outlier    bool[k, m]
    """

    count: npt.NDArray[np.int64]
    quartile: Floats
    low: Floats
    high: Floats
    is_outlier: npt.NDArray[np.bool_]


def box_statistics(values: Floats) -> BoxStatistics:
    """Of the columns of float64[k, m], without NaN; quartiles between two values are interpolated."""
    count = (~np.isnan(values)).sum(axis=0)
    quartile = np.stack([_quantile(values, count, share) for share in (0.25, 0.5, 0.75)])
    reach = REACH * (quartile[2] - quartile[0])
    with np.errstate(invalid="ignore"):
        outlier = (values < quartile[0] - reach) | (values > quartile[2] + reach)
    inner = np.where(outlier, np.nan, values)
    return BoxStatistics(count, quartile, np.fmin.reduce(inner, axis=0), np.fmax.reduce(inner, axis=0), outlier)


def _quantile(values: Floats, count: npt.NDArray[np.int64], share: float) -> Floats:
    """float64[m]: linear between the two nearest values."""
    if not len(values):
        return np.full(values.shape[1], np.nan)
    ordered = np.sort(values, axis=0)  # NaN last
    at = share * np.maximum(count - 1, 0)
    below = np.floor(at).astype(np.int64)
    column = np.arange(values.shape[1])
    low = ordered[below, column]
    high = ordered[np.minimum(below + 1, np.maximum(count - 1, 0)), column]
    found: Floats = low + (high - low) * (at - below)
    return found
