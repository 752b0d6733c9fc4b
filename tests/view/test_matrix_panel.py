"""The dependency matrix in the window (NEW-10)."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QImage, QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.asking.matrix import Matrix
from cbvtool.geometry.colors import THEMES
from cbvtool.graph import GraphBuilder
from cbvtool.view.panels.matrix_panel import CYCLES, MODULES, SELECTION, MatrixPanel
from cbvtool.view.panels.matrix_view import LARGEST_CELL, MatrixView, cell_colors
from cbvtool.view.toolkit import theme
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def panel(window: MainWindow) -> MatrixPanel:
    window.desk.bring("matrix")
    window.resizeDocks([window.desk.docks["matrix"]], [420], Qt.Orientation.Vertical)
    found = window.desk.panels["matrix"]
    assert isinstance(found, MatrixPanel)
    return found


def strongest(panel: MatrixPanel) -> tuple[int, int]:
    """Row and column of the cell with the most relations."""
    at = int(np.argmax(panel._matrix.count))
    return int(panel._matrix.row[at]), int(panel._matrix.column[at])


def click(panel: MatrixPanel, row: int, column: int) -> None:
    QtBot.mouseMove(panel.view, panel.view.place_of(row, column))
    QtBot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=panel.view.place_of(row, column))


def wheel(view: MatrixView, place: QPoint, notches: int) -> None:
    """As Qt sends it: QTest has no wheel."""
    event = QWheelEvent(
        QPointF(place),
        QPointF(view.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButtons(Qt.MouseButton.NoButton),
        Qt.KeyboardModifiers(Qt.KeyboardModifier.NoModifier),
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def moved(place: QPoint) -> QMouseEvent:
    """A movement with the left button down, as Qt sends it: QTest's has no button."""
    button = Qt.MouseButton.LeftButton
    return QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        button,
        Qt.MouseButtons(button),
        Qt.KeyboardModifiers(Qt.KeyboardModifier.NoModifier),
    )


def test_new10_it_shows_the_visible_level(panel: MatrixPanel, window: MainWindow) -> None:
    """The leaves of the picture, in their order; it follows expanding and the filter of relations."""
    scene = window.session.scene()
    leaves = scene.tree.key[scene.tree.leaf]
    assert panel._matrix.key.tolist() == leaves.tolist()
    assert int(panel._matrix.count.sum()) == int(scene.lifted.count.sum())
    window.session.expand([window.session.graph.key_of["shop/ui"]])
    assert len(panel._matrix) > len(leaves)
    for kind in window.session.graph.edges.kind_names:
        window.session.show_kind(kind, shown=False)
    assert int(panel._matrix.count.sum()) == 0


def test_new10_a_click_selects_both_ends_everywhere(panel: MatrixPanel, window: MainWindow) -> None:
    """Shared selection; the matrix itself stays what it is."""
    row, column = strongest(panel)
    size = len(panel._matrix)
    panel.scope.setCurrentText(SELECTION)
    panel.scope.setCurrentIndex(0)
    click(panel, row, column)
    wanted = (int(panel._matrix.key[row]), int(panel._matrix.key[column]))
    assert window.session.view.selected == wanted
    assert len(panel._matrix) == size
    assert panel.view._selected == frozenset(wanted)


def test_new10_a_double_click_lists_the_relations_of_a_cell(panel: MatrixPanel, window: MainWindow) -> None:
    row, column = strongest(panel)
    count = panel._matrix.between(row, column)
    click(panel, row, column)
    QtBot.mouseDClick(panel.view, Qt.MouseButton.LeftButton, pos=panel.view.place_of(row, column))
    assert window.desk.panels["relations"].is_seen
    assert window.desk.panels["relations"].model.rowCount() == count


def test_new10_the_children_of_the_selection(panel: MatrixPanel, window: MainWindow) -> None:
    """They stay while some of them are selected; two nodes are compared with each other."""
    graph = window.session.graph
    panel.scope.setCurrentText(SELECTION)
    assert "Select a folder" in panel.hint.text()
    shop = graph.key_of["shop"]
    window.session.select([shop])
    children = set(graph.children(shop).tolist())
    assert set(panel._matrix.key.tolist()) - {shop} == children
    row, column = strongest(panel)
    click(panel, row, column)
    assert set(panel._matrix.key.tolist()) - {shop} == children
    ui, tests = graph.key_of["shop/ui"], graph.key_of["tests"]
    window.session.select([ui, tests])
    assert panel._matrix.key.tolist() == [ui, tests]


