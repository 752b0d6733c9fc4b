"""Unsaved plans that were found, across the top of the window, each with what can be done about it.

They stay until they are answered or put off: other messages have a bar of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from cbvtool.plan.recovery import RecoveryCopy
from cbvtool.view.toolkit.close_button import close_button
from cbvtool.view.toolkit.plain import Label, set_tooltip
from cbvtool.words import one_line

MOST_ROWS = 3  # at once; the next one comes when one of them is answered
LONGEST = 60  # characters of a step


class RecoveryBar(QFrame):
    """Hidden while there is nothing to offer."""

    restore_asked = Signal(object)  # a RecoveryCopy
    discard_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._copies: tuple[RecoveryCopy, ...] = ()
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self._more = Label("", self)
        self._more.setObjectName("muted")
        tip = "Decide later: these plans are offered again when this is opened the next time"
        later = close_button(self, "Decide later", tip)
        later.clicked.connect(self.hide)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addLayout(self._rows)
        column.addWidget(self._more)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.addLayout(column, 1)
        layout.addWidget(later, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def copies(self) -> tuple[RecoveryCopy, ...]:
        """What is offered, the latest first; nothing while the bar is hidden."""
        return () if self.isHidden() else self._copies

    @property
    def text(self) -> str:
        """What the rows say, one a line; empty while the bar is hidden."""
        if self.isHidden():
            return ""
        return "\n".join(label.text() for label in self.findChildren(Label) if label.text())

    def show_copies(self, copies: Sequence[RecoveryCopy]) -> None:
        """Offer these, the first ones with buttons."""
        self._copies = tuple(copies)
        while (item := self._rows.takeAt(0)) is not None:
            if (row := item.widget()) is not None:
                row.hide()
                row.setParent(None)
                row.deleteLater()
        for copy in self._copies[:MOST_ROWS]:
            self._rows.addWidget(self._row(copy))
        more = len(self._copies) - MOST_ROWS
        plans = f"{more:,} more unsaved plan{'' if more == 1 else 's'}"
        self._more.setText(f"{plans}, offered when one of these is answered" if more > 0 else "")
        self._more.setVisible(more > 0)
        self.setVisible(bool(self._copies))

    def _row(self, copy: RecoveryCopy) -> QWidget:
        row = QWidget(self)
        label = Label(describe(copy), row)
        label.setWordWrap(True)
        label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(label, 1)
        if copy.document is not None:
            layout.addWidget(self._button("Restore", "Go on with this plan", row, self.restore_asked.emit, copy))
        layout.addWidget(self._button("Discard...", "Delete this plan for good", row, self.discard_asked.emit, copy))
        return row

    def _button(
        self, text: str, tip: str, row: QWidget, asked: Callable[[RecoveryCopy], None], copy: RecoveryCopy
    ) -> QPushButton:
        button = QPushButton(text, row)
        set_tooltip(button, tip)
        button.clicked.connect(lambda: asked(copy))
        return button


def describe(copy: RecoveryCopy) -> str:
    """`Unsaved plan of 22 November 2026, 10:36: 3 steps, last: move of domain to ui.`"""
    found = f"Unsaved plan of {when(copy)}"
    if copy.opened is not None and not copy.opened.exists():
        found += f" for {one_line(copy.opened.name)}, which is not there any more"
    if copy.document is None:
        return f"{found}: {copy.fault}"
    steps = f"{copy.steps:,} step{'' if copy.steps == 1 else 's'}"
    last = one_line(copy.last)
    last = f"{last}." if len(last) <= LONGEST else f"{last[: LONGEST - 1]}…"
    if not copy.steps:
        return f"{found}: {steps}."
    return f"{found}: {steps}, {'last: ' if copy.steps > 1 else ''}{last}"


def when(copy: RecoveryCopy) -> str:
    """The day and minute in which a copy was written."""
    time = datetime.fromtimestamp(copy.time)
    return f"{time.day} {time:%B %Y, %H:%M}"
