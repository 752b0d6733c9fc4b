"""Where files are written to: nothing that is there is lost without a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from qtpy.QtCore import QSettings, QTimer
from qtpy.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QWidget

from cbvtool.view.toolkit.file_dialogs import ask_where, may_replace
from cbvtool.view.toolkit.settings import Settings

KINDS = {".md": "Markdown", ".csv": "CSV"}


@pytest.fixture
def parent(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def typed(monkeypatch: pytest.MonkeyPatch, *answers: tuple[str, str]) -> list[str]:
    """What is typed into the dialogs, one after the other; the result fills with what they suggest."""
    suggested: list[str] = []
    left = list(answers)

    def ask(_parent: QWidget, _title: str, suggestion: str, _kinds: str, *, options: int) -> tuple[str, str]:
        assert options == QFileDialog.Option.DontConfirmOverwrite  # its question would take names for HTML
        suggested.append(suggestion)
        return left.pop(0)

    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(ask))
    return suggested


def test_the_suffix_is_that_of_the_kind(parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed with a suffix stays; without one it gets that of the kind, also behind a dot of the name."""
    typed(monkeypatch, (f"{tmp_path}/a.CSV", "Markdown (*.md)"), (f"{tmp_path}/v1.2", "CSV (*.csv)"), ("", ""))
    assert ask_where("Export", tmp_path / "a", KINDS, parent) == tmp_path / "a.CSV"
    assert ask_where("Export", tmp_path / "a", KINDS, parent) == tmp_path / "v1.2.csv"
    assert ask_where("Export", tmp_path / "a", KINDS, parent) is None


def test_what_is_there_is_replaced_only_after_a_question(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed in full, or without its suffix: whoever says no is asked for another name."""
    (tmp_path / "plan.md").write_text("precious")
    asked: list[Path] = []
    answers = [False, True]
    monkeypatch.setattr(
        "cbvtool.view.toolkit.file_dialogs.may_replace", lambda file, _window: asked.append(file) or answers.pop(0)
    )
    suggested = typed(monkeypatch, *[(f"{tmp_path}/plan", "Markdown (*.md)")] * 2)
    assert ask_where("Save", tmp_path / "x.md", KINDS, parent) == tmp_path / "plan.md"
    assert asked == [tmp_path / "plan.md"] * 2
    assert suggested == [str(tmp_path / "x.md"), str(tmp_path / "plan.md")]
    answers.append(True)
    typed(monkeypatch, (f"{tmp_path}/plan.md", "Markdown (*.md)"))
    assert ask_where("Save", tmp_path / "x.md", KINDS, parent) == tmp_path / "plan.md"
    assert asked == [tmp_path / "plan.md"] * 3


@pytest.mark.usefixtures("real_boxes")
@pytest.mark.parametrize(("button", "may"), [("Replace", True), ("Cancel", False)])
def test_the_question_is_answered_by_a_verb(parent: QWidget, tmp_path: Path, button: str, may: bool) -> None:
    """Enter keeps the file."""

    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        assert "plan.md" in box.text()
        assert (usual := box.defaultButton()) is not None
        assert usual.text().replace("&", "") == "Cancel"
        next(b for b in box.findChildren(QPushButton) if b.text().replace("&", "") == button).click()

    QTimer.singleShot(0, answer)
    assert may_replace(tmp_path / "plan.md", parent) is may


def test_the_folder_of_the_last_file_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Across starts, as long as it is there; else the user's own."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings = Settings(store)
    assert settings.folder == tmp_path
    (tmp_path / "pictures").mkdir()
    settings.folder = tmp_path / "pictures"
    assert Settings(store).folder == tmp_path / "pictures"
    (tmp_path / "pictures").rmdir()
    assert Settings(store).folder == tmp_path
