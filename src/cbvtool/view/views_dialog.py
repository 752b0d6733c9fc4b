"""A dialog in which named views are renamed, sorted and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cbvtool.geometry.named_views import NamedView


class ViewsDialog(QDialog):
    """`views` is what they are to be, once it was accepted."""

    def __init__(self, named: Sequence[NamedView], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Saved views")
        self._named = list(named)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Saved views")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for number, view in enumerate(named):
            item = QListWidgetItem(view.name, self.list)
            item.setData(Qt.ItemDataRole.UserRole, number)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        buttons = QHBoxLayout()
        self.rename = self._button("Rename", "Or double click on its name", buttons)
        self.up = self._button("Up", "Put the chosen view before the one above", buttons)
        self.down = self._button("Down", "Put the chosen view behind the one below", buttons)
        self.delete = self._button("Delete", "Forget the chosen view", buttons)
        self.rename.clicked.connect(lambda _on: self.list.editItem(self.list.currentItem()))
        self.up.clicked.connect(lambda _on: self._shift(-1))
        self.down.clicked.connect(lambda _on: self._shift(1))
        self.delete.clicked.connect(lambda _on: self._delete())
        buttons.addStretch()
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Ok) | standard.Cancel, self)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        buttons.addWidget(box)
        note = QLabel("The first nine have the keys Alt+1 to Alt+9. Drag them to sort them.", self)
        note.setObjectName("muted")
        layout = QVBoxLayout(self)
        layout.addWidget(self.list)
        layout.addWidget(note)
        layout.addLayout(buttons)
        self.list.currentRowChanged.connect(lambda _row: self._follow())
        self.list.setCurrentRow(0)
        self._follow()

    def views(self) -> list[NamedView]:
        """Those that are left, in their order, with the names they have now; an emptied name stays what it was."""
        found = []
        for row in range(self.list.count()):
            item = self.list.item(row)
            assert item is not None
            view = self._named[item.data(Qt.ItemDataRole.UserRole)]
            found.append(replace(view, name=item.text() if item.text().strip() else view.name))
        return found

    def _button(self, text: str, tip: str, row: QHBoxLayout) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(tip)
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
