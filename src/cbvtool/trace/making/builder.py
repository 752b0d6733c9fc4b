"""Collect what a reader finds of a trace, and make the trace of it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.trace.making.function_pool import FunctionPool
from cbvtool.trace.making.matching import (
    ANY_FUNCTION,
    BEGIN,
    END,
    REPAIRS,
    SPAN,
    calls_of_ended,
    match,
    sizes_of_ended,
    survey,
)
from cbvtool.trace.model.strings import Pool
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Header, Resources, Threads, Trace

_DEEPEST_SHORT = 2**16 - 1  # depth that uint16 holds
_LEAST, _MOST = -(2**63), 2**63 - 1
OUT_OF_ORDER = "events that were not in the order of time"
BACKWARD = "spans that end before they begin"


@dataclass
class _Events:
    """The events of one thread, in the order in which they were read. `number` counts begins and spans of the trace."""

    kind: array[int] = field(default_factory=lambda: array("B"))
    function: array[int] = field(default_factory=lambda: array("I"))
    time: array[int] = field(default_factory=lambda: array("q"))
    finish: array[int] = field(default_factory=lambda: array("q"))
    number: array[int] = field(default_factory=lambda: array("q"))


@dataclass
class _Thread:
    process: int
    id: int
    kind: str
    name: str = ""
    process_name: str = ""
    sampled: bool = False
    creator: int = NO_CALL  # number of the event that began the call
    first: int = _MOST
    last: int = _LEAST


@dataclass(frozen=True, eq=False)
class Built:
    """Calls, and the row of each by the number that `begin` and `span` returned.

    row  int64[events]
    """

    calls: Calls
    threads: Threads
    open_rows: npt.NDArray[np.uint32]
    row: npt.NDArray[np.int64]


class TraceBuilder:
    """What a reader finds, event by event. Begins and spans are numbered; tables name their calls by these numbers.

    format  the reader's name
    budget  is asked now and then, and told of what is kept

    Raises OverBudget and Cancelled while events are added.
    """

    def __init__(self, format: str, budget: Budget) -> None:
        self.header = Header(format=format)
        self.repairs: Counter[str] = Counter()
        self.omissions: Counter[str] = Counter()
        self.pool = Pool()
        self._budget = budget
        self._functions = FunctionPool()
        self._threads: dict[tuple[int, int, str], int] = {}
        self._infos: list[_Thread] = []
        self._events: list[_Events] = []
        self._numbers = 0
        self._unpaid = 0

    def describe(self, **fields: Any) -> None:
        """Set fields of the header."""
        self.header = replace(self.header, **fields)

    def function(self, name: str, module: str = "", file: str = "", line: int = 0) -> int:
        """The row of a function, a new one if it was not named yet."""
        return self._functions.row(name, module, file, line)

    @property
    def functions(self) -> int:
        """How many functions were named."""
        return len(self._functions)

    def function_names(self) -> tuple[str, ...]:
        """The names of the functions, by row."""
        return self._functions.functions().name

    def thread(self, process: int, id: int, kind: str = "thread") -> int:
        """The row of a thread, a new one if it was not seen yet."""
        key = (_within(process), _within(id), kind)
        row = self._threads.setdefault(key, len(self._infos))
        if row == len(self._infos):
            self._infos.append(_Thread(*key))
            self._events.append(_Events())
        return row

    def another_thread(self, process: int, id: int) -> int:
        """A new row for a thread that may have one already: its samples beside its calls."""
        self._infos.append(_Thread(_within(process), _within(id), "thread"))
        self._events.append(_Events())
        return len(self._infos) - 1

    def name_thread(self, thread: int, name: str = "", process_name: str = "") -> None:
        """Say what a thread is called; empty names change nothing."""
        info = self._infos[thread]
        info.name, info.process_name = name or info.name, process_name or info.process_name

    def mark_sampled(self, thread: int) -> None:
        """The calls of this thread come from samples."""
        self._infos[thread].sampled = True

    def created_by(self, thread: int, number: int) -> None:
        """The thread was created by the call with that number."""
        self._infos[thread].creator = number

    def alive(self, thread: int, time: int) -> None:
        """The thread was there at that time, without an event."""
        info, time = self._infos[thread], _within(time)
        info.first, info.last = min(info.first, time), max(info.last, time)

    def begin(self, thread: int, function: int, time: int) -> int:
        """A call begins; its number."""
        self._add(thread, BEGIN, function, time, 0)
        return self._numbers - 1

    def end(self, thread: int, time: int, function: int = ANY_FUNCTION) -> None:
        """A call ends: the innermost one of `function`, or of any."""
        self._add(thread, END, function, time, 0)

    def span(self, thread: int, function: int, start: int, end: int) -> int:
        """A whole call; its number."""
        if end < start:
            self.repairs[BACKWARD] += 1
            end = start
        self._add(thread, SPAN, function, start, _within(end))
        return self._numbers - 1

    def bulk(self, thread: int, added: ThreadEvents) -> npt.NDArray[np.int64]:
        """Many events of a thread in the order in which they were read. The number of each, -1 for ends: int64[e]."""
        size = len(added.kind)
        self._budget.spend(count=size, size=size * 29)
        calls = added.kind != END
        number = np.where(calls, self._numbers + np.cumsum(calls) - 1, -1).astype(np.int64)
        self._numbers += int(np.count_nonzero(calls))
        events = self._events[thread]
        events.kind.frombytes(np.ascontiguousarray(added.kind, np.uint8).tobytes())
        events.function.frombytes(np.ascontiguousarray(added.function, np.uint32).tobytes())
        events.time.frombytes(np.ascontiguousarray(added.time, np.int64).tobytes())
        events.finish.frombytes(np.ascontiguousarray(added.finish, np.int64).tobytes())
        events.number.frombytes(number.tobytes())
        return number

    def _add(self, thread: int, kind: int, function: int, time: int, finish: int) -> None:
        self._unpaid += 1
        if self._unpaid == 4096:
            self._budget.spend(count=4096, size=4096 * 29)
            self._unpaid = 0
        events = self._events[thread]
        events.kind.append(kind)
        events.function.append(function)
        events.time.append(_within(time))
        events.finish.append(finish)
        if kind == END:
            events.number.append(-1)
        else:
            events.number.append(self._numbers)
            self._numbers += 1

    def build(self, given: GivenEvents | None = None) -> Built:
        """The calls. The events are given up: nothing can be added after it.

        given  whole columns of events, in place of what was added one by one; then `Built.row` is empty
        """
        if given is None:
            row = np.zeros(self._numbers, np.int64)
            numbers = [np.frombuffer(events.number, np.int64) for events in self._events]

            def note(thread: int, _: ThreadEvents, rows: npt.NDArray[np.uint32]) -> None:
                begun = numbers[thread] >= 0
                row[numbers[thread][begun]] = rows[begun]

            counts = [int(np.count_nonzero(events >= 0)) for events in numbers]
            own = [
                ThreadEvents(
                    np.frombuffer(events.kind, np.uint8),
                    np.frombuffer(events.function, np.uint32),
                    np.frombuffer(events.time, np.int64),
                    np.frombuffer(events.finish, np.int64),
                )
                for events in self._events
            ]
            given = GivenEvents(counts, len(self._functions), iter(own), note)
        else:
            row = np.empty(0, np.int64)
        self._events = []
        lives = [(info.first, info.last) for info in self._infos]
        made = calls_of(given, lives, self.repairs)
        creators = [NO_CALL if info.creator < 0 else int(row[info.creator]) for info in self._infos]
        table = Threads(
            np.array([info.process for info in self._infos], np.int64),
            np.array([info.id for info in self._infos], np.int64),
            tuple(info.name for info in self._infos),
            tuple(info.process_name for info in self._infos),
            tuple(info.kind for info in self._infos),
            np.array([info.sampled for info in self._infos], np.bool_),
            np.array(creators, np.int64),
            made.first,
            made.last,
            made.ptr,
        )
        return Built(made.calls, table, made.open_rows, row)

    def trace(
        self, built: Built, tables: Mapping[str, Table] | None = None, resources: Resources | None = None
    ) -> Trace:
        """The trace of what was built and of tables, whose calls are rows by now (`Built.row`).

        resources  None = processes and their threads
        """
        return Trace(
            self.header,
            self._functions.functions(),
            built.calls,
            built.threads,
            resources or processes_and_threads(built.threads),
            self.pool.strings(),
            built.open_rows,
            {name: table for name, table in (tables or {}).items() if len(table)},
            dict(self.repairs),
            dict(self.omissions),
        )


@dataclass(frozen=True, eq=False)
class ThreadEvents:
    """e events of one thread, in the order in which they were read. See `matching.match`."""

    kind: npt.NDArray[np.uint8]
    function: npt.NDArray[np.uint32]
    time: npt.NDArray[np.int64]
    finish: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GivenEvents:
    """The events of t threads as whole columns.

    calls      how many begins and spans each thread has
    functions  number of functions, in which `ThreadEvents.function` counts
    threads    the events of each, one after the other: those of one thread are let go before the next is asked for
    note       is told of each thread: its number, its events and the row of the call that each begins or ends
               (`NO_ROW` for ends without a begin); None = nobody asks
    """

    calls: Sequence[int]
    functions: int
    threads: Iterator[ThreadEvents]
    note: Callable[[int, ThreadEvents, npt.NDArray[np.uint32]], None] | None = None


@dataclass(frozen=True, eq=False)
class CallsOfThreads:
    """The calls of t threads, each one's life span and first row (`ptr`, t + 1), and open rows."""

    calls: Calls
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    ptr: npt.NDArray[np.int64]
    open_rows: npt.NDArray[np.uint32]


