"""Where to open, save and export: the dialogs that ask for a folder or a file."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtWidgets import QFileDialog, QWidget

from cbvtool.formats.registry import SUFFIXES


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


def ask_where_to_save(suggestion: Path, window: QWidget) -> Path | None:
    """Where to save a plan. None = nowhere."""
    chosen, _ = QFileDialog.getSaveFileName(window, "Save the plan", str(suggestion), "Plans (*.cbv)")
    if not chosen:
        return None
    return Path(chosen if Path(chosen).suffix else f"{chosen}.cbv")


def ask_where_to_export(suggestion: Path, window: QWidget) -> Path | None:
    """Where to write the tasks; the suffix decides the format, or else the kind that was chosen. None = nowhere."""
    kinds = "Markdown (*.md);;CSV (*.csv);;JSON (*.json)"
    chosen, kind = QFileDialog.getSaveFileName(window, "Export the tasks", str(suggestion), kinds)
    if not chosen:
        return None
    file = Path(chosen)
    return file if file.suffix else file.with_suffix({"M": ".md", "C": ".csv", "J": ".json"}[kind[:1]])
