"""The background jobs of a window: one place starts, shows, cancels and ends them all."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from qtpy.QtCore import QObject, QTimer, Signal

from cbvtool.progress import Progress
from cbvtool.view.toolkit.worker import Worker

SHOWN_AFTER = 1000  # ms that a job may take before the status bar shows it, with Cancel

T = TypeVar("T")
F = TypeVar("F")


class How(TypedDict, total=False):
    """Options of a job.

    purpose     distinguishes the jobs of one owner; a new job replaces (drops) the one of the same owner and purpose
    cancelled   called if the job was cancelled, but not if it was replaced
    progressed  called with each report of progress, in addition to the status bar
    at_once     show it from the beginning, not only after `SHOWN_AFTER`
    quiet       never show it, and do not let the user cancel it: it is short, or it must not be lost
    ends        for work that must not run twice at once: after Cancel the job stays busy, and the status bar shows
                "Stopping ...", until its thread has ended. Any other job counts as ended at once; its result is dropped
    """

    purpose: str
    cancelled: Callable[[], object]
    progressed: Callable[[str, int, int], object]
    at_once: bool
    quiet: bool
    ends: bool


class ProgressBar(Protocol):
    """Where progress is shown, with a Cancel button."""

    cancelled: Any  # Qt's bound signal, which has no public type

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Show how far the work called `what` is."""

    def show_stopping(self) -> None:
        """Show that work was told to stop but has not ended yet."""

    def show_idle(self) -> None:
        """Show that no work is in progress."""


class Jobs(QObject):
    """All background jobs of a window; no other class there starts threads."""

    cancelled = Signal(str)  # name of the work that the user cancelled

    def __init__(self, status: ProgressBar, parent: QObject) -> None:
        super().__init__(parent)
        self._status = status
        self._slots: dict[tuple[QObject, str], _Slot] = {}
        self._shown: dict[_Slot, tuple[str, int, int]] = {}  # last report of each job, the latest at the end
        self._ended: weakref.WeakSet[QObject] = weakref.WeakSet()  # owners that may not start jobs any more
        self._closed = False
        status.cancelled.connect(self.cancel)

    # -- for the parts of the window -------------------------------------------------------------------------

    def run(
        self,
        owner: QObject,
        what: str,
        work: Callable[[Progress], T],
        done: Callable[[T], object],
        failed: Callable[[str], object],
        **how: Unpack[How],
    ) -> None:
        """Run `work(progress)` in a worker thread, then a callback in this thread, unless the job is replaced.

        what   name of the work for people: "Looking for a path"
        """
        if (slot := self._slot(owner, what, how)) is not None:
            slot.worker.start(work, done, failed, partial(self._tell, slot, what, how))

    def run_in_stages(
        self,
        owner: QObject,
        what: str,
        work: Callable[[Progress, Callable[[F], None]], T],
        first: Callable[[F], object],
        done: Callable[[T], object],
        failed: Callable[[str], object],
        **how: Unpack[How],
    ) -> None:
        """As `run`, for `work(progress, first)`, which may deliver an earlier result by calling `first`."""
        if (slot := self._slot(owner, what, how)) is not None:
            slot.worker.start_in_stages(work, first, done, failed, partial(self._tell, slot, what, how))

    def is_busy(self, owner: QObject, purpose: str = "") -> bool:
        """Whether a job of this owner and purpose is in progress."""
        slot = self._slots.get((owner, purpose))
        return slot is not None and slot.worker.busy

    def drop(self, owner: QObject, purpose: str = "") -> None:
        """Drop a job whose result is not needed any more, without calling its callbacks."""
        if (slot := self._slots.get((owner, purpose))) is not None:
            slot.worker.drop()

    def wait(self, owner: QObject, purpose: str = "") -> None:
        """Drop a job and wait until its thread has ended; none of its callbacks is called."""
        if (slot := self._slots.get((owner, purpose))) is not None:
            slot.worker.stop(for_good=False)
            self._end(slot)

    def stop(self, owner: QObject | None = None) -> None:
        """End all jobs of an owner, or of all owners, for good; all their threads have ended when this returns."""
        if owner is None:
            self._closed = True
        else:
            self._ended.add(owner)
        ending = [key for key in self._slots if owner is None or key[0] is owner]
        for key in ending:  # cancel all of them first, so that they end in parallel
            self._slots[key].worker.cancel()
        for key in ending:
            slot = self._slots.pop(key)
            slot.worker.stop()
            self._end(slot)
            slot.deleteLater()

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the jobs in progress, for people."""
        return tuple(slot.what for slot in self._slots.values() if slot.worker.busy)

    # -- for the user ----------------------------------------------------------------------------------------

    def cancel(self) -> None:
        """Cancel all jobs that the status bar shows."""
        for slot in list(self._shown):
            slot.by_user = True
            if slot.ends:
                slot.worker.cancel()
            else:
                slot.worker.abandon()
        self._show_latest()

    # -- inside ----------------------------------------------------------------------------------------------

    def _slot(self, owner: QObject, what: str, how: How) -> _Slot | None:
        """The slot in which the job is to run; None if no job may start any more."""
        if self._closed or owner in self._ended:
            return None
        key = (owner, how.get("purpose", ""))
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = _Slot(self)
            slot.worker.progressed.connect(partial(self._report, slot))
            slot.worker.idle.connect(partial(self._end, slot))
            slot.timer.timeout.connect(partial(self._show, slot))
        slot.begin(what, how)
        if how.get("at_once") or slot in self._shown:
            self._show(slot)
        elif not how.get("quiet"):
            slot.timer.start(SHOWN_AFTER)
        return slot

    def _report(self, slot: _Slot, what: str, done: int, total: int) -> None:
        slot.last = (what or slot.what, done, total)
        if slot.progressed is not None:
            slot.progressed(*slot.last)
        if slot in self._shown and not slot.by_user:
            self._show(slot)

    def _show(self, slot: _Slot) -> None:
        self._shown.pop(slot, None)
        self._shown[slot] = slot.last
        self._status.show_progress(*slot.last)

    def _end(self, slot: _Slot) -> None:
        slot.timer.stop()
        if self._shown.pop(slot, None) is not None:
            self._show_latest()

    def _show_latest(self) -> None:
        going = [last for slot, last in self._shown.items() if not slot.by_user]
        if going:
            self._status.show_progress(*going[-1])
        elif self._shown:
            self._status.show_stopping()
        else:
            self._status.show_idle()

    def _tell(self, slot: _Slot, what: str, how: How) -> None:
        if slot.by_user:
            slot.by_user = False
            self.cancelled.emit(what)
        if (cancelled := how.get("cancelled")) is not None:
            cancelled()


class _Slot(QObject):
    """The job of one owner and purpose; at most one has a result that is still wanted."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.worker = Worker(self)
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.what = ""
        self.last = ("", 0, 0)
        self.ends = self.by_user = False
        self.progressed: Callable[[str, int, int], object] | None = None

    def begin(self, what: str, how: How) -> None:
        """Prepare for another job."""
        self.what, self.last = what, (what, 0, 0)
        self.ends, self.by_user = how.get("ends", False), False
        self.progressed = how.get("progressed")