def test_new10_cycles_stand_together(panel: MatrixPanel) -> None:
    panel.order.setCurrentText(CYCLES)
    made = panel._matrix
    assert made.blocks
    above = made.column > made.row
    assert (made.cycle[made.row[above]] == made.cycle[made.column[above]]).all()
    assert "cycle" in panel.count.text()


def test_new10_wheel_keys_and_drag(panel: MatrixPanel, window: MainWindow) -> None:
    """The wheel zooms to the pointer, arrows walk, Enter selects, Home shows all, a drag moves."""
    window.session.show_depth(9)
    view = panel.view
    view.fit()
    place = view.area().center()
    while view.cell_size < LARGEST_CELL / 2:
        wheel(view, place, 1)
    cell, size = view.cell_at(place), view.cell_size
    wheel(view, place, 1)
    assert view.cell_at(place) == cell
    assert view.cell_size > size
    before = view.place_of(*cell)
    QtBot.mousePress(view, Qt.MouseButton.LeftButton, pos=place)
    drag = place - QPoint(30, 20)
    QApplication.sendEvent(view, moved(drag))
    QtBot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=drag)
    shift = view.place_of(*cell) - before
    assert abs(shift.x() + 30) <= 1
    assert abs(shift.y() + 20) <= 1
    assert window.session.view.selected == ()
    QtBot.keyClick(view, Qt.Key.Key_Home)
    size = view.cell_size
    QtBot.keyClick(view, Qt.Key.Key_Plus)
    assert view.cell_size > size
    row, column = strongest(panel)
    view._set_current((row, column - 1 if column else column + 1))
    QtBot.keyClick(view, Qt.Key.Key_Right if column else Qt.Key.Key_Left)
    assert view.current == (row, column)
    QtBot.keyClick(view, Qt.Key.Key_Return)
    assert window.session.view.selected == (panel._matrix.key[row], panel._matrix.key[column])


def test_new10_a_cell_says_what_it_is(panel: MatrixPanel, window: MainWindow) -> None:
    row, column = strongest(panel)
    words = panel.view.words(row, column)
    graph, made = window.session.graph, panel._matrix
    assert graph.path(int(made.key[row])) in words
    assert f"{made.between(row, column):,} relation" in words
    assert panel.view.words(row, -1) == words.split("  uses")[0]
    assert panel.view.words(-1, -1) == ""


def test_new10_colours_tell_below_from_above_and_cycles() -> None:
    counts = np.array([[0, 5], [1, 0]])
    cyclic = np.zeros((2, 2), bool)
    for name, look in THEMES.items():
        color = cell_colors(counts, cyclic, 0, 0, 5, name)
        assert tuple(color[1, 0, :3]) == look.user[:3]
        assert tuple(color[0, 1, :3]) == look.used[:3]
        assert color[0, 1, 3] > color[1, 0, 3] > 0
        assert tuple(cell_colors(counts, counts > 0, 0, 0, 5, name)[0, 1, :3]) == look.warning[:3]
        assert cell_colors(np.zeros((2, 2), int), cyclic, 5, 0, 5, name)[:, :, 3].max() == 0


