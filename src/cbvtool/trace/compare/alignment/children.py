"""Children of paired calls, in order, from the roots down."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.chains import chain_of
from cbvtool.trace.compare.alignment.columns import (
    ALIGNED,
    ANCHOR,
    END_ROW,
    FLAGS,
    PARENT,
    PARTNER,
    WHOLE,
    Counts,
    Pairing,
    Rows,
    Work,
    wide,
)
from cbvtool.trace.compare.alignment.containers import MOST_LAYERS
from cbvtool.trace.compare.alignment.gaps import loose, pair_gap
from cbvtool.trace.compare.alignment.pairing import pair_best
from cbvtool.trace.compare.alignment.weights import ALIKE
from cbvtool.trace.kernels import kernel


@kernel
def align_children(pairs: Pairing, first_b: int, counts: Counts, work: Work) -> None:
    """Pair the calls below paired calls that were not aligned yet."""
    for a in range(first_b):
        b = wide(pairs[PARTNER, a])
        if b < 0 or pairs[FLAGS, a] & (ALIGNED | WHOLE):
            continue
        pairs[FLAGS, a] |= ALIGNED
        if pairs[END_ROW, a] == a + 1 or pairs[END_ROW, b] == b + 1:
            continue
        here, there = children_of(pairs, a), children_of(pairs, b)
        set_anchors(pairs, here, b)
        set_anchors(pairs, there, a)
        in_here, in_there = in_place(pairs, here), in_place(pairs, there)
        chain = chain_of(pairs, counts, work, in_here, in_there, ALIKE)
        for i in range(len(in_here)):
            if chain[i] >= 0 and pairs[ANCHOR, in_here[i]] != in_there[chain[i]]:
                pair_best(pairs, in_here[i], in_there[chain[i]])
        first, other = 0, 0
        for i in range(len(in_here) + 1):
            until = len(in_there)
            if i < len(in_here):
                if chain[i] < 0:
                    continue
                until = chain[i]
            if first < i and other < until:
                pair_gap(pairs, counts, work, loose(pairs, in_here[first:i]), loose(pairs, in_there[other:until]))
            first, other = i + 1, until + 1
        for row in here:
            pairs[ANCHOR, row] = -1
        for row in there:
            pairs[ANCHOR, row] = -1


@kernel
def children_of(pairs: Pairing, row: int) -> Rows:
    """The calls that a call made, in order."""
    count, child, last = 0, row + 1, pairs[END_ROW, row]
    while child < last:
        count += 1
        child = pairs[END_ROW, child]
    found = np.empty(count, np.int64)
    child = row + 1
    for place in range(count):
        found[place] = child
        child = pairs[END_ROW, child]
    return found


@kernel
def set_anchors(pairs: Pairing, rows: Rows, other: int) -> None:
    """Join each paired child with the child of `other` that is its partner, or an unpaired layer around its partner."""
    for row in rows:
        if pairs[PARTNER, row] < 0 or pairs[ANCHOR, row] >= 0:
            continue
        place = pairs[PARTNER, row]
        for _ in range(MOST_LAYERS):
            above = pairs[PARENT, place]
            if above == other:
                if pairs[ANCHOR, place] < 0:
                    pairs[ANCHOR, row], pairs[ANCHOR, place] = place, row
                break
            if above < 0 or pairs[PARTNER, above] >= 0:
                break
            place = above


@kernel
def in_place(pairs: Pairing, rows: Rows) -> Rows:
    """The children that are unpaired, or joined by an anchor."""
    kept = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        if pairs[PARTNER, row] < 0 or pairs[ANCHOR, row] >= 0:
            kept[count] = row
            count += 1
    return kept[:count]
