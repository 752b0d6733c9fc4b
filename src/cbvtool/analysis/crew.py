"""Worker processes under supervision: a worker whose item of work exceeds its budget is killed.

An item can make only its own worker hang, run out of memory or crash. Results sent before are kept, and a new worker
takes over the remaining items. Ending the workers never waits for the items that they work on.
"""

from __future__ import annotations

import gc
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from cbvtool.analysis.cost import cost_of
from cbvtool.analysis.limits import MEMORY, NoProcess, NoResult, too_long, too_much_memory
from cbvtool.analysis.workers import WorkerProcess, lone_process

_TICK = 0.1  # seconds between two checks of the workers
_UNWATCHED = 0.3  # seconds that an item may take before its cost is checked for the first time
_STILL = 20.0  # seconds without any processor time, after which an item counts as waiting for ever
_AHEAD = 2  # jobs assigned to a worker: one in progress, one waiting
_ATTEMPTS = 2  # attempts at an item whose worker ended for an unknown reason
_FAILED_STARTS = 3  # workers that end before they are ready, after which no more are started


class CrewJob:
    """Items for one worker, one after the other; `function` turns each item into a result.

    seconds  limit of processor time for each item
    tag      value by which the caller recognises the job
    """

    def __init__(self, function: Callable[[Any], Any], items: Sequence[Any], seconds: float, tag: Any) -> None:
        self.function, self.items, self.seconds, self.tag = function, items, seconds, tag
        self.first = 0  # index of `items[0]` among the items that the caller passed
        self.attempts = 0


class CrewResult(NamedTuple):
    """The result of an item, or why there is none (`NoResult`). An exception from `function` is a result, too.

    tag, row  tag of the job, and index of the item among those passed to `Crew.add`
    """

    tag: Any
    row: int
    result: Any


