"""Design 8: steps of the plan and places in other hierarchies of a huge graph, made in the background."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt

from cbvtool.graph import EXTERNAL
from cbvtool.plan import History
from cbvtool.session import picture
from cbvtool.session.planning import planning
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def threads(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The sample project counts as huge; the threads on which steps are found out about."""
    monkeypatch.setattr(picture, "HUGE", 0)
    found: set[int] = set()
    stepped = planning.stepped

    def noted(*inputs: Any) -> Any:
        found.add(threading.get_ident())
        return stepped(*inputs)

    monkeypatch.setattr(planning, "stepped", noted)
    return found


def done(window: MainWindow) -> list[str]:
    history = window.session.history
    assert isinstance(history, History)
    return [group.label for group in history.done]


def test_a_step_by_keys_and_its_undo_before_it_is_there(window: MainWindow, threads: set[int], qtbot) -> None:
    """DND-1, DND-3: both in their order, neither on the window's thread; panels and picture follow."""
    session = window.session
    key_of = session.graph.key_of
    session.move([key_of["shop/domain"]], key_of["shop/ui"])
    session.move([key_of["shop/infrastructure"]], key_of["shop/ui"])
    assert done(window) == []
    assert window.status.work.text() == "Changing the plan"
    assert session.unsaved, "or closing the window would lose it"
    qtbot.waitUntil(lambda: len(done(window)) == 2)
    for name in ("undo", "undo", "redo"):  # the last one before there is anything to redo
        window.actions_by_name[name].trigger()
    qtbot.waitUntil(lambda: session.first_job is None)
    assert done(window) == ["move of domain to ui"]
    assert threads
    assert threading.get_ident() not in threads
    scene = window.canvas.stage.scene
    assert scene is not None
    assert scene.graph is session.graph
    assert window.desk.panels["structure"].model.graph is session.graph
    qtbot.waitUntil(lambda: window.judging.current is not None)
    assert "domain" in window.desk.panels["plan"].text.toPlainText()
    assert window.actions_by_name["undo"].text() == "Undo move of domain to ui"
    assert window.status.work.isHidden()


def test_a_refused_step_says_why(window: MainWindow, threads: set[int], qtbot) -> None:
    session = window.session
    key_of = session.graph.key_of
    session.remove([key_of["shop/ui"]])
    session.move([key_of["shop/domain"]], key_of["shop/ui"])
    qtbot.waitUntil(lambda: session.first_job is None)
    assert len(done(window)) == 1
    assert window.message.text


def test_a_click_in_the_plan_goes_there_in_one_step(window: MainWindow, threads: set[int], qtbot) -> None:
    session = window.session
    for name in ("one", "two", "three"):
        session.create(session.graph.key_of["shop"], name)
    qtbot.waitUntil(lambda: len(done(window)) == 3)
    window.desk.panels["plan"].travelled.emit(1)
    qtbot.waitUntil(lambda: len(done(window)) == 1)
    assert session.first_job is None


def test_a_drag_waits_for_the_step_before(
    window: MainWindow, threads: set[int], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hand gets nothing to hold, and a sentence."""
    session, canvas = window.session, window.canvas
    go_on, stepped = threading.Event(), planning.stepped

    def late(*inputs: Any) -> Any:
        go_on.wait(10)
        return stepped(*inputs)

    monkeypatch.setattr(planning, "stepped", late)
    key_of = session.graph.key_of
    canvas.stage.toggle_top()
    place = canvas.stage.picking.place_of(key_of["shop/services"])
    session.move([key_of["shop/domain"]], key_of["shop/ui"])
    QtBot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=place)
    QtBot.mouseMove(canvas, place * 1.2)
    QtBot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=place * 1.2)
    assert session.view.drag is None
    assert "still being made" in window.message.text
    go_on.set()
    qtbot.waitUntil(lambda: len(done(window)) == 1)


def test_alt_left_into_another_hierarchy(window: MainWindow, threads: set[int], qtbot) -> None:
    """CBV-13, DND-8."""
    session = window.session
    window.hierarchies.show("languages")
    qtbot.waitUntil(lambda: session.view.hierarchy == "languages")
    window.actions_by_name["back"].trigger()
    assert session.view.hierarchy == "languages"
    assert window.status.work.text() == "Going to another hierarchy"
    qtbot.waitUntil(lambda: session.view.hierarchy == "")
    assert window.canvas.stage.scene.graph is session.planned
    assert window.hierarchies.list.currentData() == ""


def test_cancel_gives_up_what_waits(window: MainWindow, threads: set[int], qtbot) -> None:
    """The button beside the words that say what is being done."""
    session = window.session
    key_of = session.graph.key_of
    session.begin_drag([key_of["shop/domain"]])
    session.drag_over(key_of["shop/ui"])
    session.drop()
    session.move([key_of["shop/services"]], key_of["shop/ui"])
    assert window.status.cancel.isVisible()
    window.status.cancel.click()
    qtbot.waitUntil(lambda: not window.main_view.scene_making.busy)
    assert session.first_job is None
    assert done(window) == []
    assert session.view.drag is None
    assert not session.unsaved
    assert not session.is_late
    session.move([key_of["shop/services"]], key_of["shop/ui"])
    qtbot.waitUntil(lambda: len(done(window)) == 1)


def test_a_picture_that_is_cancelled_leaves_the_one_before(window: MainWindow, threads: set[int], qtbot) -> None:
    session = window.session
    expanded = session.view.expanded
    session.step_depth(1)
    assert session.is_late
    window.status.cancel.click()
    qtbot.waitUntil(lambda: not window.main_view.scene_making.busy)
    assert session.view.expanded == expanded


def test_closing_the_window_ends_what_waits(window: MainWindow, threads: set[int]) -> None:
    session = window.session
    session.move([session.graph.key_of["shop/domain"]], session.graph.key_of["shop/ui"])
    window.close()
    assert not window.main_view.scene_making.busy


def test_details_follow_a_picture_that_comes_late(window: MainWindow, threads: set[int], qtbot) -> None:
    """Selecting what lies outside shows it: once its relations are in the picture, they are in the details."""
    session = window.session
    graph = session.graph
    outside = next(key for key in range(len(graph)) if graph.kind(key) == EXTERNAL and key in set(graph.edges.target))
    window.desk.reveal(outside)
    qtbot.waitUntil(lambda: session.scene().state.external)
    assert "Used by\nnothing outside" not in window.desk.panels["details"].text.toPlainText()
