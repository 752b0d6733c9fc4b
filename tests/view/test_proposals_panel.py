"""Cycles and proposals in the window (NEW-2): drawn apart, taken as steps, undone; the matrix leads to a cycle."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QTextCursor

from cbvtool.asking.impact import is_test
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.answer_marks import answer_marks
from cbvtool.geometry.picture import Polyline
from cbvtool.view.panels.findings_panel import FindingsPanel
from cbvtool.view.panels.matrix_panel import CYCLE, CYCLES, LEVEL, MatrixPanel
from cbvtool.view.panels.matrix_view import NUMBERED
from cbvtool.view.panels.proposals_panel import ProposalsPanel
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.window.main_window import MainWindow


def click(browser: TextBrowser, text: str, qtbot) -> None:
    """A click of the mouse on a link."""
    cursor = browser.document().find(text)
    assert not cursor.isNull(), text
    cursor.setPosition(cursor.selectionStart() + 2)
    browser.setTextCursor(cursor)
    browser.ensureCursorVisible()
    at = browser.cursorRect(QTextCursor(cursor)).center()
    assert browser.anchorAt(at)
    qtbot.mouseClick(browser.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))


@pytest.fixture
def cycle(window: MainWindow, qtbot) -> FindingsPanel:
    """The cycles of the sample project."""
    panel = window.desk.show(FindingsPanel)
    qtbot.waitUntil(lambda: panel.found is not None and not window.jobs.running)
    panel.kind.setCurrentIndex(panel.kind.findData("cycle"))
    return panel


def lines(window: MainWindow, *, dashed: bool) -> list[Polyline]:
    """What the answer draws over the picture."""
    items = answer_marks(window.session.scene(), Camera(), 800, 600).items
    return [item for item in items if isinstance(item, Polyline) and item.dashed == dashed]


def test_a_cycle_is_a_layer_of_its_own(cycle: FindingsPanel, window: MainWindow, qtbot) -> None:
    """CBV-7: its relations alone are shown, and those to cut are drawn apart, in the colour of violations."""
    click(cycle.text, "depend on one another", qtbot)
    shown = window.session.view.path
    assert isinstance(shown, ShownRelations)
    assert set(shown.cut.tolist()) < set(shown.rows.tolist())
    drawn = lines(window, dashed=False)
    assert drawn
    assert {line.color for line in drawn} == {THEMES[window.session.view.theme].warning}
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    seen, names = window.canvas.grab().toImage(), window.canvas.stage.text.image
    opaque = [
        (x, y)
        for y in range(names.height())
        for x in range(names.width())
        if names.pixelColor(x, y).alpha() == 255 and y < 40
    ]
    assert all(seen.pixel(x, y) == names.pixel(x, y) for x, y in opaque)
    window.desk.do("escape")
    assert lines(window, dashed=False) == []


def test_a_proposal_is_a_ghost_then_a_step(cycle: FindingsPanel, window: MainWindow, qtbot) -> None:
    """A click shows what would move, dashed; another takes it: one step of the plan, which is undone."""
    click(cycle.text, "How to break it", qtbot)
    panel = window.desk.panel(ProposalsPanel)
    qtbot.waitUntil(lambda: panel.found is not None)
    assert panel.found is not None
    assert "ends the cycle" in panel.text.toPlainText()
    moving = next((one for one in panel.found.rows if one.moves), None)
    if moving is not None:
        click(panel.text, moving.title, qtbot)
        assert lines(window, dashed=True)
    before = window.session.graph
    click(panel.text, "Take it", qtbot)
    assert window.session.graph is not before
    assert window.session.history is not None
    assert len(window.session.history.done) == 1
    window.session.undo()
    assert not window.session.history.done


def test_where_the_selection_belongs(window: MainWindow, qtbot) -> None:
    """Ranked places with the reason; without a selection the panel says what is missing."""
    panel = window.desk.show(ProposalsPanel)
    window.session.select(())
    qtbot.mouseClick(panel.place, Qt.MouseButton.LeftButton)
    assert panel.found is None
    window.session.select((window.session.graph.key_of["shop/domain/cart.py"],))
    qtbot.mouseClick(panel.place, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.found is not None)
    assert panel.found is not None
    assert panel.found.heading == "Where cart.py belongs"
    assert "uses" in panel.text.toPlainText()


def test_the_matrix_leads_to_a_cycle(cycle: FindingsPanel, window: MainWindow, qtbot) -> None:
    """From the finding, and by its own link: rows of the cycle in sight, with readable numbers."""
    click(cycle.text, "Show in the matrix", qtbot)
    panel = window.desk.panel(MatrixPanel)
    qtbot.waitUntil(lambda: panel.view.cell_size >= NUMBERED)
    assert (panel.scope.currentText(), panel.order.currentText()) == (CYCLE, CYCLES)
    assert "1 cycle" in panel.count.text()
    panel.scope.setCurrentText(LEVEL)
    panel.view.fit()
    if "cycle:" in panel.count.text():
        panel.count.linkActivated.emit("cycle:0")
        assert panel.view.cell_size >= NUMBERED


def test_without_tests_is_one_switch(cycle: FindingsPanel, window: MainWindow) -> None:
    """Picture, relations (and with them paths, cycles and matrix), findings and judgement leave tests out together."""
    graph = window.session.graph
    test = is_test(graph)
    assert test.any()
    relations = window.session.scene().relations
    ends = test[graph.edges.source] | test[graph.edges.target]
    assert (relations & ends).any()
    window.desk.do("without_tests")
    scene = window.session.scene()
    assert not (scene.relations & ends).any()
    files = [key for key in scene.tree.key.tolist() if test[key]]
    assert files == []
    assert not cycle.tests.isEnabled()
    asked = window.session.judging.asked
    assert asked is not None
    assert not asked.modules.tests
    window.desk.do("without_tests")
    assert (window.session.scene().relations == relations).all()
