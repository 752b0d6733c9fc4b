"""Scales: values become shares, and legends say what they mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.overlay.ticks import ticks
from cbvtool.geometry.scales import SCALES, Axis, Legend, Scale, fit, parse_value, share_of, value_range
from cbvtool.metrics import METRICS

VALUES = st.lists(st.one_of(st.just(math.nan), st.floats(-1e12, 1e12)), min_size=1, max_size=8).map(np.array)


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("origin", ["zero", "least"])
def test_values_that_are_all_alike_are_drawn_flat(kind: str, origin: str) -> None:
    """CBV-13: as high as the largest of them would say that all are large; a range that was chosen is kept."""
    values = np.array([3.0, np.nan, 3.0])
    axis = fit(Scale(kind), values, origin)
    assert (axis.minimum, axis.maximum) == (3.0, 3.0)
    assert axis.place(values)[[0, 2]].tolist() == [0.0, 0.0]
    assert fit(Scale(kind, 0.0, 6.0), values, origin).place(3.0) > 0


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


KINDS = st.sampled_from(list(SCALES))
ENDS = st.one_of(st.none(), st.floats(-1e6, 1e6))


@given(VALUES, st.builds(Scale, KINDS, ENDS, ENDS), st.sampled_from(["zero", "least"]))
def test_every_scale_keeps_the_order(values: np.ndarray, scale: Scale, origin: str) -> None:
    """CBV-4: whatever the kind and the range: 0..1, in the order of the values, and what was not measured stays so."""
    axis = fit(scale, values, origin)
    share = axis.place(values)
    measured = ~np.isnan(values)
    assert np.isnan(share[~measured]).all()
    assert ((share[measured] >= 0) & (share[measured] <= 1)).all()
    order = np.argsort(values[measured], kind="stable")
    assert (np.diff(share[measured][order]) >= 0).all()
    if axis.maximum > axis.minimum:
        assert axis.place([axis.minimum, axis.maximum]).tolist() == [0.0, pytest.approx(1.0)]
        assert axis.below == (values < axis.minimum).sum()
        assert axis.above == (values > axis.maximum).sum()


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=30, unique=True), KINDS)
def test_values_are_found_again_at_their_shares(values: list[int], kind: str) -> None:
    """A place on a legend means the value that is drawn there."""
    column = np.array(values, np.float64)
    axis = fit(Scale(kind), column)
    for value in column:
        assert value_at(axis, float(axis.place(value))) == pytest.approx(value, abs=1e-6)


def value_at(axis: Axis, share: float) -> float:
    """The value that lies at `share` 0..1 of a scale: the inverse of `place`."""
    if axis.kind == "quantile" and len(axis.knots):
        return float(np.interp(share, axis.ranks, axis.knots))
    if axis.kind == "log":
        first, last = (np.log1p(max(end - axis.base, 0.0) / axis.grain) for end in (axis.minimum, axis.maximum))
        return float(axis.base + axis.grain * np.expm1(first + share * (last - first)))
    return axis.minimum + share * (axis.maximum - axis.minimum)


def test_a_logarithmic_scale_shows_ratios() -> None:
    """CBV-4: ten times as much is the same step again, and nothing is left out because it is zero."""
    axis = fit(Scale("log"), np.array([0.0, 1, 1e3, 1e4, 1e5]))
    share = axis.place([0.0, 1e3, 1e4, 1e5])
    assert share[0] == 0
    np.testing.assert_allclose(np.diff(share[1:]), np.diff(share[1:])[0], rtol=1e-3)


def test_a_quantile_scale_shows_ranks() -> None:
    """CBV-4: one outlier does not flatten all others, and equal values look alike."""
    share = fit(Scale("quantile"), np.array([1.0, 2, 3, 1e9])).place([1.0, 2, 3, 1e9])
    assert share[-1] == 1
    np.testing.assert_allclose(np.diff(share), np.diff(share)[0])
    assert fit(Scale("quantile"), np.array([0.0, 0, 0, 5])).place([0.0])[0] == 0


def test_what_lies_beyond_the_range_is_said() -> None:
    """CBV-13: a legend with a range says that there is more, or less."""
    axis = fit(Scale("linear", 2, 10), np.array([1.0, 5, 11, 12]))
    legend = Legend(METRICS["commits"], axis)
    assert (axis.below, axis.above) == (1, 2)
    assert legend.show(2) == "≤ 2 commits"
    assert legend.show(10) == "≥ 10 commits"
    assert legend.show(5) == "5 commits"
    assert axis.place([1.0, 2, 6, 10, 12]).tolist() == [0, 0, 0.5, 1, 1]


def test_a_range_without_extent_is_passed_over() -> None:
    """A minimum above everything would make all alike."""
    assert fit(Scale("linear", 50, None), np.array([0.0, 20])).maximum == 20
    assert fit(Scale("linear", 50, None), np.array([0.0, 20])).minimum == 0


OUTLIER = np.array([*[0.011, 0.02, 0.034] * 40, 1.0])  # shares, of which one is far beyond the others


def test_a_few_outliers_do_not_flatten_all_others() -> None:
    """CBV-4: the scale ends at a round number above nearly all, and its legend says that there is more."""
    axis = fit(Scale(), OUTLIER)
    assert (axis.minimum, axis.above) == (0, 1)
    assert axis.maximum == pytest.approx(0.04)
    assert Legend(METRICS["nl3"], axis).show(axis.maximum) == "≥ 4 %"
    assert axis.place([1.0]).tolist() == [1]


def test_what_is_seen_decides_what_an_outlier_is() -> None:
    """CBV-4: by what they take of the picture, not by their number; what has no value has no say."""
    extent = np.ones(len(OUTLIER))
    extent[-1] = 30  # of 150: that is no trifle
    assert fit(Scale(), OUTLIER, extent=extent).maximum == 1
    values, extent = np.append(OUTLIER, np.full(40, 1.0)), np.append(extent, np.full(40, 0.01))
    extent[len(OUTLIER) - 1] = 0.01
    assert fit(Scale(), values, extent=extent).maximum == pytest.approx(0.04)  # many, but slivers
    zeros = np.zeros(10_000)
    assert fit(Scale(), np.append(zeros, np.arange(1.0, 6))).maximum == 5


@pytest.mark.parametrize(
    "scale",
    [Scale("linear", None, 1), Scale("linear", 0, 0.9), Scale("linear", 0.1, 0.2), Scale("log"), Scale("quantile")],
)
def test_a_chosen_range_stays_as_it_is(scale: Scale) -> None:
    """CBV-4: only a linear scale that nobody gave an end is ended before its largest value."""
    assert fit(scale, OUTLIER).maximum == (scale.maximum or 1)
    assert fit(Scale(), 1.5e9 + OUTLIER, "least").maximum == 1.5e9 + 1


def test_values_near_the_others_are_no_outliers() -> None:
    """CBV-4: up to twice as far as nearly all others a scale ends at its largest value; counts keep some steps."""
    assert fit(Scale(), np.array([*[10.0] * 100, 20.0])).maximum == 20
    assert fit(Scale(), np.array([*[10.0] * 100, 21.0])).maximum == 10
    assert fit(Scale(), np.array([*[1.0] * 100, 9.0])).maximum == 5
    assert fit(Scale(), np.array([*[1.0] * 100, 4.0])).maximum == 4
    assert fit(Scale(), np.array([-3.0, *[11.0] * 100, 90.0])).maximum == 15


@given(st.lists(st.integers(0, 100_000), min_size=2, max_size=40, unique=True), KINDS, st.integers(2, 8))
def test_ticks_stand_on_the_scale(values: list[int], kind: str, most: int) -> None:
    """CBV-13: every kind of scale has its ends and few values between, each where it is drawn."""
    axis = fit(Scale(kind), np.array(values, np.float64))
    found = ticks(Legend(METRICS["sloc"], axis), most)
    assert (found[0][0], found[-1][0]) == (axis.minimum, axis.maximum)
    assert len(found) <= most + 1
    shares = [share for _, share in found]
    assert shares == sorted(shares)
    for value, share in found:
        assert share == pytest.approx(float(axis.place(value)))
    if kind == "quantile":
        assert {value for value, _ in found} <= {0.0, *map(float, values)}


def test_ticks_of_a_logarithmic_scale_are_powers() -> None:
    """1, 10, 100 ... between the ends."""
    axis = fit(Scale("log"), np.array([0.0, 1, 20_000]))
    assert [value for value, _ in ticks(Legend(METRICS["sloc"], axis), 6)][1:-1] == [10, 100, 1000]
    axis = fit(Scale("log"), np.array([0.0, 1, 30]))
    assert [value for value, _ in ticks(Legend(METRICS["sloc"], axis), 5)][1:-1] == [1, 10]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("1,200 lines", 1200),
        ("12.5 %", 0.125),
        ("-3", -3),
        ("1e3", 1000),
        ("1970-01-02", 86_400),
        ("", None),
        ("much", None),
        ("2024-13-01", None),
        ("%", None),
    ],
)
def test_values_are_read_as_they_are_written(text: str, value: float | None) -> None:
    """CBV-4: what a legend shows can be typed as the end of a range."""
    assert parse_value(text) == value
