"""Rows that are equal in some columns, put beside each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def runs_of(*keys: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """(int64[n]: an order by the columns, the first one first, equal rows as they were; bool[n]: in that order, where
    a run of equal rows begins). At least one column.
    """
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, new
