"""The dialogs that ask for a file or folder to open, save or export."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from qtpy.QtWidgets import QFileDialog, QWidget

from cbvtool.view.toolkit.plain import Buttons, Roles, message_box

TABLES = {".md": "Markdown", ".csv": "CSV", ".json": "JSON"}


def ask_folder(folder: Path, window: QWidget) -> Path | None:
    """Ask for a folder to open; the dialog begins in `folder`. None = cancelled."""
    chosen = QFileDialog.getExistingDirectory(window, "Open a folder", str(folder))
    return Path(chosen) if chosen else None


def ask_plan_or_graph(folder: Path, suffixes: Iterable[str], window: QWidget) -> Path | None:
    """Ask for a plan or a graph to open: a file with one of `suffixes`, optionally with `.gz`. None = cancelled."""
    graphs = " ".join(f"*{suffix} *{suffix}.gz" for suffix in suffixes)
    kinds = f"Plans and graphs (*.cbv {graphs});;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(window, "Open a plan or a graph", str(folder), kinds)
    return Path(chosen) if chosen else None


def ask_plan(folder: Path, window: QWidget) -> Path | None:
    """Ask for a plan to compare with. None = cancelled."""
    chosen, _ = QFileDialog.getOpenFileName(window, "Compare with a plan", str(folder), "Plans (*.cbv)")
    return Path(chosen) if chosen else None


def ask_trace(folder: Path, window: QWidget, title: str = "Open a trace") -> Path | None:
    """Ask for a recording to open: a file of any name. None = cancelled."""
    chosen, _ = QFileDialog.getOpenFileName(window, title, str(folder), "All files (*)")
    return Path(chosen) if chosen else None


def ask_traces(folder: Path, window: QWidget) -> list[Path]:
    """Ask for recordings to open: files of any name. Empty = cancelled."""
    chosen, _ = QFileDialog.getOpenFileNames(
        window, "Open traces: one, or those of many runs", str(folder), "All files (*)"
    )
    return [Path(each) for each in chosen]


def ask_trace_folder(folder: Path, window: QWidget) -> Path | None:
    """Ask for the folder of a recorded program, or of many recordings. None = cancelled."""
    chosen = QFileDialog.getExistingDirectory(window, "Open a recorded folder, or a folder of many runs", str(folder))
    return Path(chosen) if chosen else None


def ask_table(folder: Path, window: QWidget) -> Path | None:
    """Ask for a table of groups. None = cancelled."""
    kinds = "Tables with path,group[,group...] (*.csv *.csv.gz);;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(window, "Choose a table of groups", str(folder), kinds)
    return Path(chosen) if chosen else None


def ask_people(folder: Path, window: QWidget) -> Path | None:
    """Ask for a table of teams and leavers. None = cancelled."""
    kinds = "Tables with author,team,left (*.csv *.csv.gz);;All files (*)"
    chosen, _ = QFileDialog.getOpenFileName(window, "Choose a table of people", str(folder), kinds)
    return Path(chosen) if chosen else None


def ask_where_to_save(suggestion: Path, window: QWidget) -> Path | None:
    """Ask where to save a plan. None = cancelled."""
    return ask_where("Save the plan", suggestion, {".cbv": "Plans"}, window)


def ask_where_to_export(suggestion: Path, window: QWidget) -> Path | None:
    """Ask where to write the tasks; the suffix, or else the chosen kind, decides the format. None = cancelled."""
    return ask_where("Export the tasks", suggestion, TABLES, window)


def ask_where(title: str, suggestion: Path, kinds: Mapping[str, str], window: QWidget) -> Path | None:
    """Ask where to write a file whose suffix is one of `kinds`. None = cancelled.

    kinds   suffix -> name of such files; a file name without one of these suffixes gets that of the chosen kind

    This function itself asks before it replaces a file, also for a name to which it adds the suffix. Qt's own question
    treats a name as HTML; macOS always asks about the name as typed.
    """
    filters = {f"{name} (*{suffix})": suffix for suffix, name in kinds.items()}
    chosen, kind = QFileDialog.getSaveFileName(
        window, title, str(suggestion), ";;".join(filters), options=QFileDialog.Option.DontConfirmOverwrite
    )
    if not chosen:
        return None
    is_whole = Path(chosen).suffix.lower() in kinds
    file = Path(chosen if is_whole else chosen + filters.get(kind, next(iter(kinds))))
    asked_already = is_whole and sys.platform == "darwin"
    if asked_already or not file.exists() or may_replace(file, window):
        return file
    return ask_where(title, file, kinds, window)


def may_replace(file: Path, window: QWidget) -> bool:
    """Ask whether an existing file may be replaced."""
    more = f"{file.parent} holds a file of this name already. It would be lost."
    box = message_box(window, "Replace the file", f"Replace {file.name}?", more, (Buttons.Cancel,))
    replace = box.addButton("Replace", Roles.AcceptRole)
    box.exec_()
    box.deleteLater()
    return box.clickedButton() is replace
