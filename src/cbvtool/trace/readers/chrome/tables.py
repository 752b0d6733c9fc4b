"""Sparse tables of a trace, from events that are no calls and from the arguments of those that are."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.making.builder import Built, TraceBuilder, processes_and_threads
from cbvtool.trace.making.locating import calls_at
from cbvtool.trace.making.matching import BEGIN, END, SPAN
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.model.trace import Resources
from cbvtool.trace.readers.chrome.decoding import arguments_of, decoded, shown
from cbvtool.trace.readers.chrome.others import ASYNC_MARKS, MARKS, Lane, Others, counter_values, links_of
from cbvtool.trace.readers.chrome.scan import NOT_KNOWN
from cbvtool.trace.readers.chrome.texts import Texts

MOST_ARGUMENTS = 20_000_000  # rows of the table
UNBOUND = "flow events outside of calls"
Longs = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]


def table(name: str, columns: Sequence[Sequence[Any] | npt.NDArray[Any]]) -> Table:
    """The known table with these columns, in the order of its schema."""
    schema = SCHEMAS[name]
    return Table({key: np.array(column, schema[key]) for key, column in zip(schema, columns, strict=True)})


class CpuTimes:
    """CPU times of calls, as threads come."""

    def __init__(self) -> None:
        self._parts: list[tuple[Rows, Longs]] = []

    def add(self, kind: npt.NDArray[np.uint8], calls: Rows, clock: Longs) -> None:
        """Note those of a thread.

        kind   uint8[e], of its events
        calls  uint32[e], the call that each begins or ends
        clock  int64[e], ns: of a span the time it took, else the thread's clock then
        """
        spans = (kind == SPAN) & (clock >= 0)
        self._parts.append((calls[spans], clock[spans]))
        ends = np.flatnonzero((kind == END) & (clock != NOT_KNOWN) & (calls != NO_ROW))
        begins = np.flatnonzero((kind == BEGIN) & (clock != NOT_KNOWN))
        if len(ends) and len(begins):
            begins = begins[np.argsort(calls[begins])]
            place = np.minimum(np.searchsorted(calls[begins], calls[ends]), len(begins) - 1)
            took = clock[ends] - clock[begins[place]]
            known = (calls[begins[place]] == calls[ends]) & (took >= 0)
            self._parts.append((calls[ends[known]], took[known]))

    def column(self, calls: int) -> Longs | None:
        """CPU time of each call, -1 where it is not known; None = known of no call."""
        if not any(len(rows) for rows, _ in self._parts):
            return None
        column = np.full(calls, -1, np.int64)
        for rows, took in self._parts:
            column[rows] = took
        return column


class ArgumentRows:
    """Which calls have which arguments, as threads come."""

    def __init__(self, omissions: Counter[str]) -> None:
        self._parts: list[tuple[Rows, Rows]] = []
        self._count = 0
        self._omissions = omissions

    def add(self, calls: Rows, arguments: Rows) -> None:
        """Note those of a thread: the call that each event begins or ends, and the text of its arguments (0 = none)."""
        rows = np.flatnonzero((arguments > 0) & (calls != NO_ROW))
        kept = rows[: max(MOST_ARGUMENTS - self._count, 0)]
        self._count += len(kept)
        if len(kept) < len(rows):
            self._omissions["arguments of calls, for their number"] += len(rows) - len(kept)
        self._parts.append((calls[kept], arguments[kept]))

    def tables(self, texts: Texts, builder: TraceBuilder) -> dict[str, Table]:
        """The tables of arguments and of return values. Each text is decoded once."""
        if not self._count:
            return {}
        calls = np.concatenate([rows for rows, _ in self._parts])
        arguments = np.concatenate([numbers for _, numbers in self._parts])
        distinct, which, often = np.unique(arguments, return_inverse=True, return_counts=True)
        names, values, returned = array("I"), array("I"), array("I")
        named, given = np.zeros(len(distinct) + 1, np.int64), np.zeros(len(distinct) + 1, np.int64)
        for place, number in enumerate(distinct.tolist()):
            found = arguments_of(texts[number])
            if found is None:
                builder.omissions["arguments that are no JSON"] += int(often[place])
            pairs, returns = found or ([], [])
            for name, value in pairs:
                names.append(builder.pool.number(name))
                values.append(builder.pool.number(value))
            returned.extend(builder.pool.number(value) for value in returns)
            named[place + 1], given[place + 1] = len(names), len(returned)
        row, source = _expanded(calls, which, named)
        return_row, return_source = _expanded(calls, which, given)
        own_names, own_values = np.frombuffer(names, np.uint32)[source], np.frombuffer(values, np.uint32)[source]
        # The same at the begin and at the end is one.
        pairs_of = (
            np.unique(np.stack((row, own_names, own_values)), axis=1) if len(row) else np.empty((3, 0), np.uint32)
        )
        return {
            "arguments": table("arguments", list(pairs_of)),
            "returns": table("returns", (return_row, np.frombuffer(returned, np.uint32)[return_source])),
        }


def _expanded(calls: Rows, which: npt.NDArray[np.intp], ptr: Longs) -> tuple[Rows, Longs]:
    """Each call once for each row that belongs to its text, and that row: those of text i are `ptr[i]:ptr[i + 1]`."""
    counts = np.diff(ptr)[which]
    ends = np.cumsum(counts)
    inside = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
    return np.repeat(calls, counts), np.repeat(ptr[:-1][which], counts) + inside


def links(others: Others, builder: TraceBuilder, built: Built, rows: Longs) -> Table:
    """Flows from call to call.

    rows  int64[threads of the document]: row in the trace, -1 = none

    A flow event belongs to the call that runs, the last one to the next call unless `bp` says `e`.
    """
    pairs = links_of(others, builder.omissions)
    if not pairs:
        return Table.empty("links")
    found = []
    for place in (0, 1):
        events = [pair[place] for pair in pairs]
        thread = rows[[event.thread for event in events]]
        time = np.array([event.time for event in events], np.int64)
        known = thread >= 0
        call = np.full(len(events), NO_ROW, np.uint32)
        following = np.array([event.kind == "f" and event.mark != "e" for event in events])
        for later in (False, True):
            chosen = known & (following == later)
            call[chosen] = calls_at(built.calls, built.threads, thread[chosen], time[chosen], later)
        found.append((call, time))
    (source, source_time), (target, target_time) = found
    bound = (source != NO_ROW) & (target != NO_ROW)
    if lost := int(np.count_nonzero(~bound)):
        builder.omissions[UNBOUND] += lost
    kind = np.full(len(pairs), builder.pool.number("flow"))
    return table("links", [column[bound] for column in (source, target, kind, source_time, target_time)])


def instants(
    others: Others, tracks: Sequence[Lane], first_track: int, builder: TraceBuilder, built: Built, rows: Longs
) -> Table:
    """Marks, with what they say. Those of a process or of all belong to no thread.

    first_track  row in the trace of the first of `tracks`
    """
    threads, times, names, texts = array("q"), array("q"), array("I"), array("I")

    def note(event: Any, thread: int) -> None:
        threads.append(thread)
        times.append(event.time)
        names.append(builder.pool.number(others.text(event.name)))
        raw = others.raw(event.arguments)
        texts.append(builder.pool.number(shown(decoded(raw))) if raw else 0)

    for event in others.of(MARKS):
        note(event, -1 if event.mark in "gp" and event.mark != "\0" else int(rows[event.thread]))
    for number, track in enumerate(tracks):
        for event in track.events:
            if event.kind.encode() in ASYNC_MARKS:
                note(event, first_track + number)
    thread, time = np.array(threads, np.int64), np.array(times, np.int64)
    call = np.full(len(thread), NO_ROW, np.uint32)
    known = thread >= 0
    call[known] = calls_at(built.calls, built.threads, thread[known], time[known])
    return table("instants", (thread, call, time, names, texts))


def counters(
    others: Others, builder: TraceBuilder, built: Built, processes: Mapping[int, int]
) -> tuple[Table, Resources]:
    """Counters, and the tree of resources with a row for each process that has some.

    processes  id of the process by row of a thread of the document
    """
    resources = processes_and_threads(built.threads)
    by_process = {
        int(built.threads.process[thread]): int(parent)
        for thread, parent in zip(resources.thread.tolist(), resources.parent.tolist(), strict=True)
        if thread >= 0
    }
    names, kinds = list(resources.name), list(resources.kind)
    owner, track, time, value = array("i"), array("I"), array("q"), array("d")
    for thread, name, when, number in counter_values(others, builder.omissions):
        process = processes[thread]
        if process not in by_process:
            by_process[process] = len(names)
            names.append(str(process))
            kinds.append("process")
        owner.append(by_process[process])
        track.append(builder.pool.number(name))
        time.append(when)
        value.append(number)
    more = np.full(len(names) - len(resources), -1, np.int32)
    parent, of = np.concatenate((resources.parent, more)), np.concatenate((resources.thread, more))
    return table("counters", (owner, track, time, value)), Resources(tuple(names), tuple(kinds), parent, of)
