"""The chain of two lists of calls: which of the one continue which of the other, in order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.likeness import likeness
from cbvtool.trace.compare.alignment.pairing import Pairing
from cbvtool.trace.compare.alignment.sequences import Ints, common_subsequence, heaviest_chain
from cbvtool.trace.kernels import kernel

# The least weight of a pair: of two calls of the same function; and of such that are alike. `_OTHER` is that of calls
# that stand in one place, and no more: it makes a chain leave them in one gap, where layers are looked through first.
ALIKE, SAME, _OTHER = 1.0, 0.25, 0.0625
_LIKENESS = 0.5  # from which on two calls of one function are alike
_MOST_CELLS = 1 << 20  # of a matrix of weights
_NARROW = 64  # calls in the shorter of two lists, up to which all pairs are weighed
_MOST_STEPS, _LEAST_STEPS = 1000, 32  # differences between two lists up to which their alignment is a longest one
_NARROWEST, _WIDEST, _BAND = 16, 128, 1 << 21  # places to either side of a chain that are weighed, and all of them
_MOST_BAND = 100_000_000


@kernel
def all_pairs_fit(p: int, q: int) -> bool:
    """Whether all pairs of two lists may be weighed: the work stays linear in the longer one."""
    return min(p, q) <= _NARROW and p * q <= _MOST_CELLS


@kernel
def weight_of(pairs: Pairing, a: int, b: int) -> float:
    """How much speaks for two children being the same call, or joined; 0 = they are not."""
    size, other = pairs.end_row[a] - a, pairs.end_row[b] - b
    if pairs.anchor[a] == b:
        return float(4 * size + 4)
    if pairs.partner[a] >= 0 or pairs.partner[b] >= 0:
        return 0.0
    if pairs.function[a] != pairs.function[b]:
        return _OTHER
    if pairs.classes[a] == pairs.classes[b]:
        return float(4 * size + 2)
    alike = likeness(a, b, pairs.end_row, pairs.sketches)
    return ALIKE + 2.0 * alike * min(size, other) if alike >= _LIKENESS else SAME


@kernel
def chain_of(pairs: Pairing, here: Ints, there: Ints, least: float) -> Ints:
    """int32[len(here)]: the place in `there` of the call that each one is, or is joined with, ascending, or -1.

    The calls are unpaired or joined by an anchor. least: weight of a pair, `SAME` or `ALIKE`.
    """
    chain = np.full(len(here), -1, np.int32)
    p, q = len(here), len(there)
    first, last = 0, 0  # what both lists begin and end with alike needs no weighing
    while first < min(p, q) and begins_alike(pairs, here[first], there[first]):
        chain[first] = first
        first += 1
    while last < min(p, q) - first and begins_alike(pairs, here[p - 1 - last], there[q - 1 - last]):
        chain[p - 1 - last] = q - 1 - last
        last += 1
    if first < p - last and first < q - last:
        inner, other = here[first : p - last], there[first : q - last]
        if all_pairs_fit(len(inner), len(other)):
            found = short_chain(pairs, inner, other)
        else:
            found = long_chain(pairs, inner, other)
        for place in range(len(found)):
            if found[place] >= 0 and weight_of(pairs, inner[place], other[found[place]]) >= least:
                chain[first + place] = first + found[place]
    return chain


@kernel
def begins_alike(pairs: Pairing, a: int, b: int) -> bool:
    """Whether two calls are joined, or unpaired and identical."""
    if pairs.anchor[a] >= 0 or pairs.anchor[b] >= 0:
        return bool(pairs.anchor[a] == b)
    return bool(pairs.classes[a] == pairs.classes[b])


@kernel
def long_chain(pairs: Pairing, here: Ints, there: Ints) -> Ints:
    """The chain of two long lists: by classes, then by functions; then the heaviest one near it.

    Among many identical calls the one that changed has no place of its own; the weights give it one.
    """
    one, two = labelled(pairs, here, there, False)
    chain = common_subsequence(one, two, steps_for(len(one) + len(two), pairs.work))
    first, before = 0, 0
    changed = False
    for i in range(len(here) + 1):
        if i < len(here) and chain[i] < 0:
            continue
        until = chain[i] if i < len(here) else len(there)
        if first < i and before < until:
            part, other = here[first:i], there[before:until]
            one, two = labelled(pairs, part, other, True)
            common = common_subsequence(one, two, steps_for(len(one) + len(two), pairs.work))
            for place in range(len(part)):
                chain[first + place] = before + common[place] if common[place] >= 0 else -1
        changed |= first < i or before < until
        first, before = i + 1, until + 1
    return weigh_along(pairs, here, there, chain) if changed else chain


@kernel
def weigh_along(pairs: Pairing, here: Ints, there: Ints, chain: Ints) -> Ints:
    """The heaviest chain among those that stay within some places of a given one."""
    p, q = len(here), len(there)
    width = min(_WIDEST, max(_NARROWEST, _BAND // p))
    low, high = np.empty(p, np.int32), np.empty(p, np.int32)
    at = 0
    for i in range(p):  # the band holds the place in the chain before, and that in the chain after
        low[i] = max(0, at - width)
        if chain[i] >= 0:
            at = chain[i] + 1
    at = q
    for i in range(p - 1, -1, -1):
        high[i] = min(q, at + width)
        if chain[i] >= 0:
            at = chain[i]
    begin = np.zeros(p + 1, np.int64)
    begin[1:] = np.cumsum((high - low).astype(np.int64))
    if begin[p] > _MOST_BAND:
        return chain
    move = np.empty(begin[p], np.int8)  # 1 = paired, 2 = without the row, 3 = without the column
    best = np.zeros(q + 1)
    for i in range(p):
        a = here[i]
        diagonal = best[low[i]]
        if i > 0:  # what the band of the row before did not reach
            for j in range(high[i - 1], high[i]):
                best[j + 1] = best[high[i - 1]]
        for j in range(low[i], high[i]):
            weight = weight_of(pairs, a, there[j])
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
    found = np.full(p, -1, np.int32)
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
def steps_for(length: int, work: npt.NDArray[np.int64]) -> int:
    """How many differences a longest common subsequence may cost; taken from the work that is left."""
    steps = int(min(max(work[0] // length, _LEAST_STEPS), _MOST_STEPS))
    work[0] = max(work[0] - steps * length, 0)
    return steps


@kernel
def short_chain(pairs: Pairing, here: Ints, there: Ints) -> Ints:
    """The heaviest chain of two lists, of which one is short."""
    weight = np.empty((len(here), len(there)), np.float32)
    for i in range(len(here)):
        for j in range(len(there)):
            weight[i, j] = weight_of(pairs, here[i], there[j])
    return heaviest_chain(weight)


@kernel
def labelled(pairs: Pairing, here: Ints, there: Ints, by_function: bool) -> tuple[Ints, Ints]:
    """Both lists as small numbers: equal = joined, or unpaired calls of one class (function)."""
    one, other = np.empty(len(here), np.int32), np.empty(len(there), np.int32)
    keys = pairs.function if by_function else pairs.classes
    used = 0
    for side in range(2):
        rows, numbers = (here, one) if side == 0 else (there, other)
        for place in range(len(rows)):
            row = rows[place]
            key = keys[row]
            if pairs.anchor[row] >= 0:
                key = pairs.class_count + max(row, pairs.anchor[row])
            if pairs.label[key] < 0:
                pairs.label[key] = used
                used += 1
            numbers[place] = pairs.label[key]
    for side in range(2):
        for row in here if side == 0 else there:
            pairs.label[keys[row]] = -1
            pairs.label[pairs.class_count + max(row, pairs.anchor[row])] = -1
    return one, other
