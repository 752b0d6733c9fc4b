"""Slow metrics, measured in the background: first those that the picture waits for, then those of the details."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

from qtpy.QtCore import QObject, QTimer, Signal

from cbvtool.metrics.values import Values
from cbvtool.progress import Progress
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.worker import BREATH, LARGE, hold_back

_TOLD_EVERY = 200  # ms


class Measuring(QObject):
    """One measurement at a time. What is measured is found in the `Values` that were asked about.

    The status bar shows at once what the picture waits for; measuring for the details only when it takes long.
    """

    measured = Signal()  # what the picture waited for
    known = Signal()  # more for the details, not too often
    given_up = Signal(str)  # what the picture waited for will not come: why not, or nothing when it was cancelled

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
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
        return self._jobs.is_busy(self)

    def want(self, values: Values, awaited: tuple[str, ...], others: Iterable[str] = ()) -> None:
        """From now on the picture waits for `awaited` and the details for `others`, and nobody for anything else."""
        names = tuple(dict.fromkeys((*awaited, *others)))
        if values is not self._values and len(values.subject.graph) > LARGE:
            self._begin = time.monotonic() + BREATH
        if values is self._values and awaited == self._awaited and self._names.issuperset(names):
            return  # under way, or it failed
        self._values, self._names, self._awaited = values, frozenset(names), awaited
        rest = tuple(name for name in names if name not in awaited)
        if awaited:
            self._measure(values, awaited, partial(self._show, values, rest), at_once=True)
        elif rest:
            self._measure_rest(values, rest)
        else:
            self._jobs.drop(self)

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._telling.stop()
        self._jobs.stop(self)

    def _measure(
        self, values: Values, names: tuple[str, ...], done: Callable[[object], None], *, at_once: bool
    ) -> None:
        begin = self._begin

        def work(progress: Progress, so_far: Callable[[str], None]) -> None:
            hold_back(progress, _what(values, names[0]), begin)
            for name in names:
                what = _what(values, name)
                progress(what, 0, 0)
                values.measure(name, partial(_under_that_name, progress, what))
                so_far(name)

        self._jobs.run_in_stages(
            self,
            _what(values, names[0]),
            work,
            self._tell,
            done,
            self._give_up,
            cancelled=self._give_up,
            at_once=at_once,
        )

    def _measure_rest(self, values: Values, names: tuple[str, ...]) -> None:
        """What the details show, which show what they can tell already."""
        self._measure(values, names, self._finish, at_once=False)

    def _tell(self, _name: str) -> None:
        if not self._awaited and not self._telling.isActive():
            self._telling.start(_TOLD_EVERY)

    def _show(self, values: Values, rest: tuple[str, ...], _: object) -> None:
        self._awaited = ()
        if rest:
            self._measure_rest(values, rest)
        self.measured.emit()
        if not rest:
            self._finish(None)

    def _finish(self, _: object) -> None:
        self._names = frozenset()
        self._telling.stop()
        self.known.emit()

    def _give_up(self, why: str = "") -> None:
        waited, self._awaited = bool(self._awaited), ()
        if waited:
            self.given_up.emit(why)


def _what(values: Values, name: str) -> str:
    return f"measuring {values.metrics[name].label!r}"


def _under_that_name(progress: Progress, what: str, _: str, done: int, total: int) -> None:
    progress(what, done, total)
