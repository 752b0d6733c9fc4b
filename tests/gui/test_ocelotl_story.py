"""Two of 64 processes are slow for a while: seen, zoomed into, explained, with real mouse and keys (OC-2 to OC-6).

The guide tells it under "Where in time and on which resources".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QAbstractItemView, QTabWidget

from cbvtool.api import locate
from cbvtool.extensions import discover
from cbvtool.trace.model.trace import Trace
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from plugins.ocelotl.frame import PLANE
from plugins.ocelotl.preparing import Model, model_in
from tests.gui.hand import Hand
from tests.gui.looking import look
from tests.gui.test_trace_stories import choose
from tests.trace.handmade import imported
from tests.trace.resources.runs import MS, Planted, free_run

ROOT = Path(__file__).parents[2]
SLOW = Planted((21, 22), 400 * MS, 600 * MS)  # two neighbours on the third of eight machines

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("large")]


def run() -> Trace:
    """64 processes on 8 machines: init, then 100 steps of compute, send and wait."""
    return free_run(np.random.default_rng(4), 64, 100, 0.05, SLOW, "wait")


def model_of(panel: PluginPanel) -> Model:
    found = model_in(panel.instance.context)
    assert found is not None
    return found


def spot(panel: PluginPanel, time: float, leaf: float) -> QPoint:
    """Of a time since the begin and a resource, in the picture."""
    canvas = panel.canvases["main"]
    canvas.picture()
    x, y = locate(canvas.plot.pane(PLANE), time, leaf)
    return QPoint(round(float(x)), round(float(y)))


def test_two_slow_processes_are_seen_zoomed_into_and_explained(window: MainWindow, hand: Hand, qtbot) -> None:
    """OC-2 to OC-6: one area differs; a double click looks into it, a row of the findings names who and how long."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    window.session.traces.add(imported(run(), "run.paje"))
    hand.wait_until(lambda: not window.jobs.running)
    choose(window, hand, "Ocelotl")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel = dock.panel

    def ready() -> bool:
        return panel.prepared and not window.jobs.running and model_of(panel).every is not None

    qtbot.waitUntil(ready, timeout=120_000)
    hand.wait_until(window.isActiveWindow)
    look(panel, "ocelotl-opened")

    def state() -> Any:
        return panel.instance.state

    # Seen: what lies under the pointer is an area of these two and this time alone.
    canvas = panel.canvases["main"]
    middle = spot(panel, 500 * MS, 22.0)
    hand.point(canvas.ground, middle)
    hand.wait_until(lambda: "rank 21" in canvas.tooltip_text or "rank 22" in canvas.tooltip_text)
    assert "wait" in canvas.tooltip_text.split("compute")[0]  # what most of the time goes to stands first
    look(panel, "ocelotl-pointed")
    # Explained: the first findings are these two, for this time.
    found = model_of(panel).findings
    assert found is not None
    tree, edges = model_of(panel).cells.tree, model_of(panel).cells.edges
    assert {tree.name[each.row] for each in found[:2]} == {"rank 21", "rank 22"}
    for each in found[:2]:
        assert abs(int(edges[each.first]) - SLOW.first) <= 20 * MS
        assert abs(int(edges[each.last + 1]) - SLOW.last) <= 20 * MS
    # Zoomed: a double click looks into the area, with slices of its own; B is back.
    hand.click(canvas.ground, middle, twice=True)
    hand.wait_until(lambda: state().look.window is not None)
    low, high = state().look.window
    assert high - low < 400 * MS
    qtbot.waitUntil(lambda: model_of(panel).cells.window == (low, high), timeout=120_000)
    look(panel, "ocelotl-zoomed")
    hand.keys("b")
    hand.wait_until(lambda: state().look.window is None and not state().look.resource)
    qtbot.waitUntil(ready, timeout=120_000)
    # The list of partitions, step by step, and back to the first picture.
    before = panel.instance.context.values["step"]
    hand.keys("bracketright")
    hand.wait_until(lambda: panel.instance.context.values["step"] != before)
    hand.keys("0")
    hand.wait_until(lambda: panel.instance.context.values["step"] == 0)
    # A row of the findings looks there.
    tabs = next(each for each in panel.findChildren(QTabWidget) if each.count() == 4)
    assert tabs.tabText(0) == "Findings"
    table = next(each for each in panel.findChildren(QAbstractItemView) if each.isVisible())
    hand.wait_until(lambda: table.model().rowCount() >= 2)
    look(panel, "ocelotl-findings")
    row = table.visualRect(table.model().index(0, 0)).center()
    area = table.viewport()
    assert area is not None
    hand.click(area, row, twice=True)
    hand.wait_until(lambda: state().look.window is not None)
    low, high = state().look.window
    assert low <= SLOW.first + 20 * MS
    assert high >= SLOW.last - 20 * MS
    hand.wait_until(lambda: window.session.traces.focus.window == (low, high))  # the other views follow
