"""Two sequences row by row, against the longest common subsequence by recursion (EX-6)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.sequence import row_alignment as room
from cbvtool.trace.sequence.row_alignment import GAP, RowAlignment, aligned_rows

NUMBERS = st.lists(st.integers(0, 4), max_size=40)


def longest(a: list[int], b: list[int]) -> int:
    """Length of the longest common subsequence."""

    @cache
    def of(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        return of(i + 1, j + 1) + 1 if a[i] == b[j] else max(of(i + 1, j), of(i, j + 1))

    return of(0, 0)


def checked(a: list[int], b: list[int]) -> RowAlignment:
    """The alignment: all calls of both in their order, what stands in one row is equal."""
    x, y = np.array(a, np.int32), np.array(b, np.int32)
    found = aligned_rows(x, y)
    assert found.a[found.a != GAP].tolist() == list(range(len(a)))
    assert found.b[found.b != GAP].tolist() == list(range(len(b)))
    assert ((found.a != GAP) | (found.b != GAP)).all()
    same = found.same
    assert np.array_equal(x[found.a[same]], y[found.b[same]])
    for side, of in ((0, found.a), (1, found.b)):
        assert np.array_equal(of[found.rows_of(side)], np.arange(len((a, b)[side])))
    return found


@given(NUMBERS, NUMBERS)
def test_as_many_rows_are_the_same_as_can_be(a: list[int], b: list[int]) -> None:
    """EX-6: a longest common subsequence."""
    found = checked(a, b)
    assert found.exact
    assert int(found.same.sum()) == longest(a, b)


@given(NUMBERS, NUMBERS, st.integers(1, 60))
def test_large_blocks_are_cut_apart(a: list[int], b: list[int], cells: int) -> None:
    """EX-6: rows stay right where the whole table would cost too much."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "_MOST_CELLS", cells)
        patched.setattr(room, "_PIECE", 3)
        checked(a, b)


def test_edits_of_a_long_sequence_are_found() -> None:
    """EX-6: 60,000 calls of 40 kinds, 50 put in, 50 taken out: nearly all others stand beside themselves."""
    rng = np.random.default_rng(2)
    a = (40 * rng.random(60_000) ** 2).astype(np.int32)
    out = rng.choice(60_000, 50, replace=False)
    b = np.insert(np.delete(a, out), np.sort(rng.integers(0, 59_000, 50)), 77).astype(np.int32)
    found = aligned_rows(a, b)
    assert int(found.same.sum()) >= 59_950 - 5
    assert not found.exact
    assert not (b[found.b[found.same]] == 77).any()


def test_what_is_not_shown_equals_nothing() -> None:
    """EX-6: calls without an identity never match."""
    found = aligned_rows(np.array([-1, 3], np.int32), np.array([-1, 3], np.int32))
    assert found.same.tolist() == [False, False, True]
    assert len(aligned_rows(np.empty(0, np.int32), np.empty(0, np.int32))) == 0
