"""Figures of runs and modules: histograms, ranks, differences, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import duration

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunSpread:
    """How the values of runs are spread over each of g modules, on an axis of its own.

    low, high  float64[g]  NaN = no run has a value
    bin        int64[r, g]  -1 = the run has none
    count      int64[g, b]
    """

    low: Floats
    high: Floats
    bin: Ints
    count: Ints


def spread_of(values: Floats, bins: int) -> RunSpread:
    """Histograms of the columns of float64[r, g]; where all runs are equal, all are in the middle."""
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    share = shares_of(values, low, high)
    known = ~np.isnan(share)
    number = np.where(known, np.minimum(np.floor(np.nan_to_num(share) * bins), bins - 1), -1).astype(np.int64)
    count = np.zeros((values.shape[1], bins), np.int64)
    module = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    np.add.at(count, (module[known], number[known]), 1)
    return RunSpread(low, high, number, count)


def shares_of(values: Floats, low: Floats, high: Floats) -> Floats:
    """Where values lie on the axis from low to high, 0..1; the middle of one without length."""
    length = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(length > 0, (values - low) / length, np.where(np.isnan(values), np.nan, 0.5))
    return found


def differences(values: Floats, one: int, other: int) -> Floats:
    """float64[n]: the second run minus the first; who lacks something spent nothing there; NaN = both lack it."""
    missing = np.isnan(values[one]) & np.isnan(values[other])
    return np.where(missing, np.nan, np.nan_to_num(values[other]) - np.nan_to_num(values[one]))


def place_among(values: Floats, row: int) -> tuple[int, int]:
    """(place from the largest on, of so many) of a run among those that have a value; float64[r]."""
    known = values[~np.isnan(values)]
    return int((known > values[row]).sum()) + 1, len(known)


def written(value: float, unit: str) -> str:
    """A value with its unit."""
    if np.isnan(value):
        return "–"
    if unit == "ns":
        return duration(value)
    return f"{value:,.4g} {unit}".strip()


def signed(value: float, unit: str) -> str:
    """A difference with its sign."""
    return written(value, unit) if np.isnan(value) or value <= 0 else f"+{written(value, unit)}"


def scaled(values: Floats, unit: str) -> tuple[Floats, str]:
    """Values in a unit for tables, where signs and gaps count: times in s, ms, µs or ns, as their size asks for."""
    if unit != "ns":
        return values, unit
    most = float(np.nanmax(np.abs(values), initial=0.0)) if not np.isnan(values).all() else 0.0
    for name, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if most >= size:
            return values / size, name
    return values, "ns"
