"""The status bar: what is open, what is being done with a way to stop it, and the last message."""

from __future__ import annotations

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from cbvtool.project import Project


def subject_line(project: Project, files: int, relations: int) -> str:
    """`shop @ 1a2b3c · 1,204 files, 8,930 relations`."""
    commit = f" @ {project.commit[:7]}" if project.commit else ""
    return f"{project.name}{commit}  ·  {_count(files, 'file')}, {_count(relations, 'relation')}"


class Status(QStatusBar):
    """Says it in words; the bar moves only while work runs."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.subject = QLabel(self)
        self.work = QLabel(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setObjectName("small")
        self.cancel.clicked.connect(self.cancelled)
        self.last = QLabel(self)
        self.addWidget(self.subject)
        self.addWidget(self.work)
        self.addWidget(self.bar)
        self.addWidget(self.cancel)
        self.addPermanentWidget(self.last)
        self.show_idle()

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Say how far the work is; `total` 0 = unknown."""
        share = f" {done / total:.0%}" if total else ""
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
