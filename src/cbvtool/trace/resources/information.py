"""Gain and loss of every aggregate: complexity that it saves, and information that it loses (OC-2; paper 003, III.B).

Of an aggregate of n cells, in which state x amounts to S(x) in sum and to v in each cell:
gain = sum of S log2 S - v log2 v (reduction of Shannon's entropy),
loss = sum of S log2 n - (S log2 S - v log2 v) (Kullback-Leibler divergence from the even distribution over its cells).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.resources.cells import ResourceCells

Floats = npt.NDArray[np.float64]
MOST_AGGREGATES = 60_000_000  # resources x intervals
_ROUNDING = 2.0**-47  # of the terms of a difference: what is less is 0


@dataclass(frozen=True, eq=False)
class Information:
    """Of n resources and all m = k (k + 1) / 2 intervals of k slices.

    gain, loss  float64[n, m]: bits x amount, of the interval `interval(k, first, last)`; in parts of `unit`
    slices      k
    unit        the amount of all cells together, by which all are divided
    parent      int32[n], of the tree
    end         int32[n], of the tree
    """

    gain: Floats
    loss: Floats
    slices: int
    unit: float
    parent: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]

    @property
    def whole(self) -> tuple[float, float]:
        """Gain and loss of one aggregate of everything: what qualities are compared with."""
        return float(self.gain[0, self.slices - 1]), float(self.loss[0, self.slices - 1])


def interval(slices: int, first: int, last: int) -> int:
    """The number of the interval of the slices `first` to `last`: those with one begin stand side by side."""
    return first * slices - first * (first - 1) // 2 + last - first


def information_of(cells: ResourceCells) -> Information:
    """Gain and loss of all aggregates. Raises ValueError, whose text is a sentence, where there are too many."""
    tree, k = cells.tree, cells.slices
    m = k * (k + 1) // 2
    if len(tree) * m > MOST_AGGREGATES:
        raise ValueError(
            f"{len(tree):,} resources x {k:,} slices are {len(tree) * m:,} aggregates, more than {MOST_AGGREGATES:,}; "
            "choose fewer slices, or look into a part of the resources."
        )
    unit = float(cells.amount.sum()) or 1.0
    amount = cells.amount / unit
    sums = np.zeros((len(tree), k + 1, len(cells.state)))
    inner = np.zeros((len(tree), k + 1))
    leaves = tree.leaves
    sums[leaves, 1:] = np.cumsum(amount, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inner[leaves, 1:] = np.cumsum(np.where(amount > 0, amount * np.log2(amount), 0.0).sum(axis=2), axis=1)
    for row in range(len(tree) - 1, 0, -1):
        above = int(tree.parent[row])
        sums[above] += sums[row]
        inner[above] += inner[row]
    gain, loss = np.empty((len(tree), m)), np.empty((len(tree), m))
    fill_information(sums, inner, tree.size.astype(np.float64), gain, loss)
    return Information(gain, loss, k, unit, tree.parent, tree.end)


@kernel
def fill_information(sums: Floats, inner: Floats, leaves: Floats, gain: Floats, loss: Floats) -> None:
    """Gain and loss from sums over the slices before each slice.

    sums    float64[n, k + 1, x]: of each state
    inner   float64[n, k + 1]: of v log2 v of all cells and states
    leaves  float64[n]
    """
    k = sums.shape[1] - 1
    for row in range(len(sums)):
        at = 0
        for first in range(k):
            for last in range(first, k):
                whole = total = 0.0
                for state in range(sums.shape[2]):
                    amount = sums[row, last + 1, state] - sums[row, first, state]
                    if amount > 0.0:
                        whole += amount * np.log2(amount)
                        total += amount
                here = whole - (inner[row, last + 1] - inner[row, first])
                even = total * np.log2(leaves[row] * (last + 1 - first))
                noise = _ROUNDING * (np.abs(whole) + np.abs(inner[row, k]) + even)
                gain[row, at] = here if here > noise else 0.0
                loss[row, at] = even - here if even - here > noise else 0.0
                at += 1
