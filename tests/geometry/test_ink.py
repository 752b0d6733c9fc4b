"""How much ink relations get, by their number and by how dense they lie (look-and-feel: opacity follows it)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.scene.ink import CROWD, FULL, crowd, ink


def _bundle(count: int, width: float) -> np.ndarray:
    """Parallel curves from left to right in a strip of that width."""
    x = np.linspace(-0.8, 0.8, 32)
    y = np.linspace(-width / 2, width / 2, count)
    curves = np.zeros((count, 32, 3), np.float32)
    curves[:, :, 0], curves[:, :, 1] = x, y[:, None]
    return curves


def _together(overlap: float, alone: float, most: float) -> float:
    """The opacity of so many curves on top of each other."""
    return float(1 - (1 - ink(overlap, alone, most)) ** overlap)


@given(st.floats(1, 20), st.floats(1.3, 10), st.floats(0.1, 0.85))
def test_more_curves_leave_more_ink_and_never_a_full_blob(few: float, times: float, alone: float) -> None:
    """The dense middle shows where the weight is: what 20 curves add up to differs from what 100 do."""
    most = 300.0
    less, more = _together(few, alone, most), _together(min(few * times, most), alone, most)
    assert less < more <= max(FULL, alone) + 0.01 or few * times > 60  # where 8 bits set the least


def test_one_curve_alone_has_its_own_opacity() -> None:
    assert ink(1.0, 0.35, 100.0) == pytest.approx(0.35)
    assert ink(50.0, 0.35, 100.0) < 0.1


def test_curves_are_counted_where_they_lie() -> None:
    """Twice as many in the same strip lie twice as dense; of very many a sample is counted, with the same result."""
    thin, dense, huge = (crowd(_bundle(count, 0.3), 1.0) for count in (200, 400, 40_000))
    assert dense.most == pytest.approx(2 * thin.most, rel=0.02)
    assert huge.most == pytest.approx(200 * thin.most, rel=0.05)
    at = dense.overlap(_bundle(3, 0.1), 0.003)[:, 10:20]
    assert at == pytest.approx(400 * 0.003 / 0.3, rel=0.3)
    elsewhere = _bundle(3, 0.1) + np.array([0, 0.7, 0], np.float32)
    assert (dense.overlap(elsewhere, 0.003) == 1).all()


def test_a_few_curves_are_no_crowd() -> None:
    """24 curves stay as strong as one, even where all of them meet."""
    few = _bundle(24, 0.02)
    assert crowd(few, 1.0).opacity(few, 0.003, 0.84).min() > 0.5
    assert crowd(few, 1.0).most * 0.003 < CROWD
    assert crowd(np.empty((0, 32, 3), np.float32), 1.0).most == 0
