"""Two stories of slow programs, told by recordings of the sample program with threads, with real mouse and keys.

They follow the applications in the thesis (TV-1, TV-3, TV-5, TV-6); the guide tells them under "Two stories".
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QMessageBox

from cbvtool.api import Bars, Trace, locate
from cbvtool.extensions import discover
from cbvtool.session import Session
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from plugins.tracevis.own_code import own_in
from tests.gui.hand import Hand

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
WEATHER = ROOT / "sample_projects" / "weather"

Told = Callable[[str], PluginPanel]


@pytest.fixture
def told(hand: Hand, qtbot, settings: Settings, tmp_path: Path, monkeypatch, large: None) -> Told:
    """Records what the program does for a word, opens it over its code, and TraceVis by the menu."""

    def open_(word: str) -> PluginPanel:
        run = tmp_path / "run"
        record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(run), "--"]
        program = [sys.executable, "-m", "weather", word]
        subprocess.run([*record, *program], cwd=WEATHER, check=True, capture_output=True)
        window = MainWindow(Session(), settings)
        monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        qtbot.addWidget(window)
        window.offer_plugins(discover([ROOT / "plugins"], [])[0])
        window.resize(1700, 1130)  # all levels of all threads are seen
        window.show()
        hand.wait_until(window.isActiveWindow)
        with qtbot.waitSignal(window.canvas.stage.first_frame):
            window.documents.opener.open(WEATHER)
        traces = window.session.traces
        window.tracing.open_file(run)
        hand.wait_until(lambda: traces.current is not None and not traces.is_wanted)
        choose(window, hand, "TraceVis")
        hand.wait_until(lambda: bool(window.plugin_docks.docks))
        [dock] = window.plugin_docks.docks.values()
        qtbot.waitUntil(lambda: dock.panel.prepared and not window.jobs.running, timeout=120_000)
        hand.wait_until(window.isActiveWindow)
        return dock.panel

    return open_


def choose(window: MainWindow, hand: Hand, text: str) -> None:
    """Click the entry of the menu Traces that begins so."""
    bar = window.menuBar()
    assert bar is not None
    title = next(each for each in bar.actions() if each.text().replace("&", "") == "Traces")
    menu = title.menu()
    assert menu is not None
    hand.click(bar, bar.actionGeometry(title).center())
    hand.wait_until(menu.isVisible)
    entry = next(each for each in menu.actions() if each.text().startswith(text))
    hand.click(menu, menu.actionGeometry(entry).center())


def call_of(trace: Trace, function: str) -> int:
    """The row of the only call of a function."""
    rows = calls_of(trace, function)
    assert len(rows) == 1, function
    return rows[0]


def calls_of(trace: Trace, function: str) -> list[int]:
    """The rows of the calls of a function."""
    names = trace.functions.name
    return [row for row, at in enumerate(trace.calls.function.tolist()) if names[at] == function]


def place_of(canvas: PlotCanvas, trace: Trace, row: int) -> QPoint:
    """The middle of the bar of a call."""
    canvas.picture()
    thread = int(trace.thread_of(np.array([row]))[0])
    bars = next(each for each in canvas.plot.layers if isinstance(each, Bars) and each.name == f"bars {thread}")
    assert bars.item is not None
    at = bars.item.tolist().index(row)
    middle = (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2
    x, y = locate(canvas.plot.pane(bars.pane), *middle)
    return QPoint(round(float(x)), round(float(y)))


def tells_of(canvas: PlotCanvas, function: str) -> bool:
    """Whether the tooltip is of a function."""
    return canvas.tooltip_text.startswith(function)


class Pointing:
    """Whether the tooltip is of a function, whose bar the pointer follows while the picture still settles."""

    def __init__(self, hand: Hand, canvas: PlotCanvas, trace: Trace, function: str) -> None:
        self._hand, self._canvas, self._trace, self._function = hand, canvas, trace, function
        self._place: QPoint | None = None

    def __call__(self) -> bool:
        if tells_of(self._canvas, self._function):
            return True
        place = place_of(self._canvas, self._trace, call_of(self._trace, self._function))
        if place != self._place:
            self._place = place
            self._hand.point(self._canvas.ground, place)
        return False


def is_selected(panel: PluginPanel, row: int) -> bool:
    """Whether a call is selected."""
    return bool(panel.instance.state.selected == row)


def own_code(panel: PluginPanel, hand: Hand) -> Trace:
    """Tick "Only my code"; the calls that are left."""
    box = panel.parameters.fields["own"]
    assert not box.visibleRegion().isEmpty()  # who opens the view sees it
    hand.wait_until(lambda: panel.window().canvas.stage.is_still)
    hand.click(box, QPoint(8, box.height() // 2))
    hand.wait_until(lambda: bool(panel.instance.values["own"]))
    hand.wait_until(lambda: not panel.window().jobs.running)
    own = own_in(panel.instance.context)
    assert own is not None
    return own.trace


def test_not_the_query_is_slow_but_the_handling_of_its_answer(told: Told, hand: Hand) -> None:
    """TV-1, TV-6: who asked waits for another thread, which begins when the query has ended and takes longer."""
    panel = told("rain")
    canvas = panel.canvases["activity"]
    trace = own_code(panel, hand)
    spoken: dict[str, str] = {}
    for function in ("show_rain", "Store.query", "handle_answer"):
        hand.wait_until(Pointing(hand, canvas, trace, function))
        spoken[function] = canvas.tooltip_text
    assert all("ms" in text or " s" in text for text in spoken.values()), spoken
    calls = trace.calls
    asked, query, handled = (call_of(trace, each) for each in ("show_rain", "Store.query", "handle_answer"))
    assert len({int(trace.thread_of(np.array([row]))[0]) for row in (asked, query, handled)}) == 3
    assert calls.start[handled] >= calls.end[query]  # only afterwards
    assert calls.end[handled] - calls.start[handled] > 1.5 * (calls.end[query] - calls.start[query])

    hand.click(canvas.ground, place_of(canvas, trace, handled))
    whole = panel.instance.context.trace()
    hand.wait_until(lambda: panel.instance.state.selected == call_of(whole, "handle_answer"))
    node = panel.window().session.graph.key_of["weather/rain.py::handle_answer"]
    assert panel.window().session.view.selected == (node,)


def test_workers_are_made_anew_for_every_job_one_after_the_other(told: Told, hand: Hand) -> None:
    """TV-3, TV-5: threads of one kind stand together; the next call of their function is on the next thread."""
    panel = told("charts")
    canvas, table = panel.canvases["activity"], panel.tables["threads"]
    shown = table.shown
    assert shown is not None
    names = next(list(column.values) for column in shown.columns if column.name == "Thread")
    alike = next(list(column.values) for column in shown.columns if column.name == "Alike")
    groups = [count for name, count in zip(names, alike, strict=True) if str(name).startswith("chart")]
    assert sum(groups) == 12
    assert len(groups) < 12  # some do exactly the same

    trace = own_code(panel, hand)
    jobs = sorted(calls_of(trace, "draw_chart"), key=lambda row: trace.calls.start[row])
    assert len({int(trace.thread_of(np.array([row]))[0]) for row in jobs}) == 12
    hand.click(canvas.ground, place_of(canvas, trace, jobs[0]))
    whole = panel.instance.context.trace()
    starts, ends = whole.calls.start, whole.calls.end
    rows = sorted(calls_of(whole, "draw_chart"), key=lambda row: starts[row])
    hand.wait_until(lambda: panel.instance.state.selected == rows[0])
    for before, after in pairwise(rows):
        hand.keys("n")
        hand.wait_until(partial(is_selected, panel, after))
        assert starts[after] >= ends[before]  # never two at once
