"""TraceDiff's geometry against plain counting: curves, tubes, control trees, runs, intervals (TD-4 to TD-7)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.api import CallTree, Trace, call_tree
from plugins.tracediff.control import Side, control_points, polygons
from plugins.tracediff.curves import SAMPLES, arc_lengths, curve_points, profile, tube_borders
from plugins.tracediff.overview import _intervals
from plugins.tracediff.repeats import runs_of
from plugins.tracediff.tubes import Tubes, painted
from tests.trace.timelines import random_trace, timelines

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
POINT = st.tuples(st.floats(-1000, 1000), st.floats(-1000, 1000))


def whole_tree(trace: Trace, thread: int = 0) -> CallTree:
    return call_tree(trace, thread, np.arange(len(trace.functions)), len(trace.functions))


# -- curves and tubes --


def d3_pieces(polygon: Floats, beta: float) -> list[Floats]:
    """The path of d3's `line().curve(curveBundle.beta(beta))`: cubic pieces, float64[4, 2] each, lines as cubics.

    By its documented formulae: straightened points, then `curveBasis`, whose Bezier pieces have the control points
    (2 a + b) / 3, (a + 2 b) / 3 and the end (a + 4 b + c) / 6.
    """
    n = len(polygon) - 1
    share = np.arange(n + 1)[:, None] / n
    p = beta * polygon + (1 - beta) * (polygon[0] + share * (polygon[-1] - polygon[0]))
    if len(p) == 2:
        return [line(p[0], p[1])]
    at = (5 * p[0] + p[1]) / 6
    found = [line(p[0], at)]
    for a, b, c in [*zip(p, p[1:], p[2:], strict=False), (p[-2], p[-1], p[-1])]:
        end = (a + 4 * b + c) / 6
        found.append(np.array([at, (2 * a + b) / 3, (a + 2 * b) / 3, end]))
        at = end
    found.append(line(at, p[-1]))
    return found


def line(a: Floats, b: Floats) -> Floats:
    return np.array([a, (2 * a + b) / 3, (a + 2 * b) / 3, b])


def at_parameter(pieces: list[Floats], at: float) -> Floats:
    """A place: straight pieces at the ends take a third of the parameter of a piece between."""
    if len(pieces) == 1:
        a, b = pieces[0][0], pieces[0][3]
        raise AssertionError((a, b))
    inner = len(pieces) - 2
    whole = at * (inner + 2 / 3) - 1 / 3
    number = 0 if whole < 0 else inner + 1 if whole > inner else min(int(whole), inner - 1) + 1
    t = 1 + 3 * whole if number == 0 else (whole - inner) * 3 if number == inner + 1 else whole - number + 1
    b = pieces[number]
    return (1 - t) ** 3 * b[0] + 3 * t * (1 - t) ** 2 * b[1] + 3 * t * t * (1 - t) * b[2] + t**3 * b[3]


@given(st.lists(POINT, min_size=3, max_size=12), st.floats(0, 1))
def test_td_5_curves_equal_d3(polygon: list[tuple[float, float]], beta: float) -> None:
    """TD-5: To 1e-9 of the size of the polygon, at each sample."""
    points = np.array(polygon)
    found = curve_points(points, np.array([0, len(points)]), beta)[0]
    pieces = d3_pieces(points, beta)
    for sample, place in enumerate(found):
        np.testing.assert_allclose(place, at_parameter(pieces, sample / (SAMPLES - 1)), rtol=0, atol=1e-9 * 1000)


def test_td_5_a_polygon_of_two_points_is_a_line() -> None:
    """TD-5: As in d3: from one end to the other."""
    found = curve_points(np.array([[0.0, 0.0], [8.0, 4.0]]), np.array([0, 2]))[0]
    np.testing.assert_allclose(found[[0, -1]], [[0, 0], [8, 4]])
    np.testing.assert_allclose(found[:, 0], 2 * found[:, 1])
    assert 50 <= len(found) <= 100


@given(st.lists(POINT, min_size=2, max_size=8), st.floats(0, 400), st.floats(0, 400), st.floats(0, 1), st.floats(0, 1))
def test_td_6_borders_are_the_formula(
    polygon: list[tuple[float, float]], wide: float, other: float, thin: float, beta: float
) -> None:
    """TD-6: x +- phi(t) ((1-t) w_f / 2 + t w_g / 2), t by arc length; the borders never cross;
    at the ends the calls.
    """
    points = np.array(polygon)
    curve = curve_points(points, np.array([0, len(points)]), beta)
    left, right = tube_borders(curve, np.array([[wide, other]]), thin)
    steps = [float(np.hypot(*(b - a))) for a, b in pairwise(curve[0])]
    total, along = sum(steps), 0.0
    for sample in range(SAMPLES):
        t = along / total if total > 1e-9 else arc_lengths(curve)[0, sample]
        phi = thin + (1 - thin) / 2 * (1 + np.cos(2 * np.pi * t))
        half = phi * ((1 - t) * wide / 2 + t * other / 2)
        x = curve[0, sample, 0]
        assert (left[0, sample], right[0, sample]) == (
            pytest.approx(x - half, abs=1e-6),
            pytest.approx(x + half, abs=1e-6),
        )
        assert left[0, sample] <= right[0, sample]
        along += steps[sample] if sample < SAMPLES - 1 else 0.0


def test_td_6_the_waist_is_lambda() -> None:
    """TD-6: All of its width at the ends, lambda of it in the middle."""
    np.testing.assert_allclose(profile(np.array([0.0, 0.5, 1.0]), 0.3), [1.0, 0.3, 1.0])


def straight(x: list[float], wide: list[float], depth: list[float], top: float = 0.0, bottom: float = 20.0) -> Tubes:
    """Upright tubes."""
    middle = np.stack([np.stack((np.full(SAMPLES, each), np.linspace(top, bottom, SAMPLES)), 1) for each in x])
    half = np.array([np.full(SAMPLES, each / 2) for each in wide])
    return Tubes(middle, half, np.array([[each, each] for each in depth]), arc_lengths(middle))


def test_td_6_pixels_of_tubes() -> None:
    """TD-6: Coverage is the area; dark at the borders; deeper ones in front, whatever their order;
    thin ones a pixel wide.
    """
    color = np.array([[200, 100, 50, 255]], np.uint8)
    image = painted(straight([10.25], [4.5], [0]), color, np.zeros(1), (0.0, 0.0, 30.0, 20.0), 1.0)
    assert image.image[10, :, 3].tolist()[7:14] == [0, 255, 255, 255, 255, 128, 0]
    bright = image.image[10, 8:12, 0].astype(int)
    assert bright[0] < bright[1] <= bright[2] + 5
    assert bright[2] > bright[3]
    assert image.item[10, 10] == 0
    assert image.item[10, 20] == -1

    both = np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8)
    for depths in ([1.0, 2.0], [2.0, 1.0]):
        image = painted(straight([10, 12], [8, 8], depths), both, np.zeros(2), (0.0, 0.0, 30.0, 20.0), 1.0)
        assert image.item[10, 11] == int(np.argmax(depths))
    thin = painted(straight([10.5], [0.01], [0]), color, np.zeros(1), (0.0, 0.0, 30.0, 20.0), 1.0)
    assert thin.image[10, :, 3].sum() == pytest.approx(255, abs=2)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_td_6_covered_area_is_that_of_the_tube(seed: int) -> None:
    """TD-6: Of a tube of any bend that stays within the picture: the sum of coverage against the sum of its width."""
    rng = np.random.default_rng(seed)
    y = np.linspace(3, 97, SAMPLES)
    middle = np.stack((60 + 20 * np.sin(rng.uniform(0, 6) + y / 30), y), 1)[None]
    wide = rng.uniform(4, 30)
    tubes = Tubes(middle, np.full((1, SAMPLES), wide / 2), np.zeros((1, 2)), arc_lengths(middle))
    image = painted(tubes, np.full((1, 4), 255, np.uint8), np.zeros(1), (0.0, 0.0, 120.0, 100.0), 1.0)
    assert image.image[..., 3].sum() / 255 == pytest.approx(wide * 94, rel=0.01)


# -- control trees --


def side_of(bars: list[tuple[float, float, int, int]], edge: float = 100.0, middle: float = 150.0) -> Side:
    """x0, x1, depth and caller of each; levels are 20 px high."""
    x0, x1, depth, above = (np.array(column) for column in zip(*bars, strict=True))
    return Side(x0.astype(float), x1.astype(float), 20.0 * depth, 20.0 * depth + 20, above, depth, edge, middle)


# root 0..400, two callees, each with callees; bar 6 lies in the band, bar 5 is narrow.
BARS: list[tuple[float, float, int, int]] = [
    (0, 400, 0, -1),
    (0, 100, 1, 0),
    (200, 400, 1, 0),
    (0, 40, 2, 1),
    (300, 380, 2, 2),
    (320, 320.5, 3, 4),
    (310, 350, 5, 4),
]


def test_td_5_key_nodes_and_clamped_places() -> None:
    """TD-5: Wider than a pixel and outside of the band; x clamped bottom-up to matched points below;
    the root always one.
    """
    side = side_of(BARS)
    assert side.keys.tolist() == [True, True, True, True, True, False, False]
    points, ptr = control_points(side, np.array([3, 4]), np.array([0, 0]), np.array([0, 0]))
    first, second = points[: ptr[1]], points[ptr[1] :]
    # From the call over its own point and its caller's to the root's: deeper ones at the band's edge.
    assert first[0].tolist() == [20, 50]
    assert first[1:, 0].tolist() == [20, 20, 200]  # bar 1, from 0 to 100, is drawn to what matches below it
    assert second[:, 0].tolist() == [340, 340, 340, 200]
    for path in (first, second):
        assert (np.diff(path[1:, 1]) > 0).all()
        assert (path[1:, 1] > 100).all()
        assert (path[1:, 1] < 150).all()
    # The root is clamped, too, where all that matches lies at one side.
    points, _ = control_points(side, np.array([3]), np.array([0]), np.array([0]))
    assert points[:, 0].tolist() == [20, 20, 20, 20]


def test_td_5_other_ends_join_the_nearest_point() -> None:
    """TD-5: Narrow calls and those in the band: a leaf of the nearest control point at or below their key node."""
    side = side_of(BARS)
    points, ptr = control_points(side, np.array([4, 5, 6]), np.array([0, 0, 0]), np.array([0, 0, 0]))
    paths = [points[a:b] for a, b in pairwise(ptr.tolist())]
    assert [len(path) for path in paths] == [4, 4, 4]  # bar 4 itself is a key node; 5 and 6 join it
    assert paths[1][1:].tolist() == paths[2][1:].tolist() == paths[0][1:].tolist()
    # A group whose root is narrow, or lies in the band: it is a key node nevertheless.
    points, ptr = control_points(side, np.array([6]), np.array([0]), np.array([6]))
    assert len(points) == 2
    # A virtual root has no bar: the path ends at the end.
    points, _ = control_points(side, np.array([5]), np.array([0]), np.array([-1]))
    assert points[0, 0] == pytest.approx(320.25)


def test_td_5_polygons_run_down_one_side_and_up_the_other() -> None:
    """TD-5: Both ends are first and last."""
    one = np.array([[1.0, 1], [2, 2], [5, 5]]), np.array([0, 2, 3])
    other = np.array([[9.0, 9], [8, 8], [7, 7], [6, 6]]), np.array([0, 3, 4])
    points, ptr = polygons(one, other)
    assert ptr.tolist() == [0, 5, 7]
    assert points[:, 0].tolist() == [1, 2, 7, 8, 9, 5, 6]
    assert control_points(side_of(BARS), *(np.zeros(0, np.int64),) * 3)[1].tolist() == [0]


# -- runs and intervals --


@settings(max_examples=30)
@given(timelines(120))
def test_td_7_runs_equal_a_walk_over_siblings(trace: Trace) -> None:
    """TD-7: Adjacent calls of one function by one caller, two or more."""
    tree = whole_tree(trace)
    expected = []
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(tree.parent.tolist()):
        children.setdefault(parent, []).append(row)
    for parent, rows in children.items():
        if parent < 0:
            continue
        begin = 0
        for at in range(1, len(rows) + 1):
            if at == len(rows) or tree.function[rows[at]] != tree.function[rows[begin]]:
                if at - begin > 1:
                    expected.append((rows[begin], rows[at - 1], at - begin))
                begin = at
    found = runs_of(tree)
    assert sorted(expected) == list(zip(found.first.tolist(), found.last.tolist(), found.count.tolist(), strict=True))


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(1, 9), st.floats(0, 0.9))
def test_td_4_heights_are_the_mean_over_the_interval(seed: int, count: int, tau: float) -> None:
    """TD-4: Of the similarity of the innermost call's best match, nanosecond by nanosecond."""
    tree = whole_tree(random_trace(seed, 12, gap=5.0))
    rng = np.random.default_rng(seed)
    n, long = len(tree), max(int(tree.end[0]), 1)
    best = rng.integers(-1, n, n)
    alike = rng.random(n)
    mean, total, offset, away = _intervals(
        tree.start, tree.end, tree.end_row, best, alike, tree.start, tau, count / long, count
    )
    inner = np.full(long, -1)
    for row in range(n):
        inner[tree.start[row] : tree.end[row]] = row  # in preorder: what is called lies over its caller
    height, known, by, far = (np.zeros(count) for _ in range(4))
    for time, row in enumerate(inner.tolist()):
        if row < 0 or best[row] < 0 or alike[row] <= tau:
            continue
        for place in range(count):
            part = max(min((time + 1) * count / long, place + 1) - max(time * count / long, place), 0)
            height[place] += part * alike[row]
            known[place] += part
            by[place] += part * (tree.start[best[row]] - tree.start[row])
            far[place] += part * abs(tree.start[best[row]] - tree.start[row])
    np.testing.assert_allclose(mean, height, atol=1e-9)
    good = known > 1e-9
    np.testing.assert_allclose(offset[good], by[good] / known[good], atol=1e-6)
    np.testing.assert_allclose(away[good], far[good] / known[good], atol=1e-6)
    assert total.sum() == pytest.approx(alike[(best >= 0) & (alike > tau)].sum())
