"""Identical subtrees of two forests: their classes, and those that occur once on both sides."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.forest import Rows
from cbvtool.trace.compare.alignment.pairing import Pairing, pair_subtree
from cbvtool.trace.kernels import kernel


@kernel
def subtree_classes(function: Rows, end_row: Rows, first_b: int, functions: int) -> tuple[Rows, int]:
    """(int32[n]: equal numbers = identical subtrees; how many classes). -1 of the two roots; linear, without recursion.

    A call without calls below has the number of its function. Children have their class before their parents, and two
    subtrees are equal if function and classes of children are: each comparison is exact, a hash only finds it.
    """
    n = len(function)
    inner = 0
    for row in range(n):
        inner += end_row[row] > row + 1
    size = 16
    while size < 2 * inner:
        size *= 2
    mask = size - 1
    table = np.full(size, -1, np.int64)  # upper bits of the hash, then the row that stands for the class
    found = np.full(n, -1, np.int32)
    count = functions
    for row in range(n - 1, 0, -1):
        if row == first_b:
            continue
        last = end_row[row]
        if last == row + 1:
            found[row] = function[row]
            continue
        mixed = np.uint64(function[row]) * np.uint64(0x9E3779B97F4A7C15)
        child = row + 1
        while child < last:
            mixed = (mixed ^ np.uint64(found[child])) * np.uint64(0xD6E8FEB86659FD93)
            mixed ^= mixed >> np.uint64(32)
            child = end_row[child]
        slot = np.int64(mixed & np.uint64(mask))
        upper = np.int64(mixed >> np.uint64(33)) << 32
        while table[slot] >= 0:
            if table[slot] & ~np.int64(0xFFFFFFFF) == upper:
                known = table[slot] & 0xFFFFFFFF
                if function[known] == function[row] and end_row[known] - known == last - row:
                    child, other = row + 1, known + 1
                    while child < last and found[child] == found[other]:
                        child, other = end_row[child], end_row[other]
                    if child >= last:
                        found[row] = found[known]
                        break
            slot = (slot + 1) & mask
        if found[row] < 0:
            found[row] = count
            count += 1
            table[slot] = upper | row
    return found, count


@kernel
def pair_unique(pairs: Pairing) -> None:
    """Pair each subtree whose class occurs once on both sides, the largest ones first. Nothing is paired before."""
    classes, end_row, first_b = pairs.classes, pairs.end_row, pairs.first_b
    times = np.zeros((2, pairs.class_count), np.int8)
    place = np.empty(pairs.class_count, np.int32)
    for row in range(1, len(classes)):
        if row != first_b:
            side = 1 if row > first_b else 0
            times[side, classes[row]] = min(times[side, classes[row]] + 1, 2)
            if side:
                place[classes[row]] = row
    row = 1
    while row < first_b:
        which = classes[row]
        if times[0, which] == 1 and times[1, which] == 1:
            pair_subtree(pairs, row, place[which])
            row = end_row[row]
        else:
            row += 1
