"""How alike two subtrees are, at a glance: sketches of the functions below each call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.forest import Rows
from cbvtool.trace.kernels import kernel

_BUCKETS = 16
_LARGE = 16  # calls in a subtree from which on calls are counted


class Sketches(NamedTuple):
    """Of n calls, k of them with large subtrees.

    bits    uint64[n]   one bit for each function below a call; functions may share a bit
    row_of  int32[n]    row of `counts`, -1 = the subtree is small
    counts  uint32[k, _BUCKETS]  how many calls are below, by function; functions may share a bucket
    """

    bits: npt.NDArray[np.uint64]
    row_of: Rows
    counts: npt.NDArray[np.uint32]


@kernel
def function_bits(function: Rows, parent: Rows) -> npt.NDArray[np.uint64]:
    """uint64[n]: the functions below each call."""
    bits = np.zeros(len(function), np.uint64)
    for row in range(len(function) - 1, 0, -1):
        above = parent[row]
        if above >= 0:
            bit = (np.uint64(function[row]) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)
            bits[above] |= bits[row] | (np.uint64(1) << bit)
    return bits


@kernel
def count_functions(function: Rows, parent: Rows, row_of: Rows, counts: npt.NDArray[np.uint32]) -> None:
    """Fill `counts`. Calls in small subtrees are counted at the innermost large one, from where sums go upward."""
    for row in range(len(function) - 1, -1, -1):
        above = parent[row]
        mine = row_of[row]
        while above >= 0 and row_of[above] < 0:
            above = parent[above]
        if above >= 0:
            bucket = (np.uint64(function[row]) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(60)
            counts[row_of[above], bucket] += 1
            if mine >= 0:
                for place in range(counts.shape[1]):
                    counts[row_of[above], place] += counts[mine, place]


def sketches_of(function: Rows, end_row: Rows, parent: Rows) -> Sketches:
    """The sketches of all calls of two forests. Linear."""
    large = end_row - np.arange(len(end_row)) >= _LARGE
    row_of = np.where(large, np.cumsum(large) - 1, -1).astype(np.int32)
    counts = np.zeros((int(np.count_nonzero(large)), _BUCKETS), np.uint32)
    count_functions(function, parent, row_of, counts)
    return Sketches(function_bits(function, parent), row_of, counts)


@kernel
def bits_of(word: int) -> int:
    """How many bits of a uint64 are set."""
    left = np.uint64(word)
    left = left - ((left >> np.uint64(1)) & np.uint64(0x5555555555555555))
    left = (left & np.uint64(0x3333333333333333)) + ((left >> np.uint64(2)) & np.uint64(0x3333333333333333))
    left = (left + (left >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((left * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def likeness(one: int, other: int, end_row: Rows, sketches: Sketches) -> float:
    """0 to 1: an estimate of the share of calls below two calls, or of functions, that they have in common."""
    size, other_size = end_row[one] - one, end_row[other] - other
    here, there = sketches.row_of[one], sketches.row_of[other]
    if here >= 0 and there >= 0:
        both = 0
        for place in range(_BUCKETS):
            both += min(sketches.counts[here, place], sketches.counts[there, place])
        return float(2.0 * both / (size + other_size - 2))
    both = bits_of(sketches.bits[one] & sketches.bits[other])
    either = bits_of(sketches.bits[one] | sketches.bits[other])
    shared = 1.0 if either == 0 else both / either
    return float(shared * np.sqrt(min(size, other_size) / max(size, other_size)))
