"""Pictures of huge graphs, made in the background: the window goes on with the one before, and stays at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qtpy.QtCore import QObject, Signal

from cbvtool.geometry.scene.scene import Scene
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.jobs import Prepare
from cbvtool.view.toolkit.jobs import Jobs


class SceneMaking(QObject):
    """Makes a scene whenever the session `is_late`, one at a time; what is asked for last is made last.

    What leads to another graph (steps of the plan, another hierarchy) is prepared in its turn before that.
    """

    failed = Signal(str)

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._unsubscribe = session.subscribe(self._follow)
        session.defer = self._next

    @property
    def busy(self) -> bool:
        """Whether a scene is being made."""
        return self._jobs.is_busy(self)

    def close(self) -> None:
        """Wait until the thread is gone."""
        self._session.defer = None
        self._unsubscribe()
        self._jobs.stop(self)

    def _follow(self, what: Change) -> None:
        if what == Change.VIEW:
            self._next()

    def _next(self) -> None:
        """Begin what is to be done next, if there is anything."""
        session = self._session
        if self.busy or not session.is_open:
            return
        if (job := session.first_job) is not None:
            prepare = session.begin_job()
            self._run(job.what, prepare, self._end_job, self._drop_job)
        elif session.is_wanted:
            self._run("Laying out", session.making(), self._finish, self._fail)

    def _run(self, what: str, make: Prepare, done: Callable[[Any], None], failed: Callable[[str], None]) -> None:
        """Two never run side by side: they share a pipeline. Cancelled, it gives up what waits, too."""
        self._jobs.run(
            self, what, lambda _: make(), done, failed, cancelled=self._session.give_up, at_once=True, ends=True
        )

    def _end_job(self, found: Any) -> None:
        if (refused := self._session.end_job(found)) is not None:
            self.failed.emit(refused)
        self._next()  # more may have been asked for meanwhile

    def _drop_job(self, why: str) -> None:
        self._session.drop_job()
        self.failed.emit(why)
        self._next()

    def _finish(self, scene: Scene) -> None:
        self._session.made(scene)
        self._next()

    def _fail(self, why: str) -> None:
        self._session.made(None)
        self.failed.emit(why)
