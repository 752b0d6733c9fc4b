"""The six stories of the guide, found in a recording of the mill with real mouse and keys (ST-4, ST-6 to ST-8)."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QMessageBox, QTabWidget

from cbvtool.api import Areas, Bars, locate
from cbvtool.extensions import discover
from cbvtool.session import Session
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.gui.test_trace_stories import choose

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
MILL = ROOT / "sample_projects" / "mill"


def click_row(panel: PluginPanel, hand: Hand, part: str, *texts: str) -> None:
    """Bring a table to the front by its tab, and click the first row that holds these texts."""
    shown = panel.tables[part]
    tabs = shown.parentWidget()
    while tabs is not None and not isinstance(tabs, QTabWidget):
        tabs = tabs.parentWidget()
    assert isinstance(tabs, QTabWidget)
    bar = tabs.tabBar()
    assert bar is not None
    if tabs.currentWidget() is not shown:
        hand.click(bar, bar.tabRect(tabs.indexOf(shown)).center())
        hand.wait_until(shown.isVisible)
    model = shown.table.model()
    assert model is not None
    rows = [[str(model.index(row, at).data()) for at in range(model.columnCount())] for row in range(model.rowCount())]
    found = next(row for row, cells in enumerate(rows) if all(any(text in cell for cell in cells) for text in texts))
    index = model.index(found, 0)
    shown.table.scrollTo(index)
    place = shown.table.visualRect(index).center()
    ground = shown.table.viewport()
    assert ground is not None
    hand.click(ground, QPoint(60, place.y()))


def is_main(panel: PluginPanel, name: str) -> bool:
    """Whether a thread is the straight one."""
    state, trace = panel.instance.state, panel.instance.context.trace()
    return state.main >= 0 and trace.threads.name[state.main] == name


def main_bars(panel: PluginPanel, function: str) -> list[tuple[QPoint, int]]:
    """(middle, row) of the bars of a function in the straight view, from left to right."""
    canvas, trace = panel.canvases["main"], panel.instance.context.trace()
    canvas.picture()
    plot = canvas.plot
    bars = next(each for each in plot.layers if isinstance(each, Bars) and each.name.startswith("bars main"))
    assert bars.item is not None
    found = []
    for at, row in enumerate(bars.item.tolist()):
        if trace.functions.name[trace.calls.function[row]] == function:
            pane = plot.pane(bars.pane)
            low, high = max(float(bars.x0[at]), pane.x[0]), min(float(bars.x1[at]), pane.x[1])
            x, y = locate(pane, (low + high) / 2, (bars.y0[at] + bars.y1[at]) / 2)
            found.append((QPoint(round(float(x)), round(float(y))), row))
    return sorted(found, key=lambda pair: pair[0].x())


def told(panel: PluginPanel, hand: Hand, place: QPoint, text: str) -> str:
    """The tooltip at a place, which holds the text."""
    canvas = panel.canvases["main"]
    hand.point(canvas.ground, place)
    hand.wait_until(lambda: text in canvas.tooltip_text)
    return str(canvas.tooltip_text)


def test_six_stories_of_a_mill(
    hand: Hand, qtbot, settings: Settings, tmp_path: Path, monkeypatch, large: None
) -> None:  # ST-8
    run = tmp_path / "run"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(run), "--"]
    subprocess.run([*record, sys.executable, "-B", "-m", "mill"], cwd=MILL, check=True, capture_output=True)
    window = MainWindow(Session(), settings)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    qtbot.addWidget(window)
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    window.resize(1700, 1130)
    window.show()
    hand.wait_until(window.isActiveWindow)
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.documents.opener.open(MILL)
    traces = window.session.traces
    window.tracing.open_file(run)
    hand.wait_until(lambda: traces.current is not None and not traces.is_wanted)
    choose(window, hand, "SyncTrace")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel: PluginPanel = dock.panel
    qtbot.waitUntil(lambda: panel.prepared and not window.jobs.running, timeout=120_000)
    hand.wait_until(window.isActiveWindow)
    canvas, trace = panel.canvases["main"], panel.instance.context.trace()

    # A farmer and his workers: what he brings ends the waits of the millers.
    click_row(panel, hand, "threads", "farmer")
    hand.wait_until(partial(is_main, panel, "farmer"))
    assert len(main_bars(panel, "drive")) > 5
    click_row(panel, hand, "totals", "miller 2", "farmer")
    hand.wait_until(partial(is_main, panel, "miller 2"))
    assert panel.instance.state.wait >= 0  # its curve stands out

    # The monitor that never wakes: the longest wait, which never ends.
    click_row(panel, hand, "waits", "monitor", "never")
    hand.wait_until(partial(is_main, panel, "monitor"))
    [(place, row)] = main_bars(panel, "Condition.wait")
    assert row in trace.open_rows
    assert "never released" in told(panel, hand, place, "event watch.py:")

    # The idle compressor: a short call now and then.
    click_row(panel, hand, "threads", "compressor")
    hand.wait_until(partial(is_main, panel, "compressor"))
    idle = [row for _, row in main_bars(panel, "Compressor.run")]
    assert len(idle) == 1
    assert "waits" in told(panel, hand, main_bars(panel, "Compressor.run")[0][0], "Compressor.run")

    # The slow call among fast ones of its function: the tooltip says how long it usually takes, and who held it up.
    click_row(panel, hand, "waits", "Scales.weigh", "inspector")
    hand.wait_until(lambda: any(is_main(panel, f"miller {number}") for number in (1, 2, 3)))
    slow = panel.instance.state.selected
    place = next(place for place, row in main_bars(panel, "Scales.weigh") if row == slow)
    text = told(panel, hand, place, "usually")
    assert "lock scales.py:" in text
    assert "inspector" in text

    # Polling whose period changes: all time again, and narrow bars become wide ones.
    empty = QPoint(12, canvas.ground.height() - 60)  # keys are for what was clicked last
    hand.click(canvas.ground, empty)
    hand.wait_until(lambda: panel.instance.state.selected < 0)
    hand.keys("shift+a")
    main = panel.instance.state.main
    hand.wait_until(lambda: all(high - low >= trace.length for _, low, high in panel.instance.state.windows))
    assert panel.instance.state.main == main
    click_row(panel, hand, "threads", "vane")
    hand.wait_until(partial(is_main, panel, "vane"))
    pauses = sorted(
        int(trace.calls.end[row] - trace.calls.start[row])
        for row in range(len(trace.calls))
        if trace.functions.name[trace.calls.function[row]] == "pause" and row not in trace.open_rows
    )
    wide = {row for _, row in main_bars(panel, "pause")}
    assert wide
    assert pauses[-2] > 2.5 * pauses[len(pauses) // 4]

    # No shared objects: by object, the curves of the ovens are grey, those of the carts are not.
    hand.click(canvas.ground, empty)
    hand.keys("o")
    hand.wait_until(lambda: panel.instance.values["color"] == "object")
    canvas.picture()
    curves = next(each for each in canvas.plot.layers if isinstance(each, Areas) and each.name == "curves")
    pairs = panel.instance.context.found["waits"].pairs
    colors: dict[str, set[bool]] = {}
    for color, item in zip(np.asarray(curves.color)[:, :3].tolist(), np.asarray(curves.item).tolist(), strict=True):
        if pairs.wait[item] >= 0 and pairs.object[item] >= 0:
            thing = int(trace.table("objects")["name"][pairs.object[item]])
            colors.setdefault(trace.strings[thing].partition(":")[0], set()).add(max(color) - min(color) < 40)
    assert colors["bakery.py"] == {True}
    assert colors["gate.py"] == {False}
