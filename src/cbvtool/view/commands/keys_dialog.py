"""A dialog in which every command can be given other keys; two that have the same are told apart before it closes."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject, Qt
from qtpy.QtGui import QKeyEvent, QKeySequence
from qtpy.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.commands.commands import COMMANDS
from cbvtool.view.commands.keys import Keys, conflicts, keys_of, own_part, shown, usual_keys
from cbvtool.view.toolkit.chooser import has_words
from cbvtool.view.toolkit.plain import Label, set_cell_tooltip, set_tooltip

NAME = int(Qt.ItemDataRole.UserRole)
HINT = "Click into the field and press the keys that this command is to have"
NOTHING = "No command is called so, or has such keys"


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
            set_cell_tooltip(row, 0, command.tip or f"In the menu {command.menu}" if command.menu else command.tip)
        self.about = Label("", self)
        self.edit = QKeySequenceEdit(self)
        self.edit.setAccessibleName("New keys")
        self.set = QPushButton("Set", self)
        set_tooltip(self.set, "Give the chosen command these keys")
        self.remove = QPushButton("Remove", self)
        set_tooltip(self.remove, "The chosen command has no keys")
        self.reset = QPushButton("Reset", self)
        set_tooltip(self.reset, "Give the chosen command its usual keys back")
        self.reset_all = QPushButton("Reset all", self)
        set_tooltip(self.reset_all, "Give every command its usual keys back")
        self.note = Label(HINT, self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Ok) | standard.Cancel, self)
        self.buttons.accepted.connect(self._accept)
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
        layout.addWidget(self.about)
        layout.addLayout(row_of_buttons)
        layout.addWidget(self.note)
        layout.addWidget(self.buttons)
        self.filter.textChanged.connect(self._narrow)
        self.filter.installEventFilter(self)
        self.list.currentItemChanged.connect(lambda *_: self._follow())
        self.set.clicked.connect(lambda _on: self._give([self.edit.keySequence().toString()]))
        self.remove.clicked.connect(lambda _on: self._give([]))
        self.reset.clicked.connect(lambda _on: self._give(self._usual[self._name()]))
        self.reset_all.clicked.connect(lambda _on: self._reset_all())
        self.edit.installEventFilter(self)
        self.edit.keySequenceChanged.connect(lambda _keys: self._follow())
        self.list.setCurrentItem(self.list.topLevelItem(0))
        self._show()

    def own(self) -> dict[str, list[str]]:
        """What differs from the usual keys."""
        return own_part(self._keys)

    def choose(self, name: str) -> None:
        """Make a command the current one."""
        self.list.setCurrentItem(self._rows[name])

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Up and Down in the filter choose a command, Enter goes on to its keys; these are seen once they are up."""
        if watched is self.edit and event is not None and event.type() == QEvent.Type.KeyRelease:
            self._follow()  # Qt itself tells of them a second later
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self._step(1 if event.key() == Qt.Key.Key_Down else -1)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.edit.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)

    def _found(self) -> list[QTreeWidgetItem]:
        """The rows that match the filter."""
        return [row for row in self._rows.values() if not row.isHidden()]

    def _step(self, by: int) -> None:
        rows, now = self._found(), self.list.currentItem()
        if rows:
            at = rows.index(now) + by if now in rows else 0
            self.list.setCurrentItem(rows[min(max(at, 0), len(rows) - 1)])

    def _name(self) -> str:
        """The chosen command; empty where none is seen."""
        row = self.list.currentItem()
        return str(row.data(0, NAME)) if row is not None and not row.isHidden() else ""

    def _give(self, keys: list[str] | tuple[str, ...]) -> None:
        self._keys[self._name()] = tuple(key for key in keys if key)
        self.edit.clear()
        self._show()

    def _accept(self) -> None:
        """Close; what was pressed and not yet set is meant, too."""
        if self._name() and (fresh := self.edit.keySequence().toString()):
            self._give([fresh])
        if not conflicts(self._keys):
            self.accept()

    def _reset_all(self) -> None:
        self._keys = dict(self._usual)
        self._show()

    def _narrow(self, text: str) -> None:
        """Show the commands with these words; one that is not seen is not the chosen one."""
        for row in self._rows.values():
            row.setHidden(not has_words(f"{row.text(0)} {row.text(1)}", text))
        self.edit.clear()
        if not self._name():
            self._step(0)
        self._follow()

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
        mine = self._keys.get(name, ())
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert ok is not None
        ok.setEnabled(not clashes)
        self.about.setText(f"New keys for “{self._texts[name]}”" if name else NOTHING)
        self.edit.setEnabled(bool(name))
        self.set.setEnabled(bool(name and fresh))
        self.remove.setEnabled(bool(mine))
        self.reset.setEnabled(mine != self._usual.get(name, ()))
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
