"""Reading many files: in worker processes where that pays, on any executor, or here; a dead worker costs one file."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from cbvtool.analysis.facts import FileFacts, Uses
from cbvtool.analysis.languages import reader
from cbvtool.analysis.read import SOURCE_LIMIT, Unreadable, digest, is_minified, read_bytes, too_large
from cbvtool.progress import Progress, silent

if TYPE_CHECKING:  # it takes a while to load, and what is known already does without
    from concurrent.futures import Executor, Future

CHUNK = 8  # files sent at a time, at most: enough to hide the sending, few enough to lose
CHUNK_BYTES = 1_000_000  # and this much source
_CHUNKS_EACH = 4  # chunks for each worker, at least, so that all end at about the same time
# Bytes of source below which starting processes costs more than it brings (measured: docs/speed.md).
INLINE_BYTES = 1_500_000
_SHALLOW_BYTES = 10 * INLINE_BYTES  # the same where imports alone are read
_QUEUED_CHUNKS = 2  # per worker: one at work, one waiting
_ELSEWHERE = 64  # chunks given to an executor whose size we do not know
PATIENCE = 0.1  # seconds between two looks at whether the user wants to stop
_T = TypeVar("_T")
_DIED = "was given up: the process that read it ended again and again"


class Task(NamedTuple):
    """One file to read.

    path     where it is
    reader   name of the module that reads its language
    size     bytes
    shallow  its imports alone are wanted
    data     its content, or why there is none, for a process that may not see the file
    """

    path: str
    reader: str
    size: int
    shallow: bool = False
    data: bytes | str | None = None


class Outcome(NamedTuple):
    """What reading a file yielded.

    facts   a string says why there are none
    digest  of the content that was read; empty if `facts` do not follow from the content alone
    """

    facts: FileFacts | str
    digest: bytes = b""


Outcomes = Iterator[tuple[int, Outcome]]  # each with its row of tasks


def read_all(
    tasks: Sequence[Task], jobs: int | None = None, progress: Progress = silent, *,
    executor: Executor | None = None, note: Callable[[str], None] = lambda sentence: None,
    workers: Workers | None = None,
) -> Outcomes:  # fmt: skip
    """Yield the row of every task with its outcome, in the order in which they are done.

    jobs      processes; None = as many as pay, 1 = this process
    executor  reads the files in place of processes of our own; it is given their content
    note      is told, in one sentence, what did not work but was got round
    workers   the processes that read, if there are to be any; they stay; None = some for this alone

    What `progress` raises stops the work, once the chunks in work are done.
    """
    doing = "Reading imports" if tasks and tasks[0].shallow else "Reading sources"
    reading = _Reading(tasks, lambda done: progress(doing, done, len(tasks)))
    count = _count(tasks, jobs)
    with Workers(jobs) if workers is None else nullcontext(workers) as pool:
        if executor is not None:
            yield from reading.elsewhere(executor, pool, count, note)
        elif count == 1:
            yield from reading.here()
        else:
            yield from reading.in_processes(pool, count, note)
    yield from reading.given_up()
    progress(doing, len(tasks), len(tasks))


def _count(tasks: Sequence[Task], jobs: int | None) -> int:
    """How many processes are to read."""
    if jobs is None:
        limit = _SHALLOW_BYTES if tasks and tasks[0].shallow else INLINE_BYTES
        small = sum(min(task.size, SOURCE_LIMIT) for task in tasks) < limit
        jobs = 1 if small else _processors()
    return max(1, min(jobs, len(tasks)))


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read(task: Task) -> Outcome:
    """Whatever is wrong with a file costs that file alone, even where its reader has a fault."""
    if task.size > SOURCE_LIMIT:
        return Outcome(too_large())
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
            if not imports and (offered := getattr(module, "offered", None)):
                facts = facts._replace(offered=_number(offered(facts)))
            return Outcome(facts, digest(data))
    except Unreadable as reason:
        return Outcome(str(reason), digest(data))
    except MemoryError:
        return Outcome("needs more memory than there is")
    except Exception as error:
        return Outcome(f"makes its reader fail ({type(error).__name__})")


def _number(offered: FileFacts) -> bytes:
    """What stands for that."""
    return digest(repr(offered._replace(uses=Uses(offered.uses.names))).encode() + offered.uses.rows)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: facts and what is found of them are many small things without cycles."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def read_chunk(tasks: Sequence[Task]) -> list[Outcome]:
    """Read some files; what workers do."""
    return [_read(task) for task in tasks]


class _Reading:
    """Files being read. `report` is told how many are done, again and again.

    left      rows of tasks without outcome; they are given up in the end
    suspects  those among them that a broken pool has lost: one of them may kill whoever reads it
    """

    def __init__(self, tasks: Sequence[Task], report: Callable[[int], None]) -> None:
        self.tasks, self.report = tasks, report
        self.left = set(range(len(tasks)))
        self.suspects: set[int] = set()

    def here(self) -> Outcomes:
        """Read what is left in this process, but nothing that is suspect."""
        with uncollected():
            for row in sorted(self.left - self.suspects):
                self._tell()
                outcome = _read(self.tasks[row])
                self.left.discard(row)
                yield row, outcome

    def in_processes(self, workers: Workers, count: int, note: Callable[[str], None]) -> Outcomes:
        """Read what is left in `count` worker processes; where they cannot be started, this process does the work.

        A dead worker breaks the whole pool. What was at work then is tried again apart, each chunk in a pool of its
        own and, if that breaks too, each file; so only the file that kills its worker is given up.
        """
        chunks = self._chunks(count * _CHUNKS_EACH)
        suspects, some = set(self.suspects), len(self.left)
        try:
            while chunks:
                workers.start()
                lost = yield from self._read(workers, chunks, count * _QUEUED_CHUNKS)
                if lost or chunks:
                    workers.close()  # they are broken
                if len(self.left) == some and not _one_starts():
                    self.suspects = suspects  # no file is to blame
                    raise NoProcess
                while lost:
                    with Workers(1) as one:
                        for rows in (yield from self._read(one, [lost.pop(0)], 1)):
                            if len(rows) > 1:
                                lost[:0] = [[row] for row in rows]
        except NoProcess as error:
            note(f"Processes that read could not be started{error}: the files were read in one.")
            yield from self.here()

    def elsewhere(self, executor: Executor, workers: Workers, count: int, note: Callable[[str], None]) -> Outcomes:
        """Read what is left on `executor`; a chunk that gets lost there is tried once more, file by file."""
        chunks = self._chunks(_ELSEWHERE)
        for _ in range(2):
            lost = yield from self._read(executor, chunks, _ELSEWHERE, send=True)
            if chunks:  # it takes no more
                note("The executor that was to read the files stopped working: the rest was read without it.")
                yield from self.in_processes(workers, count, note)
                return
            chunks = [[row] for rows in lost for row in rows]

    def given_up(self) -> Outcomes:
        """What is still left."""
        for row in sorted(self.left):
            yield row, Outcome(_DIED)

    def _tell(self) -> None:
        self.report(len(self.tasks) - len(self.left))

    def _chunks(self, least: int) -> list[list[int]]:
        """Rows that are left, largest files first, so that no large one comes last; at least `least` chunks."""
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
        self, pool: Executor | Workers, chunks: list[list[int]], window: int, send: bool = False
    ) -> Generator[tuple[int, Outcome], None, list[list[int]]]:
        """Read `chunks`, taken from its front, at most `window` at a time; returns those that got lost.

        A broken pool takes no more of them. send: the pool is given the content of the files.
        """
        from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

        at_work: dict[Future[list[Outcome]], list[int]] = {}
        lost = []
        broken = False
        try:
            while at_work or (chunks and not broken):
                self._tell()
                while chunks and len(at_work) < window and not broken:
                    tasks = [_with_data(self.tasks[row]) if send else self.tasks[row] for row in chunks[0]]
                    try:
                        future = pool.submit(read_chunk, tasks)
                    except NoProcess:
                        raise
                    except Exception:
                        broken = True  # a worker died since the last look
                    else:
                        at_work[future] = chunks.pop(0)
                for future in wait(at_work, PATIENCE, FIRST_COMPLETED).done:
                    rows = at_work.pop(future)
                    try:
                        outcomes = future.result()
                    except Exception as error:
                        broken = broken or isinstance(error, BrokenExecutor)
                        self.suspects.update(rows)
                        lost.append(rows)
                    else:
                        self.left.difference_update(rows)
                        yield from zip(rows, outcomes, strict=True)
        finally:
            wait([future for future in at_work if not future.cancel()])  # a process left behind is worse than a delay
        return lost


class NoProcess(Exception):
    """No process can be started. Its text is the reason, in brackets, or empty."""


class Workers:
    """At most `jobs` processes (None = one for each processor), started when they get work; they stay until `close`."""

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs
        self._pool: Executor | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def pay(self, work: int, least: int) -> bool:
        """Whether to divide `work` among them, if `least` of it is worth starting some."""
        if self._pool is not None or self._jobs is not None:
            return self._jobs != 1
        return work >= least and _processors() > 1

    def start(self) -> Executor:
        """Make ready for work; raises `NoProcess`."""
        if self._pool is None:
            # Multiprocessing takes a while to load, and small folders do without.
            from cbvtool.analysis.workers import worker_pool

            try:
                self._pool = worker_pool(self._jobs or _processors())
            except (OSError, ImportError, NotImplementedError) as error:  # the last two: the system has no semaphores
                raise NoProcess(_why(error)) from error
        return self._pool

    def submit(self, function: Callable[..., _T], *arguments: object) -> Future[_T]:
        """Have one of them do it; raises `NoProcess` or `BrokenExecutor`."""
        pool = self.start()
        from cbvtool.analysis.workers import interrupts_held_back

        try:
            with interrupts_held_back():  # the first work starts them
                return pool.submit(function, *arguments)
        except OSError as error:
            raise NoProcess(_why(error)) from error

    def close(self) -> None:
        """Let them end what they do, and end them. More work starts others."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _one_starts() -> bool:
    """Whether a worker that is given nothing to read lives."""
    from concurrent.futures import BrokenExecutor

    with Workers(1) as workers:
        try:
            workers.submit(read_chunk, []).result()
        except (NoProcess, BrokenExecutor):
            return False
    return True


def _why(error: Exception) -> str:
    return f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""


def _with_data(task: Task) -> Task:
    try:
        return task._replace(data=read_bytes(task.path))
    except Unreadable as reason:
        return task._replace(data=str(reason))
