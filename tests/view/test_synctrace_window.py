"""SyncTrace in the window, with real events: zooming one thread, hiding it, moving the splitter, pointing at a wait."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QContextMenuEvent, QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication, QMenu, QTabWidget, QToolButton

from cbvtool.api import Areas, Bars, Labels, Points, SectorShape
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.panels.plugin_views.table_part import TablePart
from cbvtool.view.window.main_window import MainWindow
from tests.trace.handmade import imported
from tests.trace.waits.schedules import schedule
from tests.view.test_plugin_views import offered, opened

LEFT = Qt.MouseButton.LeftButton
pytestmark = pytest.mark.usefixtures("large")


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> PluginPanel:
    """SyncTrace, open on threads of a known schedule."""
    window.session.traces.add(imported(schedule(7, 8, 30).trace, "run.json"))
    traces = window.session.traces
    qtbot.waitUntil(lambda: traces.found is not None and not traces.is_wanted)
    offered(window)
    panel = opened(window, "sync")
    qtbot.waitUntil(lambda: not window.jobs.running)
    return panel


def test_one_thread_is_zoomed_and_hidden_and_the_room_is_divided(
    panel: PluginPanel, qtbot: QtBot
) -> None:  # ST-4, ST-6
    canvas = panel.canvases["main"]
    canvas.picture()
    before = {pane.name: pane.x for pane in canvas.plot.panes}
    pane = next(pane for pane in canvas.plot.panes if pane.name.startswith("ring "))
    shape = pane.shape
    assert isinstance(shape, SectorShape)
    place = QPointF(shape.cx - (shape.r0 + shape.r1) / 2, shape.cy + 12)  # the leftmost sector
    wheel = QWheelEvent(
        place,
        QPointF(canvas.ground.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.ground, wheel)
    qtbot.waitUntil(lambda: canvas.picture() is not None and canvas.plot.pane(pane.name).x != pane.x)
    now = {each.name: each.x for each in canvas.plot.panes}
    assert [name for name in now if now[name] != before[name]] == [pane.name]  # its own window

    splitter = next(each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == "splitter")
    grip = QPoint(30, round(float(splitter.y0[0] + 3)))
    for kind, down, held in (
        (QEvent.Type.MouseButtonPress, 0, Qt.MouseButton.LeftButton),
        (QEvent.Type.MouseMove, 10, Qt.MouseButton.LeftButton),
        (QEvent.Type.MouseMove, 60, Qt.MouseButton.LeftButton),
        (QEvent.Type.MouseButtonRelease, 60, Qt.MouseButton.NoButton),
    ):
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        event = QMouseEvent(kind, QPointF(grip + QPoint(0, down)), button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(canvas.ground, event)
    canvas.picture()
    moved = next(each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == "splitter")
    assert moved.y0[0] > splitter.y0[0] + 20

    names = next(each for each in canvas.plot.layers if isinstance(each, Labels) and each.name == "thread names")
    label = QPoint(round(float(names.x[0])), round(float(names.y[0])))
    bars = {each.name: each for each in canvas.plot.layers if isinstance(each, Areas | Bars)}
    QtBot.mouseMove(canvas.ground, label)
    canvas.picture()
    after = {each.name: each for each in canvas.plot.layers}
    assert all(after[name] is bars[name] for name in bars if name.startswith(("bars ", "curves")))  # nothing heavy anew
    QtBot.mouseDClick(canvas.ground, Qt.MouseButton.LeftButton, pos=label)
    canvas.picture()
    left = next(each for each in canvas.plot.layers if isinstance(each, Labels) and each.name == "thread names")
    assert len(left.text) == len(names.text) - 1


def front(panel: PluginPanel, part: str) -> TablePart:
    """A table, brought to the front by a click on its tab."""
    shown = panel.tables[part]
    tabs = shown.parentWidget()
    while tabs is not None and not isinstance(tabs, QTabWidget):
        tabs = tabs.parentWidget()
    assert isinstance(tabs, QTabWidget)
    bar = tabs.tabBar()
    assert bar is not None
    QtBot.mouseClick(bar, LEFT, pos=bar.tabRect(tabs.indexOf(shown)).center())
    assert shown.isVisible()
    return shown


def click_row(shown: TablePart, qtbot: QtBot, text: str, right: int = 60) -> None:
    """Click a row that holds the text, so many pixels from its left end."""
    index = next(
        index
        for row in range(shown.model.rowCount())
        if text in str((index := shown.model.index(row, 0)).data()) or text in str(shown.model.index(row, 1).data())
    )
    shown.table.scrollTo(index)
    ground = shown.table.viewport()
    assert ground is not None
    place = shown.table.visualRect(index)
    QtBot.mouseClick(ground, LEFT, pos=QPoint(place.left() + right, place.center().y()))


def thought_through(panel: PluginPanel) -> str:
    """The kind of the change that is chosen; "" = none."""
    change = panel.instance.state.change
    return "" if change is None else str(change[0])


def test_a_change_is_thought_through_by_a_row_and_by_a_menu(panel: PluginPanel, qtbot: QtBot) -> None:
    """NEW-18: the estimate with its assumptions, the threads and waits it affects, and where they are."""
    canvas = panel.canvases["main"]
    click_row(front(panel, "what-if"), qtbot, "were split in two")
    assert thought_through(panel) == "split"
    qtbot.waitUntil(lambda: panel.tables["estimate"].model.rowCount() > 0)
    shown = front(panel, "estimate")
    texts = [[str(shown.model.index(row, at).data()) for at in (0, 1)] for row in range(shown.model.rowCount())]
    assert [kind for kind, _ in texts if kind in {"run", "assumes"}] == ["run", *["assumes"] * 4]
    assert any(kind == "wait" for kind, _ in texts)
    assert any("processors enough" in text for _, text in texts)
    canvas.picture()
    head = next(each for each in canvas.plot.layers if isinstance(each, Labels) and each.name == "estimate")
    assert head.text[0].startswith("Estimate, if ")
    QtBot.mouseMove(canvas.ground, QPoint(round(float(head.x[0])) - 20, round(float(head.y[0]))))
    qtbot.waitUntil(lambda: "processors enough" in canvas.tooltip_text)
    click_row(shown, qtbot, "wait")
    assert panel.instance.state.selected >= 0

    window = panel.window()
    assert isinstance(window, MainWindow)
    window.session.select([window.session.graph.root])
    window.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: thought_through(panel) == "")
    assert window.session.view.selected == (window.session.graph.root,)
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)  # nothing is left to end here
    assert not window.session.view.selected
    canvas.picture()
    assert not any(each.name == "estimate" for each in canvas.plot.layers)
    discs = next(each for each in canvas.plot.layers if each.name == "curves releases")
    assert isinstance(discs, Points)
    spot = QPoint(round(float(discs.x[-1])), round(float(discs.y[-1])))
    QtBot.mouseMove(canvas.ground, spot)
    asks = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, canvas.ground.mapToGlobal(spot))
    QApplication.sendEvent(canvas.ground, asks)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    first = menu.actions()[0]
    assert first.text().startswith("What if ")
    QtBot.mouseClick(menu, LEFT, pos=menu.actionGeometry(first).center())
    qtbot.waitUntil(lambda: thought_through(panel) == "wait")


def test_every_table_is_reached_and_its_numbers_fall_at_the_first_click(panel: PluginPanel, qtbot: QtBot) -> None:
    """ST-8: where tabs find no room, buttons that are seen lead to the others; users ask for the largest first."""
    window = panel.window()
    assert isinstance(window, MainWindow)
    window.resize(1280, 800)
    tabs = panel.tables["threads"].parentWidget()
    while not isinstance(tabs, QTabWidget):
        assert tabs is not None
        tabs = tabs.parentWidget()
    bar = tabs.tabBar()
    assert bar is not None
    last = tabs.count() - 1

    def clear(tab: int) -> bool:
        """Whether nothing covers a tab."""
        assert bar is not None
        place = bar.tabRect(tab)
        return bar.rect().contains(place) and not any(
            each.geometry().intersects(place) for each in buttons if each.isVisible()
        )

    buttons = [each for each in bar.findChildren(QToolButton) if each.arrowType() != Qt.ArrowType.NoArrow]
    onward = next(each for each in buttons if each.arrowType() == Qt.ArrowType.RightArrow)
    qtbot.waitUntil(onward.isVisible)
    assert not clear(last)
    assert onward.width() >= 18
    seen = onward.grab().toImage()
    shades = [
        seen.pixelColor(x, y).lightness() for x in range(4, seen.width() - 4) for y in range(8, seen.height() - 8)
    ]
    assert max(shades) - min(shades) > 100  # an arrow, not a trace of one
    for _ in range(last):
        if clear(last):
            break
        QtBot.mouseClick(onward, LEFT)
    assert clear(last)
    assert front(panel, "estimate").isVisible()

    shown = front(panel, "objects")
    head = shown.table.header()
    assert head is not None

    def clicked(column: int) -> list[int]:
        """The rows after a click on the head of a column."""
        assert head is not None
        shown.table.scrollTo(shown.model.index(0, column))
        place = QPoint(head.sectionViewportPosition(column) + 30, head.height() // 2)
        ground = head.viewport()
        assert ground is not None
        QtBot.mouseClick(ground, LEFT, pos=place)
        return [shown.model.row_at(shown.model.index(row, 0)) for row in range(shown.model.rowCount())]

    assert shown.shown is not None
    waits, names = shown.shown.columns[2].values, [str(each).casefold() for each in shown.shown.columns[0].values]
    assert len(set(waits)) > 2
    assert [waits[row] for row in clicked(2)] == sorted(waits, reverse=True)
    assert [waits[row] for row in clicked(2)] == sorted(waits)
    assert [names[row] for row in clicked(0)] == sorted(names)  # words from the first on


def test_a_tick_brings_a_hidden_thread_back(panel: PluginPanel, qtbot: QtBot) -> None:  # ST-6
    canvas = panel.canvases["main"]
    canvas.picture()
    names = next(each for each in canvas.plot.layers if isinstance(each, Labels) and each.name == "thread names")
    thread, text = int(names.item[2]), names.text[2]  # type: ignore[index] # they have items
    label = QPoint(round(float(names.x[2])), round(float(names.y[2])))
    QtBot.mouseDClick(canvas.ground, LEFT, pos=label)
    assert panel.instance.state.hidden == (thread,)
    shown = front(panel, "threads")
    index = next(index for row in range(shown.model.rowCount()) if (index := shown.model.index(row, 0)).data() == text)
    state = Qt.ItemDataRole.CheckStateRole
    assert index.data(state) == Qt.CheckState.Unchecked
    main = panel.instance.state.main
    click_row(shown, qtbot, text, right=9)  # on the box
    assert panel.instance.state.hidden == ()
    assert panel.instance.state.main == main  # the row itself was not chosen
    assert index.data(state) == Qt.CheckState.Checked
    canvas.picture()
    again = next(each for each in canvas.plot.layers if isinstance(each, Labels) and each.name == "thread names")
    assert set(again.text) == set(names.text)
    click_row(shown, qtbot, text, right=9)  # and the tick taken away hides it
    assert panel.instance.state.hidden == (thread,)
