"""Kieker's monitoring logs as text: `kieker.map` names the types of records, `*.dat` holds one record a line.

A record is `$type;time of logging;fields`. Read are KiekerMetadataRecord, OperationExecutionRecord (one whole call),
TraceMetadata and the events before and after operations and constructors. Source: the generated record classes of
Kieker (kieker.common.record) and its user guide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.table import Table
from cbvtool.trace.readers.content import whole_number
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "kieker"
LABEL = "Kieker log"
_MAP = "kieker.map"
_RECORD = re.compile(rb"\$\d{1,9};-?\d{1,20};")
_UNITS = {"NANOSECONDS": 1, "MICROSECONDS": 1_000, "MILLISECONDS": 1_000_000, "SECONDS": 1_000_000_000}
_BEFORE = {"BeforeOperationEvent", "BeforeConstructorEvent", "BeforeStaticOperationEvent"}
_BEFORE |= {name.replace("Event", "ObjectEvent") for name in _BEFORE} | {"EntryLevelBeforeOperationEvent"}
_BEFORE |= {"BeforeConstructorObjectInterfaceEvent", "BeforeOperationObjectInterfaceEvent"}
_AFTER = {"AfterOperationEvent", "AfterConstructorEvent", "AfterOperationFailedEvent", "AfterConstructorFailedEvent"}
_AFTER |= {name.replace("Event", "ObjectEvent") for name in _AFTER}
DAMAGED = "damaged records"
NO_TRACE = "events of traces without their TraceMetadata: each such trace is a thread of its own"
UNKNOWN_TYPE = "records of types that kieker.map does not name"
_MOST_SIGNATURES = 1_000_000


@dataclass
class _Whole:
    """A call of an OperationExecutionRecord. `order` and `depth` are Kieker's eoi and ess."""

    order: int
    signature: str
    start: int
    end: int
    host: str


@dataclass
class _Log:
    """What was read so far."""

    made: TraceBuilder
    unit: int = 1
    hosts: dict[str, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)
    executions: dict[int, list[_Whole]] = field(default_factory=lambda: defaultdict(list))
    threads: dict[int, int] = field(default_factory=dict)  # trace -> thread
    spawned: list[tuple[int, int, int]] = field(default_factory=list)  # parent trace, its order, trace
    begun: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # (trace, order) -> number, time
    first: dict[int, tuple[int, int]] = field(default_factory=dict)  # trace -> number and time of its first call
    elsewhere: list[tuple[int, int]] = field(default_factory=list)  # calls on another host than their trace's: host


