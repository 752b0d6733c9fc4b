"""A dialog in which every command can be given other keys; two that have the same are told apart before it closes."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.commands import COMMANDS
from cbvtool.view.keys import Keys, conflicts, keys_of, own_part, shown, usual_keys

NAME = int(Qt.ItemDataRole.UserRole)
HINT = "Choose a command, then press the new keys in the field below"


class KeysDialog(QDialog):
    """`own` is what the settings are to keep, once it was accepted."""

    def __init__(self, own: Keys, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.resize(620, 560)
        self._keys = keys_of(own)
        self._texts = {c.name: c.text.rstrip(".") for c in COMMANDS}
        self._usual = {c.name: usual_keys(c) for c in COMMANDS}
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Type a part of what it does, or of its keys")
        self.filter.setAccessibleName("Filter")
        self.filter.setClearButtonEnabled(True)
        self.list = QTreeWidget(self)
        self.list.setAccessibleName("Commands and their keys")
        self.list.setColumnCount(2)
        self.list.setHeaderLabels(["Command", "Keys"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.list.header()
        assert header is not None
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        self._rows: dict[str, QTreeWidgetItem] = {}
        for command in COMMANDS:
            row = self._rows[command.name] = QTreeWidgetItem(self.list, [self._texts[command.name], ""])
            row.setData(0, NAME, command.name)
            row.setToolTip(0, command.tip or f"In the menu {command.menu}" if command.menu else command.tip)
        self.edit = QKeySequenceEdit(self)
        self.edit.setAccessibleName("New keys")
        self.set = QPushButton("Set", self)
        self.set.setToolTip("Give the chosen command these keys")
        self.remove = QPushButton("Remove", self)
        self.remove.setToolTip("The chosen command has no keys")
        self.reset = QPushButton("Reset", self)
        self.reset.setToolTip("Give the chosen command its usual keys back")
        self.reset_all = QPushButton("Reset all", self)
        self.reset_all.setToolTip("Give every command its usual keys back")
        self.note = QLabel(HINT, self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Ok) | standard.Cancel, self)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        for button in (self.set, self.remove, self.reset, self.reset_all):
            button.setAutoDefault(False)

        row_of_buttons = QHBoxLayout()
        row_of_buttons.addWidget(self.edit, 1)
        for button in (self.set, self.remove, self.reset, self.reset_all):
            row_of_buttons.addWidget(button)
        layout = QVBoxLayout(self)
        for widget in (self.filter, self.list):
            layout.addWidget(widget)
        layout.addLayout(row_of_buttons)
        layout.addWidget(self.note)
        layout.addWidget(self.buttons)
        self.filter.textChanged.connect(self._narrow)
        self.list.currentItemChanged.connect(lambda *_: self._follow())
        self.set.clicked.connect(lambda _on: self._give([self.edit.keySequence().toString()]))
        self.remove.clicked.connect(lambda _on: self._give([]))
        self.reset.clicked.connect(lambda _on: self._give(self._usual[self._name()]))
        self.reset_all.clicked.connect(lambda _on: self._reset_all())
        self.edit.keySequenceChanged.connect(lambda _keys: self._follow())
        self.list.setCurrentItem(self.list.topLevelItem(0))
        self._show()

    def own(self) -> dict[str, list[str]]:
        """What differs from the usual keys."""
        return own_part(self._keys)

    def choose(self, name: str) -> None:
        """Make a command the current one."""
        self.list.setCurrentItem(self._rows[name])

    def _name(self) -> str:
        row = self.list.currentItem()
        return str(row.data(0, NAME)) if row is not None else COMMANDS[0].name

    def _give(self, keys: list[str] | tuple[str, ...]) -> None:
        self._keys[self._name()] = tuple(key for key in keys if key)
        self.edit.clear()
        self._show()

    def _reset_all(self) -> None:
        self._keys = dict(self._usual)
        self._show()

    def _narrow(self, text: str) -> None:
        for row in self._rows.values():
            row.setHidden(text.lower() not in f"{row.text(0)} {row.text(1)}".lower())

    def _show(self) -> None:
        taken = {name for names in conflicts(self._keys).values() for name in names}
        for name, row in self._rows.items():
            row.setText(1, shown(QKeySequence(key) for key in self._keys[name]))
            font = row.font(1)
            font.setBold(name in taken or self._keys[name] != self._usual[name])
            row.setFont(1, font)
        self._follow()

    def _follow(self) -> None:
        """Say what is wrong, or would be; keys that two have cannot be kept."""
        name, fresh = self._name(), self.edit.keySequence().toString()
        clashes = conflicts(self._keys)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert ok is not None
        ok.setEnabled(not clashes)
        self.set.setEnabled(bool(fresh))
        self.remove.setEnabled(bool(self._keys[name]))
        self.reset.setEnabled(self._keys[name] != self._usual[name])
        self.reset_all.setEnabled(bool(self.own()))
        others = [self._texts[other] for other, keys in self._keys.items() if fresh in keys and other != name]
        if fresh and others:
            key = shown([QKeySequence(fresh)])
            self.note.setText(f"{key} belongs to “{others[0]}”: remove it there, or take another")
        elif clashes:
            key, names = next(iter(clashes.items()))
            both = " and ".join(f"“{self._texts[other]}”" for other in names)
            self.note.setText(f"{shown([QKeySequence(key)])} belongs to {both}: change one of them")
        else:
            self.note.setText(HINT)
