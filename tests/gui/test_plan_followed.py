"""NEW-3: a plan followed in the window, by real events: marks, burn-down, the commit that did it, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QMessageBox, QWidget

from cbvtool.plan import Group
from cbvtool.plan.document import Document, Plan
from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.view.panels.tracking import plan_tracker
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.plain import tooltip_of
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand
from tests.tracking.subject import commit_all
from tests.tracking.tables import SHOP

ROWS = 5  # commits after that of the plan; billing.py is moved, put back and moved again
Made = tuple[MainWindow, list[str]]


@pytest.fixture
def followed(
    hand: Hand,
    qtbot,
    settings: Settings,
    tmp_path: Path,
    shrink: Callable[[QWidget], None],
    monkeypatch: pytest.MonkeyPatch,
) -> Made:
    """(the window on a plan and the code some commits later, the commits)."""
    commits = commit_all(tmp_path / "shop", SHOP.start, [action for _, action in SHOP.rows[:ROWS]])
    plan = Plan("Plan 1", tuple(Group("step", (operation,)) for operation in SHOP.plan))
    document = Document(tmp_path / "shop", "shop", commits[0], (plan,))
    window = MainWindow(Session(), settings)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    qtbot.addWidget(window)
    shrink(window)
    window.show()
    hand.wait_until(window.isActiveWindow)
    window.opening.how = {"cache": False}
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(open_project(tmp_path / "shop", cache=False), document=document)
    window.desk.bring("plan")
    hand.wait_until(lambda: not window.jobs.running and window.canvas.stage.is_still)
    return window, commits


def _text(window: MainWindow) -> str:
    return str(window.desk.panels["plan"].text.toPlainText()).replace("\u200b", "").replace("\xa0", " ")


def _marks(window: MainWindow) -> str:
    """One letter for each task of the table, in its order."""
    listed = re.findall(r"^([○◐●⊘]) \d+\. (.*)$", _text(window), re.M)
    letters = {"○": ".", "◐": "p", "●": "d", "⊘": "x"}
    return "".join(letters[sign] for begin in SHOP.tasks for sign, title in listed if title.startswith(begin))


def _place(window: MainWindow, text: str) -> QPoint:
    browser = window.desk.panels["plan"].text
    found = browser.document().find(text)
    assert not found.isNull(), text
    found.setPosition(found.selectionStart())
    browser.setTextCursor(found)
    browser.ensureCursorVisible()
    return browser.cursorRect(found).center() + QPoint(6, 0)


def test_marks_burn_down_and_the_commit_that_did_it(
    followed: Made, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks are those of the table that was written before the code of tracking."""
    window, commits = followed
    panel = window.desk.panels["plan"]
    assert "done or overtaken" in tooltip_of(panel.tracked)
    hand.click(panel.tracked, panel.tracked.rect().center())
    hand.wait_until(lambda: "done in the code" in _text(window))
    assert _text(window).startswith("1 of 10 tasks done in the code\n9 open, 1 done.")
    assert _marks(window) == SHOP.rows[ROWS - 1][0]
    assert f"done since {commits[5][:7]}" in _text(window)
    left = re.findall(r"^([0-9a-f]{7})\n [‑\d]+ \n(\d+)", _text(window), re.M)
    assert left == [(commits[row][:7], "10" if row in (0, 4) else "9") for row in (0, 2, 4, 5)]

    hand.click(panel.text.viewport(), _place(window, "Move billing.py"))  # is done: its old place is gone
    hand.wait_until(lambda: window.session.view.selected == (window.session.graph.key_of["shop/core/billing.py"],))

    compared: list[str] = []
    monkeypatch.setattr(ComparingVersions, "compare", lambda _self, name: compared.append(name))
    hand.click(panel.text.viewport(), _place(window, commits[2][:7]))
    hand.wait_until(lambda: compared == [commits[2]])
    hand.click(panel.text.viewport(), _place(window, "Move cart.py"))
    hand.wait_until(lambda: window.session.view.selected == (window.session.graph.key_of["shop/ui/cart.py"],))

    project = window.session.project
    assert project is not None
    (project.path / "shop/util.py").rename(project.path / "shop/helpers.py")
    window.work_tree.freshen(window.opening.how)
    hand.wait_until(lambda: "looked at the files as they are saved" in _text(window))
    assert "8 open, 2 done" in _text(window)
    assert "done since what is saved and not committed" in _text(window)

    hand.click(panel.tracked, panel.tracked.rect().center())
    hand.wait_until(lambda: "Judgement" in _text(window))


def test_nothing_to_follow_and_a_search_that_is_cancelled_are_said(
    followed: Made, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both offer to look again; an empty plan has no marks."""
    window, _ = followed
    panel = window.desk.panels["plan"]

    def endless(*_given: object, progress: Callable[[str, int, int], None], **_how: object) -> None:
        while True:
            progress("Following the plan", 1, 2)

    with monkeypatch.context() as patched:
        patched.setattr(plan_tracker, "read_progress", endless)
        hand.click(panel.tracked, panel.tracked.rect().center())
        hand.wait_until(window.status.cancel.isVisible)
        assert plan_tracker.WAITING in _text(window)
        hand.click(window.status.cancel, window.status.cancel.rect().center())
        hand.wait_until(lambda: plan_tracker.CANCELLED in _text(window))
    hand.click(panel.text.viewport(), _place(window, "Look again"))
    hand.wait_until(lambda: "1 of 10 tasks" in _text(window))
    window.session.travel(0)
    hand.wait_until(lambda: plan_tracker.NO_PLAN in _text(window))
    assert panel.tracked.focusPolicy() & Qt.FocusPolicy.TabFocus
