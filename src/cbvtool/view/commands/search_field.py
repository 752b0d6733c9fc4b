"""The search field and the list that drops down from it: what is found, what was looked for before, what can be asked.

They know no session; `searching.py` fills them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qtpy.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, QRect, QSize, Qt, QTimer, Signal
from qtpy.QtGui import QColor, QFocusEvent, QIcon, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPalette
from qtpy.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from cbvtool.view.toolkit.plain import Label, set_tooltip, tooltip

WAIT = 80  # ms after the last key before matches are looked for
WIDTHS = (150, 380)  # px of the field, at least and at most
WIDTH = 520  # px of the list
ROWS = 12  # seen at once
ROW_HEIGHT = 26
GAP = 10  # px between the columns of a row
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1

KeyModifier = Qt.KeyboardModifier


@dataclass(frozen=True, eq=False)
class ListRow:
    """One line of the list: an icon, what it is, where it is (dimmed), what it is worth (on the right).

    key     of the node; -1 for a query that can be asked, which is `text`
    """

    text: str
    place: str = ""
    value: str = ""
    key: int = -1
    icon: QIcon | None = None
    tip: str = ""


class SearchField(QLineEdit):
    """Tells what is typed, once it pauses, and the keys that act on the list."""

    asked = Signal(str)
    stepped = Signal(int)  # rows down
    taken = Signal()
    filter_wanted = Signal()
    entered = Signal()  # it has the keyboard focus now
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText("Search  (? for examples)")
        self.setAccessibleName("Search")
        set_tooltip(self, "Search for names, or ask for measures: commits > 100 and nl3 > 0.2")
        self.setClearButtonEnabled(True)
        self.setMinimumWidth(WIDTHS[0])
        self.setMaximumWidth(WIDTHS[1])
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(self.ask)
        self.textChanged.connect(lambda _text: self._timer.start())

    @property
    def pausing(self) -> bool:
        """Whether what was typed has not been asked yet."""
        return self._timer.isActive()

    def ask(self) -> None:
        """Ask now."""
        self._timer.stop()
        self.asked.emit(self.text())

    def event(self, event: QEvent | None) -> bool:
        """Ctrl+Enter belongs to the field while it has the focus, whatever it does elsewhere."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_filter(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows and Enter act on the list."""
        if event is None:
            return
        steps = {
            int(Qt.Key.Key_Down): 1,
            int(Qt.Key.Key_Up): -1,
            int(Qt.Key.Key_PageDown): ROWS - 1,
            int(Qt.Key.Key_PageUp): 1 - ROWS,
        }
        if _is_filter(event):
            self.filter_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.taken.emit()
        elif event.key() in steps:
            self.stepped.emit(steps[event.key()])
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click into the field opens the list, too."""
        super().mousePressEvent(event)
        self.entered.emit()

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Open the list."""
        super().focusInEvent(event)
        if event is None or event.reason() not in (
            Qt.FocusReason.ActiveWindowFocusReason,
            Qt.FocusReason.PopupFocusReason,
        ):
            self.entered.emit()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Close it."""
        super().focusOutEvent(event)
        self.left.emit()


def _is_filter(event: QKeyEvent) -> bool:
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return enter and bool(event.modifiers() & KeyModifier.ControlModifier)


class _Rows(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: Sequence[ListRow] = ()

    def show(self, rows: Sequence[ListRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.DecorationRole:
            return row.icon
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(row.tip) or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.text, row.place, row.value)))
        return row if role == ROW_ROLE else None


class _Painter(QStyledItemDelegate):
    """The place dimmed after the name, the value on the right; where it is narrow the place gives way first."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        row, style = index.data(ROW_ROLE), QApplication.style()
        if painter is None or row is None or style is None:
            return
        painter.save()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        ink = option.palette.color(QPalette.ColorRole.Text)
        dim = QColor(ink)
        dim.setAlphaF(0.6)
        space, metrics = option.rect.adjusted(8, 0, -10, 0), option.fontMetrics
        if row.icon is not None:
            row.icon.paint(painter, QRect(space.left(), space.center().y() - 7, 16, 16))
            space.setLeft(space.left() + 16 + 8)
        right, middle = int(Qt.AlignmentFlag.AlignRight), int(Qt.AlignmentFlag.AlignVCenter)
        if row.value:
            painter.setPen(ink)
            painter.drawText(space, right | middle, row.value)
            space.setRight(space.right() - metrics.horizontalAdvance(row.value) - GAP)
        text = metrics.elidedText(row.text, Qt.TextElideMode.ElideRight, space.width())
        painter.setPen(ink)
        painter.drawText(space, middle, text)
        space.setLeft(space.left() + metrics.horizontalAdvance(text) + GAP)
        if row.place and space.width() > 30:
            painter.setPen(dim)
            place = metrics.elidedText(row.place, Qt.TextElideMode.ElideMiddle, space.width())
            painter.drawText(space, (right if row.key < 0 else 0) | middle, place)
        painter.restore()


class SearchList(QFrame):
    """Drops down from the field, over the picture. The keyboard stays in the field."""

    chosen = Signal(int)  # row
    filter_wanted = Signal()

    def __init__(self, field: SearchField, window: QWidget) -> None:
        super().__init__(window)
        self._field = field
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What the search found")
        self._rows = _Rows(self)
        self.list = QListView(self)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("Matches")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setModel(self._rows)
        self.list.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.note = Label("", self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self.filter = QPushButton("Show only these", self)
        self.filter.setObjectName("small")
        self.filter.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        keys = QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText)
        set_tooltip(self.filter, f"Hide everything that does not match ({keys})")
        self.filter.clicked.connect(self.filter_wanted)
        foot = QHBoxLayout()
        foot.setContentsMargins(10, 5, 6, 6)
        foot.addWidget(self.note, 1)
        foot.addWidget(self.filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.list)
        column.addLayout(foot)
        self.hide()

    @property
    def row(self) -> int:
        """The row that Enter takes; -1 = none."""
        return self.list.currentIndex().row()

    @row.setter
    def row(self, row: int) -> None:
        self.list.setCurrentIndex(self._rows.index(row, 0) if row >= 0 else QModelIndex())

    @property
    def rows(self) -> Sequence[ListRow]:
        """What is listed."""
        return self._rows.rows

    def show_rows(self, rows: Sequence[ListRow], note: str, *, filter_: bool = False, current: int = -1) -> None:
        """List `rows`, with a sentence under them; `filter_`: they can be made the only ones that are shown."""
        self._rows.show(rows)
        self.say(note)
        self.filter.setVisible(filter_)
        self.row = current
        self.list.setVisible(bool(rows))
        self.list.setFixedHeight(min(len(rows), ROWS) * ROW_HEIGHT + 4)
        self.place()

    def say(self, note: str) -> None:
        """Change the sentence alone."""
        self.note.setText(note)

    def step(self, rows: int) -> None:
        """Make another row the current one; beyond the ends it stays there."""
        if self.rows:
            self.row = min(max(self.row + rows, 0), len(self.rows) - 1)

    def place(self) -> None:
        """Under the field, as wide as there is room."""
        window = self.parentWidget()
        assert window is not None
        width = min(WIDTH, window.width() - 16)
        corner = self._field.mapTo(window, QPoint(self._field.width(), self._field.height() + 3))
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(width, layout.totalHeightForWidth(width))
        self.move(max(8, corner.x() - width), corner.y())
        self.raise_()
