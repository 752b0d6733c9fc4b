"""Reading many files: in worker processes when that pays, else here; a worker that dies costs one file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import NamedTuple

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import reader
from cbvtool.analysis.read import SOURCE_LIMIT, Unreadable, read_bytes, too_large
from cbvtool.progress import Progress, silent

CHUNK = 8  # files sent at a time, at most: enough to hide the sending, few enough to lose
_CHUNKS_EACH = 4  # chunks for each worker, at least, so that all end at about the same time
# Bytes of source below which starting processes costs more than it brings (measured: docs/accuracy.md).
INLINE_BYTES = 1_500_000
_QUEUED_CHUNKS = 2  # per worker: one at work, one waiting
_PATIENCE = 0.1  # seconds between two looks at whether the user wants to stop
_DOING = "Reading sources"
_DIED = "was given up: the process that read it ended again and again"


class Task(NamedTuple):
    """One file to read: where it is, the module that reads its language, its size in bytes."""

    path: str
    reader: str
    size: int


Result = FileFacts | str  # a string is the reason why there are no facts


def read_all(tasks: Sequence[Task], jobs: int | None = None, progress: Progress = silent) -> list[Result]:
    """Facts of every task, in the order of `tasks`; a string in place of facts says why there are none.

    jobs  processes; None = as many as pay, 1 = this process

    What `progress` raises stops the work, once the chunks in work are done.
    """
    workers = _workers(tasks, jobs)
    if workers == 1:
        results: list[Result] = []
        for task in tasks:
            progress(_DOING, len(results), len(tasks))
            results.append(_read(task))
    else:
        results = _read_in_processes(tasks, workers, progress)
    progress(_DOING, len(tasks), len(tasks))
    return results


def _workers(tasks: Sequence[Task], jobs: int | None) -> int:
    if jobs is None:
        small = sum(min(task.size, SOURCE_LIMIT) for task in tasks) < INLINE_BYTES
        jobs = 1 if small else _processors()
    return max(1, min(jobs, len(tasks)))


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(task: Task) -> Result:
    if task.size > SOURCE_LIMIT:
        return too_large()
    try:
        return reader(task.reader).read_facts(read_bytes(task.path))
    except Unreadable as reason:
        return str(reason)


def _read_chunk(tasks: Sequence[Task]) -> list[Result]:
    return [_read(task) for task in tasks]


def _read_in_processes(tasks: Sequence[Task], workers: int, progress: Progress) -> list[Result]:
    """Largest files first, so that no large one is left for the end.

    A dead worker breaks the whole pool. What was at work then is tried again apart, each chunk in a pool of its
    own and, if that breaks too, each file; so only the file that kills its worker is given up.
    """
    # Multiprocessing takes a while to load, and small folders do without.
    from cbvtool.analysis.workers import worker_pool

    order = sorted(range(len(tasks)), key=lambda i: (-tasks[i].size, i))
    size = max(1, min(CHUNK, len(order) // (workers * _CHUNKS_EACH)))
    chunks = [order[i : i + size] for i in range(0, len(order), size)]
    reading = _Reading(tasks, workers * _QUEUED_CHUNKS, progress)
    while chunks:
        with worker_pool(workers) as pool:
            suspects = reading.read(pool, chunks)
        while suspects:
            with worker_pool(1) as pool:
                for rows in reading.read(pool, [suspects.pop(0)]):
                    if len(rows) > 1:
                        suspects[:0] = [[row] for row in rows]
                    else:
                        reading.done += 1
    return reading.results


class _Reading:
    """The results so far; a file is given up until the contrary is shown. At most `window` chunks are in a pool."""

    def __init__(self, tasks: Sequence[Task], window: int, progress: Progress) -> None:
        self.tasks, self.window, self.progress = tasks, window, progress
        self.results: list[Result] = [_DIED] * len(tasks)
        self.done = 0

    def read(self, pool: Executor, chunks: list[list[int]]) -> list[list[int]]:
        """Keep the results of `chunks` (rows of tasks), taken from its front; return those that a broken pool lost."""
        lost = []
        for rows, results in _finished(pool, self.tasks, chunks, self.window, self.report):
            if results is None:
                lost.append(rows)
                continue
            for row, result in zip(rows, results, strict=True):
                self.results[row] = result
            self.done += len(rows)
        return lost

    def report(self) -> None:
        """Tell how many files are done."""
        self.progress(_DOING, self.done, len(self.tasks))


def _finished(
    pool: Executor, tasks: Sequence[Task], chunks: list[list[int]], window: int, report: Callable[[], None]
) -> Iterator[tuple[list[int], list[Result] | None]]:
    """Take chunks from the front of `chunks`, at most `window` at a time, and yield each with its results.

    None in place of results: the pool is broken. Then no more chunks are taken.
    """
    from cbvtool.analysis.workers import interrupts_held_back

    at_work: dict[Future[list[Result]], list[int]] = {}
    broken = False
    try:
        while at_work or (chunks and not broken):
            report()
            while chunks and len(at_work) < window and not broken:
                try:
                    with interrupts_held_back():  # the first chunks start the workers
                        future = pool.submit(_read_chunk, [tasks[row] for row in chunks[0]])
                except BrokenExecutor:  # a worker died since the last look
                    broken = True
                else:
                    at_work[future] = chunks.pop(0)
            for future in wait(at_work, _PATIENCE, FIRST_COMPLETED).done:
                rows = at_work.pop(future)
                try:
                    yield rows, future.result()
                except BrokenExecutor:
                    broken = True
                    yield rows, None
    except BaseException:
        pool.shutdown(cancel_futures=True)  # waits for the chunks at work: a process left behind is worse
        raise