def calls_of(given: GivenEvents, lives: Sequence[tuple[int, int]], repairs: Counter[str]) -> CallsOfThreads:
    """Match the events of each thread.

    lives    first and last time known of each thread without its events; (large, small) = none
    repairs  what had to be mended is added
    """
    ptr = np.zeros(len(given.calls) + 1, np.int64)
    np.cumsum(given.calls, out=ptr[1:])
    total = int(ptr[-1])
    if total >= 2**32 - 1:
        raise ValueError("more calls than rows of 32 bits can number")
    function, end_row = np.empty(total, np.uint32), np.empty(total, np.uint32)
    start, end = np.empty(total, np.int64), np.empty(total, np.int64)
    depth: npt.NDArray[np.uint16] | npt.NDArray[np.uint32] = np.empty(total, np.uint16)
    is_open = np.zeros(total, np.bool_)
    first, last = np.zeros(len(given.calls), np.int64), np.zeros(len(given.calls), np.int64)
    counts = np.zeros(len(REPAIRS), np.int64)
    begun = np.zeros(given.functions, np.int64)
    for thread, events in enumerate(given.threads):
        low, high = int(ptr[thread]), int(ptr[thread + 1])
        known = surveyed(events)
        if known.late:  # of spans nobody expects it: they are written when they end, as a rule
            repairs[OUT_OF_ORDER] += known.late
        from_, to = min(known.first, lives[thread][0]), max(known.last, lives[thread][1])
        first[thread], last[thread] = (from_, to) if from_ <= to else (0, 0)
        row_of = np.empty(len(events.kind) if given.note else 0, np.uint32)
        out = (function[low:high], start[low:high], end[low:high])
        rest = (end_row[low:high], is_open[low:high], row_of)
        before = counts.copy()
        asked = (begun, low, int(last[thread]))
        deepest = _write_calls(events, known, *asked, *out, depth[low:high], *rest, counts)
        if deepest - 1 > _DEEPEST_SHORT and depth.dtype == np.uint16:
            depth = depth.astype(np.uint32)
            counts[:] = before
            _write_calls(events, known, *asked, *out, depth[low:high], *rest, counts)
        if given.note is not None:
            given.note(thread, events, row_of)
        del events, row_of, rest  # before the next thread's are read
    for name, count in zip(REPAIRS, counts.tolist(), strict=True):
        if count:
            repairs[name] += count
    calls = Calls(function, start, end, depth, end_row)
    return CallsOfThreads(calls, first, last, ptr, np.flatnonzero(is_open).astype(np.uint32))


