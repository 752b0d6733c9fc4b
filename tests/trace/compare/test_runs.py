"""TD-9, TD-13, TD-14: what repeated runs show, with planted changes and without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from cbvtool.errors import InputError
from cbvtool.trace.compare.runs.causes import MODULE, ChangedCode, ChangedLines, bare_name, causes, never_ran
from cbvtool.trace.compare.runs.deviations import RunComparison, compared
from cbvtool.trace.compare.runs.paths import CallPaths, call_paths
from cbvtool.trace.compare.runs.statistics import corrected, shifts, steadied, without_drift
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile
from tests.trace.compare.trees import Timed, traced

LEAVES = 12


def run(seed: int, slow: float = 1.0, extra: int = 0) -> Profile:
    """A run of `main` and some functions: times vary by 3 % each, and by up to 30 % as a whole."""
    random = np.random.default_rng(seed)
    machine = 1.0 + 0.3 * random.random()
    time, below = 0, list[Timed]()
    for number in range(LEAVES):
        for _ in range(2 + (extra if number == 3 else 0)):
            factor = slow if number == 5 else 1.0
            lasts = int(1e6 * (1 + number % 4) * factor * machine * random.normal(1.0, 0.03))
            below.append((f"leaf_{number}", time, time + lasts, []))
            time += lasts
    return folded(traced([("main", 0, time, below)]))


def compared_runs(runs: int, slow: float = 1.0, extra: int = 0, seed: int = 0) -> tuple[RunComparison, CallPaths]:
    paths = call_paths([run(seed + n) for n in range(runs)], [run(seed + 100 + n, slow, extra) for n in range(runs)])
    return compared(paths), paths


def test_a_slower_function_is_named_and_nothing_else() -> None:
    """TD-13: 20 % of one function beside a machine that drifts by 30 %."""
    found, paths = compared_runs(10, slow=1.2)
    (one,) = found.deviations
    assert (one.kind, one.function, one.path) == ("slower", "leaf_5", ("main", "leaf_5"))
    assert one.low < 0.2 < one.high
    assert found.judged == LEAVES
    assert len(paths) == LEAVES + 1


@pytest.mark.parametrize("seed", [1000, 2000, 3000, 4000])
def test_runs_of_one_version_do_not_deviate(seed: int) -> None:
    assert compared_runs(10, seed=seed)[0].deviations == ()


def test_times_are_judged_from_eight_runs_a_side() -> None:
    found, _ = compared_runs(3, slow=2.0)
    assert found.judged == 0
    assert found.deviations == ()


def test_counts_are_judged_from_one_run() -> None:
    """TD-9: one function is called more often; a caller whose callees follow is the finding, they are marked."""
    before = folded(traced([("main", 0, 90, [("work", 0, 40, [("leaf", 1, 2, []), ("leaf", 3, 4, [])])])]))
    twice: list[Timed] = [
        ("work", n, n + 40, [("leaf", n + 1, n + 2, []), ("leaf", n + 3, n + 4, [])]) for n in (0, 45)
    ]
    after = folded(traced([("main", 0, 90, [*twice, ("new", 86, 88, [])])]))
    found = compared(call_paths([before], [after])).deviations
    assert [(one.kind, one.function, one.reference, one.test, one.follows) for one in found] == [
        ("appeared", "new", 0, 1, False),
        ("more-calls", "work", 1, 2, False),
        ("more-calls", "leaf", 2, 4, True),
    ]
    back = compared(call_paths([after], [before]), ignored=("wor*",)).deviations
    assert [(one.kind, one.function) for one in back] == [("vanished", "new"), ("fewer-calls", "leaf")]


def read_twice(seed: int, slow: float) -> Profile:
    """A run that reads much behind `load`, and little behind `save`, where it is slow; and does other things."""
    random = np.random.default_rng(seed)
    time, below = 0, list[Timed]()
    for number in range(LEAVES):
        caller, mean = ("save", 1e6 * slow) if number == 0 else ("load", 2e6)
        lasts = int(mean * random.normal(1.0, 0.02))
        other = int(1e6 * random.normal(1.0, 0.02))
        below.append((caller, time, time + lasts, [("read", time, time + lasts, [])]))
        below.append((f"leaf_{number}", time + lasts, time + lasts + other, []))
        time += lasts + other
    return folded(traced([("main", 0, time, below)]))


def test_one_path_of_a_function_is_slower() -> None:
    """TD-13: `read` as a whole is 4 % slower, which does not count; behind `save` it takes twice as long."""
    paths = call_paths([read_twice(n, 1.0) for n in range(10)], [read_twice(50 + n, 2.0) for n in range(10)])
    assert compared(paths).deviations == ()
    (one,) = compared(paths.each_apart()).deviations
    assert (one.kind, one.function, one.path) == ("slower", "read", ("main", "save", "read"))
    assert one.low < 1.0 < one.high
    assert causes([one], paths.each_apart(), [ChangedCode("m.py", "save", ChangedLines("m.py", 3, 1, 4, 2))]) == [
        ("caller's code", ChangedCode("m.py", "save", ChangedLines("m.py", 3, 1, 4, 2)))
    ]


def test_calls_that_go_another_way_are_seen_by_path() -> None:
    """TD-13: as many calls as before, from another caller."""
    before = folded(traced([("main", 0, 9, [("a", 0, 3, [("leaf", 1, 2, [])]), ("b", 4, 6, [])])]))
    after = folded(traced([("main", 0, 9, [("a", 0, 3, []), ("b", 4, 7, [("leaf", 5, 6, [])])])]))
    paths = call_paths([before], [after])
    assert compared(paths).deviations == ()
    assert [(one.kind, one.path) for one in compared(paths.each_apart()).deviations] == [
        ("vanished", ("main", "a", "leaf")),
        ("appeared", ("main", "b", "leaf")),
    ]


@pytest.mark.parametrize("seed", [1000, 2000])
def test_paths_of_one_version_do_not_deviate(seed: int) -> None:
    """TD-13: the same program, whose paths are more than its functions."""
    runs = [read_twice(seed + n, 1.0) for n in range(20)]
    assert compared(call_paths(runs[:10], runs[10:]).each_apart()).deviations == ()


def test_what_varies_within_a_version_is_noise() -> None:
    runs = [run(n, extra=n % 3) for n in range(4)]
    found = compared(call_paths(runs[:2], runs[2:]))
    assert found.deviations == ()
    assert found.noise == (("leaf_3", "/src/m.py"),)


def test_causes() -> None:
    """TD-14: own code, the nearest caller's, none; and changed code that no run called."""
    before = folded(traced([("main", 0, 90, [("A.<locals>.work", 0, 40, [("leaf", 1, 2, [])])])]))
    after = folded(
        traced(
            [("main", 0, 90, [("A.<locals>.work", 0, 40, [("leaf", 1, 2, []), ("leaf", 3, 4, [])]), ("x", 50, 51, [])])]
        )
    )
    paths = call_paths([before], [after])
    found = compared(paths).deviations
    hunk = ChangedLines("src/m.py", 3, 1, 4, 2)
    changed = [ChangedCode("src/m.py", "A.work", hunk), ChangedCode("src/m.py", "idle", hunk)]
    named = {one.function: cause for one, cause in zip(found, causes(found, paths, changed), strict=True)}
    assert named["leaf"].kind == "caller's code"
    assert named["leaf"].changed is not None
    assert named["leaf"].changed.hunk == hunk
    assert named["x"].kind == "code unchanged"
    own = causes(found, paths, [ChangedCode("m.py", "leaf", hunk)])
    assert [one.kind for one in own] == ["own code", "code unchanged"]
    assert {one.kind for one in causes(found, paths, None)} == {"unknown"}
    assert [one.name for one in never_ran(paths, changed)] == ["idle"]
    assert bare_name("f.<locals>.g.<lambda>") == "f.g"
    assert bare_name(MODULE) == MODULE


