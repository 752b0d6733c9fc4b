"""Subtrees that are found again at another place: identical ones, and such that also changed; the largest first."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.children import align_children
from cbvtool.trace.compare.alignment.columns import (
    CLASS,
    END_ROW,
    FUNCTION,
    PARENT,
    PARTNER,
    Counts,
    Pairing,
    Rows,
    Work,
)
from cbvtool.trace.compare.alignment.containers import paired_before
from cbvtool.trace.compare.alignment.likeness import likeness
from cbvtool.trace.compare.alignment.pairing import is_free, pair_call, pair_subtree
from cbvtool.trace.kernels import kernel

LEAST_MOVED = 4  # calls in an identical subtree that is found again elsewhere without other evidence
LEAST_CHANGED = 8  # calls in one that also changed
_LIKENESS = 0.7  # of the two
_LOOKED_AT = 12  # candidates for each one


def pair_elsewhere(pairs: Pairing, first_b: int, counts: Counts, work: Work) -> None:
    """Pair subtrees that nothing else has paired, wherever they stand; the larger half of sizes before the smaller.

    Those that changed are aligned at once, so that their parts are not taken for parts of others. Linear in calls times
    `_LOOKED_AT`.
    """
    before = paired_before(pairs)
    by_class = listed(pairs, first_b, CLASS, LEAST_MOVED)
    by_function = listed(pairs, first_b, FUNCTION, LEAST_CHANGED)
    for rows in by_size(pairs, first_b):
        pair_identical(pairs, rows, *by_class)
        if pair_changed(pairs, counts, rows, *by_function, before):
            align_children(pairs, first_b, counts, work)


def by_size(pairs: Pairing, first_b: int) -> list[Rows]:
    """The unpaired calls of A with large enough subtrees, by powers of two of the size, the largest first."""
    size = pairs[END_ROW, 1:first_b] - np.arange(1, first_b)
    rows = np.flatnonzero((pairs[PARTNER, 1:first_b] < 0) & (size >= LEAST_MOVED))
    power = np.frexp(size[rows].astype(np.float64))[1]
    return [rows[power == each] + 1 for each in np.flatnonzero(np.bincount(power))[::-1]]


@kernel
def listed(pairs: Pairing, first_b: int, column: int, least: int) -> tuple[Rows, Rows]:
    """(first unpaired row of B of each class or function, the next one of the same after each row), 0 = none."""
    first = np.zeros(pairs.shape[1], np.int64)
    following = np.zeros(pairs.shape[1], np.int64)
    for row in range(pairs.shape[1] - 1, first_b, -1):
        if pairs[PARTNER, row] < 0 and pairs[END_ROW, row] - row >= least:
            following[row] = first[pairs[column, row]]
            first[pairs[column, row]] = row
    return first, following


@kernel
def pair_identical(pairs: Pairing, rows: Rows, first: Rows, following: Rows) -> None:
    """Pair the subtrees of A with identical ones that are wholly unpaired, too, one below the same function if it is
    among the first.
    """
    for row in rows:
        if not is_free(pairs, row):
            continue
        key = pairs[CLASS, row]
        chosen, seen, last, other = 0, 0, 0, first[key]
        while other > 0 and seen < _LOOKED_AT:
            after = following[other]
            if pairs[PARTNER, other] >= 0:
                if last == 0:
                    first[key] = after
                else:
                    following[last] = after
            else:
                if is_free(pairs, other):
                    if pairs[FUNCTION, pairs[PARENT, other]] == pairs[FUNCTION, pairs[PARENT, row]]:
                        chosen = other
                        break
                    if chosen == 0:
                        chosen = other
                seen += 1
                last = other
            other = after
        if chosen > 0:
            pair_subtree(pairs, row, chosen)


@kernel
def pair_changed(pairs: Pairing, counts: Counts, rows: Rows, first: Rows, following: Rows, before: Rows) -> int:
    """Pair calls of A with the most alike mostly unpaired ones of the same function, of the first; how many pairs were
    made.
    """
    made = 0
    for row in rows:
        if pairs[END_ROW, row] - row < LEAST_CHANGED or not mostly_unpaired(pairs, row, before):
            continue
        key = pairs[FUNCTION, row]
        best, most = 0, _LIKENESS
        seen, last, other = 0, 0, first[key]
        while other > 0 and seen < _LOOKED_AT:
            after = following[other]
            if not mostly_unpaired(pairs, other, before):
                if last == 0:
                    first[key] = after
                else:
                    following[last] = after
            else:
                alike = likeness(pairs, counts, row, other)
                if alike > most:
                    best, most = other, alike
                seen += 1
                last = other
            other = after
        if best > 0:
            pair_call(pairs, row, best)
            made += 1
    return made


@kernel
def mostly_unpaired(pairs: Pairing, row: int, before: Rows) -> bool:
    """Whether a call is unpaired, and less than half of its subtree was paired at the beginning."""
    end_row = pairs[END_ROW, row]
    return bool(pairs[PARTNER, row] < 0 and 2 * (before[end_row] - before[row]) < end_row - row)
