"""What two commits changed in a file, beside its source."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtGui import QColor, QFont, QFontDatabase, QSyntaxHighlighter, QTextCharFormat
from qtpy.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from cbvtool.asking.patch_text import place_of_line, without_head
from cbvtool.geometry.colors import THEMES
from cbvtool.mining.patches import read_patch
from cbvtool.progress import Progress
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.plain import Label, caption, set_tooltip
from cbvtool.words import one_line

NOTHING = "{file} is the same in both commits."
_ID = 9  # letters of a commit's id
_ABOVE = 4  # lines that are left above the one that was gone to


class SourceDifference(QWidget):
    """Hidden until it is asked. Patches are read in a worker."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._asked: tuple[str, str, str] = ("", "", "")
        self._line = 0
        self.head = Label("", self)
        self.head.setObjectName("muted")
        self.close_button = QPushButton(caption("Close"), self)
        self.close_button.setAccessibleName("Close what was changed")
        self.close_button.setObjectName("small")
        set_tooltip(self.close_button, "Show the source alone")
        self.close_button.clicked.connect(self.end)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("What was changed")
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.text.setFont(font)
        self._colors = _PatchColors(self.text, desk.settings.theme)
        row = QHBoxLayout()
        row.setContentsMargins(12, 2, 8, 2)
        row.addWidget(self.head, 1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        self.hide()

    def ask(self, root: Path, file: str, line: int, old: str, new: str) -> None:
        """Show what was changed in a file of the repository around `root`, at a line of the newer commit."""
        self.show()
        self._line = line
        if self._asked == (file, old, new):
            self._go()
            return
        self._asked = (file, old, new)
        self.head.setText(f"{one_line(file)}: from {one_line(old[:_ID])} to {one_line(new[:_ID])}")
        self.text.setPlainText("")

        def work(progress: Progress) -> str:
            progress("reading", 0, 0)
            return without_head(read_patch(root, old, new, file))

        self._desk.jobs.run(
            self,
            f"Reading what was changed in {one_line(file)}",
            work,
            self._take,
            self._say,
            purpose="patch",
            cancelled=lambda: self._say("Reading was cancelled."),
        )

    def end(self) -> None:
        """Show nothing any more."""
        self._asked = ("", "", "")
        self._desk.jobs.drop(self, "patch")
        self.hide()

    def restyle(self, theme: str) -> None:
        """Take the colours of the other theme."""
        self._colors.take(theme)

    def _take(self, patch: str) -> None:
        self.text.setPlainText(patch or NOTHING.format(file=self._asked[0]))
        self._go()

    def _say(self, sentence: str) -> None:
        self._asked = ("", "", "")
        self.text.setPlainText(sentence)

    def _go(self) -> None:
        """The line in sight, some of what is above it as well."""
        place = place_of_line(self.text.toPlainText(), self._line)
        document, cursor = self.text.document(), self.text.textCursor()
        assert document is not None
        cursor.setPosition(document.findBlockByNumber(place).position())
        self.text.setTextCursor(cursor)
        if (bar := self.text.verticalScrollBar()) is not None:
            bar.setValue(max(place - _ABOVE, 0))


class _PatchColors(QSyntaxHighlighter):
    """Lines that came, that went, and heads of hunks; their first characters say the same."""

    def __init__(self, text: QPlainTextEdit, theme: str) -> None:
        super().__init__(text.document())
        self._formats: dict[str, QTextCharFormat] = {}
        self.take(theme)

    def take(self, theme: str) -> None:
        """Take the colours of a theme."""
        colors = THEMES[theme]
        for sign, color in (("+", colors.better), ("-", colors.worse), ("@", colors.muted)):
            form = self._formats.setdefault(sign, QTextCharFormat())
            form.setForeground(QColor(*color))
        self.rehighlight()

    def highlightBlock(self, text: str | None) -> None:
        """Colour one line."""
        form = self._formats.get((text or "")[:1])
        if form is not None and text:
            self.setFormat(0, len(text), form)
