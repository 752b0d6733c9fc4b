"""Views of plugins in docks: opened, driven by real events, kept, and faulty ones that harm nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication, QCheckBox, QFileDialog, QSlider, QSplitter

from cbvtool.api import (
    EventKind,
    OverlayColumn,
    OverlayContent,
    Plot,
    PluginCommand,
    PluginOverlay,
    PluginView,
    Request,
    Say,
    SelectNodes,
    ViewContext,
    ViewEvent,
    Viewport,
    locate,
)
from cbvtool.extensions import PluginRegistry, discover
from cbvtool.plan.document import read_document, write_document
from cbvtool.project import open_document
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.store.folder import write_folder
from cbvtool.view.panels.plugin_views.parameter_row import STEPS, step_of, value_at
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.window.main_window import MainWindow
from tests.plugin_views.views import DiffView, FaultyView, RunsView, SimpleView, SyncView, small_profile, small_trace
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run
from tests.uncompiled import Uncompiled
from tests.uncompiled import sums as sums
from tests.view.pointer import point


@dataclass(frozen=True)
class SumState:
    """What it has reckoned."""

    sum: int = 0


ROOT = Path(__file__).parents[2]


def offered(window: MainWindow, *views: PluginView[Any]) -> PluginRegistry:
    registry, _ = discover([ROOT / "plugins"], [])
    for view in views:
        registry.views[view.name] = view
    window.offer_plugins(registry)
    return registry


@pytest.fixture
def traced(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with the run of the sample project open."""
    window.session.traces.add(imported(shop_run(window.session.graph), "run.json"))
    traces = window.session.traces
    qtbot.waitUntil(lambda: traces.found is not None and not traces.is_wanted)
    return window


def opened(window: MainWindow, name: str) -> PluginPanel:
    found = window.plugin_docks.open(name)
    assert found is not None
    panel = window.plugin_docks.docks[found.name].panel
    deadline = time.monotonic() + 120  # the first view of a process waits until its loops are compiled
    while not panel.prepared and time.monotonic() < deadline:
        QApplication.processEvents()
        time.sleep(0.01)
    assert panel.prepared
    for _ in range(5):
        QApplication.processEvents()  # the docks find their places
    return panel


def drag(canvas: PlotCanvas, place: QPoint) -> None:
    """The pointer moves with its button held."""
    held, there = Qt.MouseButton.LeftButton, QPointF(canvas.ground.mapToGlobal(place))
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(place), there, Qt.MouseButton.NoButton, held, none)
    QApplication.sendEvent(canvas.ground, event)


def spot(panel: PluginPanel, layer: str, row: int) -> QPoint:
    """The middle of a bar, in pixels of its canvas."""
    canvas = panel.canvases["main"]
    canvas.picture()
    bars = next(each for each in canvas.plot.layers if each.name == layer)
    x, y = (bars.x0[row] + bars.x1[row]) / 2, (bars.y0[row] + bars.y1[row]) / 2
    if bars.pane:
        px, py = locate(canvas.plot.pane(bars.pane), x, y)
        return QPoint(round(float(px)), round(float(py)))
    return QPoint(round(float(x)), round(float(y)))


def test_a_click_in_a_view_selects_in_the_3d_view(traced: MainWindow, qtbot: QtBot) -> None:
    """The example of the documentation, from the menu to the node: real events."""
    offered(traced)
    panel = opened(traced, "busy")
    canvas = panel.canvases["main"]
    QtBot.mouseClick(canvas.ground, Qt.MouseButton.LeftButton, pos=spot(panel, "bars", 1))
    selected = traced.session.view.selected
    assert len(selected) == 1
    function = panel.instance.state.function
    assert traced.session.traces.focus.function == function
    assert panel.instance.context.nodes(function) == selected
    assert panel.instance.tell("main", canvas._hit) == ()


def test_views_of_a_plugin_are_in_menu_and_palette(window: MainWindow) -> None:
    """They can be chosen once there is what they take."""
    offered(window, DiffView())
    action = window.actions_by_name["view:busy"]
    assert action in window.commands.menus["Traces"].actions()
    assert not action.isEnabled()
    window.session.traces.add(imported(shop_run(window.session.graph), "run.json"))
    assert action.isEnabled()
    assert not window.actions_by_name["view:pairs"].isEnabled()
    action.trigger()
    assert list(window.plugin_docks.docks) == ["view:busy:1"]


def test_several_of_one_kind_follow_each_other_or_not(traced: MainWindow) -> None:
    """The focus is shared by all that follow; the switch takes one out."""
    offered(traced, SyncView())
    one, two, three = (opened(traced, "twin") for _ in range(3))
    three.follows.setChecked(False)
    traced.session.traces.look_at(Focus(0, (5, 9)))
    assert [panel.instance.focus.window for panel in (one, two, three)] == [(5, 9), (5, 9), None]
    assert sorted(traced.plugin_docks.docks) == ["view:twin:1", "view:twin:2", "view:twin:3"]
    three.follows.setChecked(True)
    assert three.instance.focus.window == (5, 9)


