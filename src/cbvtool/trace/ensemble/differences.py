"""What one group of runs spends more or less than another, and whether that is their noise (CF-4, CF-8).

Source: B. L. Welch, The generalization of "Student's" problem when several different population variances are involved
(1947).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.runs.statistics import corrected

Floats = npt.NDArray[np.float64]
CHANCE = 0.05
ODD = 0.01  # that any of the quantities of a run like the others is called odd
FEWEST_OTHERS = 3


@dataclass(frozen=True, eq=False)
class RunDifferences:
    """Two groups of runs in m quantities.

    first, second  float64[m]  means; NaN = no run of the group has it
    change         float64[m]  second minus first, where what a group lacks is nothing
    chance         float64[m]  how often noise alone gives as much, corrected for all m; NaN = no repeats to tell
    """

    first: Floats
    second: Floats
    change: Floats
    chance: Floats

    @property
    def is_noise(self) -> npt.NDArray[np.bool_]:
        """bool[m]: the difference is within the noise of the repeats."""
        return self.chance > CHANCE


def run_differences(first: Floats, second: Floats) -> RunDifferences:
    """Compare a x m and b x m values, NaN = the run lacks it. Noise needs a, b >= 2."""
    sides = [_filled(side) for side in (first, second)]
    change = np.nan_to_num(sides[1]).mean(axis=0) - np.nan_to_num(sides[0]).mean(axis=0)
    chance = np.full(change.shape, np.nan)
    if min(len(first), len(second)) > 1 and change.size:
        chance = corrected(_welch(np.nan_to_num(sides[0]), np.nan_to_num(sides[1])))
    return RunDifferences(sides[0].mean(axis=0), sides[1].mean(axis=0), change, chance)


def run_is_odd(own: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """bool[m]: whether a run, float64[m], lies outside of what k others like it let expect, float64[k, m].

    By the t distribution of one more value, corrected for all m (Bonferroni); none of fewer than three others.
    """
    found = np.zeros(len(own), np.bool_)
    if len(others) < FEWEST_OTHERS or not found.size:
        return found
    from scipy.stats import t

    filled, value = np.nan_to_num(others), np.nan_to_num(own)
    scatter = filled.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(filled))
    away = np.abs(value - filled.mean(axis=0))
    steady = scatter <= 1e-12 * np.maximum(np.abs(value), np.abs(filled).max(axis=0))
    chance = 2.0 * t.sf(away / np.where(steady, 1.0, scatter), len(filled) - 1)
    found[:] = np.where(steady, away > 1e-9 * np.abs(value), chance * len(own) <= ODD)
    return found


def _filled(values: Floats) -> Floats:
    """A run that lacks what another of its group has spent nothing there."""
    lacking = np.isnan(values).all(axis=0)
    return np.where(lacking, np.nan, np.nan_to_num(values))


def _welch(first: Floats, second: Floats) -> Floats:
    """float64[m]: two-sided probabilities; 0 for constants that differ, 1 for equal ones."""
    from scipy.stats import t

    parts = [side.var(axis=0, ddof=1) / len(side) for side in (first, second)]
    both = parts[0] + parts[1]
    change = np.abs(second.mean(axis=0) - first.mean(axis=0))
    steady = both <= (1e-12 * np.maximum(first.mean(axis=0), second.mean(axis=0))) ** 2
    safe = np.where(steady, 1.0, both)
    squares = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (first, second), strict=True))
    freedom = safe**2 / np.where(steady, 1.0, squares)
    chance = 2.0 * t.sf(change / np.sqrt(safe), freedom)
    return np.where(steady, np.where(change > 0, 0.0, 1.0), chance)
