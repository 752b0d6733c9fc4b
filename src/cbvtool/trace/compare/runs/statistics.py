"""Medians of repeated runs compared: how much, between which bounds, and whether chance explains it (TD-13).

Machines drift: each run is divided by how much slower than usual its functions were as a whole (the median of their
ratios to their own medians), which a slower function alone does not move. Where that makes a quantity scatter more, it
is left as it is.

Sources: Mann and Whitney 1947; Benjamini and Hochberg 1995; Efron 1979 (bootstrap); median of ratios: Anders and
Huber 2010.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESAMPLED = 1000
INTERVAL = 0.95


@dataclass(frozen=True, eq=False)
class Shifts:
    """What m quantities did between two groups of runs.

    change     float64[m]  median of the test / median of the reference - 1
    low, high  float64[m]  its bootstrap interval
    chance     float64[m]  how often chance alone gives as much, corrected for all m
    """

    change: Floats
    low: Floats
    high: Floats
    chance: Floats


def without_drift(values: Floats) -> Floats:
    """The values of r runs x m quantities, each run divided by its drift; r x m, as they are where m is 0."""
    return values / _drift(values)[:, None]


def steadied(values: Floats, references: int) -> Floats:
    """The values of r runs x m quantities, each without the drift where that scatters less, else as it is; r x m.

    Of runs that had their turn alternately, the first `references` of one side: else a machine that was slower for one
    side would be the finding. The drift itself is uncertain on a busy machine: it may scatter more than a quantity that
    others hardly disturb. The choice looks at the scatter within each side, and at no difference between the two.
    """
    steady = without_drift(values)
    as_is, without = (
        sum(_scatter(side) for side in (each[:references], each[references:])) for each in (values, steady)
    )
    chosen: Floats = np.where(as_is < without, values, steady)
    return chosen


def _drift(values: Floats) -> Floats:
    """float64[r]: how many times slower than usual each run was as a whole; 1 where that is not known."""
    usual = np.median(values, axis=0)
    there = usual > 0
    if not there.any():
        return np.ones(len(values))
    drift = np.median(values[:, there] / usual[there], axis=1)
    return np.where(drift > 0, drift, 1.0)


def _scatter(values: Floats) -> Floats:
    """float64[m]: the interquartile range of each quantity, relative to its median."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    scatter = np.full(values.shape[1], np.inf)
    np.divide(high - low, middle, out=scatter, where=middle > 0)
    return scatter


def shifts(reference: Floats, test: Floats, seed: int = 1) -> Shifts:
    """Compare runs x quantities of a reference (a x m) and a test (b x m).

    The medians of the reference must be positive. The interval is the same for the same `seed`. Needs a, b >= 1; with
    fewer than some five each, chance explains anything.
    """
    from scipy.stats import mannwhitneyu

    if not reference.shape[1]:
        none = np.empty(0)
        return Shifts(none, none, none, none)
    random = np.random.default_rng(seed)
    change = np.median(test, axis=0) / np.median(reference, axis=0) - 1.0
    medians = [
        np.median(side[random.integers(0, len(side), (RESAMPLED, len(side)))], axis=1) for side in (reference, test)
    ]
    changes = np.where(medians[1] > 0, np.inf, 0.0)  # where the reference took no time in most of the runs drawn
    np.divide(medians[1], medians[0], out=changes, where=medians[0] > 0)
    changes[medians[0] > 0] -= 1.0
    low = np.quantile(changes, (1 - INTERVAL) / 2, axis=0, method="lower")  # no mean of an infinite change
    high = np.quantile(changes, (1 + INTERVAL) / 2, axis=0, method="higher")
    chance = mannwhitneyu(test, reference, axis=0, method="exact").pvalue
    return Shifts(change, low, high, corrected(np.asarray(chance, np.float64)))


def corrected(chance: Floats) -> Floats:
    """Probabilities of m tests, corrected so that of what is below x a share of x is false (Benjamini, Hochberg)."""
    m = len(chance)
    order = np.argsort(chance)
    raised = chance[order] * m / np.arange(1, m + 1)
    found = np.empty(m)
    found[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return found
