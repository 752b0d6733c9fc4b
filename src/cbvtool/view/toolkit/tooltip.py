"""The card beside the pointer that describes the thing there: not a window, and never in the way of the mouse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qtpy.QtCore import QPoint, QSize, Qt
from qtpy.QtWidgets import QFrame, QVBoxLayout, QWidget

from cbvtool.view.toolkit.plain import Label


class Tooltip(QFrame):
    """Lines of text, kept inside the parent."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = Label("", self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 7, 10, 7)
        layout.addWidget(self._label)
        self.hide()

    @property
    def text(self) -> str:
        """The text of the card."""
        return self._label.text()

    def show_at(
        self, place: QPoint, lines: Sequence[str], free: Callable[[QSize], QPoint | None] | None = None
    ) -> None:
        """Show `lines` beside `place`, or at the position from `free`, where a card of this size hides nothing."""
        self._label.setText("\n".join(lines))
        self.adjustSize()
        if free is not None and (beside := free(self.size())) is not None:
            self.move(beside)
            self.show()
            self.raise_()
            return
        parent = self.parentWidget()
        assert parent is not None
        x, y = place.x() + 16, place.y() + 18
        if x + self.width() > parent.width():
            x = place.x() - 12 - self.width()
        if y + self.height() > parent.height():
            y = place.y() - 12 - self.height()
        self.move(max(x, 2), max(y, 2))
        self.show()
        self.raise_()
