"""Runs of repeated siblings: adjacent calls of one function by one caller (TD-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import CallTree, kernel

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Runs:
    """r runs of two or more. first, last: int64[r], rows of the tree; count: int64[r], how many calls."""

    first: Ints
    last: Ints
    count: Ints

    def __len__(self) -> int:
        return len(self.first)


def runs_of(tree: CallTree) -> Runs:
    """The runs of a tree, by their first calls."""
    first, last, count = _runs(tree.function, tree.end_row)
    order = np.argsort(first, kind="stable")
    return Runs(first[order], last[order], count[order])


@kernel
def _runs(function: Ints, end_row: Ints) -> tuple[Ints, Ints, Ints]:
    n = len(function)
    first, last, count = np.empty(n // 2 + 1, np.int64), np.empty(n // 2 + 1, np.int64), np.empty(n // 2 + 1, np.int64)
    found = 0
    for caller in range(n):
        child = caller + 1
        while child < end_row[caller]:
            begin, times = child, 1
            end = child
            child = end_row[child]
            while child < end_row[caller] and function[child] == function[begin]:
                end, times = child, times + 1
                child = end_row[child]
            if times > 1:
                first[found], last[found], count[found] = begin, end, times
                found += 1
    return first[:found], last[:found], count[:found]
