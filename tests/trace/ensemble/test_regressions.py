"""What takes more than before (CF-9): the gate on made-up runs."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.trace.ensemble.regressions import regressions


def test_equal_versions_hardly_fail_and_a_slower_part_is_found() -> None:
    """CF-9: 200 pairs of five runs and 50 parts at 2 % noise, half of them with one part that takes 20 % more."""
    rng = np.random.default_rng(9)
    false = found = 0
    for number in range(200):
        usual = rng.uniform(1, 9, 50)
        old, new = (usual * rng.normal(1, 0.02, (5, 50)) for _ in range(2))
        planted = number % 2 == 1
        if planted:
            new[:, 7] *= 1.2
        told = [one.part for one in regressions(old, new, whole=float(usual.sum()))]
        found += planted and 7 in told
        false += any(part != 7 for part in told)
    assert found >= 95
    assert false <= 4


def test_what_is_new_is_a_regression_and_what_is_tiny_is_none() -> None:
    """CF-9: a part that only the test has; a part below a thousandth of the run; no repeats."""
    steady = np.array([[10.0, np.nan, 0.001], [10.0, np.nan, 0.001]])
    now = np.array([[10.0, 2.0, 0.005], [10.0, 2.0, 0.005]])
    [one] = regressions(steady, now, whole=10.0)
    assert (one.part, one.reference, one.test, one.change) == (1, 0.0, 2.0, float("inf"))
    with pytest.raises(InputError, match="Noise is unknown"):
        regressions(steady[:1], now, whole=10.0)
