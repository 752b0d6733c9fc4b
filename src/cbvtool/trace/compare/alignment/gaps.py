"""Calls between paired neighbours: who continues whom, through layers that only one side has, or under another name."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.chains import chain_of
from cbvtool.trace.compare.alignment.columns import ANCHOR, END_ROW, PARTNER, Counts, Pairing, Rows, Work, wide
from cbvtool.trace.compare.alignment.pairing import pair_best
from cbvtool.trace.compare.alignment.weights import ALIKE, RENAMED, SAME
from cbvtool.trace.kernels import kernel

_LAYERS = 3  # calls put in or taken out that are looked through


@kernel
def pair_gap(pairs: Pairing, counts: Counts, work: Work, here: Rows, there: Rows) -> None:
    """Pair what stands between paired neighbours: below layers of B, below layers of A, of the same function however
    unlike, renamed. One loop, so that all that is called is compiled into one place.
    """
    layers = there
    for stage in range(2 * _LAYERS + 2):
        one, other = loose(pairs, here), loose(pairs, there)
        least = ALIKE
        if stage < _LAYERS:
            layers = calls_below(pairs, layers)
            other = layers
        elif stage < 2 * _LAYERS:
            layers = calls_below(pairs, here if stage == _LAYERS else layers)
            one = layers
        else:
            least = SAME if stage == 2 * _LAYERS else RENAMED
        if len(one) == 0 or len(other) == 0:
            continue
        chain = chain_of(pairs, counts, work, one, other, least)
        for i in range(len(one)):
            if chain[i] >= 0:
                pair_best(pairs, one[i], other[chain[i]])


@kernel
def loose(pairs: Pairing, rows: Rows) -> Rows:
    """The calls of a list that are unpaired and no layer around a call that is paired."""
    kept = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        if pairs[PARTNER, row] < 0 and pairs[ANCHOR, row] < 0:
            kept[count] = row
            count += 1
    return kept[:count]


@kernel
def calls_below(pairs: Pairing, rows: Rows) -> Rows:
    """The unpaired calls that unpaired ones of a list make, in order."""
    found = np.empty(0, np.int64)
    for filling in range(2):
        count = 0
        for row in rows:
            child = row + 1
            while pairs[PARTNER, row] < 0 and child < pairs[END_ROW, row]:
                if pairs[PARTNER, child] < 0:
                    if filling:
                        found[count] = child
                    count += 1
                child = wide(pairs[END_ROW, child])
        if not filling:
            found = np.empty(count, np.int64)
    return found