def test_bad_input_is_said() -> None:
    one, empty = folded(traced([("a", 0, 1, [])])), folded(traced([]))
    with pytest.raises(InputError, match="hardly a function in common"):
        call_paths([one], [folded(traced([("b", 0, 1, [])]))])
    with pytest.raises(InputError, match="no call"):
        call_paths([one], [empty])


def test_corrections_are_those_of_benjamini_and_hochberg() -> None:
    """Beside the definition: the smallest x at which a test would be taken."""
    random = np.random.default_rng(4)
    chance = random.random(30) ** 3
    found = corrected(chance)
    order = np.sort(chance)
    for value, raised in zip(chance, found, strict=True):
        rank = int(np.searchsorted(order, value))
        assert raised == pytest.approx(min(1.0, *(order[k] * 30 / (k + 1) for k in range(rank, 30))))


def test_drift_of_a_machine_is_taken_out() -> None:
    steady = np.tile(np.array([1.0, 5.0, 9.0]), (6, 1))
    drift = np.array([1.0, 1.1, 1.3, 0.9, 1.0, 2.0])[:, None]
    np.testing.assert_allclose(np.ptp(without_drift(steady * drift), axis=0), 0.0, atol=1e-12)
    assert shifts(steady[:3, :0], steady[3:, :0]).change.shape == (0,)


