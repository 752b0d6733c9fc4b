"""What differs among many runs, with real mouse and keys (CF-2 to CF-5, CF-7).

The guide tells both stories under "What differs among 100 runs".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QAbstractItemView, QApplication, QMenu, QTabWidget

from cbvtool.api import Profile, locate
from cbvtool.plan.document import TraceFile
from cbvtool.session.traces.files import Imported
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from plugins.callflow.spreading import RUNS
from tests.gui.callflow_hand import box_spot, model_of, opened, spot
from tests.gui.hand import Hand
from tests.gui.looking import look
from tests.plugin_views.many_runs import ODD, many_runs, processes_of
from tests.plugin_views.stream_runs import SLOW, slow_runs, stream_of, stream_runs

INSIDE, BOXES, HISTOGRAM, SCATTER, MAP, PARAMETERS = range(6)  # tabs of the linked views

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("large")]


def opened_on(window: MainWindow, hand: Hand, qtbot: Any, profiles: list[Profile]) -> PluginPanel:
    """The view on these runs, ready."""

    def add() -> None:
        for number, profile in enumerate(profiles):
            file = TraceFile(Path(f"/nowhere/run{number + 1:03}.json"), "test", f"{number:064x}", 10, 20)
            window.session.traces.add(Imported(file, (), (profile,)))

    return opened(window, hand, qtbot, add)


def tabs_with(panel: PluginPanel, title: str) -> QTabWidget:
    """The tabs one of which is called so."""
    found = panel.findChildren(QTabWidget)
    return next(each for each in found if title in {each.tabText(at) for at in range(each.count())})


def show(panel: PluginPanel, hand: Hand, tab: int, part: str) -> None:
    """Show one of the linked views."""
    linked = tabs_with(panel, "Map of runs")
    linked.setCurrentIndex(tab)
    hand.wait_until(panel.canvases[part].isVisible)
    panel.canvases[part].picture()


def test_what_differs_among_a_hundred_runs(window: MainWindow, hand: Hand, qtbot) -> None:
    """CF-2 to CF-5: waiting is spread in three heaps; who they are, which run is alone, and what it does more."""
    panel = opened_on(window, hand, qtbot, many_runs())
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
    tables = tabs_with(panel, "Call paths")
    show(panel, hand, HISTOGRAM, "spread")
    spread = panel.canvases["spread"]
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


def upper_bin(panel: PluginPanel, hand: Hand, name: str) -> list[str]:
    """The runs that the tooltip names at the top of a box."""
    canvas = panel.canvases["main"]
    hand.point(canvas.ground, box_spot(panel, name, 0.02))
    hand.wait_until(lambda: canvas.tooltip_text.startswith(name) and "here" in canvas.tooltip_text)
    return canvas.tooltip_text.rpartition(": ")[2].split(", ")


def draw_to(panel: PluginPanel, hand: Hand, corner: QPoint) -> None:
    """Go on with a line on the map, until the view has seen it there."""
    hand.point(panel.canvases["map"].ground, corner)
    hand.wait_until(lambda: panel.instance.state.lasso.points[-2:] == (corner.x(), corner.y()))


def test_look_ups_of_a_library_that_calls_itself(window: MainWindow, hand: Hand, qtbot) -> None:
    """CF-3, CF-4, CF-7: two modules have two heaps of runs, which are one data stream; split, each shows its get_*."""
    panel = opened_on(window, hand, qtbot, stream_runs())
    canvas = panel.canvases["main"]
    look(panel, "callflow-streams")
    # Seen: both modules are in two heaps, and the upper one is one stream.
    parameters = model_of(panel).ensemble.parameters
    for name in ("amtree", "octree"):
        named = upper_bin(panel, hand, name)
        assert {parameters[int(each.removeprefix("run")) - 1]["stream"] for each in named} == {SLOW}
    # Selected: a line round the heap on the map takes all runs of that stream, and no other.
    show(panel, hand, MAP, "map")
    around = panel.canvases["map"]
    qtbot.waitUntil(lambda: "map" in panel.instance.context.found and not window.jobs.running, timeout=60_000)
    around.picture()
    hand.wait_until(lambda: any(each.name == "places" for each in around.plot.layers))
    places = next(each for each in around.plot.layers if each.name == "places")
    x, y = locate(around.plot.pane("places"), places.x, places.y)
    own = np.array([stream_of(run) == SLOW for run in places.item.tolist()])
    corners = [
        QPoint(round(float(each_x)), round(float(each_y)))
        for each_x, each_y in (
            (x[own].min() - 8, y[own].min() - 8),
            (x[own].max() + 8, y[own].min() - 8),
            (x[own].max() + 8, y[own].max() + 8),
            (x[own].min() - 8, y[own].max() + 8),
        )
    ]
    hand.point(around.ground, corners[0])
    hand.press()
    for corner in corners[1:]:
        draw_to(panel, hand, corner)
    look(panel, "callflow-lasso")
    hand.release()
    hand.wait_until(lambda: panel.instance.state.runs == slow_runs())
    # Split: by the menu of the box, then by a key.
    hand.click(canvas.ground, box_spot(panel, "amtree", 0.5), "right")
    hand.wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    hand.keys("Down", "Down", "Down", "Return")
    hand.wait_until(lambda: "amtree › amtree.get_node" in model_of(panel).graph.name)
    hand.wait_until(lambda: not window.jobs.running)
    hand.click(canvas.ground, box_spot(panel, "octree", 0.5))
    hand.wait_until(lambda: panel.instance.state.module == "octree")
    hand.keys("d")
    hand.wait_until(lambda: "octree › octree.get_cell" in model_of(panel).graph.name)
    hand.wait_until(lambda: not window.jobs.running)
    assert [each.module for each in panel.instance.state.splits] == ["amtree", "octree"]
    graph = model_of(panel).graph
    slow = np.isin(np.arange(18), slow_runs())
    for name, is_slow in (("amtree", False), ("octree", False), ("amtree › amtree.get_node", True)):
        own_times = graph.exclusive[:, graph.name.index(name)]
        assert (np.median(own_times[slow]) > 3 * np.median(own_times[~slow])) == is_slow
    look(panel, "callflow-split")
    # Found: put together again, the calls inside of the module lead to the call site and its way there.
    hand.keys("U")
    hand.wait_until(lambda: "octree › octree.get_cell" in model_of(panel).graph.name or not panel.instance.state.splits)
    hand.wait_until(lambda: not panel.instance.state.splits and not window.jobs.running)
    hand.click(canvas.ground, box_spot(panel, "octree", 0.6))
    hand.wait_until(lambda: panel.instance.state.module == "octree")
    show(panel, hand, INSIDE, "icicle")
    inside = panel.canvases["icicle"]
    hand.wait_until(lambda: any(each.name == "calls" for each in inside.plot.layers))
    calls = next(each for each in inside.plot.layers if each.name == "calls")
    widest = int(np.argmax((calls.x1 - calls.x0) * (calls.y0 > 1.0)))
    middle = (float(calls.x0[widest] + calls.x1[widest]) / 2, float(calls.y0[widest] + calls.y1[widest]) / 2)
    hand.click(inside.ground, spot(panel, "icicle", "calls", *middle))
    hand.wait_until(lambda: panel.instance.state.site >= 0)
    ensemble = model_of(panel).ensemble
    assert ensemble.functions.name[int(ensemble.function[panel.instance.state.site])] == "octree.get_cell"
    canvas.picture()
    assert any(each.name == "path flows" for each in canvas.plot.layers)
    show(panel, hand, BOXES, "boxplots")
    look(panel, "callflow-call-site")
