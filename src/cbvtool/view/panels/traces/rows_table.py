"""A table of many rows that is sorted by its columns and searched by words; texts are made for the rows in sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from qtpy.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from cbvtool.view.toolkit.plain import tooltip

Order = npt.NDArray[np.int64]
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, eq=False)
class TableColumn:
    """One column of r rows.

    text   row -> what stands there
    rank   [r] what rows are sorted by; None = by their text
    wide   px at first
    """

    title: str
    text: Callable[[int], str]
    rank: npt.NDArray[Any] | None = None
    wide: int = 90

    @property
    def is_number(self) -> bool:
        """Whether it stands on the right, with the largest value first."""
        return self.rank is not None


@dataclass(frozen=True, eq=False)
class TableRows:
    """What a table shows. `tip`: row -> tooltip; rest: how many more rows there are that are not listed."""

    columns: tuple[TableColumn, ...]
    count: int
    tip: Callable[[int], str]
    rest: int = 0


NO_ROWS = TableRows((), 0, lambda _row: "")


class RowsModel(QAbstractTableModel):
    """Rows in the order of a column, those alone in which all words occur."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows = NO_ROWS
        self._order: Order = np.empty(0, np.int64)
        self._by: tuple[int, bool] | None = None
        self._words: tuple[str, ...] = ()
        self._folded: list[str] = []

    def show(self, rows: TableRows) -> None:
        """Show these rows, in the order and with the filter of before."""
        self.beginResetModel()
        self.rows, self._folded = rows, []
        self._arrange()
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show those alone in which all words of `text` occur."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put them in the order of a column; -1 = in their own."""
        self.beginResetModel()
        self._by = None if column < 0 else (column, order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        rows = self.rows
        order = np.arange(rows.count, dtype=np.int64)
        if self._words:
            if not self._folded:
                texts = [column.text for column in rows.columns if not column.is_number]
                self._folded = [" ".join(text(row) for text in texts).casefold() for row in range(rows.count)]
            hit = [all(word in line for word in self._words) for line in self._folded]
            order = order[np.array(hit, np.bool_)]
        if self._by is not None and self._by[0] < len(rows.columns):
            column, descending = rows.columns[self._by[0]], self._by[1]
            if column.rank is not None:
                rank = np.asarray(column.rank)[order]
            else:
                rank = np.array([column.text(row).casefold() for row in order.tolist()] or [""], np.str_)[: len(order)]
            place = np.argsort(rank, kind="stable")
            if descending:
                place = len(order) - 1 - np.argsort(rank[::-1], kind="stable")[::-1]
            order = order[place]
        self._order = order

    def row_at(self, index: QModelIndex) -> int:
        """The row of `rows` that an index stands for."""
        return int(self._order[index.row()])

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Number of rows that are shown."""
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self.rows.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        """Titles of the columns; the first click on one of numbers brings the largest to the top."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.rows.columns):
            return None
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            down = self.rows.columns[section].is_number
            return int(Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole and self.rows.columns[section].is_number:
            return RIGHT
        return None

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """The text of a cell, and what is said of its row."""
        if not index.isValid():
            return None
        column, row = self.rows.columns[index.column()], self.row_at(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.is_number:
            return RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.rows.tip(row)) or None
        return None


class RowsTable(QTreeView):
    """Shows a `RowsModel`. A click on the head of a column sorts by it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = RowsModel(self)
        self.setModel(self.rows)
        self.setAccessibleName(name)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._titles: tuple[str, ...] = ()
        if (head := self.header()) is not None:
            head.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)

    def show_rows(self, rows: TableRows) -> None:
        """Show these rows; where one was, it stays in sight."""
        bar = self.verticalScrollBar()
        place = 0 if bar is None else bar.value()
        self.rows.show(rows)
        titles = tuple(column.title for column in rows.columns)
        if titles != self._titles and (head := self.header()) is not None:
            self._titles = titles
            head.setStretchLastSection(False)
            for number, column in enumerate(rows.columns):
                stretched = not column.is_number and column.wide == 0
                head.setSectionResizeMode(
                    number, QHeaderView.ResizeMode.Stretch if stretched else QHeaderView.ResizeMode.Interactive
                )
                if not stretched:
                    head.resizeSection(number, column.wide)
        elif bar is not None:
            bar.setValue(place)

    def row(self, index: QModelIndex) -> int:
        """The row that an index stands for."""
        return self.rows.row_at(index)
