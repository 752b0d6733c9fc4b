"""Issue 3 item 5, NEW-11: a first picture of imports, then the depth; what the user did meanwhile stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, folder
from cbvtool.graph.records import edge_records, graph_of, node_records
from cbvtool.progress import Progress
from cbvtool.project import Project, open_project
from cbvtool.session import Session
from cbvtool.view import opening as opening_module
from cbvtool.view.main_window import MainWindow

NewWindow = Callable[[], MainWindow]


@pytest.fixture
def stages(shop: Project, monkeypatch: pytest.MonkeyPatch) -> tuple[Project, Project]:
    """The sample project as it is first, and as it is in depth."""
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    firsts: list[Project] = []
    final = open_project(shop.path, on_first=firsts.append)
    return firsts[0], final


def test_the_first_project(stages: tuple[Project, Project]) -> None:
    """Imports alone and no history yet, but the same subject."""
    first, final = stages
    assert (first.path, first.name, first.commit, first.kind) == (final.path, final.name, final.commit, "folder")
    assert first.changes is None
    assert final.changes is not None
    assert len(first.graph) < len(final.graph)


def test_what_the_user_did_stays(stages: tuple[Project, Project]) -> None:
    """Plan, selection, expansion, restriction and the way back mean the same nodes in the deeper graph."""
    first, final = stages
    graph = final.graph  # with its keys in another order, so that one that is not looked up anew is a wrong one
    final = replace(final, graph=graph_of(graph.name, node_records(graph), edge_records(graph)))
    session = Session()
    session.open(first)
    ids = ["shop/ui", "shop/services", "shop/domain"]

    def keys() -> list[int]:
        return [session.graph.key_of[node] for node in ids]

    session.expand([session.graph.key_of["shop"]])
    session.restrict(session.graph.key_of["shop"])
    session.hide([keys()[1]])
    session.select([keys()[0]])
    assert session.move([keys()[2]], keys()[0]) is None
    before = first.graph.key_of["shop/ui"]
    told: list[str] = []
    session.subscribe(told.append)
    session.deepen(final)
    assert session.project is final
    assert told == ["depth", "plan", "view", "file"]
    assert session.view.selected == (keys()[0],)
    assert session.graph.key_of["shop"] in session.view.expanded
    assert session.view.root == session.graph.key_of["shop"]
    assert session.view.hidden == {keys()[1]}
    assert session.graph.parent[keys()[2]] == keys()[0]
    assert session.history is not None
    assert len(session.history.done) == 1
    assert session.history.refusals == ()
    assert session.unsaved
    assert session.can_go_back
    assert before != keys()[0]
    session.undo()
    assert session.graph.parent[keys()[2]] == session.graph.key_of["shop"]


def test_the_window_shows_both(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first picture is there while the second is made; then it is replaced, and the way one looked at it stays."""
    first, final = stages
    go_on = threading.Event()

    def slow(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        on_first(first)
        while not go_on.wait(0.01):
            progress("Reading sources", 1, 2)
        return final

    monkeypatch.setattr(opening_module, "open_project", slow)
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame, timeout=60_000):
        window.open(shop.path)
    assert window.opening.busy
    assert window.session.project is first
    window.session.select([window.session.graph.key_of["shop/ui"]])
    camera = window.canvas.stage.camera
    go_on.set()
    qtbot.waitUntil(lambda: window.session.project is final, timeout=20_000)
    assert window.session.view.selected == (window.session.graph.key_of["shop/ui"],)
    assert window.canvas.stage.camera == camera
    assert not window.opening.busy


def test_cancel_keeps_the_first_picture(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancel while the depth is read: the first picture is what is open."""

    def endless(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        on_first(stages[0])
        while True:
            progress("Reading sources", 1, 2)

    monkeypatch.setattr(opening_module, "open_project", endless)
    window = new_window()
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.project is stages[0], timeout=20_000)
    window.status.cancel.click()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert window.session.project is stages[0]
    assert window.message.text == ""


def test_another_subject_meanwhile(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The depth of one subject is not put below another one that was opened since."""
    go_on = threading.Event()

    def slow(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        on_first(stages[0])
        go_on.wait(20)
        return stages[1]

    monkeypatch.setattr(opening_module, "open_project", slow)
    window = new_window()
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.project is stages[0], timeout=20_000)
    other = Project(shop.path / "shop", "other", analyze(shop.path / "shop"), None, "", "folder")
    window.session.open(other)
    go_on.set()
    qtbot.waitUntil(lambda: not window.opening.busy, timeout=20_000)
    assert window.session.project is stages[1]  # what was asked for last, as a whole
