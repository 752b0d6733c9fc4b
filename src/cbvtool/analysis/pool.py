"""Reads many files: in worker processes if that pays, on an executor, or in this process.

A dead worker costs one file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from cbvtool.analysis.facts import FileFacts, Uses
from cbvtool.analysis.languages import reader
from cbvtool.analysis.limits import FILE_SECONDS, NoProcess, NoResult, too_much_memory
from cbvtool.analysis.read import SOURCE_LIMIT, digest, is_minified
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import Unreadable, read_bytes, too_large

if TYPE_CHECKING:  # slow to load, and not needed if everything is cached
    from concurrent.futures import Executor, Future

    from cbvtool.analysis.crew import Crew

CHUNK = 8  # most files sent at a time: enough to hide the cost of sending, few enough to lose
CHUNK_BYTES = 1_000_000  # bytes of source sent at a time
_CHUNKS_EACH = 4  # least number of chunks for each worker, so that all end at about the same time
# Bytes of source below which a second process costs more than it brings (measured: docs/speed.md).
ONE_PROCESS_BYTES = 1_500_000
_SHALLOW_BYTES = 10 * ONE_PROCESS_BYTES  # the same limit if only imports are read
# A file of up to this size takes at worst a fifth of a second and 50 MB (tests/attack/source_files.py). Up to
# INLINE_BYTES of such files are read without starting a process.
HARMLESS_BYTES = 4_096
INLINE_BYTES = 65_536
_ELSEWHERE = 64  # chunks sent at a time to an executor of unknown size
PATIENCE = 0.1  # seconds between two checks for cancellation
_DIED = "was given up: the process that read it ended again and again"


class ReadTask(NamedTuple):
    """One file to read.

    path     its path
    reader   name of the module that reads its language
    size     bytes
    shallow  whether only its imports are wanted
    offers   whether `FileFacts.offered` is wanted, too, because the result is cached
    data     its content, or why there is none, for a process that may have no access to the file
    """

    path: str
    reader: str
    size: int
    shallow: bool = False
    data: bytes | str | None = None
    offers: bool = True


class Outcome(NamedTuple):
    """The result of reading a file.

    facts   facts, or a string that says why there are none
    digest  of the content that was read; empty if `facts` depend on more than the content
    """

    facts: FileFacts | str
    digest: bytes = b""


Outcomes = Iterator[tuple[int, Outcome]]  # each with its row of tasks


def read_all(
    tasks: Sequence[ReadTask],
    jobs: int | None = None,
    progress: Progress = silent,
    *,
    executor: Executor | None = None,
    note: Callable[[str], None] = lambda sentence: None,
    workers: Workers | None = None,
) -> Outcomes:
    """Yield the row of every task with its outcome, in the order of completion.

    jobs      number of worker processes; None = as many as pay. A few small files are read in this process
    executor  reads the files in place of our own processes; it receives their content
    note      called with one sentence about each fault that was worked around
    workers   processes to use, which stay alive; None = start some for this call only

    An exception from `progress` stops the work at once.
    """
    doing = "Reading imports" if tasks and tasks[0].shallow else "Reading sources"
    reading = _Reading(tasks, lambda done: progress(doing, done, len(tasks)))
    count = _count(tasks, jobs)
    with Workers(jobs) if workers is None else nullcontext(workers) as pool:
        if executor is not None:
            yield from reading.elsewhere(executor, pool, count, note)
        elif count == 1 and _harmless(tasks):
            yield from reading.here()
        else:
            yield from reading.in_processes(pool, count, note)
    yield from reading.given_up()
    progress(doing, len(tasks), len(tasks))


def _count(tasks: Sequence[ReadTask], jobs: int | None) -> int:
    """Number of processes that are to read."""
    if jobs is None:
        limit = _SHALLOW_BYTES if tasks and tasks[0].shallow else ONE_PROCESS_BYTES
        small = sum(min(task.size, SOURCE_LIMIT) for task in tasks) < limit
        jobs = 1 if small else _processors()
    return max(1, min(jobs, len(tasks)))


def _harmless(tasks: Sequence[ReadTask]) -> bool:
    """Whether these files are too small to occupy this process for long, so that no worker is started for them."""
    return all(task.size <= HARMLESS_BYTES for task in tasks) and sum(task.size for task in tasks) <= INLINE_BYTES


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(task: ReadTask) -> Outcome:
    """The outcome of one file; any fault in the file or its reader affects this file only."""
    if task.size > SOURCE_LIMIT:
        return Outcome(too_large(SOURCE_LIMIT))
    name = os.path.basename(task.path)
    data = _with_data(task).data if task.data is None else task.data
    if not isinstance(data, bytes):
        return Outcome(data or "")
    if is_minified(data, name):
        return Outcome("is minified", digest(data))
    try:
        module = reader(task.reader)
        imports = getattr(module, "read_imports", None) if task.shallow else None
        with uncollected():
            facts = imports(data, name)._replace(measured=False) if imports else module.read_facts(data, name)
            if not imports and task.offers and (offered := getattr(module, "offered", None)):
                facts = facts._replace(offered=_number(offered(facts)))
            return Outcome(facts, digest(data))
    except Unreadable as reason:
        return Outcome(str(reason), digest(data))
    except MemoryError:
        return Outcome(too_much_memory(), digest(data))
    except Exception as error:
        return Outcome(f"makes its reader fail ({type(error).__name__})")


def _number(offered: FileFacts) -> bytes:
    """Digest of the offered facts."""
    return digest(repr(offered._replace(uses=Uses(offered.uses.names))).encode() + offered.uses.rows)


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend garbage collection: facts are many small objects without cycles."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def read_chunk(tasks: Sequence[ReadTask]) -> list[Outcome]:
    """Read some files; runs in a worker."""
    return [_read(task) for task in tasks]


class _Reading:
    """Files being read. `report` is called with the number of finished files.

    left  rows of tasks without outcome; at the end, these are given up
    """

    def __init__(self, tasks: Sequence[ReadTask], report: Callable[[int], None]) -> None:
        self.tasks, self.report = tasks, report
        self.left = set(range(len(tasks)))

    def here(self) -> Outcomes:
        """Read the remaining files in this process."""
        with uncollected():
            for row in sorted(self.left):
                self._tell()
                outcome = _read(self.tasks[row])
                self.left.discard(row)
                yield row, outcome

    def in_processes(self, workers: Workers, count: int, note: Callable[[str], None]) -> Outcomes:
        """Read the remaining files in worker processes; if none can be started, read them in this process.

        A file that exceeds its budget, or kills its worker repeatedly, affects only itself (see `crew`).
        """
        try:
            crew = workers.start(count)
            for rows in self._chunks(count * _CHUNKS_EACH):
                crew.add(_read, [self.tasks[row] for row in rows], FILE_SECONDS, rows)
            while crew.busy:
                self._tell()
                for rows, i, result in crew.found(PATIENCE):
                    row = rows[i]
                    if isinstance(result, Outcome):
                        self.left.discard(row)
                        yield row, result
                    elif isinstance(result, NoResult) and result.certain:
                        self.left.discard(row)
                        yield row, self._refused(row, f"{result.reason} to be read")
        except NoProcess as error:
            workers.close()
            note(f"Processes that read could not be started{error}: the files were read in one.")
            yield from self.here()
        except BaseException:
            workers.close()  # their remaining work is not needed
            raise

    def _refused(self, row: int, reason: str) -> Outcome:
        """The outcome for a file that exceeded a limit; it depends on the content only, so that it can be cached."""
        content = _with_data(self.tasks[row]).data
        return Outcome(reason, digest(content) if isinstance(content, bytes) else b"")

    def elsewhere(self, executor: Executor, workers: Workers, count: int, note: Callable[[str], None]) -> Outcomes:
        """Read the remaining files on `executor`; a lost chunk is tried once more, file by file."""
        chunks = self._chunks(_ELSEWHERE)
        for _ in range(2):
            lost = yield from self._read(executor, chunks, _ELSEWHERE)
            if chunks:  # it accepts no more work
                note("The executor that was to read the files stopped working: the rest was read without it.")
                yield from self.in_processes(workers, count, note)
                return
            chunks = [[row] for rows in lost for row in rows]

    def given_up(self) -> Outcomes:
        """Outcomes of the files that remain unread."""
        for row in sorted(self.left):
            yield row, Outcome(_DIED)

    def _tell(self) -> None:
        self.report(len(self.tasks) - len(self.left))

    def _chunks(self, least: int) -> list[list[int]]:
        """Remaining rows in at least `least` chunks, largest files first, so that no large file comes last."""
        order = sorted(self.left, key=lambda row: (-self.tasks[row].size, row))
        most = max(1, min(CHUNK, len(order) // least))
        chunks: list[list[int]] = []
        size = 0
        for row in order:
            if not chunks or len(chunks[-1]) == most or size + self.tasks[row].size > CHUNK_BYTES:
                chunks.append([])
                size = 0
            chunks[-1].append(row)
            size += self.tasks[row].size
        return chunks

    def _read(
        self, pool: Executor, chunks: list[list[int]], window: int
    ) -> Generator[tuple[int, Outcome], None, list[list[int]]]:
        """Read `chunks`, taken from the front, at most `window` at a time; returns the lost ones.

        A broken pool accepts no more. The pool receives the content of the files.
        """
        from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

        at_work: dict[Future[list[Outcome]], list[int]] = {}
        lost = []
        broken = False
        try:
            while at_work or (chunks and not broken):
                self._tell()
                while chunks and len(at_work) < window and not broken:
                    tasks = [_with_data(self.tasks[row]) for row in chunks[0]]
                    try:
                        future = pool.submit(read_chunk, tasks)
                    except Exception:
                        broken = True  # a worker died since the last check
                    else:
                        at_work[future] = chunks.pop(0)
                for future in wait(at_work, PATIENCE, FIRST_COMPLETED).done:
                    rows = at_work.pop(future)
                    try:
                        outcomes = future.result()
                    except Exception as error:
                        broken = broken or isinstance(error, BrokenExecutor)
                        lost.append(rows)
                    else:
                        self.left.difference_update(rows)
                        yield from zip(rows, outcomes, strict=True)
        finally:
            for future in at_work:
                future.cancel()
        return lost


class Workers:
    """At most `jobs` processes (None = one for each processor), started for their first work.

    They live until `close`.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs
        self._crew: Crew | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def pay(self, work: int, least: int) -> bool:
        """Whether to divide `work` among them; `least` is the amount that justifies starting some."""
        if self._jobs is not None:
            return self._jobs != 1
        return work >= least and _processors() > 1

    def start(self, count: int | None = None) -> Crew:
        """The processes, `count` of them if given, ready for work. Raises `NoProcess` if none starts."""
        # Multiprocessing is slow to load, and small folders do not need it.
        try:
            from cbvtool.analysis.crew import Crew
        except ImportError as error:  # the system has no semaphores
            raise NoProcess from error
        if self._crew is None:
            self._crew = Crew(1)
        self._crew.size = max(1, count or self._jobs or _processors())
        return self._crew

    def close(self) -> None:
        """End the processes at once. New work starts others."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None


def _with_data(task: ReadTask) -> ReadTask:
    try:
        return task._replace(data=read_bytes(task.path, SOURCE_LIMIT))
    except Unreadable as reason:
        return task._replace(data=str(reason))
