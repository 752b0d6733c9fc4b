"""The list of ranges that end with the history, in the timeline and in the Style tab: both set the same range."""

from __future__ import annotations

from qtpy.QtWidgets import QWidget

from cbvtool.history.time_range import CHOICES, last_commits
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import ask_line, set_row_tooltip, set_tooltip

TIP = "Commits of which time count, for change frequency, hot spots, commits, authors and last change"
NO_HISTORY = "There is no git history here whose time could be chosen"
COMMITS = "Last commits..."


class RangeList(DropList):
    """Sets the range of a session, and follows it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self.setAccessibleName("Time range of the history")
        self.stay_narrow(6)
        self.setPlaceholderText("Other")
        for row, choice in enumerate(CHOICES):
            self.addItem(choice.name, choice)
            set_row_tooltip(self, row, choice.tip)
        self.addItem(COMMITS, None)
        set_row_tooltip(self, len(CHOICES), "Of the last commits, as many as you say")
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

    def _show(self) -> None:
        if self._session is None:
            return
        ranges = self._session.time_ranges
        if ranges.is_sliding:
            self.setPlaceholderText("Other")
            self.setCurrentIndex(-1)
            return
        changes = ranges.changes
        self.setEnabled(changes is not None)
        set_tooltip(self, TIP if changes is not None else NO_HISTORY)
        shown = [] if changes is None else [choice.range(changes) for choice in CHOICES]
        self.setPlaceholderText("Other" if changes is not None else CHOICES[0].name)
        self.setCurrentIndex(shown.index(ranges.now) if ranges.now in shown else -1)

    def _choose(self, row: int) -> None:
        session = self._session
        if session is None or (changes := session.time_ranges.changes) is None:
            return
        if row < len(CHOICES):
            session.time_ranges.choose(CHOICES[row].range(changes))
            return
        said = ask_line(self, "Last commits", f"How many of the {len(changes.sha):,} commits count?", "100")
        number = (said or "").replace(",", "").strip()
        if number.isdigit() and int(number) > 0:
            session.time_ranges.choose(last_commits(changes, int(number)))
        self._show()