def test_parameters_are_widgets(traced: MainWindow) -> None:
    offered(traced, SyncView())
    panel = opened(traced, "twin")
    bent, theta = panel.parameters.fields["bent"], panel.parameters.fields["theta"]
    assert isinstance(bent, QCheckBox)
    bent.setChecked(False)
    assert panel.instance.values["bent"] is False
    assert isinstance(theta, QSlider)
    theta.setValue(STEPS)
    assert panel.instance.values["theta"] == 10
    theta.setValue(0)
    assert panel.instance.values["theta"] == 0
    theta.setValue(1)
    assert 0.01 <= float(panel.instance.values["theta"]) < 0.011


def test_a_slider_goes_there_and_back() -> None:
    slider = SyncView.parameters[1]
    assert [step_of(slider, value_at(slider, step)) for step in range(0, STEPS + 1, 50)] == [*range(0, STEPS + 1, 50)]


def test_slow_work_is_made_in_a_worker(traced: MainWindow, qtbot: QtBot) -> None:
    """A view of two traces draws at once, and again once the work is done."""
    traced.session.traces.add(imported(shop_run(traced.session.graph), "other.json"))
    offered(traced, DiffView())
    panel = opened(traced, "pairs")
    qtbot.waitUntil(lambda: "matches" in panel.instance.needs.found and not panel.instance.needs.making)
    canvas = panel.canvases["main"]
    canvas.picture()
    bands = next(layer for layer in canvas.plot.layers if layer.name == "bands")
    assert len(bands.ptr) > 1


def test_escape_ends_a_drag(traced: MainWindow) -> None:
    """The state of the press comes back."""
    offered(traced, SyncView())
    panel = opened(traced, "twin")
    canvas = panel.canvases["main"]
    start = spot(panel, "handle", 0)
    QtBot.mousePress(canvas.ground, Qt.MouseButton.LeftButton, pos=start)
    for step in (10, 20, 30):
        drag(canvas, start + QPoint(step, 0))
    assert panel.instance.state.radius > 60
    QtBot.keyClick(canvas, Qt.Key.Key_Escape)
    assert panel.instance.state.radius == 60
    QtBot.mouseRelease(canvas.ground, Qt.MouseButton.LeftButton, pos=start)
    assert panel.instance.state.radius == 60


