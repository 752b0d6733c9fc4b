"""Windows for tests: their settings lie in a folder of the test, and they stand still."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtCore import QSettings
from qtpy.QtWidgets import QMessageBox, QWidget

from cbvtool.drawing.renderer import Renderer
from cbvtool.project import Project
from cbvtool.rules import read_rules
from cbvtool.session import Session
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow

# Qt complains when it is not set, and a complaint fails a test; needed before the application is made.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def new_window(
    qtbot, settings: Settings, shrink: Callable[[QWidget], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], MainWindow]:
    """Makes windows that stand still and ask nothing; they are closed after the test.

    Their first frame compiles what it needs, and waits for no other program of OpenGL; in `tests/gui` it does.
    """
    settings.reduced_motion = True
    monkeypatch.setattr(Renderer, "warm_up", lambda _renderer: iter(()))

    def make() -> MainWindow:
        window = MainWindow(Session(), settings)
        monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        qtbot.addWidget(window)
        shrink(window)
        window.show()
        return window

    return make


@pytest.fixture
def window(new_window: Callable[[], MainWindow], shop: Project, qtbot) -> MainWindow:
    """A window on the sample project, the packages of `shop` visible."""
    window = new_window()
    window.session.rules = read_rules(shop.path)
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    window.session.set_view(expanded=frozenset({window.session.graph.key_of["shop"]}))
    return window
