"""From events to calls: the compiled pass against a naive one, and what it repairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import (
    BACKWARD,
    OUT_OF_ORDER,
    Built,
    GivenEvents,
    ThreadEvents,
    TraceBuilder,
    calls_of,
)
from cbvtool.trace.making.matching import ANY_FUNCTION, SPAN, match
from cbvtool.trace.model.trace import Trace


def builder() -> TraceBuilder:
    return TraceBuilder("test", Budget("The trace"))


def rows(built: Built) -> list[tuple[int, int, int, int, int]]:
    calls = built.calls
    columns = (calls.function, calls.start, calls.end, calls.depth, calls.end_row)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_begins_and_ends_become_calls_in_preorder() -> None:
    made = builder()
    thread = made.thread(1, 1)
    for name in "abc":
        made.function(name)
    numbers = [made.begin(thread, 0, 0), made.begin(thread, 1, 2)]
    made.end(thread, 5)
    numbers.append(made.begin(thread, 2, 6))
    made.end(thread, 7, 2)
    made.end(thread, 10, 0)
    built = made.build()
    assert rows(built) == [(0, 0, 10, 0, 3), (1, 2, 5, 1, 2), (2, 6, 7, 1, 3)]
    assert built.row[numbers].tolist() == [0, 1, 2]
    assert not len(built.open_rows)
    assert not made.repairs


def test_what_still_runs_at_the_end_is_open_and_no_repair() -> None:
    made = builder()
    thread = made.thread(1, 1)
    made.begin(thread, made.function("main"), 0)
    made.begin(thread, made.function("wait"), 4)
    made.alive(thread, 9)
    built = made.build()
    assert rows(built) == [(0, 0, 9, 0, 2), (1, 4, 9, 1, 2)]
    assert built.open_rows.tolist() == [0, 1]
    assert not made.repairs


def test_repairs_are_counted_by_kind() -> None:
    made = builder()
    thread = made.thread(1, 1)
    a, b = made.function("a"), made.function("b")
    made.end(thread, 0)  # nothing has begun
    made.begin(thread, a, 1)
    made.begin(thread, b, 2)
    made.end(thread, 3, a)  # b has no end of its own
    made.span(thread, a, 4, 8)
    made.span(thread, b, 6, 9)  # overlaps a
    made.span(thread, b, 12, 11)
    built = made.build()
    assert rows(built)[:4] == [(a, 1, 3, 0, 2), (b, 2, 3, 1, 2), (a, 4, 8, 0, 4), (b, 6, 8, 1, 4)]
    assert made.repairs == {
        "ends without a begin": 1,
        "calls without an end of their own": 1,
        "calls that overlap another one": 1,
        BACKWARD: 1,
    }


def test_spans_are_sorted_and_late_events_counted() -> None:
    made = builder()
    first, second = made.thread(1, 1), made.thread(1, 2)
    inner, outer = made.function("inner"), made.function("outer")
    number = made.span(first, inner, 5, 6)
    made.span(first, outer, 5, 9)
    made.begin(second, inner, 8)
    made.begin(second, outer, 3)
    built = made.build()
    assert rows(built)[:2] == [(outer, 5, 9, 0, 2), (inner, 5, 6, 1, 2)]
    assert built.row[number] == 1
    assert built.threads.ptr.tolist() == [0, 2, 4]
    assert made.repairs == {OUT_OF_ORDER: 1}


def test_a_thread_deeper_than_16_bits() -> None:
    made = builder()
    thread = made.thread(1, 1)
    function = made.function("f")
    for time in range(70_000):
        made.begin(thread, function, time)
    for time in range(70_000):
        made.end(thread, 70_000 + time)
    calls = made.build().calls
    assert calls.depth.dtype == np.uint32
    assert calls.depth[-1] == 69_999
    assert calls.end_row.tolist() == [70_000] * 70_000


def test_mixed_spans_and_begins_meet_at_one_time() -> None:
    made = builder()
    thread = made.thread(1, 1)
    a, b = made.function("a"), made.function("b")
    made.span(thread, b, 5, 7)  # begins when a ends
    made.begin(thread, a, 0)
    made.end(thread, 5, a)
    made.begin(thread, a, 7)
    made.end(thread, 7, a)
    assert rows(made.build()) == [(a, 0, 5, 0, 1), (b, 5, 7, 0, 2), (a, 7, 7, 0, 3)]
    assert not made.repairs


def naive(events: list[tuple[str, int, int]]) -> list[tuple[int, int, int, int]]:
    """(function, start, end, depth) of begins and ends in time, by the plainest means."""
    stack: list[int] = []
    made: list[list[int]] = []
    for kind, function, time in events:
        if kind == "begin":
            made.append([function, time, -1, len(stack)])
            stack.append(len(made) - 1)
        elif function == ANY_FUNCTION and stack:
            made[stack.pop()][2] = time
        elif any(made[row][0] == function for row in stack):
            while made[row := stack.pop()][0] != function:
                made[row][2] = time
            made[row][2] = time
    for row in stack:
        made[row][2] = events[-1][2]
    return [(function, start, end, depth) for function, start, end, depth in made]


EVENTS = st.lists(
    st.tuples(st.sampled_from(["begin", "end"]), st.sampled_from([0, 1, 2, ANY_FUNCTION]), st.integers(0, 3)),
    min_size=1,
)


@given(EVENTS)
def test_any_events_as_the_naive_way(given_events: list[tuple[str, int, int]]) -> None:
    made = builder()
    thread = made.thread(1, 1)
    for name in "abc":
        made.function(name)
    time, events = 0, []
    for kind, function, pause in given_events:
        time += pause
        if kind == "begin":
            function = function if function != ANY_FUNCTION else 0
            made.begin(thread, function, time)
        else:
            made.end(thread, time, function)
        events.append((kind, function, time))
    built = made.build()
    assert [row[:4] for row in rows(built)] == naive(events)
    nested(made.trace(built))


SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 8), st.booleans()), min_size=1)


@given(SPANS)
def test_whatever_comes_calls_are_nested(given_spans: list[tuple[int, int, int, bool]]) -> None:
    made = builder()
    thread = made.thread(1, 1)
    for name in "abc":
        made.function(name)
    for function, start, length, whole in given_spans:
        if whole:
            made.span(thread, function, start, start + length)
        else:
            made.begin(thread, function, start)
            made.end(thread, start + length, function)
    trace = made.trace(made.build())
    assert len(trace.calls) == len(given_spans)
    assert Counter(trace.calls.function.tolist()) == Counter(function for function, *_ in given_spans)
    nested(trace)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), min_size=1, max_size=8))
def test_spans_in_the_order_of_their_ends_as_the_general_way(pairs: list[tuple[int, int]]) -> None:
    spans = sorted(((start, start + length) for start, length in pairs), key=lambda span: span[1])
    count = len(spans)
    time, finish = np.array(spans, np.int64).T.copy()
    events = ThreadEvents(np.full(count, SPAN, np.uint8), np.arange(count, dtype=np.uint32), time, finish)
    noted: list[npt.NDArray[np.uint32]] = []
    given_events = GivenEvents([count], count, iter([events]), lambda _, __, rows: noted.append(rows))
    repairs: Counter[str] = Counter()
    made = calls_of(given_events, [(2**63 - 1, -(2**63))], repairs)
    in_order = spans == sorted(spans, key=lambda span: (span[0], -span[1]))
    trees: list[list[int]] = []  # what ended later is around what began later
    for at, (begin, _) in enumerate(spans):
        below: list[int] = []
        while trees and spans[trees[-1][0]][0] >= begin:
            below = trees.pop() + below
        trees.append([at, *below])
    order = list(range(count)) if in_order else [at for tree in trees for at in tree]
    starts = [spans[at][0] for at in order]
    if starts != sorted(starts):  # a span begins in the middle of one that ended before
        order = sorted(range(count), key=lambda at: (spans[at][0], -spans[at][1]))
    function, end_row, rows_of = (np.zeros(count, np.uint32) for _ in range(3))
    start, end = (np.zeros(count, np.int64) for _ in range(2))
    depth, counts = np.zeros(count, np.uint16), np.zeros(3, np.int64)
    asked = (events.kind, events.function, time, finish, np.array(order, np.uint32), np.zeros(count, np.int64), 0, 99)
    match(*asked, function, start, end, depth, end_row, np.zeros(count, np.bool_), rows_of, counts)
    found = made.calls
    columns: tuple[npt.NDArray[Any], ...] = (
        found.function,
        found.start,
        found.end,
        found.depth,
        found.end_row,
        noted[0],
    )
    expected: tuple[npt.NDArray[Any], ...] = (function, start, end, depth, end_row, rows_of)
    for mine, general in zip(columns, expected, strict=True):
        assert np.array_equal(mine, general)
    assert sum(repairs.values()) == counts.sum()


def nested(trace: Trace) -> None:
    """Each call lies within the one around it, siblings follow one another."""
    calls = trace.calls
    stack: list[int] = []
    latest = 0
    for row in range(len(calls)):
        while stack and calls.end_row[stack[-1]] <= row:
            latest = max(latest, int(calls.end[stack.pop()]))
        assert calls.depth[row] == len(stack)
        assert calls.start[row] <= calls.end[row]
        if stack:
            assert calls.start[stack[-1]] <= calls.start[row]
            assert calls.end[row] <= calls.end[stack[-1]]
            assert calls.end_row[row] <= calls.end_row[stack[-1]]
        stack.append(row)
