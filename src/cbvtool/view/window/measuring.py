"""Slow metrics, measured in the background: first those that the picture waits for, then those of the details."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

from qtpy.QtCore import QObject, QTimer, Signal

from cbvtool.metrics.values import Values
from cbvtool.progress import Progress
from cbvtool.view.toolkit.worker import BREATH, LARGE, BackgroundJobs, Worker, hold_back

_TOLD_EVERY = 200  # ms


class Measuring(BackgroundJobs):
    """One measurement at a time. What is measured is found in the `Values` that were asked about.

    It tells of what the picture waits for (`progressed`, and `idle` once that is nothing); the details wait in silence.
    """

    measured = Signal()  # what the picture waited for
    known = Signal()  # more for the details, not too often
    given_up = Signal(str)  # what the picture waited for will not come: why not, or nothing when it was cancelled

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = Worker(self)
        self._worker.progressed.connect(self._report)
        self._values: Values | None = None
        self._names: frozenset[str] = frozenset()  # all that is being measured
        self._awaited: tuple[str, ...] = ()  # what the picture waits for
        self._begin = 0.0  # when measuring may begin
        self._telling = QTimer(self)
        self._telling.setSingleShot(True)
        self._telling.timeout.connect(self.known)

    @property
    def busy(self) -> bool:
        """Whether something is being measured."""
        return self._worker.busy

    def want(self, values: Values, awaited: tuple[str, ...], others: Iterable[str] = ()) -> None:
        """From now on the picture waits for `awaited` and the details for `others`, and nobody for anything else."""
        names = tuple(dict.fromkeys((*awaited, *others)))
        if values is not self._values and len(values.subject.graph) > LARGE:
            self._begin = time.monotonic() + BREATH
        if values is self._values and awaited == self._awaited and self._names.issuperset(names):
            return  # under way, or it failed
        self._values, self._names = values, frozenset(names)
        self._await(awaited)
        if not names:
            self._worker.cancel()
            return

        begin = self._begin

        def work(progress: Progress, so_far: Callable[[bool], None]) -> None:
            hold_back(progress, _what(values, names[0]), begin)
            for name in names:
                what = _what(values, name)
                progress(what, 0, 0)
                values.measure(name, partial(_under_that_name, progress, what))
                if name in awaited[-1:] or name not in awaited:  # the details show what they can tell already
                    so_far(name in awaited)

        if awaited:  # said before the thread has even begun
            self.progressed.emit(_what(values, awaited[0]), 0, 0)
        self._worker.start_in_stages(work, self._show, self._finish, self._give_up, self._give_up)

    def cancel(self) -> None:
        """The picture shall not be waited for any longer."""
        if self._awaited:
            self._worker.cancel()

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._telling.stop()
        self._worker.stop()

    def _await(self, names: tuple[str, ...]) -> None:
        before, self._awaited = self._awaited, names
        if before and not names:
            self.idle.emit()

    def _report(self, what: str, done: int, total: int) -> None:
        if self._awaited:
            self.progressed.emit(what, done, total)

    def _show(self, awaited: bool) -> None:
        if awaited:
            self._await(())
            self.measured.emit()
        elif not self._telling.isActive():
            self._telling.start(_TOLD_EVERY)

    def _finish(self, _: object) -> None:
        self._names = frozenset()
        self._telling.stop()
        self.known.emit()

    def _give_up(self, why: str = "") -> None:
        waited = bool(self._awaited)
        self._await(())
        if waited:
            self.given_up.emit(why)


def _what(values: Values, name: str) -> str:
    return f"measuring {values.metrics[name].label!r}"


def _under_that_name(progress: Progress, what: str, _: str, done: int, total: int) -> None:
    progress(what, done, total)
