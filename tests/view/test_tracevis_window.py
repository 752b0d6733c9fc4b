"""TraceVis in the window, with real events: hovering, zooming, clicking and walking, told to the other views."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.api import Bars, locate
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.window.main_window import MainWindow
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run
from tests.view.test_plugin_views import offered, opened

pytestmark = pytest.mark.usefixtures("large")


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> PluginPanel:
    """TraceVis, open on the run of the sample project."""
    window.session.traces.add(imported(shop_run(window.session.graph), "run.json"))
    traces = window.session.traces
    qtbot.waitUntil(lambda: traces.found is not None and not traces.is_wanted)
    offered(window)
    panel = opened(window, "tracevis")
    qtbot.waitUntil(lambda: not window.jobs.running)
    return panel


def bars_of(canvas: PlotCanvas, name: str = "bars 0") -> Bars | None:
    canvas.picture()
    return next((each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == name), None)


def middle(canvas: PlotCanvas, call: int, name: str = "bars 0") -> QPoint:
    """The middle of the bar of a call."""
    bars = bars_of(canvas, name)
    assert bars is not None
    assert bars.item is not None
    [at] = [row for row, item in enumerate(bars.item.tolist()) if item == call][:1]
    x, y = (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2
    px, py = locate(canvas.plot.pane(bars.pane), x, y)
    return QPoint(round(float(px)), round(float(py)))


def test_the_pointer_brushes_and_draws_no_heavy_layer(panel: PluginPanel, qtbot: QtBot) -> None:
    """TV-6, TV-8: what is below the pointer stands out; the bars of all calls turn pale once."""
    canvas = panel.canvases["activity"]
    place = middle(canvas, 0)
    QtBot.mouseMove(canvas.ground, place)
    qtbot.waitUntil(lambda: bars_of(canvas, "focus 0") is not None)
    focus = bars_of(canvas, "focus 0")
    assert focus is not None
    assert focus.shade is not None
    pale = bars_of(canvas)
    QtBot.mouseMove(canvas.ground, place + QPoint(7, 0))
    qtbot.waitUntil(lambda: bars_of(canvas, "focus 0") is not focus)
    assert bars_of(canvas) is pale


def test_the_wheel_zooms_about_the_pointer_and_tells_the_others(panel: PluginPanel, qtbot: QtBot) -> None:
    """TV-1, TV-5: the moment under the pointer stays where it is; the window of the other views is the same."""
    canvas = panel.canvases["activity"]
    traces = panel.window().session.traces
    place = middle(canvas, 0) + QPoint(40, 0)
    before = canvas.plot.pane("thread 0")
    share = (place.x() - 0.0) / canvas.ground.width()
    moment = before.x[0] + share * (before.x[1] - before.x[0])
    spot = QPointF(canvas.ground.mapToGlobal(place))
    wheel = QWheelEvent(
        QPointF(place),
        spot,
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.ground, wheel)
    qtbot.waitUntil(lambda: traces.focus.window is not None)
    canvas.picture()
    after = canvas.plot.pane("thread 0")
    assert after.x[1] - after.x[0] < 0.8 * (before.x[1] - before.x[0])
    assert after.x[0] + share * (after.x[1] - after.x[0]) == pytest.approx(moment, abs=(after.x[1] - after.x[0]) / 200)
    assert panel.instance.context.focus.window == traces.focus.window


def test_a_click_selects_and_arrow_keys_walk(panel: PluginPanel) -> None:
    """A call, its function and its node are selected everywhere; Down leads to a callee, Up back."""
    canvas = panel.canvases["activity"]
    session = panel.window().session
    calls = panel.instance.context.trace().calls
    caller = next(row for row in range(len(calls)) if calls.end_row[row] > row + 1)
    QtBot.mouseClick(canvas.ground, Qt.MouseButton.LeftButton, pos=middle(canvas, caller))
    assert session.traces.focus.calls == (caller,)
    assert session.view.selected == panel.instance.context.nodes(int(calls.function[caller]))
    canvas.ground.setFocus()
    QtBot.keyClick(canvas.ground, Qt.Key.Key_Down)
    callee = panel.instance.state.selected
    assert calls.depth[callee] == calls.depth[caller] + 1
    assert caller < callee < calls.end_row[caller]
    assert session.traces.focus.calls == (callee,)
    QtBot.keyClick(canvas.ground, Qt.Key.Key_Up)
    assert panel.instance.state.selected == caller


def test_one_key_merges_the_calls_of_what_was_clicked(panel: PluginPanel, qtbot: QtBot) -> None:
    """The merged icicle of a call; the wheel zooms in it; the same key leads back to time."""
    canvas = panel.canvases["activity"]
    calls = panel.instance.context.trace().calls
    caller = next(row for row in range(len(calls)) if calls.end_row[row] > row + 1)
    QtBot.mouseClick(canvas.ground, Qt.MouseButton.LeftButton, pos=middle(canvas, caller))
    QtBot.keyClick(canvas.ground, Qt.Key.Key_I)
    qtbot.waitUntil(lambda: bars_of(canvas, "merged") is not None)
    found = panel.instance.needs.found["merged"]
    assert found.width == calls.end[caller] - calls.start[caller]
    functions = panel.tables["functions"].shown
    assert functions is not None
    assert len(functions.item) == len(set(calls.function[caller : calls.end_row[caller]].tolist()))
    QtBot.mouseMove(canvas.ground, middle(canvas, 0, "merged"))
    QtBot.keyClick(canvas.ground, Qt.Key.Key_Plus)
    qtbot.waitUntil(lambda: panel.instance.state.merged_x is not None)
    QtBot.keyClick(canvas.ground, Qt.Key.Key_I)
    qtbot.waitUntil(lambda: bars_of(canvas) is not None)


def test_a_drag_on_the_ruler_measures_a_range(panel: PluginPanel) -> None:
    """The table is about it; a click on empty ground ends it; ESC gives back what was before."""
    canvas = panel.canvases["activity"]
    canvas.picture()
    start, wide = QPoint(40, 10), canvas.ground.width() // 2

    def pull() -> None:
        QtBot.mousePress(canvas.ground, Qt.MouseButton.LeftButton, pos=start)
        for step in (10, wide // 2, wide):
            move = QMouseEvent(
                QMouseEvent.Type.MouseMove,
                QPointF(start + QPoint(step, 0)),
                Qt.MouseButton.NoButton,
                Qt.MouseButton.LeftButton,
                Qt.KeyboardModifier.NoModifier,
            )
            QApplication.sendEvent(canvas.ground, move)

    pull()
    QtBot.mouseRelease(canvas.ground, Qt.MouseButton.LeftButton, pos=start + QPoint(wide, 0))
    kept = panel.instance.state.about_range
    pane = canvas.plot.pane("ruler")
    share = (pane.x[1] - pane.x[0]) * wide / canvas.ground.width()
    assert kept[1] - kept[0] == pytest.approx(share, rel=0.02)
    pull()
    QtBot.keyClick(canvas.ground, Qt.Key.Key_Escape)
    QtBot.mouseRelease(canvas.ground, Qt.MouseButton.LeftButton, pos=start)
    assert panel.instance.state.about_range == kept


def test_folding_threads_and_search_by_keys_and_mouse(panel: PluginPanel, qtbot: QtBot) -> None:
    """TV-7: a drag up folds a level each step. TV-3: h hides the thread under the pointer, H shows it again."""
    canvas = panel.canvases["activity"]
    place = middle(canvas, 0)
    QtBot.mousePress(canvas.ground, Qt.MouseButton.LeftButton, pos=place)
    for step in (6, 20, 40):
        move = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            QPointF(place - QPoint(0, step)),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(canvas.ground, move)
    QtBot.mouseRelease(canvas.ground, Qt.MouseButton.LeftButton, pos=place - QPoint(0, 40))
    assert panel.instance.state.upper == 2
    QtBot.mouseMove(canvas.ground, middle(canvas, 0) + QPoint(3, 0))
    qtbot.waitUntil(lambda: panel.instance.state.hover is not None)
    thread = panel.instance.state.hover[0]
    QtBot.keyClick(canvas.ground, Qt.Key.Key_H)
    canvas.picture()
    assert panel.instance.state.hidden == (thread,)
    assert f"thread {thread}" not in {pane.name for pane in canvas.plot.panes}
    QtBot.keyClick(canvas.ground, Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    canvas.picture()
    assert f"thread {thread}" in {pane.name for pane in canvas.plot.panes}


def test_an_overview_moves_the_window_of_all(panel: PluginPanel, qtbot: QtBot) -> None:
    """TV-2, TV-5: a drag across the overview is the window of the activity view and of the other views."""
    overview, session = panel.canvases["structure"], panel.window().session
    overview.picture()
    wide, y = overview.ground.width(), overview.ground.height() // 2
    QtBot.mousePress(overview.ground, Qt.MouseButton.LeftButton, pos=QPoint(wide // 4, y))
    for x in (wide // 4 + 8, wide // 3, wide // 2):
        move = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            QPointF(x, y),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(overview.ground, move)
    QtBot.mouseRelease(overview.ground, Qt.MouseButton.LeftButton, pos=QPoint(wide // 2, y))
    trace = panel.instance.context.trace()
    long = trace.span[1] - trace.span[0]
    low, high = session.traces.focus.window
    assert (low - trace.span[0]) / long == pytest.approx(0.25, abs=0.01)
    assert (high - trace.span[0]) / long == pytest.approx(0.5, abs=0.01)
    canvas = panel.canvases["activity"]
    qtbot.waitUntil(lambda: canvas.picture() is not None and canvas.plot.panes[0].x[0] > 0.2 * long)


def test_compaction_by_its_slider_holds_the_window(panel: PluginPanel, qtbot: QtBot) -> None:
    """TV-4: another theta warps the axis on a worker, and both ends of the window stay."""
    canvas = panel.canvases["activity"]
    canvas.picture()
    trace = panel.instance.context.trace()
    panel.parameters.chosen.emit("theta", 100.0)
    qtbot.waitUntil(lambda: panel.instance.needs.found.get("warp") is not None)
    qtbot.waitUntil(lambda: not panel.window().jobs.running)
    canvas.picture()
    warp = panel.instance.needs.found["warp"]
    assert canvas.plot.panes[0].x == pytest.approx((0.0, float(warp.forward(float(trace.span[1] - trace.span[0])))))
