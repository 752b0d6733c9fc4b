"""What became of each call: unchanged, inserted, removed, wrapped, unwrapped, moved, renamed."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.columns import END_ROW, FUNCTION, PARENT, PARTNER, Pairing, Rows
from cbvtool.trace.compare.alignment.containers import paired_before
from cbvtool.trace.kernels import kernel

Kinds = npt.NDArray[np.uint8]


class CallChange(IntEnum):
    """What became of a call.

    UNCHANGED  paired, in its place: the nearest paired calls around the two are partners
    INSERTED   of B alone
    REMOVED    of A alone
    WRAPPED    of B alone, put around calls that stayed in their place: most of what it calls is paired
    UNWRAPPED  of A alone, taken out from around such calls
    MOVED      paired, but below another call, or at another place among its siblings
    RENAMED    paired with a call of another function, in its place
    """

    UNCHANGED = 0
    INSERTED = 1
    REMOVED = 2
    WRAPPED = 3
    UNWRAPPED = 4
    MOVED = 5
    RENAMED = 6


_UNCHANGED, _INSERTED, _REMOVED, _WRAPPED, _UNWRAPPED, _MOVED, _RENAMED = map(int, CallChange)


def kinds_of(pairs: Pairing, first_b: int) -> Kinds:
    """uint8[n]: a `CallChange` of each call of both forests. O(n log n)."""
    kinds = np.zeros(pairs.shape[1], np.uint8)
    around = np.empty(pairs.shape[1], np.int64)
    crossed = np.zeros(pairs.shape[1], np.bool_)
    mark_pairs(pairs, first_b, around, crossed, kinds)
    if crossed.any():
        rows = np.flatnonzero((pairs[PARTNER, :first_b] >= 0) & (kinds[:first_b] != _MOVED) & crossed[around[:first_b]])
        rows = rows[np.argsort(around[rows], kind="stable")]
        rank = np.empty(len(rows), np.int64)
        rank[np.lexsort((pairs[PARTNER, rows], around[rows]))] = np.arange(len(rows))
        mark_reordered(pairs, rows, rank, around, kinds)
    mark_layers(pairs, first_b, paired_before(pairs), kinds)
    return kinds


@kernel
def mark_pairs(pairs: Pairing, first_b: int, around: Rows, crossed: npt.NDArray[np.bool_], kinds: Kinds) -> None:
    """What became of each call, but for those that changed their order, and layers.

    Fills around (the innermost paired call around each one; -1 of the virtual roots, which are paired), and crossed:
    whether calls of A around which this one is the innermost did change their order.
    """
    last = np.zeros(first_b, np.int64)  # partner of the latest call below each paired one
    for row in range(len(kinds)):
        above = pairs[PARENT, row]
        around[row] = above if above < 0 or pairs[PARTNER, above] >= 0 else around[above]
    for row in range(len(kinds)):
        other = pairs[PARTNER, row]
        if other < 0:
            kinds[row] = _REMOVED if row < first_b else _INSERTED
            continue
        if pairs[FUNCTION, row] != pairs[FUNCTION, other]:
            kinds[row] = _RENAMED
        above = around[row]
        if above >= 0 and pairs[PARTNER, above] != around[other]:
            kinds[row] = _MOVED
        elif 0 < row < first_b:
            crossed[above] |= other < last[above]
            last[above] = other


@kernel
def mark_reordered(pairs: Pairing, rows: Rows, rank: Rows, around: Rows, kinds: Kinds) -> None:
    """Of the calls below each paired call whose order changed, all but the heaviest chain are moved.

    rows  paired calls of A that have not moved, those with the same innermost paired call around them together, in
          order
    rank  the place of each if those that stand together were ordered by their partners
    """
    # A Fenwick tree: of each place among the partners the heaviest chain that ends at or before it.
    tree = np.empty(len(rows) + 1, np.int64)
    weight, before = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    begin = 0
    while begin < len(rows):
        end = begin
        while end < len(rows) and around[rows[end]] == around[rows[begin]]:
            tree[end - begin + 1] = -1
            end += 1
        best = -1
        for place in range(begin, end):
            at = rank[place] - begin
            chain = -1
            while at > 0:
                if tree[at] >= 0 and (chain < 0 or weight[tree[at]] > weight[chain]):
                    chain = tree[at]
                at -= at & -at
            before[place] = chain
            weight[place] = pairs[END_ROW, rows[place]] - rows[place] + (weight[chain] if chain >= 0 else 0)
            at = rank[place] - begin + 1
            while at <= end - begin:
                if tree[at] < 0 or weight[place] > weight[tree[at]]:
                    tree[at] = place
                at += at & -at
            if best < 0 or weight[place] > weight[best]:
                best = place
        for place in range(end - 1, begin - 1, -1):
            if place == best:
                best = before[place]
            else:
                kinds[rows[place]] = kinds[pairs[PARTNER, rows[place]]] = _MOVED
        begin = end


@kernel
def mark_layers(pairs: Pairing, first_b: int, before: Rows, kinds: Kinds) -> None:
    """Of the unpaired calls, tell those around calls that stayed from those that came or went with all they did.

    before: see `paired_before`.
    """
    for row in range(1, len(kinds)):
        if pairs[PARTNER, row] < 0 or kinds[row] == _MOVED or row == first_b:
            continue
        above = pairs[PARENT, row]
        while above >= 0 and pairs[PARTNER, above] < 0 and kinds[above] != _WRAPPED and kinds[above] != _UNWRAPPED:
            end_row = pairs[END_ROW, above]
            if 2 * (before[end_row] - before[above]) >= end_row - above - 1:
                kinds[above] = _UNWRAPPED if above < first_b else _WRAPPED
            above = pairs[PARENT, above]
