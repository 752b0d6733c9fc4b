"""The relations of the selection as a list: from, to, kind, how sure, when, count, and the places in the source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, QTimer
from qtpy.QtGui import QGuiApplication
from qtpy.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QLineEdit, QPushButton, QTreeView, QVBoxLayout

from cbvtool.asking.listing import COLUMNS, COUNT, NodePaths, as_csv, as_text, cell, matching, ordered, places_of
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import Graph
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Panel
from cbvtool.view.panels.partners import partners
from cbvtool.view.panels.source_panel import show_site
from cbvtool.view.toolkit.file_dialogs import ask_where
from cbvtool.view.toolkit.plain import Label, set_tooltip, tooltip, tooltip_of

Rows = npt.NDArray[np.int64]
NOTHING: Rows = np.empty(0, np.int64)
SHOWN_SITES = 20  # in a tooltip
WAIT = 120  # ms after the last key before the list is filtered
WIDTHS = (260, 260, 80, 84, 120, 64)
HINT = "Select a segment to list its relations, or double click a relation in the picture."


class RelationsModel(QAbstractItemModel):
    """Rows of `graph.edges`, and below each its places; nothing is copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self._paths: NodePaths | None = None
        self._all = self._rows = NOTHING
        self._order = (0, False)
        self._text = ""

    def show(self, graph: Graph | None, rows: Rows) -> None:
        """Show these edges of `graph`, in the order and with the filter of before."""
        if graph is not self._graph:
            self._paths = None if graph is None else NodePaths(graph)
        self._graph, self._all = graph, rows
        self._arrange()

    def filter(self, text: str) -> None:
        """Show those alone in which all words of `text` occur."""
        self._text = text
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put them in the order of a column."""
        self._order = (column, order == Qt.SortOrder.DescendingOrder)
        self._arrange()

    def _arrange(self) -> None:
        self.beginResetModel()
        self._rows = NOTHING
        if self._graph is not None and self._paths is not None:
            found = matching(self._graph, self._all, self._text, self._paths)
            self._rows = ordered(self._graph, found, self._order[0], self._paths, descending=self._order[1])
        self.endResetModel()

    @property
    def rows(self) -> Rows:
        """Rows of `graph.edges` that are listed, in the order of the list."""
        return self._rows

    @property
    def all(self) -> Rows:
        """The same without the filter, in no order."""
        return self._all

    def edge(self, index: QModelIndex) -> int:
        """Row of `graph.edges` that an index, or the one above it, stands for."""
        return int(self._rows[index.internalId() - 1 if index.internalId() else index.row()])

    def site(self, index: QModelIndex) -> tuple[int, int] | None:
        """(index into `graph.files`, line) of a place; of a relation, its first one; None without any."""
        assert self._graph is not None
        sites = self._graph.edges.sites(self.edge(index))
        return sites[index.row() if index.internalId() else 0] if sites else None

    def index(self, row: int, column: int, parent: QModelIndex | None = None) -> QModelIndex:
        """The index of a relation, or of a place below one: that one's `internalId` is the row above, plus 1."""
        if parent is None or not parent.isValid():
            return self.createIndex(row, column, 0) if 0 <= row < len(self._rows) else QModelIndex()
        return self.createIndex(row, column, parent.row() + 1)

    def parent(self, index: QModelIndex) -> QModelIndex:  # type: ignore[override]  # QObject has another `parent`
        """The relation that a place belongs to."""
        above = index.internalId() if index.isValid() else 0
        return self.createIndex(above - 1, 0, 0) if above else QModelIndex()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Number of relations, or of the places of one."""
        if parent is None or not parent.isValid():
            return len(self._rows)
        if parent.internalId() or parent.column() or self._graph is None:
            return 0
        edge = self.edge(parent)
        return int(self._graph.edges.site_ptr[edge + 1] - self._graph.edges.site_ptr[edge])

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Number of columns."""
        return len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        """Names of the columns."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.InitialSortOrderRole:
            return int(Qt.SortOrder.DescendingOrder if section == COUNT else Qt.SortOrder.AscendingOrder)
        return None

    def data(self, index: QModelIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """The text of a cell; all places as its tooltip."""
        if self._graph is None or not index.isValid():
            return None
        edge = self.edge(index)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == COUNT:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            places = places_of(self._graph, edge)
            return tooltip("\n".join(places[:SHOWN_SITES] + ["..."] * (len(places) > SHOWN_SITES))) or None
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if index.internalId():
            return places_of(self._graph, edge)[index.row()] if index.column() == 0 else None
        return cell(self._graph, edge, index.column())


@dataclass(frozen=True, eq=False)
class _Kept:
    """Edges to list while a selection lasts, though it has others; what to say about them."""

    graph: Graph
    selected: tuple[int, ...]
    rows: Rows
    title: str


class RelationsPanel(Panel):
    """Relations that cross the border of the selection, and those inside it; or those behind one that is drawn."""

    NAME, TITLE = "relations", "Relations"
    TOGETHER = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.model = RelationsModel(self)
        self._asked: tuple[object, ...] | None = None  # what the list is about
        self._kept: _Kept | None = None
        self.count = Label("", self)
        self.count.setObjectName("muted")
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Filter")
        self.field.setAccessibleName("Filter relations")
        set_tooltip(self.field, "Words that occur in names, kind or confidence, such as: core call guess")
        self.field.setClearButtonEnabled(True)
        self.field.setMaximumWidth(240)
        self.copy = QPushButton("Copy", self)
        set_tooltip(self.copy, "Copy the list as text")
        self.copy.clicked.connect(self.copy_text)
        self.export = QPushButton("Export CSV...", self)
        set_tooltip(self.export, "Write the list to a file for spreadsheets")
        self.export.clicked.connect(self._ask_export)
        for button in (self.copy, self.export):
            button.setObjectName("small")
            button.setAccessibleName(tooltip_of(button))
        self.table = QTreeView(self)
        self.table.setModel(self.model)
        self.table.setAccessibleName("Relations")
        self.table.setUniformRowHeights(True)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names and lines stand at the end
        self.table.setAllColumnsShowFocus(True)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setExpandsOnDoubleClick(False)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        if (columns := self.table.header()) is not None:
            columns.setDefaultAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter)
            for column, width in enumerate(WIDTHS):
                columns.resizeSection(column, width)
            columns.setSectionResizeMode(len(COLUMNS) - 1, QHeaderView.ResizeMode.Stretch)
        self.table.clicked.connect(self._show_site)
        self.table.activated.connect(self._take)
        self._hint = Label(HINT, self)
        self._hint.setObjectName("muted")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(self._filter)
        self.field.textChanged.connect(lambda _text: self._timer.start())

        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(8)
        bar.addWidget(self.count, 1)
        for widget in (self.field, self.copy, self.export):
            bar.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._hint, 1)
        self.setMinimumSize(320, 120)
        self._show(None, NOTHING)

    def follow(self, changes: frozenset[Change]) -> None:
        """List the relations of the selection that are shown at all."""
        view = self.session.view
        if view.drag is not None:
            return
        scene = self.session.scene()
        if self._kept is not None and (self._kept.selected, self._kept.graph) != (view.selected, scene.graph):
            self._kept = None
        asked = (scene.graph, view.selected, scene.relations, self._kept)
        if self._asked is not None and all(map(_same, self._asked, asked)):
            return
        self._asked = asked
        if self._kept is not None:
            self._show(scene.graph, self._kept.rows)
        elif view.selected:
            found = partners(scene.graph, view.selected, scene.relations)
            self._show(scene.graph, np.concatenate((found.outgoing, found.incoming, found.inside)))
        else:
            self._show(scene.graph, NOTHING)

    def show_between(self, scene: Scene, relation: int) -> None:
        """Select both ends of a relation of the picture (row of `scene.lifted`), and list what it stands for."""
        source, target = (int(scene.tree.key[end[relation]]) for end in (scene.lifted.source, scene.lifted.target))
        self.show_rows(source, target, np.flatnonzero(scene.lifted.of_edge == relation))

    def show_rows(self, source: int, target: int, rows: Rows) -> None:
        """Select two nodes, and list these rows of `graph.edges` between them until something else is selected."""
        names, ends = self.session.graph.names, tuple(dict.fromkeys((source, target)))
        self._kept = _Kept(self.session.graph, ends, rows, f" from {names[source]} to {names[target]}")
        self.session.select(ends)
        self.tell(Change.VIEW)

    def _show(self, graph: Graph | None, rows: Rows) -> None:
        self.model.show(graph, rows)
        self.table.setVisible(bool(len(rows)))
        self._hint.setVisible(not len(rows))
        self._hint.setText("The selection has no relations." if self.session.view.selected else HINT)
        for widget in (self.field, self.copy, self.export):
            widget.setEnabled(bool(len(rows)))
        self._count()

    def _filter(self) -> None:
        self.model.filter(self.field.text())
        self._count()

    def _count(self) -> None:
        total, listed = len(self.model.all), self.model.rowCount()
        text = f"{total:,} relation{'' if total == 1 else 's'}" if total else ""
        if self._kept is not None and total:
            text += self._kept.title
        self.count.setText(f"{listed:,} of {text}" if listed != total else text)

    def _show_site(self, index: QModelIndex) -> None:
        """The place of a row in the source; a row that is a place brings the source to the front."""
        if (site := self.model.site(index)) is not None:
            show_site(self.desk, *site, front=bool(index.internalId()))

    def _take(self, index: QModelIndex) -> None:
        """Select both ends of a relation (the list stays); go to a place."""
        if index.internalId():
            self._show_site(index)
            return
        graph, edge = self.session.graph, self.model.edge(index)
        ends = int(graph.edges.source[edge]), int(graph.edges.target[edge])
        self._kept = _Kept(graph, ends, self.model.all, self._kept.title if self._kept is not None else "")
        self.desk.reveal(*ends)

    def copy_text(self) -> None:
        """Put the list into the clipboard."""
        if (clipboard := QGuiApplication.clipboard()) is not None:
            clipboard.setText(as_text(self.session.graph, self.model.rows))
        self.desk.note(f"Copied {self.model.rowCount():,} relations")

    def _ask_export(self) -> None:
        assert self.session.project is not None
        settings = self.desk.settings
        suggestion = settings.folder / f"{self.session.project.name}-relations.csv"
        if (file := ask_where("Export the relations", suggestion, {".csv": "CSV"}, self)) is not None:
            settings.folder = file.parent
            self.export_to(file)

    def export_to(self, file: Path) -> None:
        """Write the list to `file` as CSV."""
        try:
            with replacing(file) as opened:
                opened.write(as_csv(self.session.graph, self.model.rows).encode("utf-8", "backslashreplace"))
        except InputError as error:
            self.desk.say(str(error))
            return
        self.desk.note(f"Exported {file.name}")


def _same(before: object, now: object) -> bool:
    """Graphs and columns are the same by identity, a selection by value."""
    return before is now or (type(now) is tuple and before == now)
