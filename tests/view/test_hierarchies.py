"""Hierarchies in the window: a table of the user's own (CBV-13)."""

from __future__ import annotations

from pathlib import Path

import pytest
from qtpy.QtWidgets import QFileDialog

from cbvtool.view.window.main_window import MainWindow


def choose(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, file: Path) -> list[str]:
    """Choose a table in the dialog; the result is where that began."""
    began: list[str] = []

    def ask(_parent: object, _title: str, folder: str, _kinds: str) -> tuple[str, str]:
        began.append(folder)
        return str(file), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(ask))
    window.hierarchies.ask_table()
    qtbot.waitUntil(lambda: not window.main_view.regrouping.busy)
    return began


def test_what_a_table_does_not_fit_is_no_error(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The groups are shown, and a calm note names what is not there; a table that cannot be read is an error."""
    table = tmp_path / "teams" / "teams.csv"
    table.parent.mkdir()
    table.write_text("shop,Ada\nnowhere.py,Bob\n")
    choose(window, qtbot, monkeypatch, table)
    assert window.session.view.hierarchy == f"csv:{table}"
    assert "nowhere.py" in window.message.text
    assert window.message.property("error") is False
    table.write_text("")
    assert choose(window, qtbot, monkeypatch, table) == [str(table.parent)]  # where the last one was
    assert "teams.csv" in window.message.text
    assert window.message.property("error") is True


def test_every_hierarchy_has_a_command(window: MainWindow, qtbot) -> None:
    """The menu and the command palette show what the list in the tool bar shows, and lead back to folders."""
    for name in ("languages", "owners", ""):
        window.actions_by_name[f"hierarchy_{name or 'folders'}"].trigger()
        qtbot.waitUntil(lambda: not window.main_view.regrouping.busy)
        assert window.session.view.hierarchy == name
        assert window.hierarchies.list.currentData() == name
