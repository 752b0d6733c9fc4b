"""Scales: values become shares, and legends say what they mean."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scales import share_of, value_range

VALUES = st.lists(st.one_of(st.just(math.nan), st.floats(-1e12, 1e12)), min_size=1, max_size=8).map(np.array)


@given(VALUES, st.sampled_from(["zero", "least"]))
def test_shares_lie_on_the_scale(values: np.ndarray, origin: str) -> None:
    """CBV-3: 0..1, in the order of the values; what was not measured stays so."""
    share = share_of(values, *value_range(values, origin))
    measured = ~np.isnan(values)
    assert np.isnan(share[~measured]).all()
    assert ((share[measured] >= 0) & (share[measured] <= 1)).all()
    order = np.argsort(values[measured], kind="stable")
    assert (np.diff(share[measured][order]) >= 0).all()


def test_twice_the_value_is_twice_as_high() -> None:
    """CBV-3: scales of amounts begin at zero, whatever the least value is."""
    values = np.array([50.0, 100.0, math.nan])
    np.testing.assert_array_equal(share_of(values, *value_range(values)), [0.5, 1.0, math.nan])


def test_dates_begin_at_the_first() -> None:
    """A date has no zero: the scale begins at the least value."""
    values = np.array([1.6e9, 1.7e9, 1.8e9])
    np.testing.assert_allclose(share_of(values, *value_range(values, "least")), [0, 0.5, 1])


def test_nothing_measured_has_no_range() -> None:
    """All NaN: no scale, and no warning."""
    low, high = value_range(np.array([math.nan]))
    assert math.isnan(low)
    assert math.isnan(high)
    assert np.isnan(share_of(np.array([math.nan]), low, high)).all()


def test_all_values_zero_are_at_the_bottom() -> None:
    """A scale without extent does not divide by zero."""
    np.testing.assert_array_equal(share_of(np.zeros(2), *value_range(np.zeros(2))), [0, 0])
