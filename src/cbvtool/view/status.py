"""The status bar: what is open, what is being done with a way to stop it, and the last message."""

from __future__ import annotations

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QProgressBar, QPushButton, QStatusBar, QWidget

from cbvtool.graph import Report
from cbvtool.metrics.nl3 import percent
from cbvtool.project import Project
from cbvtool.view.plain import Label, set_tooltip


def subject_line(project: Project, files: int, relations: int) -> str:
    """`shop @ 1a2b3c · 1,204 files, 8,930 relations · 3.1 % of the files with syntax errors`."""
    commit = f" @ {project.commit[:7]}" if project.commit else ""
    errors = errors_line(project.graph.report)
    size = f"{_count(files, 'file')}, {_count(relations, 'relation')}"
    return "  ·  ".join(filter(None, (f"{project.name}{commit}", size, errors)))


def errors_line(report: Report) -> str:
    """`3.1 % of the files with syntax errors`; empty when there are none."""
    share = len(report.parse_errors) / max(report.files, 1)
    return f"{percent(share)} of the files with syntax errors" if report.parse_errors else ""


def languages_text(report: Report) -> str:
    """A line for each language: how many files were read, and in how many of them something was not understood."""
    return "\n".join(
        f"{language.name}: {_count(language.files, 'file')}, "
        + (
            f"{language.with_errors:,} with syntax errors ({percent(language.with_errors / language.files)})"
            if language.with_errors
            else "none with syntax errors"
        )
        for language in report.languages
    )


class Status(QStatusBar):
    """Says it in words; the bar moves only while work runs."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.subject = Label("", self)
        self.work = Label("", self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setObjectName("small")
        set_tooltip(self.cancel, "Stop this; what is shown stays")
        self.cancel.clicked.connect(self.cancelled)
        self.last = Label("", self)
        self.addWidget(self.subject)
        self.addWidget(self.work)
        self.addWidget(self.bar)
        self.addWidget(self.cancel)
        self.addPermanentWidget(self.last)
        self.show_idle()

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Say how far the work is; `total` 0 = unknown."""
        share = f" {100 * done / total:.0f} %" if total else ""
        self.work.setText(f"{what[:1].upper()}{what[1:]}{share}")
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        for widget in (self.work, self.bar, self.cancel):
            widget.show()

    def show_idle(self) -> None:
        """No work is under way."""
        for widget in (self.work, self.bar, self.cancel):
            widget.hide()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
