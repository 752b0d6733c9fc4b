"""A program recorded from the window: typed, run, stopped or cancelled, and opened at once (TR-1)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QApplication, QPushButton

from cbvtool.metrics.run_time import CALLS
from cbvtool.project import Project
from cbvtool.view.panels.traces.record_dialog import SAMPLES, TRUST, RecordDialog
from cbvtool.view.panels.traces.recording import Recording
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.toolkit.plain import Label
from cbvtool.view.window.main_window import MainWindow

PYTHON = sys.executable
WAITING = "import os, time\nprint('pid', os.getpid(), flush=True)\nwhile True:\n    time.sleep(0.01)\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def in_dialog(act: Callable[[RecordDialog], object]) -> list[BaseException]:
    """Do something in the dialog once it is open; what fails there."""
    wrong: list[BaseException] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, RecordDialog):
            QTimer.singleShot(20, look)
            return
        try:
            act(dialog)
        except BaseException as error:
            wrong.append(error)
        if dialog.isVisible() and dialog.wanted is None:
            dialog.reject()

    QTimer.singleShot(0, look)
    return wrong


def typed(dialog: RecordDialog, text: str) -> None:
    dialog.command.setFocus()
    dialog.command.selectAll()
    QtBot.keyClicks(dialog.command, text)


def press(dialog: RecordDialog) -> None:
    QtBot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)


def begin(window: MainWindow, program: Path, place: Path) -> Recording:
    """Type a program into the dialog, and press Record."""

    def act(dialog: RecordDialog) -> None:
        typed(dialog, f"'{PYTHON}' '{program}'")
        dialog.place.setText(str(place))
        press(dialog)

    wrong = in_dialog(act)
    window.actions_by_name["record_program"].trigger()
    assert not wrong
    return window.recording


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_of(recording: Recording, qtbot: QtBot) -> int:
    box = recording.box
    assert box is not None
    qtbot.waitUntil(lambda: box.output.toPlainText().startswith("pid"), timeout=30_000)
    return int(box.output.toPlainText().split()[1])


def test_a_program_is_recorded_and_opened(window: MainWindow, shop: Project, qtbot: QtBot, tmp_path: Path) -> None:
    """The dialog begins with the subject's folder; the recording is laid over the code at once."""
    place = tmp_path / "recorded"

    def act(dialog: RecordDialog) -> None:
        assert Path(dialog.folder.text()) == shop.path
        assert any(label.text() == TRUST for label in dialog.findChildren(Label))
        typed(dialog, f'{PYTHON} -c \'import sys; sys.path.insert(0, "."); import shop.domain.order; print("bought")\'')
        assert "[-c]" in dialog.split.text()
        dialog.place.setText(str(place))
        press(dialog)

    wrong = in_dialog(act)
    window.actions_by_name["record_program"].trigger()
    assert not wrong
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.opened) and traces.found is not None, timeout=60_000)
    assert traces.opened[0].file.path == place
    assert (place / "output.txt").read_text() == "bought\n"
    assert window.desk.panel(TracesPanel).isVisible()
    graph = window.session.graph
    value = window.session.scene().values[CALLS][graph.key_of["shop/domain/order.py"]]
    assert value >= 1  # the body of the module ran
    assert window.recording.box is None


def test_what_is_typed_is_checked_before_anything_runs(window: MainWindow, tmp_path: Path) -> None:
    seen = []

    def act(dialog: RecordDialog) -> None:
        for text in ("", "'open", "no-such-program-here x"):
            typed(dialog, text)
            press(dialog)
            seen.append((dialog.reason.isVisible(), dialog.reason.text()))
        typed(dialog, f"{PYTHON} a.py")
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "mine").touch()
        dialog.place.setText(str(tmp_path / "full"))
        press(dialog)
        seen.append((dialog.reason.isVisible(), dialog.reason.text()))
        dialog.what.setCurrentIndex(dialog.what.findData(SAMPLES))
        assert (dialog.every.isEnabled(), dialog.limit.isEnabled(), dialog.last.isEnabled()) == (True, False, False)

    wrong = in_dialog(act)
    window.actions_by_name["record_program"].trigger()
    assert not wrong
    assert all(shown and text for shown, text in seen)
    assert "not empty" in seen[-1][1]
    assert not window.recording.is_busy


def test_stop_keeps_what_was_recorded(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "wait.py").write_text(WAITING)
    recording = begin(window, tmp_path / "wait.py", tmp_path / "recorded")
    pid = pid_of(recording, qtbot)
    assert recording.box is not None
    QtBot.mouseClick(recording.box.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.session.traces.opened), timeout=60_000)
    assert not lives(pid)


def test_cancel_deletes_the_recording(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "wait.py").write_text(WAITING)
    recording = begin(window, tmp_path / "wait.py", tmp_path / "recorded")
    pid, box = pid_of(recording, qtbot), recording.box
    assert box is not None
    QtBot.mouseClick(box.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not recording.is_busy, timeout=60_000)
    assert not lives(pid)
    assert not (tmp_path / "recorded").exists()
    assert not window.session.traces.opened


def test_a_program_that_fails_shows_what_it_wrote(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text("def f(): raise ValueError('no tea')\nf()\n")
    recording = begin(window, tmp_path / "fails.py", tmp_path / "recorded")
    qtbot.waitUntil(lambda: not recording.is_busy and bool(window.session.traces.opened), timeout=60_000)
    box = recording.box
    assert box is not None
    assert box.isVisible()
    assert "status 1" in box.state.text()
    assert "no tea" in box.output.toPlainText()


def test_the_command_of_a_run_shows_the_run(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """There is one at a time; its box may be closed, and comes back."""
    (tmp_path / "wait.py").write_text(WAITING)
    recording = begin(window, tmp_path / "wait.py", tmp_path / "recorded")
    pid_of(recording, qtbot)
    box = recording.box
    assert box is not None
    box.close()
    assert recording.is_busy
    window.actions_by_name["record_program"].trigger()
    assert box.isVisible()
    QtBot.mouseClick(box.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not recording.is_busy, timeout=60_000)


def test_closing_the_window_ends_the_program(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """No process stays; what was recorded does."""
    (tmp_path / "wait.py").write_text(WAITING)
    recording = begin(window, tmp_path / "wait.py", tmp_path / "recorded")
    pid = pid_of(recording, qtbot)
    window.close()
    until = time.monotonic() + 30
    while lives(pid) and time.monotonic() < until:
        QApplication.processEvents()
    assert not lives(pid)
    assert any(name.endswith(".process") for name in os.listdir(tmp_path / "recorded"))


def test_the_empty_panel_offers_it(window: MainWindow) -> None:
    panel = window.desk.show(TracesPanel)
    seen: list[bool] = []
    wrong = in_dialog(lambda dialog: seen.append(dialog.isVisible()))
    QtBot.mouseClick(panel.empty.recorder, Qt.MouseButton.LeftButton)
    assert not wrong
    assert seen == [True]
    assert isinstance(panel.recorder, QPushButton)
