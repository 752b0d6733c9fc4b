"""What differs among 100 runs at 10 to 16 processes, with real mouse and keys (CF-2 to CF-5).

The guide tells it under "What differs among 100 runs".
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
from cbvtool.plan.document import TraceFile
from cbvtool.session.traces.files import Imported
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from plugins.callflow.flows import BOX
from plugins.callflow.frame import PLANE
from plugins.callflow.preparing import FlowModel, model_in
from plugins.callflow.spreading import RUNS
from tests.gui.hand import Hand
from tests.gui.looking import look
from tests.gui.test_trace_stories import choose
from tests.plugin_views.many_runs import ODD, many_runs, processes_of

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("large")]


def model_of(panel: PluginPanel) -> FlowModel:
    found = model_in(panel.instance.context)
    assert found is not None
    return found


def spot(panel: PluginPanel, part: str, pane: str, x: float, y: float) -> QPoint:
    """Of a place of a pane, on the canvas of a part."""
    canvas = panel.canvases[part]
    canvas.picture()
    px, py = locate(canvas.plot.pane(pane), x, y)
    return QPoint(round(float(px)), round(float(py)))


def box_spot(panel: PluginPanel, name: str, share: float) -> QPoint:
    """In the box of a module, a share of its height below its upper border."""
    model = model_of(panel)
    row, layout = model.graph.name.index(name), model_of(panel).layout
    x, y = layout.layer[row] + BOX / 2, layout.top[row] + layout.size[row] * share
    return spot(panel, "main", PLANE, float(x), float(y))


def test_what_differs_among_a_hundred_runs(window: MainWindow, hand: Hand, qtbot) -> None:
    """CF-2 to CF-5: waiting is spread in three heaps; who they are, which run is alone, and what it does more."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    for number, profile in enumerate(many_runs()):
        file = TraceFile(Path(f"/nowhere/run{number + 1:03}.json"), "test", f"{number:064x}", 10, 20)
        window.session.traces.add(Imported(file, (), (profile,)))
    hand.wait_until(lambda: not window.jobs.running)
    choose(window, hand, "CallFlow")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel = dock.panel
    qtbot.waitUntil(lambda: panel.prepared and not window.jobs.running, timeout=120_000)
    hand.wait_until(window.isActiveWindow)
    model = model_of(panel)
    assert len(model.ensemble) == 100
    assert model.ensemble.names[ODD] == f"run{ODD + 1:03}"
    look(panel, "callflow-opened")

    def value(name: str) -> Any:
        return panel.instance.context.values[name]

    # Seen: the bins of MPI have three heaps; the topmost one is a single run, which the tooltip names.
    canvas = panel.canvases["main"]
    hand.point(canvas.ground, box_spot(panel, "mpi", 0.02))
    hand.wait_until(lambda: "here 1 run" in canvas.tooltip_text)
    assert f"run{ODD + 1:03}" in canvas.tooltip_text
    hand.point(canvas.ground, box_spot(panel, "mpi", 0.57))
    hand.wait_until(lambda: f"run{ODD + 1:03}" not in canvas.tooltip_text and "here" in canvas.tooltip_text)
    named = canvas.tooltip_text.rpartition(": ")[2].partition(" and ")[0].split(", ")
    assert {processes_of(int(name.removeprefix("run")) - 1) for name in named} == {16}
    # Selected: a click on the box; the histogram of its runs; a click there takes the odd one as the target.
    hand.click(canvas.ground, box_spot(panel, "mpi", 0.57))
    hand.wait_until(lambda: panel.instance.state.module == "mpi")
    tables = next(each for each in panel.findChildren(QTabWidget) if each.count() == 2)
    linked = next(each for each in panel.findChildren(QTabWidget) if each.count() == 5)
    linked.setCurrentIndex(HISTOGRAM)
    spread = panel.canvases["spread"]
    hand.wait_until(spread.isVisible)
    qtbot.waitUntil(lambda: panel.prepared, timeout=60_000)
    look(panel, "callflow-histogram")
    bins = int(value("bins"))
    hand.click(spread.ground, spot(panel, "spread", RUNS, bins - 0.9, 2.0))
    hand.wait_until(lambda: value("target") == ODD + 1)
    assert value("mode") == "target"
    look(panel, "callflow-target")
    # Explained: its call paths, those that take most first, and against the run before it.
    tables.setCurrentIndex(1)
    table = next(each for each in panel.findChildren(QAbstractItemView) if each.isVisible())
    rows = table.viewport()
    assert rows is not None
    hand.wait_until(lambda: 3 < table.model().rowCount() < 10)
    row = table.visualRect(table.model().index(0, 0)).center()
    hand.click(rows, row)
    hand.wait_until(lambda: panel.instance.state.site >= 0)
    site = panel.instance.state.site
    functions = model.ensemble.functions
    assert functions.name[int(model.ensemble.function[site])] == "mpi.Gather"
    most = np.nanargmax(model.ensemble.inclusive[:, site])
    assert most == ODD
    look(panel, "callflow-path")
    # By keys: the mode, the run before, and letting go.
    hand.click(canvas.ground, box_spot(panel, "io", 0.5))
    hand.wait_until(lambda: panel.instance.state.module == "io")
    hand.keys("m")
    hand.wait_until(lambda: value("mode") == "difference")
    look(panel, "callflow-difference")
    hand.keys("bracketleft")
    hand.wait_until(lambda: value("target") == ODD)
    hand.keys("0")
    hand.wait_until(lambda: not panel.instance.state.module)
    assert model_of(panel) is model  # none of this moved a box
