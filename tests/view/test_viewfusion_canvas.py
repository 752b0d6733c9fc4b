"""ViewFusion with real events, on a canvas alone; in the window what it shares with the picture of the code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, Qt

from cbvtool.api import Labels, locate
from cbvtool.geometry.colors import LIGHT
from cbvtool.plugin.requests import SelectNodes, SetFocus
from cbvtool.view.window.main_window import MainWindow
from plugins.viewfusion.palette import WHITE, focus_grey
from plugins.viewfusion.scene import scene_in
from tests.plugin_views.test_viewfusion import layer, scene_of, started, texts, world
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run
from tests.view.shown_view import LEFT, ShownView
from tests.view.test_plugin_views import offered, opened

CTRL = Qt.Key.Key_Control


class Shown(ShownView):
    """ViewFusion over a made up project."""

    def __init__(self) -> None:
        super().__init__(started(world(9, 900), color="calls"), "fusion", (900, 620))

    def middle(self, depth: int) -> QPoint:
        """The middle of the widest call at a depth."""
        self.canvas.picture()
        bars, pane = layer(self.canvas.plot, "bars"), self.canvas.plot.panes[0]
        at = np.flatnonzero(np.isin(bars.item, self._rows(depth)))
        best = int(at[np.argmax((bars.x1 - bars.x0)[at])])
        px, py = locate(pane, (bars.x0[best] + bars.x1[best]) / 2, (bars.y0[best] + bars.y1[best]) / 2)
        return QPoint(round(float(px)), round(float(py)))

    def _rows(self, depth: int) -> np.ndarray:
        return np.flatnonzero(self.instance.context.trace().calls.depth == depth)

    def input(self) -> str:
        self.canvas.picture()
        found = layer(self.canvas.plot, "input")
        assert isinstance(found, Labels)
        return found.text[0]


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    made = Shown()
    qtbot.addWidget(made.canvas)
    made.canvas.show()
    qtbot.waitExposed(made.canvas)
    made.canvas.setFocus()
    return made


def test_the_pointer_links_calls_and_code_and_fills_no_heavy_layer(shown: Shown) -> None:
    """VF-1, VF-3: cells take the colours of what is brushed; cushions, bars and names stay as they are."""
    canvas = shown.canvas
    shown.hover(shown.middle(3))
    before, made = {each.name: each for each in canvas.plot.layers}, canvas.tiles.made
    shown.hover(shown.middle(1))
    after = {each.name: each for each in canvas.plot.layers}
    for heavy in ("cushions", "borders", "names", "plates", "bars"):
        assert after[heavy] is before[heavy]
    assert not np.array_equal(after["cells"].color, before["cells"].color)
    assert canvas.tiles.made - made == sum(each is not before.get(name) for name, each in after.items())
    shown.hover(QPoint(450, canvas.height() - 10))
    assert "focus" not in {each.name for each in canvas.plot.layers}


def test_data_outside_the_focus_are_those_of_what_is_not_pointed_at(shown: Shown, qtbot: QtBot) -> None:
    """VF-3: what is pointed at is grey in both pictures; around it calls and code keep colours of their own metrics."""
    for name, value in (("link", "outside"), ("cells", "time")):
        shown.instance.set_value(name, value)
    shown.canvas.refresh()
    code = np.asarray(shown.layer("cells").color)
    shown.hover(shown.middle(1))
    assert "focus" in shown.names()
    inside = {tuple(color) for color in np.asarray(shown.layer("focus").color).tolist()}
    assert tuple(focus_grey(LIGHT)) in inside <= {tuple(focus_grey(LIGHT)), tuple(WHITE)}
    around = np.asarray(shown.layer("bars").color)
    assert len(np.unique(around, axis=0)) > 1
    beside = np.asarray(shown.layer("cells").color)
    assert not np.array_equal(beside, code)
    qtbot.keyClick(shown.canvas, CTRL)
    shown.hover(QPoint(450, 560))
    after = np.asarray(shown.layer("cells").color)
    assert not np.array_equal(after, beside)
    assert not np.array_equal(after, code)
    told = " ".join(text for each in shown.plot.layers if isinstance(each, Labels) for text in each.text)
    assert "(calls)" in told
    assert "(code)" in told


def test_ctrl_toggles_and_the_wheel_picks_the_subtree(shown: Shown, qtbot: QtBot) -> None:
    """VF-2: over calls the wheel zooms, over code it picks a height."""
    canvas, place = shown.canvas, QPoint(450, 560)
    assert shown.input() == "Pointer: calls   (Ctrl: code)"
    long = canvas.plot.panes[0].x[1]
    shown.wheel(shown.middle(1), 2)
    canvas.picture()
    assert np.diff(canvas.plot.panes[0].x)[0] < 0.8 * long
    qtbot.keyClick(canvas, CTRL)
    assert shown.input().startswith("Pointer: code, the cell")
    shown.hover(place)
    assert layer(canvas.plot, "brushed cell") is not None
    seen = canvas.plot.panes[0].x
    shown.wheel(place, 1)
    assert shown.instance.state.height == 1
    assert shown.input().startswith("Pointer: code, 1 level up")
    assert canvas.plot.panes[0].x == seen
    shown.wheel(place, -1)
    qtbot.keyClick(canvas, CTRL)
    assert shown.input() == "Pointer: calls   (Ctrl: code)"
    QtBot.mouseClick(canvas.ground, LEFT, pos=QPoint(890, 12))
    assert shown.input().startswith("Pointer: code")


def test_a_drag_pans_the_calls_aside_and_f_brings_them_back(shown: Shown, qtbot: QtBot) -> None:
    """VF-6: also beyond the ends of the run; the code stays where it is."""
    canvas = shown.canvas
    canvas.picture()
    cells, pane = layer(canvas.plot, "cells"), canvas.plot.panes[0]
    shown.drag(*(QPoint(x, 500) for x in (100, 120, 300, 700)))
    canvas.picture()
    assert canvas.plot.panes[0].x[0] == pytest.approx(-pane.x[1] * 600 / 900, rel=0.02)
    assert layer(canvas.plot, "cells").x0.tolist() == cells.x0.tolist()
    assert isinstance(shown.asked[-1], SetFocus)
    qtbot.keyClick(canvas, Qt.Key.Key_F)
    canvas.picture()
    assert canvas.plot.panes[0].x == pane.x


def test_cells_stay_while_the_window_moves_and_the_busiest_lie_below(shown: Shown) -> None:
    """VF-4: order by calls of the whole run, so that nothing jumps; VF-5: colours follow the window."""
    cells = layer(shown.plot, "cells")
    scene = scene_in(shown.instance.context, shown.instance.state, shown.canvas.sight)
    assert scene is not None
    colors = np.asarray(cells.color).copy()
    shown.wheel(shown.middle(0), 4)
    again = layer(shown.plot, "cells")
    assert again.y0.tolist() == cells.y0.tolist()
    assert again.x0.tolist() == cells.x0.tolist()
    assert not np.array_equal(np.asarray(again.color), colors)
    tree, box = scene.prepared.tree, scene.layout.box
    top = np.flatnonzero(tree.parent == 0)
    by_calls = top[np.argsort(-tree.calls[top], kind="stable")]
    assert len(by_calls) > 2
    assert (np.diff(box[by_calls, 3]) <= 1e-9).all()


@pytest.mark.parametrize("code", [False, True])
def test_a_click_selects_what_is_under_the_pointer(shown: Shown, qtbot: QtBot, code: bool) -> None:
    """VF-5, VF-6: a call with its function and node, or the node of a cell."""
    if code:
        qtbot.keyClick(shown.canvas, CTRL)
    place = QPoint(450, 560) if code else shown.middle(1)
    QtBot.mouseClick(shown.canvas.ground, LEFT, pos=place)
    kinds = [type(request) for request in shown.asked]
    assert kinds == ([SelectNodes] if code else [SetFocus, SelectNodes])
    if code:
        scene = scene_of(shown.instance)
        cell = scene.layout.at(place.x(), place.y())
        assert shown.asked[0] == SelectNodes((int(scene.prepared.tree.key[cell]),))


@pytest.mark.usefixtures("large")
def test_selection_is_shared_with_the_picture_of_the_code(window: MainWindow, qtbot: QtBot) -> None:
    """VF-6: both ways, in the real window."""
    traces, session = window.session.traces, window.session
    traces.add(imported(shop_run(session.graph), "run.json"))
    qtbot.waitUntil(lambda: traces.found is not None and not traces.is_wanted)
    offered(window)
    panel = opened(window, "fusion")
    qtbot.waitUntil(lambda: not window.jobs.running)
    canvas = panel.canvases["fusion"]
    canvas.ground.setFocus()
    qtbot.keyClick(canvas, CTRL)
    canvas.picture()
    ready: Callable[[], bool] = lambda: layer(canvas.plot, "cells") is not None  # noqa: E731 -- asked again and again
    qtbot.waitUntil(ready)
    cells = layer(canvas.plot, "cells")
    at = int(np.argmax((cells.x1 - cells.x0) * (cells.y1 - cells.y0)))
    place = QPoint(round((cells.x0[at] + cells.x1[at]) / 2), round((cells.y0[at] + cells.y1[at]) / 2))
    QtBot.mouseClick(canvas.ground, LEFT, pos=place)
    assert len(session.view.selected) == 1
    legend = texts(canvas.plot)
    metric = panel.parameters.fields["color"]
    qtbot.keyClick(metric, Qt.Key.Key_Down)  # VF-5: another metric, told by the legend
    canvas.picture()
    assert panel.instance.values["color"] != "package"
    assert texts(canvas.plot) != legend
    for _ in range(8):  # VF-5: own time counts no call twice, so that the legend ends at less
        if panel.instance.values["color"] == "time":
            break
        qtbot.keyClick(metric, Qt.Key.Key_Down)
    canvas.picture()
    assert panel.instance.values["color"] == "time"
    legend = texts(canvas.plot)
    own = panel.parameters.fields["self"]
    qtbot.keyClick(own, Qt.Key.Key_Space)
    canvas.picture()
    assert panel.instance.values["self"] is True
    assert texts(canvas.plot) != legend
    session.select((session.graph.key_of["shop/domain"],))
    canvas.picture()
    qtbot.waitUntil(lambda: layer(canvas.plot, "selected cells") is not None)
