"""A trace as Chrome Trace Event JSON, as Perfetto and chrome://tracing read it; what it cannot say is counted."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cbvtool.progress import Progress, silent
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import NO_CALL, Trace

_SAID = ("counters", "instants", "links", "arguments", "returns")
_EVENTS = 4096  # in a piece


def chrome_json(trace: Trace, lost: Counter[str], progress: Progress = silent) -> Iterator[bytes]:
    """The text, piece by piece; `lost` is told how much the format cannot say, by kind.

    Calls are begins and ends, which keep the nesting of calls that take no time; an open call has no end. Times are
    microseconds with three decimals, so no nanosecond is lost.
    """
    _count_lost(trace, lost)
    yield b'{"traceEvents":[\n'
    first = True
    for piece in _pieces(_events(trace, progress)):
        yield piece if first else b",\n" + piece
        first = False
    header = trace.header
    said = {"program": header.program, "arguments": " ".join(header.arguments), "commit": header.commit}
    said |= {"recorder": header.recorder, "clock": header.clock, **header.parameters}
    yield f'\n],"displayTimeUnit":"ns","otherData":{_text({k: v for k, v in said.items() if v})}}}\n'.encode()


def _pieces(events: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    for event in events:
        held.append(event)
        if len(held) == _EVENTS:
            yield ",\n".join(held).encode()
            held = []
    if held:
        yield ",\n".join(held).encode()


def _text(value: Any) -> str:
    """JSON in ASCII: half pairs cannot be written otherwise."""
    return json.dumps(value, separators=(",", ":"))


def _count_lost(trace: Trace, lost: Counter[str]) -> None:
    for name, table in trace.tables.items():
        if name not in _SAID and len(table):
            lost[f"rows of {name}"] += len(table)
    if sampled := int(trace.threads.sampled.sum()):
        lost["threads whose calls come from samples, which look like calls there"] += sampled
    if created := int((trace.threads.creator != NO_CALL).sum()):
        lost["threads whose creating call is known"] += created
    if trace.calls.cpu is not None:
        lost["CPU times of calls"] += int((trace.calls.cpu >= 0).sum())
    calls, ptr = trace.calls, trace.threads.ptr
    for thread in range(len(trace.threads)):
        low, high = int(ptr[thread]), int(ptr[thread + 1])
        first, last = int(trace.threads.first[thread]), int(trace.threads.last[thread])
        if low == high or int(calls.start[low]) > first or int(calls.end[low:high].max()) < last:
            lost["life spans of threads beyond their calls"] += 1


def _events(trace: Trace, progress: Progress) -> Iterator[str]:
    yield from _names(trace)
    done = 0
    for thread in range(len(trace.threads)):
        for event in _calls(trace, thread):
            if done % 65_536 == 0:
                progress("Writing the trace: events", done, 2 * len(trace.calls))
            done += 1
            yield event
    yield from _of_tables(trace)


def _names(trace: Trace) -> Iterator[str]:
    threads = trace.threads
    told = set()
    for thread in range(len(threads)):
        pid, tid = int(threads.process[thread]), int(threads.id[thread])
        if threads.process_name[thread] and pid not in told:
            told.add(pid)
            said = {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": threads.process_name[thread]}}
            yield _text(said)
        if threads.kind[thread] == "thread" and threads.name[thread]:
            said = {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": threads.name[thread]}}
            yield _text(said)


def _calls(trace: Trace, thread: int) -> Iterator[str]:
    """Begins and ends of a thread, in time; of what is no thread, as asynchronous events."""
    calls, low, high = trace.calls, int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])
    place = f'"pid":{int(trace.threads.process[thread])},"tid":{int(trace.threads.id[thread])}'
    begin, end = "B", "E"
    if trace.threads.kind[thread] != "thread":
        begin, end = "b", "e"
        place += f',"cat":{_text(trace.threads.kind[thread])},"id":{int(trace.threads.id[thread])}'
    begins = _Begins(trace, begin, place)
    is_open = set(
        trace.open_rows[np.searchsorted(trace.open_rows, low) : np.searchsorted(trace.open_rows, high)].tolist()
    )
    about = _about_calls(trace, low, high)
    above: list[tuple[int, str]] = []  # where the call ends: its row, its end event
    for at in range(low, high, _EVENTS):
        block = slice(at, min(at + _EVENTS, high))
        columns = (calls.function[block], calls.start[block], calls.end[block], calls.end_row[block])
        for row, (function, start, finish, end_row) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True), at
        ):
            while above and above[-1][0] <= row:
                if ended := above.pop()[1]:
                    yield ended
            yield begins.event(function, start, about.get(row))
            ended = ""
            if row not in is_open:
                named = f'"name":{begins.name(function)},' if end == "e" else ""
                ended = f'{{"ph":"{end}",{named}"ts":{_microseconds(finish)},{place}}}'
            above.append((end_row, ended))
    while above:
        if ended := above.pop()[1]:
            yield ended


class _Begins:
    """Begin events of one thread; what is said of a function is put together once."""

    def __init__(self, trace: Trace, kind: str, place: str) -> None:
        self._functions, self._kind, self._place = trace.functions, kind, place
        self._known: dict[int, tuple[str, str, dict[str, Any]]] = {}

    def name(self, function: int) -> str:
        """The name as JSON."""
        return self._of(function)[0]

    def _of(self, function: int) -> tuple[str, str, dict[str, Any]]:
        if function not in self._known:
            of = self._functions
            args: dict[str, Any] = {}
            if of.file[function]:
                args = {"file": of.file[function], "line": int(of.line[function])}
            category = f',"cat":{_text(of.module[function])}' if of.module[function] and self._kind == "B" else ""
            rest = f"{category},{self._place}"
            self._known[function] = (_text(of.name[function]), rest, args)
        return self._known[function]

    def event(self, function: int, start: int, about: dict[str, Any] | None) -> str:
        """The event; `about` is what tables know of the call."""
        name, rest, args = self._of(function)
        if about:
            args = args | about
        shown = f',"args":{_text(args)}' if args else ""
        return f'{{"ph":"{self._kind}","name":{name},"ts":{_microseconds(start)}{rest}{shown}}}'


def _microseconds(ns: int) -> str:
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return f"{sign}{ns // 1000}.{ns % 1000:03d}"


def _about_calls(trace: Trace, low: int, high: int) -> dict[int, dict[str, Any]]:
    """Row -> arguments and return value of calls from `low` to `high`."""
    about: dict[int, dict[str, Any]] = defaultdict(dict)
    strings = trace.strings
    arguments, returns = trace.table("arguments"), trace.table("returns")
    within = np.flatnonzero((arguments["call"] >= low) & (arguments["call"] < high))
    for at in within.tolist():
        values = about[int(arguments["call"][at])].setdefault("arguments", {})
        values[strings[int(arguments["name"][at])]] = strings[int(arguments["value"][at])]
    for at in np.flatnonzero((returns["call"] >= low) & (returns["call"] < high)).tolist():
        about[int(returns["call"][at])]["return_value"] = strings[int(returns["value"][at])]
    return about


def _of_tables(trace: Trace) -> Iterator[str]:
    strings, threads = trace.strings, trace.threads

    def place(thread: int) -> dict[str, int]:
        return {"pid": int(threads.process[thread]), "tid": int(threads.id[thread])}

    of_resource = _threads_of_resources(trace)
    counters = trace.table("counters")
    for at in range(len(counters)):
        thread = of_resource[int(counters["resource"][at])]
        value = float(counters["value"][at])
        shown = {"value": value if np.isfinite(value) else str(value)}
        rest: dict[str, Any] = {"pid": place(thread)["pid"] if thread >= 0 else 0, "args": shown}
        yield _event("C", strings[int(counters["name"][at])], int(counters["time"][at]), rest)
    instants = trace.table("instants")
    for at in range(len(instants)):
        thread = int(instants["thread"][at])
        where: dict[str, Any] = {**place(thread), "s": "t"} if thread >= 0 else {"pid": 0, "tid": 0, "s": "g"}
        text = strings[int(instants["text"][at])]
        about: dict[str, Any] = {"args": {"text": text}} if text else {}
        yield _event("i", strings[int(instants["name"][at])], int(instants["time"][at]), where | about)
    links = trace.table("links")
    for at in range(len(links)):
        name = strings[int(links["kind"][at])] or "flow"
        for kind, end, extra in (("s", "source", {}), ("f", "target", {"bp": "e"})):
            call = int(links[end][at])
            if call == NO_ROW:
                continue
            of = place(int(trace.thread_of(np.array([call]))[0]))
            yield _event(kind, name, int(links[f"{end}_time"][at]), {**of, "cat": "link", "id": at + 1, **extra})


def _event(kind: str, name: str, time: int, rest: dict[str, Any]) -> str:
    return f'{{"ph":"{kind}","name":{_text(name)},"ts":{_microseconds(time)},{_text(rest)[1:]}'


def _threads_of_resources(trace: Trace) -> list[int]:
    """A thread of each resource: its own, or the first one below it; -1 = none."""
    resources = trace.resources
    found: list[int] = resources.thread.tolist()
    for row in range(len(found) - 1, -1, -1):
        parent = int(resources.parent[row])
        if parent >= 0 and resources.thread[parent] < 0 and found[row] >= 0:
            found[parent] = found[row]
    return found
