"""The profiles of many runs are opened at once: chosen, as a folder, dropped, with code or without (CF-1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QMimeData, QPointF, Qt, QUrl
from qtpy.QtGui import QDropEvent

from cbvtool.errors import InputError
from cbvtool.session.traces.files import recordings_of
from cbvtool.view.panels.traces import tracing
from cbvtool.view.window.main_window import MainWindow
from tests.trace.cali import cali_text

RUNS = ("run2", "run9", "run10")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs, and what is none."""
    made = tmp_path / "runs"
    made.mkdir()
    for number, name in enumerate(RUNS, 1):
        (made / f"{name}.cali").write_text(cali_text({("main",): number * 1e9}, {"ranks": number}), "utf-8")
    (made / "notes.md").write_text("# none", "utf-8")
    return made


def opened_in(window: MainWindow, qtbot: QtBot) -> list[str]:
    """Names of the profiles that are open, once all is read."""
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.profiles) and not window.jobs.running)
    return [each.file.path.stem for each in traces.profiles]


def test_a_folder_of_runs_is_opened_at_once(
    window: MainWindow, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-1: numbers in names count by value; what is no recording is left out."""
    monkeypatch.setattr(tracing, "ask_trace_folder", lambda *_: folder)
    window.actions_by_name["open_trace_folder"].trigger()
    assert opened_in(window, qtbot) == [*RUNS]
    (empty := folder.parent / "empty").mkdir()
    with pytest.raises(InputError, match="holds no profile or trace"):
        recordings_of(empty)
    monkeypatch.setattr(tracing, "ask_trace_folder", lambda *_: empty)
    window.actions_by_name["open_trace_folder"].trigger()
    assert "holds no profile or trace" in window.message.text


def test_what_cannot_be_read_is_named_and_the_others_are_opened(
    window: MainWindow, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-1: several files are chosen in one dialog; one sentence for those that are none."""
    chosen = [folder / "run2.cali", folder / "notes.md", folder / "gone.cali", folder / "run9.cali"]
    monkeypatch.setattr(tracing, "ask_traces", lambda *_: chosen)
    window.actions_by_name["open_trace"].trigger()
    assert opened_in(window, qtbot) == ["run2", "run9"]
    assert "notes.md is in no format" in window.message.text
    assert "1 more cannot be read" in window.message.text


def test_runs_are_opened_without_their_code(
    new_window: Callable[[], MainWindow], qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-1: from the start page, or dropped; the graph is made of the functions."""
    window = new_window()
    monkeypatch.setattr(tracing, "ask_traces", lambda *_: [folder / f"{name}.cali" for name in RUNS[:2]])
    window.start.traces.click()
    assert opened_in(window, qtbot) == ["run2", "run9"]
    assert "main" in window.session.graph.names
    data, left, none = QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def drop(*paths: Path) -> None:
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none))

    drop(folder / "run9.cali", folder / "run10.cali")
    qtbot.waitUntil(lambda: len(window.session.traces.profiles) == 3)
    assert opened_in(window, qtbot) == [*RUNS]
    drop(folder, folder / "notes.md")
    assert window.message.text == "Drop one folder or file, or recordings alone."
