"""TraceDiff with real mouse and keys: two open traces are one click apart, brushing, aligning, level control."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QTabWidget, QWidget

from cbvtool.api import Bars, locate
from cbvtool.extensions import discover
from cbvtool.plan import Move
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.window.main_window import MainWindow
from plugins.tracediff.hierarchies.designs import designs_in
from plugins.tracediff.state import LOWER, UPPER
from tests.gui.hand import Hand
from tests.plugin_views.test_tracediff import name, phases, row_of
from tests.trace.handmade import imported

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("large")


def place_of(canvas: PlotCanvas, side: int, row: int) -> QPoint:
    """The middle of a call's bar."""
    canvas.picture()
    pane = ("upper", "lower")[side]
    bars = next(each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == f"bars {pane}")
    assert bars.item is not None
    at = bars.item.tolist().index(row)
    middle = (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2
    x, y = locate(canvas.plot.pane(pane), *middle)
    return QPoint(round(float(x)), round(float(y)))


def test_td_3_two_open_traces_are_one_click_apart(window: MainWindow, hand: Hand, qtbot) -> None:
    """TD-1 to TD-4, TD-7: compared by a click, a call brushed, aligned by clicks, its group opened, an area dragged."""
    one, other = phases("abc", program="first.py"), phases("cab", 2, program="second.py")
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    window.session.traces.add(imported(one, "one.json"))
    window.desk.show(TracesPanel)
    views = window.desk.panel(TracesPanel).views
    assert not views.compare.isVisible()
    window.session.traces.add(imported(other, "other.json"))
    hand.wait_until(lambda: views.compare.isVisible() and not views.compare.visibleRegion().isEmpty())
    hand.wait_until(lambda: not window.jobs.running)
    hand.click(views.compare, views.compare.rect().center())
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel = dock.panel
    qtbot.waitUntil(lambda: panel.prepared and not window.jobs.running, timeout=120_000)
    canvas, overview = panel.canvases["main"], panel.canvases["overview"]

    def state() -> Any:
        return panel.instance.state

    def has(layer: str, of: PlotCanvas = canvas) -> bool:
        of.picture()
        return any(each.name == layer for each in of.plot.layers)

    # Brushing: what lies below keeps its colours, and the overview shows where its matches are.
    call = row_of(one, "b")
    hand.point(canvas.ground, place_of(canvas, UPPER, call) + QPoint(2, 0))
    hand.wait_until(lambda: state().call == call and has("tubes brushed") and has("hit 1", overview))
    # A click on the root aligns to its strongest group, another one to the next.
    hand.click(canvas.ground, place_of(canvas, UPPER, 0))
    hand.wait_until(lambda: state().windows[LOWER] is not None)
    first = state().match
    hand.click(canvas.ground, place_of(canvas, UPPER, 0) + QPoint(40, 0))  # at one place it would be a double click
    hand.wait_until(lambda: state().turn == 1 and state().match != first)
    # D opens the group of the call that is pointed at.
    hand.point(canvas.ground, place_of(canvas, UPPER, call) + QPoint(2, 0))
    hand.wait_until(lambda: state().call == call)
    hand.keys("d")
    hand.wait_until(lambda: len(state().dropped) == 1)
    assert name(one, state().dropped[0][UPPER]) == "b"
    # A focus area is dragged in the overview.
    start = QPoint(round(0.5 * overview.ground.width()), round(0.3 * overview.ground.height()))
    hand.point(overview.ground, start)
    hand.press()
    for _ in hand.glide(overview.ground, start, start + QPoint(120, 0), 4):
        pass
    hand.release()
    hand.wait_until(lambda: state().windows[UPPER] is not None and state().pressed is None)


def test_td_11_why_is_this_run_slower(window: MainWindow, hand: Hand, qtbot) -> None:
    """TD-11: A row of what takes longer leads to its place in both pictures; the picture of both in one is a tab."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    for name_, trace in (("one", phases("ab")), ("other", phases("ab", 3))):
        window.session.traces.add(imported(trace, f"{name_}.json"))
    opened = window.plugin_docks.open("diff")
    assert opened is not None
    panel = window.plugin_docks.docks[opened.name].panel
    needs = panel.instance.needs
    qtbot.waitUntil(lambda: panel.prepared and "difference" in needs.found and not needs.making, timeout=120_000)
    qtbot.waitUntil(lambda: not window.jobs.running)

    def to_front(part: QWidget) -> None:
        tabs = next(each for each in panel.findChildren(QTabWidget) if each.indexOf(part) >= 0)
        bar = tabs.tabBar()
        assert bar is not None
        hand.click(bar, bar.tabRect(tabs.indexOf(part)).center())
        hand.wait_until(lambda: tabs.currentWidget() is part)

    table, canvas = panel.tables["slower"], panel.canvases["union"]
    to_front(table)
    row = table.model.index(0, 0)
    ground = table.table.viewport()
    assert ground is not None
    hand.click(ground, table.table.visualRect(row).center())
    hand.wait_until(lambda: panel.instance.state.chosen is not None)
    difference = panel.instance.needs.found["difference"]
    chosen = difference.context_of(*panel.instance.state.chosen)
    assert difference.name(chosen) in {"a_work", "b_work"}
    assert panel.instance.state.windows[LOWER] is not None
    to_front(canvas)
    canvas.picture()
    bars = next(each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == "bars union")
    assert bars.item is not None
    at = bars.item.tolist().index(chosen)
    x, y = locate(canvas.plot.pane("union"), (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2)
    hand.click(canvas.ground, QPoint(round(float(x)), round(float(y))))  # the keyboard follows
    hand.wait_until(lambda: panel.instance.state.context == chosen)
    hand.keys("n")
    hand.wait_until(lambda: difference.context_of(*panel.instance.state.chosen) != chosen)


def test_td_8_the_plan_beside_the_code_as_it_is(window: MainWindow, hand: Hand, qtbot) -> None:
    """TD-8: without a recording; a move is a row that leads to its place; a click selects a node everywhere."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    session = window.session
    graph = session.graph
    moved = graph.key_of["shop/services/reports.py"]
    assert session.do(Move((graph.ids[moved],), "shop/ui")) is None
    hand.wait_until(lambda: not window.jobs.running)
    window.desk.do("view:hierarchies")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel, table = dock.panel, dock.panel.tables["changes"]
    qtbot.waitUntil(lambda: panel.prepared and not window.jobs.running, timeout=120_000)
    assert table.model.rowCount() == 1
    ground = table.table.viewport()
    assert ground is not None
    places = list[tuple[int, int]]()

    def is_still() -> bool:
        """The panel was laid out: the table stays where it is."""
        at = ground.mapToGlobal(QPoint(0, 0))
        places.append((at.x(), at.y()))
        return len(places) > 10 and len(set(places[-10:])) == 1

    qtbot.waitUntil(is_still)
    hand.click(ground, table.table.visualRect(table.model.index(0, 0)).center())
    hand.wait_until(lambda: session.view.selected == (moved,))
    designs = designs_in(panel.instance.context)
    assert designs is not None
    assert panel.instance.state.chosen == (LOWER, int(designs.nodes[LOWER].row[moved]))
    canvas = panel.canvases["main"]
    folder = session.graph.key_of["shop/ui"]
    hand.click(canvas.ground, place_of(canvas, LOWER, int(designs.nodes[LOWER].row[folder])))
    hand.wait_until(lambda: session.view.selected == (folder,))
    session.undo()
    hand.wait_until(lambda: table.model.rowCount() == 0)
