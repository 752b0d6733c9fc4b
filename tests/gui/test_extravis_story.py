"""Three repetitions found in a session of the sample shop, with real mouse and keys (EX-2, EX-4, EX-5).

The guide tells it under "What repeats in this session?".
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QAbstractItemView, QMessageBox

from cbvtool.api import Trace, locate
from cbvtool.extensions import discover
from cbvtool.session import Session
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from plugins.extravis.scene import Scene, part_in, scene_in
from plugins.extravis.sequence import ROWS
from tests.gui.hand import Hand
from tests.gui.looking import look
from tests.gui.test_trace_stories import choose

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
VISITS = (
    "list",
    "buy tea 2 biscuits 1",
    "report",
    "list",
    "buy tea 1 biscuits 3 --coupon WELCOME",
    "list",
    "list",
    "buy biscuits 2 tea 4 --coupon WELCOME",
    "report",
)
PROGRAM = f"from shop.ui.cli import main\nfor words in {VISITS!r}: main(words.split())"


def record(folder: Path) -> Path:
    """A session of a customer, recorded in a copy of the shop, which writes into its own folder."""
    shop = folder / "shop"
    shutil.copytree(ROOT / "sample_projects" / "shop", shop, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(folder / "run"), "--"]
    subprocess.run([*command, sys.executable, "-B", "-c", PROGRAM], cwd=shop, check=True, capture_output=True)
    return shop


@pytest.fixture
def panel(hand: Hand, qtbot, settings: Settings, tmp_path: Path, monkeypatch, large: None) -> PluginPanel:
    """ExtraVis, opened by the menu over the code of the shop."""
    shop = record(tmp_path)
    window = MainWindow(Session(), settings)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    qtbot.addWidget(window)
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    window.resize(1700, 1130)
    window.show()
    hand.wait_until(window.isActiveWindow)
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.documents.opener.open(shop)
    traces = window.session.traces
    window.tracing.open_file(tmp_path / "run")
    hand.wait_until(lambda: traces.current is not None and not traces.is_wanted)
    choose(window, hand, "ExtraVis")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    qtbot.waitUntil(lambda: dock.panel.prepared and not window.jobs.running, timeout=120_000)
    hand.wait_until(window.isActiveWindow)
    hand.wait_until(lambda: window.canvas.stage.is_still)
    return dock.panel


def scene_of(panel: PluginPanel) -> Scene:
    found = scene_in(panel.instance.context, panel.instance.state)
    assert found is not None
    return found


def part(panel: PluginPanel) -> tuple[int, int]:
    return part_in(panel.instance.context, panel.instance.state, scene_of(panel))


def called_in(panel: PluginPanel, rows: tuple[int, int]) -> list[str]:
    """Names of the functions that these rows call."""
    prepared = scene_of(panel).columns.prepared[0]
    trace: Trace = prepared.trace
    return [trace.functions.name[prepared.functions(place)[1]] for place in range(*rows)]


def visits(panel: PluginPanel) -> list[tuple[int, int]]:
    """The rows of each order: from `buy_items` to its last call."""
    prepared = scene_of(panel).columns.prepared[0]
    rows = []
    for place in range(len(prepared.sequence)):
        _, callee = prepared.functions(place)
        if prepared.trace.functions.name[callee] == "buy_items":
            call = int(prepared.sequence.row[place])
            inside = prepared.trace if prepared.own is None else prepared.own.trace
            last = int(np.searchsorted(prepared.sequence.row, int(inside.calls.end_row[call])))
            rows.append((place, last))
    return rows


def spot(canvas: PlotCanvas, row: float) -> QPoint:
    """A place at a row."""
    canvas.picture()
    x, y = locate(canvas.plot.pane(ROWS), canvas.plot.pane(ROWS).x[0] + 40.0, row)
    return QPoint(round(float(x)), round(float(y)))


def test_three_orders_are_found_by_marking_one(panel: PluginPanel, hand: Hand, qtbot) -> None:
    """EX-2, EX-4, EX-5: drag over the first order, press M; the others are found, and a row of the table goes there."""
    canvas = panel.canvases["sequence"]
    orders = visits(panel)
    assert len(orders) == 3
    first = orders[0]
    look(panel, "opened")
    hand.point(canvas.ground, spot(canvas, first[0] + 0.2))
    hand.press()
    for _ in hand.glide(canvas.ground, spot(canvas, first[0] + 0.2), spot(canvas, first[1] - 0.2), steps=4):
        pass
    hand.release()
    hand.wait_until(lambda: panel.instance.state.part is not None and not panel.instance.state.dragging)
    low, high = part(panel)
    assert abs(low - first[0]) <= 1
    assert abs(high - first[1]) <= 1
    assert "place_order" in called_in(panel, (low, high))
    window = panel.window()
    traces = window.session.traces
    hand.wait_until(lambda: traces.focus.window is not None)  # the picture of the code shows the same window
    text = next(each for each in panel.canvases["bundle"].plot.layers if each.name == "bundle legend").text[0]
    assert text.startswith(f"{high - low:,} calls of ")

    hand.keys("m")
    hand.wait_until(lambda: panel.instance.state.mark == (low, high))
    qtbot.waitUntil(lambda: panel.instance.context.found.get("similar") is not None and not window.jobs.running)
    similar = panel.instance.context.found["similar"].found
    assert len(similar) == 3
    for begin, end, (from_row, to_row) in zip(similar.low.tolist(), similar.high.tolist(), orders, strict=True):
        assert abs(begin - from_row) <= 12
        assert abs(end - to_row) <= 12
    assert similar.similarity.min() > 0.75
    look(panel, "found")

    hand.point(canvas.ground, spot(canvas, low + 1.0))
    hand.keys("n")
    hand.wait_until(lambda: part(panel)[0] == similar.low[1])
    table = panel.findChildren(QAbstractItemView)
    assert table  # the parts are listed as well
    hand.keys("n")
    hand.wait_until(lambda: part(panel)[0] == similar.low[2])
    assert "place_order" in called_in(panel, part(panel))
    look(panel, "third")
