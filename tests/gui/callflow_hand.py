"""CallFlow in the window: opened on runs, and where to put the hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QTabWidget, QWidget

from cbvtool.api import locate
from cbvtool.extensions import discover
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.window.main_window import MainWindow
from plugins.callflow.flows import BOX
from plugins.callflow.frame import PLANE
from plugins.callflow.preparing import FlowModel, model_in
from tests.gui.hand import Hand
from tests.gui.test_trace_stories import choose

ROOT = Path(__file__).parents[2]


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


def opened(window: MainWindow, hand: Hand, qtbot: Any, read: Callable[[], object]) -> PluginPanel:
    """The view on the runs that are read, by the menu; ready."""
    window.offer_plugins(discover([ROOT / "plugins"], [])[0])
    read()
    hand.wait_until(lambda: bool(window.session.traces.profiles) and not window.jobs.running)
    choose(window, hand, "CallFlow")
    hand.wait_until(lambda: bool(window.plugin_docks.docks))
    [dock] = window.plugin_docks.docks.values()
    panel: PluginPanel = dock.panel
    settle(panel, window, qtbot)
    hand.wait_until(window.isActiveWindow)
    return panel


def settle(panel: PluginPanel, window: MainWindow, qtbot: Any) -> None:
    """Until all that it needs is there."""
    needs = panel.instance.needs
    qtbot.waitUntil(lambda: panel.prepared and not needs.making and not window.jobs.running, timeout=120_000)
    assert "raised" not in window.status.last.text()  # the view failed, which harms nothing else


def click_box(panel: PluginPanel, hand: Hand, name: str) -> None:
    hand.click(panel.canvases["main"].ground, box_spot(panel, name, 0.5))
    hand.wait_until(lambda: panel.instance.state.module == name)


def let_go(panel: PluginPanel, hand: Hand) -> None:
    """Click the ground, left of all boxes."""
    hand.click(panel.canvases["main"].ground, spot(panel, "main", PLANE, -0.03, 2.0))
    hand.wait_until(lambda: not panel.instance.state.module)


def to_front(panel: PluginPanel, hand: Hand, part: QWidget) -> None:
    """Click the tab of a table or a picture."""
    tabs = next(each for each in panel.findChildren(QTabWidget) if each.indexOf(part) >= 0)
    bar = tabs.tabBar()
    assert bar is not None
    if tabs.currentWidget() is not part:
        hand.click(bar, bar.tabRect(tabs.indexOf(part)).center())
    hand.wait_until(lambda: tabs.currentWidget() is part)


def cells(panel: PluginPanel, part: str) -> list[dict[str, str]]:
    """What a table shows: a row as heading -> text."""
    model = panel.tables[part].table.model()
    assert model is not None
    heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(model.columnCount())]
    return [
        {head: str(model.index(row, column).data()) for column, head in enumerate(heads)}
        for row in range(model.rowCount())
    ]


def click_row(panel: PluginPanel, hand: Hand, part: str, words: Sequence[str], *, tick: bool = False) -> None:
    """Click the first row with these words, or its tick."""
    row = next(at for at, each in enumerate(cells(panel, part)) if all(word in each.values() for word in words))
    table = panel.tables[part].table
    index = table.model().index(row, 0)
    table.scrollTo(index)
    ground, rect = table.viewport(), table.visualRect(index)
    assert ground is not None
    hand.click(ground, QPoint(rect.left() + 10, rect.center().y()) if tick else rect.center() + QPoint(4, 0))


def headline(panel: PluginPanel) -> str:
    """What matters, in the words above the picture."""
    canvas = panel.canvases["main"]
    canvas.picture()
    said: str = next(each.text[0] for each in canvas.plot.layers if each.name == "headline")
    return said
