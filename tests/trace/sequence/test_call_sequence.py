"""Calls in order, their pairs of columns and icicles, against plain recursion (EX-2)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.sequence.call_sequence import call_sequence
from cbvtool.trace.sequence.icicles import ELSEWHERE, icicle
from cbvtool.trace.sequence.identities import identities, identity_figures, shared_identities
from tests.trace.timelines import deep_trace, random_trace, timelines


def callers(trace: Trace) -> list[tuple[int, int, int, int]]:
    """(start, row, caller, callee) of all calls with a caller, by start, thread and preorder."""
    found = []
    ptr, calls = trace.threads.ptr.tolist(), trace.calls
    for thread in range(len(trace.threads)):
        around: list[int] = []
        for row in range(ptr[thread], ptr[thread + 1]):
            del around[int(calls.depth[row]) :]
            if around:
                one = int(calls.function[around[-1]]), int(calls.function[row])
                found.append((int(calls.start[row]), row, *one))
            around.append(row)
    return sorted(found, key=lambda each: each[0])


@given(timelines(120))
def test_calls_stand_in_order_with_their_callers(trace: Trace) -> None:
    """EX-2: from the first to the last call of all threads."""
    made = call_sequence(trace)
    found = zip(
        made.start.tolist(),
        made.row.tolist(),
        made.caller[made.pair].tolist(),
        made.callee[made.pair].tolist(),
        strict=True,
    )
    assert list(found) == callers(trace)
    assert made.roots + len(made) == len(trace.calls)
    low, high = made.within((100.0, 5_000.0))
    assert (made.start[low:high] <= 5_000).all()
    assert (made.start[:low] < 100).all()
    assert (made.start[high:] > 5_000).all()


def test_threads_can_be_chosen_and_depth_has_no_end() -> None:
    """EX-2: one of three threads; a recursion of 100,000 levels."""
    trace = random_trace(1, 50, threads=3)
    made = call_sequence(trace, {1})
    ptr = trace.threads.ptr
    assert len(made)
    assert all(ptr[1] <= row < ptr[2] for row in made.row)
    deep = call_sequence(deep_trace(1, 1_000))
    assert len(deep) == 999
    assert deep.place_of(5) == 4
    assert deep.place_of(0) == -1


def test_identities_are_visible_pairs() -> None:
    """EX-3: functions of one column are one; what is not shown has none; figures count a part of the calls."""
    trace = random_trace(3, 80)
    made = call_sequence(trace)
    column = np.array([0, 0, 1, 2, 2, -1, 1])
    known = identities(made, column)
    a, b = column[made.caller[made.pair]], column[made.callee[made.pair]]
    for place, one in enumerate(known.of_call.tolist()):
        expected = None if a[place] < 0 or b[place] < 0 else (a[place], b[place])
        assert (None if one < 0 else (known.caller[one], known.callee[one])) == expected
    figures = identity_figures(known, 10, 30)
    part = known.of_call[10:30]
    for one in range(len(known)):
        places = np.flatnonzero(part == one) + 10
        assert figures.count[one] == len(places)
        assert (figures.first[one], figures.last[one]) == ((places[0], places[-1]) if len(places) else (-1, -1))


def test_two_sequences_share_their_identities() -> None:
    """EX-6: equal numbers are equal pairs of columns, whichever numbers functions have."""
    one, two = (call_sequence(random_trace(seed, 60)) for seed in (4, 5))
    there = np.array([6, 5, 4, 3, 2, 1, 0])
    first, second = shared_identities((one, two), (np.arange(7), there))
    assert np.array_equal(first.caller, second.caller)
    assert np.array_equal(first.callee[first.of_call], one.callee[one.pair])
    assert np.array_equal(second.callee[second.of_call], there[two.callee[two.pair]])


def tree() -> Graph:
    """d1 (f1 (g1, g2), f2), d2 (d3 (f3 (g3)), f4)."""
    made = GraphBuilder("project")
    for name, above in (
        ("d1", ""),
        ("d2", ""),
        ("d3", "d2"),
        ("f1", "d1"),
        ("f2", "d1"),
        ("f3", "d3"),
        ("f4", "d2"),
        ("g1", "f1"),
        ("g2", "f1"),
        ("g3", "f3"),
    ):
        made.add_node(name, above, name, "function" if name[0] == "g" else "file" if name[0] == "f" else "folder")
    return made.freeze()


def told(graph: Graph, called: str, closed: str = "", rank: dict[str, int] | None = None) -> list[str]:
    """The columns: their names, `+` for closed containers, `*` for what a container does itself."""
    keys = graph.key_of
    masks = [np.isin(np.arange(len(graph)), [keys[name] for name in names.split()]) for names in (called, closed)]
    order = None if rank is None else np.array([rank.get(name, 0) for name in graph.ids])
    made = icicle(graph, masks[0], masks[1], order)
    for box in range(len(made.key)):
        inside = [column for column in range(len(made)) if box in made.path(int(made.column[column]))]
        assert inside == list(range(int(made.first[box]), int(made.last[box])))
    return [
        graph.names[int(made.key[box])] + "+" * bool(made.closed[box]) + "*" * bool(made.own[box])
        for box in made.column
    ]


def test_columns_of_an_icicle() -> None:
    """EX-2: columns are leaves that are called; containers may be closed; a container that is called has one more."""
    graph = tree()
    assert told(graph, "g1 g3 f4") == ["g1", "g3", "f4"]
    assert told(graph, "f1 g2 g3") == ["f1*", "g2", "g3"]
    assert told(graph, "f1 g2 g3 f2", closed="f1 d3") == ["f1+", "f2", "d3+"]
    assert told(graph, "g1 g2 f2 g3", closed="d1 d2") == ["d1+", "d2+"]
    assert told(graph, "") == []
    keys = graph.key_of
    both = [keys["d1"], keys["d2"]]
    whole = icicle(graph, np.ones(len(graph), np.bool_), np.isin(np.arange(len(graph)), both), elsewhere=True)
    assert whole.of_node[keys["g3"]] == whole.of_node[keys["d2"]]
    assert whole.of_node[keys["g1"]] == whole.of_node[both[0]]
    assert whole.key[whole.column[whole.elsewhere]] == ELSEWHERE
    nodes = np.array([-1, keys["g3"]], np.int32)
    assert whole.of_functions(nodes).tolist() == [whole.elsewhere, whole.of_node[keys["d2"]]]


def test_siblings_can_be_ordered() -> None:
    """EX-6: by rank within each container; equal ranks stay as they are."""
    graph = tree()
    called = "g1 g2 f2 g3 f4"
    assert told(graph, called, rank={"d1": 2, "d2": 1, "g1": 5}) == ["g3", "f4", "g2", "g1", "f2"]


@given(st.integers(0, 200))
def test_icicles_are_whole_for_any_depth(seed: int) -> None:
    """EX-2: a chain of nodes, each called or not."""
    rng = np.random.default_rng(seed)
    made, above = GraphBuilder("chain"), ""
    for number in range(30):
        made.add_node(f"n{number}", above, f"n{number}", "class")
        above = f"n{number}" if rng.random() < 0.8 else ""
    graph = made.freeze()
    called, closed = rng.random(len(graph)) < 0.5, rng.random(len(graph)) < 0.2
    found = icicle(graph, called, closed)
    assert (found.of_node[called] >= 0).all()
    assert (found.last - found.first >= 1).all()
    assert sorted(found.first[found.column].tolist()) == list(range(len(found)))
