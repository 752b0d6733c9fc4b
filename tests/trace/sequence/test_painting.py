"""Massive sequence views against a painter that does what the formula says, call by call (EX-2, EX-3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.sequence.importance import call_weights
from cbvtool.trace.sequence.painting import Color, paint_sequence, pixel_spans

COLORS: tuple[Color, Color, Color] = ((20, 160, 60, 255), (210, 30, 40, 255), (250, 250, 247, 255))


def shares(identity: np.ndarray, window: int) -> list[float]:
    """`f_i` by counting."""
    found = []
    for i in range(len(identity)):
        low = max(i - window // 2, 0)
        around = identity[low : min(i - window // 2 + window, len(identity))]
        found.append(float((around == identity[i]).sum()) / len(around))
    return found


def painted(
    pairs: list[tuple[int, int]],
    identity: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    shown: tuple[float, float],
    size: tuple[int, int],
    window: int,
    power: float,
) -> np.ndarray:
    """The picture by equation 3: for each pixel, all calls of its row."""
    width, height = size
    weight = [share**power for share in shares(identity, window)]
    colors = np.array(COLORS, np.float64)[:, :3]
    image = np.zeros((height, width, 3))
    for y in range(height):
        a, b = (shown[0] + (shown[1] - shown[0]) * row / height for row in (y, y + 1))
        for x in range(width):
            above, below = np.zeros(3), 0.0
            for i, one in enumerate(identity.tolist()):
                part = min(b, i + 1) - max(a, i)
                if part <= 0:
                    continue
                color = colors[2]
                if one >= 0:
                    caller, callee = pairs[one]
                    first = int(np.floor(left[min(caller, callee)] + 1e-6))
                    last = max(int(np.ceil(right[max(caller, callee)] - 1e-6)), first + 1)
                    if first <= x < last:
                        gone = (x + 0.5 - first) / (last - first)
                        gone = gone if callee >= caller else 1 - gone
                        color = colors[0] * (1 - gone) + colors[1] * gone
                above += part * weight[i] * color
                below += part * weight[i]
            image[y, x] = above / below if below else colors[2]
    return image


@st.composite
def sequences(draw: st.DrawFn) -> tuple[list[tuple[int, int]], np.ndarray, int]:
    """(columns of each identity, identity of each call, number of columns)."""
    columns = draw(st.integers(1, 9))
    ends = st.integers(0, columns - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), min_size=1, max_size=6))
    calls = draw(st.lists(st.integers(-1, len(pairs) - 1), min_size=1, max_size=60))
    return pairs, np.array(calls, np.int32), columns


@given(
    sequences(),
    st.integers(1, 23),
    st.integers(1, 30),
    st.integers(1, 30),
    st.sampled_from([-5.0, -1.0, 0.0, 0.5, 5.0]),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_picture_is_the_formula(
    made: tuple[list[tuple[int, int]], np.ndarray, int],
    width: int,
    height: int,
    window: int,
    power: float,
    a: float,
    b: float,
) -> None:
    """EX-3: any range, also within one call, any window and power: equal to 1/255."""
    pairs, identity, columns = made
    low, high = sorted((a * len(identity), b * len(identity)))
    shown = (low, max(high, low + 1e-3))
    edges = np.linspace(0.0, width, columns + 1)
    caller, callee = np.array(pairs, np.int64).T
    spans = pixel_spans(caller, callee, edges[:-1], edges[1:], width)
    weight = call_weights(identity, window, power)
    assert np.allclose(weight, np.array(shares(identity, window)) ** power)
    found = paint_sequence(identity, weight, spans, shown, (width, height), COLORS)
    expected = painted(pairs, identity, edges[:-1], edges[1:], shown, (width, height), window, power)
    assert (found[..., 3] == 255).all()
    assert np.abs(found[..., :3].astype(np.float64) - expected).max() <= 1.0


def outlier() -> tuple[np.ndarray, np.ndarray]:
    """Fifteen calls from column 1 to 3 and one from 0 to 2, as in figure 10: (identity, (caller, callee))."""
    return np.array([0] * 8 + [1] + [0] * 7, np.int32), np.array([[1, 0], [3, 2]])


@pytest.mark.parametrize(("power", "seen"), [(0.0, 1 / 16), (-1.0, 15 / 30), (1.0, 1 / 226)])
def test_an_outlier_is_seen(power: float, seen: float) -> None:
    """EX-3: one call among sixteen of a row has 6.25 % of it by linear antialiasing, a half with p = -1."""
    identity, (caller, callee) = outlier()
    edges = np.arange(5.0)
    spans = pixel_spans(caller, callee, edges[:-1], edges[1:], 4)
    image = paint_sequence(identity, call_weights(identity, 41, power), spans, (0.0, 16.0), (4, 1), COLORS)
    ground, at_caller = COLORS[2][0], COLORS[0][0] + (COLORS[1][0] - COLORS[0][0]) / 6
    assert float(image[0, 0, 0]) == pytest.approx(ground + (at_caller - ground) * seen, abs=1.0)


def test_a_highlight_covers_its_calls_alone() -> None:
    """EX-4: a single call among many is opaque where it runs, and nothing else is there."""
    identity, (caller, callee) = outlier()
    edges = np.arange(5.0)
    spans = pixel_spans(caller, callee, edges[:-1], edges[1:], 4)
    only = np.array([False, True])
    image = paint_sequence(identity, np.ones(16), spans, (0.0, 16.0), (4, 2), COLORS, only)
    assert image[..., 3].tolist() == [[0, 0, 0, 0], [255, 255, 255, 0]]


def test_columns_narrower_than_a_pixel_are_drawn() -> None:
    """EX-2: a call between two of 1,000 columns on 10 pixels fills a pixel."""
    edges = np.linspace(0.0, 10.0, 1001)
    spans = pixel_spans(np.array([503, 999]), np.array([503, 999]), edges[:-1], edges[1:], 10)
    assert (spans.left.tolist(), spans.long.tolist()) == ([5, 9], [1, 1])


def test_a_window_of_no_call_is_refused() -> None:
    """EX-3: there is no share of nothing."""
    with pytest.raises(ValueError, match="at least one"):
        call_weights(np.zeros(3, np.int32), 0)