def big(n: int) -> tuple:
    """n files in folders of a thousand, each of which uses the next three; the matrix of them."""
    builder = GraphBuilder("big")
    for folder in range(-(-n // 1_000)):
        builder.add_node(f"f{folder}", "", f"f{folder}", "folder")
    for at in range(n):
        builder.add_node(f"f{at // 1_000}/{at}.py", f"f{at // 1_000}", f"{at}.py", "file")
    graph = builder.freeze()
    key = np.array([graph.key_of[f"f{at // 1_000}/{at}.py"] for at in range(n)], np.int32)
    row = np.repeat(np.arange(n, dtype=np.int32), 3)
    column = row + np.tile(np.arange(1, 4, dtype=np.int32), n)
    inside = column < n
    ones = np.ones(int(inside.sum()), np.int64)
    return graph, Matrix(key, np.zeros(n, bool), row[inside], column[inside], ones, np.full(n, -1, np.int32))


def test_new10_thousands_are_merged_and_named_by_their_folders(qapp, qtbot) -> None:
    """OC-4: what is drawn as one says how many it merges; near enough, single ones are drawn and numbered again."""
    view = MatrixView()
    qtbot.addWidget(view)
    view.resize(900, 700)
    graph, made = big(8_000)
    view.show_matrix(graph, made)
    assert view.merged >= 16
    assert made.coarser(view.merged).step == view.merged
    names = [name for _, _, name, _ in view._labels(0, 8_000, view.cell_size)]
    assert names
    assert set(names) <= {graph.name, *graph.names}
    far = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    view.zoom(1e6, view.place_of(4_000, 4_001))
    assert view.merged == 1
    near = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    assert far != near
    r0, r1, c0, c1 = view._window()
    assert (r1 - r0) * (c1 - c0) < 2_000  # only what is seen is drawn
    row, column = view.cell_at(view.area().center())
    assert min(row, column) >= 0


def test_new10_what_is_selected_elsewhere_comes_into_sight(qtbot) -> None:
    """NEW-10: its row and its column; what is seen already stays where it is."""
    view = MatrixView()
    qtbot.addWidget(view)
    view.resize(500, 300)
    graph, made = big(100)
    view.show_matrix(graph, made)
    r0, r1, c0, c1 = view._window()
    assert r1 < 100
    assert c1 < 100
    view.show_selected(frozenset({int(made.key[1])}))
    assert view._window() == (r0, r1, c0, c1)
    view.show_selected(frozenset({int(made.key[90])}))
    cell = view.place_of(90, 90)
    middle = view.area().adjusted(20, 20, -20, -20)
    assert middle.contains(cell)
    view.resize(500, 340)
    assert view.area().contains(view.place_of(90, 90))
    corner = view._window()
    view.show_selected(frozenset({int(made.key[90]), int(made.key[2])}))
    assert view._window() == corner
    view.show_selected(frozenset())
    assert view._window() == corner


def test_new10_what_lies_in_a_row_marks_it(panel: MatrixPanel, window: MainWindow) -> None:
    """NEW-10: a file that the picture does not show is marked where its package stands."""
    graph = window.session.graph
    package = graph.key_of["shop/domain"]
    inside = next(key for key in graph.subtree(package).tolist() if graph.kind(key) == "function")
    window.session.select([inside])
    assert [int(panel._matrix.key[at]) for at in panel.view._chosen()] == [package]
    window.session.select([])
    assert panel.view._chosen() == []


def test_new10_the_panel_says_what_colours_mean(panel: MatrixPanel, window: MainWindow) -> None:
    """The number of cycles stands beside their colour, in both themes."""
    colors = set()
    for _ in range(2):
        text, warning = panel.count.text(), theme.look(window.settings.theme).warning
        assert warning in text
        assert "2 cycles" in text
        colors.add(warning)
        window.desk.do("theme")
    assert len(colors) == 2
    assert "row uses a column" in panel.count.toolTip()


def test_a_double_click_on_a_name_opens_the_row(panel: MatrixPanel, window: MainWindow) -> None:
    """NEW-10: the parts of a row stand in its place, in the matrix as in the picture."""
    row = next(at for at, key in enumerate(panel._matrix.key.tolist()) if len(window.session.graph.children(key)))
    key = int(panel._matrix.key[row])
    panel.view.fit()
    place = QPoint(panel.view.area().left() - 20, panel.view.place_of(row, 0).y())
    QtBot.mouseDClick(panel.view, Qt.MouseButton.LeftButton, pos=place)
    assert key in window.session.view.expanded
    assert set(window.session.graph.children(key).tolist()) & set(panel._matrix.key.tolist())


def test_the_matrix_in_place_of_the_picture(panel: MatrixPanel, window: MainWindow, qtbot) -> None:
    """UI.md: Shift+D gives it the room of the picture; again, or its cross, brings the picture back."""
    window.resizeDocks([window.desk.docks["matrix"]], [170], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: panel.height() < 300)
    before = panel.height()
    window.actions_by_name["matrix_page"].trigger()
    qtbot.waitUntil(lambda: panel.height() > before + 20)
    assert not window.canvas.isVisible()
    assert panel.is_seen
    window.actions_by_name["matrix_page"].trigger()
    qtbot.waitUntil(window.canvas.isVisible)
    window.actions_by_name["matrix_page"].trigger()
    window.desk.docks["matrix"].hide()
    qtbot.waitUntil(window.canvas.isVisible)
    assert not window.matrix_page.is_on


def test_new10_the_modules_have_the_tangle_of_the_assessment(
    panel: MatrixPanel, window: MainWindow, qtbot: QtBot
) -> None:
    """The rows are what the plan is judged by, and the largest cycle is the figure of card, panel and `check`."""
    session = window.session
    panel.scope.setCurrentText(MODULES)
    qtbot.waitUntil(lambda: panel._matrix is not None)
    preparing = session.judging.preparing()
    if preparing is not None:
        session.judging.prepared(preparing())
    ready = session.judging.ready
    assert ready is not None
    module = ready.planned.places.module
    assert set(panel._matrix.key.tolist()) == set(module[module >= 0].tolist())
    figures = ready.planned.figures
    assert figures.largest > 1
    assert f"tangle {figures.largest:,}" in panel.count.text()
