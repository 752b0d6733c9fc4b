"""Containers with their states, variables, links and events, however they were written; and the trace of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.making.builder import Built, TraceBuilder
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.model.trace import Resources, Trace
from cbvtool.trace.readers.paje.tracks import Track

NEVER_POPPED = "states that were never popped"
TWICE = "containers that were destroyed twice"
UNKNOWN_CONTAINER = "containers that were used but never created"
UNKNOWN_TYPE = "types that were used but never defined"
HALF = "links without a start or an end"
DAMAGED = "damaged lines"
STARPU = "StarPU"
_STARPU = re.compile(
    rb'"(?:Memory Node|Communication Thread) State"|, (?:Worker|Memory Node|Communication Thread) State, '
    rb"|Container, [^\n,]*, Memory Node, "
)
_LEAST, _MOST = -(2**63), 2**63 - 1
_STEPS = 256  # calls that are looked at for the one around a moment


def unit_of(head: bytes, made: TraceBuilder) -> float:
    """ns of one unit of time, by how a file begins: milliseconds where StarPU wrote it, else seconds.

    StarPU is known by its types (src/debug/traces/starpu_paje.c): the format itself has no unit.
    """
    if not _STARPU.search(head):
        return 1e9
    made.describe(recorder=STARPU)
    return 1e6


def nanoseconds(time: float, unit: float) -> int:
    """The time as the model has it. Raises OverflowError and ValueError for what no clock says."""
    return max(_LEAST, min(_MOST, round(time * unit)))


class Containers:
    """What was read of a Paje trace. Containers are numbered as they come; they are rows of the resources."""

    def __init__(self, made: TraceBuilder) -> None:
        self.made = made
        self.name: list[str] = []
        self.kind: list[str] = []
        self.parent: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.destroyed: list[bool] = []
        self.latest = 0  # ns, of any event
        self._tracks: dict[tuple[int, str], Track] = {}
        self._variables: dict[tuple[int, str], list[tuple[int, float]]] = {}
        self.links: list[tuple[int, int, int, int, str, str]] = []  # source, target, times, type, value
        self.marks: list[tuple[int, int, str, str]] = []  # container, time, type, value

    def add(self, name: str, kind: str, parent: int, time: int) -> int:
        """A container; its number."""
        self.name.append(name)
        self.kind.append(kind)
        self.parent.append(parent)
        self.first.append(time)
        self.last.append(_MOST)
        self.destroyed.append(False)
        return len(self.name) - 1

    def destroy(self, container: int, time: int) -> None:
        """It ends, with all that is open in it."""
        if self.destroyed[container]:
            self.made.repairs[TWICE] += 1
            return
        self.destroyed[container], self.last[container] = True, max(time, self.first[container])

    def track(self, container: int, kind: str) -> Track:
        """The states of a type of a container."""
        key = container, kind
        if key not in self._tracks:
            self._tracks[key] = Track()
        return self._tracks[key]

    def variable(self, container: int, kind: str) -> list[tuple[int, float]]:
        """Times and values of a variable; what is put into it last at one time counts."""
        return self._variables.setdefault((container, kind), [])

    def trace(self) -> Trace:
        """All of it as a trace: states are calls, so that every view shows them."""
        made = self.made
        own = Counter(container for container, _ in self._tracks)
        name, kinds, parents = list(self.name), list(self.kind), list(self.parent)
        thread_of = [-1] * len(name)
        threads: dict[tuple[int, str], int] = {}
        late = 0
        for (container, kind), track in self._tracks.items():
            above = self.parent[container]
            thread = made.thread(above + 1 if above >= 0 else 0, len(threads))
            several = own[container] > 1
            title = f"{self.name[container]}, {kind}" if several else self.name[container]
            made.name_thread(thread, title, self.name[above] if above >= 0 else "")
            if several:
                name.append(kind)
                kinds.append("states")
                parents.append(container)
                thread_of.append(thread)
            else:
                thread_of[container] = thread
            threads[container, kind] = thread
            events, moved = track.events()
            late += moved
            made.alive(thread, self.first[container])
            made.alive(thread, self.end_of(container))
            made.bulk(thread, events)
        self._tracks.clear()
        if late:
            made.repairs["events that were not in the order of time"] += late
        built = made.build()
        if len(built.open_rows):
            made.repairs[NEVER_POPPED] += len(built.open_rows)
        first_thread: dict[int, int] = {}
        for (container, _), thread in threads.items():
            first_thread.setdefault(container, thread)
        tree = Resources(tuple(name), tuple(kinds), np.array(parents, np.int32), np.array(thread_of, np.int32))
        tables = {
            "counters": self._counters(),
            "instants": self._instants(first_thread),
            "links": self._calls_linked(built, first_thread),
            "resource_links": self._links(),
            "lives": Table(
                {
                    "resource": np.arange(len(self.name), dtype=np.int32),
                    "first": np.array(self.first, np.int64),
                    "last": np.array([self.end_of(each) for each in range(len(self.name))], np.int64),
                }
            ),
        }
        return made.trace(built, tables, tree)

    def end_of(self, container: int) -> int:
        """When it or one around it was destroyed, or the end of the trace."""
        at, last = container, self.latest
        while at >= 0:
            last, at = min(last, self.last[at]), self.parent[at]
        return max(last, self.first[container])

    def _counters(self) -> Table:
        rows: list[tuple[Any, ...]] = []
        for (container, kind), values in self._variables.items():
            number = self.made.pool.number(kind)
            rows += [(container, number, time, value) for time, value in dict(values).items()]
        return _table("counters", rows)

    def _instants(self, thread_of: dict[int, int]) -> Table:
        pool = self.made.pool
        return _table(
            "instants",
            [
                (thread_of.get(container, -1), NO_ROW, time, pool.number(value), pool.number(self.name[container]))
                for container, time, _, value in self.marks
            ],
        )

    def _links(self) -> Table:
        """The links between containers, whether or not they have states."""
        pool = self.made.pool
        columns: Sequence[Sequence[Any]] = list(zip(*self.links, strict=True)) or [()] * 6
        source, target, begin, end, kind, value = columns
        return Table(
            {
                "source_resource": np.array(source, np.int32),
                "target_resource": np.array(target, np.int32),
                "source_time": np.array(begin, np.int64),
                "target_time": np.array(end, np.int64),
                "kind": np.array([pool.number(each) for each in kind], np.uint32),
                "name": np.array([pool.number(each) for each in value], np.uint32),
            }
        )

    def _calls_linked(self, built: Built, thread_of: dict[int, int]) -> Table:
        """The links whose ends lie in a state."""
        kind, rows = self.made.pool.number("flow"), []
        for source, target, begin, end, _, _ in self.links:
            calls = _call_at(built, thread_of.get(source, -1), begin), _call_at(built, thread_of.get(target, -1), end)
            if min(calls) >= 0:
                rows.append((*calls, kind, begin, end))
        return _table("links", rows)


def _call_at(built: Built, thread: int, time: int) -> int:
    """The innermost call of a thread at a time, -1 = none."""
    if thread < 0:
        return -1
    low, high = built.threads.ptr[thread : thread + 2].tolist()
    row = low + int(np.searchsorted(built.calls.start[low:high], time, "right")) - 1
    for at in range(row, max(row - _STEPS, low - 1), -1):
        if built.calls.end[at] >= time:
            return at
    return -1


def _table(name: str, rows: list[tuple[Any, ...]]) -> Table:
    if not rows:
        return Table.empty(name)
    columns: list[npt.NDArray[Any]] = [
        np.array(values, dtype) for values, dtype in zip(zip(*rows, strict=True), SCHEMAS[name].values(), strict=True)
    ]
    return Table(dict(zip(SCHEMAS[name], columns, strict=True)))
