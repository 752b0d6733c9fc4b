"""The timeline with real mouse and key events: the picture follows its range (CBV-9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pytestqt.qtbot import QtBot
from qtpy import QtTest
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.history.activity import STACKS
from cbvtool.history.time_range import CHOICES, Mark, day
from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn
from cbvtool.plots.picking import pick
from cbvtool.project import Project
from cbvtool.session.change import Change
from cbvtool.session.view_data import view_of
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.style.style_panel import StylePanel
from cbvtool.view.panels.timeline.drawing import MARGIN, RELEASES, TOP, pixel_of, plot_width
from cbvtool.view.panels.timeline.gestures import Grip, dragged, grip_at, resized, stepped
from cbvtool.view.panels.timeline.line_counting import wanted_by
from cbvtool.view.panels.timeline.timeline_panel import CANCELLED, TimelinePanel
from cbvtool.view.toolkit.plain import tooltip_of
from cbvtool.view.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
QTest: Any = QtTest.QTest  # its stubs do not know that these functions are static


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> TimelinePanel:
    """The timeline of the sample project, drawn, with two releases."""
    project = window.session.project
    assert project is not None
    changes = project.changes
    assert changes is not None
    third, last = int(changes.time[len(changes.time) // 3]), int(changes.time[-2])
    releases = (Mark("v1.0", third), Mark("v2.0-rc1", last - 1), Mark("v2.0", last))
    window.session.state.project = replace(project, releases=releases)
    window.resize(900, 700)
    made = window.desk.show(TimelinePanel)
    ready(made, qtbot)
    return made


def commits(window: MainWindow) -> Changes:
    changes = window.session.time_ranges.changes
    assert changes is not None
    return changes


def ready(panel: TimelinePanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(panel.canvas.plot.panes) and not panel.desk.jobs.is_busy(panel, "prepare"))
    panel.canvas.grab()


def place(panel: TimelinePanel, time: float, y: float = 0.6) -> QPoint:
    """Where a second lies on the canvas; y: 0 = at the top of the bars."""
    ground = panel.canvas.ground
    x = pixel_of(time, panel.canvas.plot.panes[0].x, plot_width(panel.canvas.sight))
    return QPoint(round(x), round(TOP + (ground.height() - 52) * y))


def between(panel: TimelinePanel, share: float) -> int:
    first, last = panel.shown
    return round(first + share * (last - first))


def drag(panel: TimelinePanel, start: int, end: int, *, let_go: bool = True, steps: int = 6) -> None:
    """Press at one second, move to another."""
    ground = panel.canvas.ground
    QTest.mousePress(ground, LEFT, Qt.KeyboardModifier.NoModifier, place(panel, start))
    for step in range(1, steps + 1):
        move(panel, start + (end - start) * step / steps)
    if let_go:
        QTest.mouseRelease(ground, LEFT, Qt.KeyboardModifier.NoModifier, place(panel, end))


def move(panel: TimelinePanel, time: float) -> None:
    """QTest.mouseMove holds no button."""
    ground, spot = panel.canvas.ground, place(panel, time)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(spot),
        QPointF(ground.mapToGlobal(spot)),
        Qt.MouseButton.NoButton,
        LEFT,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(ground, event)


def near(panel: TimelinePanel, found: int, wanted: int) -> bool:
    """Whether two moments lie within two pixels."""
    first, last = panel.shown
    return abs(found - wanted) <= 2 * (last - first) / plot_width(panel.canvas.sight)


def pixels(window: MainWindow, qtbot: QtBot) -> npt.NDArray[np.uint8]:
    """The picture at rest, without names and legends."""
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    frame = window.canvas.stage.frame
    assert frame is not None
    bits: Any = frame.constBits()  # of a type that depends on the binding
    bits.setsize(frame.sizeInBytes())
    return np.frombuffer(bytes(bits), np.uint8)


# -- dragging ------------------------------------------------------------------------------------------------------


def test_dragging_the_range_changes_the_picture(panel: TimelinePanel, window: MainWindow, qtbot: QtBot) -> None:
    """CBV-9: heights follow while the mouse is still down, and the pixels of the picture with them."""
    before, height = pixels(window, qtbot), window.session.scene().height
    start, end = between(panel, 0.05), between(panel, 0.4)
    drag(panel, start, end, let_go=False)
    assert window.session.time_ranges.is_sliding
    assert near(panel, window.session.view.since or 0, start)
    assert near(panel, window.session.view.until or 0, end)
    assert not np.array_equal(window.session.scene().height, height)
    assert not np.array_equal(pixels(window, qtbot), before)
    held = window.session.view
    QTest.mouseRelease(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, place(panel, end))
    assert not window.session.time_ranges.is_sliding
    assert (window.session.view.since, window.session.view.until) == (held.since, held.until)


def test_the_range_is_moved_and_resized(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: its middle moves it, its edges make it longer or shorter."""
    a, b, c = (between(panel, share) for share in (0.3, 0.5, 0.6))
    drag(panel, a, b)
    first, last = panel.span
    drag(panel, (first + last) // 2, (first + last) // 2 + (c - b))
    assert panel.span[1] - panel.span[0] == last - first
    assert near(panel, panel.span[0], first + (c - b))
    first, last = panel.span
    drag(panel, last, between(panel, 0.9))
    assert panel.span[0] == first
    assert near(panel, panel.span[1], between(panel, 0.9))
    drag(panel, first, between(panel, 0.1))
    assert near(panel, panel.span[0], between(panel, 0.1))
    assert near(panel, panel.span[1], between(panel, 0.9))


def test_escape_cancels_a_drag(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: the range is that of before, and there is no place to go back to."""
    panel.choose((between(panel, 0.2), between(panel, 0.4)))
    before, places = window.session.view, window.session.places()
    drag(panel, between(panel, 0.6), between(panel, 0.8), let_go=False)
    assert window.session.view.since != before.since
    QTest.keyClick(panel.canvas, Qt.Key.Key_Escape)
    assert (window.session.view.since, window.session.view.until) == (before.since, before.until)
    assert window.session.places() == places
    assert not window.session.time_ranges.is_sliding
    QTest.mouseRelease(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, place(panel, between(panel, 0.8)))
    assert window.session.view.since == before.since


def test_a_whole_drag_is_one_place_to_go_back_to(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: View > Back undoes a change of the range, in words that tell it."""
    session = window.session
    places = len(session.places())
    drag(panel, between(panel, 0.2), between(panel, 0.5), steps=9)
    chosen = session.view.since, session.view.until
    assert session.places()[0] == "history: usual range"
    assert len(session.places()) == places + 1
    session.go_back()
    assert (session.view.since, session.view.until) == (None, None)
    session.go_forward()
    assert (session.view.since, session.view.until) == chosen


def test_panels_follow_when_the_range_rests(
    panel: TimelinePanel, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-9: coarse first: tables are filled when the drag is held still, not with each frame."""
    session, told = window.session, list[frozenset[Change]]()
    session.select([session.graph.key_of["shop"]])
    monkeypatch.setattr(window.desk.panel(DetailsPanel), "follow", told.append)
    drag(panel, between(panel, 0.2), between(panel, 0.5), let_go=False, steps=20)
    assert told == []
    qtbot.waitUntil(lambda: len(told) == 1)
    QTest.mouseRelease(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, place(panel, between(panel, 0.5)))
    assert len(told) == 2


def test_the_picture_does_not_glide_while_the_range_is_dragged(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: a frame shows the range that is chosen now."""
    window.settings.reduced_motion = False
    drag(panel, between(panel, 0.1), between(panel, 0.5), let_go=False)
    assert window.canvas.stage.rests
    assert window.canvas.stage.shown is window.canvas.stage.scene
    window.settings.reduced_motion = True
    QTest.keyClick(panel.canvas, Qt.Key.Key_Escape)


# -- typing, snapping, choosing -------------------------------------------------------------------------------------


def typed(panel: TimelinePanel, first: str | None = None, last: str | None = None) -> None:
    for field, text in ((panel.controls.first, first), (panel.controls.last, last)):
        if text is not None:
            field.selectAll()
            QTest.keyClicks(field, text) if text else QTest.keyClick(field, Qt.Key.Key_Delete)
            QTest.keyClick(field, Qt.Key.Key_Return)


def test_a_range_is_typed(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: ISO dates count whole days in UTC; tags and commits are moments; an empty field is open."""
    changes = commits(window)
    first, last = day(int(changes.time[1])), day(int(changes.time[-2]))
    typed(panel, first, last)
    assert window.session.view.since == int(changes.time[1]) // 86_400 * 86_400
    assert (window.session.view.until or 0) % 86_400 == 86_399
    assert panel.controls.first.text() == first
    typed(panel, "v1.0")
    assert window.session.view.since == panel.session.time_ranges.releases[0].time
    typed(panel, changes.sha[2][:12])
    assert window.session.view.since == int(changes.time[2])
    typed(panel, last="")
    assert window.session.view.until is None


@pytest.mark.parametrize("text", ["2020-02-31", "next week", "v17"])
def test_what_cannot_be_a_range_is_refused_in_a_sentence(panel: TimelinePanel, window: MainWindow, text: str) -> None:
    before = window.session.view.since
    typed(panel, text)
    assert window.session.view.since == before
    assert text in window.desk.message.text
    assert panel.controls.first.text() == day(panel.span[0])


def test_a_range_that_ends_before_it_begins_is_refused(panel: TimelinePanel, window: MainWindow) -> None:
    typed(panel, "2090-01-01")
    typed(panel, last="1990-01-01")
    assert window.session.view.until is None
    assert "before it begins" in window.desk.message.text


def test_escape_takes_back_what_was_typed(panel: TimelinePanel, window: MainWindow) -> None:
    shown = panel.controls.first.text()
    panel.controls.first.selectAll()
    QTest.keyClicks(panel.controls.first, "1999")
    window.activateWindow()
    panel.controls.first.setFocus()
    QTest.keyClick(panel.controls.first, Qt.Key.Key_Escape)
    assert panel.controls.first.text() == shown


def test_drags_snap_to_releases(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: with Snap an edge that comes near a release is at its very second; release candidates do not count."""
    release = window.session.time_ranges.releases[0].time
    first, last = panel.shown
    beside = round(release + 4 * (last - first) / plot_width(panel.canvas.sight))
    drag(panel, beside, between(panel, 0.95))
    assert panel.span[0] != release
    panel.choose(panel.limit)
    QTest.mouseClick(panel.controls.snap, LEFT)
    panel.choose((first, first + 1))
    drag(panel, beside, between(panel, 0.95))
    assert panel.span[0] == release
    assert panel.desk.settings.timeline["snap"] == "on"


def test_both_lists_and_the_menu_are_one_choice(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: the list of the Style tab, that of the timeline, and the menu History show and set the same range."""
    lists = panel.controls.choice, window.desk.panel(StylePanel).time_range
    actions = window.actions_by_name
    for row, choice in enumerate(CHOICES):
        lists[row % 2].setCurrentIndex(row)
        lists[row % 2].activated.emit(row)
        assert [each.currentText() for each in lists] == [choice.name] * 2
        assert actions[f"range_{choice.name.lower().replace(' ', '_')}"].isChecked()
    drag(panel, between(panel, 0.2), between(panel, 0.5))
    assert [each.currentIndex() for each in lists] == [-1, -1]
    actions["range_all"].trigger()
    assert [each.currentText() for each in lists] == ["All"] * 2


def test_the_last_commits_are_asked_for(
    panel: TimelinePanel, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-9: last N commits."""
    answers = iter(["3", "many", None])
    monkeypatch.setattr("cbvtool.view.panels.timeline.range_list.ask_line", lambda *_asked: next(answers))
    choice, changes = panel.controls.choice, commits(window)
    for _ in range(3):
        choice.setCurrentIndex(len(CHOICES))
        choice.activated.emit(len(CHOICES))
        assert window.session.view.since == int(changes.time[-3])
        assert choice.currentIndex() == -1
    assert panel.words.startswith("3 commit")


def test_releases_are_stepped_through_and_clicked(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: the time of the work on a release; release candidates are passed by, but can be clicked."""
    releases = window.session.time_ranges.releases
    changes = commits(window)
    panel.choose((int(changes.time[0]), int(changes.time[0]) + 1))
    QTest.keyClick(panel.canvas, Qt.Key.Key_PageDown)
    assert panel.span == (int(changes.time[0]), releases[0].time)
    window.actions_by_name["next_release"].trigger()
    assert panel.span == (releases[0].time + 1, releases[2].time)
    QTest.keyClick(panel.canvas, Qt.Key.Key_PageUp)
    assert panel.span == (int(changes.time[0]), releases[0].time)
    panel.canvas.grab()
    labels = next(layer for layer in panel.canvas.plot.layers if layer.name == RELEASES)
    where = list(labels.text).index("v2.0")
    spot = QPoint(round(float(labels.x[where])) + 4, round(float(labels.y[where])))
    QTest.mouseClick(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, spot)
    assert panel.span == (releases[0].time + 1, releases[2].time)


def test_a_double_click_on_a_bar_is_its_time(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9, and its tooltip says what it is."""
    bars = panel.canvas.plot.layers[0]
    number = int(np.argmax(bars.y1 - bars.y0))
    middle = (float(bars.x0[number]) + float(bars.x1[number])) / 2
    pane = panel.canvas.plot.panes[0]
    y = TOP + (pane.y[0] - float(bars.y0[number] + bars.y1[number]) / 2) / pane.y[0] * pane.shape.height
    spot = QPoint(round(pixel_of(middle, pane.x, pane.shape.width)), round(y))
    QTest.mouseDClick(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, spot)
    assert panel.span == (int(bars.x0[number]), int(bars.x1[number]) - 1)
    panel.canvas.grab()
    told = panel._tell(pick(panel.canvas._filled, spot.x(), spot.y()))
    assert "of" in told[1]
    assert told[1].endswith("commits")


# -- keys, zooming, playing ------------------------------------------------------------------------------------------


def test_keys_move_and_resize_the_range(panel: TimelinePanel, window: MainWindow, qtbot: QtBot) -> None:
    """CBV-9: with Shift arrows are for the range, without for what is seen; Home takes all."""
    shift = Qt.KeyboardModifier.ShiftModifier
    panel.choose((between(panel, 0.4), between(panel, 0.6)))
    before = panel.span
    QTest.keyClick(panel.canvas, Qt.Key.Key_Right, shift)
    assert panel.span == stepped(before, 1, panel.limit)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Left, shift)
    assert panel.span == before
    QTest.keyClick(panel.canvas, Qt.Key.Key_Up, shift)
    assert panel.span == resized(before, 1, panel.limit)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Down, shift)
    assert panel.span[0] > resized(before, 1, panel.limit)[0]
    QTest.keyClick(panel.canvas, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: panel.span == panel.limit)
    seen = panel.shown
    QTest.keyClick(panel.canvas, Qt.Key.Key_Plus)
    assert panel.shown[1] - panel.shown[0] < seen[1] - seen[0]
    QTest.keyClick(panel.canvas, Qt.Key.Key_F)
    assert panel.shown == seen
    assert panel.span == panel.limit


def test_play_and_pause(panel: TimelinePanel, window: MainWindow, qtbot: QtBot) -> None:
    """CBV-9: the range slides to the end of the history and the picture with it; a pause is one place to go back to."""
    session = window.session
    panel.choose((between(panel, 0.0), between(panel, 0.2)))
    places, start, height = len(session.places()), panel.span, session.scene().height
    panel.controls.speed.setCurrentIndex(panel.controls.speed.count() - 1)
    panel.controls.speed.activated.emit(panel.controls.speed.count() - 1)
    panel.playing._timer.setInterval(1)
    QTest.mouseClick(panel.controls.play, LEFT)
    panel.playing._timer.setInterval(1)  # motion is reduced in tests: a step a second
    assert panel.playing.runs
    assert panel.controls.play.accessibleName() == "Pause"
    assert window.actions_by_name["play_history"].isChecked()
    qtbot.waitUntil(lambda: panel.span[0] > start[0])
    assert panel.span[1] - panel.span[0] == start[1] - start[0]
    window.actions_by_name["play_history"].trigger()
    assert not panel.playing.runs
    assert not session.time_ranges.is_sliding
    assert not np.array_equal(session.scene().height, height)
    assert len(session.places()) == places + 1
    session.go_back()
    assert panel.span == start


def test_playing_grows_and_ends_with_the_history(panel: TimelinePanel, window: MainWindow, qtbot: QtBot) -> None:
    """CBV-9: a growing range keeps its begin; at the end playing stops, and begins anew at the start."""
    panel.controls.mode.setCurrentIndex(1)
    panel.controls.mode.activated.emit(1)
    first = between(panel, 0.9)
    panel.choose((first, first + 10))
    QTest.keyClick(panel.canvas, Qt.Key.Key_Space)
    panel.playing._timer.setInterval(1)
    panel.playing.speed = 1000.0
    qtbot.waitUntil(lambda: not panel.playing.runs)
    assert panel.span == (first, panel.limit[1])
    assert window.session.view.until is None
    QTest.keyClick(panel.canvas, Qt.Key.Key_Space)
    assert panel.span[0] == panel.limit[0]
    assert panel.span[1] < panel.limit[1]
    drag(panel, between(panel, 0.2), between(panel, 0.5), let_go=False)
    assert not panel.playing.runs  # a hand on the range ends it
    QTest.keyClick(panel.canvas, Qt.Key.Key_Escape)


# -- pinned ranges ---------------------------------------------------------------------------------------------------


def test_pinned_ranges_are_compared(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: "changed more than before" compares the range with the pinned one; a click shows that one again."""
    session = window.session
    root = session.graph.root
    first = (between(panel, 0.0), between(panel, 0.4))
    panel.choose(first)
    QTest.mouseClick(panel.controls.pin, LEFT)
    assert session.view.pinned == (first,)
    second = (between(panel, 0.41), between(panel, 0.9))
    panel.choose(second)
    values = session.scene().values
    counted = float(values["commits"][root])
    session.set_view(since=first[0], until=first[1])
    before = float(session.scene().values["commits"][root])
    session.set_view(since=second[0], until=second[1])
    scale = (second[1] - second[0] + 1) / (first[1] - first[0] + 1)
    assert float(session.scene().values["more_changes"][root]) == pytest.approx(counted - scale * before)
    window.actions_by_name["changed_more"].trigger()
    assert session.scene().color_legend.metric.name == "more_changes"
    panel.canvas.grab()
    pin = next(layer for layer in panel.canvas.plot.layers if layer.name == "pins")
    spot = QPoint(round(float(pin.x0[0] + pin.x1[0]) / 2) + 9, round(float(pin.y0[0])) + 5)
    QTest.mouseClick(panel.canvas.ground, LEFT, Qt.KeyboardModifier.NoModifier, spot)
    assert panel.span == first
    window.actions_by_name["pin_range"].trigger()
    assert len(session.view.pinned) == 0


def test_documents_and_named_views_keep_range_and_pins(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9, CBV-6: both ends and the pinned ranges; nonsense in a file is left out."""
    session = window.session
    span = (between(panel, 0.2), between(panel, 0.5))
    panel.choose(span)
    panel.pin()
    kept = session.document().view
    assert (kept["since"], kept["until"], kept["pinned"]) == (*span, [list(span)])
    session.keep_view("work on v2", window.canvas.stage.viewpoint)
    window.actions_by_name["range_usual"].trigger()
    session.time_ranges.unpin(span)
    session.show_named(session.named[0])
    assert (session.view.since, session.view.until, session.view.pinned) == (*span, (span,))
    nonsense = {"since": "x", "until": 1.5, "pinned": [[2, 1], [1], "ab", [1, True], [3, 4]]}
    read = view_of(nonsense, session.graph, session.metrics, session.usual_mapping)
    assert (read["since"], read["until"], read["pinned"]) == (None, None, ((3, 4),))


# -- how it is set, and what is missing --------------------------------------------------------------------------------


def test_what_it_stacks_is_chosen_and_remembered(
    panel: TimelinePanel, new_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    """CBV-9: by module, by author, by kind of file; another window begins with the same."""
    names = {}
    for row, by in enumerate(STACKS):
        panel.controls.stack.setCurrentIndex(row)
        panel.controls.stack.activated.emit(row)
        ready(panel, qtbot)
        prepared = panel._prepared
        assert prepared is not None
        assert by in prepared.asked
        names[by] = prepared.groups.names
    assert ".py" in names["kind"]
    assert len(set(names.values())) == 3
    other = new_window().desk.panel(TimelinePanel)
    assert other.controls.values["stack"] == "kind"


def test_lines_are_wanted_where_they_are_shown() -> None:
    """Counting takes long: only a metric by lines, or a filter that names one, begins it."""
    view = ViewState()
    assert not wanted_by(view)
    assert not wanted_by(replace(view, only="name:churned"))
    shown = replace(view, only="churn > 3", mapping=replace(view.mapping, color="added_lines"))
    assert wanted_by(shown) == {"only:churn > 3", "color:added_lines"}


def test_changed_lines_are_offered_once_they_are_counted(
    panel: TimelinePanel, window: MainWindow, qtbot: QtBot
) -> None:
    """CBV-9: commits and churn; until lines are counted, the choice says so. Counting begins by itself."""
    changes = commits(window)
    qtbot.waitUntil(lambda: not window.jobs.running)
    counted = window.session.time_ranges.churn
    assert counted is not None
    assert counted.added.sum() > 0
    panel.controls.show_churn(known=False)
    assert not panel.controls.measure.isEnabled()
    assert "not counted yet" in tooltip_of(panel.controls.measure)
    lines = np.full(len(changes.touch_path), 5, np.int32)
    window.session.time_ranges.take_churn(changes, Churn(lines, lines.copy()))
    assert panel.controls.measure.isEnabled()
    panel.controls.measure.setCurrentIndex(1)
    panel.controls.measure.activated.emit(1)
    qtbot.waitUntil(lambda: panel._prepared is not None and panel._prepared.unit == "lines")
    panel.canvas.grab()
    assert panel._seen is not None
    assert panel._seen[1].total.sum() == 10 * len(lines)


def test_without_a_history_it_says_so(window: MainWindow, shop: Project, qtbot: QtBot) -> None:
    """CBV-9: a sentence in place of the plot, the reason of the reading if there is one."""
    panel = window.desk.show(TimelinePanel)
    ready(panel, qtbot)
    for changes, said in ((None, "no git history"), (Changes.none("The clone is empty."), "The clone is empty.")):
        window.session.open(replace(shop, changes=changes, releases=()))
        assert panel.empty.isVisible()
        assert said in panel.empty.text()
        assert not window.actions_by_name["play_history"].isEnabled()
    window.session.open(shop)
    ready(panel, qtbot)
    assert not panel.empty.isVisible()


def test_a_range_without_commits_says_so(panel: TimelinePanel, window: MainWindow) -> None:
    changes = commits(window)
    gap = int(np.argmax(np.diff(changes.time)))
    panel.choose((int(changes.time[gap]) + 1, int(changes.time[gap + 1]) - 1))
    assert panel.words == "No commit lies in this range"
    assert panel.words in panel.canvas.accessibleDescription()
    panel.canvas.grab()
    assert panel.words in [text for layer in panel.canvas.plot.layers for text in getattr(layer, "text", ())]


def test_a_cancelled_preparation_says_so_and_begins_anew(panel: TimelinePanel, qtbot: QtBot) -> None:
    panel._fail()
    panel.canvas.grab()
    assert CANCELLED.split()[0] in " ".join(panel.canvas.plot.layers[0].text)
    panel.controls.stack.setCurrentIndex(1)
    panel.controls.stack.activated.emit(1)
    ready(panel, qtbot)


def test_a_plan_marks_its_commit(panel: TimelinePanel, window: MainWindow) -> None:
    """CBV-9: tags and the plan's commit are marked."""
    session = window.session
    assert session.time_ranges.plan_mark is None
    assert session.create(session.graph.root, "fresh") is None
    mark = session.time_ranges.plan_mark
    assert mark is not None
    assert mark.time == int(commits(window).time[-1])
    panel.canvas.grab()
    labels = next(layer for layer in panel.canvas.plot.layers if layer.name == RELEASES)
    assert "plan" in labels.text


def test_the_dock_is_toggled_by_its_key(window: MainWindow, qtbot: QtBot) -> None:
    """CBV-9: Shift+T shows and closes it, alone; it has a name for screen readers."""
    panel, dock = window.desk.panel(TimelinePanel), window.desk.docks["timeline"]
    action = window.actions_by_name["timeline"]
    assert [key.toString() for key in action.shortcuts()] == ["Shift+T"]
    action.trigger()
    assert dock.isVisible()
    assert window.desk.docks["matrix"].isHidden()
    assert panel.canvas.accessibleName() == "Timeline"
    assert all(
        widget.accessibleName()
        for widget in (panel.controls.play, panel.controls.first, panel.controls.last, panel.controls.choice)
    )
    action.trigger()
    assert dock.isHidden()


# -- pure --------------------------------------------------------------------------------------------------------------


def test_an_edge_is_taken_before_the_range() -> None:
    assert grip_at(MARGIN + 3, 10, 100) is Grip.START
    assert grip_at(97, 10, 100) is Grip.END
    assert grip_at(50, 10, 100) is Grip.RANGE
    assert grip_at(150, 10, 100) is Grip.GROUND
    assert grip_at(51, 50, 52) is Grip.END


@pytest.mark.parametrize("grip", Grip)
def test_a_drag_never_leaves_the_history(grip: Grip) -> None:
    for start, now in ((5, -1000), (5, 1000), (500, 0)):
        first, last = dragged(grip, (20, 40), start, now, (0, 100))
        assert 0 <= first <= last <= 100
