"""What became of each call: unchanged, inserted, removed, wrapped, unwrapped, moved, renamed."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.containers import paired_before
from cbvtool.trace.compare.alignment.forest import Rows
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


@kernel
def nearest_paired(parent: Rows, partner: Rows) -> Rows:
    """int32[n]: the innermost paired call around each one; -1 of the two virtual roots, which are paired."""
    found = np.full(len(parent), -1, np.int32)
    for row in range(len(parent)):
        above = parent[row]
        if above >= 0:
            found[row] = above if partner[above] >= 0 else found[above]
    return found


@kernel
def kinds_of(function: Rows, end_row: Rows, parent: Rows, first_b: int, partner: Rows) -> Kinds:
    """uint8[n]: a `CallChange` of each call of both forests. O(n log n)."""
    n = len(function)
    around = nearest_paired(parent, partner)
    kinds = np.zeros(n, np.uint8)
    for row in range(n):
        other = partner[row]
        if other >= 0:
            if function[row] != function[other]:
                kinds[row] = _RENAMED
            if around[row] >= 0 and partner[around[row]] != around[other]:
                kinds[row] = _MOVED
        else:
            kinds[row] = _REMOVED if row < first_b else _INSERTED
    mark_reordered(end_row, first_b, partner, around, kinds)
    mark_layers(end_row, parent, first_b, partner, kinds)
    return kinds


@kernel
def mark_reordered(end_row: Rows, first_b: int, partner: Rows, around: Rows, kinds: Kinds) -> None:
    """Of the calls that stayed below the same call: all but the heaviest chain in the order of both are moved."""
    last = np.full(first_b, -1, np.int32)  # partner of the latest call below each paired one
    crossed = np.zeros(first_b, np.bool_)
    for row in range(1, first_b):
        if partner[row] >= 0 and kinds[row] != _MOVED:
            above = around[row]
            crossed[above] |= partner[row] < last[above]
            last[above] = partner[row]
    for above in range(first_b):
        if crossed[above]:
            reorder(above, end_row, partner, kinds)


@kernel
def reorder(above: int, end_row: Rows, partner: Rows, kinds: Kinds) -> None:
    """Mark the calls below one paired call (the nearest around them) that are not part of the heaviest chain."""
    count = 0
    for filling in range(2):
        if filling:
            rows = np.empty(count, np.int32)
            count = 0
        row = above + 1
        while row < end_row[above]:
            if partner[row] < 0:
                row += 1
                continue
            if kinds[row] != _MOVED:
                if filling:
                    rows[count] = row
                count += 1
            row = end_row[row]
    rank = np.empty(count, np.int32)
    rank[np.argsort(partner[rows])] = np.arange(count)
    # A Fenwick tree: of each place among the partners the heaviest chain that ends at or before it.
    tree = np.full(count + 1, -1, np.int32)
    weight = np.zeros(count, np.int64)
    before = np.full(count, -1, np.int32)
    best = -1
    for place in range(count):
        at = rank[place]
        chain = -1
        while at > 0:
            if tree[at] >= 0 and (chain < 0 or weight[tree[at]] > weight[chain]):
                chain = tree[at]
            at -= at & -at
        before[place] = chain
        weight[place] = end_row[rows[place]] - rows[place] + (weight[chain] if chain >= 0 else 0)
        at = rank[place] + 1
        while at <= count:
            if tree[at] < 0 or weight[place] > weight[tree[at]]:
                tree[at] = place
            at += at & -at
        if best < 0 or weight[place] > weight[best]:
            best = place
    stays = np.zeros(count, np.bool_)
    while best >= 0:
        stays[best] = True
        best = before[best]
    for place in range(count):
        if not stays[place]:
            kinds[rows[place]] = kinds[partner[rows[place]]] = _MOVED


@kernel
def mark_layers(end_row: Rows, parent: Rows, first_b: int, partner: Rows, kinds: Kinds) -> None:
    """Of the unpaired calls, tell those around calls that stayed from those that came or went with all they did."""
    before = paired_before(partner)
    for row in range(1, len(partner)):
        if partner[row] < 0 or kinds[row] == _MOVED or row == first_b:
            continue
        above = parent[row]
        while above >= 0 and partner[above] < 0 and kinds[above] not in (_WRAPPED, _UNWRAPPED):
            if 2 * (before[end_row[above]] - before[above]) >= end_row[above] - above - 1:
                kinds[above] = _UNWRAPPED if above < first_b else _WRAPPED
            above = parent[above]
