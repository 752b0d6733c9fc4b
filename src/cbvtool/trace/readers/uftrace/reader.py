"""A folder that `uftrace record` wrote, to a trace: the raw records, in which calls that never returned stay open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import Built, ThreadEvents, TraceBuilder, processes_and_threads
from cbvtool.trace.making.matching import BEGIN, END
from cbvtool.trace.making.roles import NO_ARGUMENT, Role
from cbvtool.trace.model.table import NO_ROW, Table
from cbvtool.trace.model.trace import Resources
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.readers.uftrace.arguments import Layouts, RecordedValue, specifications
from cbvtool.trace.readers.uftrace.creators import creators_of
from cbvtool.trace.readers.uftrace.folder import Info, RecordingFolder
from cbvtool.trace.readers.uftrace.places import object_names, thread_names, waiting_places
from cbvtool.trace.readers.uftrace.records import ENTRY, EVENT, EXIT, LOST, Numbers, fields, find_records
from cbvtool.trace.readers.uftrace.scheduling import OFF_CPU, PREEMPTED, Absences, absences, read_scheduling
from cbvtool.trace.readers.uftrace.symbols import NativeSymbol, NativeSymbols
from cbvtool.trace.readers.uftrace.synchronisation import RETURNS_BYTES, ROLES, shown
from cbvtool.trace.readers.uftrace.unfinished import unfinished_waits

NAME = "uftrace"
LABEL = "uftrace folder"

_DATA = re.compile(r"(\d{1,18})\.dat$")
_TASK = re.compile(r"(TASK|FORK|SESS|DLOP) timestamp=(\d{1,9})\.(\d{9}) (.*)$")
_FIELD = re.compile(r'(\w+)=(?:"(.*)"|(\S+))')
_BLOCK = 1 << 25  # bytes that are read at once
_MARGIN = 1 << 14  # words: more than the data of one record
_AT_ONCE = 1 << 20  # records
_NS = 10**9

_LOST = "records that uftrace lost"
_SKIPPED = "bytes that are no records"
_EVENTS = "events other than scheduling"
_NO_OBJECT = "waits, releases, reads and writes whose object was not recorded"
_NO_LAYOUT = "arguments and return values of unknown length"
_NO_CALL = "return values of unknown calls"
_KERNEL = "files with calls of the kernel"
_TASKS = "lines of task.txt that cannot be read"


@dataclass
class _Use:
    """A call that waits, releases, reads or writes, by its number; `time` is when it began."""

    role: Role
    number: int
    process: int
    id: int


@dataclass
class _Returned:
    """A value that a call returned: found by when it ended."""

    thread: int
    function: int
    time: int
    text: str
    value: int
    is_size: bool


@dataclass
class _Found:
    """What records say beside calls. Calls are numbers of the builder."""

    uses: list[_Use] = field(default_factory=list)
    arguments: list[tuple[int, int, int]] = field(default_factory=list)  # call, name and value as texts
    returned: list[_Returned] = field(default_factory=list)


def sniff(source: TraceSource) -> bool:
    """Whether the folder holds records of threads, and one of the files that describe them."""
    return any(_DATA.match(name) for name in source.names) and not {"info", "task.txt"}.isdisjoint(source.names)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace of all processes of the recording.

    Names are qualified names without template arguments, as uftrace shows them. Calls of locks, conditions and files
    whose addresses were recorded fill the tables `objects`, `waits`, `releases` and `io`; scheduling becomes states of
    the threads' resources. Functions of libraries that a program calls have no module: the recording does not say
    which one they come from.
    """
    builder = TraceBuilder(NAME, budget)
    folder = RecordingFolder(source, budget, builder.omissions)
    info = folder.info()
    symbols = NativeSymbols(folder, budget)
    tasks = _read_tasks(folder, symbols, builder.omissions)
    names = [name for name in source.names if _DATA.match(name)]
    if kernel := sum(name.startswith("kernel-cpu") for name in source.names):
        builder.omissions[_KERNEL] += kernel
    reading = _Reading(builder, symbols, _layouts(info), info, budget)
    total, done = sum(folder.size(name) for name in names), 0
    for name in names:
        id = int(name.removesuffix(".dat"))
        thread = _Thread(reading, tasks.get(id, id), id)
        for block in folder.blocks(name, _BLOCK):
            progress("Reading records", done, total)
            thread.add(block)
            done += len(block)
        thread.finish()
    scheduled = read_scheduling(folder, budget, builder.omissions)
    gone = absences(scheduled, builder.repairs)
    rows = {id: builder.thread(tasks.get(id, id), id) for id in {int(name[:-4]) for name in names} | tasks.keys()}
    for id, row in rows.items():
        builder.name_thread(row, scheduled.names.get(id, ""), PurePosixPath(info.text("exename")).name)
    for id, start, end in zip(gone.thread.tolist(), gone.start.tolist(), gone.end.tolist(), strict=True):
        if id in rows:
            builder.alive(rows[id], start)
            builder.alive(rows[id], max(start, end))
    if not reading.records and not len(gone.thread):
        raise UnreadableTrace("it has no records")
    _describe(builder, info)
    progress("Building calls", 0, 0)
    built = builder.build()
    creating = np.array(sorted(reading.creating), np.uint32)
    creators = creators_of(built.calls, built.threads, creating)
    named = thread_names(built.calls, built.threads, builder.function_names())
    built = replace(built, threads=replace(built.threads, creator=creators, name=named))
    resources = processes_and_threads(built.threads)
    tables = _tables(reading, built)
    tables["waits"] = _with_unfinished(tables["waits"], gone, rows, built)
    tables["links"] = _links(built, builder)
    tables["states"] = _states(gone, rows, built, resources, builder)
    return [builder.trace(built, tables, resources)]


