"""Infers waits, releases, reads and writes that a trace lacks from the names of its functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.making.roles import NO_ARGUMENT, OBJECT, Role, RoleNames, Roles, known_roles
from cbvtool.trace.model.strings import NO_TEXT, Pool
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.model.trace import Trace

Ints = npt.NDArray[np.int64]
_TABLES = {"waits": "waits", "releases": "releases", "reads": "io", "writes": "io"}
_SET = re.compile(r"[\s,;]+")  # separators between the objects of a set in a text
_NOT_ZERO = re.compile(r"(?i)(?!0+$|0x0+$|false$|null$|none$)\S")


def with_waits(trace: Trace, own: Roles | None = None) -> Trace:
    """The trace with waits, releases, reads and writes inferred from names of functions.

    Built-in roles (`known_roles`) are used only if the recording has neither waits nor releases, because a recorder
    knows better. `own` roles are always used, for calls that are not in the tables yet. Of nested calls that do the
    same, the outermost counts. The object is the one whose method is called (table `receivers`), or the value of an
    argument (table `arguments`), by process. If that was not recorded, the object is unknown, and no release is found.
    Returns the trace itself if nothing can be added.
    """
    recorded = len(trace.table("waits")) + len(trace.table("releases")) > 0
    roles: Roles = {**({} if recorded else known_roles()), **(own or {})}
    if not roles or not len(trace.calls):
        return trace
    names, functions = RoleNames(roles), trace.functions
    of: dict[int, tuple[Role, ...]] = {}
    for row, name in enumerate(functions.name):
        if found := names.of(name, functions.module[row], functions.file[row]):
            of[row] = found
    if not of:
        return trace
    adding = _Adding(trace)
    for row, found in of.items():
        calls = np.flatnonzero(trace.calls.function == row)
        for role in found:
            adding.uses.append((role, calls))
    return adding.added()


class _Adding:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._pool = Pool()
        for text in trace.strings:
            self._pool.number(text)
        self.uses: list[tuple[Role, Ints]] = []
        self._objects: dict[tuple[int, str, str], int] = {}
        self._known = len(trace.table("objects"))

    def added(self) -> Trace:
        """The trace with the inferred rows added to its tables."""
        trace = self._trace
        rows: dict[str, list[tuple[Any, ...]]] = {"waits": [], "releases": [], "io": []}
        kept = {name: self._outermost(name) for name in rows}
        for role, calls in self.uses:
            table = _TABLES[role.does]
            chosen = calls[np.isin(calls, kept[table])]
            things, is_all = self._things(role, chosen), self._all(role, chosen)
            for call in chosen.tolist():
                start, end = int(trace.calls.start[call]), int(trace.calls.end[call])
                for thing in things.get(call, [NO_ROW]):
                    if table == "waits":
                        rows[table].append((call, thing, start, end, call in is_all))
                    elif table == "releases":
                        rows[table].append((call, thing, start))
                    else:
                        rows[table].append((call, thing, start, end, -1, role.does == "writes"))
        tables = dict(trace.tables)
        for name, more in rows.items():
            if more:
                tables[name] = _longer(trace.table(name), name, more)
        if self._objects:
            made = [
                (process, _number(value), self._pool.number(kind), self._pool.number(value))
                for process, value, kind in self._objects
            ]
            tables["objects"] = _longer(trace.table("objects"), "objects", made)
        return replace(trace, tables=tables, strings=self._pool.strings())

    def _outermost(self, table: str) -> Ints:
        """The calls to add to a table: those that are not in it already, and are not inside another call to add."""
        parts = [calls for role, calls in self.uses if _TABLES[role.does] == table]
        calls = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)
        calls = calls[~np.isin(calls, self._trace.table(table)["call"])]
        behind = self._trace.calls.end_row[calls].astype(np.int64)
        free = np.ones(len(calls), np.bool_)
        free[1:] = calls[1:] >= np.maximum.accumulate(behind)[:-1]
        return calls[free]

    def _things(self, role: Role, calls: Ints) -> Mapping[int, list[int]]:
        """The objects of each call, for calls that have some."""
        trace = self._trace
        if role.argument == NO_ARGUMENT:
            process = trace.threads.process[trace.thread_of(calls)].tolist()
            own = [(one, "sleep", role.kind) for one in process]
            rows = [self._objects.setdefault(key, self._known + len(self._objects)) for key in own]
            return {call: [row] for call, row in zip(calls.tolist(), rows, strict=True)}
        if role.argument == OBJECT and len(receivers := trace.table("receivers")):
            at = np.flatnonzero(np.isin(receivers["call"], calls))
            pairs = zip(receivers["call"][at].tolist(), receivers["object"][at].tolist(), strict=True)
            return {call: [thing] for call, thing in pairs}
        result: dict[int, list[int]] = {}
        for call, text in self._argument(role.argument, calls).items():
            process = int(trace.threads.process[trace.thread_of(np.array([call]))[0]])
            is_set = bool(role.all)
            values = [one for one in _SET.split(text.strip("[](){} ")) if one] if is_set else [text]
            result[call] = [
                self._objects.setdefault((process, value, role.kind), self._known + len(self._objects))
                for value in values
            ]
        return result

    def _argument(self, name: str, calls: Ints) -> dict[int, str]:
        """The values of an argument, by call: `1` is also `arg1`, `OBJECT` is `self` or `this`."""
        arguments, strings = self._trace.table("arguments"), self._trace.strings
        called = {"self", "this"} if name == OBJECT else {name, f"arg{name}"}
        fits = [number for number in np.unique(arguments["name"]).tolist() if strings[number] in called]
        rows = np.flatnonzero(np.isin(arguments["name"], fits) & np.isin(arguments["call"], calls))
        rows = rows[arguments["value"][rows] != NO_TEXT]
        values = (strings[value] for value in arguments["value"][rows].tolist())
        return dict(zip(arguments["call"][rows].tolist(), values, strict=True))

    def _all(self, role: Role, calls: Ints) -> Set[int]:
        """The calls that wait for all of their objects, not for any one."""
        if role.all.startswith("@"):
            given = self._argument(role.all[1:], calls)
            return {call for call, text in given.items() if _NOT_ZERO.match(text.strip())}
        return set(calls.tolist()) if role.all == "1" else frozenset()


def _number(value: str) -> int:
    """The object's id, if its text is an address or a number; 0 for other texts, which are its name."""
    try:
        number = int(value, 0)
    except ValueError:
        return 0
    return min(max(number, -(2**63)), 2**63 - 1)


def _longer(table: Table, name: str, rows: list[tuple[Any, ...]]) -> Table:
    columns = zip(*rows, strict=True)
    return Table(
        {
            column: np.concatenate((table[column], np.array(values, dtype)))
            for (column, dtype), values in zip(SCHEMAS[name].items(), columns, strict=True)
        }
    )
