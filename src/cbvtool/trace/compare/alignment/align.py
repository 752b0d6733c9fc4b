"""Align the call trees of two threads, or of two whole traces (TD-11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.alignment.children import align_children
from cbvtool.trace.compare.alignment.containers import pair_containers
from cbvtool.trace.compare.alignment.elsewhere import pair_elsewhere
from cbvtool.trace.compare.alignment.forest import TwoForests
from cbvtool.trace.compare.alignment.identical import pair_unique, subtree_classes
from cbvtool.trace.compare.alignment.kinds import Kinds, kinds_of
from cbvtool.trace.compare.alignment.likeness import sketches_of
from cbvtool.trace.compare.alignment.pairing import UNPAIRED, Pairing, pair_call

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
    forests = TwoForests.of(function_a, end_row_a, function_b, end_row_b)
    pairs = _unpaired(forests)
    progress("Aligning the calls", 1, 6)
    pair_unique(pairs)
    pair_call(pairs, 0, forests.first_b)
    aligned = np.zeros(forests.first_b, np.bool_)
    for done in (2, 4):
        progress("Aligning the calls", done, 6)
        pair_containers(pairs, _MOST_SHARED)
        align_children(pairs, 0, forests.first_b, aligned)
        progress("Aligning the calls", done + 1, 6)
        pair_elsewhere(pairs, forests.functions, aligned)
    return _alignment(forests, pairs.partner)


def _unpaired(forests: TwoForests) -> Pairing:
    """Both forests with their classes, and no pairs."""
    columns = forests.function, forests.end_row
    classes, count = subtree_classes(*columns, forests.first_b, forests.functions)
    used = np.zeros((2, forests.functions), np.bool_)
    used[0, forests.function[1 : forests.first_b]] = True
    used[1, forests.function[forests.first_b + 1 :]] = True
    n = len(forests.function)
    return Pairing(
        *columns,
        forests.parent,
        forests.first_b,
        classes,
        count,
        sketches_of(*columns, forests.parent),
        used[0] != used[1],
        np.full(n, UNPAIRED, np.int32),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.full(n, -1, np.int32),
        np.full(count + n, -1, np.int32),
        np.array([_WORK + _WORK_PER_CALL * n], np.int64),
    )


def _alignment(forests: TwoForests, partner: npt.NDArray[np.int32]) -> Alignment:
    """What was found, in rows of either side."""
    first_b = forests.first_b
    kinds = kinds_of(forests.function, forests.end_row, forests.parent, first_b, partner)
    in_b, in_a = partner[1:first_b], partner[first_b + 1 :]
    return Alignment(
        np.where(in_b >= 0, in_b - first_b - 1, UNPAIRED).astype(np.int32),
        np.where(in_a >= 0, in_a - 1, UNPAIRED).astype(np.int32),
        kinds[1:first_b],
        kinds[first_b + 1 :],
    )
