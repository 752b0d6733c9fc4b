"""Two forests of calls in one matrix, each below a virtual root."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.columns import COLUMNS, END_ROW, FLAGS, FUNCTION, ONE_SIDED, PARENT, Pairing
from cbvtool.trace.kernels import kernel

Numbers = npt.NDArray[np.integer]


def two_forests(
    function_a: Numbers, end_row_a: Numbers, function_b: Numbers, end_row_b: Numbers
) -> tuple[Pairing, int]:
    """(int32[COLUMNS, a + b + 2], `first_b` = a + 1): functions, ends and parents of a calls of A and b of B; no pairs.

    Columns of calls are in preorder; `end_row` counts from the first row of its side; functions are numbers from 0 on.
    Raises ValueError where columns differ in length, a function is negative, or a subtree ends outside the one around
    it.
    """
    if len(function_a) != len(end_row_a) or len(function_b) != len(end_row_b):
        raise ValueError("columns of calls of different lengths")
    first_b = len(function_a) + 1
    pairs = np.full((COLUMNS, first_b + len(function_b) + 1), -1, np.int32)
    _fill_functions(pairs, first_b, function_a, function_b)
    end_row = pairs[END_ROW]
    end_row[0], end_row[first_b] = first_b, len(end_row)
    end_row[1:first_b] = end_row_a
    end_row[1:first_b] += 1
    end_row[first_b + 1 :] = end_row_b
    end_row[first_b + 1 :] += first_b + 1
    if not find_parents(pairs, first_b):
        raise ValueError("a subtree of calls ends outside the one around it")
    return pairs, first_b


def _fill_functions(pairs: Pairing, first_b: int, of_a: Numbers, of_b: Numbers) -> None:
    """Fill the functions of both sides, and note whose only one side calls. Numbers of n or more become dense ones."""
    ends = [int(end) for side in (of_a, of_b) if len(side) for end in (side.min(), side.max())]
    if min(ends, default=0) < 0:
        raise ValueError("the number of a function is negative")
    n = pairs.shape[1]
    if max(ends, default=0) >= n:
        dense = np.unique(np.concatenate((of_a, of_b)), return_inverse=True)[1]
        of_a, of_b = dense[: len(of_a)], dense[len(of_a) :]
    sides = (slice(1, first_b), of_a), (slice(first_b + 1, n), of_b)
    used = np.zeros((2, n), np.bool_)
    for side, (rows, functions) in enumerate(sides):
        pairs[FUNCTION, rows] = functions
        used[side, functions] = True
    flags = np.where(used[0] != used[1], ONE_SIDED, 0).astype(np.int32)
    pairs[FLAGS] = 0
    for rows, functions in sides:
        pairs[FLAGS, rows] = flags[functions]


@kernel
def find_parents(pairs: Pairing, first_b: int) -> bool:
    """Fill the parents. False: subtrees are not nested. Linear."""
    for row in range(1, pairs.shape[1]):
        if row == first_b:
            continue
        above = row - 1
        while pairs[END_ROW, above] <= row:
            above = pairs[PARENT, above]
            if above < 0:
                return False
        if pairs[END_ROW, row] <= row or pairs[END_ROW, row] > pairs[END_ROW, above]:
            return False
        pairs[PARENT, row] = above
    return True