def sniff(source: TraceSource) -> bool:
    """A folder with `kieker.map` and logs, or a file of records."""
    if source.is_folder:
        return _MAP in source.names and any(name.endswith((".dat", ".dat.gz", ".bin")) for name in source.names)
    return any(_RECORD.match(line) for line in source.head.split(b"\n", 3)[:3])


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace: threads are those of TraceMetadata, or one for each trace of OperationExecutionRecords.

    Its table `call_hosts` (call, host) has the calls that ran on another host than where their trace began.
    """
    folder = source.path if source.is_folder else source.path.parent
    types = _types(folder / _MAP, budget)
    log = _Log(TraceBuilder(NAME, budget))
    names = [name for name in source.names if name.endswith((".dat", ".dat.gz"))] if source.is_folder else [""]
    if not names:
        raise UnreadableTrace("it holds Kieker's binary logs only, and text logs (*.dat) alone are read")
    if binary := sum(name.endswith(".bin") for name in source.names):
        log.made.omissions["binary logs (*.bin)"] += binary
    progress("reading", 0, len(names))
    for done, name in enumerate(names):
        for line in text_lines(TraceSource(folder / name) if name else source, budget):
            _read_record(log, types, line)
        progress("reading", done + 1, len(names))
    _add_executions(log, budget)
    links = list(_links(log))
    built = log.made.build()
    tables = {}
    if links:
        sources, targets, begins, ends = (np.array(column, np.int64) for column in zip(*links, strict=True))
        tables["links"] = Table(
            {
                "source": built.row[sources].astype(np.uint32),
                "target": built.row[targets].astype(np.uint32),
                "kind": np.full(len(links), log.made.pool.number("spawn"), np.uint32),
                "source_time": begins,
                "target_time": ends,
            }
        )
    if log.elsewhere:
        numbers, hosts = (np.array(column, np.int64) for column in zip(*log.elsewhere, strict=True))
        tables["call_hosts"] = Table({"call": built.row[numbers].astype(np.uint32), "host": hosts.astype(np.uint32)})
    if not len(built.calls) and log.made.omissions:
        raise UnreadableTrace("it has no record of a call that can be read")
    return [log.made.trace(built, tables)]


def _types(path: Path, budget: Budget) -> dict[str, str]:
    """Mark of records (`$1`) -> simple name of their type."""
    try:
        pairs = (line.strip().partition("=") for line in text_lines(TraceSource(path), budget))
        return {mark: name.rpartition(".")[2] for mark, equal, name in pairs if equal and mark.startswith("$")}
    except FileNotFoundError:
        raise UnreadableTrace("its kieker.map, which names the types of records, is missing") from None


def _read_record(log: _Log, types: dict[str, str], line: str) -> None:
    if not line.strip():
        return
    mark, *fields = line.split(";")
    made = log.made
    kind = types.get(mark)
    if kind is None:
        made.omissions[UNKNOWN_TYPE if mark.startswith("$") else DAMAGED] += 1
        return
    if kind == "OperationExecutionRecord":
        right = _execution(log, fields[1:])
    elif kind in _BEFORE or kind in _AFTER:
        right = _event(log, fields[1:], begins=kind in _BEFORE)
    elif kind == "TraceMetadata":
        right = _trace(log, fields[1:])
    elif kind == "KiekerMetadataRecord":
        right = _header(log, fields[1:])
    else:
        made.omissions[f"records of type {kind}"] += 1
        return
    if not right:
        made.omissions[DAMAGED] += 1


def _header(log: _Log, fields: list[str]) -> bool:
    """Version; controller; host; experiment; debug mode; time offset; unit of time; number of records."""
    if len(fields) < 7:
        return False
    unit = _UNITS.get(fields[6])
    if unit is None:
        return False
    log.unit = unit
    parameters = {"controller": fields[1], "experiment": fields[3]}
    log.made.describe(recorder=f"Kieker {fields[0]}", machine=fields[2], clock="unix", parameters=parameters)
    return True


def _execution(log: _Log, fields: list[str]) -> bool:
    """Signature; session; trace; start; end; host; order; depth. Commas of a signature are no semicolons."""
    if len(fields) < 8:
        return False
    trace, start, end, order = (whole_number(fields[place]) for place in (2, 3, 4, 6))
    if trace is None or start is None or end is None or order is None:
        return False
    log.executions[trace].append(_Whole(order, fields[0], start * log.unit, end * log.unit, fields[5]))
    return True


def _trace(log: _Log, fields: list[str]) -> bool:
    """Trace; thread; session; host; parent trace; order in the parent."""
    if len(fields) < 4:
        return False
    trace, thread = whole_number(fields[0]), whole_number(fields[1])
    if trace is None or thread is None:
        return False
    log.threads[trace] = _thread(log, fields[3], thread if thread >= 0 else trace)
    parent, order = ([whole_number(text) for text in fields[4:6]] + [None, None])[:2]
    if parent is not None and order is not None and order >= 0 and parent != trace:
        log.spawned.append((parent, order, trace))
    return True


def _event(log: _Log, fields: list[str], *, begins: bool) -> bool:
    """Time; trace; order; signature; class."""
    if len(fields) < 4:
        return False
    time, trace, order = (whole_number(text) for text in fields[:3])
    if time is None or trace is None or order is None:
        return False
    thread = log.threads.get(trace)
    if thread is None:
        log.made.repairs[NO_TRACE] += 1
        thread = log.threads[trace] = _thread(log, "", trace)
    function = _function(log, fields[3])
    if begins:
        number = log.made.begin(thread, function, time * log.unit)
        log.begun[trace, order] = number, time * log.unit
        log.first.setdefault(trace, (number, time * log.unit))
    else:
        log.made.end(thread, time * log.unit, function)
    return True


def _thread(log: _Log, host: str, thread: int) -> int:
    row = log.made.thread(log.hosts.setdefault(host, len(log.hosts)), thread)
    log.made.name_thread(row, process_name=host)
    return row


def _add_executions(log: _Log, budget: Budget) -> None:
    """The calls of each trace in the order in which they were entered, on a thread of the host where it began."""
    for trace, calls in log.executions.items():
        budget.spend()
        calls.sort(key=lambda call: call.order)
        thread = _thread(log, calls[0].host, trace)
        for call in calls:
            function = _function(log, call.signature)
            number = log.made.span(thread, function, call.start, call.end)
            if call.host != calls[0].host:
                log.elsewhere.append((number, log.made.pool.number(call.host)))
    log.executions.clear()


def _links(log: _Log) -> Iterator[tuple[int, int, int, int]]:
    """From the call that began another trace to the first call of that one."""
    for parent, order, trace in log.spawned:
        source, target = log.begun.get((parent, order)), log.first.get(trace)
        if source and target:
            yield source[0], target[0], _within(source[1]), _within(target[1])
        else:
            log.made.omissions["links to calls that are not in the log"] += 1


def _within(time: int) -> int:
    """The time, or the nearest that 64 bits hold."""
    return max(-(2**63), min(2**63 - 1, time))


def _function(log: _Log, signature: str) -> int:
    function = log.functions.get(signature)
    if function is None:
        if len(log.functions) >= _MOST_SIGNATURES:
            raise UnreadableTrace(f"it names more than {_MOST_SIGNATURES:,} operations")
        module, name = operation(signature)
        function = log.functions[signature] = log.made.function(name, module)
    return function


def operation(signature: str) -> tuple[str, str]:
    """(package, qualified name) of `public void a.b.Class.method(int) throws X`. Overloads become one function."""
    before, bracket, _ = signature.partition("(")
    path = before.split()[-1] if before.split() else signature
    parts = path.split(".")
    if not bracket and len(parts) < 2:
        return "", path
    classes = next((place for place, part in enumerate(parts) if part[:1].isupper()), max(0, len(parts) - 2))
    classes = min(classes, max(0, len(parts) - 2)) if len(parts) > 1 else 0
    return ".".join(parts[:classes]), ".".join(parts[classes:])