class _Worker:
    """A process, its jobs, oldest first, and its progress in the first one."""

    def __init__(self) -> None:
        self.process: WorkerProcess
        self.connection: Connection
        self.process, self.connection = lone_process(_serve)
        self.ready = False
        self.jobs: deque[CrewJob] = deque()
        self.done = 0  # finished items of the first job
        self.since = time.monotonic()  # when the current item began
        self.spent: float | None = None  # seconds of processor time before the current item; None = not measured yet
        self.seen, self.moved = 0.0, self.since  # seconds of processor time at the last check, and when it last grew
        self.largest = 0  # most memory seen, in bytes
        self.verdict = ""

    def next_item(self) -> None:
        self.since = self.moved = time.monotonic()
        self.spent, self.largest = None, 0

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Crew:
    """At most `size` workers, started when there is work; `close` ends them at once. Use it from one thread only."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: deque[CrewJob] = deque()
        self.workers: list[_Worker] = []
        self._failed_starts = 0
        self._looked = 0.0

    def add(self, function: Callable[[Any], Any], items: Sequence[Any], seconds: float, tag: Any = None) -> None:
        """Queue these items for some worker. Raises `NoProcess` if no worker can be started."""
        self.waiting.append(CrewJob(function, items, seconds, tag))
        self._give()

    @property
    def busy(self) -> int:
        """Number of jobs that are waiting or in progress."""
        return len(self.waiting) + sum(len(worker.jobs) for worker in self.workers)

    def found(self, patience: float) -> Iterator[CrewResult]:
        """Results since the last call; waits at most `patience` seconds for them. Raises `NoProcess`."""
        self._give()
        of_connection = {worker.connection: worker for worker in self.workers}
        for connection in wait(list(of_connection), min(patience, _TICK)):
            yield from self._heard(of_connection[connection])  # type: ignore[index]  # one of those given
        if time.monotonic() - self._looked > _TICK:
            self._looked = time.monotonic()
            for worker in [worker for worker in self.workers if worker.jobs]:
                self._watch(worker)
        self._give()

    def close(self) -> None:
        """End all workers, whatever they are doing. Work added later starts new ones."""
        self.waiting.clear()
        for worker in self.workers:
            worker.process.kill()
        while self.workers:
            self.workers.pop().kill()

    def _give(self) -> None:
        """Assign waiting jobs to workers."""
        while self.waiting:
            least = min(self.workers, key=lambda worker: len(worker.jobs), default=None)
            if (least is None or least.jobs) and len(self.workers) < self.size:
                try:
                    least = _Worker()
                except OSError as error:
                    raise NoProcess(f" ({error.strerror})" if error.strerror else "") from error
                self.workers.append(least)
            if least is None or len(least.jobs) >= _AHEAD:
                return
            job = self.waiting.popleft()
            if not least.jobs:
                least.next_item()
            least.jobs.append(job)
            with suppress(OSError):  # it is dead: `found` will notice soon
                least.connection.send((job.function, job.items))

    def _heard(self, worker: _Worker) -> Iterator[CrewResult]:
        """The results that a worker has sent; if it has ended, those of its end."""
        try:
            while True:
                answer = worker.connection.recv()
                if not worker.ready:  # the first message says that it is ready
                    worker.ready, self._failed_starts = True, 0
                    worker.next_item()
                else:
                    yield self._done(worker, answer)
                if not worker.connection.poll():
                    return
        except (EOFError, OSError):
            yield from self._ended(worker)

    def _done(self, worker: _Worker, result: Any) -> CrewResult:
        job, row = worker.jobs[0], worker.done
        worker.done += 1
        worker.next_item()
        if worker.done == len(job.items):
            worker.jobs.popleft()
            worker.done = 0
        return CrewResult(job.tag, job.first + row, result)

    def _ended(self, worker: _Worker) -> Iterator[CrewResult]:
        """Handle the end of a worker: at most one item is to blame, and a new worker gets the others."""
        self.workers.remove(worker)
        worker.kill()
        if not worker.ready:
            self._failed_starts += 1
            self.waiting.extendleft(reversed(worker.jobs))
            if self._failed_starts >= _FAILED_STARTS and not any(other.ready for other in self.workers):
                raise NoProcess
            return
        while len(worker.jobs) > 1:
            self.waiting.appendleft(worker.jobs.pop())
        if not worker.jobs:
            return
        job, row = worker.jobs[0], worker.done
        rest = CrewJob(job.function, job.items[row + 1 :], job.seconds, job.tag)
        rest.first = job.first + row + 1
        if rest.items:
            self.waiting.appendleft(rest)
        blamed = CrewJob(job.function, job.items[row : row + 1], job.seconds, job.tag)
        blamed.first, blamed.attempts = job.first + row, (job.attempts if row == 0 else 0) + 1
        if not worker.verdict and worker.largest > MEMORY / 2:
            worker.verdict = too_much_memory()
        if worker.verdict or blamed.attempts == _ATTEMPTS:
            yield CrewResult(blamed.tag, blamed.first, NoResult(worker.verdict, bool(worker.verdict)))
        else:
            self.waiting.append(blamed)

    def _watch(self, worker: _Worker) -> None:
        """Kill a worker whose item has taken too much time or memory; the next round notices its end."""
        now = time.monotonic()
        if now - worker.since < _UNWATCHED or worker.verdict or worker.process.pid is None:
            return
        cost = cost_of(worker.process.pid)
        if cost is None:
            return
        if worker.spent is None:  # the item cannot have used more than the time since it began
            worker.spent = cost.seconds - min(cost.seconds, now - worker.since)
        if cost.seconds > worker.seen:
            worker.seen, worker.moved = cost.seconds, now
        worker.largest = max(worker.largest, cost.memory)
        seconds = worker.jobs[0].seconds
        if cost.memory > MEMORY:
            worker.verdict = too_much_memory()
        elif cost.seconds - worker.spent > seconds or now - worker.moved > _STILL:
            worker.verdict = too_long(seconds)
        if worker.verdict:
            worker.process.kill()


def _serve(connection: Connection) -> None:
    """Process jobs until the connection closes.

    Garbage collection is off, because the data of a worker has no cycles.
    """
    gc.disable()
    _limit_memory()
    connection.send(None)
    while True:
        try:
            function, items = connection.recv()
        except (EOFError, OSError):
            os._exit(0)  # a regular exit would free its memory piece by piece, for up to a second
        for item in items:
            try:
                result = function(item)
            except MemoryError:
                result = NoResult(too_much_memory(), True)
            except Exception as error:
                result = error
            try:
                connection.send(result)
            except (EOFError, OSError):
                os._exit(0)
            except Exception as error:  # the result cannot be sent
                connection.send(RuntimeError(f"{type(error).__name__}: {error}"))


def _limit_memory() -> None:
    """Let the system limit the memory of this process, if it can: it reacts faster than `Crew._watch`."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
