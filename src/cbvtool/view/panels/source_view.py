"""Source text to read: line numbers, colours, the range of what is selected, and the places of relations as marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from qtpy.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from qtpy.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
)
from qtpy.QtWidgets import QPlainTextEdit, QWidget

from cbvtool.asking.highlight import ROLES, Span, units
from cbvtool.view.toolkit.plain import set_tooltip

# Colours by theme, in the order of `ROLES`; each has a contrast of 4.5 or more with the panel's ground.
COLORS = {
    "light": ("#0A55A6", "#1A6F37", "#66707B", "#9A4B00", "#6F3CC4", "#00686F", "#8A3B79"),
    "dark": ("#6CB6FF", "#8DDB8C", "#98A2AD", "#F0A869", "#D2A8FF", "#5CCFD6", "#F2A0DA"),
}
ABOVE = 0.3  # share of the height that is left above a line that was gone to
MARK = 7  # px, width of a mark in the margin
GAP = 6  # px
PORTION = 200_000  # characters that are put into the field at once
_WORD = re.compile(r"\w+")
_SEPARATORS = str.maketrans(dict.fromkeys("\u2028\u2029\ufdd0\ufdd1", "\ufffd"))  # a text field breaks lines at these


class Link(NamedTuple):
    """A part of a line that leads to nodes: first character and length in UTF-16 units."""

    start: int
    length: int
    keys: tuple[int, ...]


class SourceView(QPlainTextEdit):
    """Read-only. Colours are given to lines when they are seen first, so that the length of a file costs nothing.

    sites   1-based line -> keys of what it uses; `words` says what a key may be called on that line
    """

    followed = Signal(object)  # keys that a link or a mark leads to
    marked = Signal(object, object)  # keys of a mark that leads to several, global place
    find_wanted = Signal()

    def __init__(self, parent: QWidget, words: Callable[[int], frozenset[str]]) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = "light"
        self._spans: dict[int, list[Span]] = {}
        self._dressed: set[int] = set()  # numbers of blocks that have their colours
        self._sites: Mapping[int, tuple[int, ...]] = {}
        self._own: frozenset[int] = frozenset()
        self._range = (0, 0)
        self._awaited = 0  # line to go to once it is there
        self._rest: Iterator[str] = iter(())
        self._digits = 1
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._add_portion)
        self.setUndoRedoEnabled(False)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.setAccessibleName("Source")
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.margin = _Margin(self)
        self.setMouseTracking(True)
        if (viewport := self.viewport()) is not None:
            viewport.setMouseTracking(True)
        self.updateRequest.connect(self._scrolled)
        self._fit_margin()

    # -- what is shown -------------------------------------------------------------------------------------

    def show_text(self, text: str) -> None:
        """Show another file, from its beginning, as yet without colours and marks."""
        self._spans, self._sites, self._own, self._range = {}, {}, frozenset(), (0, 0)
        self._dressed.clear()
        self._rest = _portions(text)
        self._digits = len(str(text.count("\n") + 1))
        self.setPlainText(next(self._rest).translate(_SEPARATORS))
        self._more.start()
        self._fit_margin()

    def _add_portion(self) -> None:
        """A long text comes portion by portion, with time for events between."""
        portion = next(self._rest, None)
        if portion is None:
            self._more.stop()
            return
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(portion.translate(_SEPARATORS))
        if self._awaited and self._awaited <= self.blockCount():
            self.go_to(*self._range)

    @property
    def is_whole(self) -> bool:
        """Whether all of the text is there."""
        return not self._more.isActive()

    def add_spans(self, portion: dict[int, list[Span]]) -> None:
        """Colours of more lines (0-based line -> spans) are known."""
        self._spans |= portion
        self._dressed -= portion.keys()
        self._dress()

    def show_sites(self, sites: Mapping[int, tuple[int, ...]], own: frozenset[int]) -> None:
        """Mark the lines on which relations stand; the lines `own` are those of what is selected."""
        if (sites, own) == (self._sites, self._own):
            return
        self._sites, self._own = sites, own
        self._dressed.clear()
        self._dress()
        self.margin.update()

    def go_to(self, line: int, last: int = 0) -> None:
        """Mark lines from `line` (1-based; 0 = none) to `last`, and bring the first one into sight."""
        self._range = (line, max(line, last)) if line else (0, 0)
        self._awaited = line if line > self.blockCount() else 0
        document = self.document()
        block = document.findBlockByNumber(max(line, 1) - 1) if document is not None else QTextBlock()
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            lines = max(1, (self.height() or 1) // max(1, self.fontMetrics().lineSpacing()))
            top = max(0, block.blockNumber() - int(lines * ABOVE))
            if (bar := self.verticalScrollBar()) is not None and not self._in_sight(block, self._range[1]):
                bar.setValue(top)
            if (across := self.horizontalScrollBar()) is not None:
                across.setValue(0)
        self.margin.update()
        if (viewport := self.viewport()) is not None:
            viewport.update()

    @property
    def marked_range(self) -> tuple[int, int]:
        """First and last line that are marked, 1-based; (0, 0) = none."""
        return self._range

    def restyle(self, theme: str) -> None:
        """Take the colours of `light` or `dark`."""
        self._theme = theme
        self._dressed.clear()
        self._dress()
        self.margin.update()

    def _in_sight(self, block: QTextBlock, last: int) -> bool:
        first = self.firstVisibleBlock().blockNumber()
        lines = self.height() // max(1, self.fontMetrics().lineSpacing()) - 2
        return first <= block.blockNumber() and last - 1 < first + lines

    # -- colours -------------------------------------------------------------------------------------------

    def _visible(self) -> list[QTextBlock]:
        """The lines that can be seen."""
        found, block = [], self.firstVisibleBlock()
        bottom = self.height()
        while block.isValid() and self._top(block) <= bottom:
            found.append(block)
            block = block.next()
        return found

    def _top(self, block: QTextBlock) -> float:
        return float(self.blockBoundingGeometry(block).translated(self.contentOffset()).top())

    def _dress(self) -> None:
        for block in self._visible():
            number = block.blockNumber()
            layout = block.layout()
            if number in self._dressed or layout is None:
                continue
            self._dressed.add(number)
            layout.setFormats(self._formats(number, block.text()))
            if (document := self.document()) is not None:
                document.markContentsDirty(block.position(), block.length())

    def _formats(self, number: int, text: str) -> list[QTextLayout.FormatRange]:
        colors = COLORS[self._theme]
        found = []
        for span in self._spans.get(number, ()):
            style = QTextCharFormat()
            style.setForeground(QColor(colors[span.role]))
            if ROLES[span.role] == "name":
                style.setFontWeight(int(QFont.Weight.DemiBold))
            found.append(_range(span.start, span.length, style))
        for link in self.links(number + 1, text):
            style = QTextCharFormat()
            style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            style.setUnderlineColor(self.palette().color(QPalette.ColorRole.Link))
            found.append(_range(link.start, link.length, style))
        return found

    def links(self, line: int, text: str) -> list[Link]:
        """What on a line leads somewhere: the names of what it uses; where there is none, the whole line."""
        rest: list[int] = []
        found: dict[tuple[int, int], list[int]] = {}
        for key in self._sites.get(line, ()):
            words = self._words(key)
            hits = [(units(text[: m.start()]), units(m[0])) for m in _WORD.finditer(text) if m[0] in words]
            if hits:
                found.setdefault(hits[-1], []).append(key)
            else:
                rest.append(key)
        links = [Link(start, length, tuple(keys)) for (start, length), keys in found.items()]
        if rest and not links and text.strip():
            start = len(text) - len(text.lstrip())
            links.append(Link(start, units(text.strip()), tuple(rest)))
        return links

    # -- the mouse -----------------------------------------------------------------------------------------

    def link_at(self, event: QMouseEvent) -> Link | None:
        """The link under the pointer."""
        cursor = self.cursorForPosition(event.pos())
        block, at = cursor.block(), cursor.positionInBlock()
        line = self.blockBoundingGeometry(block).translated(self.contentOffset())
        if not line.top() <= event.pos().y() <= line.bottom():
            return None
        links = self.links(block.blockNumber() + 1, block.text())
        return next((link for link in links if link.start <= at <= link.start + link.length), None)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """A hand over what leads somewhere."""
        super().mouseMoveEvent(event)
        if event is not None and (viewport := self.viewport()) is not None:
            link = self.link_at(event) if event.buttons() == Qt.MouseButton.NoButton else None
            viewport.setCursor(Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """A click, not the end of a selection, follows a link."""
        super().mouseReleaseEvent(event)
        if event is None or event.button() != Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        if (link := self.link_at(event)) is not None:
            self.followed.emit(link.keys)

    def click_mark(self, event: QMouseEvent) -> None:
        """A click in the margin."""
        block = self.cursorForPosition(event.pos()).block()
        keys = self._sites.get(block.blockNumber() + 1, ())
        if len(keys) == 1:
            self.followed.emit(keys)
        elif keys:
            self.marked.emit(keys, event.globalPos())

    # -- keys ----------------------------------------------------------------------------------------------

    def event(self, event: QEvent | None) -> bool:
        """Ctrl+F finds in the file while this has the focus, and not in the graph."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.find_wanted.emit()
                return True
        return super().event(event)

    def find_text(self, text: str, *, backward: bool = False, again: bool = True) -> tuple[int, int]:
        """Select the next place of `text` (upper or lower case), round the end; (its number, how many there are).

        again   look behind the present place; else it may stay, because the text grew by a letter
        """
        document = self.document()
        if document is None or not text:
            return 0, 0
        content, wanted = document.toPlainText().lower(), text.lower()
        total = content.count(wanted)
        cursor = self.textCursor()
        if not again:
            cursor.setPosition(cursor.selectionStart())
        flags = QTextDocument.FindFlags()
        if backward:
            flags |= QTextDocument.FindFlag.FindBackward
        found = document.find(text, cursor, flags)
        if found.isNull():
            cursor.movePosition(QTextCursor.MoveOperation.End if backward else QTextCursor.MoveOperation.Start)
            found = document.find(text, cursor, flags)
        if found.isNull():
            return 0, total
        self.setTextCursor(found)
        self.centerCursor()
        return content.count(wanted, 0, found.selectionStart() + len(wanted)), total

    # -- painting ------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The ground of the range, and the text."""
        viewport = self.viewport()
        if viewport is not None and self._range[0]:
            painter = QPainter(viewport)
            color = QColor(self.palette().color(QPalette.ColorRole.Highlight))
            color.setAlphaF(0.35)
            for block in self._visible():
                if self._range[0] <= block.blockNumber() + 1 <= self._range[1]:
                    box = self.blockBoundingGeometry(block).translated(self.contentOffset())
                    painter.fillRect(QRectF(0, box.top(), viewport.width(), box.height()), color)
            painter.end()
        super().paintEvent(event)

    def paint_margin(self, event: QPaintEvent) -> None:
        """Line numbers, marks, and a bar along the range."""
        painter = QPainter(self.margin)
        palette, width = self.palette(), self.margin.width()
        painter.fillRect(event.rect(), palette.color(QPalette.ColorRole.AlternateBase))
        painter.setFont(self.font())
        accent = palette.color(QPalette.ColorRole.Link)
        for block in self._visible():
            number, box = block.blockNumber() + 1, self.blockBoundingGeometry(block).translated(self.contentOffset())
            inside = self._range[0] <= number <= self._range[1]
            role = QPalette.ColorRole.Text if inside else QPalette.ColorRole.PlaceholderText
            painter.setPen(palette.color(role))
            place = QRectF(0, box.top(), width - MARK - 2 * GAP, box.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), f"{number}")
            if number in self._sites:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                own = number in self._own
                painter.setBrush(accent if own else palette.color(QPalette.ColorRole.PlaceholderText))
                size = MARK if own else MARK - 2
                middle = box.center().y()
                painter.drawEllipse(QRectF(width - GAP - MARK / 2 - size / 2, middle - size / 2, size, size))
            if inside:
                painter.fillRect(QRectF(width - 2, box.top(), 2, box.height()), accent)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The margin is as high as the text."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self.margin.setGeometry(QRect(area.left(), area.top(), self.margin_width(), area.height()))
        self._dress()

    def margin_width(self) -> int:
        """Pixels for the largest line number and a mark."""
        digits = max(3, self._digits)
        return GAP + self.fontMetrics().horizontalAdvance("9") * digits + 2 * GAP + MARK

    def _fit_margin(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)
        area = self.contentsRect()
        self.margin.setGeometry(QRect(area.left(), area.top(), self.margin_width(), area.height()))

    def _scrolled(self, rect: QRect, dy: int) -> None:
        if dy:
            self.margin.scroll(0, dy)
        else:
            self.margin.update(0, rect.y(), self.margin.width(), rect.height())
        self._dress()


def _portions(text: str) -> Iterator[str]:
    """`text` in portions that end with a line; at least one."""
    start, end = 0, text.find("\n", PORTION) + 1
    while end:
        yield text[start:end]
        start, end = end, text.find("\n", end + PORTION) + 1
    yield text[start:]


class _Margin(QWidget):
    """Left of the text; a click on a mark follows it."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view
        set_tooltip(self, "A dot marks a line on which relations stand: click it to go where they lead")

    def sizeHint(self) -> QSize:
        return QSize(self._view.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        if event is not None:
            self._view.paint_margin(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._view.click_mark(event)


def _range(start: int, length: int, style: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, style
    return found
