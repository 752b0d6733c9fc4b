"""The status bar: what is open, what is being done with a way to stop it, and the last message."""

from __future__ import annotations

from collections.abc import Mapping

from qtpy.QtCore import Qt, QTimer, Signal
from qtpy.QtWidgets import QProgressBar, QPushButton, QSizePolicy, QStatusBar, QWidget

from cbvtool.formats.summary import not_understood
from cbvtool.graph import LanguageShare, Report
from cbvtool.project import Project
from cbvtool.view.toolkit.chooser import ChooserRow
from cbvtool.view.toolkit.plain import Label, set_caption, set_tooltip
from cbvtool.words import one_line

MESSAGE_STAYS = 12_000  # ms
MOST_LISTED = 5_000  # files not fully understood


def subject_line(project: Project, files: int, relations: int) -> str:
    """`shop @ 1a2b3c · 1,204 files, 8,930 relations`."""
    commit = f" @ {project.commit[:7]}" if project.commit else ""
    size = f"{_count(files, 'file')}, {_count(relations, 'relation')}"
    return "  ·  ".join((f"{one_line(project.name)}{commit}", size))


def languages_text(report: Report) -> str:
    """A line for each language: how many files were read, and how much of them was not understood."""
    return "\n".join(
        f"{one_line(share.name)}: {_count(share.files, 'file')}, {_lost(share)}" for share in report.languages
    )


def _lost(share: LanguageShare) -> str:
    if not share.with_errors:
        return "all understood"
    files = f"syntax errors in {share.with_errors:,}"
    if not share.lines or not share.lost_lines:
        return files
    macros = (
        f", {_share(share.lost_to_macros, share.lost_lines)} of these because of macros" if share.lost_to_macros else ""
    )
    return f"{_share(share.lost_lines, share.lines)} of the lines not understood{macros} ({files})"


def _share(part: int, whole: int) -> str:
    percent = 100 * part / max(whole, 1)
    return f"{percent:.1f} %" if percent >= 0.05 else "less than 0.1 %"


def not_understood_choices(report: Report, key_of: Mapping[str, int]) -> list[ChooserRow]:
    """The files with syntax errors, those of which most lines were not understood first; their values are keys."""
    lost = report.lost_lines if len(report.lost_lines) == len(report.parse_errors) else (0,) * len(report.parse_errors)
    rows = sorted(zip(lost, report.parse_errors, strict=True), key=lambda row: (-row[0], row[1]))[:MOST_LISTED]
    return [
        ChooserRow(
            one_line(path),
            _count(lines, "line") if any(lost) else "",
            key_of.get(path),
            refused="" if path in key_of else "not in the picture",
        )
        for lines, path in rows
    ]


class Status(QStatusBar):
    """Says it in words; the bar moves only while work runs."""

    cancelled = Signal()
    errors_asked = Signal()  # which files were not understood
    plan_asked = Signal()  # what is planned
    _said = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.subject = Label("", self)
        self.errors = QPushButton(self)
        self.errors.setObjectName("link")
        self.errors.setCursor(Qt.CursorShape.PointingHandCursor)
        self.errors.clicked.connect(self.errors_asked)
        self.errors.hide()
        self.plan = QPushButton(self)
        self.plan.setObjectName("link")
        self.plan.setCursor(Qt.CursorShape.PointingHandCursor)
        self.plan.clicked.connect(self.plan_asked)
        self.plan.hide()
        self.work = Label("", self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setObjectName("small")
        set_tooltip(self.cancel, "Stop this; what is shown stays")
        self.cancel.clicked.connect(self.cancelled)
        self.last = Label("", self)
        self._goes = QTimer(self)
        self._goes.setSingleShot(True)
        self._goes.setInterval(MESSAGE_STAYS)
        self._goes.timeout.connect(lambda: self.last.setText(""))
        self._said.connect(self._show_note)
        self.addWidget(self.subject)
        self.addWidget(self.errors)
        self.addWidget(self.plan)
        self.addWidget(self.work)
        self.addWidget(self.bar)
        self.addWidget(self.cancel)
        self.last.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # never widens the window
        self.last.setAlignment(Qt.Alignment(Qt.AlignmentFlag.AlignRight) | Qt.AlignmentFlag.AlignVCenter)
        self.addPermanentWidget(self.last, 1)
        self.show_idle()

    def show_subject(self, project: Project, files: int, relations: int) -> None:
        """Say what is open, and how much of it was not understood."""
        report = project.graph.report
        languages, lost = languages_text(report), not_understood(report)
        self.subject.setText(subject_line(project, files, relations))
        set_tooltip(self.subject, languages)
        set_caption(self.errors, lost)
        set_tooltip(self.errors, f"{languages}\nClick to list the files".strip())
        self.errors.setVisible(bool(lost))

    def note(self, sentence: str) -> None:
        """Show a sentence, which goes after a while; any thread may say it."""
        self._said.emit(sentence)

    def _show_note(self, sentence: str) -> None:
        self.last.setText(sentence)
        set_tooltip(self.last, sentence)
        self._goes.start()

    def show_plan(self, heading: str, summary: str, changes: str) -> None:
        """Say what is planned, `3 moved, 1 new`, or what differs, and each of the `changes` in a tooltip."""
        set_caption(self.plan, f"{heading}: {summary}" if summary else "")
        set_tooltip(self.plan, f"{changes}\nClick to show the plan".strip())
        self.plan.setAccessibleDescription(changes)
        self.plan.setVisible(bool(summary))

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Say how far the work is; `total` 0 = unknown."""
        share = f" {100 * done / total:.0f} %" if total else ""
        self.work.setText(f"{what[:1].upper()}{what[1:]}{share}")
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        for widget in (self.work, self.bar, self.cancel):
            widget.show()

    def show_stopping(self) -> None:
        """The work was told to stop, and will do so as soon as it can."""
        self.work.setText("Stopping ...")
        self.bar.setRange(0, 0)
        self.cancel.hide()

    def show_idle(self) -> None:
        """No work is under way."""
        for widget in (self.work, self.bar, self.cancel):
            widget.hide()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
