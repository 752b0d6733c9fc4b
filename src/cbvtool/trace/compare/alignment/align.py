"""Align the call trees of two threads, or of two whole traces (TD-11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.alignment.children import align_children
from cbvtool.trace.compare.alignment.columns import PARTNER, UNPAIRED, Pairing
from cbvtool.trace.compare.alignment.containers import pair_containers, paired_before
from cbvtool.trace.compare.alignment.elsewhere import pair_elsewhere
from cbvtool.trace.compare.alignment.forest import two_forests
from cbvtool.trace.compare.alignment.identical import find_classes, pair_unique
from cbvtool.trace.compare.alignment.kinds import Kinds, kinds_of
from cbvtool.trace.compare.alignment.likeness import find_sketches

_MOST_SHARED = 0.5
_WORK_PER_CALL, _WORK = 32, 4_000_000  # steps of common subsequences


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which of a calls of A is which of b calls of B, by structure alone.

    partner_a  int32[a]  row of B, `UNPAIRED` = -1
    partner_b  int32[b]  row of A
    kind_a     uint8[a]  a `CallChange`: of A's calls never inserted or wrapped
    kind_b     uint8[b]  of B's calls never removed or unwrapped
    """

    partner_a: npt.NDArray[np.int32]
    partner_b: npt.NDArray[np.int32]
    kind_a: Kinds
    kind_b: Kinds


def align(
    function_a: npt.NDArray[np.integer],
    end_row_a: npt.NDArray[np.integer],
    function_b: npt.NDArray[np.integer],
    end_row_b: npt.NDArray[np.integer],
    progress: Progress = silent,
) -> Alignment:
    """Pair the calls of two forests in preorder one-to-one.

    function  numbers that mean the same function on both sides
    end_row   the row after the last call below, from the first row of its side on

    Unique identical subtrees come first, then calls that share most of what is paired below them, then children of
    paired calls in order, and identical subtrees that are left over; twice. Near-linear in time and memory, however
    deep. May raise Cancelled, and ValueError for what is no forest.
    """
    progress("Aligning the calls", 0, 6)
    pairs, first_b = two_forests(function_a, end_row_a, function_b, end_row_b)
    find_classes(pairs, first_b)
    counts = find_sketches(pairs)
    work = np.array([_WORK + _WORK_PER_CALL * pairs.shape[1]], np.int64)
    progress("Aligning the calls", 1, 6)
    pair_unique(pairs, first_b)
    pairs[PARTNER, 0], pairs[PARTNER, first_b] = first_b, 0
    for done in (2, 4):
        progress("Aligning the calls", done, 6)
        pair_containers(pairs, first_b, paired_before(pairs), _MOST_SHARED)
        align_children(pairs, first_b, counts, work)
        progress("Aligning the calls", done + 1, 6)
        pair_elsewhere(pairs, first_b, counts, work)
    return _alignment(pairs, first_b)


def _alignment(pairs: Pairing, first_b: int) -> Alignment:
    """What was found, in rows of either side."""
    kinds = kinds_of(pairs, first_b)
    in_b, in_a = pairs[PARTNER, 1:first_b], pairs[PARTNER, first_b + 1 :]
    return Alignment(
        np.where(in_b >= 0, in_b - first_b - 1, UNPAIRED).astype(np.int32),
        np.where(in_a >= 0, in_a - 1, UNPAIRED).astype(np.int32),
        kinds[1:first_b],
        kinds[first_b + 1 :],
    )
