"""The documents in a file, read in blocks: their events as columns, what else they hold as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.event_store import EventStore
from cbvtool.trace.readers.chrome import scan as s
from cbvtool.trace.readers.chrome.texts import KEPT_ARGUMENTS, Texts, ThreadKeys, words_of
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

_ROWS = 1 << 18  # events that are scanned before they are put by thread
_OTHER_ROWS = 1 << 14
MOST_OTHERS = 10_000_000
MOST_VALUE = 1 << 28  # bytes of one event, or of one value beside the events
_SPACE = frozenset(b" \t\r\n,")
# What is kept of a document beside its events.
_WANTED = {b"samples", b"stackFrames", b"viztracer_metadata", b"file_info", b"metadata", b"otherData"}


class Content:
    """The bytes of a source: those from `at` to `end` of `data` are not read yet."""

    def __init__(self, source: TraceSource, budget: Budget, progress: Progress) -> None:
        self._blocks = source.blocks()
        self._budget, self._progress = budget, progress
        self._total = 0 if source.packed else source.path.stat().st_size
        self._done = 0
        self.data = np.zeros(1 << 23, np.uint8)
        self.words = words_of(self.data)
        self.at = self.end = 0

    def more(self) -> bool:
        """Read another block behind the rest; False at the end. Raises Cancelled, OverBudget, UnreadableTrace."""
        block = next(self._blocks, b"")
        if not block:
            return False
        self._done += len(block)
        self._budget.spend()
        self._progress("Reading the trace", self._done, max(self._done, self._total) if self._total else 0)
        left = self.end - self.at
        if left > MOST_VALUE:
            raise UnreadableTrace(f"a value in it is larger than {MOST_VALUE / 1e6:,.0f} MB")
        data = self.data
        if left + len(block) + 16 > len(data):
            data = np.zeros(2 * (left + len(block)) + 16, np.uint8)
        data[:left] = self.data[self.at : self.end]
        data[left : left + len(block)] = np.frombuffer(block, np.uint8)
        if data is not self.data:
            self.data, self.words = data, words_of(data)
        self.at, self.end = 0, left + len(block)
        return True

    def peek(self) -> int:
        """The next byte that is no space and no comma; -1 at the end."""
        while True:
            while self.at < self.end:
                byte = int(self.data[self.at])
                if byte not in _SPACE:
                    return byte
                self.at += 1
            if not self.more():
                return -1

    def value(self) -> bytes | None:
        """The JSON value that begins here, read; None if it does not end."""
        while True:
            after = s.value_end(self.data, self.words, self.at, self.end)
            if after >= 0:
                value = self.data[self.at : after].tobytes()
                self.at = after
                return value
            if not self.more():
                return None


class TraceDocument:
    """What one document holds.

    texts, threads  see there
    store           begins, ends and spans
    named           bool[texts], whether it is the name of a call
    others          other events, see `scan.scan`: uint32[o, 6] and their times, int64[o]
    sparse          whether any call has arguments or CPU time
    values          values beside the events, by key, as JSON
    """

    def __init__(self) -> None:
        self.counts = np.zeros(s.COUNTS, np.int64)
        self.counts[s.LIMIT] = KEPT_ARGUMENTS
        self.texts, self.threads = Texts(self.counts), ThreadKeys(self.counts)
        self.store = EventStore()
        self.named = np.zeros(0, np.bool_)
        self.others = np.empty((0, 6), np.uint32)
        self.other_times = np.empty(0, np.int64)
        self.values: dict[bytes, bytes] = {}
        self.sparse = False
        self.omissions: Counter[str] = Counter()
        self._parts: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]] = []
        self._kept_others = 0
        self._rows: tuple[npt.NDArray[Any], ...] = tuple(
            np.empty(_ROWS, dtype)
            for dtype in (np.uint32, np.uint8, np.uint32, np.int64, np.int64, np.uint32, np.int64)
        )
        self._other = np.empty((_OTHER_ROWS, 6), np.uint32), np.empty(_OTHER_ROWS, np.int64)

    def read_events(self, content: Content, budget: Budget) -> bool:
        """Read events up to the end of their array. True if it ended, False if the file or another trace did it."""
        while True:
            status = s.scan(  # type: ignore[call-arg]  # starred columns are not counted
                content.data,
                content.words,
                content.at,
                content.end,
                *self.texts.table,
                self.threads.keys,
                self.threads.slots,
                *self._rows,
                *self._other,
                self.counts,
            )
            content.at = int(self.counts[s.AT])
            if status == s.DONE:
                return True
            if status == s.ANOTHER:
                return False
            if status == s.FULL:
                self._keep(budget)
            elif status == s.TEXTS_FULL:
                self.texts.grow(min(content.end - content.at, MOST_VALUE))
            elif status == s.THREADS_FULL:
                self.threads.grow()
            elif not content.more():
                if content.at < content.end:
                    self.omissions["events that the end of the file cuts off"] += 1
                    content.at = content.end
                return False

    def _keep(self, budget: Budget) -> None:
        """Put the rows that were scanned by thread."""
        calls, others = int(self.counts[s.CALLS]), int(self.counts[s.OTHERS])
        budget.spend(count=calls + others, size=29 * calls)
        if calls:
            thread, kind, name, time, finish, arguments, cpu = (column[:calls] for column in self._rows)
            if len(self.named) < len(self.texts):
                self.named = np.concatenate((self.named, np.zeros(2 * len(self.texts) - len(self.named), np.bool_)))
            self.named[name] = True
            self.sparse |= bool(self.counts[s.HAS_ARGS] or self.counts[s.HAS_CPU])
            sparse = (arguments if self.counts[s.HAS_ARGS] else None, cpu if self.counts[s.HAS_CPU] else None)
            self.store.add(len(self.threads), thread, kind, (name, time, finish, *sparse))
        kept = min(others, MOST_OTHERS - self._kept_others)
        self._kept_others += kept
        self._parts.append((self._other[0][:kept].copy(), self._other[1][:kept].copy()))
        if others > kept:
            self.omissions[f"marks, counters and links beyond the first {MOST_OTHERS:,}"] += others - kept
        self.counts[[s.CALLS, s.OTHERS, s.HAS_ARGS, s.HAS_CPU]] = 0

    def finish(self, budget: Budget) -> None:
        """Keep the last rows: nothing is read any more."""
        self._keep(budget)
        self.others = np.concatenate([rows for rows, _ in self._parts])
        self.other_times = np.concatenate([times for _, times in self._parts])
        self.named = np.concatenate((self.named, np.zeros(len(self.texts), np.bool_)))[: len(self.texts)]
        self._parts, self._rows = [], ()


def documents(source: TraceSource, budget: Budget, progress: Progress) -> Iterator[TraceDocument]:
    """The documents of a file, one after the other: give one up before the next. Raises as `TraceReader.read` does."""
    content = Content(source, budget, progress)
    skipped = 0
    while (byte := content.peek()) >= 0:
        if byte not in b"[{":
            content.at += 1
            skipped += 1
            continue
        document = TraceDocument()
        with document.store:
            if byte == ord("["):
                content.at += 1
                document.read_events(content, budget)
            else:
                _read_object(content, document, budget)
            if skipped:
                document.omissions["bytes before the trace"] += skipped
                skipped = 0
            document.finish(budget)
            yield document


def _read_object(content: Content, document: TraceDocument, budget: Budget) -> None:
    """Read the members of the object that begins here. One that is no JSON ends it."""
    content.at += 1
    while (byte := content.peek()) >= 0:
        if byte == ord("}"):
            content.at += 1
            return
        key = content.value() if byte == ord('"') else None
        if key is None or content.peek() != ord(":"):
            if byte not in b"[{":
                document.omissions["parts of the file that are no JSON"] += 1
                content.at += content.at < content.end
            return
        content.at += 1
        byte = content.peek()
        if key == b'"traceEvents"' and byte == ord("["):
            content.at += 1
            if not document.read_events(content, budget):
                return
            continue
        value = content.value()
        if value is None:
            document.omissions["values that the end of the file cuts off"] += 1
            content.at = content.end
            return
        if not value:
            document.omissions["parts of the file that are no JSON"] += 1
            content.at += content.at < content.end
            return
        if key[1:-1] in _WANTED:
            document.values[key[1:-1]] = value
