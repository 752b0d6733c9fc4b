"""The list of relations in the window (NEW-10, look-and-feel)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QModelIndex, QPoint, Qt
from qtpy.QtGui import QGuiApplication

from cbvtool.asking.listing import COUNT
from cbvtool.view.panels.relations_panel import HINT, RelationsPanel
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def panel(window: MainWindow) -> RelationsPanel:
    window.session.select([window.session.graph.key_of["shop/ui"]])
    window.desk.bring("relations")
    return window.desk.panels["relations"]


def column(panel: RelationsPanel, number: int) -> list[object]:
    model = panel.model
    return [model.data(model.index(row, number)) for row in range(model.rowCount())]


def row_place(panel: RelationsPanel, index: QModelIndex) -> QPoint:
    return panel.table.visualRect(index).center()


def test_new10_rows_open_to_their_places(panel: RelationsPanel, window: MainWindow) -> None:
    """One row below a relation for each of its sites, as `file:line`."""
    graph, model = window.session.graph, panel.model
    assert model.rowCount() > 3
    for row in range(model.rowCount()):
        above = model.index(row, 0)
        edge = model.edge(above)
        sites = [f"{graph.files[file]}:{line}" for file, line in graph.edges.sites(edge)]
        below = [model.index(number, 0, above) for number in range(model.rowCount(above))]
        assert [model.data(index) for index in below] == sites
        assert all(model.parent(index) == above for index in below)
        assert [model.site(index) for index in below] == graph.edges.sites(edge)


def test_new10_headers_sort(panel: RelationsPanel) -> None:
    header = panel.table.header()
    for number in (1, 2, 5):
        x = header.sectionViewportPosition(number) + 20
        QtBot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2))
        down = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        assert down == (number == COUNT)  # the largest first
        shown = column(panel, number)
        assert shown == sorted(shown, key=lambda v: v.casefold() if isinstance(v, str) else v, reverse=down)


def test_new10_the_filter_narrows(panel: RelationsPanel, window: MainWindow, qtbot) -> None:
    total = panel.model.rowCount()
    QtBot.keyClicks(panel.field, "call")
    qtbot.waitUntil(lambda: panel.model.rowCount() < total)
    assert set(column(panel, 2)) <= {"call"}
    assert f"of {total:,} relations" in panel.count.text()
    panel.field.clear()
    qtbot.waitUntil(lambda: panel.model.rowCount() == total)


def test_new10_a_click_shows_the_place_in_the_source(panel: RelationsPanel, window: MainWindow, qtbot) -> None:
    """A place brings the source to the front, at its line; the selection stays."""
    source = window.desk.panels["source"]
    assert isinstance(source, SourcePanel)
    before = window.session.view.selected
    row = next(row for row in range(panel.model.rowCount()) if panel.model.rowCount(panel.model.index(row, 0)))
    above = panel.model.index(row, 0)
    panel.table.expand(above)
    panel.table.scrollTo(above)
    site = panel.model.index(0, 0, above)
    QtBot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=row_place(panel, site))
    file, line = panel.model.site(site)
    qtbot.waitUntil(lambda: source.is_seen and source.view.marked_range == (line, line))
    assert window.session.graph.files[file] in source.place.text()
    assert window.session.view.selected == before


def test_new10_a_double_click_selects_both_ends_and_keeps_the_list(panel: RelationsPanel, window: MainWindow) -> None:
    rows = panel.model.rowCount()
    index = panel.model.index(1, 0)
    edges, edge = window.session.graph.edges, panel.model.edge(index)
    viewport = panel.table.viewport()
    QtBot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=row_place(panel, index))
    QtBot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=row_place(panel, index))
    assert window.session.view.selected == (edges.source[edge], edges.target[edge])
    assert panel.model.rowCount() == rows
    window.session.select(())
    assert panel.model.rowCount() == 0
    assert panel._hint.text() == HINT


def test_new10_copy_and_export(panel: RelationsPanel, window: MainWindow, tmp_path: Path) -> None:
    rows = panel.model.rowCount()
    panel.copy.click()
    assert len(QGuiApplication.clipboard().text().splitlines()) == rows + 1
    panel.export_to(tmp_path / "r.csv")
    assert len((tmp_path / "r.csv").read_text().splitlines()) == rows + 1
    panel.export_to(tmp_path / "none" / "r.csv")
    assert "cannot be written" in window.message.text


def test_new10_a_relation_of_the_picture_is_listed_with_its_places(window: MainWindow, qtbot) -> None:
    """What one drawn relation stands for, until something else is selected."""
    scene = window.canvas.stage.scene
    relation = int(np.argmax(scene.lifted.count))
    window.canvas.sites_wanted.emit(relation)
    panel = window.desk.panels["relations"]
    assert panel.is_seen
    assert panel.model.rowCount() == scene.lifted.count[relation] > 1
    ends = [int(scene.tree.key[end[relation]]) for end in (scene.lifted.source, scene.lifted.target)]
    assert window.session.view.selected == tuple(ends)
    names = [window.session.graph.names[key] for key in ends]
    assert panel.count.text().endswith(f"from {names[0]} to {names[1]}")
    window.session.select(ends[:1])
    assert panel.model.rowCount() != scene.lifted.count[relation]
