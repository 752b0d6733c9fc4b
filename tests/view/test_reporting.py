"""Reports out of the window, and notes pinned to nodes (NEW-8, NEW-15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.window.main_window import MainWindow
from tests.report.reading import ReadPage


def test_a_report_on_what_is_open(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """File > Report...: the page with the notes of the window; by its suffix the fact sheets."""
    window.session.notes.pin("", "All of <it>")
    for name, begin in (("r.html", b"<!doctype html>"), ("r.pdf", b"%PDF-")):
        monkeypatch.setattr("cbvtool.view.commands.exporting.ask_where", lambda *_, name=name: tmp_path / name)
        window.desk.do("write_report")
        qtbot.waitUntil(lambda name=name: (tmp_path / name).is_file())
        qtbot.waitUntil(lambda name=name: window.status.last.text() == f"Saved {name}")
        assert (tmp_path / name).read_bytes().startswith(begin)
    read = ReadPage((tmp_path / "r.html").read_bytes())
    assert read.faults == []
    assert [row[1] for row in read.tables["notes"]] == ["Note", "All of <it>"]


def test_a_note_is_pinned_to_what_is_selected(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan > Pin a note...: the details tell it, as text; an empty line takes it away."""
    session = window.session
    key = int(window.canvas.stage.scene.tree.key[3])
    session.select([key])
    details = window.desk.show(DetailsPanel)
    for text in ("Ask <b>Eve</b>", ""):
        monkeypatch.setattr("cbvtool.view.commands.editing.ask_line", lambda *_, text=text: text)
        window.desk.do("pin_note")
        assert session.notes.all.get(session.graph.ids[key], "") == text
        assert ("Note: Ask <b>Eve</b>" in details.text.toPlainText()) is bool(text)
