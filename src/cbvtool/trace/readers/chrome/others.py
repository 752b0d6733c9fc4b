"""Events that are no calls of threads: names, counters, marks, asynchronous work, links."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.readers.chrome.content import TraceDocument
from cbvtool.trace.readers.chrome.decoding import decoded, record
from cbvtool.trace.readers.chrome.names import text_of

METADATA = b"M"
COUNTERS = b"C"
MARKS = b"iIR"
ASYNC_BEGINS, ASYNC_ENDS, ASYNC_MARKS = b"bS", b"eF", b"nTp"
LINKS = b"stf"
PIECES = b"P"
MOST_LANES = 10_000


class Other(NamedTuple):
    """An event. `mark` is the first letter of its scope (`s`) or binding point (`bp`), the rest numbers of texts."""

    kind: str
    mark: str
    thread: int
    name: int
    category: int
    id: int
    arguments: int
    time: int


class Others:
    """The events of a document, by kind, and the time of the `last`. Texts are kept as they are decoded."""

    def __init__(self, document: TraceDocument) -> None:
        self._document = document
        self._kinds = (document.others[:, 0] & 0xFF).astype(np.uint8)
        self._texts: dict[int, str] = {}
        timed = document.other_times[self._kinds != ord(METADATA)]
        self.last = int(timed.max()) if len(timed) else 0  # ns

    def rows(self, kinds: bytes) -> npt.NDArray[np.intp]:
        """Rows of the events of some kinds, as they were read."""
        return np.flatnonzero(np.isin(self._kinds, np.frombuffer(kinds, np.uint8)))

    def of(self, kinds: bytes) -> Iterator[Other]:
        """The events of some kinds, as they were read."""
        rows = self.rows(kinds)
        others, times = self._document.others, self._document.other_times
        for low in range(0, len(rows), 10_000):
            part = rows[low : low + 10_000]
            for (mark, *rest), time in zip(others[part].tolist(), times[part].tolist(), strict=True):
                thread, name, category, id, arguments = rest
                yield Other(chr(mark & 0xFF), chr(mark >> 8), thread, name, category, id, arguments, time)

    def text(self, number: int) -> str:
        """A text of the document."""
        if number not in self._texts:
            self._texts[number] = text_of(self._document.texts[number])
        return self._texts[number]

    def raw(self, number: int) -> bytes:
        """A text of the document, as it stands there."""
        return self._document.texts[number]


def names_of(others: Others) -> tuple[dict[int, str], dict[int, str], dict[int, str], int]:
    """Names of threads, of processes and labels of these, by row of a thread; and how many records say other things."""
    threads: dict[int, str] = {}
    processes: dict[int, str] = {}
    labels: dict[int, str] = {}
    unknown = 0
    for event in others.of(METADATA):
        arguments = record(decoded(others.raw(event.arguments)))
        match others.text(event.name):
            case "thread_name":
                threads[event.thread] = str(arguments.get("name", ""))
            case "process_name":
                processes[event.thread] = str(arguments.get("name", ""))
            case "process_labels":
                labels[event.thread] = str(arguments.get("labels", ""))
            case "thread_sort_index" | "process_sort_index":
                pass  # the order in which others show them
            case _:
                unknown += 1
    return threads, processes, labels, unknown


def counter_values(others: Others, omissions: Counter[str]) -> Iterator[tuple[int, str, int, float]]:
    """Row of a thread of its process, track, ns and value of each point of each counter."""
    for event in others.of(COUNTERS):
        series = decoded(others.raw(event.arguments))
        name = others.text(event.name)
        if event.id:
            name = f"{name}[{others.text(event.id)}]"
        values = record(series)
        if not values:
            omissions["counters without a value"] += 1
        for key, value in values.items():
            number = _number(value)
            if number is None:
                omissions["counters without a value"] += 1
                continue
            alone = len(values) == 1 and key in (others.text(event.name), "value")
            yield event.thread, name if alone else f"{name}.{key}", event.time, number


def _number(value: object) -> float | None:
    """The value of a counter; None if it is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


@dataclass
class Lane:
    """A track of asynchronous work: operations that do not overlap.

    thread    row of the thread where it began
    category  number of a text
    events    in time
    """

    thread: int
    category: int
    events: list[Other]


def lanes(others: Others, processes: Sequence[int], omissions: Counter[str]) -> list[Lane]:
    """Operations, the events of one category and id, on as few tracks for each category as keep them apart.

    One that never ends has its track for itself from then on.

    processes  of each row of a thread
    """
    groups: dict[tuple[int, ...], list[Other]] = {}
    for event in others.of(ASYNC_BEGINS + ASYNC_ENDS + ASYNC_MARKS):
        if not event.id:
            omissions["asynchronous events without an id"] += 1
            continue
        local = event.thread if others.raw(event.id).startswith(b"{") and b"local" in others.raw(event.id) else -1
        old_style = event.name if event.kind in "STpF" else -1
        groups.setdefault((event.category, event.id, local, old_style), []).append(event)
    operations: list[tuple[int, float, list[Other]]] = []
    for events in groups.values():
        events.sort(key=lambda event: event.time)
        running, first = 0, 0
        for place, event in enumerate(events):
            running += (event.kind in "bS") - (event.kind in "eF" and running > 0)
            if not running:
                operations.append((events[first].time, event.time, events[first : place + 1]))
                first = place + 1
        if first < len(events):
            operations.append((events[first].time, math.inf, events[first:]))
    operations.sort(key=lambda operation: operation[:2])
    found: list[Lane] = []
    free: dict[tuple[int, int], list[tuple[float, int]]] = {}  # heaps of (when it is free, number of the lane)
    for start, end, events in operations:
        heap = free.setdefault((processes[events[0].thread], events[0].category), [])
        if heap and heap[0][0] <= start:
            number = heapq.heapreplace(heap, (end, heap[0][1]))[1]
        elif len(found) < MOST_LANES:
            number = len(found)
            found.append(Lane(events[0].thread, events[0].category, []))
            heapq.heappush(heap, (end, number))
        else:
            omissions[f"asynchronous events beyond {MOST_LANES:,} at a time"] += len(events)
            continue
        found[number].events += events
    return found


def links_of(others: Others, omissions: Counter[str]) -> list[tuple[Other, Other]]:
    """Pairs of flow events that follow each other: equal in category, name and id."""
    flows: dict[tuple[int, int, int], list[Other]] = {}
    for event in others.of(LINKS):
        flows.setdefault((event.category, event.name, event.id), []).append(event)
    pairs = []
    for events in flows.values():
        events.sort(key=lambda event: (event.time, "stf".index(event.kind)))
        before: Other | None = None
        for event in events:
            if event.kind == "s" or before is None:
                if event.kind != "s":
                    omissions["flow events without a start"] += 1
                elif before is not None and before.kind == "s":
                    omissions["flows that lead nowhere"] += 1
                before = event if event.kind == "s" else None
                continue
            pairs.append((before, event))
            before = None if event.kind == "f" else event
        if before is not None and before.kind == "s":
            omissions["flows that lead nowhere"] += 1
    return pairs
