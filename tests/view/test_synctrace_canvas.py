"""SyncTrace with real events (ST-3 to ST-7), on one canvas; both views of waits and code in the window and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QApplication

from cbvtool.api import Labels, SectorShape, TimeBars, locate
from cbvtool.plan.document import read_document, write_document
from cbvtool.trace.model.table import Table
from cbvtool.view.window.main_window import MainWindow
from plugins.synctrace.arranging import Arrangement
from plugins.synctrace.bars import bars_in
from plugins.synctrace.gathered import gathered
from plugins.synctrace.pairs import Known, known_in
from plugins.synctrace.state import SyncState
from plugins.synctrace.threads import colors_of
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run
from tests.trace.test_synctrace import at_of, started, trace_of
from tests.trace.test_synctrace_signs import MS, waiting
from tests.view.shown_view import LEFT, ShownView
from tests.view.test_plugin_views import offered, opened

SIZE = (1000, 700)
HEAVY = (
    "bars main",
    "bars ring",
    "labels ",
    "curves",
    "waits ",
    "wait begins",
    "grounds",
    "thread ",
    "discs",
    "legend",
    "ruler",
)


@pytest.fixture(scope="module")
def canvas_view(qapp: QApplication) -> Iterator[ShownView]:
    """One for all tests: eight threads that wait for one another."""
    made = ShownView(started(trace_of()), "main", SIZE)
    made.canvas.show()
    yield made
    made.canvas.close()
    made.canvas.deleteLater()


@pytest.fixture
def view(canvas_view: ShownView, qtbot: QtBot) -> ShownView:
    """As it was opened."""
    instance = canvas_view.instance
    instance.state = instance.view.start(instance.context)
    instance.look_at(type(instance.focus)())
    instance.set_value("color", "thread")
    qtbot.waitExposed(canvas_view.canvas)
    canvas_view.canvas.setFocus()
    canvas_view.asked.clear()
    canvas_view.hover(QPoint(1, 1))
    canvas_view.canvas.refresh()
    return canvas_view


def known_of(view: ShownView) -> Known:
    found = known_in(view.instance.context)
    assert found is not None
    return found


def state(view: ShownView) -> SyncState:
    found = view.instance.state
    assert isinstance(found, SyncState)
    return found


def ring(view: ShownView) -> tuple[int, ...]:
    return arranged(view).at.ring


def arranged(view: ShownView) -> Arrangement:
    view.canvas.picture()
    return at_of(view.instance, view.canvas.sight)


def name_spot(view: ShownView, thread: int) -> QPoint:
    """The middle of the name of a thread."""
    names = view.layer("thread names")
    row = names.item.tolist().index(thread)
    return QPoint(round(float(names.x[row])), round(float(names.y[row])))


def sector_spot(view: ShownView, thread: int) -> QPoint:
    """A place in the sector of a thread."""
    pane = arranged(view).panes[thread]
    return view.spot(pane.name, sum(pane.x) / 2, pane.y[0] + 0.5)


def test_pointing_at_a_release_lights_its_wait_and_fills_no_heavy_layer(view: ShownView) -> None:
    """ST-4, ST-6: the curve, its time and the call that waited; all else is the same object, and filled no more."""
    discs = view.layer("curves releases")
    first = {each.name: each for each in view.plot.layers}
    for row in (len(discs.item) - 1, len(discs.item) // 2):
        made = view.canvas.tiles.made
        before = {each.name: each for each in view.plot.layers}
        view.hover(QPoint(round(float(discs.x[row])), round(float(discs.y[row]))))
        after = {each.name: each for each in view.plot.layers}
        assert after["lit"].item.tolist() == [state(view).hover]
        assert after["lit time"].text[0]
        assert view.canvas.tiles.made - made == sum(each is not before.get(name) for name, each in after.items())
        for name, each in after.items():
            assert not name.startswith(HEAVY) or each is first[name], name
    pane = view.plot.pane(f"main {arranged(view).at.main}")
    view.hover(view.spot(pane.name, 0.25 * pane.x[1], 0.5))
    after = {each.name: each for each in view.plot.layers}
    assert all(after[name] is first[name] for name in first if name.startswith("ruler"))
    assert after["pointer time"].x[0] == pytest.approx(SIZE[0] / 4, abs=1)  # the moment under the pointer, on the axis
    view.hover(QPoint(3, 3))
    assert not {"lit", "pointer time"} & view.names()


def test_a_wait_that_is_pointed_at_says_who_ended_it(view: ShownView, qtbot: QtBot) -> None:  # ST-6, ST-8
    discs = view.layer("curves releases")
    view.hover(QPoint(round(float(discs.x[-1])), round(float(discs.y[-1]))))
    qtbot.waitUntil(lambda: "waits" in view.canvas.tooltip_text)
    assert " by " in view.canvas.tooltip_text
    assert " in " in view.canvas.tooltip_text


def test_paths_of_merged_waits_are_seen_while_their_thread_is_pointed_at(view: ShownView, qtbot: QtBot) -> None:
    """ST-5, ST-8; a path that is pointed at stays, and tells how many waits it stands for, and all of its threads."""
    view.canvas.resize(420, 340)  # so small that calls are merged
    try:
        at, known = arranged(view), known_of(view)
        found = [thread for thread in at.at.ring if len(gathered(at, known, thread, bars_of(view, thread)).begin)]
        assert found
        assert "gathered" not in view.names()
        view.hover(sector_spot(view, found[0]))
        paths = view.layer("gathered")
        names = [each.name for each in view.plot.layers]
        assert names.index("gathered") < names.index("curves")
        assert set(paths.item.tolist()) == set(range(len(paths.ptr) - 1))
        spots = paths.points.reshape(len(paths.item), -1, 2)[:, 7]  # half way to the releases

        def tells() -> bool:
            if state(view).over != found[0]:  # the server said that the pointer left, for the canvas became smaller
                for x, y in spots:  # some lie below curves
                    view.hover(sector_spot(view, found[0]))
                    view.hover(QPoint(round(x), round(y)))
                    if (state(view).over, state(view).hover) == (found[0], -1):
                        break
            return "this path: " in view.canvas.tooltip_text

        view.hover(QPoint(3, 3))
        qtbot.waitUntil(tells)
        assert "in the whole recording: " in view.canvas.tooltip_text
        view.hover(QPoint(3, 3))
        assert "gathered" not in view.names()
    finally:
        view.canvas.resize(*SIZE)


def bars_of(view: ShownView, thread: int) -> TimeBars:
    return bars_in(view.instance.context, arranged(view), thread)


def test_the_wheel_zooms_one_thread_and_a_key_aligns_the_others(view: ShownView, qtbot: QtBot) -> None:
    """ST-6: each has its own window; ST-4: where the release is out of sight, its curve is paler, without a circle."""
    known, at = known_of(view), arranged(view)
    releaser = int(np.bincount(known.pairs.releasing_thread[known.pairs.primary]).argmax())
    before, circles = at.windows, len(view.layer("curves releases").item)
    spot = sector_spot(view, releaser) if releaser in at.at.ring else view.spot(at.panes[releaser].name, 1e3, 0.5)
    for _ in range(3):
        view.wheel(spot, 2)
    now = arranged(view).windows
    assert np.diff(now[releaser])[0] < 0.6 * np.diff(before[releaser])[0]
    assert all(now[thread] == before[thread] for thread in now if thread != releaser)
    assert len(view.layer("curves releases").item) < circles
    assert len(np.unique(np.asarray(view.layer("curves").color)[:, 3])) == 2
    view.hover(spot)
    qtbot.keyClick(view.canvas, Qt.Key.Key_A)
    assert len({tuple(np.round(window, -1)) for window in arranged(view).windows.values()}) == 1
    qtbot.keyClicks(view.canvas, "A")
    assert arranged(view).windows == before


def test_threads_swap_by_a_drag_hide_by_a_double_click_and_come_back(view: ShownView, qtbot: QtBot) -> None:
    """ST-3: neighbours keep different colours; ST-6."""
    threads = ring(view)
    one, other = threads[1], threads[4]
    view.drag(name_spot(view, one), QPoint(300, 300), sector_spot(view, other))
    swapped = ring(view)
    assert (swapped.index(one), swapped.index(other)) == (4, 1)
    QtBot.mouseDClick(view.canvas.ground, LEFT, pos=name_spot(view, one))
    assert ring(view) == tuple(thread for thread in swapped if thread != one)
    colors = colors_of(view.instance.context, state(view))
    shown = [colors[thread] for thread in ring(view)]
    assert all(a != b for a, b in pairwise(shown))
    assert colors[arranged(view).at.main] not in shown
    qtbot.keyClicks(view.canvas, "H")
    assert set(ring(view)) == set(threads)


def test_a_click_on_a_name_widens_and_m_makes_main(view: ShownView, qtbot: QtBot) -> None:  # ST-6
    thread, main = ring(view)[2], arranged(view).at.main
    narrow = arranged(view).pixels[thread]
    QtBot.mouseClick(view.canvas.ground, LEFT, pos=name_spot(view, thread))
    assert arranged(view).pixels[thread] >= 300 > narrow
    assert f"over {thread}" in {pane.name for pane in view.plot.panes}  # its own overview strip
    view.hover(sector_spot(view, thread))
    qtbot.keyClick(view.canvas, Qt.Key.Key_M)
    at = arranged(view).at
    assert at.main == thread
    assert at.ring[2] == main
    assert isinstance(arranged(view).panes[main].shape, SectorShape)


@pytest.mark.parametrize("what", ["splitter", "radius", "fold"])
def test_borders_and_levels_follow_a_drag_and_escape_brings_them_back(
    view: ShownView, qtbot: QtBot, what: str
) -> None:  # ST-6
    at = arranged(view)
    by = QPoint(0, 60 if what == "splitter" else -60)
    if what == "splitter":
        start = QPoint(500, round(at.split))
    elif what == "radius":
        handle = view.layer("radius")
        start = QPoint(round(float(handle.x[0])), round(float(handle.y[0])))
    else:
        start = view.spot(at.panes[at.at.main].name, 0.5 * at.trace.length, at.panes[at.at.main].y[1] - 0.05)
        by = QPoint(0, 60)
        view.drag(start, start - QPoint(0, 60))
        at = arranged(view)
        assert state(view).upper > 0
    before = state(view)
    view.drag(start, start + by / 2, start + by, let_go=False)
    moved = arranged(view)
    changed = {
        "splitter": moved.split > at.split + 40,
        "radius": moved.radii[0] < at.radii[0] - 40,
        "fold": moved.tops[-1] != at.tops[-1],
    }
    assert changed[what]
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    QtBot.mouseRelease(view.canvas.ground, LEFT, pos=start + by)
    assert (state(view).share, state(view).radius, state(view).upper) == (before.share, before.radius, before.upper)


def test_an_overview_strip_moves_the_window_of_its_thread(view: ShownView) -> None:  # ST-6
    main = arranged(view).at.main
    strip = view.plot.pane(f"over {main}")
    view.drag(view.spot(strip.name, strip.x[1] * 0.2, 0.5), view.spot(strip.name, strip.x[1] * 0.4, 0.5))
    low, high = arranged(view).windows[main]
    assert (low, high) == pytest.approx((0.2 * strip.x[1], 0.4 * strip.x[1]), rel=0.01)
    QtBot.mouseClick(view.canvas.ground, LEFT, pos=view.spot(strip.name, strip.x[1] * 0.7, 0.5))
    now = arranged(view).windows[main]
    assert sum(now) / 2 == pytest.approx(0.7 * strip.x[1], rel=0.01)
    assert np.diff(now)[0] == pytest.approx(high - low, rel=0.01)


def test_curves_by_object_compare_with_the_wait_that_is_pointed_at(view: ShownView, qtbot: QtBot) -> None:  # ST-7
    by_thread = np.asarray(view.layer("curves").color)[:, :3]
    qtbot.keyClick(view.canvas, Qt.Key.Key_O)
    curves, known = view.layer("curves"), known_of(view)
    colors = np.asarray(curves.color)[:, :3]
    assert not np.array_equal(colors, by_thread)
    things = known.pairs.object[curves.item]
    shared = known.several(things)
    for thing in np.unique(things[shared]).tolist():
        assert len(np.unique(colors[things == thing], axis=0)) == 1
    discs = view.layer("curves releases")
    view.hover(QPoint(round(float(discs.x[-1])), round(float(discs.y[-1]))))
    compared = view.layer("curves")
    row = compared.item.tolist().index(state(view).hover)
    assert np.asarray(compared.color)[row, :3].tolist() == [214, 39, 40]
    legend = view.layer("legend names")
    assert isinstance(legend, Labels)
    assert {"computes", "waits, the more the stronger", "reads and writes"} <= set(legend.text)


@pytest.fixture
def marked(qapp: QApplication, qtbot: QtBot) -> Iterator[ShownView]:
    """A thread whose first wait is released, whose second is not, and whose third never ends; the other one writes."""
    trace = waiting(([0], False), ([3], False), never=True)
    row = int(np.flatnonzero(trace.calls.end - trace.calls.start > 30 * MS)[-1])
    ends = {"start": trace.calls.start[[row]], "end": trace.calls.end[[row]]}
    one = np.ones(1, np.int64)
    io = Table(
        {"call": np.array([row], np.uint32), "object": one.astype(np.uint32), **ends, "bytes": one, "write": one > 0}
    )
    made = ShownView(started(replace(trace, tables={**trace.tables, "io": io})), "main", (700, 500))
    made.canvas.show()
    qtbot.waitExposed(made.canvas)
    yield made
    made.canvas.close()
    made.canvas.deleteLater()


def test_marks_say_what_became_of_their_waits(marked: ShownView, qtbot: QtBot) -> None:
    """ST-8: a cross where no release was recorded, a square where the wait never ended."""
    for name, says in (("timed out", "No release of it was recorded"), ("never ended", "It was never released.")):
        mark = marked.layer(name)
        assert len(mark.item) == 1
        spot = QPoint(round(float(mark.x[0])) - 2, round(float(mark.y[0])))
        marked.hover(QPoint(1, 1))
        marked.hover(spot)
        qtbot.waitUntil(lambda says=says: says in marked.canvas.tooltip_text)  # type: ignore[misc] # bound now
        assert "event 0x3" in marked.canvas.tooltip_text


def test_what_reads_and_writes_is_hatched_on_the_screen(marked: ShownView) -> None:
    """ST-7: by the pixels, not by colour alone; waits and computing are not."""
    marked.hover(QPoint(1, 1))
    known, at = known_of(marked), arranged(marked)
    image = marked.canvas.grab().toImage()
    scale = image.width() / marked.canvas.width()
    turns = dict[str, int]()
    for thread in at.at.every:
        bars = bars_of(marked, thread)
        for bar in np.flatnonzero(bars.x1 - bars.x0 > 5 * MS).tolist():
            row = int(bars.row[bar])
            pane = at.panes[thread]
            x = np.linspace(bars.x0[bar], bars.x1[bar], 160)[10:60]  # left of all marks
            px, py = locate(pane, x, np.full(50, (at.tops[bars.depth[bar]] + at.tops[bars.depth[bar] + 1]) / 2 - 0.25))
            light = np.array(
                [image.pixelColor(round(a * scale), round(b * scale)).lightness() for a, b in zip(px, py, strict=True)]
            )
            what = "io" if known.io[row] > known.wait[row] else "other"
            step = np.sign(np.diff(light) * (np.abs(np.diff(light)) > 12))
            step = step[step != 0]
            turns[what] = max(turns.get(what, 0), int((np.diff(step) != 0).sum()))
    assert turns["io"] > 6
    assert turns["other"] <= 2


@pytest.mark.usefixtures("large")
def test_a_document_restores_both_views(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """What was done in SyncTrace and ViewFusion is there again after the recording was closed and opened."""
    session = window.session
    session.traces.add(imported(shop_run(session.graph), "run.json"))
    qtbot.waitUntil(lambda: session.traces.found is not None and not session.traces.is_wanted)
    offered(window)
    sync, fusion = opened(window, "sync"), opened(window, "fusion")
    qtbot.waitUntil(lambda: not window.jobs.running)
    sync.canvases["main"].picture()
    qtbot.keyClicks(sync.canvases["main"], "oc")
    fusion.canvases["fusion"].picture()
    qtbot.keyClick(fusion.canvases["fusion"], Qt.Key.Key_Control)
    states = [panel.instance.state for panel in (sync, fusion)]
    assert states[0].path is not None
    assert states[1].code
    write_document(session.document(), tmp_path / "a.cbv")
    entries = read_document(tmp_path / "a.cbv").view["views"]
    assert [entry["view"] for entry in entries] == ["sync", "fusion"]
    session.traces.close()
    assert window.plugin_docks.docks == {}
    session.traces.add(imported(shop_run(session.graph), "run.json"))
    again = {dock.panel.instance.view.name: dock.panel.instance for dock in window.plugin_docks.docks.values()}
    assert again["sync"].state == states[0]
    assert again["sync"].values["color"] == "object"
    assert again["fusion"].state == states[1]
