"""Make a trace of a Chrome trace document that was scanned: threads, tracks, samples, functions and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import GivenEvents, ThreadEvents, TraceBuilder
from cbvtool.trace.making.matching import ANY_FUNCTION, BEGIN, END
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.chrome import scan as s
from cbvtool.trace.readers.chrome import tables
from cbvtool.trace.readers.chrome.content import TraceDocument
from cbvtool.trace.readers.chrome.decoding import decoded, record
from cbvtool.trace.readers.chrome.names import UNNAMED, FunctionName, function_name, hermes_place, text_of
from cbvtool.trace.readers.chrome.others import ASYNC_BEGINS, ASYNC_ENDS, MARKS, PIECES, Lane, Others, lanes, names_of
from cbvtool.trace.readers.chrome.samples import SampledThread, chromium_profiles, events_of, hermes_samples

NAME = "chrome"
REPAIRS = {
    s.BACKWARD: "spans that end before they begin",
    s.BEYOND: "times that 64 bits do not hold",
    s.ENDLESS: "spans without a duration",
    s.PARTED: "events without a process or thread",
}
OMISSIONS = {
    s.STRAY: "elements that are no events",
    s.BAD: "events that are no JSON",
    s.TIMELESS: "events without a time",
    s.ARGUMENTS: "arguments of calls, for their size",
    s.BOUND: "flows that are bound by bind_id",
}
_KINDS = {"O": "snapshots of objects", "N": "objects made", "D": "objects given up", "V": "dumps of memory"}
_KINDS |= {"v": "dumps of memory", "c": "synchronized clocks", "(": "contexts", ")": "contexts"}


def trace_of(document: TraceDocument, budget: Budget) -> Trace | None:
    """The trace of a document; None if it holds no events. Raises OverBudget and Cancelled."""
    builder, others = TraceBuilder(NAME, budget), Others(document)
    _count(document, builder)
    _describe(document, builder)
    ids = _Ids(document.threads.pairs())
    names = _Names(document, others, ids, builder)
    own = _threads(document, others, ids, names, builder)
    tracks = lanes(others, [process for process, _ in ids.pairs], builder.omissions)
    first_track = len(own)
    events = [_lane_events(number, lane, others, ids, names, builder) for number, lane in enumerate(tracks)]
    seen: set[int | None] = set(own)
    for thread in _samples(document, others, ids, builder):
        seen.add(_enter_sampled(thread, ids, names, builder))
        events.append(events_of(thread, builder, budget))
    if silent := len(names.threads.keys() - seen):
        builder.omissions["threads without events"] += silent
    functions, places = _functions(document, builder)
    if places:  # all functions are named before calls are matched
        for number in own:
            read, its_arguments, _ = document.store.events(number)
            if its_arguments is not None:
                _placed(read.function, its_arguments, places, document, builder)
    if not own and not events and not len(document.others):
        return None
    arguments, cpu = tables.ArgumentRows(builder.omissions), tables.CpuTimes()
    sparse: dict[int, tuple[Any, Any]] = {}  # arguments and CPU times of the thread that is matched

    def threads() -> Iterator[ThreadEvents]:
        for row, thread in enumerate(own):
            budget.spend()
            read, its_arguments, its_cpu = document.store.events(thread)
            sparse.clear()
            sparse[row] = its_arguments, its_cpu
            function = functions[read.function]
            function[(read.kind == END) & (read.function == 0)] = ANY_FUNCTION
            if its_arguments is not None and places:
                placed, better = _placed(read.function, its_arguments, places, document, builder)
                function[placed] = better
            yield ThreadEvents(read.kind, function, read.time, read.finish)
            del read, function
        sparse.clear()
        yield from events

    def note(row: int, events: ThreadEvents, calls: npt.NDArray[np.uint32]) -> None:
        its_arguments, its_cpu = sparse.get(row, (None, None))
        if its_arguments is not None:
            arguments.add(calls, its_arguments)
        if its_cpu is not None:
            cpu.add(events.kind, calls, its_cpu)

    most = max(len(document.store.calls), len(ids.pairs))  # the last threads may have marks alone
    calls = np.zeros(most + 1, np.int64)
    calls[: len(document.store.calls)] = document.store.calls
    counts = calls[own].tolist() + [int(np.count_nonzero(part.kind != END)) for part in events]
    given = GivenEvents(counts, builder.functions, threads(), note if document.sparse else None)
    built = builder.build(given)
    column = cpu.column(len(built.calls))
    if column is not None:
        built = replace(built, calls=replace(built.calls, cpu=column))
    rows = np.full(len(ids.pairs) + 1, -1, np.int64)
    rows[own] = np.arange(len(own))
    found = arguments.tables(document.texts, builder)
    found["links"] = tables.links(others, builder, built, rows)
    found["instants"] = tables.instants(others, tracks, first_track, builder, built, rows)
    processes = {thread: ids.process(thread) for thread in range(len(ids.pairs))}
    found["counters"], resources = tables.counters(others, builder, built, processes)
    return builder.trace(built, found, resources)


class _Ids:
    """Ids of processes and threads as numbers. Those that are texts or missing get numbers that no other has.

    pairs  (process, thread) as the scan has them, by thread of the document
    """

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self.pairs = pairs
        self._taken = {number for pair in pairs for number in pair}
        self._given: dict[int, int] = {}

    def process(self, thread: int) -> int:
        """Id of the process of a thread."""
        return self._number(self.pairs[thread][0])

    def thread(self, thread: int) -> int:
        """Id of a thread."""
        return self._number(self.pairs[thread][1])

    def find(self, process: int, thread: int) -> int | None:
        """The thread of the document with these ids; None = it has no event."""
        return next((row for row, pair in enumerate(self.pairs) if pair == (process, thread)), None)

    def _number(self, id: int) -> int:
        if id > s.ABSENT:
            return id
        if id not in self._given:
            self._given[id] = next(
                number for number in range(0, -len(self._taken) - 2, -1) if number not in self._taken
            )
            self._taken.add(self._given[id])
        return self._given[id]


def _count(document: TraceDocument, builder: TraceBuilder) -> None:
    """Say what the scan repaired and left out."""
    builder.omissions.update(document.omissions)
    counts = document.counts.tolist()
    for place, words in REPAIRS.items():
        if counts[place]:
            builder.repairs[words] += counts[place]
    for place, words in OMISSIONS.items():
        if counts[place]:
            builder.omissions[words] += counts[place]
    for byte, count in enumerate(counts[s.KINDS :]):
        if count:
            letter = chr(byte)
            unknown = f'events of the unknown kind "{letter}"' if byte else "events without a kind"
            builder.omissions[_KINDS.get(letter, unknown)] += count


def _describe(document: TraceDocument, builder: TraceBuilder) -> None:
    """Fill the header from what stands beside the events."""
    viztracer = record(decoded(document.values.get(b"viztracer_metadata", b"")))
    parameters: dict[str, str] = {}
    for key in (b"metadata", b"otherData"):
        for name, value in record(decoded(document.values.get(key, b""))).items():
            if isinstance(value, (str, int, float)) and len(parameters) < 100:
                parameters[name] = str(value)[:1000]
    version = viztracer.get("version")
    recorder = f"viztracer {version}" if version else ""
    builder.describe(recorder=recorder, parameters=parameters)


class _Names:
    """Names of threads and processes, by thread of the document."""

    def __init__(self, document: TraceDocument, others: Others, ids: _Ids, builder: TraceBuilder) -> None:
        self.threads, process_names, labels, unknown = names_of(others)
        if unknown:
            builder.omissions["metadata of other kinds"] += unknown
        self._document, self._ids = document, ids
        self._processes: dict[int, str] = {}
        for texts in (process_names, labels):
            for thread, text in texts.items():
                process = ids.pairs[thread][0]
                known = self._processes.get(process, "")
                self._processes[process] = f"{known} [{text}]" if texts is labels and known else text

    def of(self, thread: int) -> tuple[str, str]:
        """Of the thread, and of its process: empty where nobody said it. An id that is a text is a name, too."""
        process, local = self._ids.pairs[thread]
        name = self.threads.get(thread) or self._text(local)
        return name, self._processes.get(process) or self._text(process)

    def _text(self, id: int) -> str:
        return text_of(self._document.texts[s.CODED - id]) if id < s.CODED else ""


def _threads(document: TraceDocument, others: Others, ids: _Ids, names: _Names, builder: TraceBuilder) -> list[int]:
    """Enter the threads that have calls or marks; their numbers in the document."""
    busy = np.zeros(len(ids.pairs), np.bool_)
    busy[: len(document.store.counts)] = document.store.counts > 0
    busy[document.others[others.rows(MARKS), 1]] = True
    own: list[int] = np.flatnonzero(busy).tolist()
    rows = {thread: builder.thread(ids.process(thread), ids.thread(thread)) for thread in own}
    for thread, row in rows.items():
        builder.name_thread(row, *names.of(thread))
    for event in others.of(MARKS):
        builder.alive(rows[event.thread], event.time)
    return own


def _lane_events(
    number: int, lane: Lane, others: Others, ids: _Ids, names: _Names, builder: TraceBuilder
) -> ThreadEvents:
    """Enter a track of asynchronous work; its events."""
    row = builder.thread(ids.process(lane.thread), number, "async")
    name = others.text(lane.category) or others.text(lane.events[0].name)
    builder.name_thread(row, name, names.of(lane.thread)[1])
    steps = [event for event in lane.events if event.kind.encode() in ASYNC_BEGINS + ASYNC_ENDS]
    for event in lane.events:
        builder.alive(row, event.time)
    builder.alive(row, others.last)  # what never ends runs on
    kind = np.array([BEGIN if event.kind.encode() in ASYNC_BEGINS else END for event in steps], np.uint8)
    functions = [
        builder.function(*_place(function_name(others.text(event.name), {}))) if event.name or begins else ANY_FUNCTION
        for event, begins in zip(steps, (kind == BEGIN).tolist(), strict=True)
    ]
    time = np.array([event.time for event in steps], np.int64)
    return ThreadEvents(kind, np.array(functions, np.uint32), time, time)


def _samples(document: TraceDocument, others: Others, ids: _Ids, builder: TraceBuilder) -> list[SampledThread]:
    """Threads of samples: those beside the events, and CPU profiles among them."""
    found = []
    if b"samples" in document.values:
        frames = decoded(document.values.get(b"stackFrames", b""))
        found += hermes_samples(decoded(document.values[b"samples"]), frames, builder)
    profiles = []
    for event in others.of(PIECES):
        name = others.text(event.name)
        if name in ("Profile", "ProfileChunk"):
            arguments = decoded(others.raw(event.arguments))
            place = ids.process(event.thread), ids.thread(event.thread)
            profiles.append((name, *place, others.text(event.id), event.time, arguments))
        else:
            builder.omissions["samples without a stack"] += 1
    return found + chromium_profiles(profiles, builder)


def _enter_sampled(thread: SampledThread, ids: _Ids, names: _Names, builder: TraceBuilder) -> int | None:
    """Enter a thread of samples, which has two rows if it has calls, too; its number in the document."""
    row = builder.another_thread(thread.process, thread.id)
    builder.mark_sampled(row)
    known = ids.find(thread.process, thread.id)
    if known is not None:
        builder.name_thread(row, *names.of(known))
    return known


def _functions(
    document: TraceDocument, builder: TraceBuilder
) -> tuple[npt.NDArray[np.uint32], dict[int, tuple[str, int]]]:
    """Functions by text of a name, and file and line by text of the arguments, which events of Hermes have."""
    known: dict[str, tuple[str, int]] = {}
    for name, place in record(record(decoded(document.values.get(b"file_info", b""))).get("functions")).items():
        if isinstance(place, list) and len(place) == 2 and isinstance(place[0], str) and isinstance(place[1], int):
            known[name] = place[0], place[1]
    texts = document.texts
    names = np.full(len(texts), ANY_FUNCTION, np.uint32)
    for number in np.flatnonzero(document.named).tolist():
        names[number] = builder.function(*_place(function_name(text_of(texts[number]), known)))
    places: dict[int, tuple[str, int]] = {}
    if texts.hold(b'"allocatedName"'):
        for number in range(len(texts)):
            raw = texts[number]
            if b'"allocatedName"' in raw and (found := hermes_place(decoded(raw))) is not None:
                places[number] = found
    return names, places


def _placed(
    name: npt.NDArray[np.uint32],
    arguments: npt.NDArray[np.uint32],
    places: dict[int, tuple[str, int]],
    document: TraceDocument,
    builder: TraceBuilder,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint32]]:
    """Events whose arguments have file and line, and the function of each."""
    rows = np.flatnonzero(np.isin(arguments, np.array(list(places), np.uint32)))
    pairs, which = np.unique(np.stack((name[rows], arguments[rows])), axis=1, return_inverse=True)
    functions = [
        builder.function(text_of(document.texts[text]) or UNNAMED, "", *places[of]) for text, of in pairs.T.tolist()
    ]
    return rows, np.array(functions, np.uint32)[which.reshape(-1)]


def _place(function: FunctionName) -> tuple[str, str, str, int]:
    return function.name, "", function.file, function.line
