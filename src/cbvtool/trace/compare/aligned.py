"""The third sort of matches: calls paired one-to-one by the structure of both trees (TD-1, TD-11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.alignment.align import align
from cbvtool.trace.compare.alignment.kinds import Kinds
from cbvtool.trace.compare.matches import CallMatches, Likeness
from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AlignedCalls:
    """What became of the calls of two trees.

    matches             the pairs, breadth-first in the reference
    reference, test     uint8[n], uint8[k]  a `CallChange` for each row; of virtual roots UNCHANGED
    partner_of_reference, partner_of_test   int64[n], int64[k]  row of the other tree, -1 = none
    """

    matches: CallMatches
    reference: Kinds
    test: Kinds
    partner_of_reference: Ints
    partner_of_test: Ints


def aligned_calls(found: Likeness, progress: Progress = silent) -> AlignedCalls:
    """Align the calls of both trees; how alike two partners are is told as of other matches. May raise Cancelled."""
    one, other = found.reference, found.test
    a, b = int(one.virtual), int(other.virtual)
    made = align(one.function[a:], one.end_row[a:] - a, other.function[b:], other.end_row[b:] - b, progress)
    forth, back = _with_root(made.partner_a, a, b), _with_root(made.partner_b, b, a)
    order = one.breadth_first
    rows = order[forth[order] >= 0]
    partners = forth[rows]
    sets = found.sets
    alike = _similarities(sets.members, sets.ptr, sets.of_reference[rows], sets.of_test[partners])
    kinds = [np.concatenate((np.zeros(more, np.uint8), kind)) for more, kind in ((a, made.kind_a), (b, made.kind_b))]
    return AlignedCalls(CallMatches(rows, partners, alike), kinds[0], kinds[1], forth, back)


def _with_root(partner: npt.NDArray[np.int32], own: int, other: int) -> Ints:
    """Partners as rows of trees, of which each may have a virtual root before its rows; two such are partners."""
    found = np.where(partner >= 0, partner + other, -1).astype(np.int64)
    return np.concatenate((np.full(own, 0 if other else -1, np.int64), found))


def _similarities(members: npt.NDArray[np.int32], ptr: Ints, left: Ints, right: Ints) -> Floats:
    """float64[k]: |A and B| / |A or B| of k pairs of sets; each pair of sets is looked at once."""
    key = left * np.int64(len(ptr)) + right
    distinct, which = np.unique(key, return_inverse=True)
    alike: Floats = _shares(members, ptr, distinct // len(ptr), distinct % len(ptr))[which.reshape(-1)]
    return alike


@kernel
def _shares(members: npt.NDArray[np.int32], ptr: Ints, left: Ints, right: Ints) -> Floats:
    """The members of each set ascend."""
    found = np.zeros(len(left), np.float64)
    for pair in range(len(left)):
        i, last = ptr[left[pair]], ptr[left[pair] + 1]
        j, end = ptr[right[pair]], ptr[right[pair] + 1]
        either = (last - i) + (end - j)
        common = 0
        while i < last and j < end:
            if members[i] == members[j]:
                common += 1
                i += 1
                j += 1
            elif members[i] < members[j]:
                i += 1
            else:
                j += 1
        if either > common:
            found[pair] = common / (either - common)
    return found
