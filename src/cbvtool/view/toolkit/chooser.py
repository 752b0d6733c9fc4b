"""A dialog with a filter field over a list: the command palette, "Move to...", the list of shortcuts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qtpy.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QSize, Qt
from qtpy.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPalette
from qtpy.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.toolkit.plain import Label, tooltip
from cbvtool.view.toolkit.type_ahead import run_dialog

DETAIL_ROLE = int(Qt.ItemDataRole.UserRole) + 1
CHOICE_ROLE = int(Qt.ItemDataRole.UserRole) + 2
_STEP = re.compile(r"\s*[>/\\]\s*")  # separators between a container and its child
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, eq=False)
class ChooserRow:
    """One row: text, grey detail on the right, value when chosen, reason why it cannot be chosen.

    words   further words by which the filter finds it
    name    what the filter looks for first, if it is not all of the text
    """

    text: str
    detail: str = ""
    value: Any = None
    icon: QIcon | None = None
    refused: str = ""
    words: str = ""
    name: str = ""


def plain(text: str) -> str:
    """Text for comparisons: lower case, with `/` for each of the separators `>`, `/` and `\\`."""
    return _STEP.sub("/", text.lower())


def has_words(text: str, wanted: str) -> bool:
    """Whether all words of `wanted` stand in `text`, in any order."""
    there = plain(text)
    return all(word in there for word in plain(wanted).split())


class _Choices(QAbstractListModel):
    """The choices that match the text in the filter field."""

    def __init__(self, choices: Sequence[ChooserRow], parent: QObject) -> None:
        super().__init__(parent)
        self._all = choices
        self._plain = [(plain(one.text), plain(one.words), plain(one.name or one.text)) for one in choices]
        self._choices = choices

    def narrow(self, wanted: str) -> None:
        """Show the choices with all words of `wanted`.

        First those that are called so, with an ending or without, then those whose name begins so, those that begin so,
        those that have words that begin so, and the rest. Choices that cannot be chosen come last.
        """
        whole, words = plain(wanted).strip(), plain(wanted).split()
        begins = [re.compile(rf"\b{re.escape(word)}") for word in words]
        found: list[tuple[int, int]] = []
        for row, (text, more, name) in enumerate(self._plain):
            if not all(word in text or word in more for word in words):
                continue
            if not whole:
                rank = 0
            elif whole in (name, text):
                rank = 1
            elif name.rpartition(".")[0] == whole:
                rank = 2
            elif name.startswith(whole):
                rank = 3
            elif text.startswith(whole):
                rank = 4
            elif all(word.search(text) for word in begins):
                rank = 5
            else:
                rank = 6 if all(word in text for word in words) else 7
            found.append((rank + 8 * bool(words and self._all[row].refused), row))
        self.beginResetModel()
        self._choices = [self._all[row] for _, row in sorted(found)]
        self.endResetModel()

    def offered(self) -> list[int]:
        """Rows that can be chosen."""
        return [row for row, choice in enumerate(self._choices) if not choice.refused]

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._choices)

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        choice = self._choices[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return choice.text
        if role == Qt.ItemDataRole.DecorationRole:
            return choice.icon
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(choice.refused or choice.words) or None
        return {DETAIL_ROLE: choice.refused or choice.detail, CHOICE_ROLE: choice}.get(role)

    def flags(self, index: QModelIndex) -> Qt.ItemFlags:
        choice = self._choices[index.row()]
        if choice.refused:
            return Qt.ItemFlags(Qt.ItemFlag.NoItemFlags)
        return Qt.ItemFlags(Qt.ItemFlag.ItemIsEnabled) | Qt.ItemFlag.ItemIsSelectable


class _Row(QStyledItemDelegate):
    """Text on the left, its detail in grey on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(26, hint.height()))

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        detail = index.data(DETAIL_ROLE)
        if not detail or painter is None:
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        color = QColor(option.palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text))
        color.setAlphaF(0.75 if chosen else 0.6)
        used = option.fontMetrics.horizontalAdvance(str(index.data())) + 40
        space = option.rect.adjusted(used, 0, -8, 0)
        text = option.fontMetrics.elidedText(str(detail), Qt.TextElideMode.ElideLeft, max(space.width(), 0))
        painter.save()
        painter.setPen(color)
        painter.drawText(space, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()


class Chooser(QDialog):
    """Type to filter, arrows to choose, Enter to take. `chosen` is the value taken, None before."""

    def __init__(self, title: str, hint: str, choices: Sequence[ChooserRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(560, 420)
        self.chosen: Any = None
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(hint)
        self.filter.setClearButtonEnabled(True)
        self.list = QListView(self)
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.setItemDelegate(_Row(self.list))
        self._rows = _Choices(choices, self)
        self.list.setModel(self._rows)
        self._count = Label("", self)
        self._count.setObjectName("muted")
        layout = QVBoxLayout(self)
        layout.addWidget(self.filter)
        layout.addWidget(self.list)
        layout.addWidget(self._count)
        self.filter.textChanged.connect(self._narrow)
        self.filter.installEventFilter(self)
        self.list.activated.connect(self._take)
        self.list.clicked.connect(self._take)
        self._narrow("")

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Arrow keys and Enter in the field act on the list."""
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVES:
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _narrow(self, text: str) -> None:
        self._rows.narrow(text)
        offered = self._rows.offered()
        if offered:
            self.list.setCurrentIndex(self._rows.index(offered[0], 0))
        none = "Nothing that matches can be chosen now" if self._rows.rowCount() else "Nothing matches"
        self._count.setText(f"{len(offered):,} to choose from" if offered else none)

    def _take(self, index: QModelIndex) -> None:
        if not index.isValid() or not index.flags() & Qt.ItemFlag.ItemIsEnabled:
            return
        self.chosen = index.data(CHOICE_ROLE).value
        self.accept()


def choose(title: str, hint: str, choices: Sequence[ChooserRow], parent: QWidget) -> Any:
    """Ask for one of `choices`; its value, or None when the dialog was left."""
    dialog = Chooser(title, hint, choices, parent)
    run_dialog(dialog, dialog.filter)
    dialog.deleteLater()
    return dialog.chosen