def test_a_table_is_ticked_copied_saved_and_sorted(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three parts, one of them a real item view."""
    window.session.traces.add(imported_profiles(10))
    offered(window, RunsView())
    panel = opened(window, "runs")
    part = panel.tables["runs"]
    model = part.model
    assert model.rowCount() == 10
    model.setData(model.index(3, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert panel.instance.state.runs == (0, 3)
    assert model.data(model.index(3, 0), Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    model.sort(1, Qt.SortOrder.DescendingOrder)
    part.copy()
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    assert clipboard.text().splitlines()[:2] == ["Run\tOwn (ns)", "run9\t24"]
    model.filter("run7")
    assert model.rowCount() == 1
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(tmp_path / "runs"), "")))
    part.table.file_wanted.emit()  # as its menu does
    assert (tmp_path / "runs.csv").read_text().splitlines() == ["Run,Own (ns)", "run7,22"]


def imported_profiles(count: int) -> Any:
    from cbvtool.plan.document import TraceFile
    from cbvtool.session.traces.files import Imported

    return Imported(TraceFile(Path("profiles"), "test", "pp"), (), tuple(map(small_profile, range(count))))


def test_a_view_that_raises_says_so_in_its_place(traced: MainWindow) -> None:
    """Nothing else of the window is harmed, and the problem is listed."""
    registry = offered(traced, FaultyView("draw"))
    panel = opened(traced, "faulty")
    canvas = panel.canvases["main"]
    canvas.picture()
    assert " ".join(canvas.plot.layers[0].text) == "The view Faulty failed: KeyError: 'no draw'"
    assert [problem.reason for problem in registry.problems] == ["its view faulty raised KeyError: 'no draw'"]
    assert opened(traced, "busy").isVisible()


def test_a_dock_floats_and_closes(traced: MainWindow, qtbot: QtBot) -> None:
    """Floating keeps the view; closing ends it."""
    offered(traced, SyncView())
    opened(traced, "twin")
    dock = traced.plugin_docks.docks["view:twin:1"]
    dock.setFloating(True)
    QApplication.processEvents()
    assert list(traced.plugin_docks.docks) == ["view:twin:1"]
    dock.setFloating(False)
    QApplication.processEvents()
    assert list(traced.plugin_docks.docks) == ["view:twin:1"]
    dock.close()
    qtbot.waitUntil(lambda: not traced.plugin_docks.docks)
    assert traced.session.plugin_views.opened == {}


def test_an_open_view_stands_still_once_that_is_wanted(traced: MainWindow) -> None:
    """OC-2: **View > Reduce motion** holds for views that are open, too."""
    offered(traced)
    canvas = opened(traced, "busy").canvases["main"]
    for reduced in (False, True):
        traced.settings.reduced_motion = reduced
        next(iter(traced.plugin_docks.docks.values())).panel.refresh()
        assert canvas.layer_glide.animated is canvas.glide.animated is not reduced


def test_views_come_back_with_the_document(traced: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """The trace is closed and opened: the view goes and comes; the document keeps state and number."""
    offered(traced, SyncView())
    panel = opened(traced, "twin")
    panel.instance.state = SyncView.State(radius=77.0)
    write_document(traced.session.document(), tmp_path / "a.cbv")
    (entry,) = read_document(tmp_path / "a.cbv").view["views"]
    assert (entry["view"], entry["number"], entry["state"]["radius"]) == ("twin", 1, 77.0)
    traced.session.traces.close()
    assert traced.plugin_docks.docks == {}
    traced.session.traces.add(imported(shop_run(traced.session.graph), "run.json"))
    (dock,) = traced.plugin_docks.docks.values()
    assert dock.panel.instance.state.radius == 77.0
    assert isinstance(dock.panel.instance.inputs.graph.kind_names, tuple)


def test_hovering_draws_no_heavy_layer_again(traced: MainWindow) -> None:
    """The view answers a hover with the state it had: nothing is drawn."""
    offered(traced)
    panel = opened(traced, "busy")
    canvas = panel.canvases["main"]
    canvas.picture()
    plot = canvas.plot
    for place in np.linspace(5, canvas.ground.width() - 5, 20).round().astype(int).tolist():
        QtBot.mouseMove(canvas.ground, QPoint(place, 40))
    canvas.picture()
    assert canvas.plot is plot


def test_overlays_and_commands_of_plugins(traced: MainWindow) -> None:
    """Columns become metrics, the first one the colours; a command asks what views ask; faults are sentences."""
    registry = PluginRegistry()
    asked: list[int] = []

    def ages(context: ViewContext) -> OverlayContent:
        asked.append(len(context.inputs))
        values = np.arange(len(context.graph), dtype=np.float64)
        return OverlayContent((OverlayColumn("rank", "Rank", "places", values),))

    def broken(context: ViewContext) -> OverlayContent:
        raise KeyError("nothing")

    registry.overlays = {
        "ages": PluginOverlay("ages", "Ranks", ages),
        "broken": PluginOverlay("broken", "Broken", broken),
    }
    registry.commands = {
        "root": PluginCommand("root", "Select the root", lambda context: (SelectNodes((context.graph.root,)),)),
        "fails": PluginCommand("fails", "Fail", lambda context: (Say(str(1 // 0)),)),
    }
    traced.offer_plugins(registry)
    traced.actions_by_name["overlay:ages"].trigger()
    assert traced.session.view.mapping.color == "ages.rank"
    assert asked[0] == 1
    column = traced.session.scene().values["ages.rank"]
    assert column.tolist() == list(range(len(traced.session.graph)))
    traced.actions_by_name["overlay:broken"].trigger()
    assert [problem.reason for problem in registry.problems] == ["its overlay broken raised KeyError: 'nothing'"]
    traced.actions_by_name["plugin:root"].trigger()
    assert traced.session.view.selected == (traced.session.graph.root,)
    traced.actions_by_name["plugin:fails"].trigger()
    assert registry.problems[-1].reason.startswith("its command fails raised ZeroDivisionError")


def test_a_view_whose_place_was_remembered_comes_to_the_front(
    new_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    """CF-3: in the next window it is no tab behind another one, and high enough to be read."""
    write_folder(tmp_path / "run", small_trace())
    for _ in range(2):
        remembered(new_window(), tmp_path / "run", qtbot)


def remembered(window: MainWindow, run: Path, qtbot: QtBot) -> None:
    """Open a view, see it in front, and leave it low."""
    window.tracing.open_files([run])
    qtbot.waitUntil(lambda: bool(window.session.traces.opened) and not window.jobs.running)
    offered(window)
    dock = window.plugin_docks.docks[opened(window, "busy").opened.name]
    qtbot.waitUntil(lambda: dock.in_front and not dock.visibleRegion().isEmpty())
    assert dock.height() >= 0.4 * window.height()
    window.resizeDocks([dock], [150], Qt.Orientation.Vertical)
    window.close()


def test_a_recording_is_opened_with_its_code_or_alone(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """`cbvtool open --trace FILE`: without a folder the graph is made of the functions."""
    write_folder(tmp_path / "run", small_trace())
    window.tracing.open_next(tmp_path / "run")
    window.opening.open_trace(tmp_path / "run")
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.opened) and traces.found is not None and not traces.is_wanted)
    assert "work" in window.session.graph.names
    known = traces.opened[0].laid
    assert known is not None
    assert known.map.mapped.all()
    offered(window)
    panel = opened(window, "busy")
    assert len(panel.instance.context.nodes(0)) == 1


def test_a_recording_that_is_chosen_while_nothing_is_open_is_opened_alone(
    new_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    """TR-1, OC-1: **Traces > Open trace...** in an empty window, as if it was dropped there."""
    window = new_window()
    write_folder(tmp_path / "run", small_trace())
    window.tracing.open_files([tmp_path / "run"])
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.opened) and traces.found is not None and not traces.is_wanted)
    assert "work" in window.session.graph.names


def test_a_plan_about_a_recording_alone_opens_again(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """Its document names the recording as subject and as trace: the graph is made of its functions once more."""
    run, file = tmp_path / "run", tmp_path / "plan.cbv"
    write_folder(run, small_trace())
    session = window.session
    window.tracing.open_next(run)
    window.opening.open_trace(run)
    qtbot.waitUntil(lambda: bool(session.traces.opened) and not session.traces.is_wanted)
    work = session.graph.names.index("work")
    session.rename(work, "labour")
    session.save(file)
    again, project = open_document(file)
    assert "labour" in again.plan.history(project.graph).graph.names
    window.opening.again()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert "labour" in session.graph.names


def test_borders_that_were_moved_are_remembered(traced: MainWindow) -> None:
    """Another view of the kind opens with them; what is no size in the settings is ignored."""
    offered(traced)
    panel = opened(traced, "tracevis")
    splitter = panel.findChildren(QSplitter)[0]
    handle = splitter.handle(1)
    assert handle is not None
    place, there = handle.rect().center(), handle.rect().center() + QPoint(60, 60)
    before = splitter.sizes()
    QtBot.mousePress(handle, Qt.MouseButton.LeftButton, pos=place)
    move = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        QPointF(there),
        QPointF(handle.mapToGlobal(there)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(handle, move)
    QtBot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=place)
    moved = splitter.sizes()
    assert moved != before
    settings = traced.settings
    assert moved in settings.borders("tracevis")
    for wrong in ("{", "[[1, true]]", "[[-5]]", "3"):
        settings._store.setValue("borders/tracevis", wrong)
        assert settings.borders("tracevis") == []


class SummingView(SimpleView[SumState]):
    """Draws, and answers a key, by loops that nobody has compiled yet."""

    name, label, State = "summing", "Summing", SumState

    def __init__(self, sums: Any) -> None:
        self.sums = sums

    def draw(self, context: ViewContext, state: SumState, part: str, viewport: Viewport) -> Plot:
        self.sums.one_more(1)
        return Plot((), ())

    def on(self, context: ViewContext, state: SumState, event: ViewEvent) -> tuple[SumState, tuple[Request, ...]]:
        return (SumState(self.sums.two_more(state.sum)) if event.kind is EventKind.KEY else state), ()


def test_loops_are_compiled_by_another_process(
    traced: MainWindow, sums: Uncompiled, compiled_elsewhere: None, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither opening a view nor a key holds the window; what was pressed meanwhile follows, in order."""
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel.warm_up", lambda: None)  # those of all views
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel._PREPARED", set())
    offered(traced, SummingView(sums.module))
    panel = opened(traced, "summing")
    ground = panel.canvases["main"].ground
    QtBot.keyClick(ground, Qt.Key.Key_A)
    for place in (QPoint(20, 20), QPoint(30, 30)):
        point(ground, place)
    for _ in range(2):
        QtBot.keyClick(ground, Qt.Key.Key_A)
    kinds = [event.kind for event in panel._late if event.kind in (EventKind.HOVER, EventKind.KEY)]
    assert kinds == [EventKind.KEY, EventKind.HOVER, EventKind.KEY, EventKind.KEY]  # of places the latest one
    assert (panel.instance.state.sum, panel.prepared) == (0, False)
    qtbot.waitUntil(lambda: panel.prepared)
    assert panel.instance.state.sum == 6
    assert not sums.made_here


def test_a_view_is_closed_while_its_loops_are_compiled(
    traced: MainWindow, sums: Uncompiled, compiled_elsewhere: None, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left behind: the guards of the tests look for the process, and for the thread that waits for it."""
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel._PREPARED", set())
    offered(traced, SummingView(sums.module))
    found = traced.plugin_docks.open("summing")
    assert found is not None
    dock = traced.plugin_docks.docks[found.name]
    assert not dock.panel.prepared
    dock.close()
    qtbot.waitUntil(lambda: found.name not in traced.plugin_docks.docks and not traced.jobs.running)
