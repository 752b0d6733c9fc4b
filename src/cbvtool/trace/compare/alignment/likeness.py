"""How alike two subtrees are, at a glance: sketches of the functions below each call.

Each call has a bit for each function below it (`columns.BITS`), large subtrees counts of calls besides.
"""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.columns import BITS, END_ROW, FUNCTION, LARGE, PARENT, Counts, Pairing
from cbvtool.trace.kernels import kernel

BUCKETS = 16
_LARGE = 16  # calls in a subtree from which on calls are counted


def find_sketches(pairs: Pairing) -> Counts:
    """Fill the bits of all calls of two forests. Returns uint32[k, BUCKETS]: how many calls are below, by function;
    functions may share a bucket. Linear.
    """
    large = pairs[END_ROW] - np.arange(pairs.shape[1]) >= _LARGE
    pairs[LARGE] = np.where(large, np.cumsum(large) - 1, -1)
    counts = np.zeros((int(np.count_nonzero(large)), BUCKETS), np.uint32)
    pairs[BITS : BITS + 2] = 0
    count_functions(pairs, counts)
    return counts


@kernel
def count_functions(pairs: Pairing, counts: Counts) -> None:
    """See `find_sketches`. Calls in small subtrees are counted at the innermost large one, whose sums go upward."""
    for row in range(pairs.shape[1] - 1, -1, -1):
        above = pairs[PARENT, row]
        if above < 0:
            continue
        mixed = np.uint64(pairs[FUNCTION, row]) * np.uint64(0x9E3779B97F4A7C15)
        bit = np.int64(mixed >> np.uint64(58))
        pairs[BITS, above] |= pairs[BITS, row]
        pairs[BITS + 1, above] |= pairs[BITS + 1, row]
        pairs[BITS + (bit >> 5), above] |= np.int32(1 << (bit & 31))
        mine = pairs[LARGE, row]
        while above >= 0 and pairs[LARGE, above] < 0:
            above = pairs[PARENT, above]
        if above >= 0:
            at = pairs[LARGE, above]
            counts[at, np.int64(mixed >> np.uint64(60))] += np.uint32(1)
            if mine >= 0:
                for place in range(BUCKETS):
                    counts[at, place] += counts[mine, place]


@kernel
def bits_of(low: int, high: int) -> int:
    """How many bits of two int32 are set."""
    left = np.uint64(low & 0xFFFFFFFF) | (np.uint64(high & 0xFFFFFFFF) << np.uint64(32))
    left = left - ((left >> np.uint64(1)) & np.uint64(0x5555555555555555))
    left = (left & np.uint64(0x3333333333333333)) + ((left >> np.uint64(2)) & np.uint64(0x3333333333333333))
    left = (left + (left >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((left * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def likeness(pairs: Pairing, counts: Counts, one: int, other: int) -> float:
    """0 to 1: an estimate of the share of calls below two calls, or of functions, that they have in common."""
    size, other_size = pairs[END_ROW, one] - one, pairs[END_ROW, other] - other
    here, there = pairs[LARGE, one], pairs[LARGE, other]
    if here >= 0 and there >= 0:
        shared = np.int64(0)
        for place in range(BUCKETS):
            low, high = np.int64(counts[here, place]), np.int64(counts[there, place])
            shared += low if low < high else high
        return float(2.0 * shared / (size + other_size - 2))
    low, high = pairs[BITS, one], pairs[BITS + 1, one]
    also_low, also_high = pairs[BITS, other], pairs[BITS + 1, other]
    both, either = bits_of(low & also_low, high & also_high), bits_of(low | also_low, high | also_high)
    part = 1.0 if either == 0 else both / either
    return float(part * np.sqrt(min(size, other_size) / max(size, other_size)))
