"""Identical subtrees of two forests: their classes, and those that occur once on both sides."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.columns import CLASS, END_ROW, FUNCTION, LABEL, Pairing, Rows, wide
from cbvtool.trace.compare.alignment.pairing import pair_subtree
from cbvtool.trace.kernels import kernel


def find_classes(pairs: Pairing, first_b: int) -> None:
    """Fill the classes: equal numbers = identical subtrees; linear, without recursion."""
    n = pairs.shape[1]
    inner = int(np.count_nonzero(pairs[END_ROW] > np.arange(n) + 1))
    fill_classes(pairs, first_b, np.full(1 << max(4, (2 * inner - 1).bit_length()), -1, np.int64))


@kernel
def fill_classes(pairs: Pairing, first_b: int, table: Rows) -> None:
    """See `find_classes`. `table` has a power of two entries, twice the calls that made calls, all -1.

    Children have their class before their parents, and two subtrees are equal if function and classes of children are:
    each comparison is exact, a hash only finds it.
    """
    mask = len(table) - 1  # an entry is upper bits of the hash, then the row that stands for the class
    count = 0
    for row in range(pairs.shape[1] - 1, 0, -1):
        if row == first_b:
            continue
        last = pairs[END_ROW, row]
        if last == row + 1:
            if pairs[LABEL, pairs[FUNCTION, row]] < 0:
                pairs[LABEL, pairs[FUNCTION, row]] = count
                count += 1
            pairs[CLASS, row] = pairs[LABEL, pairs[FUNCTION, row]]
            continue
        mixed = np.uint64(pairs[FUNCTION, row]) * np.uint64(0x9E3779B97F4A7C15)
        child = row + 1
        while child < last:
            mixed = (mixed ^ np.uint64(pairs[CLASS, child])) * np.uint64(0xD6E8FEB86659FD93)
            mixed ^= mixed >> np.uint64(32)
            child = pairs[END_ROW, child]
        slot = np.int64(mixed & np.uint64(mask))
        upper = np.int64(mixed >> np.uint64(33)) << 32
        while table[slot] >= 0:
            if table[slot] & ~np.int64(0xFFFFFFFF) == upper:
                known = table[slot] & 0xFFFFFFFF
                if pairs[FUNCTION, known] == pairs[FUNCTION, row] and pairs[END_ROW, known] - known == last - row:
                    child, other = row + 1, known + 1
                    while child < last and pairs[CLASS, child] == pairs[CLASS, other]:
                        child, other = pairs[END_ROW, child], pairs[END_ROW, other]
                    if child >= last:
                        pairs[CLASS, row] = pairs[CLASS, known]
                        break
            slot = (slot + 1) & mask
        if pairs[CLASS, row] < 0:
            pairs[CLASS, row] = count
            count += 1
            table[slot] = upper | row
    for row in range(1, pairs.shape[1]):
        if row != first_b:
            pairs[LABEL, pairs[FUNCTION, row]] = -1


@kernel
def pair_unique(pairs: Pairing, first_b: int) -> None:
    """Pair each subtree whose class occurs once on both sides, the largest ones first. Nothing is paired before."""
    n = pairs.shape[1]
    of_a, of_b = np.zeros(n, np.int64), np.zeros(n, np.int64)  # by class: 0, the only row, or -1 = several
    for row in range(1, n):
        which = pairs[CLASS, row]
        if row < first_b:
            of_a[which] = row if of_a[which] == 0 else -1
        elif row > first_b:
            of_b[which] = row if of_b[which] == 0 else -1
    row = wide(1)
    while row < first_b:
        which = pairs[CLASS, row]
        if of_a[which] == row and of_b[which] > 0:
            pair_subtree(pairs, row, of_b[which])
            row = wide(pairs[END_ROW, row])
        else:
            row += 1
