"""Children of paired calls, in order, from the roots down."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.chains import ALIKE, chain_of
from cbvtool.trace.compare.alignment.containers import MOST_LAYERS
from cbvtool.trace.compare.alignment.gaps import pair_gap
from cbvtool.trace.compare.alignment.pairing import Flags, Pairing, pair_best
from cbvtool.trace.compare.alignment.sequences import Ints
from cbvtool.trace.kernels import kernel


@kernel
def align_children(pairs: Pairing, first: int, last: int, aligned: Flags) -> None:
    """Pair the calls below paired calls, for rows `first` to `last` of A; `aligned` of those that are done is set."""
    row = first
    while row < last:
        if pairs.partner[row] >= 0 and not (aligned[row] or pairs.whole[row]):
            aligned[row] = True
            align_pair(pairs, row, pairs.partner[row])
        row += 1


@kernel
def align_pair(pairs: Pairing, a: int, b: int) -> None:
    """Pair the children of two paired calls."""
    anchor = pairs.anchor
    here, there = children_of(pairs, a), children_of(pairs, b)
    if len(here) == 0 or len(there) == 0:
        return
    set_anchors(pairs, here, b)
    set_anchors(pairs, there, a)
    here_in, there_in = in_place(pairs, here), in_place(pairs, there)
    chain = chain_of(pairs, here_in, there_in, ALIKE)
    for i in range(len(here_in)):
        if chain[i] >= 0 and anchor[here_in[i]] != there_in[chain[i]]:
            pair_best(pairs, here_in[i], there_in[chain[i]])
    first, other = 0, 0
    for i in range(len(here_in) + 1):
        at_end = i == len(here_in)
        if at_end or chain[i] >= 0:
            until = len(there_in) if at_end else chain[i]
            if first < i and other < until:
                pair_gap(pairs, loose(pairs, here_in[first:i]), loose(pairs, there_in[other:until]))
            first, other = i + 1, until + 1
    for row in here:
        anchor[row] = -1
    for row in there:
        anchor[row] = -1


@kernel
def children_of(pairs: Pairing, row: int) -> Ints:
    """The calls that a call made, in order."""
    count, child, last = 0, row + 1, pairs.end_row[row]
    while child < last:
        count += 1
        child = pairs.end_row[child]
    found = np.empty(count, np.int32)
    child = row + 1
    for place in range(count):
        found[place] = child
        child = pairs.end_row[child]
    return found


@kernel
def set_anchors(pairs: Pairing, rows: Ints, other: int) -> None:
    """Join each paired child with the child of `other` that is its partner, or an unpaired layer around its partner."""
    for row in rows:
        if pairs.partner[row] < 0 or pairs.anchor[row] >= 0:
            continue
        place = pairs.partner[row]
        for _ in range(MOST_LAYERS):
            above = pairs.parent[place]
            if above == other:
                if pairs.anchor[place] < 0:
                    pairs.anchor[row], pairs.anchor[place] = place, row
                break
            if above < 0 or pairs.partner[above] >= 0:
                break
            place = above


@kernel
def in_place(pairs: Pairing, rows: Ints) -> Ints:
    """The children that are unpaired, or joined by an anchor."""
    kept = np.empty(len(rows), np.int32)
    count = 0
    for row in rows:
        if pairs.partner[row] < 0 or pairs.anchor[row] >= 0:
            kept[count] = row
            count += 1
    return kept[:count]


@kernel
def loose(pairs: Pairing, rows: Ints) -> Ints:
    """The children that are unpaired and no layer around a call that is paired."""
    kept = np.empty(len(rows), np.int32)
    count = 0
    for row in rows:
        if pairs.partner[row] < 0 and pairs.anchor[row] < 0:
            kept[count] = row
            count += 1
    return kept[:count]