def _read_tasks(folder: RecordingFolder, symbols: NativeSymbols, omissions: Counter[str]) -> dict[int, int]:
    """The process of each thread; sessions, libraries and forks go to `symbols`."""
    tasks: dict[int, int] = {}
    libraries = []
    for line in folder.lines("task.txt"):
        found = _TASK.match(line)
        fields = {name: quoted or plain for name, quoted, plain in _FIELD.findall(found[4])} if found else {}
        try:
            time = int(found[2]) * _NS + int(found[3]) if found else 0
            if found is None:
                omissions[_TASKS] += 1
            elif found[1] == "TASK":
                tasks[int(fields["tid"][:18])] = int(fields["pid"][:18])
            elif found[1] == "FORK":
                process = int(fields["pid"][:18])
                tasks.setdefault(process, process)
                symbols.add_fork(process, int(fields["ppid"][:18]))
            elif found[1] == "SESS":
                symbols.add_session(int(fields["pid"][:18]), time, fields["sid"])
            else:
                libraries.append((fields["sid"], int(fields["base"][:16], 16), fields["libname"]))
        except (KeyError, ValueError):
            omissions[_TASKS] += 1
    for library in libraries:
        symbols.add_library(*library)
    return tasks


def _layouts(info: Info) -> Layouts:
    given = [
        one
        for key, automatic in (("argspec", False), ("retspec", False), ("argauto", True), ("retauto", True))
        for text in info.lines.get(key, [])
        if not text.startswith("lines=") and (not automatic or info.text("auto-args") == "1")
        for one in specifications(text, automatic=automatic, word=info.word)
    ]
    return Layouts(given, info.text("pattern_type") or "regex")


