"""Times of a warped axis that are worth a label, and how they are written."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.trace.timeline.bars import TimeGrid

Floats = npt.NDArray[np.float64]
_APART = 110.0  # logical pixels between labels, at least
_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))


def nice_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, at least `least` ns and 1 ns."""
    power = 10.0 ** math.floor(math.log10(max(least, 1.0)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * 0.999)


def tick_times(grid: TimeGrid, width: float) -> Floats:
    """Times with a label, ns: round ones, about `_APART` pixels from each other, however time is warped."""
    pieces = max(int(width / _APART), 1)
    ends = np.linspace(grid.left, grid.right, pieces + 1)
    times = grid.warp.inverse(ends)
    if grid.warp.theta == 0.0:
        step = nice_step((times[-1] - times[0]) / pieces)
        return np.arange(math.ceil(times[0] / step), math.floor(times[-1] / step) + 1) * step
    found: list[float] = []
    for low, high in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
        step = nice_step((high - low) / 2)
        value = math.ceil(low / step) * step
        if value <= high:
            found.append(value)
    kept: list[float] = []
    gap = (grid.right - grid.left) / max(width, 1.0) * _APART * 0.7
    for value, at in zip(found, grid.warp.forward(np.array(found)).tolist(), strict=True):
        if not kept or at - float(grid.warp.forward(kept[-1])) >= gap:
            kept.append(value)
    return np.array(kept)


def time_text(time: float, step: float) -> str:
    """A time with as many digits as tell it from one that is `step` later: `1.2345 s`."""
    unit, factor = next((pair for pair in _UNITS if abs(time) >= pair[1]), _UNITS[-1])
    digits = max(0, math.ceil(math.log10(factor / max(step, 1e-3)) - 1e-9))
    return f"{time / factor:,.{min(digits, 12)}f} {unit}" if time else "0"
