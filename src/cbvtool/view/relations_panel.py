"""The relations of the selection as a table: from, to, kind, how sure, when, weight, and the places in the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QAbstractTableModel, QModelIndex, QObject, QSortFilterProxyModel, Qt, Signal
from qtpy.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from cbvtool.graph import Confidence, Graph, When
from cbvtool.view.partners import partners

COLUMNS = ("From", "To", "Kind", "Sure", "When", "Weight", "Places")
WHEN = {When.ALWAYS: "always", When.DEFERRED: "inside a function", When.TYPE_CHECKING: "type checking only"}
SURE = {Confidence.EXACT: "exact", Confidence.RESOLVED: "resolved", Confidence.GUESS: "guess"}
SHOWN_SITES = 20


class RelationsModel(QAbstractTableModel):
    """Rows of `graph.edges`; nothing is copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self._rows: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def show(self, graph: Graph | None, rows: npt.NDArray[np.int64]) -> None:
        """Show these edges of `graph`."""
        self.beginResetModel()
        self._graph, self._rows = graph, rows
        self.endResetModel()

    def ends(self, row: int) -> tuple[int, int]:
        """Keys of both ends of the relation in this row."""
        assert self._graph is not None
        edge = int(self._rows[row])
        return int(self._graph.edges.source[edge]), int(self._graph.edges.target[edge])

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Number of relations."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Number of columns."""
        return len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        """Names of the columns."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """The text of a cell; all places as its tooltip."""
        if self._graph is None or not index.isValid():
            return None
        edge = int(self._rows[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(edge, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            places = self._places(edge)
            return "\n".join(places[:SHOWN_SITES] + ["..."] * (len(places) > SHOWN_SITES)) or None
        return None

    def _cell(self, edge: int, column: int) -> Any:
        assert self._graph is not None
        edges = self._graph.edges
        if column in (0, 1):
            return self._graph.path(int((edges.source, edges.target)[column][edge]))
        if column == 2:
            return edges.kind_names[edges.kind[edge]]
        if column == 3:
            return SURE[Confidence(int(edges.confidence[edge]))]
        if column == 4:
            return WHEN[When(int(edges.when[edge]))]
        if column == 5:
            return float(edges.weight[edge])
        places = self._places(edge)
        return "" if not places else places[0] + (f"  +{len(places) - 1:,}" if len(places) > 1 else "")

    def _places(self, edge: int) -> list[str]:
        assert self._graph is not None
        return [f"{self._graph.files[file]}:{line}" for file, line in self._graph.edges.sites(edge)]


class RelationsPanel(QWidget):
    """Relations that cross the border of the selection, and those inside it."""

    chosen = Signal(int, int)  # keys of both ends

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RelationsModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.model)
        self.table = QTableView(self)
        self.table.setModel(self._sorted)
        self.table.setSortingEnabled(True)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        if (rows := self.table.verticalHeader()) is not None:
            rows.hide()
            rows.setDefaultSectionSize(24)
        if (columns := self.table.horizontalHeader()) is not None:
            columns.setDefaultAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter)
            columns.setHighlightSections(False)
            for column, width in enumerate((260, 260, 80, 84, 120, 64)):
                columns.resizeSection(column, width)
            columns.setSectionResizeMode(len(COLUMNS) - 1, QHeaderView.ResizeMode.Stretch)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.doubleClicked.connect(self._follow)
        self._hint = QLabel("Select a segment to list its relations.", self)
        self._hint.setObjectName("muted")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._hint)
        layout.addWidget(self.table)
        self.show_keys(None, ())

    def show_keys(
        self, graph: Graph | None, keys: tuple[int, ...], relations: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """List the relations of the subtrees of `keys`: the `relations` (bool[m], None = all) that are shown."""
        rows = np.empty(0, np.int64)
        if graph is not None and keys:
            found = partners(graph, keys, relations)
            rows = np.concatenate((found.outgoing, found.incoming, found.inside))
        self.model.show(graph, rows)
        self.table.setVisible(bool(len(rows)))
        self._hint.setVisible(not len(rows))
        self._hint.setText("The selection has no relations." if keys else "Select a segment to list its relations.")

    def _follow(self, index: QModelIndex) -> None:
        self.chosen.emit(*self.model.ends(self._sorted.mapToSource(index).row()))
