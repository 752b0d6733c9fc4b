"""A part of a view that is a table: sorted, searched, copied, ticked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from qtpy.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, QTimer, Signal
from qtpy.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QPalette
from qtpy.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QMenu, QVBoxLayout, QWidget

from cbvtool.plots.plot import Hit
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.parts import ViewColumn, ViewTable
from cbvtool.session.plugin_views.tables import cell, heading, table_text
from cbvtool.view.panels.traces.rows_table import NO_ROWS, RowsModel, RowsTable, TableColumn, TableRows
from cbvtool.view.toolkit.plain import Label, add_action
from cbvtool.words import one_line

WAIT = 120  # ms after the last key before the table is filtered
_NAME, _LAST, _NUMBER = 230, 420, 90  # px of a column at first: of text at most, of the last one at most; of numbers
_LETTER, _AROUND = 7, 48  # px of a letter, and of what stands around a text
_HEAD = 12  # px around the heading of a column of numbers
_FEW = 12  # rows that nobody needs to search in


class TicksModel(RowsModel):
    """Rows that may be ticked, some of them in grey.

    ticked  rows of the table; None = they have no tick
    faint   rows of the table in grey
    """

    ticked: frozenset[int] | None = None
    faint: frozenset[int] = frozenset()
    toggled: Callable[[int], None] = staticmethod(lambda _row: None)

    def flags(self, index: QModelIndex) -> Qt.ItemFlags:
        """The first column has the tick."""
        usual = super().flags(index)
        return usual | Qt.ItemFlag.ItemIsUserCheckable if self.ticked is not None and index.column() == 0 else usual

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Whether a row is ticked or in grey, and what `RowsModel` says."""
        if role == Qt.ItemDataRole.CheckStateRole and index.isValid() and index.column() == 0:
            if self.ticked is None:
                return None
            on = self.row_at(index) in self.ticked
            return int(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        if role == Qt.ItemDataRole.ForegroundRole and index.isValid() and self.row_at(index) in self.faint:
            return QApplication.palette().brush(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        return super().data(index, role)

    def setData(self, index: QModelIndex, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """A tick was changed: the view decides what follows."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggled(self.row_at(index))
        return True


class _Rows(RowsTable):
    """A table whose rows are copied by the keys of the system; its menu offers that and a file."""

    copied = Signal()
    file_wanted = Signal()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Offer what can be done with the rows."""
        if event is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_action(menu, "Copy").triggered.connect(self.copied.emit)
        add_action(menu, "Save as CSV...").triggered.connect(self.file_wanted.emit)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Copy the rows that are selected, or all."""
        if event is not None and event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
            return
        super().keyPressEvent(event)


class TablePart(QWidget):
    """Shows a `ViewTable`, with a field to search in it."""

    happened = Signal(object)  # a ViewEvent
    file_wanted = Signal(object)  # a ViewTable that is to be written

    def __init__(self, part: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.part = part
        self.shown: ViewTable | None = None
        self.table = _Rows(one_line(title or part), self)
        self.model = TicksModel(self.table)
        self.model.toggled = self._toggle
        self.table.rows = self.model
        self.table.setModel(self.model)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.clicked.connect(partial(self._tell, EventKind.ROW))
        self.table.activated.connect(partial(self._tell, EventKind.OPEN))
        self.table.copied.connect(self.copy)
        self.table.file_wanted.connect(self._want_file)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Filter")
        self.field.setAccessibleName(f"Filter {one_line(title or part)}")
        self.field.setClearButtonEnabled(True)
        self.note = Label("", self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self._just_ticked = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(lambda: self.model.filter(self.field.text()))
        self.field.textChanged.connect(lambda _text: self._timer.start())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.table, 1)
        column.addWidget(self.note)

    def show_sentence(self, sentence: str) -> None:
        """There is no table, for this reason."""
        self.shown = None
        self.table.show_rows(NO_ROWS)
        self.field.hide()
        self.note.setText(sentence)
        self.note.show()

    def show_table(self, table: ViewTable) -> None:
        """Show these rows; order, filter and place stay."""
        before, self.shown = self.shown, table
        places = {item: row for row, item in enumerate(table.item.tolist())}
        ticked = None if table.marked is None else frozenset(places[i] for i in table.marked if i in places)
        faint = frozenset(places[i] for i in table.faint if i in places)
        if faint != self.model.faint:
            self.model.faint = faint
            self.table.viewport().update()  # type: ignore[union-attr]  # a table has one
        if before is None or before.columns != table.columns or before.item is not table.item:
            self.model.ticked = ticked
            self.table.show_rows(rows_of(table))
        elif ticked != self.model.ticked:
            self.model.ticked = ticked
            self.table.viewport().update()  # type: ignore[union-attr]  # a table has one
        self._select(frozenset(places[i] for i in table.selected if i in places))
        self.field.setVisible(len(table.item) > _FEW)
        rest = f"and {table.more:,} more" if table.more else ""
        self.note.setText(rest if len(table.item) else one_line(table.empty))
        self.note.setVisible(bool(self.note.text()))

    def copy(self) -> None:
        """Put the selected rows on the clipboard, or all where none is; as they are sorted, with tabs between cells."""
        clipboard = QApplication.clipboard()
        selection = self.table.selectionModel()
        if self.shown is None or clipboard is None or selection is None:
            return
        clipboard.setText(table_text(self._some([self.model.row_at(index) for index in selection.selectedRows()])))

    def _want_file(self) -> None:
        if self.shown is not None:
            self.file_wanted.emit(self._some([]))

    def _some(self, rows: list[int]) -> ViewTable:
        """The table with these rows alone; with none, with all that are shown, as they are sorted."""
        assert self.shown is not None
        rows = rows or [self.model.row_at(self.model.index(row, 0)) for row in range(self.model.rowCount())]
        columns = tuple(
            ViewColumn(each.name, [each.values[row] for row in rows], each.unit, each.kind)
            for each in self.shown.columns
        )
        return ViewTable(columns, self.shown.item[rows])

    def _select(self, rows: frozenset[int]) -> None:
        selection = self.table.selectionModel()
        if selection is None:
            return
        now = frozenset(self.model.row_at(index) for index in selection.selectedRows())
        if now == rows:
            return
        with QSignalBlocker(self.table):
            selection.clearSelection()
            flags = QItemSelectionModel.SelectionFlag
            whole = QItemSelectionModel.SelectionFlags(flags.Select) | flags.Rows
            for place in range(self.model.rowCount()):
                index = self.model.index(place, 0)
                if self.model.row_at(index) in rows:
                    selection.select(index, whole)
        chosen = selection.selectedRows()
        port = self.table.viewport()
        if chosen and port is not None and not any(port.rect().intersects(self.table.visualRect(i)) for i in chosen):
            self.table.scrollTo(chosen[0])

    def _toggle(self, row: int) -> None:
        self._just_ticked = True  # the click on a tick chooses no row besides
        QTimer.singleShot(0, self._ready)
        self._emit(EventKind.CHECK, row)

    def _ready(self) -> None:
        self._just_ticked = False

    def _tell(self, kind: EventKind, index: QModelIndex) -> None:
        if kind is not EventKind.ROW or not self._just_ticked:
            self._emit(kind, self.model.row_at(index))

    def _emit(self, kind: EventKind, row: int) -> None:
        if self.shown is not None:
            held = QApplication.keyboardModifiers()
            names = (("shift", Qt.KeyboardModifier.ShiftModifier), ("ctrl", Qt.KeyboardModifier.ControlModifier))
            modifiers = frozenset(name for name, key in names if held & key)
            self.happened.emit(ViewEvent(kind, self.part, hit=Hit("", int(self.shown.item[row])), modifiers=modifiers))


def _text_width(column: ViewColumn, most: int) -> int:
    """px that the first texts of a column need, so that short names leave room for the next column."""
    longest = max((len(str(text)) for text in column.values[:200]), default=0)
    return min(most, _AROUND + _LETTER * max(longest, len(column.name)))


def rows_of(table: ViewTable) -> TableRows:
    """The rows for the item view; texts are made for those in sight."""
    columns = tuple(
        TableColumn(
            heading(column),
            partial(cell, column),
            None if column.kind == "text" else np.asarray(column.values),
            _text_width(column, _LAST if column is table.columns[-1] else _NAME)
            if column.kind == "text"
            else max(_NUMBER, _HEAD + _LETTER * len(heading(column))),
        )
        for column in table.columns
    )
    first = table.columns[0] if table.columns else None
    return TableRows(columns, len(table.item), lambda row: "" if first is None else cell(first, row), table.more)
