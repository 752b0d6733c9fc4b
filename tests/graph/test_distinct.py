"""The table of bits gives what sorting gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import distinct


@given(st.lists(st.integers(0, 2000)), st.integers(0, 200))
def test_it_is_unique_with_inverse(numbers: list[int], more: int) -> None:
    column = np.array(numbers, np.int64)
    values, which = distinct(column, max(numbers, default=0) + 1 + more)
    expected, inverse = np.unique(column, return_inverse=True)
    assert np.array_equal(values, expected)
    assert np.array_equal(which, inverse)


@pytest.mark.parametrize("below", [1 << 20, 1 << 40])
def test_many_and_large_numbers(below: int) -> None:
    """Both roads, tables and sorting, at the edges of words."""
    column = np.random.default_rng(0).integers(0, below, 50_000)
    column[:4] = [0, below - 1, 63, 64]
    values, which = distinct(column, below)
    expected, inverse = np.unique(column, return_inverse=True)
    assert np.array_equal(values, expected)
    assert np.array_equal(which, inverse)
