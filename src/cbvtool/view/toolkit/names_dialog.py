"""A dialog in which the user renames, sorts and deletes named things."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import Qt
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.toolkit.plain import Label, caption, set_tooltip


class NamesDialog(QDialog):
    """After the dialog is accepted, `chosen` returns the remaining names.

    thing   word for one of the named things, for tooltips
    note    a sentence below the list
    """

    def __init__(self, title: str, names: Sequence[str], thing: str, note: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(460, 360)
        self._names = list(names)
        self.list = QListWidget(self)
        self.list.setAccessibleName(title)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for row, name in enumerate(names):
            item = QListWidgetItem(name, self.list)
            item.setData(Qt.ItemDataRole.UserRole, row)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        buttons = QHBoxLayout()
        self.rename = self._button("Rename", "Or double click on its name", buttons)
        self.up = self._button("Move up", f"Put the chosen {thing} before the one above", buttons)
        self.down = self._button("Move down", f"Put the chosen {thing} behind the one below", buttons)
        self.delete = self._button("Delete", f"Forget the chosen {thing} (Del)", buttons)
        self.delete.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        self.rename.clicked.connect(lambda _on: self.list.editItem(self.list.currentItem()))
        self.up.clicked.connect(lambda _on: self._shift(-1))
        self.down.clicked.connect(lambda _on: self._shift(1))
        self.delete.clicked.connect(lambda _on: self._delete())
        buttons.addStretch()
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Ok) | standard.Cancel, self)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        below = Label(note, self)
        below.setObjectName("muted")
        layout = QVBoxLayout(self)
        layout.addWidget(self.list)
        layout.addLayout(buttons)
        layout.addWidget(below)
        layout.addWidget(box)
        self.list.currentRowChanged.connect(lambda _row: self._follow())
        self.list.setCurrentRow(0)
        self._follow()

    def chosen(self) -> list[tuple[int, str]]:
        """(row in the given list, current name) of each remaining thing, in order.

        If the name field was emptied, the old name stays.
        """
        found = []
        for place in range(self.list.count()):
            item = self.list.item(place)
            assert item is not None
            row: int = item.data(Qt.ItemDataRole.UserRole)
            found.append((row, item.text() if item.text().strip() else self._names[row]))
        return found

    def _button(self, text: str, tip: str, row: QHBoxLayout) -> QPushButton:
        button = QPushButton(caption(text), self)
        set_tooltip(button, tip)
        button.setAutoDefault(False)
        row.addWidget(button)
        return button

    def _shift(self, step: int) -> None:
        row = self.list.currentRow()
        if 0 <= row + step < self.list.count():
            self.list.insertItem(row + step, self.list.takeItem(row))
            self.list.setCurrentRow(row + step)

    def _delete(self) -> None:
        self.list.takeItem(self.list.currentRow())
        self._follow()

    def _follow(self) -> None:
        row, count = self.list.currentRow(), self.list.count()
        for button in (self.rename, self.delete):
            button.setEnabled(count > 0)
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < count - 1)
