"""The tables of an own recording: who created threads, tasks, resumptions, waits, releases, I/O and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.making import recorded as tag
from cbvtool.trace.making.builder import Built, TraceBuilder
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Threads, Trace
from cbvtool.trace.readers.recorded.calls import Extras
from cbvtool.trace.readers.recorded.processes import RecordedProcess

Array = npt.NDArray[Any]
OVERLAPPING_STEPS = "steps of tasks that overlap an earlier one"
Links = tuple[Array, Array, Array, Array]  # calls, calls, their times in ns


def with_tables(
    builder: TraceBuilder, processes: list[RecordedProcess], made: Built, extras: Extras, numbers: Array, sampled: bool
) -> Trace:
    """The trace of calls and of what was recorded beside them.

    numbers  int64[t, 2]: row of the process and number in it, of each thread
    """
    creators, spawned = _creators(processes, made, extras, numbers)
    resumed = _resumptions(made, extras)
    made, tasked = _with_tasks(builder, processes, made, extras)
    kinds, columns = [], []
    for kind, links in (("spawn", spawned), ("task", tasked), ("resumption", resumed)):
        kinds.append(np.full(len(links[0]), builder.pool.number(kind), np.uint32))
        columns.append(links)
    source, target, left, right = (np.concatenate(column) for column in zip(*columns, strict=True))
    rows = {"source": source.astype(np.uint32), "target": target.astype(np.uint32), "kind": np.concatenate(kinds)}
    tables = {
        "links": Table({**rows, "source_time": left.astype(np.int64), "target_time": right.astype(np.int64)}),
        **_objects(builder, processes, extras, made.calls.end),
        **_values(builder, processes, extras),
    }
    old = made.threads
    threads = Threads(
        old.process,
        old.id,
        old.name,
        tuple(f"Python {process}" for process in old.process.tolist()),
        old.kind,
        np.full(len(old), sampled),
        np.concatenate((creators, np.full(len(old) - len(creators), NO_CALL))),
        old.first,
        old.last,
        old.ptr,
    )
    return builder.trace(Built(made.calls, threads, made.open_rows, made.row), tables)


def _creators(processes: list[RecordedProcess], made: Built, extras: Extras, numbers: Array) -> tuple[Array, Links]:
    """The call that created each thread or process, and links from it to the first call of what it created."""
    calls, threads = made.calls, made.threads
    by_thread: dict[tuple[int, int], int] = {}
    by_fork: dict[tuple[str, int], int] = {}
    by_pid: dict[tuple[int, int], int] = {}
    chosen = np.isin(extras.tag, (tag.THREAD_CREATED, tag.PROCESS_CREATED, tag.FORKED)) & (extras.call >= 0)
    found = (extras.process[chosen], extras.tag[chosen], extras.value[chosen], extras.call[chosen])
    for process, kind, value, call in zip(*(column.tolist() for column in found), strict=True):
        if kind == tag.THREAD_CREATED:
            by_thread[process, value] = call
        elif kind == tag.FORKED:
            by_fork[processes[process].stem, value] = call
        else:
            by_pid[processes[process].pid, value] = call
    creators = np.full(len(threads), NO_CALL, np.int64)
    for thread, (place, number) in enumerate(numbers.tolist()):
        process = processes[place]
        creator = by_thread.get((place, number), NO_CALL)
        if number == 1:
            creator = by_fork.get(process.parent, by_pid.get((process.parent_pid, process.pid), NO_CALL))
        creators[thread] = creator
    created = np.flatnonzero((creators >= 0) & (threads.ptr[1:] > threads.ptr[:-1]))
    source, target = creators[created], threads.ptr[created]
    return creators, (source, target, np.minimum(calls.end[source], calls.start[target]), calls.start[target])


def _resumptions(made: Built, extras: Extras) -> Links:
    """From each part of the run of a generator or coroutine to the next: the frame is the same."""
    chosen = np.isin(extras.tag, (tag.RESUMED, tag.FRAME)) & (extras.call >= 0)
    process, frame, call = extras.process[chosen], extras.value[chosen], extras.call[chosen]
    resumed = extras.tag[chosen] == tag.RESUMED
    order = np.lexsort((call, made.calls.start[call], frame, process))
    process, frame, call, resumed = process[order], frame[order], call[order], resumed[order]
    same = (process[1:] == process[:-1]) & (frame[1:] == frame[:-1]) & resumed[1:]
    source, target = call[:-1][same], call[1:][same]
    after = made.calls.end[source] <= made.calls.start[target]  # else a damaged recording
    source, target = source[after], target[after]
    return source, target, made.calls.end[source], made.calls.start[target]


def _with_tasks(
    builder: TraceBuilder, processes: list[RecordedProcess], made: Built, extras: Extras
) -> tuple[Built, Links]:
    """A track for each asyncio task, with a call for each of its steps, and links from the steps on the thread."""
    chosen = (extras.tag == tag.TASK) & (extras.call >= 0)
    process, number, call = extras.process[chosen], extras.value[chosen], extras.call[chosen]
    order = np.lexsort((call, made.calls.start[call], number, process))
    process, number, call = process[order], number[order], call[order]
    apart = _apart(process, number, made.calls.start[call], made.calls.end[call])
    if not apart.all():
        builder.repairs[OVERLAPPING_STEPS] += int(np.count_nonzero(~apart))
        process, number, call = process[apart], number[apart], call[apart]
    empty = np.empty(0, np.int64)
    if not len(call):
        return made, (empty, empty, empty, empty)
    old, calls = made.threads, made.calls
    first = np.flatnonzero(np.concatenate(([True], (np.diff(process) != 0) | (np.diff(number) != 0))))
    ends = np.append(first[1:], len(call))
    names, ids, pids = [], [], []
    for row in first.tolist():
        kind, _, name = processes[process[row]].objects.get(int(number[row]), ("task", 0, ""))
        names.append(name or f"{kind} {number[row]}")
        ids.append(int(number[row]))
        pids.append(processes[process[row]].pid)
    base = len(calls)
    steps = np.arange(base, base + len(call))
    is_open = np.isin(call, made.open_rows)
    joined = Calls(
        np.concatenate((calls.function, calls.function[call])),
        np.concatenate((calls.start, calls.start[call])),
        np.concatenate((calls.end, calls.end[call])),
        np.concatenate((calls.depth, np.zeros(len(call), calls.depth.dtype))),
        np.concatenate((calls.end_row, (steps + 1).astype(np.uint32))),
        None if calls.cpu is None else np.concatenate((calls.cpu, calls.cpu[call])),
    )
    threads = Threads(
        np.concatenate((old.process, pids)),
        np.concatenate((old.id, ids)),
        (*old.name, *names),
        (*old.process_name, *("" for _ in names)),
        (*old.kind, *("task" for _ in names)),
        np.concatenate((old.sampled, np.zeros(len(names), np.bool_))),
        np.concatenate((old.creator, np.full(len(names), NO_CALL))),
        np.concatenate((old.first, calls.start[call[first]])),
        np.concatenate((old.last, np.maximum.reduceat(calls.end[call], first))),
        np.concatenate((old.ptr, base + ends)),
    )
    open_rows = np.concatenate((made.open_rows, steps[is_open].astype(np.uint32)))
    return Built(joined, threads, open_rows, made.row), (call, steps, calls.start[call], calls.start[call])


def _apart(process: Array, number: Array, start: Array, end: Array) -> Array:
    """Which steps, by task and start, begin after all earlier ones of their task: others are of a damaged recording."""
    same = (process[1:] == process[:-1]) & (number[1:] == number[:-1])
    bounds = [0, *(np.flatnonzero(~same) + 1).tolist(), len(start)]
    apart = np.ones(len(start), np.bool_)
    early = np.flatnonzero(same & (start[1:] < end[:-1])) + 1
    for group in set((np.searchsorted(bounds, early, side="right") - 1).tolist()):
        low, high = bounds[group], bounds[group + 1]
        apart[low + 1 : high] = start[low + 1 : high] >= np.maximum.accumulate(end[low:high])[:-1]
    return apart


def _objects(builder: TraceBuilder, processes: list[RecordedProcess], extras: Extras, ends: Array) -> dict[str, Table]:
    """What was waited for, released, read and written. `ends`: of the calls; where a wait that has no end ends."""
    base = np.zeros(len(processes) + 1, np.int64)
    np.cumsum([max(process.objects, default=-1) + 1 for process in processes], out=base[1:])
    if int(base[-1]) > 2**26:
        return {}
    columns = {
        name: np.zeros(int(base[-1]), kind)
        for name, kind in (("process", np.int64), ("id", np.int64), ("kind", np.uint32), ("name", np.uint32))
    }
    for place, process in enumerate(processes):
        for number, (kind, key, name) in process.objects.items():
            row = int(base[place]) + number
            columns["process"][row], columns["id"][row] = process.pid, key
            columns["kind"][row], columns["name"][row] = builder.pool.number(kind), builder.pool.number(name)
    last = len(extras.tag)
    at = np.flatnonzero(extras.tag == tag.OBJECT)
    at = at[at + 1 < last]
    following = extras.tag[at + 1]
    here = (extras.call[at] >= 0) & (extras.thread[at] == extras.thread[np.minimum(at + 1, last - 1)])
    thing = base[extras.process[at]] + extras.value[at]
    here &= thing < base[extras.process[at] + 1]

    def rows(*kinds: int, more: int = 0) -> Array:
        fits: Array = here & np.isin(following, kinds) & (at + 1 + more < last)
        fits &= extras.thread[np.minimum(at + 1 + more, last - 1)] == extras.thread[at]
        return fits

    waits = rows(tag.WAIT_BEGIN)
    ended = rows(tag.WAIT_BEGIN, more=1) & (extras.tag[np.minimum(at + 2, last - 1)] == tag.WAIT_END)
    still = ends[extras.call[at]] if len(ends) else at  # waits
    until = np.where(ended, extras.value[np.minimum(at + 2, last - 1)], still)
    releases = rows(tag.RELEASE)
    io = rows(tag.READ_BEGIN, tag.WRITE_BEGIN, more=1)
    return {
        "objects": Table(columns),
        "waits": Table(
            {
                "call": extras.call[at[waits]].astype(np.uint32),
                "object": thing[waits].astype(np.uint32),
                "start": extras.value[at[waits] + 1],
                "end": until[waits],
                "all": np.zeros(int(waits.sum()), np.bool_),
            }
        ),
        "releases": Table(
            {
                "call": extras.call[at[releases]].astype(np.uint32),
                "object": thing[releases].astype(np.uint32),
                "time": extras.value[at[releases] + 1],
            }
        ),
        "io": Table(
            {
                "call": extras.call[at[io]].astype(np.uint32),
                "object": thing[io].astype(np.uint32),
                "start": extras.value[at[io] + 1],
                "end": extras.value[at[io] + 2],
                "bytes": np.full(int(io.sum()), -1, np.int64),
                "write": following[io] == tag.WRITE_BEGIN,
            }
        ),
    }


def _values(builder: TraceBuilder, processes: list[RecordedProcess], extras: Extras) -> dict[str, Table]:
    """Arguments and return values, as texts."""
    numbers: list[dict[int, int]] = [
        {number: builder.pool.number(text) for number, text in process.texts.items()} for process in processes
    ]

    def texts(rows: Array) -> Array:
        pairs = zip(extras.process[rows].tolist(), extras.value[rows].tolist(), strict=True)
        return np.array([numbers[process].get(value, 0) for process, value in pairs], np.uint32)

    names = np.flatnonzero((extras.tag == tag.ARGUMENT) & (extras.call >= 0))
    names = names[names + 1 < len(extras.tag)]
    names = names[extras.tag[names + 1] == tag.VALUE]
    returned = np.flatnonzero((extras.tag == tag.RETURNED) & (extras.call >= 0))
    return {
        "arguments": Table(
            {"call": extras.call[names].astype(np.uint32), "name": texts(names), "value": texts(names + 1)}
        ),
        "returns": Table({"call": extras.call[returned].astype(np.uint32), "value": texts(returned)}),
    }