def test_a_drift_that_is_uncertain_is_left_in() -> None:
    """TD-13: a steady quantity among noisy ones stays as it is; a machine that slows all of them down is taken out."""
    random = np.random.default_rng(5)
    slower = np.where(np.arange(20) < 10, 10.0, 12.0)[:, None] * random.normal(1.0, 0.01, (20, 1))
    values = np.concatenate((random.lognormal(0.0, 0.3, (20, 5)), slower), axis=1)
    found, corrected_all = steadied(values, 10), without_drift(values)
    np.testing.assert_array_equal(found[:, 5], values[:, 5])
    assert shifts(found[:10], found[10:]).chance[5] < 0.001
    assert shifts(corrected_all[:10], corrected_all[10:]).chance[5] > 0.001
    alike = random.normal(1.0, 0.01, (20, 6)) * random.uniform(0.8, 1.4, (20, 1))
    np.testing.assert_array_equal(steadied(alike, 10), without_drift(alike))


@pytest.mark.parametrize(
    ("began", "alternating"),
    [([1, 4, 5, 2, 3, 6], True), ([1, 2, 3, 4, 5, 6], False), ([4, 5, 6, 1, 2, 3], False), ([0, 4, 5, 2, 3, 6], False)],
)
def test_whether_runs_alternate_is_known_by_when_they_began(began: list[int], alternating: bool) -> None:
    """TD-13: A B B A A B; one side after the other; a run that does not say when it began."""
    runs = [run(seed) for seed in range(6)]
    runs = [replace(one, header=replace(one.header, began=when)) for one, when in zip(runs, began, strict=True)]
    assert call_paths(runs[:3], runs[3:]).alternating is alternating


@pytest.mark.parametrize("seed", range(3))
def test_a_chance_is_a_chance_all_the_same(seed: int) -> None:
    """TD-13: of runs that do not differ, one quantity in twenty has a chance below 0.05, before it is corrected."""
    random = np.random.default_rng(seed)
    low = 0
    for _ in range(100):
        values = random.lognormal(0.0, 0.2, (20, 8)) * random.lognormal(0.0, random.choice([0.01, 0.1, 0.3]), (20, 1))
        found = steadied(values, 10)
        chance = mannwhitneyu(found[10:], found[:10], axis=0, method="exact").pvalue
        low += int(np.count_nonzero(chance < 0.05))
    assert low < 0.05 * 800 + 4 * np.sqrt(0.05 * 0.95 * 800)
