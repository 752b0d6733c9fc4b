"""Relations, matrix and source at the bottom of the window (NEW-10)."""

from __future__ import annotations

from qtpy.QtCore import QPoint, Qt, QTimer
from qtpy.QtWidgets import QApplication

from cbvtool.view.commands.settings_dialog import SettingsDialog
from cbvtool.view.panels.matrix_panel import MatrixPanel
from cbvtool.view.panels.source_panel import SourcePanel
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key


def source_of(window: MainWindow) -> SourcePanel:
    panel = window.desk.panels["source"]
    assert isinstance(panel, SourcePanel)
    return panel


def a_relation(window: MainWindow) -> QPoint:
    """A place on the canvas at which a relation is seen and no segment."""
    canvas = window.canvas
    for y in range(canvas.height() // 4, canvas.height(), 7):
        for x in range(canvas.width() // 4, canvas.width(), 7):
            spot = QPoint(x, y)
            if canvas.stage.picking.key_at(spot) < 0 and canvas.stage.picking.relation_at(spot) >= 0:
                return spot
    raise AssertionError("no relation is seen")


def test_new10_double_click_on_a_relation_lists_its_places(window: MainWindow, hand: Hand) -> None:
    """And a click on one of them shows it in the source."""
    spot = a_relation(window)
    relation = window.canvas.stage.picking.relation_at(spot)
    count = int(window.canvas.stage.scene.lifted.count[relation])
    hand.click(window.canvas, spot, twice=True)
    panel = window.desk.panels["relations"]
    hand.wait_until(lambda: panel.is_seen and panel.model.rowCount() == count)
    above = panel.model.index(0, 0)
    panel.table.expand(above)
    hand.wait_until(lambda: window.canvas.stage.is_still)  # the docks have come
    site = panel.model.index(0, 0, above)
    panel.table.scrollTo(site)
    hand.wait_until(lambda: panel.table.viewport().rect().contains(panel.table.visualRect(site)))
    file, line = panel.model.site(site)
    hand.click(panel.table.viewport(), panel.table.visualRect(site).center())
    hand.wait_until(lambda: source_of(window).is_seen and source_of(window).view.marked_range == (line, line))
    assert window.session.graph.files[file] in source_of(window).place.text()


def test_new10_keys_open_the_panels_and_find_in_the_file(window: MainWindow, hand: Hand) -> None:
    """S for the source, Ctrl+F in it; the same key in the picture finds in the graph."""
    graph = window.session.graph
    file = next(
        k
        for k in range(len(graph))
        if graph.kind(k) == "file" and graph.names[k].endswith(".py") and graph.values["sloc"][k] > 5
    )
    window.session.select([file])
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("s")
    view = source_of(window).view
    hand.wait_until(lambda: source_of(window).is_seen and view.isVisible() and bool(view.toPlainText()))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    area = view.viewport()
    assert area is not None
    hand.click(area, QPoint(area.width() - 20, 30))
    hand.wait_until(view.hasFocus)
    hand.keys("ctrl+f")
    hand.wait_until(source_of(window).field.hasFocus)
    hand.type("import")
    hand.wait_until(lambda: " of " in source_of(window).found.text())
    hand.keys("Escape")
    hand.wait_until(lambda: not source_of(window).find_bar.isVisible())
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("ctrl+f")
    hand.wait_until(lambda: window.focusWidget() is not window.canvas)
    assert not source_of(window).find_bar.isVisible()


def test_new10_the_matrix_under_a_real_pointer(window: MainWindow, hand: Hand) -> None:
    """The cross follows it, the wheel zooms, a click selects both ends in the picture."""
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("d")
    panel = window.desk.panels["matrix"]
    assert isinstance(panel, MatrixPanel)
    hand.wait_until(lambda: panel.is_seen and panel._matrix is not None)
    hand.wait_until(lambda: window.canvas.stage.is_still)
    view, made = panel.view, panel._matrix
    view.fit()
    at = int(made.count.argmax())
    row, column = int(made.row[at]), int(made.column[at])
    hand.point(view, view.place_of(row, column))
    hand.wait_until(lambda: view.current == (row, column))
    hand.click(view, view.place_of(row, column))
    wanted = (int(made.key[row]), int(made.key[column]))
    hand.wait_until(lambda: window.session.view.selected == wanted)
    size = view.cell_size
    hand.wheel(view, view.place_of(row, column), 2)
    hand.wait_until(lambda: view.cell_size > size)


def test_new13_settings_by_keyboard(window: MainWindow, hand: Hand) -> None:
    """Ctrl+, opens them, Esc leaves everything as it was."""
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    theme = window.settings.theme
    left: list[bool] = []

    def leave() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, SettingsDialog) and dialog.isActiveWindow() and not left:
            left.append(True)
            hand.keys("Escape")

    timer = QTimer(window)
    timer.timeout.connect(leave)
    timer.start(20)
    hand.keys("ctrl+comma")
    hand.wait_until(lambda: bool(left) and QApplication.activeModalWidget() is None)
    timer.stop()
    assert window.settings.theme == theme
    assert key(window, "shop") >= 0
