"""Calls between paired neighbours: who continues whom, through layers that only one side has, or under another name."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.chains import ALIKE, SAME, all_pairs_fit, chain_of
from cbvtool.trace.compare.alignment.likeness import likeness
from cbvtool.trace.compare.alignment.pairing import Pairing, is_free, pair_best
from cbvtool.trace.compare.alignment.sequences import Ints, heaviest_chain
from cbvtool.trace.kernels import kernel

_LAYERS = 3  # calls put in or taken out that are looked through
_LIKENESS = 0.5  # from which on a call that only one side knows may be one of the other side under a new name
_MOST_LOOKED_AT = 256  # calls below one whose partners are looked at


@kernel
def unpaired_of(pairs: Pairing, rows: Ints) -> Ints:
    """Those of a list of calls that have no partner."""
    kept = np.empty(len(rows), np.int32)
    count = 0
    for row in rows:
        if pairs.partner[row] < 0:
            kept[count] = row
            count += 1
    return kept[:count]


@kernel
def pair_in_order(pairs: Pairing, here: Ints, there: Ints, least: float) -> None:
    """Pair the chain of two lists of unpaired calls."""
    if len(here) == 0 or len(there) == 0:
        return
    chain = chain_of(pairs, here, there, least)
    for i in range(len(here)):
        if chain[i] >= 0:
            pair_best(pairs, here[i], there[chain[i]])


@kernel
def calls_below(pairs: Pairing, rows: Ints) -> Ints:
    """The unpaired calls that unpaired ones of a list make, in order."""
    count = 0
    for filling in range(2):
        if filling:
            found = np.empty(count, np.int32)
            count = 0
        for row in rows:
            child = row + 1
            while pairs.partner[row] < 0 and child < pairs.end_row[row]:
                if pairs.partner[child] < 0:
                    if filling:
                        found[count] = child
                    count += 1
                child = pairs.end_row[child]
    return found


@kernel
def look_through(pairs: Pairing, rows: Ints, layers: Ints, layers_in_b: bool) -> None:
    """Pair unpaired calls with alike ones that stand below unpaired calls of the other side."""
    for _ in range(_LAYERS):
        rows = unpaired_of(pairs, rows)
        layers = calls_below(pairs, layers)
        if len(rows) == 0 or len(layers) == 0:
            return
        if layers_in_b:
            pair_in_order(pairs, rows, layers, ALIKE)
        else:
            pair_in_order(pairs, layers, rows, ALIKE)


@kernel
def same_below(pairs: Pairing, a: int, b: int) -> bool:
    """Whether two calls make the same calls, which are unpaired and at least one."""
    last = pairs.end_row[a]
    if last - a == 1 or last - a != pairs.end_row[b] - b or not (is_free(pairs, a) and is_free(pairs, b)):
        return False
    child, other = a + 1, b + 1
    while child < last and pairs.classes[child] == pairs.classes[other]:
        child, other = pairs.end_row[child], pairs.end_row[other]
    return bool(child >= last)


@kernel
def share_below(pairs: Pairing, a: int, b: int) -> float:
    """Which share of the paired calls below `a` (the first ones) have their partners below `b`; 0 without such."""
    known, shared = 0, 0
    for row in range(a + 1, min(pairs.end_row[a], a + _MOST_LOOKED_AT)):
        if pairs.partner[row] >= 0:
            known += 1
            shared += b < pairs.partner[row] < pairs.end_row[b]
    return shared / known if known else 0.0


@kernel
def renaming_weight(pairs: Pairing, a: int, b: int) -> float:
    """How much speaks for two calls in the same place being one that got another name."""
    size, other = pairs.end_row[a] - a, pairs.end_row[b] - b
    if same_below(pairs, a, b):
        return float(4 * size)
    if share_below(pairs, a, b) > 0.5 and share_below(pairs, b, a) > 0.5:
        return float(2 * min(size, other))
    if pairs.one_sided[pairs.function[a]] or pairs.one_sided[pairs.function[b]]:
        alike = likeness(a, b, pairs.end_row, pairs.sketches)
        return 1.0 + alike * min(size, other) if alike >= _LIKENESS else 0.0
    return 0.0


@kernel
def pair_renamed(pairs: Pairing, here: Ints, there: Ints) -> None:
    """Pair calls of different functions that stand in the same place and do the same."""
    if len(here) == 0 or len(there) == 0 or not all_pairs_fit(len(here), len(there)):
        return
    weight = np.zeros((len(here), len(there)), np.float32)
    for i in range(len(here)):
        for j in range(max(0, i - 8), min(len(there), i + 9)):  # weighing a pair costs up to 512 steps
            weight[i, j] = renaming_weight(pairs, here[i], there[j])
    chain = heaviest_chain(weight)
    for i in range(len(here)):
        if chain[i] >= 0:
            pair_best(pairs, here[i], there[chain[i]])


@kernel
def pair_gap(pairs: Pairing, here: Ints, there: Ints) -> None:
    """Pair what stands between paired neighbours: below layers, of the same function however unlike, renamed."""
    look_through(pairs, here, there, True)
    look_through(pairs, there, here, False)
    pair_in_order(pairs, unpaired_of(pairs, here), unpaired_of(pairs, there), SAME)
    pair_renamed(pairs, unpaired_of(pairs, here), unpaired_of(pairs, there))
