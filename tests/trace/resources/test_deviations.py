"""Findings on runs of which it is known what is wrong (OC-5). 100 of each kind are tried by `make judge-deviations`."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.resources.cells import cells_of
from cbvtool.trace.resources.deviations import deviations, maximal_stretches, peer_groups
from cbvtool.trace.resources.resource_tree import ResourceGroup, tree_of
from cbvtool.trace.resources.states import is_waiting
from tests.trace.resources.planted import crowded, disturbed, straggling, undisturbed
from tests.trace.resources.runs import MS, Planted, barrier_run, free_run, run_of


def test_disturbances_are_among_the_first_three_findings() -> None:
    """OC-5: with resource and interval; 10 of the 100 of the judge."""
    assert sum(disturbed(seed) for seed in range(10)) >= 9


def test_runs_without_a_disturbance_have_no_finding() -> None:
    """OC-5: single slices are marked as noise."""
    assert all(undisturbed(seed) for seed in range(10))


def test_the_straggler_is_found_and_not_those_that_wait_for_it() -> None:
    """OC-5: behind a barrier."""
    assert sum(straggling(seed) for seed in range(10)) >= 9


def test_what_one_alone_does_comes_first_where_all_are_late_now_and_then() -> None:
    """OC-5: sixteen processes on two processors."""
    assert sum(crowded(seed) for seed in range(10)) >= 9


def test_two_slow_processes_are_ranked_by_seconds_and_named() -> None:
    """OC-5: what they do more and less, how long, and that it passes."""
    trace = free_run(np.random.default_rng(1), 16, 100, 0.05, Planted((5, 6), 300 * MS, 500 * MS), "send")
    cells = cells_of(trace)
    found = [each for each in deviations(cells) if not each.noise]
    assert {cells.tree.name[each.row] for each in found} == {"rank 5", "rank 6"}
    for each in found:
        assert (each.first, each.last, each.less, each.pattern) == (30, 49, "compute", "passing")
        assert 0.08 < each.seconds < 0.13
    assert found[0].seconds >= found[1].seconds


def test_one_that_waits_comes_behind_the_one_that_works() -> None:
    """OC-5: rank 1 computes longer, rank 2 alone waits for it."""
    step = 10 * MS
    spans = []
    for rank in range(8):
        own = []
        for number in range(40):
            begin, ill = number * step, 10 <= number < 20
            share = 0.9 if ill and rank == 1 else 0.1 if ill and rank == 2 else 0.5
            middle = begin + int(share * step)
            own += [("compute", begin, middle), ("recv_wait", middle, begin + step)]
        spans.append(own)
    cells = cells_of(run_of(spans))
    first, second = [each for each in deviations(cells) if not each.noise]
    assert (cells.tree.name[first.row], first.waits) == ("rank 1", False)
    assert (cells.tree.name[second.row], second.waits, second.behind) == ("rank 2", True, first.row)


def test_a_whole_machine_is_one_finding() -> None:
    """OC-5: its ranks do not deviate from one another."""
    ranks = tuple(range(8, 16))
    trace = barrier_run(np.random.default_rng(2), 32, 60, 0.02, Planted(ranks, 200 * MS, 400 * MS))
    cells = cells_of(trace)
    found = [each for each in deviations(cells) if not each.noise]
    assert [cells.tree.name[each.row] for each in found] == ["machine 1"]


def test_patterns_tell_always_from_rotating_and_passing() -> None:
    """OC-5: the same rank over the run, or one after another."""
    rng = np.random.default_rng(3)
    cells = cells_of(barrier_run(rng, 8, 50, 0.02, Planted((3,), 0, 10**12)))
    assert {each.pattern for each in deviations(cells) if not each.noise} == {"always"}
    step, spans = 10 * MS, []
    for rank in range(8):
        own = []
        for number in range(80):
            share = 0.9 if number // 10 == rank else 0.5
            middle = number * step + int(share * step)
            own += [("compute", number * step, middle), ("wait", middle, (number + 1) * step)]
        spans.append(own)
    cells = cells_of(run_of(spans))
    assert {each.pattern for each in deviations(cells) if not each.noise} == {"rotating"}


def test_resources_without_peers_have_no_finding() -> None:
    """OC-5: one resource; two, of which nobody can say which one is odd."""
    for ranks in (1, 2):
        cells = cells_of(free_run(np.random.default_rng(4), ranks, 50, 0.1))
        assert peer_groups(cells.tree) == []
        assert deviations(cells) == ()


def test_who_waits_all_the_time_comes_after_what_passes() -> None:
    """OC-5: a process that has started the others and waits for them is no disturbance, however long."""
    trace = free_run(np.random.default_rng(1), 16, 100, 0.05, Planted((5,), 300 * MS, 500 * MS), "send")
    end = int(trace.length)
    spans = [[("poll", 0, end)] if rank == 3 else spans_of(trace, rank) for rank in range(16)]
    cells = cells_of(run_of(spans))
    first, second, *_ = [each for each in deviations(cells) if not each.noise]
    assert (cells.tree.name[first.row], first.pattern) == ("rank 5", "passing")
    assert (cells.tree.name[second.row], second.more, second.pattern) == ("rank 3", "poll", "always")
    assert second.seconds > first.seconds


def spans_of(trace: Trace, rank: int) -> list[tuple[str, int, int]]:
    """What a rank of a made-up run does."""
    calls, names = trace.calls, trace.functions.name
    low, high = trace.threads.ptr[rank : rank + 2].tolist()
    return [(names[calls.function[row]], int(calls.start[row]), int(calls.end[row])) for row in range(low, high)]


def test_threads_of_another_kind_are_no_peers() -> None:
    """OC-5: names that differ in numbers alone say who is alike; what has no like is compared with such others."""

    def peers(*names: str) -> list[list[str]]:
        tree = tree_of([[ResourceGroup(name, name)] for name in names])
        return [[tree.name[row] for row in rows] for rows in peer_groups(tree)]

    assert peers("CPU0", "CPU1", "CPU2", "GPU0", "GPU1", "GPU2") == [["CPU0", "CPU1", "CPU2"], ["GPU0", "GPU1", "GPU2"]]
    assert peers("hog1", "hog2", "main") == []
    assert peers("graphene", "griffon", "genepi") == [["graphene", "griffon", "genepi"]]


def test_a_thread_that_lives_shortly_makes_no_deviation_of_its_process() -> None:
    """OC-5: before and after, its process is what its other thread does."""
    step = 10 * MS
    spans = [[("compute", each * step, (each + 1) * step) for each in range(100)]] * 6
    cells = cells_of(run_of([*spans, [("compute", 40 * step, 60 * step)]], per_machine=1))
    tree = tree_of(
        [
            *([ResourceGroup(each, f"rank {each}")] for each in range(5)),
            *([ResourceGroup(5, "rank 5"), ResourceGroup((5, each), f"thread {each}")] for each in range(2)),
        ]
    )
    assert deviations(replace(cells, tree=tree)) == ()


def test_names_tell_what_waits() -> None:
    """OC-5."""
    assert all(map(is_waiting, ("MPI_Wait", "MPI_Barrier", "Idle", "threading.Lock.acquire", "no state")))
    assert not any(map(is_waiting, ("compute", "MPI_Send", "main", "dgemm")))


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_maximal_stretches_are_those_of_the_definition(values: list[int]) -> None:
    """Ruzzo and Tompa: the best stretch, then the best of what is left of it and right of it, and so on."""
    score = np.array(values, np.float64)
    found = maximal_stretches(score)

    def best(low: int, high: int) -> list[tuple[int, int]]:
        every = itertools.combinations_with_replacement(range(low, high), 2)
        sums = [(score[a : b + 1].sum(), -(b - a), -a, b) for a, b in every]
        if not sums or max(sums)[0] <= 0:
            return []
        _, _, first, last = max(sums)
        return [*best(low, -first), (-first, last), *best(last + 1, high)]

    expected = best(0, len(values))
    assert sum(score[a : b + 1].sum() for a, b in found) == sum(score[a : b + 1].sum() for a, b in expected)
    assert all((score[a : b + 1].cumsum() > 0).all() for a, b in found)
