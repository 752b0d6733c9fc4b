"""TraceVis in the window, with real events: hovering, zooming, clicking and walking, told to the other views."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QWheelEvent
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


def middle(canvas: PlotCanvas, call: int) -> QPoint:
    """The middle of the bar of a call."""
    bars = bars_of(canvas)
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
        QPointF(place), spot, QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
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
