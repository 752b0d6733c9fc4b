"""The background jobs that the status bar shows: one place tells how far they are, and Cancel stops every one."""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

from qtpy.QtCore import QObject

from cbvtool.view.toolkit.worker import BackgroundJobs


class ProgressBar(Protocol):
    """Where progress is shown, with a Cancel button."""

    cancelled: Any  # Qt's bound signal, which has no public type

    def show_progress(self, what: str, done: int, total: int) -> None:
        """How far the work called `what` is."""

    def show_stopping(self) -> None:
        """It was told to stop and has not ended yet."""

    def show_idle(self) -> None:
        """Nothing is under way."""


class Jobs(QObject):
    """Belongs to a window. Whatever reports to its status bar is added here, and thereby can be cancelled."""

    def __init__(self, status: ProgressBar, parent: QObject) -> None:
        super().__init__(parent)
        self._status = status
        self._shown: dict[BackgroundJobs, tuple[str, int, int]] = {}  # what each reported last, the latest at the end
        self._all: list[BackgroundJobs] = []
        status.cancelled.connect(self.cancel)

    @property
    def all(self) -> tuple[BackgroundJobs, ...]:
        """Those that were added."""
        return tuple(self._all)

    def add(self, jobs: BackgroundJobs) -> None:
        """Show what these do from now on."""
        self._all.append(jobs)
        jobs.progressed.connect(partial(self._show, jobs))
        jobs.idle.connect(partial(self._end, jobs))

    def remove(self, jobs: BackgroundJobs) -> None:
        """They have ended for good."""
        self._all.remove(jobs)
        self._end(jobs)

    def cancel(self) -> None:
        """Stop all that is shown; what has to come to a point where it can stop is said to be stopping."""
        for jobs in self._all:
            jobs.cancel()
        if self._shown:
            self._status.show_stopping()

    def _show(self, jobs: BackgroundJobs, what: str, done: int, total: int) -> None:
        self._shown.pop(jobs, None)
        self._shown[jobs] = what, done, total
        self._status.show_progress(what, done, total)

    def _end(self, jobs: BackgroundJobs) -> None:
        if self._shown.pop(jobs, None) is None:
            return
        if self._shown:
            self._status.show_progress(*list(self._shown.values())[-1])
        else:
            self._status.show_idle()
