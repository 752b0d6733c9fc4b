"""The microscopic model against plain counting, nanosecond by nanosecond (OC-1)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.model.strings import Pool
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Resources, Trace
from cbvtool.trace.resources.cells import Amount, ResourceCells, cells_of, own_time
from cbvtool.trace.resources.resource_tree import ITSELF, ResourceGroup, tree_of
from cbvtool.trace.resources.slices import edges_of
from cbvtool.trace.resources.states import OTHERS, merged_groups
from cbvtool.trace.resources.trace_resources import groups_of_table, resource_tree
from tests.trace.resources.runs import MS, run_of
from tests.trace.timelines import random_trace, timelines


def plainly(trace: Trace, edges: list[int], by: list[str]) -> dict[tuple[int, int, str], float]:
    """(thread, slice, state) -> ns, of each stretch between two events the innermost call."""
    found: dict[tuple[int, int, str], float] = {}
    calls, ptr = trace.calls, trace.threads.ptr
    for thread in range(len(trace.threads)):
        rows = range(int(ptr[thread]), int(ptr[thread + 1]))
        own = {int(time) for row in rows for time in (calls.start[row], calls.end[row])}
        times = sorted({*own, *edges})
        for begin, end in pairwise(times):
            if not edges[0] <= begin < edges[-1]:
                continue
            running = [row for row in rows if calls.start[row] <= begin and calls.end[row] >= end]
            if running:
                state = by[calls.function[running[-1]]]
                key = (thread, max(at for at, edge in enumerate(edges) if edge <= begin), state)
                found[key] = found.get(key, 0.0) + end - begin
    return found


def counted(cells: ResourceCells, trace: Trace) -> dict[tuple[int, int, str], float]:
    """The model in the same form."""
    found = {}
    for place, leaf in enumerate(cells.tree.leaves.tolist()):
        thread = int(trace.resources.thread[cells.tree.source[leaf]])
        for slice_, state in zip(*np.nonzero(cells.amount[place]), strict=True):
            found[thread, int(slice_), cells.state[state]] = float(cells.amount[place, slice_, state])
    return found


@given(timelines(most=40), st.integers(1, 12), st.sampled_from([(0.0, 1.0), (0.3, 0.7), (0.9, 0.95)]))
def test_time_by_state_and_slice_is_that_of_plain_counting(
    trace: Trace, slices: int, part: tuple[float, float]
) -> None:
    """OC-1: the innermost call counts, over any window."""
    first = trace.span[0]
    window = first + int(part[0] * trace.length), first + int(part[1] * trace.length)
    for by, names in (("function", trace.functions.name), ("module", trace.functions.module)):
        cells = cells_of(trace, Amount("time", by), slices, window)
        assert counted(cells, trace) == plainly(trace, cells.edges.tolist(), list(names))


@given(timelines(most=40), st.integers(1, 12))
def test_begins_are_counted_in_their_slice(trace: Trace, slices: int) -> None:
    """OC-1: event counts."""
    cells = cells_of(trace, Amount("calls"), slices)
    edges = cells.edges.tolist()
    for place, leaf in enumerate(cells.tree.leaves.tolist()):
        thread = int(trace.resources.thread[cells.tree.source[leaf]])
        starts = trace.calls.start[trace.threads.ptr[thread] : trace.threads.ptr[thread + 1]]
        expected = np.histogram(starts, edges)[0]
        assert cells.amount[place].sum(axis=1).tolist() == expected.tolist()


def test_own_times_order_the_states_whatever_the_window() -> None:
    """OC-1: a zoom changes no colours."""
    trace = random_trace(4, 300, 2)
    own = own_time(trace)
    cells = cells_of(trace)
    assert {name: cells.amount[:, :, at].sum() for at, name in enumerate(cells.state)} == {
        name: time for name, time in zip(trace.functions.name, own.tolist(), strict=True) if time
    }
    assert [own[trace.functions.name.index(name)] for name in cells.state] == sorted(
        own[own > 0].tolist(), reverse=True
    )
    first, last = trace.span
    part = cells_of(trace, window=((first * 3 + last) // 4, (first + last) // 2)).state
    assert [name for name in cells.state if name in part] == list(part)


def test_calls_that_wait_and_all_below_them_are_waiting() -> None:
    """OC-1: running, waiting, reading and writing, by the tables of the trace."""
    trace = run_of([[("work", 0, 10), ("lock", 2, 6), ("inner", 3, 5), ("read", 7, 9)]])
    row = [trace.functions.name[each] for each in trace.calls.function]
    none = np.zeros(1, np.uint32)
    waits = Table(
        {
            "call": np.array([row.index("lock")], np.uint32),
            "object": none,
            "start": np.array([2], np.int64),
            "end": np.array([6], np.int64),
            "all": np.zeros(1, np.bool_),
        }
    )
    io = Table(
        {
            "call": np.array([row.index("read")], np.uint32),
            "object": none,
            "start": np.array([7], np.int64),
            "end": np.array([9], np.int64),
            "bytes": np.array([-1], np.int64),
            "write": np.zeros(1, np.bool_),
        }
    )
    cells = cells_of(replace(trace, tables={"waits": waits, "io": io}), Amount("time", "activity"), 10)
    assert cells.state == ("runs", "waits", "reads, writes")
    assert np.argmax(cells.amount[0], axis=1).tolist() == [0, 0, 1, 1, 1, 1, 0, 2, 2, 0]


spans = st.lists(st.tuples(st.integers(0, 39), st.integers(1, 12)), max_size=6)


@given(spans, spans, spans)
def test_a_thread_waits_and_reads_while_its_tables_say_so(
    outermost: list[tuple[int, int]], waiting: list[tuple[int, int]], reading: list[tuple[int, int]]
) -> None:
    """OC-1: whatever call it is in; a short wait does not make its call wait. Checked by the time in each ns."""
    calls, time = [], 0
    for gap, long in outermost:
        calls.append(("work", time + gap % 5, time + gap % 5 + long))
        time = calls[-1][2]
    trace = run_of([[*calls, ("work", time + 3, time + 5)]])
    columns: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
    for name, own in (("waits", waiting), ("io", reading)):
        some = len(own)
        columns[name] = {
            "call": np.zeros(some, np.uint32),
            "object": np.zeros(some, np.uint32),
            "start": np.array([start for start, _ in own], np.int64),
            "end": np.array([start + long for start, long in own], np.int64),
        }
    tables = {
        "waits": Table({**columns["waits"], "all": np.zeros(len(waiting), np.bool_)}),
        "io": Table(
            {**columns["io"], "bytes": np.zeros(len(reading), np.int64), "write": np.zeros(len(reading), bool)}
        ),
    }
    cells = cells_of(replace(trace, tables=tables), Amount("time", "activity"), time + 5, (0, time + 5))
    for at, row in enumerate(cells.amount[0].tolist()):
        works = any(start <= at < end for _, start, end in calls) or at >= time + 3
        waits, reads = (any(start <= at < start + long for start, long in own) for own in (waiting, reading))
        expected = "" if not works else "waits" if waits else "reads, writes" if reads else "runs"
        assert dict(zip(cells.state, row, strict=True)) == {name: float(name == expected) for name in cells.state}


def test_states_that_somebody_named_wait_by_their_names() -> None:
    """OC-1: a trace without tables of waits, as of StarPU."""
    cells = cells_of(run_of([[("Sleeping", 0, 6), ("dgemm", 6, 10)]]), Amount("time", "activity"), 10)
    assert cells.state == ("runs", "waits")
    assert cells.amount.sum(axis=(0, 1)).tolist() == [4.0, 6.0]


def with_tables(states: list[tuple[int, int, int, str]], counters: list[tuple[int, int, float, str]]) -> Trace:
    """A trace of two processors without calls: (resource, start, end, state) and (resource, time, value, counter)."""
    pool = Pool()
    tables = {}
    if states:
        resource, start, end, name = zip(*states, strict=True)
        tables["states"] = Table(
            {
                "resource": np.array(resource, np.int32),
                "start": np.array(start, np.int64),
                "end": np.array(end, np.int64),
                "name": np.array([pool.number(each) for each in name], np.uint32),
                "nested": np.zeros(len(name), np.bool_),
            }
        )
    if counters:
        resource, time, value, name = zip(*counters, strict=True)
        tables["counters"] = Table(
            {
                "resource": np.array(resource, np.int32),
                "name": np.array([pool.number(each) for each in name], np.uint32),
                "time": np.array(time, np.int64),
                "value": np.array(value),
            }
        )
    tree = Resources(("cpu 0", "cpu 1"), ("cpu", "cpu"), np.full(2, -1, np.int32), np.full(2, -1, np.int32))
    return replace(run_of([]), tables=tables, resources=tree, strings=pool.strings())


def test_recorded_states_count_by_the_innermost_one() -> None:
    """OC-1: the trace's own states, whose resources may have no calls at all."""
    trace = with_tables([(0, 0, 10, "busy"), (0, 4, 6, "sleep"), (1, 5, 10, "busy")], [])
    cells = cells_of(trace, Amount("time", "recorded"), 5)
    busy, sleep = cells.state.index("busy"), cells.state.index("sleep")
    assert cells.amount[:, :, busy].tolist() == [[2, 2, 0, 2, 2], [0, 0, 1, 2, 2]]
    assert cells.amount[:, :, sleep].tolist() == [[0, 0, 2, 0, 0], [0, 0, 0, 0, 0]]


