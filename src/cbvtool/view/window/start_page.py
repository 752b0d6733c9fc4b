"""What the window shows while nothing is open: open a folder, recent ones, the sample project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qtpy.QtCore import Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from cbvtool.view.toolkit.plain import Label, caption, set_tooltip
from cbvtool.words import one_line


class StartPage(QWidget):
    """Never a blank canvas."""

    open_folder = Signal()
    open_file = Signal()
    open_path = Signal(object)  # Path
    open_sample = Signal()
    open_traces = Signal()
    cancelled = Signal()  # nothing is to be opened after all

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        self._choices = QWidget(self)
        title = Label("See how your code hangs together", self)
        title.setObjectName("title")
        text = Label(
            "Open a folder with source code, or drop one here. cbvtool draws its modules as a ring and their "
            "relations inside it. Drag modules to where they should be, and take the task list with you. A recording "
            "of a run opens without its code, too: Traces > Open trace...",
            self,
        )
        text.setWordWrap(True)
        text.setObjectName("muted")
        text.setFixedWidth(520)
        open_folder = QPushButton("Open a folder...", self)
        open_folder.setObjectName("primary")
        set_tooltip(open_folder, "Analyse a folder (Ctrl+O); nothing in it is executed or changed")
        open_folder.clicked.connect(self.open_folder)
        self.file = QPushButton("Open a plan or a graph...", self)
        set_tooltip(self.file, "What cbvtool has saved, or a graph of another program (Ctrl+Shift+O)")
        self.file.clicked.connect(self.open_file)
        self.sample = QPushButton("Try the sample project", self)
        set_tooltip(self.sample, "A small shop with layers, a cycle and some history")
        self.sample.clicked.connect(self.open_sample)
        self.traces = QPushButton("Open recorded runs...", self)
        set_tooltip(self.traces, "Recordings of programs whose code is not at hand: one, or those of many runs")
        self.traces.clicked.connect(self.open_traces)
        buttons, below = QHBoxLayout(), QHBoxLayout()
        for button in (open_folder, self.file, self.sample):
            buttons.addWidget(button)
        below.addWidget(self.traces)  # in a row of four the page would be wider than a small window has room for
        for row in (buttons, below):
            row.addStretch()
        self._recent_title = Label("Recent", self)
        self._recent_title.setObjectName("heading")
        self._recent = QVBoxLayout()
        self._recent.setSpacing(2)

        column = QVBoxLayout(self._choices)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        for widget in (title, text):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addLayout(below)
        column.addSpacing(12)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        around = QHBoxLayout()
        around.addStretch()
        around.addWidget(self._choices)
        around.addWidget(self._make_opening())
        around.addStretch()
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addLayout(around)
        outer.addStretch(3)

    def _make_opening(self) -> QWidget:
        """What is shown in place of the choices while the first subject is being read."""
        self._opening = QWidget(self)
        self._what = Label("", self._opening)
        self._what.setObjectName("title")
        self._step = Label("", self._opening)
        self._step.setObjectName("muted")
        self._bar = QProgressBar(self._opening)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(520)
        cancel = QPushButton("Cancel", self._opening)
        set_tooltip(cancel, "Stop reading, and choose something else")
        cancel.clicked.connect(self.cancelled)
        column = QVBoxLayout(self._opening)
        column.setSpacing(14)
        for widget in (self._what, self._step, self._bar):
            column.addWidget(widget)
        column.addWidget(cancel, 0, Qt.AlignmentFlag.AlignLeft)
        self._opening.hide()
        return self._opening

    @property
    def opening(self) -> str:
        """What it says is being opened; empty while it offers choices."""
        return "" if self._opening.isHidden() else self._what.text()

    def show_opening(self, what: str) -> None:
        """Something is being opened: say what, in place of the choices."""
        self._what.setText(one_line(what))
        self.show_progress("", 0, 0)
        self._choices.hide()
        self._opening.show()

    def show_progress(self, step: str, done: int, total: int) -> None:
        """Say how far it is; `total` 0 = unknown."""
        share = f" {100 * done / total:.0f} %" if total else " ..." if step else ""
        self._step.setText(f"{step[:1].upper()}{step[1:]}{share}")
        self._bar.setRange(0, total)
        self._bar.setValue(done)

    def show_choices(self) -> None:
        """Nothing is being opened."""
        self._opening.hide()
        self._choices.show()

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the subjects opened before."""
        while self._recent.count():
            item = self._recent.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._recent_title.setVisible(bool(paths))
        before = self.traces
        for path in paths:
            button = QPushButton(caption(f"{path.name or path}    {path.parent}"), self)
            button.setObjectName("link")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            set_tooltip(button, str(path))
            button.clicked.connect(lambda _checked=False, path=path: self.open_path.emit(path))
            self._recent.addWidget(button)
            QWidget.setTabOrder(before, button)  # it was made long after what follows on the page
            before = button

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter presses the button that has the focus, as in a dialog."""
        button = self.focusWidget()
        if event is None or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(button, QPushButton) and button.hasFocus():
            button.click()
