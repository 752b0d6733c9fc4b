"""Which runs are alike (CF-3, CF-7): distances, maps and groups, on made-up runs and by other ways to reckon."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.budget import OverBudget
from cbvtool.trace.ensemble.ensemble import united
from cbvtool.trace.ensemble.similarity import distances
from cbvtool.trace.ensemble.similarity.clusters import point_groups
from cbvtool.trace.ensemble.similarity.distances import run_neighbours, tree_distances
from cbvtool.trace.ensemble.similarity.scaling import scaled_map
from tests.trace.ensemble.made import run, series, tree_paths

MAIN, WORK, WAIT = ("a.main",), ("a.main", "b.work"), ("a.main", "c.wait")


def stress_of(distance: np.ndarray, place: np.ndarray) -> float:
    """Sum over pairs of squared differences between distances and those on the map."""
    return float(((np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) - distance) ** 2).sum() / 2)


def test_distance_of_trees_is_what_moving_time_costs() -> None:
    """CF-7: by hand; equal 0, without a common path 1; missing is nothing spent."""
    values = np.array([[4.0, 3.0, 1.0], [4.0, 1.0, 3.0], [4.0, 4.0, np.nan], [np.nan, np.nan, 0.0]])
    found = tree_distances(values)
    assert found[0, 1] == pytest.approx((2 + 2) / (4 + 3 + 3))
    assert found[0, 2] == pytest.approx((1 + 1) / (4 + 4 + 1))
    assert found[0, 3] == 1.0
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    assert tree_distances(values * 7)[0, 1] == pytest.approx(found[0, 1])  # whatever the unit


def test_distances_are_a_metric() -> None:
    """CF-7: no way round is shorter."""
    rng = np.random.default_rng(5)
    runs = united(series(tree_paths(rng, 40), rng.uniform(0, 9, (70, 40)) * (rng.random((70, 40)) < 0.6)))
    found = tree_distances(runs.inclusive)
    assert (found[:, :, None] <= found[:, None, :] + found.T[None, :, :] + 1e-12).all()
    assert 0 <= found.min() <= found.max() <= 1


def test_moving_time_far_costs_more_than_near() -> None:
    """CF-7: the tree counts, not only its leaves."""
    deep, near, far = ("m.a", "m.b", "m.c"), ("m.a", "m.b", "m.d"), ("m.a", "m.e")
    ensemble = united([run("1", {deep: 5.0}), run("2", {near: 5.0}), run("3", {far: 5.0})])
    found = tree_distances(ensemble.inclusive)
    assert found[0, 1] < found[0, 2]


def test_the_run_unlike_all_others_is_odd_and_repeats_are_not() -> None:
    """CF-7: one of 30; two heaps of equal size hold no odd run; noise holds hardly one."""
    rng = np.random.default_rng(6)
    usual = {MAIN: 1.0, WORK: 6.0, WAIT: 3.0}

    def noisy(paths: dict[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
        return {path: value * float(rng.normal(1, 0.02)) for path, value in paths.items()}

    runs = [run(str(each), noisy(usual)) for each in range(29)] + [run("odd", noisy({**usual, WAIT: 6.0}))]
    told = run_neighbours(tree_distances(united(runs).inclusive))
    assert np.flatnonzero(told.is_odd).tolist() == [29]
    assert told.nearest[29] < 29
    heaps = [run(str(each), noisy({**usual, WAIT: 3.0 + 3 * (each % 2)})) for each in range(30)]
    told = run_neighbours(tree_distances(united(heaps).inclusive))
    assert not told.is_odd.any()
    assert (told.nearest % 2 == np.arange(30) % 2).all()
    odd = 0
    for _ in range(100):
        noise = united([run(str(each), noisy(usual)) for each in range(20)])
        odd += int(run_neighbours(tree_distances(noise.inclusive)).is_odd.any())
    assert odd <= 5
    few = run_neighbours(tree_distances(united(runs[-2:]).inclusive))
    assert few.nearest.tolist() == [1, 0]
    assert not few.is_odd.any()
    assert run_neighbours(np.zeros((1, 1))).nearest.tolist() == [-1]


def test_too_many_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """CF-5, CF-7: distances grow with the square of the runs."""
    monkeypatch.setattr(distances, "MOST_RUNS", 3)
    with pytest.raises(OverBudget, match="3 runs at most; these are 4"):
        tree_distances(np.ones((4, 2)))


def test_a_map_of_points_in_a_plane_is_that_plane() -> None:
    """CF-3: distances that fit into a plane are kept; the map is turned to its axes and the same each time."""
    rng = np.random.default_rng(7)
    points = rng.normal(size=(40, 2)) * [3.0, 1.0]
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    found = scaled_map(apart)
    assert found.error < 1e-3
    assert found.stress == pytest.approx(stress_of(apart, found.place), abs=1e-9)
    assert found.place[:, 0].std() > found.place[:, 1].std()
    assert (scaled_map(apart).place == found.place).all()
    assert found.place.max(axis=0) == pytest.approx(np.abs(found.place).max(axis=0))
    assert scaled_map(np.zeros((3, 3))).place.tolist() == [[0.0, 0.0]] * 3
    assert scaled_map(np.zeros((1, 1))).place.shape == (1, 2)
    assert scaled_map(np.array([[0.0, 2.0], [2.0, 0.0]])).error < 1e-6


def test_groups_are_those_that_were_made() -> None:
    """CF-3: as many as are far apart; one where none are; numbered by size; the same each time."""
    rng = np.random.default_rng(8)
    made = np.repeat([0, 1, 2], [30, 20, 10])
    points = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[made] + rng.normal(size=(60, 2))
    found = point_groups(points)
    assert found.group.tolist() == made.tolist()
    assert found.inertia == pytest.approx(
        sum(((points[made == each] - points[made == each].mean(axis=0)) ** 2).sum() for each in range(3))
    )
    assert len(point_groups(points, 5)) == 5
    assert len(point_groups(rng.normal(size=(60, 2)))) == 1
    assert len(point_groups(np.zeros((9, 2)), 4)) == 1
    assert len(point_groups(np.zeros((0, 2)))) == 0
    assert point_groups(np.zeros((3, 2))).group.tolist() == [0, 0, 0]
