"""Many runs united, and their modules (CF-1)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.trace.ensemble.ensemble import EQUAL, NEGATIVE, Ensemble, united
from cbvtool.trace.ensemble.grouping import OTHER, by_table, grouped, table_of
from cbvtool.trace.ensemble.groups import super_graph
from cbvtool.trace.ensemble.runs import ProfiledRun, metric_of, runs_of, values_of, values_of_each, with_parameters
from cbvtool.trace.making.profile_builder import NOT_FINITE, ProfileBuilder
from cbvtool.trace.model.profile import Profile
from tests.trace.ensemble.made import Paths, profile, run, series, tree_paths
from tests.trace.made import profiles

ONE: Paths = {("a.main",): 10, ("a.main", "b.solve"): 50, ("a.main", "b.solve", "a.log"): 5, ("a.main", "c.write"): 7}
TWO: Paths = {("a.main",): 12, ("a.main", "b.solve"): 80, ("a.main", "d.read"): 3}


def paths_of(ensemble: Ensemble) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for row, above in enumerate(ensemble.parent.tolist()):
        name = ensemble.functions.name[ensemble.function[row]]
        found.append((*found[above], name) if above >= 0 else (name,))
    return found


def test_a_path_that_a_run_lacks_is_missing_and_not_zero() -> None:
    """CF-1: NaN; means and sums leave it out."""
    ensemble = united([run("one", ONE), run("two", TWO)])
    rows = {path: row for row, path in enumerate(paths_of(ensemble))}
    assert len(rows) == 5
    assert ensemble.inclusive[0, rows["a.main",]] == 72
    assert ensemble.exclusive[1, rows["a.main", "b.solve"]] == 80
    assert math.isnan(ensemble.inclusive[1, rows["a.main", "c.write"]])
    assert math.isnan(ensemble.exclusive[0, rows["a.main", "d.read"]])
    assert ensemble.totals.tolist() == [72, 95]
    assert ensemble.unit == "ns"


def naive(runs: list[ProfiledRun]) -> list[dict[tuple[tuple[int, int], ...], float]]:
    """Inclusive values of each run by path of (function by name, order among equal siblings), summed plainly."""
    ids: dict[tuple[str, str, str], int] = {}
    found = []
    for each in runs:
        one = each.profile
        values = values_of(one)
        keys: list[tuple[tuple[int, int], ...]] = []
        counts: dict[tuple[tuple[tuple[int, int], ...], int], int] = {}
        sums: dict[tuple[tuple[int, int], ...], float] = {}
        for row, above in enumerate(one.parent.tolist()):
            what = int(one.function[row])
            names = one.functions.name[what], one.functions.module[what], one.functions.file[what]
            number = ids.setdefault(names, len(ids))
            base = keys[above] if above >= 0 else ()
            order = counts[base, number] = counts.get((base, number), -1) + 1
            keys.append((*base, (number, order)))
            sums[keys[-1]] = float(values.inclusive[row])
        found.append(sums)
    return found


@given(st.lists(profiles(), min_size=1, max_size=4))
def test_the_union_holds_each_value_of_each_run_once(given_: list[Profile]) -> None:
    """CF-1: against a plain dictionary of paths; equal siblings are kept apart by their order."""
    runs = [ProfiledRun(str(number), each, {}) for number, each in enumerate(given_)]
    try:
        ensemble = united(runs)
    except InputError:
        return
    for number, sums in enumerate(naive(runs)):
        own = ensemble.inclusive[number]
        known = sorted(value for value in sums.values() if not math.isnan(value))
        assert sorted(own[~np.isnan(own)].tolist()) == known
    nodes = {path for sums in naive(runs) for path in sums}
    assert len(ensemble.parent) == len(nodes)


def test_no_module_takes_more_than_its_run_whatever_recursion_there_is() -> None:
    """CF-1: only the outermost entries count; here a calls b calls a calls b."""
    deep: Paths = {("a.main",): 1, ("a.main", "b.f"): 10, ("a.main", "b.f", "a.g"): 100}
    deep["a.main", "b.f", "a.g", "b.f"] = 1000
    deep["a.main", "b.f", "a.g", "b.f", "b.f"] = 10_000
    graph = super_graph(ensemble := united([run("one", deep)]), grouped(ensemble.functions, "module"))
    assert graph.name == ("a", "b")
    assert graph.inclusive.tolist() == [[11_111, 11_110]]
    assert graph.exclusive.tolist() == [[101, 11_010]]
    flow = {
        (graph.name[s], graph.name[t]): v for s, t, v in zip(graph.source, graph.target, graph.flow[0], strict=True)
    }
    assert flow == {("a", "b"): 11_110, ("b", "a"): 11_100}  # the cycle is kept; what lies inside counts once
    assert graph.entry.tolist() == [True, True, True, True, False]
    assert np.array_equal(graph.within, [[np.nan, 10_000]], equal_nan=True)  # of the innermost b.f by b.f


@pytest.mark.parametrize("seed", range(4))
def test_modules_equal_sums_along_paths(seed: int) -> None:
    """CF-1: an independent sum over all paths, for each run, module and pair of modules."""
    rng = np.random.default_rng(seed)
    runs = []
    for number in range(5):
        paths = tree_paths(np.random.default_rng([seed, number % 2]), 60, 4)
        runs.append(run(f"{number}", dict(zip(paths, rng.integers(1, 1000, len(paths)).tolist(), strict=True))))
    ensemble = united(runs)
    graph = super_graph(ensemble, grouped(ensemble.functions, "module"))
    for number, one in enumerate(runs):
        own = dict(zip(paths_of(united([one])), values_of(one.profile).exclusive.tolist(), strict=True))
        for row, name in enumerate(graph.name):
            within = sum(value for path, value in own.items() if any(each.split(".")[0] == name for each in path))
            alone = sum(value for path, value in own.items() if path[-1].split(".")[0] == name)
            assert graph.inclusive[number, row] == pytest.approx(within, rel=1e-9)
            assert graph.exclusive[number, row] == pytest.approx(alone, rel=1e-9)
            by_itself = sum(value for path, value in own.items() if name in self_calls(path))
            assert np.nan_to_num(graph.within[number, row]) == pytest.approx(by_itself, rel=1e-9)
        for source, target, flow in zip(graph.source, graph.target, graph.flow[number], strict=True):
            pair = graph.name[source], graph.name[target]
            through = sum(value for path, value in own.items() if pair in steps(path))
            assert np.nan_to_num(flow) == pytest.approx(through, rel=1e-9)
        assert np.nanmax(graph.inclusive[number]) <= ensemble.totals[number] * (1 + 1e-12)


def steps(path: tuple[str, ...]) -> set[tuple[str, str]]:
    """Modules of each call along a path."""
    names = [each.split(".")[0] for each in path]
    return {pair for pair in pairwise(names) if pair[0] != pair[1]}


def self_calls(path: tuple[str, ...]) -> set[str]:
    """Modules that call themselves along a path."""
    names = [each.split(".")[0] for each in path]
    return {one for one, other in pairwise(names) if one == other}


def test_what_is_declared_inclusive_is_inclusive() -> None:
    """CF-1: exclusive values are what is left without the nodes below."""
    one, other = (values_of(profile(ONE, inclusive=inclusive)) for inclusive in (True, False))
    assert one.inclusive.tolist() == other.inclusive.tolist()
    assert one.exclusive.tolist() == other.exclusive.tolist()


def test_modules_by_a_table_or_a_configuration_of_callflow() -> None:
    """CF-1: names before globs; the rest is apart."""
    ensemble = united([run("one", ONE), run("two", TWO)])
    table = table_of('{"schema": {"module_map": {"Work": ["b.solve", "c.*"], "Rest": ["*.log", "b.*"]}}}')
    grouping = by_table(ensemble.functions, table)
    of = {name: grouping.name[group] for name, group in zip(ensemble.functions.name, grouping.of_function, strict=True)}
    assert of == {"a.main": OTHER, "b.solve": "Work", "c.write": "Work", "a.log": "Rest", "d.read": OTHER}
    for text in ("[", "[]", '{"a": 1}', "[" * 100_000):
        with pytest.raises(InputError, match="table of modules"):
            table_of(text)


def test_odd_runs_are_refused_or_counted() -> None:
    """CF-1: no run, another unit, nothing in common, no metric; equal ones are counted."""
    with pytest.raises(InputError, match="There is no run"):
        united([])
    with pytest.raises(InputError, match="unrelated programs"):
        united([run("one", ONE), run("other", {("x.main",): 1, ("x.main", "y.f"): 2})])
    with pytest.raises(InputError, match="one: There is no metric 'joules'; there is time"):
        united([run("one", ONE)], "joules")
    assert united([run("one", ONE), run("again", ONE)]).repairs == {EQUAL: 1}
    single = united([run("one", ONE)])
    assert len(single) == 1
    deep = {tuple(f"m.f{depth}" for depth in range(length)): 1.0 for length in (1, 900)}
    assert united([run("deep", deep), run("deeper", deep)]).totals.tolist() == [2.0, 2.0]


def chain(*values: float, unit: str = "ns", name: str = "time") -> Profile:
    """A function that calls the next one, and so on, each with a value by itself."""
    made = ProfileBuilder("test", Budget("The profile"))
    function, node = made.function("m.f", "m"), -1
    for value in values:
        node = made.node(function, node)
        made.add(node, name, value, unit=unit)
    return made.profile()


def test_odd_values_are_refused_or_counted() -> None:
    """CF-1: other units, no numbers, negative times, no time; each a sentence or a count."""
    runs = runs_of([("one", chain(1, 2)), ("other", chain(1, 2, unit="bytes", name="memory"))])
    with pytest.raises(InputError, match="one measures time in ns, other memory in bytes: these cannot be compared"):
        united(runs)
    holed = chain(1, math.nan, 4)
    assert holed.omissions == {NOT_FINITE: 1}
    ensemble = united(runs_of([("holed", holed)]))
    assert ensemble.inclusive.tolist() == [[5, 4, 4]]
    assert ensemble.exclusive.tolist() == [[1, 0, 4]]  # what it calls is known
    assert united(runs_of([("below zero", chain(1, -2)), ("usual", chain(1, 2))])).repairs == {NEGATIVE: 1}
    assert metric_of(chain(1, unit="bytes", name="memory")).name == "memory"
    with pytest.raises(InputError, match="nothing: The profile has no metric"):
        united(runs_of([("nothing", ProfileBuilder("test", Budget("The profile")).profile())]))


def test_ten_thousand_calls_in_each_other_count_once() -> None:
    """CF-1: recursion is no recursion of ours, and a module takes no more than its run."""
    ensemble = united(runs_of([("deep", chain(*[1.0] * 10_000))]))
    assert ensemble.totals.tolist() == [10_000]
    assert super_graph(ensemble, grouped(ensemble.functions, "module")).inclusive.tolist() == [[10_000]]


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("ranks", [0, 3])
def test_runs_of_one_shape_have_the_values_of_each_alone(inclusive: bool, ranks: int) -> None:
    """CF-5: whether many are worked out together, as measured or made of the other, is not seen."""
    rng = np.random.default_rng(3)
    paths = tree_paths(rng, 30)
    profiles_ = []
    for _ in range(40):
        made = ProfileBuilder("test", Budget("The profile"))
        nodes: dict[tuple[str, ...], int] = {}
        for path in paths:
            nodes[path] = made.node(made.function(path[-1]), nodes.get(path[:-1], -1))
            for rank in range(max(ranks, 1)):
                value = float(rng.normal()) if rng.random() < 0.7 else math.nan
                place = (rank // 2, rank) if ranks else None
                made.add(nodes[path], "time", value, unit="ns", inclusive=inclusive, place=place)
        profiles_.append(made.profile())
    together = values_of_each(profiles_, [metric_of(each) for each in profiles_])
    for found, each in zip(together, profiles_, strict=True):
        alone = values_of(each)
        assert (found.by_rank is None) == (ranks == 0)
        for one, other in zip(found, alone, strict=True):
            if isinstance(one, np.ndarray):
                assert np.array_equal(one, np.asarray(other), equal_nan=True)
            else:
                assert one == other


def test_runs_have_names_of_their_own_and_parameters_of_a_table() -> None:
    """CF-1, CF-6."""
    runs = runs_of([("run", profile(ONE)), ("run", profile(TWO))])
    assert [each.name for each in runs] == ["run", "run (2)"]
    assert with_parameters(runs, {"run (2)": {"threads": "4"}})[1].parameters["threads"] == "4"


def test_ten_thousand_runs_are_one_table() -> None:
    """CF-5: of the same shape, so that each is looked up once."""
    rng = np.random.default_rng(1)
    paths = tree_paths(rng, 40)
    runs = series(paths, rng.integers(1, 100, (20, 40)).astype(float))
    ensemble = united([ProfiledRun(f"{number}", each.profile, {}) for number in range(50) for each in runs])
    assert ensemble.inclusive.shape == (1000, 40)
    assert not np.isnan(ensemble.inclusive).any()


def test_a_rank_that_lacks_a_call_spent_nothing_there() -> None:
    """CF-1: so that means over ranks add up along the tree; threads of a rank are added up before."""
    made = ProfileBuilder("test", Budget("The profile"))
    main = made.node(made.function("main"))
    rare = made.node(made.function("rare"), main)
    for rank, thread, node, value in ((0, 0, main, 10.0), (0, 1, main, 2.0), (1, 0, main, 8.0), (1, 0, rare, 6.0)):
        made.add(node, "time", value, unit="ns", place=(rank, thread))
    ensemble = united([ProfiledRun("one", made.profile(), {})])
    assert ensemble.exclusive.tolist() == [[10.0, 3.0]]
    assert ensemble.inclusive.tolist() == [[13.0, 3.0]]
    assert (ensemble.low.tolist(), ensemble.high.tolist()) == ([[12.0, 6.0]], [[14.0, 6.0]])
    [ranks] = ensemble.ranks
    assert ranks is not None
    assert np.array_equal(ranks.inclusive, [[12.0, np.nan], [14.0, 6.0]], equal_nan=True)