def test_counters_are_integrals_over_slices() -> None:
    """OC-1: each counter is a state; what lies below 0 counts as 0, and is said."""
    trace = with_tables(
        [], [(0, 0, 3.0, "load"), (0, 5, -1.0, "load"), (0, 8, 1.0, "load"), (1, 0, 2.0, "heat"), (1, 10, 0.0, "heat")]
    )
    cells = cells_of(trace, Amount("counters", ""), 5)
    assert cells.amount[0, :, cells.state.index("load")].tolist() == [6, 6, 3, 0, 2]
    assert cells.amount[1, :, cells.state.index("heat")].tolist() == [4, 4, 4, 4, 4]
    assert cells.notes == ("1 values of counters lie below 0 and count as 0.",)
    assert cells_of(trace, Amount("counters", "", "heat"), 5).state == ("heat",)


def test_more_slices_than_nanoseconds_are_as_many_as_there_are() -> None:
    """OC-1: K above the clock's resolution, in a sentence."""
    cells = cells_of(run_of([[("a", 0, 7)], [("b", 0, 3)]]), slices=100)
    assert cells.slices == 7
    assert cells.notes == ("The window is 7 ns long and has so many slices, not 100.",)
    assert np.diff(edges_of(3, 1000, 9)).sum() == 997


