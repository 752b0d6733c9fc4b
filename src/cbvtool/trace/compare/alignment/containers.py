"""Calls that hold the same paired calls: bottom up, by shared descendants.

Source: Falleri et al. 2014 (GumTree), the bottom-up phase; here candidates are found by climbing from the partners of
children, so that each call looks at its children alone, and layers that only one side has are climbed over.
"""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.columns import (
    END_ROW,
    FLAGS,
    FUNCTION,
    PARENT,
    PARTNER,
    TOUCHED,
    Pairing,
    Rows,
    wide,
)
from cbvtool.trace.compare.alignment.pairing import pair_call
from cbvtool.trace.kernels import kernel

MOST_LAYERS = 3  # calls that only one side has, between a call and those that it shares


def paired_before(pairs: Pairing) -> Rows:
    """int64[n + 1]: how many rows before this one are paired, so that a subtree's are a difference of two."""
    before = np.zeros(pairs.shape[1] + 1, np.int64)
    np.cumsum(pairs[PARTNER] >= 0, out=before[1:])
    return before


@kernel
def pair_containers(pairs: Pairing, first_b: int, before: Rows, least: float) -> None:
    """Pair calls of the same function that share most of the paired calls below them, the innermost first.

    A child votes with the number of paired calls in its subtree for the nearest call of the function around its
    partner. More than the share `least` of the paired calls below either call must have voted. Linear in calls times
    `MOST_LAYERS`. before: see `paired_before`.
    """
    origin = np.zeros(first_b, np.int64)  # of an unpaired call: where the call around it begins to climb; 0 = nowhere
    votes = np.zeros(pairs.shape[1], np.int64)
    voted = np.zeros(pairs.shape[1], np.int64)
    for row in range(first_b - 1, 0, -1):
        if pairs[PARTNER, row] >= 0 or not pairs[FLAGS, row] & TOUCHED:
            continue
        best, heaviest = -1, 0
        child = row + 1
        while child < pairs[END_ROW, row]:
            weight = before[pairs[END_ROW, child]] - before[child]
            direct = pairs[PARTNER, child] >= 0
            place = wide(pairs[PARENT, pairs[PARTNER, child]]) if direct else origin[child]
            if weight > 0 and place > 0:
                if weight > heaviest:
                    heaviest = weight
                    origin[row] = place
                for _ in range(MOST_LAYERS):
                    if place <= first_b or pairs[PARTNER, place] >= 0:
                        break
                    # In a recursion the call that is meant may have got another name: then those around them differ.
                    above_alike = direct or pairs[FUNCTION, pairs[PARENT, place]] == pairs[FUNCTION, pairs[PARENT, row]]
                    if above_alike and pairs[FUNCTION, place] == pairs[FUNCTION, row]:
                        if voted[place] != row:
                            voted[place] = row
                            votes[place] = 0
                        votes[place] += weight
                        if best < 0 or votes[place] > votes[best]:
                            best = place
                        break
                    place = wide(pairs[PARENT, place])
                    direct = False
            child = pairs[END_ROW, child]
        if best >= 0:
            here = before[pairs[END_ROW, row]] - before[row]
            there = before[pairs[END_ROW, best]] - before[best]
            if votes[best] > least * here and votes[best] > least * there:
                pair_call(pairs, row, best)
