"""The values that a legend names: round ones, evenly spread over the scale, always with its two ends."""

from __future__ import annotations

import math

import numpy as np

from cbvtool.geometry.scales import Axis, Legend

FEW = 3  # with no more values than this, a logarithmic scale also names two and five times its powers of ten
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def ticks(legend: Legend, most: int) -> list[tuple[float, float]]:
    """About `most` (value, share 0..1 of the scale), ascending; a scale without extent has none."""
    axis = legend.axis
    if not axis.maximum > axis.minimum:
        return []
    if axis.kind == "log":
        values = _powers(axis, most)
    elif axis.kind == "quantile":
        values = _quartiles(axis, most)
    else:
        counted = bool(legend.unit) and axis.minimum.is_integer() and axis.maximum.is_integer()
        values = nice_values(axis.minimum, axis.maximum, most, 1.0 if counted else 0.0)
    return list(zip(values, axis.place(np.array(values)).tolist(), strict=True))


def nice_values(minimum: float, maximum: float, most: int, least_step: float = 0.0) -> list[float]:
    """About `most` round values from `minimum` up to a larger `maximum`; both ends are among them.

    Steps are 1, 2 or 5 times a power of ten, and at least `least_step`. A round value too near to an end is left out.
    """
    span = maximum - minimum
    step = max(10.0 ** math.floor(math.log10(span / most)), least_step)
    while span / step > most - 1:
        for factor in (2.0, 2.5, 2.0):  # 1 -> 2 -> 5 -> 10
            step *= factor
            if span / step <= most - 1:
                break
    first = math.ceil(minimum / step + 1e-9)
    round_ones = [step * number for number in range(first, math.floor(maximum / step) + 1)]
    between = [value for value in round_ones if minimum + 0.6 * step < value < maximum - 0.6 * step]
    return [minimum, *between, maximum]


def _powers(axis: Axis, most: int) -> list[float]:
    """Powers of ten above the base; if these are few, also two and five times each."""
    lowest, highest = (math.floor(math.log10(v)) for v in (axis.grain, axis.maximum - axis.base))
    steps = range(lowest, highest + 1)
    powers = [axis.base + 10.0**power for power in reversed(steps)]
    chosen = _apart(axis, powers, most)
    if len(chosen) > FEW:
        return chosen
    return _apart(axis, powers + [axis.base + digit * 10.0**power for digit in (5, 2) for power in steps], most)


def _quartiles(axis: Axis, most: int) -> list[float]:
    """Values at the quarters of the scale that occur among the data."""
    nearest = [float(axis.knots[np.abs(axis.ranks - share).argmin()]) for share in QUARTERS]
    return _apart(axis, nearest, most)


def _apart(axis: Axis, candidates: list[float], most: int) -> list[float]:
    """The ends, and those candidates that leave room to the values chosen before them."""
    chosen = {axis.minimum: 0.0, axis.maximum: 1.0}
    for value in candidates:
        share = float(axis.place(value))
        apart = min(abs(share - other) for other in chosen.values()) >= 0.8 / most
        if axis.minimum < value < axis.maximum and len(chosen) < most and apart:
            chosen[value] = share
    return sorted(chosen)