class _Reading:
    """What all threads share."""

    def __init__(
        self, builder: TraceBuilder, symbols: NativeSymbols, layouts: Layouts, info: Info, budget: Budget
    ) -> None:
        self.builder, self.symbols, self.budget = builder, symbols, budget
        self._layouts, self._automatic = layouts, info.text("auto-args") == "1"
        self.found = _Found()
        self.records = 0
        self._of: dict[NativeSymbol, tuple[tuple[RecordedValue, ...], tuple[RecordedValue, ...]]] = {}
        self.roles: dict[int, tuple[Role, ...]] = {}  # by function
        self.sizes: set[int] = set()  # functions that return how many bytes they read or wrote
        self.creating: set[int] = set()  # functions that create a thread
        self._unpaid = 0

    def values(self, symbol: NativeSymbol | None) -> tuple[tuple[RecordedValue, ...], tuple[RecordedValue, ...]]:
        """The arguments and return values that were recorded of a function."""
        if symbol is None:
            return (), ()
        if symbol not in self._of:
            entry, leave = self._layouts.of((symbol.name, symbol.mangled))
            if self._automatic and (symbol.arguments or symbol.returned):
                entry, leave = symbol.arguments or entry, symbol.returned or leave
            self._of[symbol] = entry, leave
        return self._of[symbol]

    def function(self, symbol: NativeSymbol | None, address: int) -> int:
        """The row of a function; one without a name is called by its address."""
        if symbol is None:
            return self.builder.function(hex(address))
        row = self.builder.function(symbol.name, symbol.module, symbol.file, symbol.line)
        if symbol.name == "pthread_create":
            self.creating.add(row)
        if symbol.name in ROLES and row not in self.roles:
            self.roles[row] = ROLES[symbol.name]
            if symbol.name in RETURNS_BYTES:
                self.sizes.add(row)
        return row

    def spend(self) -> None:
        """Count one value that is kept."""
        self._unpaid += 1
        if self._unpaid == 1024:
            self.budget.spend(count=1024, size=1024 * 200)
            self._unpaid = 0


