"""From the chunks that each recorded thread wrote to calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.regular_file import opened
from cbvtool.trace.making import recorded as tag
from cbvtool.trace.making.builder import Built, TraceBuilder
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import NO_CALL, Calls, Threads
from cbvtool.trace.readers.recorded.processes import RecordedProcess, RecordedThread
from cbvtool.trace.readers.source import UnreadableTrace

_MAGIC = b"CBVR"
_MOST_CHUNK = 2**24  # values
CUT_OFF = "chunks that were cut off"
UNMATCHED = "ends without a begin"
BACKWARD = "times that went back"
EARLY = "calls before the last seconds"

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Extras:
    """Tags beside calls: row of the process and of the thread, tag, value, and row of the call (-1 = none)."""

    process: Array
    thread: Array
    tag: Array
    value: Array
    call: Array


def _events(thread: RecordedThread, budget: Budget, repairs: Counter[str]) -> tuple[Array, Array]:
    """Tags and values of a thread, as far as they were written."""
    tags, values = [np.empty(0, np.uint32)], [np.empty(0, np.int64)]
    for path in thread.files:
        with opened(path) as file:
            while head := file.read(12):
                count, size = np.frombuffer(head[4:], np.uint32).tolist() if len(head) == 12 else (0, 0)
                if not head.startswith(_MAGIC) or max(count, size) > _MOST_CHUNK or len(head) < 12:
                    repairs[CUT_OFF] += 1
                    break
                budget.spend(count=size, size=12 * size)
                body = file.read(count * 4 + size * 8)
                if len(body) < count * 4 + size * 8:
                    repairs[CUT_OFF] += 1
                    size = max(0, len(body) - count * 4) // 8
                    count = min(count, len(body) // 4)
                value = (
                    np.frombuffer(body, np.uint8, size * 8, count * 4 if size else 0).view(np.int64)
                    if size
                    else values[0]
                )
                named = int(np.count_nonzero(value >= 0))
                found = np.frombuffer(body, np.uint32, count)[:named]
                if named > len(found):  # two signals met in the recorder
                    found = np.concatenate((found, np.zeros(named - len(found), np.uint32)))
                tags.append(found)
                values.append(np.maximum(value, -(2**63 - 1)))
    return np.concatenate(tags), np.concatenate(values)


def recorded_calls(
    threads: list[tuple[RecordedProcess, RecordedThread]],
    processes: list[RecordedProcess],
    builder: TraceBuilder,
    budget: Budget,
    progress: Progress,
) -> tuple[Built, Extras]:
    """The calls of all threads, a row of `Threads` for each."""
    columns: list[list[Array]] = []
    ptr, first, last, creators, rest = [0], [], [], [], []
    place = {process.stem: number for number, process in enumerate(processes)}
    rows = {process.stem: _function_rows(process, builder) for process in processes}
    for number, (process, thread) in enumerate(threads):
        progress("Reading the recording", number, len(threads))
        tags, values = _events(thread, budget, builder.repairs)
        count = int(np.count_nonzero(tags >= tag.FIRST_FUNCTION))
        times = np.abs(values[(values < 0)])
        began = values[values >= 0][tags >= tag.FIRST_FUNCTION]
        low = min(int(times.min(initial=thread.first)), int(began.min(initial=thread.first)))
        high = max(
            int(times.max(initial=thread.last)),
            int(began.max(initial=thread.last)),
            process.ended if thread.number == 1 else 0,
        )
        function, start, end = np.empty(count, np.uint32), np.empty(count, np.int64), np.empty(count, np.int64)
        depth, end_row = np.empty(count, np.uint32), np.empty(count, np.uint32)
        is_open, cpu = np.empty(count, np.bool_), np.empty(count, np.int64)
        extra = np.empty((len(tags) - count, 3), np.int64)
        given = (tags, values, rows[process.stem], ptr[-1], high)
        _, extras, unmatched, backward = tag.decode(*given, function, start, end, depth, end_row, is_open, cpu, extra)
        made: list[Array] = [function, start, end, depth, end_row, is_open, cpu]
        for kind, found in ((UNMATCHED, unmatched), (BACKWARD, backward)):
            if found:
                builder.repairs[kind] += found
        extra = extra[:extras]
        base = ptr[-1]
        rest.append(
            np.column_stack(
                (
                    np.full((extras, 2), (place[process.stem], number), np.int64),
                    extra[:, :2],
                    np.where(extra[:, 2] < 0, NO_CALL, extra[:, 2] + base),
                )
            )
        )
        columns.append(made)
        ptr.append(base + count)
        first.append(min(low, high))
        last.append(high)
        creators.append(NO_CALL)
    if ptr[-1] >= NO_ROW:
        raise UnreadableTrace("it has more calls than rows of 32 bits can number")
    joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)] if columns else _NOTHING
    function, start, end, depth, end_row, is_open, cpu = joined
    shallow = depth.astype(np.uint16) if int(depth.max(initial=0)) < 2**16 else depth
    calls = Calls(function, start, end, shallow, end_row, cpu if len(cpu) and int(cpu.max()) >= 0 else None)
    taken: set[tuple[int, int]] = set()
    ids = []
    for process, thread in threads:
        own = thread.native
        while (process.pid, own) in taken:  # the system gives the number of a thread that has gone to a new one
            own += 2**32
        taken.add((process.pid, own))
        ids.append(own)
    table = Threads(
        np.array([process.pid for process, _ in threads], np.int64),
        np.array(ids, np.int64),
        tuple(thread.name for _, thread in threads),
        tuple("" for _ in threads),
        ("thread",) * len(threads),
        np.zeros(len(threads), np.bool_),
        np.array(creators, np.int64),
        np.array(first, np.int64),
        np.array(last, np.int64),
        np.array(ptr, np.int64),
    )
    extras_found = np.concatenate(rest) if rest else np.empty((0, 5), np.int64)
    built = Built(calls, table, np.flatnonzero(is_open).astype(np.uint32), np.empty(0, np.int64))
    return built, Extras(*np.ascontiguousarray(extras_found.T))


_NOTHING: list[Array] = [
    np.empty(0, kind) for kind in (np.uint32, np.int64, np.int64, np.uint32, np.uint32, np.bool_, np.int64)
]


def _function_rows(process: RecordedProcess, builder: TraceBuilder) -> Array:
    """Row of each function by its tag; those that no line names are called "?"."""
    most = min(max(process.functions, default=0), 2**26)
    rows = np.full(most + 1, builder.function("?"), np.uint32)
    for number, (name, module, file, line) in process.functions.items():
        if number <= most:
            rows[number] = builder.function(name, module, file, line)
    return rows


def last_calls(made: Built, extras: Extras, ns: int, builder: TraceBuilder) -> tuple[Built, Extras]:
    """The calls that ended in the last `ns`."""
    begin = int(made.calls.end.max()) - ns
    kept = made.calls.end >= begin
    builder.omissions[EARLY] += int(np.count_nonzero(~kept))
    before = np.concatenate(([0], np.cumsum(kept)))
    calls = Calls(
        made.calls.function[kept],
        made.calls.start[kept],
        made.calls.end[kept],
        made.calls.depth[kept],
        before[made.calls.end_row[kept]].astype(np.uint32),
        None if made.calls.cpu is None else made.calls.cpu[kept],
    )
    old = made.threads
    threads = Threads(
        old.process,
        old.id,
        old.name,
        old.process_name,
        old.kind,
        old.sampled,
        old.creator,
        np.minimum(np.maximum(old.first, begin), old.last),
        old.last,
        before[old.ptr],
    )
    row = np.where(kept, before[:-1], NO_CALL)
    call = np.where(extras.call >= 0, row[extras.call], NO_CALL) if len(row) else extras.call
    open_rows = row[made.open_rows[kept[made.open_rows]]].astype(np.uint32)
    return Built(calls, threads, open_rows, made.row), Extras(
        extras.process, extras.thread, extras.tag, extras.value, call
    )
