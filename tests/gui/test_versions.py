"""NEW-6: two releases compared in the window, by real events: menu, keys, marks, and back to the plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtWidgets import QDialog, QPushButton, QWidget

from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.view.panels.versions import comparing_versions
from cbvtool.view.toolkit.chooser import ChooserRow
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.versions.conftest import two_versions

pytestmark = pytest.mark.long


@pytest.fixture
def released(hand: Hand, qtbot, settings: Settings, tmp_path: Path, shrink: Callable[[QWidget], None]) -> MainWindow:
    """The window on a repository with the tags v1 and v2, at v2."""
    repository = two_versions(tmp_path / "subject")
    window = MainWindow(Session(), settings)
    qtbot.addWidget(window)
    shrink(window)
    window.show()
    hand.wait_until(window.isActiveWindow)
    window.opening.how = {"cache": False}
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(open_project(repository.root, cache=False))
    window.session.show_depth(5)
    hand.wait_until(lambda: window.canvas.stage.is_still)
    return window


def test_two_releases(released: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    window, session = released, released.session
    offered: list[str] = []

    def choose(_title: str, _hint: str, rows: list[ChooserRow], _parent: object) -> str:
        offered.extend(f"{row.detail} {row.text}" for row in rows)
        return "v1"

    monkeypatch.setattr(comparing_versions, "choose", choose)
    before = window.canvas.grab().toImage()
    window.actions_by_name["compare_version"].trigger()
    hand.wait_until(lambda: session.versions.compared is not None)
    hand.wait_until(lambda: window.canvas.stage.is_still and not window.jobs.running)
    assert offered[:3] == ["tag v2", "tag v1", "branch main"]
    assert sum(row.startswith("commit ") for row in offered) == 2
    marked = window.canvas.grab().toImage()
    assert marked != before, "the marks are to be seen"
    scene = window.canvas.stage.scene
    assert scene is not None
    assert scene.ghosts is not None
    assert len(scene.ghosts) >= 2

    hand.keys("F7")
    hand.wait_until(lambda: bool(session.view.selected))
    first = session.view.selected
    hand.keys("F7")
    hand.wait_until(lambda: session.view.selected != first)
    hand.keys("F8")
    hand.wait_until(lambda: session.view.selected == first)

    shown = len(scene.tree.key)
    hand.keys("shift+F7")
    hand.wait_until(lambda: session.view.changes_only and window.canvas.stage.is_still)
    now = window.canvas.stage.scene
    assert now is not None
    assert len(now.tree.key) < shown
    hand.keys("b")
    hand.wait_until(lambda: session.view.before and window.canvas.stage.is_still)
    window.actions_by_name["end_comparison"].trigger()
    hand.wait_until(lambda: session.versions.compared is None and window.canvas.stage.is_still)
    assert not session.view.before
    assert not window.actions_by_name["next_change"].isEnabled()


def test_no_question_comes_over_another(released: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions take a moment to list: who opened a dialog meanwhile is told, and chooses later."""
    asked: list[str] = []
    monkeypatch.setattr(comparing_versions, "choose", lambda title, *_more: asked.append(title))
    dialog = QDialog(released)
    dialog.open()
    released.versions.ask()
    hand.wait_until(lambda: "The versions are listed" in released.desk.message.text)
    assert not asked
    dialog.reject()
    button = next(one for one in released.findChildren(QPushButton) if one.text() == "Choose one...")
    hand.click(button, button.rect().center())
    hand.wait_until(lambda: bool(asked))


def test_what_is_not_there_is_said(released: MainWindow, hand: Hand) -> None:
    released.versions.compare("nothing")
    hand.wait_until(lambda: "There is no commit, branch or tag 'nothing'" in released.desk.message.text)
    assert released.session.versions.compared is None
