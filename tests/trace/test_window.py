"""A trace restricted to a window and to threads: each call and row of a table judged by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.making.checking import faults
from cbvtool.trace.making.window import UNSELECTED, restricted
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.model.trace import NO_CALL, Trace
from tests.trace.made import made_trace, same

FOREVER = (-(2**63), 2**63 - 1)


def thread_key(trace: Trace, thread: int) -> tuple[object, ...]:
    return (int(trace.threads.process[thread]), int(trace.threads.id[thread]), trace.threads.kind[thread])


def call_keys(trace: Trace, window: tuple[int, int] = FOREVER) -> list[tuple[object, ...]]:
    """What a call is known by in any restriction: its thread, its function, its times cut off, and which of them."""
    seen: Counter[tuple[object, ...]] = Counter()
    keys: list[tuple[object, ...]] = []
    for row in range(len(trace.calls)):
        thread = thread_key(trace, int(trace.thread_of(np.array([row]))[0]))
        times = (
            int(np.clip(trace.calls.start[row], *window)),
            int(np.clip(trace.calls.end[row], *window)),
            int(trace.calls.depth[row]),
        )
        key = (thread, trace.functions.name[trace.calls.function[row]], *times)
        touches = trace.calls.end[row] >= window[0] and trace.calls.start[row] <= window[1]
        keys.append((*key, seen[key]))
        seen[key] += bool(touches)
    return keys


@given(st.integers(0, 2**32), st.integers(-10, 200), st.integers(0, 150), st.sets(st.integers(0, 4)))
def test_each_call_and_row_by_itself(seed: int, low: int, length: int, out: set[int]) -> None:
    trace = made_trace(seed)
    window = (low, low + length)
    wanted = np.array([thread not in out for thread in range(len(trace.threads))], np.bool_)
    found = restricted(trace, window, wanted)
    assert not faults(found)
    of, calls = trace.thread_of(np.arange(len(trace.calls))), trace.calls
    kept = [
        row
        for row in range(len(calls))
        if wanted[of[row]] and calls.end[row] >= window[0] and calls.start[row] <= window[1]
    ]
    old, new = call_keys(trace, window), call_keys(found)
    assert new == [old[row] for row in kept]
    assert {new[row] for row in found.open_rows.tolist()} == {old[row] for row in trace.open_rows if row in kept}
    assert set(found.functions.name) == {trace.functions.name[calls.function[row]] for row in kept}

    def alive(thread: int) -> bool:
        return bool(
            wanted[thread] and trace.threads.first[thread] <= window[1] and trace.threads.last[thread] >= window[0]
        )

    threads = [thread for thread in range(len(trace.threads)) if alive(thread)]
    assert [thread_key(found, row) for row in range(len(found.threads))] == [thread_key(trace, at) for at in threads]
    for row, thread in enumerate(threads):
        creator, was = int(found.threads.creator[row]), int(trace.threads.creator[thread])
        assert (creator == NO_CALL) == (was not in kept)
        assert creator == NO_CALL or new[creator] == old[was]
    for name, table in trace.tables.items():
        assert _rows(found, name, new, FOREVER) == _expected(trace, name, table, old, kept, threads, window), name


def _rows(trace: Trace, name: str, keys: list[tuple[object, ...]], window: tuple[int, int]) -> list[dict[str, object]]:
    table = trace.tables.get(name)
    found = []
    for at in range(len(table) if table else 0):
        assert table is not None
        row: dict[str, object] = {}
        for column, values in table.columns.items():
            value = values[at].item()
            if column in ("call", "source", "target"):
                row[column] = None if value == NO_ROW else keys[value]
            elif column == "thread":
                row[column] = None if value < 0 else thread_key(trace, value)
            elif column == "resource":
                thread = int(trace.resources.thread[value])
                row[column] = thread_key(trace, thread) if thread >= 0 else ("process", trace.resources.name[value])
            elif column in ("start", "end"):
                row[column] = min(max(value, window[0]), window[1])
            else:
                row[column] = repr(value)
        found.append(row)
    return found


def _expected(
    trace: Trace,
    name: str,
    table: Table,
    keys: list[tuple[object, ...]],
    kept: list[int],
    threads: list[int],
    window: tuple[int, int],
) -> list[dict[str, object]]:
    found = []
    for at, row in enumerate(_rows(trace, name, keys, window)):
        values = {column: column_values[at].item() for column, column_values in table.columns.items()}
        gone = [c for c in ("call", "source", "target") if values.get(c, NO_ROW) not in (*kept, NO_ROW)]
        if name == "instants" and gone:
            row["call"], gone = None, []
        if gone or values.get("thread", -1) not in (*threads, -1):
            continue
        if "resource" in values and not _resource_stays(trace, values["resource"], threads):
            continue
        if "start" in values and not (values["start"] <= window[1] and values["end"] >= window[0]):
            continue
        if "time" in values and not window[0] <= values["time"] <= window[1]:
            continue
        found.append(row)
    return found


def _resource_stays(trace: Trace, resource: int, threads: list[int]) -> bool:
    below = [row for row in range(len(trace.resources)) if row == resource or trace.resources.parent[row] == resource]
    return any(int(trace.resources.thread[row]) in threads for row in below)


@given(st.integers(0, 2**32))
def test_everything_stays_in_a_window_over_everything(seed: int) -> None:
    trace = made_trace(seed)
    found = restricted(trace)
    skipped = ("path", "functions", "function", "tables", "omissions")
    assert not same(trace, found, skipped)
    for name, table in trace.tables.items():
        assert not len(table) or not same(table, found.tables[name]), name


def test_tables_that_nobody_knows_are_chosen_by_call_or_counted() -> None:
    trace = next(made for made in map(made_trace, range(99)) if len(made.calls) > 5 and len(made.threads) > 1)
    assert "taxa" not in SCHEMAS
    tables = {"taxa": trace.tables["taxa"], "odd": Table({"x": np.arange(3)})}
    found = restricted(Trace(**{**trace.__dict__, "tables": tables}), trace.span)
    assert not same(found.tables["taxa"], trace.tables["taxa"])
    assert "odd" not in found.tables
    assert found.omissions[UNSELECTED] == 3


def test_cpu_time_of_a_call_that_is_cut_off_is_unknown() -> None:
    trace = made_trace(4, tables=False)
    cpu = np.arange(len(trace.calls), dtype=np.int64)
    calls = trace.calls
    trace = Trace(
        **{
            **trace.__dict__,
            "calls": type(calls)(calls.function, calls.start, calls.end, calls.depth, calls.end_row, cpu),
        }
    )
    middle = sum(trace.span) // 2
    found = restricted(trace, (middle, trace.span[1])).calls
    assert found.cpu is not None
    assert {int(value) for value in found.cpu[found.start == middle]} <= {-1, *cpu[calls.start == middle].tolist()}
    assert (found.cpu[found.start > middle] >= 0).all()
    assert (found.cpu == -1).any()
