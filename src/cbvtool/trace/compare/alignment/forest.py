"""Two forests of calls in one set of columns: the rows of A, then those of B, each below a virtual root."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Rows = npt.NDArray[np.int32]
NO_FUNCTION = -1
_MOST_FUNCTIONS = 1 << 24


@dataclass(frozen=True, eq=False)
class TwoForests:
    """a calls of A and b of B: row 0 is the virtual root of A, `first_b` = a + 1 that of B.

    function   int32[a + b + 2]  a number that means the same function on both sides; `NO_FUNCTION` of the roots
    end_row    int32[a + b + 2]  the row after the last call below this one
    parent     int32[a + b + 2]  -1 of the roots
    functions  every function is less than this
    """

    function: Rows
    end_row: Rows
    parent: Rows
    first_b: int
    functions: int

    @staticmethod
    def of(
        function_a: npt.NDArray[np.integer],
        end_row_a: npt.NDArray[np.integer],
        function_b: npt.NDArray[np.integer],
        end_row_b: npt.NDArray[np.integer],
    ) -> TwoForests:
        """Of the columns of calls in preorder; `end_row` counts from the first row of its side.

        Functions are numbers from 0 on. Raises ValueError where columns differ in length, a function is negative, or a
        subtree ends outside the one around it.
        """
        if len(function_a) != len(end_row_a) or len(function_b) != len(end_row_b):
            raise ValueError("columns of calls of different lengths")
        first_b = len(function_a) + 1
        function = np.empty(first_b + len(function_b) + 1, np.int32)
        highest = _fill_functions(function, function_a, function_b)
        end_row = np.empty(len(function), np.int32)
        end_row[0], end_row[first_b] = first_b, len(function)
        end_row[1:first_b] = end_row_a
        end_row[1:first_b] += 1
        end_row[first_b + 1 :] = end_row_b
        end_row[first_b + 1 :] += first_b + 1
        parent = np.empty(len(function), np.int32)
        if not (find_parents(end_row, 0, first_b, parent) and find_parents(end_row, first_b, len(function), parent)):
            raise ValueError("a subtree of calls ends outside the one around it")
        return TwoForests(function, end_row, parent, first_b, highest + 1)


def _fill_functions(function: Rows, of_a: npt.NDArray[np.integer], of_b: npt.NDArray[np.integer]) -> int:
    """Fill the column of both sides; the highest number. Numbers that lie far apart become dense ones."""
    ends = [int(end) for side in (of_a, of_b) if len(side) for end in (side.min(), side.max())]
    lowest, highest = min(ends, default=0), max(ends, default=0)
    if lowest < 0:
        raise ValueError("the number of a function is negative")
    if highest >= _MOST_FUNCTIONS:
        known, dense = np.unique(np.concatenate((of_a, of_b)), return_inverse=True)
        of_a, of_b, highest = dense[: len(of_a)], dense[len(of_a) :], len(known) - 1
    first_b = len(of_a) + 1
    function[0] = function[first_b] = NO_FUNCTION
    function[1:first_b], function[first_b + 1 :] = of_a, of_b
    return highest


@kernel
def find_parents(end_row: Rows, first: int, last: int, parent: Rows) -> bool:
    """Fill `parent` of rows `first` (a root around the others) to `last`. False: subtrees are not nested. Linear."""
    parent[first] = -1
    for row in range(first + 1, last):
        above = row - 1
        while end_row[above] <= row:
            above = parent[above]
            if above < 0:
                return False
        if end_row[row] <= row or end_row[row] > end_row[above]:
            return False
        parent[row] = above
    return True
