"""A dialog in which own presets are renamed, sorted and deleted."""

from __future__ import annotations

from collections.abc import Sequence

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

from cbvtool.geometry.presets import PRESETS, Preset, named


class LooksDialog(QDialog):
    """`presets` is what they are to be, once it was accepted."""

    def __init__(self, own: Sequence[Preset], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Presets")
        self._own = list(own)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Own presets")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for row, preset in enumerate(own):
            item = QListWidgetItem(preset.label, self.list)
            item.setData(Qt.ItemDataRole.UserRole, row)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.list.setCurrentRow(0)
        self.rename = QPushButton("Rename", self)
        self.rename.setToolTip("Or double click on its name")
        self.rename.clicked.connect(lambda _on: self.list.editItem(self.list.currentItem()))
        self.delete = QPushButton("Delete", self)
        self.delete.setToolTip("Forget the chosen preset")
        self.delete.clicked.connect(self._delete)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButtons(QDialogButtonBox.StandardButton.Ok)
            | QDialogButtonBox.StandardButton.Cancel,
            self,
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row_of_buttons = QHBoxLayout()
        row_of_buttons.addWidget(self.rename)
        row_of_buttons.addWidget(self.delete)
        row_of_buttons.addStretch()
        row_of_buttons.addWidget(buttons)
        note = QLabel("They follow the built-in ones on the keys 1 to 9. Drag them to sort them.", self)
        note.setObjectName("muted")
        layout = QVBoxLayout(self)
        layout.addWidget(self.list)
        layout.addWidget(note)
        layout.addLayout(row_of_buttons)

    def presets(self) -> list[Preset]:
        """Those that are left, in their order, with the names they have now."""
        found: list[Preset] = []
        for row in range(self.list.count()):
            item = self.list.item(row)
            assert item is not None
            mapping = self._own[item.data(Qt.ItemDataRole.UserRole)].mapping
            found.append(named(item.text(), mapping, (preset.name for preset in (*PRESETS, *found))))
        return found

    def _delete(self) -> None:
        self.list.takeItem(self.list.currentRow())
        for button in (self.rename, self.delete):
            button.setEnabled(self.list.count() > 0)
