"""TraceVis with real mouse and keys: opened by its button, groups of threads, merged calls, shading at the pointer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QColor
from qtpy.QtWidgets import QCheckBox

from cbvtool.api import Bars, Labels, locate
from cbvtool.budget import Budget
from cbvtool.extensions import discover
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Trace
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.trace.handmade import imported

ROOT = Path(__file__).parents[2]
SMALL_CALLS = 5000

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("large")]


def workers_trace() -> Trace:
    """A main thread whose calls are narrower than a pixel, and three workers that do the same."""
    made = TraceBuilder("test", Budget("The trace"))
    main, small, work = (made.function(name) for name in ("main", "small", "work"))
    thread = made.thread(1, 1)
    made.name_thread(thread, "MainThread")
    made.begin(thread, main, 0)
    for number in range(SMALL_CALLS):
        made.span(thread, small, 100 + 200 * number, 250 + 200 * number)
    made.end(thread, 200 * SMALL_CALLS + 1000)
    for number in range(3):
        worker = made.thread(1, 2 + number)
        made.name_thread(worker, f"worker {number}")
        made.span(worker, work, 1000 * number, 400_000 + 1000 * number)
    return made.trace(made.build(), {})


def bars_of(canvas: PlotCanvas, name: str) -> Bars | None:
    canvas.picture()
    return next((each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == name), None)


def place_of(canvas: PlotCanvas, bars: Bars, number: int) -> QPoint:
    """The middle of a bar."""
    middle = (bars.x0[number] + bars.x1[number]) / 2, (bars.y0[number] + bars.y1[number]) / 2
    x, y = locate(canvas.plot.pane(bars.pane), *middle)
    return QPoint(round(float(x)), round(float(y)))


def texts(canvas: PlotCanvas, name: str) -> tuple[str, ...]:
    canvas.picture()
    return next((tuple(e.text) for e in canvas.plot.layers if isinstance(e, Labels) and e.name == name), ())


def light_at(canvas: PlotCanvas, place: QPoint) -> float:
    """How light the picture is at a place, 0..1."""
    image, ratio = canvas.image(), canvas.devicePixelRatioF()
    return float(QColor(image.pixel(round(place.x() * ratio), round(place.y() * ratio))).lightnessF())


def is_lightest(canvas: PlotCanvas, place: QPoint) -> bool:
    """Whether the picture is lighter there than at both sides."""
    beside = QPoint(3, 0)  # a line stands where the pointer is
    return light_at(canvas, place + beside) > max(light_at(canvas, place + QPoint(dx, 0)) for dx in (-200, 200))


def opened(window: MainWindow, hand: Hand) -> PluginPanel:
    """A trace is there; one click on the button of its panel opens the view."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    window.session.traces.add(imported(workers_trace(), "run.json"))
    window.desk.show(TracesPanel)
    button = window.desk.panel(TracesPanel).views.usual
    hand.wait_until(lambda: button.isVisible() and not button.visibleRegion().isEmpty())
    hand.wait_until(lambda: not window.jobs.running)
    hand.click(button, button.rect().center())
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    return dock.panel


def test_groups_of_threads_merged_calls_and_shading(window: MainWindow, hand: Hand, qtbot) -> None:
    """TV-3, TV-8, TV-9, in one window."""
    panel = opened(window, hand)
    qtbot.waitUntil(lambda: panel.prepared and not window.jobs.running, timeout=120_000)
    canvas = panel.canvases["activity"]
    hand.wait_until(lambda: window.canvas.stage.is_still)

    # TV-9: many calls are one striped bar, which says how many; the wheel tells them apart.
    bars = bars_of(canvas, "bars 0")
    assert bars is not None
    assert bars.merged is not None
    assert bars.merged.tolist() == [1, SMALL_CALLS]
    assert f"{SMALL_CALLS:,} calls" in texts(canvas, "plain labels 0")
    row = [light_at(canvas, place_of(canvas, bars, 1) + QPoint(dx, 5)) for dx in range(12)]
    assert max(row) - min(row) > 0.02
    spot = place_of(canvas, bars, 1)
    hand.wheel(canvas.ground, spot, 25)
    hand.wait_until(lambda: (now := bars_of(canvas, "bars 0")) is not None and bool((now.merged == 1).all()))
    hand.wheel(canvas.ground, spot, -30)
    hand.wait_until(lambda: (now := bars_of(canvas, "bars 0")) is not None and len(now.x0) == 2)

    # TV-8: the bar is lightest where the pointer is.
    bars = bars_of(canvas, "bars 0")
    assert bars is not None
    for share in (0.3, 0.6):
        spot = QPoint(round(share * canvas.ground.width()), place_of(canvas, bars, 0).y() + 4)
        hand.point(canvas.ground, spot)
        hand.wait_until(lambda: bars_of(canvas, "focus 0") is not None)
        hand.wait_until(partial(is_lightest, canvas, spot))

    # TV-3: equal threads stand together in the table; one stands for them where that is wanted.
    table = panel.tables["threads"].table
    model = table.model()
    names = [model.index(at, 0).data() for at in range(model.rowCount())]
    assert names[:2] == ["MainThread", "worker 0"]
    assert [name.strip() for name in names[2:]] == ["= worker 1", "= worker 2"]
    assert panel.parameters.more is not None
    hand.click(panel.parameters.more, panel.parameters.more.rect().center())
    box = panel.parameters.fields["alike"]
    assert isinstance(box, QCheckBox)
    hand.wait_until(box.isVisible)
    hand.click(box, QPoint(8, box.height() // 2))
    hand.wait_until(lambda: bool(panel.instance.values["alike"]))
    hand.keys("Escape")
    hand.wait_until(lambda: not box.isVisible())
    hand.wait_until(lambda: texts(canvas, "threads") == ("MainThread", "worker 0"))
    assert texts(canvas, "sizes")[1] == "1 calls, one of 3 alike"
    assert model.index(1, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    rect = table.visualRect(model.index(1, 0))
    ground = table.viewport()
    assert ground is not None
    hand.click(ground, QPoint(rect.left() + 10, rect.center().y()))
    hand.wait_until(lambda: window.session.traces.focus.threads == frozenset({0, 2, 3}))

    # The button of the panel leads back to the view that is open, and opens no second one.
    window.desk.show(TracesPanel)
    button = window.desk.panel(TracesPanel).views.usual
    [dock] = window.plugin_docks.docks.values()
    hand.wait_until(lambda: not dock.in_front)
    hand.click(button, button.rect().center())
    hand.wait_until(lambda: dock.in_front)
    assert len(window.plugin_docks.docks) == 1
