"""How far apart the calling context trees of runs are, and which runs are far from all others (CF-7).

The distance of two trees is what it costs to make one of the other, by moving time along edges, adding and removing it
(each edge costs the same: the difference of inclusive times, summed over all nodes), in parts of the larger of both,
summed node by node. 0: equal; 1: no call path in common.

Sources: S. Evans and F. Matsen, The phylogenetic Kantorovich-Rubinstein metric (2012); M. Ruzicka, Anwendung
mathematisch-statistischer Methoden in der Geobotanik (1958); that its distance is a metric: S. Kosub, A note on the
triangle inequality for the Jaccard distance (2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.budget import OverBudget
from cbvtool.progress import Progress, silent

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST_RUNS = 3_000
FEWEST_ODD = 5  # runs from which on one can be odd
NEIGHBOURS = 3  # whose distances tell how alone a run is
AROUND = 10  # nearest runs, whose distances from each other say what is usual
FURTHEST = 3.0  # times what is usual: further away is odd
LEAST = 0.02  # distance of what is odd
_ROWS = 64  # compared at once


@dataclass(frozen=True, eq=False)
class RunNeighbours:
    """Of r runs: which is nearest, and which are alone.

    nearest   int64[r]    another run; -1 = there is none
    distance  float64[r]  to the nearest one
    alone     float64[r]  median distance to the nearest runs
    is_odd    bool[r]     further from all others than the nearest of these are from each other
    """

    nearest: Ints
    distance: Floats
    alone: Floats
    is_odd: npt.NDArray[np.bool_]


def tree_distances(inclusive: Floats, progress: Progress = silent) -> Floats:
    """float64[r, r] of inclusive values float64[r, n]: NaN or below zero = nothing. Raises OverBudget; Cancelled."""
    runs = len(inclusive)
    if runs > MOST_RUNS:
        raise OverBudget(f"Distances are worked out of {MOST_RUNS:,} runs at most; these are {runs:,}.")
    spent = np.maximum(np.nan_to_num(inclusive), 0.0)
    spent /= max(float(spent.max(initial=0.0)), 1e-300)
    sums = spent.sum(axis=1)
    found = np.zeros((runs, runs))
    for low in range(0, runs, _ROWS):
        progress("Comparing runs", low, runs)
        some = slice(low, low + _ROWS)
        apart = np.zeros((len(spent[some]), runs))
        for column in spent.T:
            apart += np.abs(column[some, None] - column)
        both = (sums[some, None] + sums + apart) / 2
        found[some] = np.where(both > 0, apart / np.where(both > 0, both, 1.0), 0.0)
    found = (found + found.T) / 2
    np.fill_diagonal(found, 0.0)
    return found


def run_neighbours(distance: Floats) -> RunNeighbours:
    """What distances float64[r, r] say of each run."""
    runs = len(distance)
    if runs < 2:
        return RunNeighbours(np.full(runs, -1), np.full(runs, np.nan), np.full(runs, np.nan), np.zeros(runs, np.bool_))
    others = distance + np.diag(np.full(runs, np.inf))
    nearest = others.argmin(axis=1)
    near = np.sort(others, axis=1)[:, : min(NEIGHBOURS, runs - 1)]
    alone = np.median(near, axis=1)
    odd = (alone > np.maximum(FURTHEST * _usual(distance, others), LEAST)) & (runs >= FEWEST_ODD)
    return RunNeighbours(nearest.astype(np.int64), others[np.arange(runs), nearest], alone, odd)


def _usual(distance: Floats, others: Floats) -> Floats:
    """float64[r]: the median distance of the runs nearest to each run from each other."""
    around = np.argsort(others, axis=1, kind="stable")[:, : min(AROUND, len(others) - 1)]
    one, other = np.triu_indices(around.shape[1], 1)
    if not len(one):
        return np.zeros(len(others))
    found: Floats = np.median(distance[around[:, one], around[:, other]], axis=1)
    return found
