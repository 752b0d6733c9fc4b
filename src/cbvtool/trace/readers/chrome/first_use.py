"""The first import after an installation: two processes compile its kernels, so that the window stays free.

Numba's compiler is written in Python: in a thread of this process it would hold the interpreter for seconds. What the
processes compile, they keep in the cache, from which this process loads it in milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from cbvtool.analysis.workers import LoneWorker
from cbvtool.progress import Progress, silent
from cbvtool.trace.making.builder import GivenEvents, ThreadEvents, calls_of
from cbvtool.trace.making.event_store import EventStore
from cbvtool.trace.making.matching import BEGIN, END, SPAN
from cbvtool.trace.readers.chrome import scan as s
from cbvtool.trace.readers.chrome.texts import Texts, ThreadKeys


def _fields() -> None:
    longs = np.zeros(32, np.int64)
    s.fields(np.zeros(16, np.uint8), 0, 0, longs, longs.copy())


def _texts_and_numbers() -> None:
    data, longs, counts = np.zeros(16, np.uint8), np.zeros(2, np.int64), np.zeros(s.COUNTS, np.int64)
    s.nanoseconds(data, 0, 0, longs)
    s.identity(data, 0, 0, longs)
    Texts(counts)
    threads = ThreadKeys(counts)
    s.thread_number(1, 1, threads.keys, threads.slots, counts)


def _scan() -> None:
    counts = np.zeros(s.COUNTS, np.int64)
    texts, threads = Texts(counts), ThreadKeys(counts)
    data, ints, longs = np.zeros(16, np.uint8), np.zeros(1, np.uint32), np.zeros(1, np.int64)
    columns = (ints, data, ints, longs, longs, ints, longs)
    rest: tuple[Any, ...] = (threads.keys, threads.slots, *columns, np.zeros((1, 6), np.uint32), longs, counts)
    s.scan(data, 0, 0, *texts.table, *rest)


def _calls() -> None:
    kinds = ([BEGIN, END], [SPAN, SPAN])
    function, time = np.zeros(2, np.uint32), np.array([1, 0])
    events = [ThreadEvents(np.array(kind, np.uint8), function, time, np.array([2, 3])) for kind in kinds]
    with EventStore() as store:
        store.add(1, function, events[0].kind, (function, time, time, None, None))
    calls_of(GivenEvents([1, 2], 1, iter(events)), [(0, 0)] * 2, Counter())


# What two processes compile: first the one column, then the other, which is made of it.
_ORDER: tuple[tuple[Callable[[], None], ...], ...] = ((_fields, _texts_and_numbers), (_scan, _calls))


def compile_kernels(progress: Progress = silent) -> None:
    """Have the kernels of an import compiled, if the cache lacks them. Raises what `progress` raises.

    Where processes cannot be started or no folder can be written, the kernels are compiled when they are called.
    """
    if not s.scan.missing:
        return
    crew: list[LoneWorker] = []
    try:
        with suppress(OSError, EOFError, AssertionError):  # the last one: a worker process may have no workers
            crew += [LoneWorker() for _ in _ORDER[0]]
            for works in _ORDER:
                for worker, work in zip(crew, works, strict=True):
                    worker.begin(work)
                for worker in crew:
                    worker.wait(lambda: progress("Compiling what reads traces, once after the installation", 0, 0))
    finally:
        for worker in crew:
            worker.end()
