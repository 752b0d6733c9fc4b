"""SyncTrace in the window, with real events: zooming one thread, hiding it, moving the splitter, pointing at a wait."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.api import Areas, Bars, Labels, SectorShape
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from tests.trace.handmade import imported
from tests.trace.waits.schedules import schedule
from tests.view.test_plugin_views import offered, opened

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
