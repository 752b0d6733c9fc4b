"""Runs in an order: steps, and runs that break the trend (CF-6, CF-8)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cbvtool.trace.ensemble.trends import _isotonic, breaks, means_of, run_positions, steps
from tests.trace.ensemble.planted import is_flagged, steps_near


def test_runs_come_by_number_or_as_they_were_named_and_repeats_are_one_position() -> None:
    """CF-6: 27 before 125; commits as they come; a run without a value is left out."""
    assert run_positions(["125", "27", "125"])[0].tolist() == [1, 0, 1]
    assert run_positions(["b2", "a1", "b2"])[0].tolist() == [0, 1, 0]
    means, runs = means_of(np.array([1.0, 5, 3, np.nan]), np.array([0, 1, 0, 1]), 2)
    assert (means.tolist(), runs.tolist()) == ([2.0, 5.0], [2.0, 1.0])


def test_five_per_cent_at_two_per_cent_noise_are_found_and_flat_series_are_flat() -> None:
    """CF-6: some of the trials of `make judge-ensembles`."""
    assert sum(steps_near(seed) for seed in range(20)) >= 18
    assert sum(is_flagged(seed) for seed in range(20)) <= 2


def test_two_steps_are_two() -> None:
    """CF-6: levels are means."""
    values = np.concatenate([np.full(10, 1.0), np.full(10, 2.0), np.full(10, 1.5)]) + 0.01 * np.sin(np.arange(30))
    found = steps(values, np.ones(30))
    assert [one.at for one in found] == [10, 20]
    assert found[0].after == found[1].before == pytest.approx(2.0, abs=0.01)
    assert steps(np.full(30, 1.0), np.ones(30)) == []
    assert steps(np.array([1.0, 9]), np.ones(2)) == []


def test_216_ranks_break_the_order_of_lulesh() -> None:
    """CF-6: seconds of `main` for 27, 64, 125, 216 and 343 ranks."""
    [found] = breaks(np.array([47.238, 55.113, 56.238, 42.838, 52.588]))
    assert [found.at, found.value, found.expected] == pytest.approx([3, 42.838, 54.6463], abs=1e-3)
    assert found.scatter > 6
    assert found.chance > 0.05  # of five runs
    assert breaks(np.array([1.0, 2, 4, 8, 16, 32])) == []
    assert breaks(np.array([1.0, 2, 4, 3.9, 16, 32])) == []  # the others rise without exception: scatter is unknown
    assert [(one.at, one.chance) for one in breaks(np.array([1.0, 2, 4, 1, 16, 32]))] == [(3, 1.0)]
    assert breaks(np.array([5.0, 5, 5, 5])) == []


def test_the_trend_is_the_nearest_rising_series() -> None:
    """CF-6: against all rising series of a grid."""
    grid = np.array(list(product(range(4), repeat=4)), float)
    rising = grid[(np.diff(grid, axis=1) >= 0).all(axis=1)]
    for values in grid[::7]:
        fit = _isotonic(values)
        assert (np.diff(fit) >= 0).all()
        assert ((fit - values) ** 2).sum() <= ((rising - values) ** 2).sum(axis=1).min() + 1e-12
