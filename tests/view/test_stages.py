"""NEW-11: a first picture of imports, then the depth; what the user did meanwhile stays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtTest import QTest

from cbvtool.analysis import analyze, folder
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.picture import Text
from cbvtool.graph.records import edge_records, graph_of, node_records
from cbvtool.metrics import evaluate
from cbvtool.metrics.metric import Subject
from cbvtool.progress import Progress
from cbvtool.project import Project, open_project
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.view.window import opening as opening_module
from cbvtool.view.window.main_window import MainWindow

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
    told: list[Change] = []
    session.subscribe(told.append)
    session.deepen(final)
    assert session.project is final
    assert told == [Change.DEPTH, Change.PLAN, Change.TRACE, Change.VIEW, Change.FILE]
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


def in_first_stage(
    window: MainWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> threading.Event:
    """The first picture is seen; the second stage comes once the event is set."""
    first, final = stages
    go_on = threading.Event()

    def slow(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        on_first(first)
        while not go_on.wait(0.01):
            progress("Reading sources", 1, 2)
        return final

    monkeypatch.setattr(opening_module, "open_project", slow)
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.open(shop.path)
    return go_on


def test_the_window_shows_both(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first picture is there while the second is made; then it is replaced, and the way one looked at it stays."""
    first, final = stages
    window = new_window()
    go_on = in_first_stage(window, shop, stages, qtbot, monkeypatch)
    assert window.opening.busy
    assert window.session.project is first
    window.session.select([window.session.graph.key_of["shop/ui"]])
    camera = window.canvas.stage.camera
    go_on.set()
    qtbot.waitUntil(lambda: window.session.project is final)
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
            time.sleep(0.001)

    monkeypatch.setattr(opening_module, "open_project", endless)
    window = new_window()
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.project is stages[0])
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
        go_on.wait(60)
        return stages[1]

    monkeypatch.setattr(opening_module, "open_project", slow)
    window = new_window()
    window.open(shop.path)
    qtbot.waitUntil(lambda: window.session.project is stages[0])
    other = Project(shop.path / "shop", "other", analyze(shop.path / "shop"), None, "", "folder")
    window.session.open(other)
    go_on.set()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert window.session.project is stages[1]  # what was asked for last, as a whole


AT_ONCE = frozenset({"bytes", "leaves", "kind", "language"})


def words(window: MainWindow) -> str:
    """All that the legends say."""
    scene = window.canvas.stage.scene
    assert scene is not None
    pictures = furniture.legends(scene, 1000, 800).values()
    return "\n".join(item.text for picture in pictures for item in picture.items if isinstance(item, Text))


def test_what_is_not_known_yet_is_no_zero(stages: tuple[Project, Project]) -> None:
    """Measures that nobody has taken are NaN, not 0; what a first project knows in full is told as it is."""
    first, final = stages
    session = Session()
    session.open(first)
    for name, metric in session.metrics.items():
        column = evaluate(name, Subject(session.graph), session.metrics)
        has_values = not np.isnan(column).all()
        assert has_values == (name in AT_ONCE or name.startswith(("fan", "transitive", "instab"))), name
        assert metric.show(float("nan")) == ("not measured" if name in AT_ONCE else "being measured"), name
    session.deepen(final)
    assert {metric.show(float("nan")) for metric in session.metrics.values()} == {"not measured"}


def test_history_that_will_not_come_is_not_waited_for(stages: tuple[Project, Project]) -> None:
    """A folder without git has no history that could be measured."""
    session = Session()
    session.open(replace(stages[0], commit=""))
    waited = {name for name, metric in session.metrics.items() if metric.missing == "being measured"}
    assert waited == set(session.metrics) - AT_ONCE - {name for name, one in session.metrics.items() if one.history}


def test_the_first_ring_is_as_wide_as_the_second(stages: tuple[Project, Project]) -> None:
    """Lines stand in for source lines, so that nothing jumps when these are counted."""
    first, final = stages
    widths = []
    for project in (first, final):
        session = Session()
        session.open(project)
        scene, key_of = session.scene(), session.graph.key_of
        spans = [scene.tree.represent[key_of[place]] for place in ("shop", "tests")]
        widths.append([float(scene.layout.a1[item] - scene.layout.a0[item]) for item in spans])
    assert widths[0] == pytest.approx(widths[1], rel=0.35)
    assert widths[0][0] > widths[0][1] > 0


def test_the_window_says_what_is_being_measured(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Legends, tooltip and details, until it is there; a preset may be chosen meanwhile, and gets right."""
    _, final = stages
    window = new_window()
    go_on = in_first_stage(window, shop, stages, qtbot, monkeypatch)
    stage, session = window.canvas.stage, window.session
    assert words(window).count("being measured") == 3  # height, colour, and the grey of leaves
    assert "everywhere" not in words(window)
    key = session.graph.key_of["shop/ui"]
    leaves = stage.scene.color[stage.scene.tree.leaf].tolist()
    assert {tuple(color) for color in leaves} == {stage.theme.missing}
    session.select([key])
    assert "Source lines being measured" in " ".join(window.desk.panels["details"].text.toPlainText().split())
    place = stage.picking.place_of(key)
    QTest.mouseMove(window.canvas, place)
    qtbot.waitUntil(lambda: "Deeply nested code: being measured" in window.canvas.tooltip.text)
    assert window.actions_by_name["preset_2"].isEnabled()
    window.actions_by_name["preset_2"].trigger()
    assert "being measured" in words(window)
    go_on.set()
    qtbot.waitUntil(lambda: session.project is final)
    qtbot.waitUntil(lambda: "being measured" not in words(window))
    assert "being measured" not in window.desk.panels["details"].text.toPlainText()
    assert "being measured" not in window.canvas.tooltip.text or not window.canvas.tooltip.isVisible()
    assert stage.scene.height_legend.maximum > 0


def test_after_cancel_nothing_is_being_measured(
    new_window: NewWindow, shop: Project, stages: tuple[Project, Project], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not known then is not measured, and the picture shows what there is."""

    def endless(path: Path, *, progress: Progress, on_first: Callable[[Project], None]) -> Project:
        on_first(stages[0])
        while True:
            progress("Reading sources", 1, 2)
            time.sleep(0.001)

    monkeypatch.setattr(opening_module, "open_project", endless)
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.open(shop.path)
    assert "being measured" in words(window)
    window.status.cancel.click()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert "being measured" not in words(window)
    assert window.session.view.mapping.angle == "bytes"
    window.session.select([window.session.graph.key_of["shop"]])
    assert "being measured" not in window.desk.panels["details"].text.toPlainText()
    assert "Not measured: " in window.desk.panels["details"].text.toPlainText()
