"""What the tables of the panel list: functions, rare calls, calls against rules, functions without a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from cbvtool.asking.listing import NodePaths
from cbvtool.graph import Graph
from cbvtool.metrics.run_time import cost
from cbvtool.session.traces.rows import MOST_ROWS, CallRows, FunctionRows, LostFunction
from cbvtool.trace.coverage.where_to_test import TestCandidate
from cbvtool.trace.making.flat import UNKNOWN
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.view.panels.traces.rows_table import TableColumn, TableRows
from cbvtool.words import one_line

LONGEST = 300  # characters of a name in a table


def shown(name: str) -> str:
    """A name from a trace in one line, cut where it is absurdly long."""
    words = one_line(name[: LONGEST + 1])
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def function_table(rows: FunctionRows, graph: Graph, run_time: RunTime) -> TableRows:
    """Name, calls, own and total time, or what a profile has in their place."""
    paths, count = NodePaths(graph), "Samples" if run_time.sampled else "Calls"
    key, calls, show = rows.key, rows.calls, partial(cost, run_time.unit)
    what = "time" if run_time.unit in ("", "ns") else shown(run_time.unit)

    def name(row: int) -> str:
        return shown(graph.names[int(key[row])])

    def where(row: int) -> str:
        file = int(graph.file[key[row]])
        return shown(graph.files[file]) if file >= 0 else shown(paths[int(graph.parent[key[row]])])

    def tip(row: int) -> str:
        unit, said = count.lower() if calls[row] != 1 else count.lower()[:-1], list[str]()
        if run_time.counted:
            said.append(f"{int(calls[row]):,} {unit}")
        if run_time.unit:
            said.append(f"{show(int(rows.self_time[row]))} of its own, {show(int(rows.total_time[row]))} in all")
        return f"{shown(paths[int(key[row])])}\n{', '.join(said)}"

    columns = [TableColumn("Function", name, None, 230)]
    if run_time.counted:
        columns.append(TableColumn(count, lambda row: f"{int(calls[row]):,}", calls))
    if run_time.unit:
        columns += [
            TableColumn(f"Self {what}", lambda row: show(int(rows.self_time[row])), rows.self_time),
            TableColumn(f"Total {what}", lambda row: show(int(rows.total_time[row])), rows.total_time),
        ]
    return TableRows((*columns, TableColumn("Where", where, None, 0)), len(key), tip, rows.rest)


def call_table(rows: CallRows, graph: Graph, unit: str, words: Sequence[str] = ()) -> TableRows:
    """Who called whom, how often and how long.

    unit   of the times, as in `RunTime`
    words  what else is said of each call, such as a rule
    """
    paths, show = NodePaths(graph), partial(cost, unit)

    def end(keys: np.ndarray[tuple[int, ...], np.dtype[np.int32]], row: int) -> str:
        return shown(paths[int(keys[row])])

    columns = [
        TableColumn("Caller", lambda row: end(rows.caller, row), None, 300),
        TableColumn("Called", lambda row: end(rows.callee, row), None, 300),
        TableColumn("Calls", lambda row: f"{int(rows.count[row]):,}", rows.count),
    ]
    if unit:
        title = "Time" if unit == "ns" else shown(unit)
        columns.append(TableColumn(title, lambda row: show(int(rows.time[row])), rows.time))
    if words:
        columns.append(TableColumn("Rule", lambda row: shown(words[row]), None, 0))

    def tip(row: int) -> str:
        count = int(rows.count[row])
        said = f"{end(rows.caller, row)}\ncalls {end(rows.callee, row)}\n{count:,} {'time' if count == 1 else 'times'}"
        return f"{said}, {show(int(rows.time[row]))}" if unit else said

    return TableRows(tuple(columns), len(rows.caller), tip, rows.rest)


def lost_table(lost: Sequence[LostFunction], rest: int) -> TableRows:
    """Functions without a node, why, and how often they were called."""

    def calls(row: int) -> str:
        return f"{lost[row].calls:,}" if lost[row].calls != UNKNOWN else "not known"

    return TableRows(
        (
            TableColumn("Function", lambda row: shown(lost[row].name), None, 230),
            TableColumn("Calls", calls, np.array([each.calls for each in lost], np.int64)),
            TableColumn("Why it has no node", lambda row: shown(lost[row].why), None, 300),
            TableColumn("File", lambda row: shown(lost[row].file), None, 0),
        ),
        len(lost),
        lambda row: f"{shown(lost[row].name)}\n{shown(lost[row].file)}:{lost[row].line}",
        rest,
    )


def test_table(rows: Sequence[TestCandidate], graph: Graph, changes: Callable[[float], str]) -> TableRows:
    """Where a test is worth most: complexity times changes times what no run reached.

    changes  a number of changes for people
    """
    paths, listed = NodePaths(graph), rows[:MOST_ROWS]

    def name(row: int) -> str:
        return shown(paths[listed[row].key])

    def tip(row: int) -> str:
        each = listed[row]
        return (
            f"{name(row)}\nComplexity {each.complexity:,.0f} x {changes(each.changes)} x "
            f"{1 - each.covered:.0%} that did not run = {each.score:,.0f}"
        )

    return TableRows(
        (
            TableColumn("File", name, None, 0),
            TableColumn("Worth", lambda row: f"{listed[row].score:,.0f}", np.array([each.score for each in listed])),
            TableColumn(
                "Not run", lambda row: f"{1 - listed[row].covered:.0%}", np.array([1 - e.covered for e in listed])
            ),
            TableColumn(
                "Complexity", lambda row: f"{listed[row].complexity:,.0f}", np.array([e.complexity for e in listed])
            ),
            TableColumn(
                "Changes", lambda row: changes(listed[row].changes), np.array([e.changes for e in listed]), 130
            ),
        ),
        len(listed),
        tip,
        len(rows) - len(listed),
    )
