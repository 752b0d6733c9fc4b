"""Shows the progress of a recording: its time, its size, the program's output; and can stop it."""

from __future__ import annotations

import shlex
from pathlib import Path

from qtpy.QtCore import QTimer, Signal
from qtpy.QtGui import QCloseEvent
from qtpy.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from cbvtool.session.traces.recording import ProgramRun
from cbvtool.trace.record.attended import BYTES_OF_CALL, tail
from cbvtool.view.toolkit.plain import Label, set_tooltip
from cbvtool.words import one_line

LOOK = 500  # ms between two checks of the program's output
_LINES = 2_000  # lines of output that are shown
_LONGEST = 90  # characters of the command that are shown


class RecordingBox(QDialog):
    """Belongs to one recording, which continues when the box is closed."""

    stopped = Signal()
    discarded = Signal()

    def __init__(self, run: ProgramRun, parent: QWidget) -> None:
        super().__init__(parent)
        self.run = run
        self.setWindowTitle("Recording")
        self.setModal(False)
        self.resize(640, 320)
        command = one_line(shlex.join(run.command))
        what = Label(command if len(command) <= _LONGEST else f"{command[:_LONGEST]}…", self)
        what.setObjectName("heading")
        self.state = Label("Starting ...", self)
        self.output = QPlainTextEdit(self)
        self.output.setReadOnly(True)
        self.output.setMaximumBlockCount(_LINES)
        self.output.setAccessibleName("What the program writes")
        self.output.setPlaceholderText("What the program writes appears here. It gets no input.")
        self.stop = QPushButton("Stop and open", self)
        self.stop.setObjectName("primary")
        self.stop.setDefault(True)
        set_tooltip(self.stop, "End the program and open what was recorded until now")
        self.stop.clicked.connect(lambda _on: self._stop())
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setAutoDefault(False)
        set_tooltip(self.cancel, "End the program and delete the recording")
        self.cancel.clicked.connect(lambda _on: self.discarded.emit())
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.stop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(what)
        layout.addWidget(self.state)
        layout.addWidget(self.output, 1)
        layout.addLayout(buttons)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def progress(self, what: str, recorded: int, _total: int) -> None:
        """Show for how long it runs, and how much was recorded (bytes)."""
        options, said = self.run.options, what
        if recorded and not (options.sample or options.last or options.cpu_time or options.repeat):
            said += f", about {recorded // BYTES_OF_CALL:,} calls"
        self.state.setText(said)

    def look(self) -> None:
        """Show the end of the program's output."""
        text = "\n".join(one_line(line) for line in tail(self.run.output).splitlines())
        if text != self.output.toPlainText():
            self.output.setPlainText(text)
            bar = self.output.verticalScrollBar()
            if bar is not None:
                bar.setValue(bar.maximum())

    def end(self, sentence: str) -> None:
        """Handle the end of the program: its output stays visible."""
        self._timer.stop()
        self.look()
        self.state.setText(sentence)
        self.stop.hide()
        self.cancel.hide()

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self.state.setText("Stopping: the program is told to end ...")
        self.stopped.emit()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Close the box only: the recording continues, and the status bar shows it."""
        if event is not None:
            event.accept()


def where(path: Path) -> str:
    """A path in the form for a sentence."""
    return one_line(str(path))
