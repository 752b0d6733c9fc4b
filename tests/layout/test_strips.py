"""The strip treemap against a plain one written after the paper (VF-1, VF-4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.layout.strips import strip_boxes

Box = tuple[float, float, float, float]


def plain_strips(weights: list[float], box: Box) -> list[Box]:
    """The strip layout by the words of the paper, for siblings in their order, from the bottom up."""
    x0, y0, x1, y1 = box
    area = (x1 - x0) * (y1 - y0) / sum(weights)

    def laid(strip: list[float]) -> tuple[float, list[float]]:
        high = sum(strip) * area / (x1 - x0)
        return high, [weight * area / high for weight in strip]

    def ratio(strip: list[float]) -> float:
        high, wides = laid(strip)
        return sum(max(high / wide, wide / high) for wide in wides) / len(wides)

    strips: list[list[float]] = []
    for weight in weights:
        if strips and ratio([*strips[-1], weight]) <= ratio(strips[-1]):
            strips[-1].append(weight)
        else:
            strips.append([weight])
    found, bottom = list[Box](), y1
    for strip in strips:
        high, wides = laid(strip)
        left = x0
        for wide in wides:
            found.append((left, bottom - high, left + wide, bottom))
            left += wide
        bottom -= high
    return found


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parents before children, weights of whole numbers, ranks with many equal ones."""
    count = draw(st.integers(1, 60))
    parent = np.array([-1, *(draw(st.integers(0, row - 1)) for row in range(1, count))])
    weight = np.array([float(draw(st.integers(1, 40))) for _ in range(count)])
    rank = np.array([float(draw(st.integers(0, 4))) for _ in range(count)])
    return parent, weight, rank


@given(trees(), st.sampled_from([(0.0, 0.0, 800.0, 500.0), (-3.0, 7.0, 40.0, 900.0)]))
def test_each_group_is_laid_out_as_the_paper_says(tree: tuple[np.ndarray, ...], box: Box) -> None:
    """VF-4: areas to 1e-9, order by rank from the bottom, siblings fill their parent."""
    parent, weight, rank = tree
    found = strip_boxes(parent, weight, rank, box)
    below = weight.copy()
    for row in range(len(parent) - 1, -1, -1):
        children = np.flatnonzero(parent == row)
        if len(children):
            below[row] = below[children].sum()
    whole = (box[2] - box[0]) * (box[3] - box[1])
    areas = (found[:, 2] - found[:, 0]) * (found[:, 3] - found[:, 1])
    np.testing.assert_allclose(areas, whole * below / below[0], rtol=1e-9)
    for row in range(len(parent)):
        rows = sorted(np.flatnonzero(parent == row).tolist(), key=lambda child: (-rank[child], child))
        if rows:
            expected = plain_strips([below[child] for child in rows], tuple(found[row]))
            np.testing.assert_allclose(found[rows], expected, atol=1e-8 * max(abs(x) for x in box))


def test_a_tree_is_turned_down_that_is_none() -> None:
    box = (0.0, 0.0, 1.0, 1.0)
    one = np.ones(2)
    for parent, weight, rank in (
        (np.array([-1, 1]), one, one),
        (np.array([0, 0]), one, one),
        (np.array([-1, -1]), one, one),
        (np.array([-1, 0]), -one, one),
        (np.array([-1, 0]), one, one * np.nan),
    ):
        with pytest.raises(ValueError, match=r"root|weight"):
            strip_boxes(parent, weight, rank, box)
    assert len(strip_boxes(np.empty(0, np.int64), np.empty(0), np.empty(0), box)) == 0


def test_what_weighs_nothing_has_no_room() -> None:
    """Beside others, alone, and in a box without height."""
    parent = np.array([-1, 0, 0, 0, 3, 3])
    weight = np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0])
    found = strip_boxes(parent, weight, np.arange(6.0), (0.0, 0.0, 10.0, 10.0))
    areas = (found[:, 2] - found[:, 0]) * (found[:, 3] - found[:, 1])
    assert areas.tolist() == [100.0, 100.0, 0.0, 0.0, 0.0, 0.0]
