"""A button that opens a menu below it."""

from __future__ import annotations

from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QMenu, QPushButton, QWidget


class MenuButton(QPushButton):
    """Small, with an arrow behind its text. The menu opens without a loop of events of its own: work goes on."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(f"{text}  ▾", parent)
        self.setObjectName("small")
        self.setAccessibleName(text)
        self.choices = QMenu(self)
        self.clicked.connect(lambda _on: self.choices.popup(self.mapToGlobal(QPoint(0, self.height()))))
