"""What the window shows while nothing is open: open a folder, recent ones, the sample project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qtpy.QtCore import Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cbvtool.view.plain import Label, caption, set_tooltip


class StartPage(QWidget):
    """Never a blank canvas."""

    open_folder = Signal()
    open_file = Signal()
    open_path = Signal(object)  # Path
    open_sample = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        title = Label("See how your code hangs together", self)
        title.setObjectName("title")
        text = Label(
            "Open a folder with source code, or drop one here. cbvtool draws its modules as a ring and their "
            "relations inside it. Drag modules to where they should be, and take the task list with you.",
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
        buttons = QHBoxLayout()
        for button in (open_folder, self.file, self.sample):
            buttons.addWidget(button)
        buttons.addStretch()
        self._recent_title = Label("Recent", self)
        self._recent_title.setObjectName("heading")
        self._recent = QVBoxLayout()
        self._recent.setSpacing(2)

        column = QVBoxLayout()
        column.setSpacing(14)
        for widget in (title, text):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addSpacing(12)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        around = QHBoxLayout()
        around.addStretch()
        around.addLayout(column)
        around.addStretch()
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addLayout(around)
        outer.addStretch(3)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the subjects opened before."""
        while self._recent.count():
            item = self._recent.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._recent_title.setVisible(bool(paths))
        before = self.sample
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
