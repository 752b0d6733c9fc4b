"""Where to open, save and export: the dialogs that ask for a folder or a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qtpy.QtWidgets import QFileDialog, QMessageBox, QWidget

from cbvtool.formats.registry import SUFFIXES

TABLES = {".md": "Markdown", ".csv": "CSV", ".json": "JSON"}


def ask_folder(folder: Path, window: QWidget) -> Path | None:
    """Which folder to open; the dialog begins in `folder`. None = none."""
    chosen = QFileDialog.getExistingDirectory(window, "Open a folder", str(folder))
    return Path(chosen) if chosen else None


def ask_plan_or_graph(folder: Path, window: QWidget) -> Path | None:
    """Which plan or graph to open. None = none."""
    graphs = " ".join(f"*{suffix} *{suffix}.gz" for suffix in SUFFIXES)
    kinds = f"Plans and graphs (*.cbv {graphs});;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(window, "Open a plan or a graph", str(folder), kinds)
    return Path(chosen) if chosen else None


def ask_table(folder: Path, window: QWidget) -> Path | None:
    """Which table of groups to take. None = none."""
    kinds = "Tables with path,group[,group...] (*.csv *.csv.gz);;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(window, "Choose a table of groups", str(folder), kinds)
    return Path(chosen) if chosen else None


def ask_where_to_save(suggestion: Path, window: QWidget) -> Path | None:
    """Where to save a plan. None = nowhere."""
    return ask_where("Save the plan", suggestion, {".cbv": "Plans"}, window)


def ask_where_to_export(suggestion: Path, window: QWidget) -> Path | None:
    """Where to write the tasks; the suffix decides the format, or else the kind that was chosen. None = nowhere."""
    return ask_where("Export the tasks", suggestion, TABLES, window)


def ask_where(title: str, suggestion: Path, kinds: Mapping[str, str], window: QWidget) -> Path | None:
    """Where to write a file: its suffix is one of `kinds`. None = nowhere.

    kinds   suffix -> what such a file is called; a name without one of them gets that of the kind that was chosen

    Qt asks before a file is replaced whose name was typed; about one that gets its suffix here, this does.
    """
    filters = {f"{name} (*{suffix})": suffix for suffix, name in kinds.items()}
    chosen, kind = QFileDialog.getSaveFileName(window, title, str(suggestion), ";;".join(filters))
    if not chosen:
        return None
    if Path(chosen).suffix.lower() in kinds:
        return Path(chosen)
    file = Path(chosen + filters.get(kind, next(iter(kinds))))
    if not file.exists() or may_replace(file, window):
        return file
    return ask_where(title, file, kinds, window)


def may_replace(file: Path, window: QWidget) -> bool:
    """Ask whether a file that is there may be replaced."""
    box = QMessageBox(QMessageBox.Icon.Question, "Replace the file", f"Replace {file.name}?", parent=window)
    box.setInformativeText(f"{file.parent} holds a file of this name already. It would be lost.")
    replace = box.addButton("Replace", QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec_()
    box.deleteLater()
    return box.clickedButton() is replace
