"""Pairs of calls while they are found: what the phases of the alignment share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.forest import Rows
from cbvtool.trace.compare.alignment.likeness import Sketches
from cbvtool.trace.kernels import kernel

UNPAIRED = -1
Flags = npt.NDArray[np.bool_]


class Pairing(NamedTuple):
    """Columns of both forests (`TwoForests`), and the pairs so far. A tuple, because compiled loops take one.

    function, end_row, parent, first_b  as in `TwoForests`
    classes    int32[n]   equal numbers = identical subtrees
    class_count numbers of classes are less than this
    sketches   of the functions below each call
    one_sided  bool[f]    functions that only one side calls
    partner    int32[n]   row of the other side, `UNPAIRED`
    touched    bool[n]    whether a call below is paired
    whole      bool[n]    the call was paired with the rest of an identical subtree
    anchor     int32[n]   place to note which children of two paired calls belong together, -1 in between
    label      int32[class_count + n]  place to number classes or functions, and then calls; -1 in between
    work       int64[1]   steps that sequences may still take before they become inexact
    """

    function: Rows
    end_row: Rows
    parent: Rows
    first_b: int
    classes: Rows
    class_count: int
    sketches: Sketches
    one_sided: Flags
    partner: Rows
    touched: Flags
    whole: Flags
    anchor: Rows
    label: Rows
    work: npt.NDArray[np.int64]


@kernel
def mark_above(row: int, parent: Rows, touched: Flags) -> None:
    """Note that a call below each of those around `row` is paired. Linear over all calls together."""
    row = parent[row]
    while row >= 0 and not touched[row]:
        touched[row] = True
        row = parent[row]


@kernel
def pair_call(pairs: Pairing, a: int, b: int) -> None:
    """Pair two calls."""
    pairs.partner[a], pairs.partner[b] = b, a
    mark_above(a, pairs.parent, pairs.touched)
    mark_above(b, pairs.parent, pairs.touched)


@kernel
def pair_subtree(pairs: Pairing, a: int, b: int) -> None:
    """Pair two identical subtrees, none of whose calls is paired, call by call."""
    for offset in range(pairs.end_row[a] - a):
        pairs.partner[a + offset], pairs.partner[b + offset] = b + offset, a + offset
        pairs.whole[a + offset] = pairs.whole[b + offset] = True
    mark_above(a, pairs.parent, pairs.touched)
    mark_above(b, pairs.parent, pairs.touched)


@kernel
def is_free(pairs: Pairing, row: int) -> bool:
    """Whether neither the call nor one below it is paired."""
    return pairs.partner[row] < 0 and not pairs.touched[row]


@kernel
def pair_best(pairs: Pairing, a: int, b: int) -> None:
    """Pair two calls, and all below them where the subtrees are identical and unpaired."""
    if pairs.classes[a] == pairs.classes[b] and is_free(pairs, a) and is_free(pairs, b):
        pair_subtree(pairs, a, b)
    else:
        pair_call(pairs, a, b)
