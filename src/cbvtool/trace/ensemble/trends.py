"""Runs in the order of a parameter or of commits: where a series steps, and which runs break its trend (CF-6, CF-8).

Steps: binary segmentation by least squares; a step counts when hardly a shuffled series has one as large (Vostrikova
1981; permutation test: Antoch and Huskova 2001). A trend is any rise or fall, without a formula: isotonic regression of
the other runs, in the direction that fits them better, says between which bounds a run has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CHANCE = 0.02  # that a flat series is said to step
SHUFFLED = 999
FEWEST_POSITIONS = 5  # positions
FURTHEST = 4.0  # times the scatter of the others: further away breaks the trend
LEAST_BREAK = 0.02  # of what is expected
LEAST_ALONE = 0.1  # the same, where the scatter of the others is not known


@dataclass(frozen=True)
class TrendStep:
    """From one position on, a series is at another level.

    at             the first position of the new level
    before, after  means
    chance         that a shuffled series steps as much
    """

    at: int
    before: float
    after: float
    chance: float


@dataclass(frozen=True)
class TrendBreak:
    """A position that is not where all others let expect it.

    at        position
    value     its own
    expected  the nearest value that fits the trend of the others
    scatter   by how many times their own scatter it is away
    chance    that the furthest of so many is as far away by chance
    """

    at: int
    value: float
    expected: float
    scatter: float
    chance: float

    @property
    def is_found(self) -> bool:
        """Beyond chance."""
        return self.chance <= CHANCE


@dataclass(frozen=True, eq=False)
class RunTrend:
    """A series of runs in their order.

    means, runs  float64[m]: of each position, over so many runs
    steps        in their order
    breaks       the furthest away first
    """

    means: Floats
    runs: Floats
    steps: tuple[TrendStep, ...]
    breaks: tuple[TrendBreak, ...]


def run_trend(values: Floats, position: Ints, count: int) -> RunTrend:
    """What float64[r] values of runs at m positions do along them; NaN is left out, a position needs a value."""
    means, runs = means_of(values, position, count)
    return RunTrend(means, runs, tuple(steps(means, runs)), tuple(breaks(means)))


def run_positions(keys: Sequence[object]) -> tuple[Ints, int]:
    """(position of each run, how many): runs with equal keys are repeats; numbers by value, else as they come."""
    try:
        _, found = np.unique(np.array([float(str(key)) for key in keys]), return_inverse=True)
    except ValueError:
        rows: dict[object, int] = {}
        found = np.array([rows.setdefault(key, len(rows)) for key in keys], np.int64)
    found = found.reshape(-1).astype(np.int64)
    return found, int(found.max(initial=-1)) + 1


def means_of(values: Floats, position: Ints, count: int) -> tuple[Floats, Floats]:
    """(mean, number of runs) of each position; values that are NaN are left out, a position needs one."""
    known = ~np.isnan(values)
    runs = np.bincount(position[known], minlength=count).astype(np.float64)
    sums = np.bincount(position[known], weights=values[known], minlength=count)
    return sums / np.maximum(runs, 1.0), runs


def steps(means: Floats, runs: Floats, seed: int = 1) -> list[TrendStep]:
    """The steps of a series of m positions (means of so many runs each), in their order."""
    random = np.random.default_rng(seed)
    found: list[int] = []
    chances: dict[int, float] = {}
    pending = [(0, len(means))]
    while pending:
        low, high = pending.pop()
        if high - low < FEWEST_POSITIONS:
            continue
        at, chance = _largest(means[low:high], runs[low:high], random)
        if chance <= CHANCE:
            found.append(low + at)
            chances[low + at] = chance
            pending += [(low, low + at), (low + at, high)]
    edges = [0, *sorted(found), len(means)]
    levels = [float(np.average(means[a:b], weights=np.maximum(runs[a:b], 1e-9))) for a, b in pairwise(edges)]
    return [TrendStep(at, levels[place], levels[place + 1], chances[at]) for place, at in enumerate(edges[1:-1])]


def _largest(means: Floats, runs: Floats, random: np.random.Generator) -> tuple[int, float]:
    """(where the largest step is, that a shuffled series has one as large)."""
    orders = random.permuted(np.tile(np.arange(len(means)), (SHUFFLED + 1, 1)), axis=1)
    orders[0] = np.arange(len(means))
    gain = _gains(means[orders], runs[orders])
    largest = gain.max(axis=1)
    chance = float((largest >= largest[0] * (1 - 1e-12)).mean())
    return int(gain[0].argmax()) + 1, chance if largest[0] > 0 else 1.0


def _gains(means: Floats, runs: Floats) -> Floats:
    """float64[s, m - 1]: by how much a step behind each position lessens the squares of each of s series."""
    centre = (means * runs).sum(axis=1, keepdims=True) / np.maximum(runs.sum(axis=1, keepdims=True), 1e-9)
    sums = np.cumsum((means - centre) * runs, axis=1)[:, :-1]
    left = np.cumsum(runs, axis=1)[:, :-1]
    right = runs.sum(axis=1, keepdims=True) - left
    share = left * right
    gains: Floats = np.where(share > 0, sums**2 * runs.sum(axis=1, keepdims=True) / np.maximum(share, 1e-9), 0.0)
    return gains


def breaks(means: Floats) -> list[TrendBreak]:
    """The positions of a series of m that break its trend, the furthest away first; none with fewer than five."""
    from scipy.stats import t

    m = len(means)
    found = []
    for at in range(m if m >= FEWEST_POSITIONS else 0):
        fit, rises, freedom = _trend(np.delete(means, at))
        others = np.delete(means, at)
        bounds = [fit[at - 1] if at else None, fit[at] if at < m - 1 else None]
        low, high = bounds if rises else bounds[::-1]
        expected = float(means[at])
        expected = expected if low is None else max(expected, float(low))
        expected = expected if high is None else min(expected, float(high))
        away = abs(float(means[at]) - expected)
        if not freedom:  # the others rise or fall without exception: their scatter is not known
            if away > LEAST_ALONE * abs(expected):
                found.append(TrendBreak(at, float(means[at]), expected, FURTHEST, 1.0))
            continue
        scatter = max(float(np.sqrt(((others - fit) ** 2).sum() / freedom)), 1e-9 * float(np.abs(others).max()))
        if away > max(FURTHEST * scatter, LEAST_BREAK * abs(expected)):
            chance = min(1.0, 2.0 * m * float(t.sf(away / scatter, freedom)))
            found.append(TrendBreak(at, float(means[at]), expected, away / scatter, chance))
    return sorted(found, key=lambda one: (-one.scatter, one.at))


def _trend(values: Floats) -> tuple[Floats, bool, int]:
    """(fit, whether it rises, degrees of freedom that are left) of the better of the two isotonic fits."""
    up, down = _isotonic(values), -_isotonic(-values)
    rises = ((values - up) ** 2).sum() <= ((values - down) ** 2).sum()
    fit = up if rises else down
    return fit, bool(rises), len(values) - len(np.unique(fit))


def _isotonic(values: Floats) -> Floats:
    """The rising series nearest to the values (pool adjacent violators)."""
    levels: list[list[float]] = []
    for value in values.tolist():
        levels.append([value, 1.0])
        while len(levels) > 1 and levels[-2][0] > levels[-1][0]:
            mean, count = levels.pop()
            other = levels[-1]
            other[0] = (other[0] * other[1] + mean * count) / (other[1] + count)
            other[1] += count
    return np.repeat([mean for mean, _ in levels], [int(count) for _, count in levels])
