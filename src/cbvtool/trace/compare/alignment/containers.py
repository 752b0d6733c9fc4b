"""Calls that hold the same paired calls: bottom up, by shared descendants.

Source: Falleri et al. 2014 (GumTree), the bottom-up phase; here candidates are found by climbing from the partners of
children, so that each call looks at its children alone, and layers that only one side has are climbed over.
"""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.forest import Rows
from cbvtool.trace.compare.alignment.pairing import Pairing, pair_call
from cbvtool.trace.kernels import kernel

MOST_LAYERS = 3  # calls that only one side has, between a call and those that it shares


@kernel
def paired_before(partner: Rows) -> Rows:
    """int32[n + 1]: how many rows before this one are paired, so that a subtree's are a difference of two."""
    before = np.zeros(len(partner) + 1, np.int32)
    for row in range(len(partner)):
        before[row + 1] = before[row] + (partner[row] >= 0)
    return before


@kernel
def pair_containers(pairs: Pairing, least: float) -> None:
    """Pair calls of the same function that share most of the paired calls below them, the innermost first.

    A child votes with the number of paired calls in its subtree for the nearest call of the function around its
    partner. More than the share `least` of the paired calls below either call must have voted. Linear in calls times
    `MOST_LAYERS`.
    """
    function, end_row, parent, first_b = pairs.function, pairs.end_row, pairs.parent, pairs.first_b
    partner, touched = pairs.partner, pairs.touched
    before = paired_before(partner)
    origin = np.full(first_b, -1, np.int32)  # of an unpaired call: where the call around it begins to climb
    votes = np.zeros(len(partner) - first_b, np.int32)
    voted = np.full(len(partner) - first_b, -1, np.int32)
    for row in range(first_b - 1, 0, -1):
        if partner[row] >= 0 or not touched[row]:
            continue
        best, heaviest = -1, 0
        child = row + 1
        while child < end_row[row]:
            weight = before[end_row[child]] - before[child]
            place = parent[partner[child]] if partner[child] >= 0 else origin[child]
            if weight > 0 and place >= 0:
                if weight > heaviest:
                    heaviest = weight
                    origin[row] = place
                direct = partner[child] >= 0
                for _ in range(MOST_LAYERS):
                    if place <= first_b or partner[place] >= 0:
                        break
                    # In a recursion the call that is meant may have got another name: then those around them differ.
                    above_alike = direct or function[parent[place]] == function[parent[row]]
                    if above_alike and function[place] == function[row]:
                        at = place - first_b
                        if voted[at] != row:
                            voted[at] = row
                            votes[at] = 0
                        votes[at] += weight
                        if best < 0 or votes[at] > votes[best - first_b]:
                            best = place
                        break
                    place = parent[place]
                    direct = False
            child = end_row[child]
        if best >= 0:
            shared = votes[best - first_b]
            here, there = before[end_row[row]] - before[row], before[end_row[best]] - before[best]
            if shared > least * here and shared > least * there:
                pair_call(pairs, row, best)
