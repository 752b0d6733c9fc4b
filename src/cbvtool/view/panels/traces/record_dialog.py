"""Asks for the program that is to be recorded, where it runs, and what is recorded of it."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from cbvtool.errors import InputError
from cbvtool.session.traces.recording import ProgramRun, split_command, why_not
from cbvtool.trace.record.options import CAVEAT, RecordOptions
from cbvtool.view.toolkit.drop_list import DropList, NumberField
from cbvtool.view.toolkit.file_dialogs import ask_folder
from cbvtool.view.toolkit.plain import Label, add_row, set_tooltip
from cbvtool.words import one_line

TRUST = "cbvtool runs nothing of a repository by itself, only the command that you type here, and without a shell."
CALLS, SAMPLES = "calls", "samples"
_MOST_SHOWN = 12  # arguments that are shown one by one
_MS = 1000.0


class RecordDialog(QDialog):
    """`wanted` is what was chosen, once it was accepted.

    command    what the field begins with; folder: where it runs; place: a new folder for the recording
    """

    def __init__(self, command: str, folder: Path, place: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Record a program")
        self.setMinimumWidth(620)
        self.wanted: ProgramRun | None = None
        self.command = self._line(command, "Command")
        self.command.setPlaceholderText("python -m shop buy tea 2")
        self.folder = self._line(str(folder), "Folder that it runs in")
        self.place = self._line(str(place), "Folder of the recording")
        self.what = DropList(self)
        self.what.setAccessibleName("What is recorded")
        self.what.addItem("Every call", CALLS)
        self.what.addItem("Samples of the stacks: cheaper, but no call counts", SAMPLES)
        self.every = self._number(5, 1, 1000, "Time between two samples", " ms")
        self.limit = self._number(
            0, 0, 999_999_999, "Calls of a function, after which it is recorded no more", " calls"
        )
        self.limit.setSpecialValueText("No limit")
        set_tooltip(self.limit, "A function that is called more often is recorded no more: less time, less disk")
        self.last = self._number(0, 0, 86_400, "Seconds before the end that are kept", " s")
        self.last.setSpecialValueText("The whole run")
        set_tooltip(self.last, "For programs that run long: only so much before the end is kept")
        self.repeat = self._number(1, 1, 100, "Number of runs")
        set_tooltip(self.repeat, "More than one run: each is a trace, with CPU times")
        self.split = self._note("")
        self.reason = Label("", self)
        self.reason.setObjectName("refusal")
        self.reason.setWordWrap(True)
        self._arrange()
        for line in (self.command, self.folder, self.place):
            line.textChanged.connect(lambda _text: self._follow())
        self.what.currentIndexChanged.connect(lambda _row: self._follow())
        self._follow()
        self.command.setFocus()
        self.command.selectAll()

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setVerticalSpacing(10)
        add_row(form, "&Command", self.command)
        form.addRow("", self.split)
        add_row(form, "&Runs in", self._with_chooser(self.folder, "Choose the folder that the program runs in"))
        add_row(form, "&What", self.what)
        add_row(form, "Sample &every", self.every)
        add_row(form, "&Limit per function", self.limit)
        add_row(form, "&Keep the last", self.last)
        add_row(form, "&Number of runs", self.repeat)
        add_row(form, "Recording &goes to", self._with_chooser(self.place, "Choose where the recording goes"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.start = QPushButton("Record", self)
        self.start.setObjectName("primary")
        self.start.setDefault(True)
        buttons.addButton(self.start, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(self._note(TRUST))
        layout.addLayout(form)
        layout.addWidget(self._note(CAVEAT))
        layout.addWidget(self.reason)
        layout.addStretch()
        layout.addWidget(buttons)

    # -- what was typed --------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """Say how the command is split, and offer what the chosen way can do."""
        sampled = self.what.currentData() == SAMPLES
        self.every.setEnabled(sampled)
        self.limit.setEnabled(not sampled)
        self.last.setEnabled(not sampled)
        self.reason.setText("")
        self.reason.setVisible(False)
        text = self.command.text()
        if not text.strip():
            self.split.setText("Program and arguments, as you would type them in a terminal")
            return
        try:
            words = split_command(text)
        except InputError as error:
            self.split.setText(str(error))
            return
        shown = "  ".join(f"[{one_line(word)[:80]}]" for word in words[:_MOST_SHOWN])
        rest = f"  and {len(words) - _MOST_SHOWN:,} more" if len(words) > _MOST_SHOWN else ""
        self.split.setText(f"Runs {shown}{rest}")

    def _take(self) -> None:
        """Accept what can be run; else say why it cannot."""
        try:
            run = self._run()
        except InputError as error:
            self._refuse(str(error))
            return
        if reason := why_not(run):
            self._refuse(reason)
            return
        self.wanted = run
        self.accept()

    def _run(self) -> ProgramRun:
        folder, place = self.folder.text().strip(), self.place.text().strip()
        command = split_command(self.command.text())
        if not place:
            raise InputError("Name a folder for the recording.")
        runs_in = Path(folder or ".").expanduser()
        sampled = self.what.currentData() == SAMPLES
        runs = self.repeat.value()
        options = RecordOptions(
            runs_in / Path(place).expanduser(),
            repeat=runs if runs > 1 else 0,
            sample=self.every.value() / _MS if sampled else 0.0,
            limit=0 if sampled else self.limit.value(),
            last=0.0 if sampled else float(self.last.value()),
        )
        return ProgramRun(command, runs_in, options)

    def _refuse(self, why: str) -> None:
        self.reason.setText(why)
        self.reason.setVisible(True)

    # -- building --------------------------------------------------------------------------------------------

    def _line(self, text: str, name: str) -> QLineEdit:
        made = QLineEdit(text, self)
        made.setAccessibleName(name)
        return made

    def _number(self, value: int, least: int, most: int, name: str, unit: str = "") -> NumberField:
        made = NumberField(self)
        made.setRange(least, most)
        made.setValue(value)
        made.setGroupSeparatorShown(True)
        made.setSuffix(unit)
        made.setAccessibleName(name)
        set_tooltip(made, name)
        return made

    def _note(self, text: str) -> Label:
        made = Label(text, self)
        made.setObjectName("muted")
        made.setWordWrap(True)
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        return made

    def _with_chooser(self, line: QLineEdit, tip: str) -> QWidget:
        both = QWidget(self)
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(line, 1)
        button = QPushButton("Choose...", both)
        button.setAutoDefault(False)
        set_tooltip(button, tip)
        row.addWidget(button)
        both.setFocusProxy(line)

        def choose() -> None:
            start = Path(line.text()).expanduser()
            while not start.is_dir() and start != start.parent:
                start = start.parent
            if (chosen := ask_folder(start, self)) is not None:
                line.setText(str(chosen))

        button.clicked.connect(lambda _on: choose())
        return both
