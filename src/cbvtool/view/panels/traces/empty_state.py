"""What the panel says while no trace is open: what to do, and how."""

from __future__ import annotations

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cbvtool.view.toolkit.plain import Label

TITLE = "See your program run in this picture"
WHAT = (
    "Open a recording of a run: who called whom, how often and how long becomes relations, heights and colours, for "
    "any window of time. Drop a file here, choose one, or record your program now."
)
HOW = "In a terminal:  cbvtool trace record -o FOLDER -- python your_program.py"


class EmptyState(QWidget):
    """A heading, two sentences and two buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.opener = QPushButton("Open trace...", self)
        self.opener.setObjectName("primary")
        self.recorder = QPushButton("Record a program...", self)
        heading = Label(TITLE, self)
        heading.setObjectName("heading")
        what, how = Label(WHAT, self), Label(HOW, self)
        for line in (what, how):
            line.setObjectName("muted")
            line.setWordWrap(True)
            line.setMaximumWidth(620)
        how.setTextInteractionFlags(Qt.TextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse))
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addStretch()
        column.addWidget(heading)
        column.addWidget(what)
        row = QHBoxLayout()
        row.addWidget(self.opener)
        row.addWidget(self.recorder)
        row.addStretch()
        column.addLayout(row)
        column.addWidget(how)
        column.addStretch()
        around = QHBoxLayout(self)
        around.setContentsMargins(24, 8, 24, 8)
        around.addStretch(1)
        around.addLayout(column, 4)
        around.addStretch(1)
