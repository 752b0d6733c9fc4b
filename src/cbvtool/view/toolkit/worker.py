"""Slow work in a thread of its own, with progress and cancel; the latest request wins."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from qtpy.QtCore import QObject, QThread, Signal

from cbvtool.compiling import compiled_elsewhere
from cbvtool.errors import Cancelled, InputError
from cbvtool.progress import Progress, stoppable
from cbvtool.view.toolkit.application import failures

log = logging.getLogger(__name__)
REPORT_EVERY = 0.05  # seconds between two reports of progress, so that the window is not flooded


# A subject of at least this many nodes is shown before background work on it begins. Otherwise the window's thread and
# the worker would take turns, and the first picture would take three times as long.
LARGE, BREATH = 20_000, 1.0  # nodes, seconds


def hold_back(progress: Progress, what: str, until: float) -> None:
    """Wait in a worker thread until `time.monotonic()` reaches `until`, unless the work is cancelled."""
    while time.monotonic() < until:
        progress(what, 0, 0)
        time.sleep(0.02)


class JobThread(QThread):
    """One piece of work. Exactly one of `done`, `failed`, `cancelled` is sent, in the thread of the receiver.

    Before that, the work may deliver an early first result by `first.emit`.
    """

    progressed = Signal(str, int, int)
    first = Signal(object)
    done = Signal(object)
    failed = Signal(str)
    cancelled = Signal()

    def __init__(self, work: Callable[[Progress], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._stop = False
        self._reported = 0.0
        self._what = ""

    def cancel(self) -> None:
        """Ask the work to stop; it stops at its next report of progress."""
        self._stop = True

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop

    def run(self) -> None:
        """Do the work; called by Qt in the new thread."""
        try:
            with stoppable(self._check), compiled_elsewhere(self._report):
                result = self._work(self._report)
        except Cancelled:
            self.cancelled.emit()
        except InputError as error:
            self.failed.emit(str(error))
        except Exception as error:
            for each in (log, failures):
                each.exception("work failed")
            self.failed.emit(f"Something went wrong inside cbvtool: {type(error).__name__}: {error}.")
        else:
            if self._stop:
                self.cancelled.emit()
            else:
                self.done.emit(result)

    def _check(self) -> None:
        if self._stop:
            raise Cancelled

    def _report(self, what: str, done: int, total: int) -> None:
        self._check()
        now = time.monotonic()
        if what != self._what or now - self._reported >= REPORT_EVERY or (total and done == total):
            self._what, self._reported = what, now
            self.progressed.emit(what, done, total)


class Worker(QObject):
    """Runs one job at a time: a new request cancels the previous job and drops its result. Belongs to a `Jobs`."""

    progressed = Signal(str, int, int)
    idle = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: list[JobThread] = []
        self._current: JobThread | None = None
        self._on_cancelled: Callable[[], object] = lambda: None
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether work that is still wanted is in progress."""
        return self._current is not None

    def start(
        self,
        work: Callable[[Progress], Any],
        on_done: Callable[[Any], object],
        on_failed: Callable[[str], object],
        on_cancelled: Callable[[], object] = lambda: None,
    ) -> None:
        """Run `work(progress)` in a thread; the callbacks run in the thread of this object."""
        self._run(JobThread(work, self), on_done, on_failed, on_cancelled)

    def start_in_stages(
        self,
        work: Callable[[Progress, Callable[[Any], None]], Any],
        on_first: Callable[[Any], object],
        on_done: Callable[[Any], object],
        on_failed: Callable[[str], object],
        on_cancelled: Callable[[], object] = lambda: None,
    ) -> None:
        """As `start`, for `work(progress, first)`, which may deliver a first result by calling `first`."""
        job = JobThread(lambda progress: work(progress, job.first.emit), self)
        job.first.connect(lambda result: self._hand_over(job, on_first, result))
        self._run(job, on_done, on_failed, on_cancelled)

    def _run(
        self,
        job: JobThread,
        on_done: Callable[[Any], object],
        on_failed: Callable[[str], object],
        on_cancelled: Callable[[], object],
    ) -> None:
        if self._closed:
            job.deleteLater()
            return
        self.cancel()
        self._current, self._on_cancelled = job, on_cancelled
        self._running.append(job)
        job.progressed.connect(lambda what, done, total: self._pass_on(job, what, done, total))
        # If work is cancelled when its result is already on the way, that result must not be delivered.
        job.done.connect(lambda result: self._settle(job, on_cancelled if job.stopping else lambda: on_done(result)))
        job.failed.connect(lambda sentence: self._settle(job, lambda: on_failed(sentence)))
        job.cancelled.connect(lambda: self._settle(job, on_cancelled))
        job.finished.connect(lambda: self._forget(job))
        job.start()

    def cancel(self) -> None:
        """Ask the current work to stop."""
        if self._current is not None:
            self._current.cancel()

    def drop(self) -> None:
        """Cancel the current work, whose result is not needed any more, without calling its callbacks."""
        if (job := self._current) is not None:
            job.cancel()
            self._settle(job, lambda: None)

    def abandon(self) -> None:
        """Cancel the current work and stop waiting for it, for work that cannot be interrupted."""
        if (job := self._current) is not None:
            job.cancel()
            self._settle(job, self._on_cancelled)

    def stop(self, *, for_good: bool = True) -> None:
        """Cancel everything and wait until no thread is left; for closing the window.

        for_good   ignore all later requests, because timers and queued events may outlive a window
        """
        self._closed = self._closed or for_good
        self._current = None
        for job in self._running:
            job.cancel()
        for job in list(self._running):
            job.wait()
            self._forget(job)

    def _pass_on(self, job: JobThread, what: str, done: int, total: int) -> None:
        if self._current is job:
            self.progressed.emit(what, done, total)

    def _hand_over(self, job: JobThread, on_first: Callable[[Any], object], result: object) -> None:
        if self._current is job:
            on_first(result)

    def _settle(self, job: JobThread, call: Callable[[], object]) -> None:
        if self._current is not job:
            return  # a newer request is in progress, or the window is closing
        self._current = None
        self.idle.emit()
        call()

    def _forget(self, job: JobThread) -> None:
        if job in self._running:
            self._running.remove(job)
            job.deleteLater()
