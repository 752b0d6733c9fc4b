"""The findings in the window (NEW-21): what a click shows, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QTextCursor

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.drawing.emphasis import emphasis
from cbvtool.view.panels.findings_panel import FindingsPanel
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def panel(window: MainWindow, qtbot) -> FindingsPanel:
    """The findings of the sample project, in front."""
    panel = window.desk.show(FindingsPanel)
    qtbot.waitUntil(lambda: panel.found is not None and not window.jobs.running)
    return panel


def click(panel: FindingsPanel, text: str, qtbot) -> None:
    """A click of the mouse on a link."""
    browser = panel.text
    cursor = browser.document().find(text)
    assert not cursor.isNull(), text
    cursor.setPosition(cursor.selectionStart() + 2)
    browser.setTextCursor(cursor)
    browser.ensureCursorVisible()
    at = browser.cursorRect(QTextCursor(cursor)).center()
    assert browser.anchorAt(at)
    qtbot.mouseClick(browser.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))


def test_findings_are_listed_and_counted(panel: FindingsPanel) -> None:
    """The kinds say how many there are; broken rules come first."""
    assert panel.found is not None
    assert panel.kind.itemText(0) == f"All findings ({len(panel.found.rows)})"
    assert panel.text.toPlainText().splitlines()[1].startswith("Broken rule Rule broken by 2 pairs of files")
    shown = panel.kind.findData("cycle")
    assert panel.kind.itemText(shown).startswith("Cycle (")
    panel.kind.setCurrentIndex(shown)
    text = panel.text.toPlainText()
    assert "depend on one another" in text
    assert "Broken rule" not in text


def test_a_click_shows_the_cut_of_a_cycle_and_nothing_else(panel: FindingsPanel, window: MainWindow, qtbot) -> None:
    """CBV-7, NEW-2: the relations that would have to go stand out alone, and a card says what they are."""
    panel.kind.setCurrentIndex(panel.kind.findData("cycle"))
    click(panel, "depend on one another", qtbot)
    shown = window.session.view.path
    assert isinstance(shown, ShownRelations)
    graph = window.session.graph
    ends = [graph.ids[end] for end in (*graph.edges.source[shown.rows], *graph.edges.target[shown.rows])]
    assert {end.partition("/")[2].partition("/")[0] for end in ends} == {"domain", "infrastructure"}
    scene = window.session.scene()
    lit = emphasis(scene, -1, -1, frozenset(), ()).relations
    assert lit is not None
    assert np.count_nonzero(lit) == len(set(scene.lifted.of_edge[shown.rows].tolist()) - {-1}) > 0
    window.desk.do("escape")
    assert window.session.view.path is None


def test_a_click_on_a_hot_spot_selects_its_file(panel: FindingsPanel, window: MainWindow, qtbot) -> None:
    """NEW-21: the file is selected, and the way to it is open."""
    panel.kind.setCurrentIndex(panel.kind.findData("hot-spot"))
    click(panel, "complexity", qtbot)
    [key] = window.session.view.selected
    assert window.session.graph.kind(key) == "file"


def test_a_plan_is_looked_at_again(panel: FindingsPanel, window: MainWindow, qtbot) -> None:
    """What the plan removes is found no more."""
    assert panel.found is not None
    before = panel.found
    window.session.remove([window.session.graph.key_of["shop/domain/cart.py"]])
    qtbot.waitUntil(lambda: panel.found is not before)
    assert all("cart.py" not in one.title for one in panel.found.rows)
