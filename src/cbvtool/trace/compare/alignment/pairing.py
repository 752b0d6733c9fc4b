"""Pairs of calls are made."""

from __future__ import annotations

from cbvtool.trace.compare.alignment.columns import CLASS, END_ROW, FLAGS, PARENT, PARTNER, TOUCHED, WHOLE, Pairing
from cbvtool.trace.kernels import kernel


@kernel
def mark_above(pairs: Pairing, row: int) -> None:
    """Note that a call below each of those around `row` is paired. Linear over all calls together."""
    above = pairs[PARENT, row]
    while above >= 0 and not pairs[FLAGS, above] & TOUCHED:
        pairs[FLAGS, above] |= TOUCHED
        above = pairs[PARENT, above]


@kernel
def pair_call(pairs: Pairing, a: int, b: int) -> None:
    """Pair two calls."""
    pairs[PARTNER, a], pairs[PARTNER, b] = b, a
    mark_above(pairs, a)
    mark_above(pairs, b)


@kernel
def pair_subtree(pairs: Pairing, a: int, b: int) -> None:
    """Pair two identical subtrees, none of whose calls is paired, call by call."""
    for offset in range(pairs[END_ROW, a] - a):
        pairs[PARTNER, a + offset], pairs[PARTNER, b + offset] = b + offset, a + offset
        pairs[FLAGS, a + offset] |= WHOLE
        pairs[FLAGS, b + offset] |= WHOLE
    mark_above(pairs, a)
    mark_above(pairs, b)


@kernel
def is_free(pairs: Pairing, row: int) -> bool:
    """Whether neither the call nor one below it is paired."""
    return bool(pairs[PARTNER, row] < 0 and not pairs[FLAGS, row] & TOUCHED)


@kernel
def pair_best(pairs: Pairing, a: int, b: int) -> None:
    """Pair two calls, and all below them where the subtrees are identical and unpaired."""
    if pairs[CLASS, a] == pairs[CLASS, b] and is_free(pairs, a) and is_free(pairs, b):
        pair_subtree(pairs, a, b)
    else:
        pair_call(pairs, a, b)
