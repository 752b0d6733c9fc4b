"""Which parameter explains what, and what one group of runs spends more than another (CF-6, CF-8)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from cbvtool.errors import InputError
from cbvtool.trace.ensemble.differences import run_differences
from cbvtool.trace.ensemble.effects import run_effects
from cbvtool.trace.ensemble.parameters import RunParameter, parameter_table, parameters_of
from tests.trace.ensemble.planted import judged

RNG = np.random.default_rng(5)


def numbers(values: np.ndarray) -> RunParameter:
    return RunParameter("n", (), (), values.astype(float))


def test_parameters_that_tell_nothing_are_left_out() -> None:
    """CF-6: shared by all, another name in each run; those that order or divide alike are one."""
    said = [
        {"host": f"h{row}", "same": "x", "ranks": str(8 * row), "jobs": str(row), "mode": "ab"[row % 2], "few": "1"}
        for row in range(4)
    ]
    said[0]["note"] = "once"
    found = parameters_of(said)
    assert [(one.name, one.also, one.levels) for one in found] == [("ranks", ("jobs",), ()), ("mode", (), ("a", "b"))]
    assert [one.name for one in parameters_of(said, ["mode"])] == ["mode"]
    with pytest.raises(InputError, match="No run has a parameter 'threads'; there are host, same"):
        parameters_of(said, ["threads"])


def test_a_table_of_parameters_is_read_or_its_line_is_named() -> None:
    """CF-6."""
    assert parameter_table("run,threads,mode\na,4,x\nb,,y\n\n") == {
        "a": {"threads": "4", "mode": "x"},
        "b": {"mode": "y"},
    }
    for text, said in (
        ("run\n", "Line 1"),
        ("run,a,a\n", "Line 1"),
        ("run,a\nx\n", "Line 2 .* 2 cells"),
        ("run,a\nx,1\nx,2\n", "Line 3 .* twice"),
        ("", "Line 1"),
    ):
        with pytest.raises(InputError, match=said):
            parameter_table(text)


@pytest.mark.parametrize("n", [12, 60])
def test_strengths_and_probabilities_are_those_of_the_rank_tests(n: int) -> None:
    """CF-8: against SciPy, one pair at a time; the probability is corrected once, for a single pair."""
    values, said = RNG.random((n, 1)) + 1, np.arange(n)
    values[:, 0] += said * 0.01
    [one] = run_effects(values, [numbers(said)])
    rho, chance = stats.spearmanr(values[:, 0], said)
    assert [one.strength, one.chance] == pytest.approx([rho**2, chance])
    groups = np.arange(n) % 3
    [one] = run_effects(values, [RunParameter("mode", (), ("a", "b", "c"), groups.astype(float))])
    h, chance = stats.kruskal(*(values[groups == group, 0] for group in range(3)))
    assert [one.strength, one.chance] == pytest.approx([h / (n - 1), chance])


def test_few_runs_are_judged_by_all_their_orders() -> None:
    """CF-8: with five runs two of 120 orders explain all."""
    values = np.array([[1.0], [2], [3], [4], [9]])
    [one] = run_effects(values, [numbers(np.arange(5))])
    assert [one.strength, one.chance] == pytest.approx([1.0, 2 / 120])
    said = np.array([1, 0, 0, 1, 1])
    [one] = run_effects(values, [RunParameter("mode", (), ("a", "b"), said.astype(float))])
    h = [stats.kruskal(*(values[np.array(order) == each, 0] for each in (0, 1)))[0] for order in permutations(said)]
    assert one.chance == pytest.approx(
        np.mean(np.array(h) >= stats.kruskal(values[said == 0], values[said == 1])[0] - 1e-9)
    )
    assert not one.is_found


def test_a_run_that_lacks_a_part_spent_nothing_there() -> None:
    """CF-8: what is called in one mode alone is explained by the mode; it is said where it takes least and most."""
    values = np.array([[5.0 + row, np.nan if row % 2 else 3.0] for row in range(20)])
    mode = RunParameter("mode", (), ("a", "b"), np.array([float(row % 2) for row in range(20)]))
    first = run_effects(values, [mode])[0]
    assert (first.part, first.low, first.high, first.least, first.most) == (1, "b", "a", 0.0, 3.0)
    assert first.is_found


def test_planted_effects_are_found_and_hardly_another() -> None:
    """CF-8: two of the hundred ensembles of `make judge-ensembles`, and one without any."""
    told = [judged(seed) for seed in (1, 2)]
    assert sum(one.found for one in told) >= 10
    assert sum(one.false for one in told) <= 2
    assert judged(1001, planted=0).false == 0


def test_differences_are_b_minus_a_and_noise_is_named() -> None:
    """CF-4, CF-8: Welch's test for each part; without repeats nobody knows."""
    noise = RNG.normal(0, 1, (2, 8, 3))
    first, second = np.array([100.0, 50, 10]) + noise[0], np.array([120.0, 50, 10]) + noise[1]
    told = run_differences(first, second)
    assert np.allclose(told.change, second.mean(axis=0) - first.mean(axis=0))
    chance = stats.ttest_ind(second, first, equal_var=False).pvalue
    assert told.chance.min() == pytest.approx(chance.min() * 3)
    assert told.is_noise.tolist() == [False, True, True]
    assert np.isnan(run_differences(first[:1], second).chance).all()


def test_what_a_group_lacks_is_missing_and_its_difference_whole() -> None:
    """CF-1: missing is not 0, but its difference is what the other has."""
    told = run_differences(np.array([[np.nan, 1.0], [np.nan, 1.0]]), np.array([[4.0, 1.0], [np.nan, 1.0]]))
    assert np.isnan(told.first[0])
    assert (told.second[0], told.change.tolist()) == (2.0, [2.0, 0.0])
    assert told.is_noise.tolist() == [True, True]
    steady = run_differences(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]]))
    assert steady.is_noise.tolist() == [False]
