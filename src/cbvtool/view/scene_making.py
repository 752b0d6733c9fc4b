"""Pictures of huge graphs, made in the background: the window goes on with the one before, and stays at hand."""

from __future__ import annotations

from typing import Any

from qtpy.QtCore import QObject, Signal

from cbvtool.geometry.scene import Scene
from cbvtool.session import Session
from cbvtool.view.worker import BackgroundJobs, Worker


class SceneMaking(BackgroundJobs):
    """Makes a scene whenever the session `is_late`, one at a time; what is asked for last is made last.

    What leads to another graph (steps of the plan, another hierarchy) is prepared in its turn before that.
    """

    failed = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = Worker(self)
        self._unsubscribe = session.subscribe(self._follow)
        session.defer = self._next

    @property
    def busy(self) -> bool:
        """Whether a scene is being made."""
        return self._worker.busy

    def cancel(self) -> None:
        """Give up what is being made, and what waits for it: all stays as it is."""
        self._worker.cancel()

    def close(self) -> None:
        """Wait until the thread is gone."""
        self._session.defer = None
        self._unsubscribe()
        self._worker.stop()

    def _follow(self, what: str) -> None:
        if what == "view":
            self._next()

    def _next(self) -> None:
        """Begin what is to be done next, if there is anything."""
        session = self._session
        if self.busy or not session.is_open:
            return
        if (job := session.first_job) is not None:
            prepare = session.begin_job()
            self.progressed.emit(job.what, 0, 0)
            self._worker.start(
                lambda progress: prepare(lambda: progress(job.what, 0, 0)), self._end_job, self._drop_job, self._give_up
            )
        elif session.is_wanted:
            make = session.making()
            self.progressed.emit("Laying out", 0, 0)
            self._worker.start(
                lambda progress: make(lambda: progress("Laying out", 0, 0)), self._finish, self._fail, self._give_up
            )

    def _end_job(self, found: Any) -> None:
        self.idle.emit()
        if (refused := self._session.end_job(found)) is not None:
            self.failed.emit(refused)
        self._next()  # more may have been asked for meanwhile

    def _drop_job(self, why: str) -> None:
        self.idle.emit()
        self._session.drop_job()
        self.failed.emit(why)
        self._next()

    def _finish(self, scene: Scene) -> None:
        self.idle.emit()
        self._session.made(scene)
        self._next()

    def _give_up(self) -> None:
        self.idle.emit()
        self._session.give_up()

    def _fail(self, why: str) -> None:
        self.idle.emit()
        self._session.made(None)
        self.failed.emit(why)
