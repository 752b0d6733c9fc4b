"""The first page: what can be opened, by mouse and by keys (NEW-13)."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFileDialog, QPushButton, QWidget

from cbvtool.progress import Progress
from cbvtool.view.commands.menus import RecentMenu
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.start_page import StartPage


@pytest.fixture
def page(qtbot, tmp_path: Path) -> StartPage:
    made = StartPage()
    qtbot.addWidget(made)
    made.show_recent([tmp_path / "old"])
    made.show_recent([tmp_path / "shop", tmp_path / "shop.graphml"])
    made.show()
    return made


def test_tab_goes_from_top_to_bottom(page: StartPage) -> None:
    """Also to what was opened before, which is listed anew after each opening."""
    chain: list[QWidget] = [page]
    while (following := chain[-1].nextInFocusChain()) is not page:
        assert following is not None
        chain.append(following)
    buttons = [
        widget.text().split("    ")[0] for widget in chain if isinstance(widget, QPushButton) and widget.isVisible()
    ]
    assert [text for text in buttons if text != "old"] == [
        "Open a folder...",
        "Open a plan or a graph...",
        "Try the sample project",
        "Open recorded runs...",
        "shop",
        "shop.graphml",
    ]


def test_enter_presses_what_has_the_focus(page: StartPage, tmp_path: Path, qtbot) -> None:
    """As in a dialog; the space bar does so anyway."""
    page.activateWindow()
    button = next(button for button in page.findChildren(QPushButton) if button.text().startswith("shop.graphml"))
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    with qtbot.waitSignal(page.open_path) as opened:
        qtbot.keyClick(button, Qt.Key.Key_Return)
    assert opened.args == [tmp_path / "shop.graphml"]


def test_the_menu_lists_what_was_opened(new_window, settings, tmp_path: Path) -> None:
    """And says so while that is nothing."""
    window: MainWindow = new_window()
    [menu] = window.findChildren(RecentMenu)
    menu.aboutToShow.emit()
    [nothing] = menu.actions()
    assert not nothing.isEnabled()
    settings.add_recent(tmp_path)
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == [str(tmp_path)]


def test_a_plan_or_a_graph_can_be_opened_from_there(new_window, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only by the menu."""
    asked: list[str] = []

    def ask(_parent: QWidget, title: str, _folder: str, _kinds: str) -> tuple[str, str]:
        asked.append(title)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(ask))
    window: MainWindow = new_window()
    window.start.file.click()
    assert asked == ["Open a plan or a graph"]


def test_it_says_what_is_being_opened(new_window, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """While the first subject is read, the page does not say that nothing is open; Cancel brings it back."""
    begun = threading.Event()

    def endless(_path: Path, *, progress: Progress, **_how: object) -> None:
        while True:
            progress("reading imports", 7, 100)
            begun.set()
            time.sleep(0.005)

    monkeypatch.setattr("cbvtool.view.window.opening.open_project", endless)
    window = new_window()
    assert "Nothing is open yet" in window.desk.panels["details"].text.toPlainText()
    window.open(tmp_path)
    assert window.start.opening == f"Opening {tmp_path.name}"
    assert not window.start.file.isVisible()
    qtbot.waitUntil(lambda: begun.is_set() and window.start._step.text() == "Reading imports 7 %")
    assert "Nothing is open yet" not in window.desk.panels["details"].text.toPlainText()
    cancel = next(button for button in window.start.findChildren(QPushButton) if button.text() == "Cancel")
    QtBot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.start.opening)
    assert window.start.file.isVisible()
    assert "Nothing is open yet" in window.desk.panels["details"].text.toPlainText()