def test_a_trace_without_states_is_refused_in_a_sentence() -> None:
    """OC-1: 0 states, 0 resources."""
    with pytest.raises(ValueError, match="holds no resource"):
        cells_of(run_of([]))


def test_many_states_are_the_heaviest_and_others() -> None:
    """OC-1: equal ones by name."""
    names, weight = [f"state {each:02}" for each in range(30)], np.r_[np.arange(29.0), 28.0]
    shown, of = merged_groups(names, weight, 5)
    assert shown == ("state 28", "state 29", "state 27", "state 26", OTHERS)
    assert of[[28, 29, 27, 26, 3]].tolist() == [0, 1, 2, 3, 4]


def test_resources_are_grouped_as_users_say() -> None:
    """OC-1: the recorded tree, patterns of names, a table."""
    trace = run_of([[("a", 0, MS)] for _ in range(5)], per_machine=2)
    rows = [row for row, thread in enumerate(trace.resources.thread) if thread >= 0]
    tree, _ = resource_tree(trace, rows)
    assert tree.name == ("all", "machine 0", "rank 0", "rank 1", "machine 1", "rank 2", "rank 3", "machine 2 / rank 4")
    assert [tree.name[row] for row in tree.leaves] == [
        f"rank {each}" if each < 4 else "machine 2 / rank 4" for each in range(5)
    ]
    tree, notes = resource_tree(trace, rows, pattern="[0-2]$")
    assert tree.path(int(tree.leaves[0])) == "0 / rank 0"
    assert notes == ["The pattern fits none of the names of 2 of 5 resources."]
    tree, notes = resource_tree(trace, rows, table="rank 0,north,front\nrank 1,south\nrank 2,north,back\n")
    assert tree.path(int(tree.leaves[0])) == "north / front / rank 0"
    assert notes == ["The table does not name 2 of 5 resources."]
    for wrong in ("", '"x', "one\ntwo"):
        with pytest.raises(ValueError, match="table of resources"):
            groups_of_table(wrong)
    with pytest.raises(ValueError, match="no pattern"):
        resource_tree(trace, rows, pattern="(")


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=12))
def test_trees_have_every_leaf_once_and_no_only_child(paths: list[list[int]]) -> None:
    """OC-1: preorder, also where a leaf has something below it."""
    tree = tree_of([[ResourceGroup(each, f"g{each}") for each in path] for path in paths])
    assert sorted(tree.source[tree.leaves].tolist()) == list(range(len(paths)))
    for row in range(len(tree)):
        children = tree.children(row)
        assert len(children) != 1
        assert all(tree.parent[child] == row for child in children)
        assert tree.size[row] == (sum(tree.size[child] for child in children) if children else 1)
    assert ITSELF not in tree.name or len(paths) > 1 or not paths[0], "a name, where there is one"
