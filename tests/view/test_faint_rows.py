"""Rows of a view's table that count for little (CF-8): grey in the window, whatever the order."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QWidget

from cbvtool.api import ViewColumn, ViewTable
from cbvtool.view.panels.plugin_views.table_part import TablePart


def grey_rows(part: TablePart) -> list[str]:
    """The first cells of the rows that are grey, as they are sorted."""
    model = part.model
    cells = [model.index(row, 0) for row in range(model.rowCount())]
    return [str(cell.data()) for cell in cells if cell.data(Qt.ItemDataRole.ForegroundRole) is not None]


def test_faint_rows_stay_grey_when_sorted_and_change_with_the_table(qtbot: QtBot) -> None:
    """CF-8: within the noise of repeats, and named so."""
    around = QWidget()
    qtbot.addWidget(around)
    part = TablePart("noise", "Beyond noise", around)
    columns = (
        ViewColumn("Box", ["math", "mpi", "io"], kind="text"),
        ViewColumn("B minus A", np.array([2.0, 0.3, 0.1]), "s"),
    )
    items = np.array([4, 2, 7], np.int32)
    part.show_table(ViewTable(columns, items, faint=frozenset({2, 7})))
    assert sorted(grey_rows(part)) == ["io", "mpi"]
    part.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert grey_rows(part) == ["io", "mpi"]
    part.show_table(ViewTable(columns, items, faint=frozenset({4})))
    assert grey_rows(part) == ["math"]
    part.show_table(ViewTable(columns, items))
    assert grey_rows(part) == []