class _Thread:
    """The records of one thread, block by block."""

    def __init__(self, reading: _Reading, process: int, id: int) -> None:
        self._all, self._process = reading, process
        self._row = reading.builder.thread(process, id)
        self._rest = b""
        self._functions: dict[tuple[int, int], int] = {}  # (number of the session, address)

    def add(self, block: bytes) -> None:
        """The next bytes of the file."""
        data = self._rest + block
        self._rest = data[self._read(data, last=False) :]

    def finish(self) -> None:
        """The file ends."""
        used = self._read(self._rest, last=True)
        if left := len(self._rest) - used:
            self._all.builder.omissions[_SKIPPED] += left

    def _read(self, data: bytes, *, last: bool) -> int:
        """Take the records of a block but for its end, unless it is the last one; return how many bytes they are."""
        words = np.frombuffer(data, "<u8", len(data) // 8)
        stop = len(words) if last else len(words) - _MARGIN
        if stop <= 0:
            return 0
        layouts = self._layouts_in(words)
        at, behind = np.empty(min(_AT_ONCE, stop), np.int64), np.empty(min(_AT_ONCE, stop), np.int64)
        word = 0
        while word < stop:
            count, word, skipped = find_records(words, layouts, at, behind, word, stop)
            if skipped:
                self._all.builder.omissions[_SKIPPED] += skipped * 8
            if not count:
                break
            self._add(words, at[:count], behind[:count])
        return word * 8

    def _layouts_in(self, words: npt.NDArray[np.uint64]) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
        """Sizes of the values behind the records of all addresses that may be in these words: see `find_records`."""
        likely = words[(words & np.uint64(0b111110)) == np.uint64(0b101100)]  # entry or exit, more, magic
        addresses = np.unique(likely >> np.uint64(16)).astype(np.int64)
        times = [int(words[0]) if words[0] < 2**63 else 0, *self._all.symbols.starts(self._process)]
        entries: list[int] = []
        exits: list[int] = []
        ptr, sizes = [0], []
        for address in addresses.tolist():
            found = (self._all.values(self._all.symbols.find(self._process, time, address)) for time in times)
            entry, leave = next((pair for pair in found if pair != ((), ())), ((), ()))
            for values, rows in ((entry, entries), (leave, exits)):
                rows.append(len(ptr) - 1 if values else -1)
                if values:
                    sizes += [value.size for value in values]
                    ptr.append(len(sizes))
        lengths = np.array(sizes, np.int64)
        return addresses, np.array(entries, np.int64), np.array(exits, np.int64), np.array(ptr, np.int64), lengths

    def _add(self, words: npt.NDArray[np.uint64], at: npt.NDArray[np.int64], behind: npt.NDArray[np.int64]) -> None:
        """Give records to the builder."""
        omissions = self._all.builder.omissions
        time, kind, address = fields(words, at)
        self._all.records += len(at)
        lost = kind == LOST
        if lost.any():
            omissions[_LOST] += int(address[lost].sum())
        if events := int(np.count_nonzero(kind == EVENT)):
            omissions[_EVENTS] += events
        calls = np.flatnonzero((kind == ENTRY) | (kind == EXIT))
        time, kind, address, behind = time[calls], kind[calls], address[calls], behind[calls]
        function = self._functions_of(time, address)
        size = len(calls)
        events_ = ThreadEvents(
            np.where(kind == ENTRY, BEGIN, END).astype(np.uint8), function, time, np.zeros(size, np.int64)
        )
        number = self._all.builder.bulk(self._row, events_)
        self._add_values(words, time, kind, address, behind, function, number)

    def _functions_of(self, time: npt.NDArray[np.int64], address: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """The function of each record, by its address and the session that it was in."""
        starts = np.array(self._all.symbols.starts(self._process), np.int64)
        session = np.searchsorted(starts, time, "right")
        function = np.zeros(len(time), np.uint32)
        for one in np.unique(session).tolist():
            rows = np.flatnonzero(session == one)
            distinct, of = np.unique(address[rows], return_inverse=True)
            when = int(time[rows[0]])
            function[rows] = np.array([self._function(one, when, each) for each in distinct.tolist()], np.uint32)[of]
        return function

    def _function(self, session: int, time: int, address: int) -> int:
        key = (session, address)
        if key not in self._functions:
            symbol = self._all.symbols.find(self._process, time, address)
            self._functions[key] = self._all.function(symbol, address)
        return self._functions[key]

    def _add_values(
        self,
        words: npt.NDArray[np.uint64],
        time: npt.NDArray[np.int64],
        kind: npt.NDArray[np.uint8],
        address: npt.NDArray[np.int64],
        behind: npt.NDArray[np.int64],
        function: npt.NDArray[np.uint32],
        number: npt.NDArray[np.int64],
    ) -> None:
        """Take arguments and return values, and what they say of objects."""
        reading = self._all
        roles = np.isin(function, np.array(list(reading.roles), np.uint32)) & (kind == ENTRY)
        for row in np.flatnonzero((behind >= 0) | roles).tolist():
            reading.spend()
            of, entry = int(function[row]), kind[row] == ENTRY
            symbol = reading.symbols.find(self._process, int(time[row]), int(address[row]))
            layout = reading.values(symbol)[0 if entry else 1] if behind[row] >= 0 else ()
            values = _values(words, int(behind[row]), layout)
            if behind[row] >= 0 and not layout:
                reading.builder.omissions[_NO_LAYOUT] += 1
            if entry:
                self._add_arguments(values, reading.roles.get(of, ()), int(number[row]))
            else:
                for _, text, value in values:
                    is_size = of in reading.sizes
                    reading.found.returned.append(_Returned(self._row, of, int(time[row]), text, value, is_size))

    def _add_arguments(
        self, values: list[tuple[RecordedValue, str, int]], roles: tuple[Role, ...], number: int
    ) -> None:
        reading = self._all
        pool = reading.builder.pool
        for value, text, _ in values:
            reading.found.arguments.append((number, pool.number(value.name), pool.number(text)))
        ids = {str(value.number): id for value, _, id in values if not value.floating}
        for role in roles:
            if role.argument in ids or role.argument == NO_ARGUMENT:
                reading.found.uses.append(_Use(role, number, self._process, ids.get(role.argument, 0)))
            else:
                reading.builder.omissions[_NO_OBJECT] += 1


def _values(
    words: npt.NDArray[np.uint64], word: int, layout: Iterable[RecordedValue]
) -> list[tuple[RecordedValue, str, int]]:
    """The values that begin at a word, each as (what it is, text, number)."""
    result = []
    at = 0
    data = b""
    for value in layout:
        if len(data) < at + 80:
            data = words[word : word + (at >> 3) + 64].tobytes()
        size = value.size
        if size < 0:
            size = int.from_bytes(data[at : at + 2], "little")
            at += 2
            if len(data) < at + size:
                data = words[word : word + ((at + size) >> 3) + 64].tobytes()
        if at + size > len(data):
            break
        text, number = shown(value, data[at : at + size])
        result.append((value, text, min(max(number, -(2**63)), 2**63 - 1)))
        at += size
        at += -at & 3
    return result


def _tables(reading: _Reading, built: Built) -> dict[str, Table]:
    """The tables of what was found, calls as rows."""
    found, pool = reading.found, reading.builder.pool
    calls, row = built.calls, built.row
    returned, sizes = _returns(reading, built)
    objects: dict[tuple[int, int, str], int] = {}
    waits: list[tuple[int, int]] = []
    releases: list[tuple[int, int]] = []
    transfers: list[tuple[int, int, bool]] = []
    for use in found.uses:
        thing = objects.setdefault((use.process, use.id, use.role.kind), len(objects))
        call = int(row[use.number])
        if use.role.does == "waits":
            waits.append((call, thing))
        elif use.role.does == "releases":
            releases.append((call, thing))
        else:
            transfers.append((call, thing, use.role.does == "writes"))
    waiting, releasing = np.array(waits, np.int64).reshape(-1, 2), np.array(releases, np.int64).reshape(-1, 2)
    moving = np.array([(call, thing) for call, thing, _ in transfers], np.int64).reshape(-1, 2)
    arguments = np.array(found.arguments, np.int64).reshape(-1, 3)
    place = waiting_places(calls, reading.builder.functions, waiting[:, 0], reading.roles)
    time = (calls.end - calls.start)[waiting[:, 0]]
    named = object_names(list(objects), waiting[:, 1], time, place, reading.builder.function_names())
    named = ["sleep" if kind == "timer" else name for name, (_, _, kind) in zip(named, objects, strict=True)]
    return {
        "objects": Table(
            {
                "process": np.array([process for process, _, _ in objects], np.int64),
                "id": np.array([id for _, id, _ in objects], np.int64),
                "kind": np.array([pool.number(kind) for _, _, kind in objects], np.uint32),
                "name": np.array([pool.number(name) for name in named], np.uint32),
            }
        ),
        "waits": Table(
            {
                "call": waiting[:, 0].astype(np.uint32),
                "object": waiting[:, 1].astype(np.uint32),
                "start": calls.start[waiting[:, 0]],
                "end": calls.end[waiting[:, 0]],
                "all": np.zeros(len(waiting), np.bool_),
            }
        ),
        "releases": Table(
            {
                "call": releasing[:, 0].astype(np.uint32),
                "object": releasing[:, 1].astype(np.uint32),
                "time": calls.start[releasing[:, 0]],
            }
        ),
        "io": Table(
            {
                "call": moving[:, 0].astype(np.uint32),
                "object": moving[:, 1].astype(np.uint32),
                "start": calls.start[moving[:, 0]],
                "end": calls.end[moving[:, 0]],
                "bytes": np.array([sizes.get(call, -1) for call in moving[:, 0].tolist()], np.int64),
                "write": np.array([write for _, _, write in transfers], np.bool_),
            }
        ),
        "arguments": Table(
            {
                "call": row[arguments[:, 0]].astype(np.uint32),
                "name": arguments[:, 1].astype(np.uint32),
                "value": arguments[:, 2].astype(np.uint32),
            }
        ),
        "returns": returned,
    }


def _returns(reading: _Reading, built: Built) -> tuple[Table, dict[int, int]]:
    """What calls returned, and the bytes that those of reads and writes say. A call is known by when it ended."""
    calls, pool = built.calls, reading.builder.pool
    by_end: dict[int, npt.NDArray[np.int64]] = {}
    rows: list[int] = []
    texts: list[int] = []
    sizes: dict[int, int] = {}
    for one in reading.found.returned:
        low, high = built.threads.ptr[one.thread : one.thread + 2].tolist()
        end = calls.end[low:high]
        if one.thread not in by_end:
            by_end[one.thread] = np.argsort(end, kind="stable")
        order = by_end[one.thread]
        place = int(np.searchsorted(end, one.time, sorter=order))
        while place < len(order) and end[order[place]] == one.time:
            call = low + int(order[place])
            if calls.function[call] == one.function:
                rows.append(call)
                texts.append(pool.number(one.text))
                if one.is_size and one.value >= 0:
                    sizes[call] = one.value
                break
            place += 1
        else:
            reading.builder.omissions[_NO_CALL] += 1
    return Table({"call": np.array(rows, np.uint32), "value": np.array(texts, np.uint32)}), sizes


def _with_unfinished(waits: Table, gone: Absences, rows: dict[int, int], built: Built) -> Table:
    """The waits, and those that never ended, of unknown objects."""
    thread = np.array([rows.get(id, -1) for id in gone.thread.tolist()], np.int64)
    own = (thread >= 0) & ~gone.preempted
    given = thread[own], gone.start[own], gone.end[own]
    call, start = unfinished_waits(built.calls, built.threads, built.open_rows, *given)
    more: dict[str, npt.NDArray[Any]] = {
        "call": call.astype(np.uint32),
        "object": np.full(len(call), NO_ROW, np.uint32),
        "start": start,
        "end": built.calls.end[call],
        "all": np.zeros(len(call), np.bool_),
    }
    return Table({name: np.concatenate((waits[name], column)) for name, column in more.items()})


def _links(built: Built, builder: TraceBuilder) -> Table:
    """From each call that created a thread to the first call of that thread."""
    calls, threads = built.calls, built.threads
    made = np.flatnonzero((threads.creator >= 0) & (np.diff(threads.ptr) > 0))
    source, target = threads.creator[made], threads.ptr[made]
    return Table(
        {
            "source": source.astype(np.uint32),
            "target": target.astype(np.uint32),
            "kind": np.full(len(made), builder.pool.number("spawn"), np.uint32),
            "source_time": np.minimum(calls.end[source], calls.start[target]),
            "target_time": calls.start[target],
        }
    )


def _states(gone: Absences, rows: dict[int, int], built: Built, resources: Resources, builder: TraceBuilder) -> Table:
    """When threads were off the processor, as states of their resources; one that never came back lasts to its end."""
    resource = np.full(len(built.threads), -1, np.int32)
    of_thread = np.flatnonzero(resources.thread >= 0)
    resource[resources.thread[of_thread]] = of_thread
    thread = np.array([rows.get(id, -1) for id in gone.thread.tolist()], np.int64)
    known = thread >= 0
    thread = thread[known]
    end = np.where(gone.end[known] < 0, built.threads.last[thread], gone.end[known])
    names = np.array([builder.pool.number(OFF_CPU), builder.pool.number(PREEMPTED)], np.uint32)
    return Table(
        {
            "resource": resource[thread],
            "start": gone.start[known],
            "end": end,
            "name": names[gone.preempted[known].astype(np.int64)],
            "nested": np.zeros(len(thread), np.bool_),
        }
    )


def _describe(builder: TraceBuilder, info: Info) -> None:
    machine = [line.partition("=")[2] for key in ("osinfo", "cpuinfo") for line in info.lines.get(key, [])[1:]]
    parameters = {
        "command": info.text("cmdline"),
        "exit status": info.text("exit_status"),
        "date": info.text("record_date"),
    }
    builder.describe(
        program=info.text("exename"),
        machine=", ".join(machine),
        clock="monotonic",
        recorder=f"uftrace {info.text('uftrace_version').partition(' ')[0]}".strip(),
        parameters={key: value for key, value in parameters.items() if value},
    )
