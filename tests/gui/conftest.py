"""Real mouse and keys: xdotool sends them through the X server (XTEST), a window manager gives the focus."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from qtpy.QtCore import QSettings
from qtpy.QtGui import QGuiApplication
from qtpy.QtWidgets import QMessageBox, QWidget

from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import BUTTONS, Hand

# Qt complains when it is not set, and a complaint fails a test; needed before the application is made.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))


def lacking() -> str:
    """What real mouse and keys need and this machine does not have; empty = nothing."""
    if QGuiApplication.platformName() != "xcb":
        return f"real mouse events need an X server, Qt runs on {QGuiApplication.platformName()!r}"
    missing = [program for program in ("xdotool", "openbox") if shutil.which(program) is None]
    return f"not installed: the Debian packages {', '.join(missing)}" if missing else ""


def give_up(reason: str) -> NoReturn:
    """Skip what this machine cannot test; in CI (`CI=true`) fail, because nobody reads there what was skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def _window_manager(qapp) -> Iterator[None]:
    if reason := lacking():
        give_up(reason)
    manager = subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield
    manager.terminate()
    manager.wait(60)


@pytest.fixture
def hand(_window_manager, qtbot) -> Iterator[Hand]:
    result = Hand(lambda condition: qtbot.waitUntil(condition))
    yield result
    for button in BUTTONS:  # a failed test must not leave a button down
        result.release(button)
    for name in ("shift", "ctrl"):  # nor a key
        result.let_go(name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A window that remembers nothing of the user's, and does not fly about while it is measured."""
    result = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    result.reduced_motion = True
    return result


@pytest.fixture
def window(
    hand: Hand,
    qtbot,
    settings: Settings,
    shop: Project,
    shrink: Callable[[QWidget], None],
    monkeypatch: pytest.MonkeyPatch,
) -> MainWindow:
    """The window on the sample project, with the packages of `shop` visible, seen from above."""
    window = MainWindow(Session(), settings)
    monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
    qtbot.addWidget(window)
    shrink(window)
    window.show()
    hand.wait_until(window.isActiveWindow)
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    window.session.set_view(expanded=frozenset({window.session.graph.key_of["shop"]}))
    window.canvas.stage.toggle_top()
    hand.wait_until(lambda: window.canvas.stage.is_still)
    return window
