"""Which parameter explains which part of a program: rank tests of all pairs, false discoveries controlled (CF-8).

Numbers: Spearman's rank correlation, its square as the effect. Categories: the test of Kruskal and Wallis, epsilon
squared as the effect. Both are the share of the variance of ranks that the parameter explains, from 0 to 1. With
few runs the probability comes from all permutations of the runs; with more from the asymptotic distributions, but it is
never below the least that permutations could give.

Sources: C. Spearman 1904; Kruskal and Wallis 1952; M. Tomczak and E. Tomczak, The need to report effect size estimates
revisited (2014); Benjamini and Hochberg 1995.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.runs.statistics import corrected
from cbvtool.trace.ensemble.parameters import RunParameter

Floats = npt.NDArray[np.float64]
CHANCE = 0.02  # false discovery rate: at most this share of the effects that are reported is expected to be false
FEWEST_RUNS = 4
FEWEST_EXACT = 8  # with fewer runs than this all permutations are tried
LEAST_SHARE = 0.0001  # of a run: parts that take less, in the mean, explain no difference


@dataclass(frozen=True)
class RunEffect:
    """A parameter and the part of the program that it explains.

    part         row of the parts
    parameter    row of the parameters
    strength     share of the variance of ranks explained, 0..1
    rises        of numbers: the part takes more where the parameter is larger
    low, high    where the part takes least and most: a level of a category; of numbers the bound of a third of the runs
    least, most  medians of what the part takes there
    chance       corrected probability that chance alone does this
    """

    part: int
    parameter: int
    strength: float
    rises: bool
    low: str
    high: str
    least: float
    most: float
    chance: float

    @property
    def is_found(self) -> bool:
        """Beyond chance."""
        return self.chance <= CHANCE


def run_effects(
    values: Floats, parameters: Sequence[RunParameter], least_share: float = LEAST_SHARE, progress: Progress = silent
) -> list[RunEffect]:
    """All pairs that could be tested, the strongest first; those beyond chance before all others.

    values  float64[r, m]: what r runs spent in m parts by themselves; NaN = the run lacks it, it spent nothing there
    """
    spent = np.nan_to_num(values)
    whole = spent.sum(axis=1).mean() if len(spent) else 0.0
    parts = np.flatnonzero((spent.mean(axis=0) >= least_share * whole) & (np.ptp(spent, axis=0) > 0))
    rows: list[tuple[int, int]] = []
    told: list[tuple[Floats, Floats, Floats]] = []
    for at, parameter in enumerate(parameters):
        progress("Testing parameters", at, len(parameters))
        known = ~np.isnan(parameter.values)
        if known.sum() < FEWEST_RUNS or not len(parts):
            continue
        rows += [(int(part), at) for part in parts.tolist()]
        told.append(_tested(spent[np.ix_(known, parts)], parameter.values[known], parameter.is_number))
    if not told:
        return []
    strength, sign, chance = (np.concatenate(each) for each in zip(*told, strict=True))
    right = corrected(chance)
    order = np.lexsort((-strength, right > CHANCE))
    return [
        _effect(
            spent[:, rows[row][0]],
            parameters[rows[row][1]],
            rows[row],
            float(strength[row]),
            bool(sign[row] > 0),
            float(right[row]),
        )
        for row in order.tolist()
    ]


def _tested(spent: Floats, said: Floats, is_number: bool) -> tuple[Floats, Floats, Floats]:
    """(strength, sign, probability), each float64[m]."""
    from scipy.stats import chi2, rankdata, t

    n = len(said)
    ranks = _standard(np.asarray(rankdata(spent, axis=0), np.float64))
    groups = _groups(said, is_number, np.asarray(rankdata(said), np.float64))
    sign = (groups[:, 0] @ ranks) if is_number else np.zeros(spent.shape[1])
    share = ((groups.T @ ranks) ** 2).sum(axis=0).clip(0.0, 1.0)  # of the variance of ranks
    if n < FEWEST_EXACT:
        return share, sign, _exact(groups, ranks, share)
    least = _orders(said)
    if is_number:
        score = np.sqrt(share * (n - 2) / np.maximum(1.0 - share, 1e-300))
        chance = 2.0 * t.sf(score, n - 2)
    else:
        chance = chi2.sf(share * (n - 1), groups.shape[1])
    return share, sign, np.maximum(chance, least)


def _standard(ranks: Floats) -> Floats:
    """Columns with mean 0 and length 1; 0 for a constant one."""
    centred = ranks - ranks.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    found: Floats = centred / np.where(length > 0, length, 1.0)
    return found


def _groups(said: Floats, is_number: bool, ranks: Floats) -> Floats:
    """float64[n, k]: an orthonormal basis of what the parameter can explain, without the mean."""
    if is_number:
        return _standard(ranks[:, None])
    of_level = np.unique(said, return_inverse=True)[1].reshape(-1)
    levels = np.eye(int(of_level.max()) + 1)[of_level]
    levels = levels[:, 1:] - levels[:, 1:].mean(axis=0)
    basis: Floats = np.linalg.qr(levels)[0]
    return basis


def _exact(groups: Floats, ranks: Floats, share: Floats) -> Floats:
    """float64[m]: the share of all permutations of the runs that explain at least as much."""
    orders = np.array(list(permutations(range(len(groups)))), np.int64)
    as_much = np.zeros(len(share))
    for column in range(ranks.shape[1]):
        shuffled = ranks[:, column][orders]
        as_much[column] = (((shuffled @ groups) ** 2).sum(axis=1) >= share[column] - 1e-9).mean()
    return as_much


def _orders(said: Floats) -> float:
    """The least two-sided probability that a permutation test can give: 2 / the number of distinct orders."""
    counts = np.unique(said, return_counts=True)[1]
    orders = math.lgamma(len(said) + 1) - sum(math.lgamma(count + 1) for count in counts.tolist())
    return min(1.0, 2.0 * math.exp(-orders))


def _effect(
    spent: Floats, parameter: RunParameter, row: tuple[int, int], strength: float, rises: bool, chance: float
) -> RunEffect:
    if parameter.is_number:
        known = np.flatnonzero(~np.isnan(parameter.values))
        low, high = np.quantile(parameter.values[known], [1 / 3, 2 / 3], method="nearest")
        ends = [(f"<= {low:g}", parameter.values <= low), (f">= {high:g}", parameter.values >= high)]
    else:
        ends = [(level, parameter.values == at) for at, level in enumerate(parameter.levels)]
    told = sorted((float(np.median(spent[runs])), name) for name, runs in ends if runs.any())
    return RunEffect(*row, strength, rises, told[0][1], told[-1][1], told[0][0], told[-1][0], chance)