class Survey(NamedTuple):
    """What `matching.survey` finds. Without events `first` is large and `last` small."""

    steps: int
    late: int
    spans: int
    by_start: int
    by_end: int
    first: int
    last: int


def surveyed(events: ThreadEvents) -> Survey:
    """Look at the events of a thread once."""
    found = np.zeros(len(Survey._fields), np.int64)
    survey(events.kind, events.time, events.finish, found)
    return Survey(*found.tolist())


def _write_calls(  # noqa: PLR0913 -- what `match` takes
    events: ThreadEvents,
    known: Survey,
    begun: npt.NDArray[np.int64],
    base: int,
    last: int,
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    depth: npt.NDArray[Any],
    end_row: npt.NDArray[np.uint32],
    is_open: npt.NDArray[np.bool_],
    row_of: npt.NDArray[np.uint32],
    counts: npt.NDArray[np.int64],
) -> int:
    """Write the calls of one thread into columns, without `match` where spans were written when they ended."""
    out = (function, start, end, depth, end_row)
    if (known.steps and not known.spans and not known.late) or (not known.steps and known.by_start):
        order = np.empty(0, np.uint32)
    elif not known.steps and known.by_end:
        size = np.empty(known.spans, np.uint32)
        ended = (size, events.function, events.time, events.finish, base, *out)
        if sizes_of_ended(events.time, events.finish, size):
            return calls_of_ended(*ended, row_of)
        rows, order = np.empty(known.spans, np.uint32), np.empty(known.spans, np.uint32)
        calls_of_ended(*ended, rows)
        order[rows - np.uint32(base)] = np.arange(known.spans)
        starts = events.time[order]
        if bool((starts[1:] < starts[:-1]).any()):  # a span begins in the middle of one that ended before
            order = time_order(events, known)
    else:
        order = time_order(events, known)
    asked = (events.kind, events.function, events.time, events.finish, order, begun, base, last)
    return match(*asked, *out, is_open, row_of, counts)


