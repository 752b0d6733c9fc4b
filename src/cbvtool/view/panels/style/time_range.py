"""How much of the history counts: a list of time ranges that end with the history."""

from __future__ import annotations

from qtpy.QtWidgets import QWidget

from cbvtool.mining.changes import Changes
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import set_row_tooltip, set_tooltip

TIP = "Commits of which time count, for change frequency, hot spots, commits, authors and last change"
NO_HISTORY = "There is no git history here whose time could be chosen"
MONTH = 365.25 / 12 * 24 * 60 * 60  # seconds
ALL = 0
RANGES = (
    ("Usual", None, "Change frequency and hot spots of the last 6 months; commits, authors and last change of all"),
    ("Last 3 months", 3, "Of the last 3 months of the history"),
    ("Last 6 months", 6, "Of the last 6 months of the history"),
    ("Last 12 months", 12, "Of the last 12 months of the history"),
    ("All", ALL, "Of the whole history"),
)  # name, months, what every measure of the history is then counted over


def begin(changes: Changes, months: int | None) -> int | None:
    """When a range of so many `months` before the end of the history begins, in seconds since the epoch.

    `ALL` begins with the history; None is that of each metric.
    """
    if months is None or not len(changes.time):
        return None
    return int(changes.time[0]) if months == ALL else round(int(changes.time[-1]) - months * MONTH)


class TimeRange(DropList):
    """Sets `since` of a session, and follows it. Sits in the Look panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self.setAccessibleName("Time range of the history")
        self.stay_narrow(6)
        self.setPlaceholderText("Other")
        for row, (name, months, tip) in enumerate(RANGES):
            self.addItem(name, months)
            set_row_tooltip(self, row, tip)
        self.activated.connect(self._choose)

    def follow(self, session: Session) -> None:
        """Set and show the range of this session from now on."""
        self._session = session
        parts = (Change.PROJECT, Change.DEPTH, Change.VIEW)
        self._unsubscribe = session.subscribe(lambda what: self._show() if what in parts else None)
        self._show()

    def close_down(self) -> None:
        """Follow the session no longer."""
        self._unsubscribe()

    def _changes(self) -> Changes | None:
        session = self._session
        return session.project.changes if session is not None and session.project is not None else None

    def _show(self) -> None:
        changes = self._changes()
        known = changes is not None and len(changes.time) > 0
        self.setEnabled(known)
        set_tooltip(self, TIP if known else NO_HISTORY)
        since = None if self._session is None else self._session.view.since
        shown = [None if changes is None else begin(changes, months) for _, months, _ in RANGES]
        self.setCurrentIndex(shown.index(since) if since in shown else -1)

    def _choose(self, row: int) -> None:
        if self._session is not None and (changes := self._changes()) is not None:
            self._session.set_view(since=begin(changes, RANGES[row][1]))
