"""Profiles (CF-1): sums over the tree against plain ones, folding a trace and a window of it, checks."""

from __future__ import annotations

import collections
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.trace.making import call_tree, folding, profile_builder
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.call_tree import (
    _grouped,
    call_pairs,
    exclusive_of,
    faults,
    inclusive_of,
    measured,
    outermost,
    preorder,
    structure_faults,
)
from cbvtool.trace.making.folding import folded
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace
from tests.trace.made import assert_same, profiles, traces

NAN = float("nan")


def flat_metrics(profile: Profile) -> tuple[ProfileMetric, ...]:
    """The metrics by function, float64[f]: inclusive ones summed over outermost nodes of the function alone."""
    group = profile.function.astype(np.int64)
    outer = outermost(group, profile.end_row)
    return tuple(
        _grouped(metric, group, outer if metric.inclusive else None, len(profile.functions))
        for metric in profile.metrics
    )


@pytest.fixture(params=["plain", "compiled"], autouse=True, scope="module")
def both_ways(request: pytest.FixtureRequest) -> Iterator[None]:
    """Loops as Python runs them, and as Numba does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call_tree, "_WORTH_COMPILING", 0 if request.param == "compiled" else 10**9)
        yield


def tree(*given: tuple[str, int]) -> ProfileBuilder:
    """Nodes (name, parent)."""
    made = ProfileBuilder("test", Budget("The profile"))
    for name, parent in given:
        made.node(made.function(name), parent)
    return made


def around(profile: Profile, node: int) -> Iterator[int]:
    """The nodes around a node, and itself."""
    while node >= 0:
        yield node
        node = int(profile.parent[node])


def test_exclusive_and_inclusive_by_hand() -> None:
    parent = np.array([-1, 0, 1, 0, -1], np.int32)
    exclusive = np.array([1.0, 2.0, 4.0, NAN, NAN])
    inclusive = inclusive_of(exclusive, parent)
    np.testing.assert_array_equal(inclusive, [7, 6, 4, NAN, NAN])
    np.testing.assert_array_equal(exclusive_of(inclusive, parent), exclusive)
    np.testing.assert_array_equal(inclusive_of(np.array([NAN, NAN, 3.0]), parent[:3]), [3, 3, 3])
    np.testing.assert_array_equal(exclusive, [1, 2, 4, NAN, NAN])


@given(profiles(), st.data())
def test_sums_are_those_of_the_plain_way(profile: Profile, data: st.DataObject) -> None:
    assert not structure_faults(profile)
    value = st.one_of(st.just(NAN), st.integers(0, 9).map(float))
    exclusive = np.array(data.draw(st.lists(value, min_size=len(profile), max_size=len(profile))), np.float64)
    sums = np.full(len(profile), NAN)
    for node, own in enumerate(exclusive.tolist()):
        if own == own:
            for above in around(profile, node):
                sums[above] = own if np.isnan(sums[above]) else sums[above] + own
    inclusive = inclusive_of(exclusive, profile.parent)
    np.testing.assert_array_equal(inclusive, sums)
    back = exclusive_of(inclusive, profile.parent)
    known = ~np.isnan(exclusive)
    np.testing.assert_array_equal(back[known], exclusive[known])
    group = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=len(profile), max_size=len(profile))), np.int64)
    plain = [
        group[node] >= 0 and all(group[above] != group[node] for above in list(around(profile, node))[1:])
        for node in range(len(profile))
    ]
    assert outermost(group, profile.end_row).tolist() == plain


def test_recursion_counts_once() -> None:
    """main 10 > f 8 > f 5 > g 2; g beside f in main 1."""
    made = tree(("main", -1), ("f", 0), ("f", 1), ("g", 2), ("g", 0))
    for node, time in enumerate((10, 8, 5, 2, 1)):
        made.add(node, "time", time, unit="ns", inclusive=True)
        made.add(node, "calls", 1, unit="calls")
    profile = made.profile()
    by_function = [metric.mean.tolist() for metric in flat_metrics(profile)]
    assert by_function == [[10, 8, 3], [1, 2, 2]]
    pairs = call_pairs(profile)
    names = profile.functions.name
    found = [(names[one], names[other]) for one, other in zip(pairs.caller, pairs.callee, strict=True)]
    assert found == [("main", "f"), ("main", "g"), ("f", "f"), ("f", "g")]
    assert pairs.metrics[0].mean.tolist() == [8, 1, 5, 2]
    assert pairs.metrics[1].mean.tolist() == [1, 1, 1, 1]


def test_the_pair_in_itself_counts_once() -> None:
    made = tree(("a", -1), ("b", 0), ("a", 1), ("b", 2))
    for node, time in enumerate((9, 7, 5, 3)):
        made.add(node, "time", time, inclusive=True)
    pairs = call_pairs(made.profile())
    assert list(zip(pairs.caller, pairs.callee, pairs.metrics[0].mean, strict=True)) == [(0, 1, 7), (1, 0, 5)]


@given(profiles())
def test_flat_values_are_those_of_the_plain_way(profile: Profile) -> None:
    for metric, flat in zip(profile.metrics, flat_metrics(profile), strict=True):
        sums: dict[int, list[float]] = defaultdict(list)
        for node, value in enumerate(metric.mean.tolist()):
            function = int(profile.function[node])
            inner = any(profile.function[above] == function for above in list(around(profile, node))[1:])
            if value == value and not (metric.inclusive and inner):
                sums[function].append(value)
        if metric.by_place is None:
            expected = [sum(sums[f]) if sums[f] else NAN for f in range(len(profile.functions))]
            np.testing.assert_allclose(flat.mean, expected)
        known = ~np.isnan(flat.mean)
        assert ((flat.low <= flat.mean + 1e-6) & (flat.mean <= flat.high + 1e-6) | np.isnan(flat.low))[known].all()


def test_missing_is_not_zero_over_ranks() -> None:
    metric = measured("time", "ns", True, np.array([[1.0, NAN, NAN], [3.0, 0.0, NAN]]))
    np.testing.assert_array_equal(metric.mean, [2, 0, NAN])
    np.testing.assert_array_equal(metric.low, [1, 0, NAN])
    np.testing.assert_array_equal(metric.high, [3, 0, NAN])


def test_values_by_rank_and_what_a_file_says_of_ranks() -> None:
    made = tree(("main", -1), ("f", 0))
    made.add(0, "time", 5, place=(0, 0))
    made.add(0, "time", 2, place=(0, 0))
    made.add(0, "time", 9, place=(1, 0))
    made.summarise(1, "said", 1, 2, 3)
    made.add(1, "size", float("inf"))
    profile = made.profile()
    time, said = profile.metrics
    assert profile.places == ((0, 0), (1, 0))
    np.testing.assert_array_equal(time.by_place, [[7, NAN], [9, NAN]])
    assert said.summarised
    assert (said.low[1], said.mean[1], said.high[1]) == (1, 2, 3)
    assert np.isnan(said.mean[0])
    assert profile.omissions == {profile_builder.NOT_FINITE: 1}
    assert profile.metric("time", inclusive=False) is time
    assert profile.metric("time", inclusive=True) is None
    flat = flat_metrics(profile)[1]
    assert (flat.low[1], flat.mean[1], flat.high[1]) == (1, 2, 3)


def test_too_many_values_by_rank_are_summarised(monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> Profile:
        builder = tree(("main", -1), ("f", 0))
        for rank in range(3):
            builder.add(0, "time", rank + 1, place=(rank, 0))
        builder.add(1, "time", 5, place=(1, 0))
        return builder.profile()

    full = made().metrics[0]
    monkeypatch.setattr(profile_builder, "MOST_CELLS", 5)
    short = made()
    assert short.metrics[0].by_place is None
    assert short.metrics[0].summarised
    for one, other in zip((full.low, full.mean, full.high), metric_values(short), strict=True):
        np.testing.assert_array_equal(one, other)
    assert short.omissions == {profile_builder.ONLY_SUMMARY: 1}


def metric_values(profile: Profile) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    metric = profile.metrics[0]
    return metric.low, metric.mean, metric.high


def test_the_sum_over_nodes_of_what_a_file_says_has_no_range() -> None:
    made = tree(("main", -1), ("f", 0), ("f", 0))
    for node in range(3):
        made.summarise(node, "time", 1, 2, 3)
    flat = flat_metrics(made.profile())[0]
    assert flat.mean.tolist() == [2, 4]
    np.testing.assert_array_equal(flat.low, [1, NAN])


def test_nodes_come_in_preorder_however_they_were_added() -> None:
    made = tree(("a", -1), ("b", -1), ("c", 0), ("d", 1), ("e", 0), ("f", 2))
    profile = made.profile()
    assert [profile.functions.name[row] for row in profile.function] == list("acfebd")
    assert profile.parent.tolist() == [-1, 0, 1, 0, -1, 4]
    assert profile.end_row.tolist() == [4, 3, 3, 4, 6, 6]
    assert preorder(np.empty(0, np.int64))[0].tolist() == []


def test_a_budget_ends_the_collecting() -> None:
    made = ProfileBuilder("test", Budget("The profile", count=10_000))
    with pytest.raises(OverBudget):
        collections.deque((made.node(0) for _ in range(20_000)), maxlen=0)


def test_faults_are_named() -> None:
    good = tree(("main", -1), ("f", 0), ("g", 0))
    good.add(0, "time", 3, inclusive=True)
    good.add(1, "time", 1, inclusive=True)
    profile = good.profile()
    assert faults(profile) == []

    def fault(**changed: object) -> str:
        return " ".join(faults(replace(profile, **changed)))  # type: ignore[arg-type]

    assert "before its child" in fault(parent=np.array([-1, 0, 2], np.int32))
    assert "outside the profile" in fault(end_row=np.array([4, 2, 3], np.int32))
    assert "outside its parent" in fault(end_row=np.array([2, 2, 3], np.int32))
    assert "contradict" in fault(end_row=np.array([3, 3, 3], np.int32))
    assert "not in the table" in fault(function=np.array([0, 1, 9], np.uint32))
    assert "different lengths" in fault(site_file=("",))
    metric = profile.metrics[0]
    short = replace(metric, mean=metric.mean[:2])
    assert "one value for each node" in fault(metrics=(short,))
    assert "node and place" in fault(metrics=(replace(metric, by_place=np.zeros((2, 3))),))
    assert "outside its range" in fault(metrics=(replace(metric, low=metric.mean + 1),))
    small = np.array([0.5, 1, 1])
    assert "more than their parent" in fault(metrics=(replace(metric, mean=small, low=small, high=small),))


# -- folding -------------------------------------------------------------------------------------------------------


def naive(trace: Trace, low: int, high: int) -> dict[tuple[str, ...], list[float]]:
    """Path -> calls, inclusive ns, exclusive ns, call by call."""
    calls, found = trace.calls, defaultdict[tuple[str, ...], list[float]](lambda: [0, 0, 0])
    path: list[str] = []
    for row in range(len(calls)):
        del path[calls.depth[row] :]
        path.append(str(int(calls.function[row])))
        start, end = int(calls.start[row]), int(calls.end[row])
        touches = start <= high and end >= low if start == end else start < high and end > low
        if touches and all(path_is_in for path_is_in in inside(trace, row, low, high)):
            time = min(end, high) - max(start, low)
            found[tuple(path)][0] += 1
            found[tuple(path)][1] += time
            found[tuple(path)][2] += time
            if len(path) > 1:
                found[tuple(path[:-1])][2] -= time
    return found


def inside(trace: Trace, row: int, low: int, high: int) -> Iterator[bool]:
    """Whether each call around a call is in the window, too: one of no length may touch it where its caller ends."""
    calls = trace.calls
    for above in range(row):
        if calls.end_row[above] > row:
            start, end = int(calls.start[above]), int(calls.end[above])
            yield start <= high and end >= low if start == end else start < high and end > low


def paths(profile: Profile) -> dict[tuple[str, ...], list[float]]:
    found = {}
    for node in range(len(profile)):
        path = tuple(str(int(profile.function[above])) for above in reversed(list(around(profile, node))))
        found[path] = [float(metric.mean[node]) for metric in profile.metrics[:3]]
    return found


def said(profile: Profile) -> list[str]:
    """What is wrong with a profile, but for CPU times, which are drawn without regard to what is called."""
    return [fault for fault in faults(profile) if not fault.startswith("cpu time")]


@given(traces(tables=False), st.integers(-10, 60), st.integers(0, 40), st.booleans())
def test_folding_is_the_plain_way(trace: Trace, low: int, length: int, by_thread: bool) -> None:
    whole = folded(trace)
    assert not said(whole)
    assert paths(whole) == naive(trace, -(10**9), 10**9)
    profile = folded(trace, (low, low + length))
    assert not said(profile)
    assert paths(profile) == naive(trace, low, low + length)
    time, own = profile.metrics[1:3]
    np.testing.assert_array_equal(exclusive_of(time.mean, profile.parent), own.mean)
    assert profile.sampled == trace.sampled


@given(traces(tables=False))
def test_values_by_thread_sum_up(trace: Trace) -> None:
    whole, split = folded(trace), folded(trace, by_thread=True)
    assert_same(whole.end_row, split.end_row)
    assert len(split.places) == len(trace.threads)
    for one, other in zip(whole.metrics[:3], split.metrics[:3], strict=True):
        if other.by_place is not None:
            np.testing.assert_array_equal(np.nansum(other.by_place, axis=0), one.mean)
            assert (np.isnan(other.by_place) == np.isnan(split.metrics[0].by_place)).all()  # type: ignore[arg-type] # all have it


def test_open_calls_are_clipped_and_cpu_time_is_known_or_missing() -> None:
    made = TraceBuilder("test", Budget("The trace"))
    thread = made.thread(1, 1)
    main, work = made.function("main"), made.function("work")
    made.begin(thread, main, 0)
    for start in (10, 30, 50):
        made.begin(thread, work, start)
        made.end(thread, start + 10)
    made.alive(thread, 100)
    trace = made.trace(made.build())
    trace = replace(trace, calls=replace(trace.calls, cpu=np.array([40, 5, 6, 7], np.int64)))
    whole = folded(trace)
    assert [metric.mean.tolist() for metric in whole.metrics] == [[1, 3], [100, 30], [70, 30], [40, 18]]
    part = folded(trace, (5, 45))
    assert [metric.mean.tolist() for metric in part.metrics[:3]] == [[1, 2], [40, 20], [20, 20]]
    np.testing.assert_array_equal(part.metrics[3].mean, [NAN, 11])
    cut = folded(trace, (35, 55), by_thread=True)
    np.testing.assert_array_equal(cut.metrics[3].mean, [NAN, NAN])
    assert folded(trace, (200, 300)).metrics[0].mean.tolist() == []


def test_too_many_values_by_thread_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made = TraceBuilder("test", Budget("The trace"))
    for number in range(4):
        thread = made.thread(1, number)
        made.begin(thread, made.function(f"f{number}"), 0)
        made.end(thread, 5)
    trace = made.trace(made.build())
    monkeypatch.setattr(folding, "MOST_CELLS", 20)
    profile = folded(trace, by_thread=True)
    assert profile.places == ()
    assert profile.omissions == {folding.TOO_MANY: 1}
    assert_same(folded(trace).metrics, profile.metrics)


def test_the_table_of_nodes_grows() -> None:
    """More contexts than the first arrays hold, and a chain of recursion."""
    made = TraceBuilder("test", Budget("The trace"))
    thread = made.thread(1, 1)
    functions = [made.function(f"f{number}") for number in range(3_000)]
    for time, function in enumerate(functions):
        made.begin(thread, function, 2 * time)
        made.end(thread, 2 * time + 1)
    for time in range(3_000):
        made.begin(thread, functions[0], 10_000 + time)
    trace = made.trace(made.build())
    profile = folded(trace)
    assert len(profile) == 3_000 + 2_999
    assert not faults(profile)
    assert profile.metrics[0].mean.sum() == 6_000
    assert int(profile.end_row[0]) == 3_000  # the chain is in preorder below the first node of its function


def test_cancel_stops_between_threads() -> None:
    made = TraceBuilder("test", Budget("The trace"))
    made.begin(made.thread(1, 1), made.function("f"), 0)
    with pytest.raises(OverBudget):
        folded(made.trace(made.build()), budget=Budget("Folding", seconds=-1))
