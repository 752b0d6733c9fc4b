"""Lets OpenGL compile its shader programs in the background, one in each turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qtpy.QtCore import QObject, QTimer


class WarmUp(QObject):
    """Belongs to a stage.

    The first frame waits for it, because it would otherwise take as long as all steps together.
    """

    def __init__(self, done: Callable[[], None], pause: int, parent: QObject) -> None:
        """`done` is called after the last step; `pause`: ms between two steps."""
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
        """Start executing these steps."""
        self._steps = steps
        self._timer.start()

    def stop(self) -> None:
        """Execute no more steps."""
        self._timer.stop()

    def _step(self) -> None:
        if next(self._steps, self) is self:
            self._timer.stop()
            self._done()
