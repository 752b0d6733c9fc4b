"""Cancel in the status bar stops every job that is shown there (issue 12)."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtCore import Qt
from qtpy.QtTest import QTest

import cbvtool.view
from cbvtool.errors import Cancelled
from cbvtool.progress import Progress
from cbvtool.view.commands.export_dialog import Wanted
from cbvtool.view.commands.hierarchies import Regrouping
from cbvtool.view.toolkit.worker import BackgroundJobs
from cbvtool.view.window.main_window import MainWindow

Begin = Callable[[MainWindow, pytest.MonkeyPatch, Callable[..., object]], None]


def opening(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Callable[..., object]) -> None:
    monkeypatch.setattr("cbvtool.view.window.opening.open_project", lambda *_a, progress, **_k: endless(progress))
    window.opening.open(Path("/"))


def exporting(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Callable[..., object]) -> None:
    monkeypatch.setattr("cbvtool.drawing.offscreen.picture", lambda *_a, progress, **_k: endless(progress))
    window.exporting.write(Path("never.png"), Wanted(".png", (80, 80)))


def measuring(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Callable[..., object]) -> None:
    values = window.session.scene().values
    monkeypatch.setattr(type(values), "measure", lambda _values, _name, progress: endless(progress))
    window.measuring.want(values, ("fan_in",))


def grouping(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Callable[..., object]) -> None:
    monkeypatch.setattr(window.session, "grouped", lambda _name: endless(None))
    window.hierarchies.show("packages")


def scene_making(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Callable[..., object]) -> None:
    making = window.scene_making
    making.progressed.emit("Laying out", 0, 0)
    making._worker.start(lambda _progress: endless(None), making._finish, making._fail, making._give_up)


KINDS: dict[str, Begin] = {
    "opening": opening, "exporting": exporting, "measuring": measuring, "grouping": grouping,
    "scene making": scene_making,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_cancel_stops_it(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The status bar is empty again, all stays as it was; work that cannot stop on its way is not waited for."""
    qtbot.waitUntil(lambda: window.canvas.stage.is_still and not window.status.cancel.isVisible())
    begun, let_go = threading.Event(), threading.Event()

    def endless(progress: Progress | None) -> object:
        begun.set()
        while progress is not None:
            progress("working", 1, 2)
            time.sleep(0.005)
        let_go.wait(60)
        raise Cancelled

    before = window.session.project, window.session.view
    status = window.status
    KINDS[kind](window, monkeypatch, endless)
    qtbot.waitUntil(lambda: begun.is_set() and status.cancel.isVisible())
    QTest.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
    assert not status.cancel.isVisible()
    if kind == "scene making":  # one at a time: it is told to stop, and its result is thrown away
        assert status.work.text() == "Stopping ..."
        let_go.set()
    try:
        qtbot.waitUntil(lambda: not status.work.isVisible())
    finally:
        let_go.set()
    assert (window.session.project, window.session.view) == before


def test_every_kind_of_work_is_registered(window: MainWindow, qtbot) -> None:
    """All that reports to the status bar does so through `Jobs`, those of the second view as well while it is there."""

    def kinds() -> list[str]:
        return sorted(type(jobs).__name__ for jobs in window.jobs.all)

    usual = ["Measuring", "Regrouping", "SceneMaking", "Worker", "Worker"]
    assert kinds() == usual
    window.second_views.open()
    assert kinds() == sorted([*usual, "Measuring", "Regrouping", "SceneMaking"])
    qtbot.waitUntil(lambda: window.second_views.view.session.is_open)
    window.second_views.close()
    assert kinds() == usual
    assert all(isinstance(jobs, BackgroundJobs) for jobs in window.jobs.all)
    assert len(KINDS) == len(usual)
    for file in Path(cbvtool.view.__file__).parent.glob("*.py"):
        used = re.findall(r"status\.show_(?:progress|idle)", file.read_text(encoding="utf-8"))
        assert not used or file.name == "jobs.py", file.name


def test_the_second_view_stays_in_its_hierarchy(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel reaches what works for the second view, too."""
    window.second_views.open()
    view = window.second_views.view
    qtbot.waitUntil(lambda: view.session.is_open and not window.status.cancel.isVisible())
    let_go = threading.Event()
    monkeypatch.setattr(view.session, "grouped", lambda _name: let_go.wait(60))
    regrouping: Regrouping = view.regrouping
    regrouping.show("packages")
    qtbot.waitUntil(window.status.cancel.isVisible)
    QTest.mouseClick(window.status.cancel, Qt.MouseButton.LeftButton)
    assert not window.status.work.isVisible()
    assert not regrouping.busy
    let_go.set()
    assert view.session.view.hierarchy == ""


def test_one_job_that_ends_leaves_the_other_to_be_seen(window: MainWindow, qtbot) -> None:
    """What is still under way is told of again; before, the first one that ended hid it and its Cancel."""
    qtbot.waitUntil(lambda: not window.status.cancel.isVisible())
    first, second = window.measuring, window.hierarchies.regrouping
    first.progressed.emit("measuring", 1, 4)
    second.progressed.emit("grouping", 0, 0)
    second.idle.emit()
    assert window.status.work.text() == "Measuring 25 %"
    assert window.status.cancel.isVisible()
    first.idle.emit()
    assert not window.status.work.isVisible()
