"""Two fields for the ends of a scale; empty ones follow what is shown, and say what that is."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject, Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from cbvtool.geometry.scales import Legend, Scale, parse_value
from cbvtool.view.toolkit.plain import Label, set_tooltip


class RangeEdit(QWidget):
    """Emits the two ends when one was edited, None = as it is shown; Escape takes an edit back."""

    chosen = Signal(object, object)
    refused = Signal(str)

    def __init__(self, of_what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.minimum, self.maximum = QLineEdit(self), QLineEdit(self)
        self._ends: tuple[float | None, float | None] = (None, None)
        self._texts = ("", "")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for field, name, usual in (
            (self.minimum, "Minimum", "zero, or the least of what is shown"),
            (self.maximum, "Maximum", "the most of what is shown, but for few that lie far above all others"),
        ):
            field.setAccessibleName(f"{name} of the {of_what} scale")
            set_tooltip(field, f"{name}; what lies beyond is drawn like it. Empty: {usual}")
            field.setMinimumWidth(40)
            field.editingFinished.connect(self._take)
            field.installEventFilter(self)
        row.addWidget(self.minimum)
        row.addWidget(Label("–", self))
        row.addWidget(self.maximum)

    def show_scale(self, scale: Scale, legend: Legend) -> None:
        """Follow the scale, and what it comes to."""
        self._ends = (scale.minimum, scale.maximum)
        shown = ["" if end is None else legend.bare(legend.metric.show(end)) for end in self._ends]
        self._texts = shown[0], shown[1]
        for field, text, end in ((self.minimum, shown[0], legend.minimum), (self.maximum, shown[1], legend.maximum)):
            field.setPlaceholderText("" if end != end else legend.bare(legend.show(end)))
            if not field.isModified() and field.text() != text:
                field.setText(text)
                field.setCursorPosition(0)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Escape takes back what was typed."""
        if (
            isinstance(watched, QLineEdit)
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and event.type() == QEvent.Type.ShortcutOverride
            and watched.isModified()
        ):
            self._restore()
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _restore(self) -> None:
        for field, text in zip((self.minimum, self.maximum), self._texts, strict=True):
            field.setText(text)
            field.setModified(False)

    def _take(self) -> None:
        fields = (self.minimum, self.maximum)
        if not any(field.isModified() for field in fields):
            return
        ends: list[float | None] = []
        for field, kept in zip(fields, self._ends, strict=True):
            text = field.text().strip()
            value = (parse_value(text) if text else None) if field.isModified() else kept
            if text and value is None:
                self._restore()
                self.refused.emit(
                    f"{text!r} is not a value: write a number, a percentage, or a date such as 2024-01-31."
                )
                return
            ends.append(value)
        if ends[0] is not None and ends[1] is not None and not ends[0] < ends[1]:
            self._restore()
            self.refused.emit("A range must end above its beginning.")
            return
        for field in fields:
            field.setModified(False)
        self.chosen.emit(*ends)
