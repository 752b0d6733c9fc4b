"""CBV-12: who called whom, how often and how long, in a window; by hand, and against the plainest way to count it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay import call_classes
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.windows import classes_of, run_time

Steps = list[tuple[int, int]]  # (function that begins, -1 = the innermost ends; ns until then)


def graph() -> Graph:
    """Two folders with a file of two functions each, one of which has a function in it, and a function without file."""
    made = GraphBuilder("shop")
    for folder in "ab":
        made.add_node(folder, "", folder, "folder")
        made.add_node(f"{folder}/m.py", folder, "m.py", "file", file=f"{folder}/m.py")
        made.add_node(f"{folder}/m.py::f", f"{folder}/m.py", "f", "function", file=f"{folder}/m.py")
        made.add_node(f"{folder}/m.py::g", f"{folder}/m.py", "g", "function", file=f"{folder}/m.py")
    made.add_node("a/m.py::f.h", "a/m.py::f", "h", "function", file="a/m.py")
    return made.freeze()


GRAPH = graph()
KEYS = [GRAPH.key_of[node] for node in ("a/m.py::f", "a/m.py::g", "a/m.py::f.h", "b/m.py::f", "b/m.py")]
UNMAPPED = len(KEYS)  # the function without a node
NODES = NodeMap(np.array([*KEYS, -1], np.int32), np.zeros(len(KEYS) + 1, np.int8), ("given",))


def trace(threads: list[Steps]) -> Trace:
    made = TraceBuilder("test", Budget("The trace"))
    for number in range(len(KEYS) + 1):
        made.function(f"f{number}")
    for number, steps in enumerate(threads):
        thread, time = made.thread(1, number), 0
        made.alive(thread, 0)
        for function, pause in steps:
            time += pause
            if function >= 0:
                made.begin(thread, function, time)
            else:
                made.end(thread, time)
        made.alive(thread, time)
    return made.trace(made.build())


@dataclass
class Naive:
    count: Counter[tuple[int, int]]
    time: Counter[tuple[int, int]]
    calls: Counter[int]
    self_time: Counter[int]
    total_time: Counter[int]
    subtree_time: Counter[int]


def naive(subject: Trace, window: tuple[int, int], threads: list[int]) -> Naive:
    """The sums, call by call, with a look at everything that is around each."""
    made = Naive(Counter(), Counter(), Counter(), Counter(), Counter(), Counter())
    calls, ptr = subject.calls, subject.threads.ptr.tolist()
    node = NODES.node[calls.function].tolist()
    for thread in threads:
        stack: list[int] = []
        clipped: dict[int, int] = {}
        for row in range(ptr[thread], ptr[thread + 1]):
            del stack[int(calls.depth[row]) :]
            around, key = list(stack), node[row]
            stack.append(row)
            start, end = max(int(calls.start[row]), window[0]), min(int(calls.end[row]), window[1])
            if start > end:
                continue
            clipped[row] = end - start
            if around and node[around[-1]] >= 0:
                made.self_time[node[around[-1]]] -= end - start
            if key < 0:
                continue
            made.calls[key] += 1
            made.self_time[key] += end - start
            mapped = [node[each] for each in around if node[each] >= 0]
            if key not in mapped:
                made.total_time[key] += end - start
            for container in (key, *GRAPH.ancestors(key)):
                if not any(GRAPH.is_below(each, container) for each in mapped):
                    made.subtree_time[container] += end - start
            if mapped:
                pair = mapped[-1], key
                made.count[pair] += 1
                chain = [*mapped, key]
                if pair not in list(zip(chain, chain[1:], strict=False))[:-1]:
                    made.time[pair] += end - start
    return made


def column(values: Counter[int]) -> list[int]:
    return [values[key] for key in range(len(GRAPH))]


def same(found: RunTime, expected: Naive) -> None:
    pairs = list(zip(found.caller.tolist(), found.callee.tolist(), strict=True))
    assert dict(zip(pairs, found.count.tolist(), strict=True)) == dict(expected.count)
    assert dict(zip(pairs, found.time.tolist(), strict=True)) == {pair: expected.time[pair] for pair in pairs}
    for name in ("calls", "self_time", "total_time", "subtree_time"):
        assert getattr(found, name).tolist() == column(getattr(expected, name)), name


F, G, H, OTHER, BODY = range(5)


def of(subject: Trace, window: tuple[int, int] | None = None, threads: list[int] | None = None) -> RunTime:
    return run_time(subject, classes_of(subject, NODES, GRAPH), window, threads)


def pairs(found: RunTime) -> dict[tuple[str, str], tuple[int, int]]:
    rows = zip(found.caller.tolist(), found.callee.tolist(), found.count.tolist(), found.time.tolist(), strict=True)
    return {(GRAPH.ids[a], GRAPH.ids[b]): (count, time) for a, b, count, time in rows}


def test_frames_without_a_node_are_skipped_and_are_not_time_of_their_caller() -> None:
    subject = trace([[(F, 0), (UNMAPPED, 10), (OTHER, 1), (-1, 5), (-1, 1), (-1, 3)]])
    found = of(subject)
    assert pairs(found) == {("a/m.py::f", "b/m.py::f"): (1, 5)}
    assert found.self_time[KEYS[F]] == 13
    assert found.total_time[KEYS[F]] == 20
    assert found.calls.sum() == 2


def test_recursion_counts_every_call_and_its_time_once() -> None:
    subject = trace([[(F, 0), (G, 1), (F, 1), (G, 1), (-1, 4), (-1, 1), (-1, 1), (-1, 1)]])
    found = of(subject)
    assert pairs(found) == {("a/m.py::f", "a/m.py::g"): (2, 8), ("a/m.py::g", "a/m.py::f"): (1, 6)}
    assert found.total_time[KEYS[F]] == 10
    assert found.self_time[KEYS[F]] == 2 + 2


def test_time_of_a_container_is_that_of_outermost_calls_and_no_sum() -> None:
    subject = trace([[(F, 0), (H, 2), (G, 2), (-1, 2), (-1, 2), (OTHER, 1), (G, 1), (-1, 3), (-1, 1), (-1, 6)]])
    found = of(subject)
    of_id = {node: int(found.subtree_time[GRAPH.key_of[node]]) for node in ("", "a", "a/m.py", "a/m.py::f", "b")}
    assert of_id == {"": 20, "a": 20, "a/m.py": 20, "a/m.py::f": 20, "b": 5}
    assert found.subtree_time[KEYS[G]] == found.total_time[KEYS[G]] == 5


def test_a_window_counts_what_overlaps_it_and_clips_its_time() -> None:
    subject = trace([[(F, 0), (G, 10), (-1, 10), (H, 10), (-1, 10), (-1, 10)]])  # g 10..20, h 30..40, f 0..50
    assert pairs(of(subject, (15, 35))) == {("a/m.py::f", "a/m.py::g"): (1, 5), ("a/m.py::f", "a/m.py::f.h"): (1, 5)}
    assert of(subject, (15, 35)).self_time[KEYS[F]] == 10
    assert pairs(of(subject, (21, 29))) == {}
    assert of(subject, (21, 29)).calls[KEYS[F]] == 1
    assert pairs(of(subject, (20, 20))) == {("a/m.py::f", "a/m.py::g"): (1, 0)}


def test_chosen_threads_alone_and_samples_are_said() -> None:
    made = TraceBuilder("test", Budget("The trace"))
    first, second = made.thread(1, 1), made.thread(1, 2)
    for number in range(len(KEYS) + 1):
        made.function(f"f{number}")
    made.span(first, F, 0, 10)
    made.span(second, G, 0, 10)
    made.mark_sampled(second)
    subject = made.trace(made.build())
    assert not of(subject, threads=[0]).sampled
    assert of(subject, threads=[1]).sampled
    assert of(subject).sampled
    assert of(subject, threads=[0]).calls.sum() == 1
    assert of(subject, threads=[]).calls.sum() == 0


def test_a_map_of_another_trace_is_refused() -> None:
    short = NodeMap(np.zeros(1, np.int32), np.zeros(1, np.int8), ("given",))
    with pytest.raises(ValueError, match="not one from this trace"):
        classes_of(trace([[(F, 0)]]), short, GRAPH)


STEPS = st.lists(st.tuples(st.integers(-1, UNMAPPED), st.integers(0, 3)), max_size=40)


@given(st.lists(STEPS, min_size=1, max_size=3), st.tuples(st.integers(-2, 40), st.integers(-2, 40)), st.data())
def test_any_calls_in_any_window_as_the_naive_way(threads: list[Steps], ends: tuple[int, int], data) -> None:
    subject = trace(threads)
    window = min(ends), max(ends)
    chosen = data.draw(st.lists(st.integers(0, len(threads) - 1), unique=True))
    same(of(subject, window, chosen), naive(subject, window, sorted(chosen)))
    same(of(subject), naive(subject, subject.span, list(range(len(threads)))))


def test_tables_that_run_full_are_doubled(monkeypatch) -> None:
    """Many pairs: the tables begin with little room, and grow on the way, also between chunks of rows."""
    subject = trace([[(number * 7 % 6, 1) for number in range(50)] + [(-1, 1)] * 50 for _ in range(3)])
    monkeypatch.setattr(call_classes, "_ROWS", 7)
    empty = call_classes._Tables.empty
    monkeypatch.setattr(call_classes._Tables, "empty", staticmethod(lambda room: empty(4 if room == 1 << 12 else room)))
    same(of(subject), naive(subject, subject.span, [0, 1, 2]))


def test_classes_are_few() -> None:
    subject = trace([[(F, 0), *[(G, 1), (-1, 1)] * 1000]])
    classes = classes_of(subject, NODES, GRAPH)
    assert len(classes) == 3
    groups: dict[int, int] = defaultdict(int)
    for number in classes.row_class.tolist():
        groups[number] += 1
    assert sorted(groups.values()) == [1, 1000]
