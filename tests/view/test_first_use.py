"""NEW-13: what a window says about folders that have little in them, or are not there any more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cbvtool.view.window.main_window import MainWindow

NewWindow = Callable[[], MainWindow]


@pytest.fixture
def opened(new_window: NewWindow, tmp_path: Path, qtbot) -> Callable[[dict[str, str]], MainWindow]:
    """Opens a folder with these files, which is no repository."""

    def make(files: dict[str, str]) -> MainWindow:
        folder = tmp_path / "subject"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        window = new_window()
        window.open(folder)
        qtbot.waitUntil(lambda: not window.opening.busy)
        return window

    return make


CODE = {"run.py": "import core\n\ndef main():\n    core.go()\n", "core.py": "def go():\n    pass\n"}


def test_an_empty_folder(opened: Callable[[dict[str, str]], MainWindow], monkeypatch: pytest.MonkeyPatch) -> None:
    """The start page stays, with a sentence and a way on."""
    window = opened({})
    asked: list[bool] = []
    assert "holds no files" in window.message.text
    assert window.pages.currentWidget() is window.start
    monkeypatch.setattr(
        "cbvtool.view.toolkit.file_dialogs.QFileDialog.getExistingDirectory", lambda *_: asked.append(True)
    )
    window.message._offer.click()
    assert asked == [True]


def test_a_folder_without_source_code(opened: Callable[[dict[str, str]], MainWindow]) -> None:
    """Its files are shown with what is known of them, and why that is so little."""
    window = opened({"notes.txt": "hello", "table.dat": "1 2 3"})
    assert "in a language that is read in depth" in window.message.text
    assert window.message.property("error") is False
    assert window.session.view.mapping.angle == "bytes"


def test_a_folder_without_git(opened: Callable[[dict[str, str]], MainWindow], qtbot) -> None:
    """What comes from the history is told to be missing wherever it is asked for."""
    window = opened(CODE)
    assert window.message.text == ""
    assert not window.desk.panels["style"].time_range.isEnabled()
    assert "no git history" in window.desk.panels["style"].time_range.toolTip()
    assert "no git history" in window.actions_by_name["preset_2"].toolTip()
    window.desk.panels["details"].command_asked.emit("preset_2")  # the link under "Where to begin"
    assert window.message.text == "Hot spots was not measured: there is no git history."
    window.searching.begin()
    QtBot.keyClicks(window.search, "commits > 1")
    qtbot.waitUntil(lambda: not window.search.pausing and not window.searching.busy)
    assert window.searching.list.note.text() == "Commits was not measured: there is no git history."


def test_one_file(opened: Callable[[dict[str, str]], MainWindow], qtbot) -> None:
    window = opened({"run.py": "print(1)\n"})
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    assert window.message.text == ""
    assert window.status.subject.text().endswith("1 file, 0 relations")
    key = window.session.graph.key_of["run.py"]
    assert window.canvas.stage.picking.key_at(window.canvas.stage.picking.place_of(key)) == key


def test_a_subject_that_vanished_while_it_is_open(opened: Callable[[dict[str, str]], MainWindow], qtbot) -> None:
    """What is shown stays, and F5 says why nothing is new."""
    window = opened(CODE)
    project = window.session.project
    assert project is not None
    shutil.rmtree(project.path)
    window.documents.again()
    qtbot.waitUntil(lambda: not window.opening.busy)
    assert window.message.text.endswith("subject does not exist.")
    assert window.session.project is project
    window.session.select([window.session.graph.key_of["run.py"]])
    assert "run.py" in window.desk.panels["details"].text.toPlainText()
