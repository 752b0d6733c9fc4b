"""Panels that open and close by their keys, the palette that finds everything, the guide, messages that go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qtpy.QtCore import QPoint, QSize, Qt, QUrl
from qtpy.QtWidgets import QToolButton

from cbvtool.findings.finding import Finding
from cbvtool.view.commands.help.guide import Guide, guide_folder, page_text, slug
from cbvtool.view.commands.help.palette import all_choices, finding_choices
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.toolkit.plain import text_of
from cbvtool.view.toolkit.tooltip import Tooltip
from cbvtool.view.window.main_window import MainWindow


def test_a_key_opens_a_panel_and_closes_it(window: MainWindow, qtbot) -> None:
    """CBV-5: the same key again closes the panel, with the tabs that came with it; a switch in the menu says so."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    matrix, action = window.desk.panel(MatrixPanel), window.actions_by_name["matrix"]
    qtbot.keyClick(window.canvas, Qt.Key.Key_D)
    qtbot.waitUntil(lambda: matrix.is_seen)
    window.desk.refresh()
    assert action.isChecked()
    qtbot.keyClick(window.canvas, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: window.desk.is_seen(SourcePanel) and not matrix.is_seen)
    qtbot.keyClick(window.canvas, Qt.Key.Key_S)
    qtbot.waitUntil(lambda: not window.desk.is_seen(SourcePanel))
    assert all(window.desk.docks[name].isHidden() for name in ("matrix", "source", "relations"))


def test_a_tab_has_a_cross(window: MainWindow, qtbot) -> None:
    """A panel among tabs closes by a click, too."""
    window.desk.show(MatrixPanel)
    dock = window.desk.docks["matrix"]
    (cross,) = dock.titleBarWidget().findChildren(QToolButton)
    qtbot.waitUntil(cross.isVisible)
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert dock.isHidden()


def test_the_palette_finds_files_presets_and_findings(window: MainWindow) -> None:
    """NEW-13: commands and presets by name, files as keys, findings as themselves."""
    values = {choice.value for choice in all_choices(window.desk) if not isinstance(choice.value, Finding)}
    assert {"fit", "preset_2", "save_view"} <= values
    graph = window.session.graph
    file = next(key for key in range(len(graph)) if graph.kind(key) == "file")
    assert file in values
    finding = Finding("cycle", "a and b depend on one another", (1, 2))
    (row,) = finding_choices([finding])
    assert (row.value, row.text) == (finding, finding.title)


def test_plan_holds_tasks_and_saving(window: MainWindow) -> None:
    """The menu Plan holds what is done with a plan; File does not."""
    words = {
        title: [text_of(action) for action in window.commands.menus[title].actions()] for title in ("Plan", "File")
    }
    for text in ("Show the tasks", "Export tasks...", "Save plan", "Save plan as..."):
        assert text in words["Plan"]
        assert text not in words["File"]
    assert "Guide" in [text_of(action) for action in window.commands.menus["Help"].actions()]


def test_a_message_goes(window: MainWindow, qtbot) -> None:
    """What the status bar says does not stand there for ever."""
    window.status._goes.setInterval(0)
    window.desk.note("Saved it")
    assert window.status.last.text() == "Saved it"
    qtbot.waitUntil(lambda: not window.status.last.text())


@pytest.fixture
def guide(window: MainWindow) -> Iterator[Guide]:
    window.actions_by_name["guide"].trigger()
    (shown,) = window.findChildren(Guide)
    yield shown
    shown.close()


def test_the_guide_opens_and_leads_to_sections(guide: Guide, qtbot) -> None:
    """CBV-5: Help shows the guide; its links lead to sections and pages, and to no other file."""
    text, bar = guide.text, guide.text.verticalScrollBar()
    assert text.toPlainText().startswith("Guide")
    text.follow(QUrl("#search-ask-filter"))
    assert bar.value() > 0
    text.follow(QUrl("../pyproject.toml"))
    text.follow(QUrl("../README.md"))
    assert text.toPlainText().startswith("Guide")
    text.follow(QUrl("findings.md"))
    assert not text.toPlainText().startswith("Guide")


def test_pages_leave_out_pictures_that_are_not_there(tmp_path) -> None:
    """An installed wheel has the words alone."""
    page = tmp_path / "guide.md"
    page.write_text("# Guide\n![a](images/a.png)\nwords\n")
    assert page_text(page) == "# Guide\nwords\n"
    assert guide_folder((tmp_path / "no", tmp_path)) == tmp_path
    assert slug("Search, ask, filter") == "search-ask-filter"


def test_a_card_goes_where_it_is_told(window: MainWindow) -> None:
    """CBV-12: beside the ring if there is room, else beside the pointer."""
    card = Tooltip(window.canvas)
    card.show_at(QPoint(100, 100), ["a"], lambda _size: QPoint(7, 9))
    assert card.pos() == QPoint(7, 9)
    card.show_at(QPoint(100, 100), ["a"], lambda _size: None)
    assert card.pos() == QPoint(116, 118)
    assert window.canvas.stage.picking.free_place(QPoint(0, 0), QSize(9_000, 10)) is None
