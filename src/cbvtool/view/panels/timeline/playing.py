"""Plays the history: a timer that moves the range, by the clock, however long a frame takes."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QElapsedTimer, QObject, QTimer

from cbvtool.history.time_range import from_start, played
from cbvtool.metrics.history.baseline import Span

WHOLE = 30.0  # seconds in which the whole history is played at speed 1
FRAME, CALM_FRAME = 40, 1000  # ms between two steps; while motion is reduced
LONGEST = 1.0  # seconds that one step counts: the window may have been busy
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)


class Playing(QObject):
    """Belongs to a timeline.

    show     is called with each next range
    ended    is called when playing ends, by `stop` or at the end of the history
    speed    see `WHOLE`; growing: the begin of the range stays where it is
    """

    def __init__(self, show: Callable[[Span], None], ended: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._show, self._ended = show, ended
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        self._span: Span = (0, 0)
        self._limit: Span = (0, 0)
        self._rest = 0.0  # seconds of the history that were not worth a step yet
        self.speed = 1.0
        self.growing = False

    @property
    def runs(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def start(self, span: Span, limit: Span, *, calm: bool = False) -> None:
        """Play from a range on, from the begin of `limit` if it ends where that ends. `calm`: in few steps."""
        at_end = span[1] >= limit[1]
        self._span, self._limit = from_start(span, limit, growing=self.growing) if at_end else span, limit
        self._rest = 0.0
        self._clock.start()
        self._timer.start(CALM_FRAME if calm else FRAME)
        self._show(self._span)

    def stop(self) -> None:
        """Pause."""
        if self.runs:
            self._timer.stop()
            self._ended()

    def _step(self) -> None:
        passed = min(self._clock.restart() / 1000, LONGEST)
        whole = self._rest + passed * self.speed * (self._limit[1] - self._limit[0]) / WHOLE
        by = int(whole)
        self._rest = whole - by
        after = played(self._span, max(by, 1), self._limit, growing=self.growing)
        if after is None:
            self.stop()
            return
        self._span = after
        self._show(after)
