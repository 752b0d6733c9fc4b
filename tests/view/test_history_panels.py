"""The panels "Changes together" and "People", with real events (NEW-12, NEW-17)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QComboBox

from cbvtool.graph.kinds import CO_CHANGE
from cbvtool.history.coupled_files import CouplingOptions
from cbvtool.project import Project
from cbvtool.view.commands.menus import Actions
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.history.coupling_panel import NO_HISTORY, CouplingPanel
from cbvtool.view.panels.history.people_panel import PeoplePanel
from cbvtool.view.panels.traces.rows_table import RowsTable
from cbvtool.view.window.main_window import MainWindow


def cells(table: RowsTable) -> list[list[str]]:
    """What is listed, row by row."""
    model = table.rows
    return [
        [str(model.data(model.index(row, column))) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def click_row(qtbot: QtBot, table: RowsTable, row: int) -> None:
    """A click in the middle of a row's first cell."""
    place = table.visualRect(table.rows.index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def choose(choice: QComboBox, data: object) -> None:
    """What choosing a row of a list does."""
    choice.setCurrentIndex(choice.findData(data))
    choice.activated.emit(choice.currentIndex())


@pytest.fixture
def coupling(window: MainWindow, qtbot) -> CouplingPanel:
    """The panel, listing all pairs of the sample project."""
    window.session.coupling.choose(CouplingOptions(least=1, lift=0.0))
    panel = window.desk.show(CouplingPanel)
    qtbot.waitUntil(lambda: panel.ranked is not None)
    choose(panel.way, "all")
    return panel


def test_a_row_selects_both_and_lists_their_commits(window: MainWindow, coupling: CouplingPanel, qtbot) -> None:
    """NEW-12: each row opens its commits and highlights both nodes."""
    assert coupling.ranked is not None
    assert coupling.table.rows.rowCount() == len(coupling.ranked) > 3
    click_row(qtbot, coupling.table, 0)
    found = coupling.ranked.found
    assert set(window.session.view.selected) == {int(found.first[0]), int(found.second[0])}
    commits = cells(coupling.commits)
    assert len(commits) == int(found.both[0])
    assert [row[0] for row in commits] == sorted((row[0] for row in commits), reverse=True)
    assert all(all(row) for row in commits)


def test_ways_levels_and_limits_list_others(window: MainWindow, coupling: CouplingPanel, qtbot) -> None:
    """NEW-12: between files and between folders; those that ignore the folders or have no relation in the code."""
    assert coupling.ranked is not None
    every = coupling.ranked
    for way in ("surprising", "folders", "unrelated", "all"):
        choose(coupling.way, way)
        assert coupling.table.rows.rowCount() == len(every.rows(way))
    choose(coupling.level, 1)
    qtbot.waitUntil(lambda: coupling.ranked is not every)
    graph = window.session.graph
    assert {graph.kind(int(key)) for key in coupling.ranked.found.first} <= {"folder", "package", "project"}
    coupling.least.setValue(1000)
    qtbot.waitUntil(lambda: coupling.table.rows.rowCount() == 0)
    assert "0 pairs that change together" in coupling.says.text()


def test_the_time_range_counts(window: MainWindow, coupling: CouplingPanel, qtbot) -> None:
    """NEW-12: in the range; one without commits has no pairs."""
    window.session.set_view(since=2**40)
    qtbot.waitUntil(lambda: coupling.table.rows.rowCount() == 0)
    assert "in 0 commits" in coupling.says.text()


def test_a_wrong_pattern_of_tickets_is_told(window: MainWindow, coupling: CouplingPanel, qtbot) -> None:
    """NEW-12: the pattern is a user's; a wrong one costs a sentence, and nothing changes."""
    before = coupling.table.rows.rowCount()
    coupling.ticket.setText("(")
    qtbot.keyClick(coupling.ticket, Qt.Key.Key_Return)
    assert "not a pattern of tickets" in coupling.says.text()
    assert coupling.table.rows.rowCount() == before
    assert window.session.coupling.options.ticket == ""


def test_the_kind_is_switched_on_here_and_under_style(window: MainWindow, coupling: CouplingPanel, qtbot) -> None:
    """NEW-12: a relation kind in the view, off by default."""
    style = window.desk.panels["style"]
    window.desk.raise_panel("style")
    qtbot.waitUntil(lambda: CO_CHANGE in style.kinds)
    assert not style.kinds[CO_CHANGE].isChecked()
    assert style.kinds[CO_CHANGE].text() == "Changes together"
    window.desk.show(CouplingPanel)
    qtbot.mouseClick(coupling.drawn, Qt.MouseButton.LeftButton, pos=QPoint(8, coupling.drawn.height() // 2))
    assert coupling.drawn.isChecked()
    assert CO_CHANGE in window.session.graph.edges.kind_names
    qtbot.waitUntil(lambda: style.kinds[CO_CHANGE].isChecked())
    assert style.kinds[CO_CHANGE].text().startswith("Changes together (")
    qtbot.mouseClick(style.kinds[CO_CHANGE], Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert CO_CHANGE not in window.session.graph.edges.kind_names


def test_what_usually_changes_with_this(window: MainWindow, qtbot) -> None:
    """NEW-12: the question about a selection, from the context menu and from the details."""
    key = window.session.graph.key_of["shop/domain"]
    window.session.select([key])
    menu = window.context_menus
    menu.show(window.session, QPoint(5, 5), key)
    actions = window.desk.part(Actions).by_name
    assert actions["changes_with"].isEnabled()
    actions["changes_with"].trigger()
    panel = window.desk.panel(CouplingPanel)
    qtbot.waitUntil(lambda: panel.ranked is not None and panel.ranked.selected == key)
    assert panel.says.text().startswith("What changes with domain: ")
    assert panel.everything.isVisible()
    qtbot.mouseClick(panel.everything, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.ranked is not None and panel.ranked.selected < 0)
    details = window.desk.panel(DetailsPanel)
    assert "Whom to ask" in details.text.toPlainText()
    assert "What usually changes with this?" in details.text.toPlainText()


def test_people_are_listed_and_hidden(window: MainWindow, qtbot) -> None:
    """NEW-17: folders, authors and teams; a row selects its folder; names are hidden by the switch."""
    panel = window.desk.show(PeoplePanel)
    choose(panel.level, 1)
    qtbot.waitUntil(lambda: panel.table.rows.rowCount() > 0)
    rows = cells(panel.table)
    names = {row[4] for row in rows}
    assert names - {""}
    place = next(number for number, row in enumerate(rows) if row[0] == "shop")
    click_row(qtbot, panel.table, place)
    assert window.session.view.selected == (window.session.graph.key_of["shop"],)
    qtbot.mouseClick(panel.colors["main_author"], Qt.MouseButton.LeftButton)
    assert window.session.view.mapping.color == "main_author"
    qtbot.mouseClick(panel.hidden, Qt.MouseButton.LeftButton, pos=QPoint(8, panel.hidden.height() // 2))
    assert window.settings.hide_names
    qtbot.waitUntil(lambda: all(row[4].startswith("Person ") for row in cells(panel.table)))
    details = window.desk.panel(DetailsPanel).text.toPlainText()
    assert "Person " in details
    assert not [name for name in names if name in details]
    choose(panel.rows, "author")
    qtbot.waitUntil(lambda: panel.table.rows.rows.columns[0].title == "Author")
    assert all(row[0].startswith("Person ") for row in cells(panel.table))


def test_a_table_of_teams_is_read(window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-17: teams from a CSV that the user names; what is none is told in a sentence."""
    panel = window.desk.show(PeoplePanel)
    said: list[str] = []
    monkeypatch.setattr(window.desk, "say", lambda sentence, *_a, **_k: said.append(sentence))
    table = tmp_path / "people.csv"
    table.write_text("author,team\n*,Everybody,no,more\n")
    monkeypatch.setattr("cbvtool.view.panels.history.people_panel.ask_people", lambda *_a: table)
    qtbot.mouseClick(panel.table_button, Qt.MouseButton.LeftButton)
    assert len(said) == 1
    assert "people.csv" in said[0]
    table.write_text("author,team\n*,Everybody\n")
    qtbot.mouseClick(panel.table_button, Qt.MouseButton.LeftButton)
    assert panel.colors["main_team"].isVisible()
    choose(panel.rows, "team")
    qtbot.waitUntil(lambda: [row[0] for row in cells(panel.table)] == ["Everybody"])


def test_without_a_history_both_say_so(window: MainWindow, shop: Project, qtbot) -> None:
    """NEW-12: nothing to list is told, not shown as an empty table."""
    window.session.open(replace(shop, changes=None))
    panel = window.desk.show(CouplingPanel)
    assert panel.says.text() == NO_HISTORY
    assert not panel.drawn.isEnabled()
    assert "no history" in window.desk.show(PeoplePanel).says.text()


def test_they_leave_a_small_window_small(window: MainWindow, qtbot) -> None:
    """Their controls have room in a window of 960x640."""
    for kind in (CouplingPanel, PeoplePanel):
        window.desk.show(kind)
        assert window.minimumSizeHint().width() <= 960
