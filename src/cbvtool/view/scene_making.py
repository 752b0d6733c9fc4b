"""Pictures of huge graphs, made in the background: the window goes on with the one before, and stays at hand."""

from __future__ import annotations

from qtpy.QtCore import QObject, Signal

from cbvtool.geometry.scene import Scene
from cbvtool.session import Session
from cbvtool.view.worker import Worker


class SceneMaking(QObject):
    """Makes a scene whenever the session `is_late`, one at a time; what is asked for last is made last."""

    progressed = Signal(str, int, int)
    idle = Signal()
    failed = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = Worker(self)
        self._unsubscribe = session.subscribe(self._follow)

    @property
    def busy(self) -> bool:
        """Whether a scene is being made."""
        return self._worker.busy

    def close(self) -> None:
        """Wait until the thread is gone."""
        self._unsubscribe()
        self._worker.stop()

    def _follow(self, what: str) -> None:
        if what == "view" and self._session.is_open and not self.busy and self._session.is_late:
            make = self._session.making()
            self.progressed.emit("Laying out", 0, 0)
            self._worker.start(lambda progress: make(), self._finish, self._fail)

    def _finish(self, scene: Scene) -> None:
        self.idle.emit()
        self._session.made(scene)
        self._follow("view")  # more may have been asked for meanwhile

    def _fail(self, why: str) -> None:
        self.idle.emit()
        self._session.made(None)
        self.failed.emit(why)
