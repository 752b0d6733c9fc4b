"""The row above the timeline: playing, the range in words, and what the bars are."""

from __future__ import annotations

from collections.abc import Iterable

from qtpy.QtCore import QEvent, QObject, QSize, Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from cbvtool.history.activity import MEASURES, STACKS
from cbvtool.view.panels.timeline.playing import SPEEDS
from cbvtool.view.panels.timeline.range_list import RangeList
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.flow import FlowLayout
from cbvtool.view.toolkit.plain import Label, set_caption, set_tooltip

NO_CHURN = "Changed lines are not counted yet: that takes about as long as git log --numstat"


class TimelineControls(QWidget):
    """Tells what was chosen; what is shown is set by its `show_...` functions.

    played     the button of playing was pressed
    typed      the two texts of the range, after one was edited
    set        something of how the timeline is set was chosen; `values` has all of it
    pin_asked  the range is to be kept
    """

    played = Signal()
    typed = Signal(str, str)
    set = Signal()
    pin_asked = Signal()

    def __init__(self, parent: QWidget, keys: str) -> None:
        """`keys`: of the command that plays, for its tooltip."""
        super().__init__(parent)
        self._texts = ("", "")
        self.play = QToolButton(self)
        self.play.setIconSize(QSize(16, 16))
        self.play.setAccessibleName("Play the history")
        self._keys = f" ({keys})" if keys else ""
        self.play.clicked.connect(lambda _on: self.played.emit())
        self.speed = self._list("Speed", ((f"{speed:g}", f"{speed:g}×") for speed in SPEEDS))
        set_tooltip(self.speed, "Speed: at 1× the whole history takes half a minute")
        self.mode = self._list("Way of playing", (("sliding", "Sliding"), ("growing", "Growing")))
        set_tooltip(self.mode, "A range of the same length slides along, or its end alone moves")
        self.choice = RangeList(self)
        self.first, self.last = self._end("Begin"), self._end("End")
        self.snap = self._switch("Snap", "Drags stop at releases: tags of the repository")
        self.pin = QToolButton(self)
        self.pin.setText("Pin")
        self.pin.setAccessibleName("Pin the range")
        set_tooltip(self.pin, "Keep this range: 'Changed more than before' then compares others with it")
        self.pin.clicked.connect(lambda _on: self.pin_asked.emit())
        self.measure = self._list("What is counted", MEASURES.items())
        self.stack = self._list("Stacked by", STACKS.items())
        set_tooltip(self.stack, "What the colours of the bars are")
        self._arrange()

    def _arrange(self) -> None:
        flow = FlowLayout(self)
        flow.setContentsMargins(10, 4, 8, 2)
        ends = QWidget(self)
        row = QHBoxLayout(ends)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.first)
        row.addWidget(Label("–", ends))
        row.addWidget(self.last)
        playing = QWidget(self)
        row = QHBoxLayout(playing)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (self.play, self.speed, self.mode):
            row.addWidget(widget)
        for widget in (playing, self.choice, ends, self.snap, self.pin, self.measure, self.stack):
            flow.addWidget(widget)

    def _list(self, name: str, rows: Iterable[tuple[str, str]]) -> DropList:
        made = DropList(self)
        for value, text in rows:
            made.addItem(text, value)
        made.setAccessibleName(name)
        set_tooltip(made, name)
        made.activated.connect(lambda _row: self.set.emit())
        return made

    def _switch(self, text: str, tip: str) -> QToolButton:
        made = QToolButton(self)
        set_caption(made, text)
        made.setCheckable(True)
        made.setAccessibleName(f"{text} to releases")
        set_tooltip(made, tip)
        made.clicked.connect(lambda _on: self.set.emit())
        return made

    def _end(self, name: str) -> QLineEdit:
        made = QLineEdit(self)
        made.setAccessibleName(f"{name} of the range")
        set_tooltip(
            made, f"{name} of the range: a day 2024-05-31, a month 2024-05, a year, a tag or a commit; empty: open"
        )
        made.setFixedWidth(made.fontMetrics().horizontalAdvance("0000-00-00") + 26)
        made.setMaxLength(200)
        made.editingFinished.connect(self._take)
        made.installEventFilter(self)
        return made

    # -- what is shown -----------------------------------------------------------------------------------------

    @property
    def values(self) -> dict[str, str]:
        """How the timeline is set, by names that settings keep."""
        chosen = {name: str(each.currentData()) for name, each in self._lists.items()}
        return chosen | {"snap": "on" if self.snap.isChecked() else "off"}

    @property
    def _lists(self) -> dict[str, DropList]:
        return {"speed": self.speed, "mode": self.mode, "measure": self.measure, "stack": self.stack}

    def show_values(self, values: dict[str, str]) -> None:
        """Set what is named, where it is one of the choices."""
        for name, choice in self._lists.items():
            row = choice.findData(values.get(name, "1" if name == "speed" else ""))
            choice.setCurrentIndex(max(row, 0))
        self.snap.setChecked(values.get("snap") == "on")

    def show_churn(self, known: bool) -> None:
        """Offer changed lines once they are counted."""
        self.measure.setEnabled(known)
        set_tooltip(self.measure, "What is counted" if known else NO_CHURN)
        if not known:
            self.measure.setCurrentIndex(0)

    def show_playing(self, plays: bool) -> None:
        """Say what the button does; the icon is set by whoever knows the theme."""
        what = "Pause" if plays else "Play the history"
        self.play.setAccessibleName(what)
        set_tooltip(self.play, what + self._keys)

    def show_range(self, first: str, last: str) -> None:
        """Show the ends of the range, unless they are being edited."""
        self._texts = (first, last)
        for field, text in ((self.first, first), (self.last, last)):
            if not field.isModified() and field.text() != text:
                field.setText(text)
                field.setCursorPosition(0)

    def restore(self) -> None:
        """Take back what was typed."""
        for field, text in zip((self.first, self.last), self._texts, strict=True):
            field.setText(text)
            field.setModified(False)

    # -- typing ------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Escape takes back what was typed."""
        if (
            isinstance(watched, QLineEdit)
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and event.type() == QEvent.Type.ShortcutOverride
            and watched.isModified()
        ):
            self.restore()
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _take(self) -> None:
        if self.first.isModified() or self.last.isModified():
            texts = self.first.text(), self.last.text()
            for field in (self.first, self.last):
                field.setModified(False)
            self.typed.emit(*texts)
