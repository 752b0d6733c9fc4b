"""Subtrees that are found again at another place: identical ones, and such that also changed; the largest first."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.children import align_children
from cbvtool.trace.compare.alignment.containers import paired_before
from cbvtool.trace.compare.alignment.forest import Rows
from cbvtool.trace.compare.alignment.likeness import likeness
from cbvtool.trace.compare.alignment.pairing import Flags, Pairing, is_free, pair_call, pair_subtree
from cbvtool.trace.kernels import kernel

LEAST_MOVED = 4  # calls in an identical subtree that is found again elsewhere without other evidence
LEAST_CHANGED = 8  # calls in one that also changed
_LIKENESS = 0.7  # of the two
_LOOKED_AT = 12  # candidates for each one


def pair_elsewhere(pairs: Pairing, functions: int, aligned: Flags) -> None:
    """Pair subtrees that nothing else has paired, wherever they stand; the larger half of sizes before the smaller.

    Those that changed are aligned at once, so that their parts are not taken for parts of others. Linear in calls times
    `_LOOKED_AT`.
    """
    before = paired_before(pairs.partner)
    by_class = listed(pairs, pairs.classes, pairs.class_count, LEAST_MOVED)
    by_function = listed(pairs, pairs.function, functions, LEAST_CHANGED)
    for rows in by_size(pairs):
        pair_identical(pairs, rows, *by_class)
        if pair_changed(pairs, rows, *by_function, before):
            align_children(pairs, 0, pairs.first_b, aligned)


def by_size(pairs: Pairing) -> list[Rows]:
    """The unpaired calls of A with large enough subtrees, by powers of two of the size, the largest first."""
    size = pairs.end_row[1 : pairs.first_b] - np.arange(1, pairs.first_b, dtype=np.int32)
    rows = np.flatnonzero((pairs.partner[1 : pairs.first_b] < 0) & (size >= LEAST_MOVED)).astype(np.int32)
    power = np.frexp(size[rows].astype(np.float64))[1]
    return [rows[power == each] + np.int32(1) for each in np.flatnonzero(np.bincount(power))[::-1]]


@kernel
def pair_identical(pairs: Pairing, rows: Rows, first: Rows, following: Rows) -> None:
    """Pair the subtrees of A with identical ones, where both are wholly unpaired."""
    for row in rows:
        if is_free(pairs, row):
            other = identical_elsewhere(pairs, row, first, following)
            if other >= 0:
                pair_subtree(pairs, row, other)


@kernel
def pair_changed(pairs: Pairing, rows: Rows, first: Rows, following: Rows, before: Rows) -> int:
    """Pair calls of A with alike ones; how many pairs were made."""
    made = 0
    for row in rows:
        if pairs.end_row[row] - row >= LEAST_CHANGED and mostly_unpaired(row, pairs.end_row, pairs.partner, before):
            other = changed_elsewhere(pairs, row, first, following, before)
            if other >= 0:
                pair_call(pairs, row, other)
                made += 1
    return made


@kernel
def listed(pairs: Pairing, keys: Rows, count: int, least: int) -> tuple[Rows, Rows]:
    """(first unpaired row of B of each key, the next one of the same key after each row of B), -1 = none."""
    first = np.full(count, -1, np.int32)
    following = np.full(len(keys) - pairs.first_b, -1, np.int32)
    for row in range(len(keys) - 1, pairs.first_b, -1):
        if pairs.partner[row] < 0 and pairs.end_row[row] - row >= least:
            following[row - pairs.first_b] = first[keys[row]]
            first[keys[row]] = row
    return first, following


@kernel
def identical_elsewhere(pairs: Pairing, row: int, first: Rows, following: Rows) -> int:
    """An unpaired subtree of B identical to A's, one below the same function if it is among the first; -1 = none."""
    key, first_b = pairs.classes[row], pairs.first_b
    chosen, seen, last, other = -1, 0, -1, first[pairs.classes[row]]
    while other >= 0 and seen < _LOOKED_AT:
        after = following[other - first_b]
        if pairs.partner[other] >= 0:
            if last < 0:
                first[key] = after
            else:
                following[last - first_b] = after
        else:
            if is_free(pairs, other):
                if chosen < 0:
                    chosen = other
                if pairs.function[pairs.parent[other]] == pairs.function[pairs.parent[row]]:
                    return int(other)
            seen += 1
            last = other
        other = after
    return int(chosen)


@kernel
def changed_elsewhere(pairs: Pairing, row: int, first: Rows, following: Rows, before: Rows) -> int:
    """The most alike mostly unpaired subtree of B of the same function, of the first ones; -1 = none is alike."""
    key, first_b = pairs.function[row], pairs.first_b
    best, most = -1, _LIKENESS
    seen, last, other = 0, -1, first[pairs.function[row]]
    while other >= 0 and seen < _LOOKED_AT:
        after = following[other - first_b]
        if not mostly_unpaired(other, pairs.end_row, pairs.partner, before):
            if last < 0:
                first[key] = after
            else:
                following[last - first_b] = after
        else:
            alike = likeness(row, other, pairs.end_row, pairs.sketches)
            if alike > most:
                best, most = other, alike
            seen += 1
            last = other
        other = after
    return int(best)


@kernel
def mostly_unpaired(row: int, end_row: Rows, partner: Rows, before: Rows) -> bool:
    """Whether a call is unpaired, and less than half of its subtree was paired at the beginning."""
    return bool(partner[row] < 0 and 2 * (before[end_row[row]] - before[row]) < end_row[row] - row)
