"""The chain of two lists of calls: which of the one continue which of the other, in order."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.columns import (
    ANCHOR,
    CLASS,
    FUNCTION,
    JOINED,
    LABEL,
    Counts,
    Pairing,
    Rows,
    Work,
    wide,
)
from cbvtool.trace.compare.alignment.sequences import common_subsequence, no_places
from cbvtool.trace.compare.alignment.weights import RENAMED, renaming_weight, weight_of
from cbvtool.trace.kernels import kernel

_MOST_CELLS = 1 << 20  # pairs of two lists that are weighed
_NARROW = 64  # calls in the shorter of two lists, up to which all pairs are weighed
_NEAR = 8  # places between a call and where it stands under another name: weighing such a pair costs up to 512 steps
_MOST_STEPS, _LEAST_STEPS = 1000, 32  # differences between two lists up to which their alignment is a longest one
_NARROWEST, _WIDEST, _BAND = 16, 128, 1 << 21  # places to either side of a chain that are weighed, and all of them
_MOST_BAND = 100_000_000


@kernel
def all_pairs_fit(p: int, q: int) -> bool:
    """Whether all pairs of two lists may be weighed: the work stays linear in the longer one."""
    return min(p, q) <= _NARROW and p * q <= _MOST_CELLS


@kernel
def chain_of(pairs: Pairing, counts: Counts, work: Work, here: Rows, there: Rows, least: float) -> Rows:
    """int64[len(here)]: the place in `there` of the call that each one is, or is joined with, ascending, or -1.

    The calls are unpaired or joined by an anchor. least: `ALIKE`, `SAME` or `RENAMED`.
    """
    chain = no_places(len(here))
    p, q = len(here), len(there)
    first, last = 0, 0  # what both lists begin and end with alike needs no weighing
    while least > RENAMED and first < min(p, q) and begins_alike(pairs, here[first], there[first]):
        chain[first] = first
        first += 1
    while least > RENAMED and last < min(p, q) - first and begins_alike(pairs, here[p - 1 - last], there[q - 1 - last]):
        chain[p - 1 - last] = q - 1 - last
        last += 1
    if first == p - last or first == q - last:
        return chain
    inner, other = here[first : p - last], there[first : q - last]
    p, q = len(inner), len(other)
    low, high = np.empty(p, np.int64), np.empty(p, np.int64)
    found = no_places(p)
    weighed = True
    if all_pairs_fit(p, q):
        for i in range(p):
            low[i] = 0 if least > RENAMED else min(max(0, i - _NEAR), q)
            high[i] = q if least > RENAMED else min(q, i + _NEAR + 1)
    elif least > RENAMED:
        found = long_chain(pairs, work, inner, other)
        weighed = band_along(found, q, low, high)
    else:
        return chain
    if weighed:
        found = heaviest_chain(pairs, counts, inner, other, low, high, least)
    for i in range(p):
        if found[i] >= 0 and (least == RENAMED or weight_of(pairs, counts, inner[i], other[found[i]]) >= least):
            chain[first + i] = first + found[i]
    return chain


@kernel
def begins_alike(pairs: Pairing, a: int, b: int) -> bool:
    """Whether two calls are joined, or unpaired and identical."""
    if pairs[ANCHOR, a] >= 0 or pairs[ANCHOR, b] >= 0:
        return bool(pairs[ANCHOR, a] == b)
    return bool(pairs[CLASS, a] == pairs[CLASS, b])


@kernel
def long_chain(pairs: Pairing, work: Work, here: Rows, there: Rows) -> Rows:
    """The chain of two long lists: by classes, then by functions in between."""
    chain = common(pairs, work, here, there, wide(CLASS))
    first, before = 0, 0
    for i in range(len(here) + 1):
        if i < len(here) and chain[i] < 0:
            continue
        until = chain[i] if i < len(here) else len(there)
        if first < i and before < until:
            part = common(pairs, work, here[first:i], there[before:until], wide(FUNCTION))
            for place in range(len(part)):
                chain[first + place] = before + part[place] if part[place] >= 0 else -1
        first, before = i + 1, until + 1
    return chain


@kernel
def band_along(chain: Rows, q: int, low: Rows, high: Rows) -> bool:
    """Fill the places of a list of q that each call may be paired with: those near a chain of two long lists.

    Among many identical calls the one that changed has no place of its own; the heaviest chain near by gives it one.
    False = it were too much to weigh.
    """
    p = len(chain)
    width = min(_WIDEST, max(_NARROWEST, _BAND // p))
    at = 0
    for i in range(p):  # the band holds the place in the chain before, and that in the chain after
        low[i] = max(0, at - width)
        if chain[i] >= 0:
            at = chain[i] + 1
    at = q
    cells = 0
    for i in range(p - 1, -1, -1):
        high[i] = min(q, at + width)
        cells += high[i] - low[i]
        if chain[i] >= 0:
            at = chain[i]
    return bool(cells <= _MOST_BAND)


@kernel
def heaviest_chain(
    pairs: Pairing, counts: Counts, here: Rows, there: Rows, low: Rows, high: Rows, least: float
) -> Rows:
    """The chain with the most weight in sum among those that pair each call i with places from `low[i]` to `high[i]`.

    Both ascend. As many steps as there are such places.
    """
    p, q = len(here), len(there)
    begin = np.empty(p + 1, np.int64)
    begin[0] = 0
    for i in range(p):
        begin[i + 1] = begin[i] + high[i] - low[i]
    move = np.empty(begin[p], np.int8)  # 1 = paired, 2 = without the row, 3 = without the column
    best = np.zeros(q + 1, np.float64)
    for i in range(p):
        diagonal = best[low[i]]
        if i > 0:  # what the band of the row before did not reach
            for j in range(high[i - 1], high[i]):
                best[j + 1] = best[high[i - 1]]
        for j in range(low[i], high[i]):
            if least > RENAMED:
                weight = weight_of(pairs, counts, here[i], there[j])
            else:
                weight = renaming_weight(pairs, counts, here[i], there[j])
            above = best[j + 1]
            taken = diagonal + weight if weight > 0 else -1.0
            if taken > above and taken > best[j]:
                move[begin[i] + j - low[i]] = 1
                best[j + 1] = taken
            elif above >= best[j]:
                move[begin[i] + j - low[i]] = 2
            else:
                move[begin[i] + j - low[i]] = 3
                best[j + 1] = best[j]
            diagonal = above
    found = no_places(p)
    i, j = p - 1, q - 1
    while i >= 0 and j >= 0:
        if j >= high[i]:
            j -= 1
        elif j < low[i] or move[begin[i] + j - low[i]] == 2:
            i -= 1
        elif move[begin[i] + j - low[i]] == 1:
            found[i] = j
            i -= 1
            j -= 1
        else:
            j -= 1
    return found


@kernel
def common(pairs: Pairing, work: Work, here: Rows, there: Rows, column: int) -> Rows:
    """The common subsequence of two lists by classes or by functions (`column`); calls that are joined are equal."""
    one, other = np.empty(len(here), np.int64), np.empty(len(there), np.int64)
    used = 0
    for side in range(2):
        rows, numbers = (here, one) if side == 0 else (there, other)
        for place in range(len(rows)):
            row = rows[place]
            joined = max(row, pairs[ANCHOR, row])
            line, key = (JOINED, joined) if pairs[ANCHOR, row] >= 0 else (LABEL, wide(pairs[column, row]))
            if pairs[line, key] < 0:
                pairs[line, key] = used
                used += 1
            numbers[place] = pairs[line, key]
    for side in range(2):
        for row in here if side == 0 else there:
            pairs[LABEL, pairs[column, row]] = -1
            pairs[JOINED, max(row, pairs[ANCHOR, row])] = -1
    return common_subsequence(one, other, steps_for(len(one) + len(other), work))


@kernel
def steps_for(length: int, work: Work) -> int:
    """How many differences a longest common subsequence may cost; taken from the work that is left."""
    steps = min(max(work[0] // length, _LEAST_STEPS), _MOST_STEPS)
    work[0] = max(work[0] - steps * length, 0)
    return int(steps)