def time_order(events: ThreadEvents, known: Survey) -> npt.NDArray[np.uint32]:
    """The order of the events in time, uint32[e].

    Begins and ends of equal time stay as they were read. Spans of equal start stand longest first, behind them.
    """
    spans = events.kind == SPAN
    ordinary, longest_first = np.flatnonzero(~spans), np.flatnonzero(spans)
    if not known.by_start:
        longest_first = longest_first[np.lexsort((-events.finish[spans], events.time[spans]))]
    rows = np.concatenate((ordinary, longest_first))
    return rows[np.argsort(events.time[rows], kind="stable")].astype(np.uint32)


def processes_and_threads(threads: Threads) -> Resources:
    """The tree of processes and their threads, in the order in which they come."""
    rows: dict[int, int] = {}
    names: list[str] = []
    kinds: list[str] = []
    parents: list[int] = []
    of: list[int] = []
    for thread in range(len(threads)):
        process = int(threads.process[thread])
        if process not in rows:
            rows[process] = len(names)
            names.append(threads.process_name[thread] or str(process))
            kinds.append("process")
            parents.append(-1)
            of.append(-1)
        names.append(threads.name[thread] or str(int(threads.id[thread])))
        kinds.append(threads.kind[thread])
        parents.append(rows[process])
        of.append(thread)
    return Resources(tuple(names), tuple(kinds), np.array(parents, np.int32), np.array(of, np.int32))


def _within(number: int) -> int:
    """The number, or the nearest that 64 bits hold."""
    return max(_LEAST, min(_MOST, number))
