"""A trace restricted to a window of time and to threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Array, Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Resources, Threads, Trace

Rows = npt.NDArray[np.int64]
UNSELECTED = "rows of tables that this version does not know: a window cannot choose among them"
_CALLS = ("call", "source", "target")


@dataclass(frozen=True, eq=False)
class _Numbers:
    """New rows of what is kept, -1 = dropped."""

    calls: Rows
    threads: Rows
    resources: Rows


def restricted(
    trace: Trace, window: tuple[int, int] | None = None, threads: npt.NDArray[np.bool_] | None = None
) -> Trace:
    """The calls that touch `window`, cut off at its ends, with what the tables say of them.

    window   first and last time, ns, both within; None = all
    threads  bool[t]: which of them are kept; None = all

    Threads stay if they lived in the window, functions if they are called. A call that is cut off has no CPU time
    any more; one that was open stays so. Rows of tables go with their calls, threads and resources, and by their times.
    """
    low, high = window or (-(2**63), 2**63 - 1)
    calls, old = trace.calls, trace.threads
    stays = np.ones(len(old), np.bool_) if threads is None else threads
    kept = np.repeat(stays, np.diff(old.ptr)) & (calls.start <= high) & (calls.end >= low)
    before = np.concatenate(([0], np.cumsum(kept)))  # kept calls before each row
    has_calls = before[old.ptr[1:]] > before[old.ptr[:-1]]
    stays = stays & (((old.first <= high) & (old.last >= low)) | has_calls)
    new_call = np.where(kept, before[:-1], -1)
    new_thread = _renumbered(stays)
    resources, new_resource = _resources(trace.resources, new_thread)
    rows = np.flatnonzero(kept)
    start, end = np.clip(calls.start[rows], low, high), np.clip(calls.end[rows], low, high)
    cpu = None
    if calls.cpu is not None:
        cut = (start != calls.start[rows]) | (end != calls.end[rows])
        cpu = np.where(cut, -1, calls.cpu[rows])
    called = np.zeros(len(trace.functions), np.bool_)
    called[calls.function[rows]] = True
    open_rows = new_call[trace.open_rows]
    creator = np.where(old.creator == NO_CALL, NO_CALL, new_call[old.creator] if len(calls) else NO_CALL)
    which = np.flatnonzero(stays)
    omissions = dict(trace.omissions)
    numbers = _Numbers(new_call, new_thread, new_resource)
    parameters = dict(trace.header.parameters)
    if window is not None:
        parameters["window"] = f"{low}..{high} ns"
    return replace(
        trace,
        header=replace(trace.header, parameters=parameters),
        functions=_functions(trace.functions, called),
        calls=Calls(
            _renumbered(called)[calls.function[rows]].astype(np.uint32),
            start,
            end,
            calls.depth[rows],
            before[calls.end_row[rows]].astype(np.uint32),
            cpu,
        ),
        threads=Threads(
            old.process[which],
            old.id[which],
            _taken(old.name, which),
            _taken(old.process_name, which),
            _taken(old.kind, which),
            old.sampled[which],
            creator[which],
            np.clip(old.first[which], low, high),
            np.clip(old.last[which], low, high),
            np.concatenate((before[old.ptr[which]], before[-1:])),
        ),
        resources=resources,
        open_rows=open_rows[open_rows >= 0].astype(np.uint32),
        tables=_tables(trace.tables, numbers, low, high, omissions),
        omissions=omissions,
        path=None,
    )


def _renumbered(kept: npt.NDArray[np.bool_]) -> Rows:
    return np.where(kept, np.cumsum(kept) - 1, -1)


def _taken(texts: tuple[str, ...], rows: Rows) -> tuple[str, ...]:
    return tuple(texts[row] for row in rows.tolist())


def _functions(functions: Functions, called: npt.NDArray[np.bool_]) -> Functions:
    rows = np.flatnonzero(called)
    texts = (functions.name, functions.module, functions.file)
    name, module, file = (_taken(column, rows) for column in texts)
    return Functions(name, module, file, functions.line[rows])


def _resources(resources: Resources, new_thread: Rows) -> tuple[Resources, Rows]:
    """Those that stand over a thread that stays, or over none; and their new rows."""
    over_any = resources.thread >= 0
    stays = np.zeros(len(resources), np.bool_)
    stays[over_any] = new_thread[resources.thread[over_any]] >= 0
    for row in range(len(resources) - 1, -1, -1):  # a parent stands before its children
        stays[row] |= not over_any[row]
        if (above := int(resources.parent[row])) >= 0:
            stays[above] |= stays[row] & over_any[row]
            over_any[above] |= over_any[row]
    new, rows = _renumbered(stays), np.flatnonzero(stays)
    parent, thread = resources.parent[rows], resources.thread[rows]
    made = Resources(
        _taken(resources.name, rows),
        _taken(resources.kind, rows),
        np.where(parent >= 0, new[parent], -1).astype(np.int32),
        np.where(thread >= 0, new_thread[thread], -1).astype(np.int32) if len(new_thread) else thread,
    )
    return made, new


def _tables(
    tables: Mapping[str, Table], numbers: _Numbers, low: int, high: int, omissions: dict[str, int]
) -> dict[str, Table]:
    made = {}
    for name, table in tables.items():
        if name not in SCHEMAS and "call" not in table.columns:
            omissions[UNSELECTED] = omissions.get(UNSELECTED, 0) + len(table)
        elif len(chosen := _chosen(name, table, numbers, low, high)):
            made[name] = chosen
    return made


def _chosen(name: str, table: Table, numbers: _Numbers, low: int, high: int) -> Table:
    columns: dict[str, Array] = dict(table.columns)
    kept = np.ones(len(table), np.bool_)
    known = name in SCHEMAS
    for column in _CALLS if known else ("call",):
        if column in columns:
            new = _looked_up(numbers.calls, columns[column], NO_ROW)
            if name != "instants":  # what happened at a time did so without its call, too
                kept &= (new != NO_ROW) | (columns[column] == NO_ROW)
            columns[column] = new.astype(np.uint32)
    if known:
        for column, of in (("thread", numbers.threads), ("resource", numbers.resources)):
            if column in columns:
                new = _looked_up(of, columns[column], -1)
                kept &= (new >= 0) | (columns[column] < 0)
                columns[column] = new.astype(np.int32)
        if "start" in columns:
            kept &= (columns["start"] <= high) & (columns["end"] >= low)
            columns |= {column: np.clip(columns[column], low, high) for column in ("start", "end")}
        if "time" in columns:
            kept &= (columns["time"] >= low) & (columns["time"] <= high)
    return Table(columns).take(kept)


def _looked_up(new: Rows, rows: Array, none: int) -> Rows:
    """The new numbers of rows, `none` for what is dropped or was none."""
    if not len(new):
        return np.full(len(rows), none, np.int64)
    inside = (rows >= 0) & (rows < len(new))
    found: Rows = np.where(inside, new[np.where(inside, rows, 0)], -1)
    return np.where(found < 0, none, found)
