"""A signal closes the window without a question, and nothing that was planned is lost."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QMessageBox

from cbvtool.plan.recovery import find_offered
from cbvtool.project import Project
from cbvtool.view.commands.documents import Documents
from cbvtool.view.window.leaving import Leaving
from cbvtool.view.window.main_window import MainWindow

NewWindow = Callable[[], MainWindow]
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals from outside")


@posix
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_is_heard_while_nothing_happens(qtbot, number: signal.Signals, status: int) -> None:
    """Python's own handlers run only once some Python code does, and a window that waits carries out none."""
    before = signal.getsignal(number)
    called: list[int] = []
    leaving = Leaving(lambda: called.append(1))
    try:
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: bool(called))
        os.kill(os.getpid(), number)
        qtbot.wait(50)
        assert called == [1]
        assert leaving.status == status
    finally:
        leaving.undo()
    assert signal.getsignal(number) is before


@posix
def test_an_ignored_signal_stays_ignored(qtbot) -> None:
    """nohup: the terminal may be closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    called: list[int] = []
    leaving = Leaving(lambda: called.append(1))
    try:
        os.kill(os.getpid(), signal.SIGHUP)
        qtbot.wait(50)
        assert called == []
    finally:
        leaving.undo()
        signal.signal(signal.SIGHUP, before)


@posix
@pytest.mark.usefixtures("real_boxes")
def test_a_signal_closes_the_window_and_keeps_the_plan(
    new_window: NewWindow, shop: Project, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while a question is open: it is answered with no."""
    window = new_window()
    window.session.open(shop)
    graph = window.session.graph
    assert window.session.move([graph.key_of["scripts"]], graph.key_of["tests"]) is None
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: pytest.fail("asked while it was closing"))
    leaving = Leaving(window.leave)
    try:
        QTimer.singleShot(50, lambda: os.kill(os.getpid(), signal.SIGTERM))
        answer = Documents.ask_unsaved(window.documents)
        qtbot.waitUntil(lambda: not window.isVisible())
    finally:
        leaving.undo()
    assert answer not in (QMessageBox.StandardButton.Save, QMessageBox.StandardButton.Discard)
    (copy,) = find_offered(shop.path, shop.path)
    assert "scripts" in copy.last
