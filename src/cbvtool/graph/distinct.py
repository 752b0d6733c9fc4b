"""The distinct values of an integer array and the index of each element's value, by a bit table instead of sorting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

_TABLE = 1 << 26  # numbers below this have a table; it takes as many bytes for a moment


def distinct(numbers: Numbers, below: int) -> tuple[Numbers, Numbers]:
    """`np.unique(numbers, return_inverse=True)` of int64[m], all at least 0 and less than `below`.

    A tenth of the time of sorting where many are equal: O(m + below / 64).
    """
    if below > _TABLE or below > 64 * max(len(numbers), 1024):
        return np.unique(numbers, return_inverse=True)
    there = np.zeros((below + 63) // 64 * 64, np.bool_)
    there[numbers] = True
    words = np.packbits(there, bitorder="little").view("<u8")
    before = np.concatenate(([0], np.cumsum(np.bitwise_count(words), dtype=np.int64)[:-1]))
    word = numbers >> 6
    lower = words[word] & ((np.uint64(1) << (numbers & 63).astype(np.uint64)) - np.uint64(1))
    return np.flatnonzero(there), before[word] + np.bitwise_count(lower)
