"""Lets OpenGL compile its programs in the background, one a turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qtpy.QtCore import QObject, QTimer


class WarmUp(QObject):
    """Belongs to a stage; the first frame waits for it, as it would take all steps together."""

    def __init__(self, done: Callable[[], None], pause: int, parent: QObject) -> None:
        """`done` is called after the last step; `pause` ms between two of them."""
        super().__init__(parent)
        self._done = done
        self._steps: Iterator[None] = iter(())
        self._timer = QTimer(self)
        self._timer.setObjectName("warm-up")
        self._timer.setInterval(pause)
        self._timer.timeout.connect(self._step)

    @property
    def runs(self) -> bool:
        """Whether there are steps left."""
        return self._timer.isActive()

    def start(self, steps: Iterator[None]) -> None:
        """Take these steps from now on."""
        self._steps = steps
        self._timer.start()

    def stop(self) -> None:
        """Take no more steps."""
        self._timer.stop()

    def _step(self) -> None:
        if next(self._steps, self) is self:
            self._timer.stop()
            self._done()
