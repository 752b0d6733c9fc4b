"""Activity over time, and the window of it that is looked at: dragged, moved, widened by mouse and keys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from qtpy.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from qtpy.QtWidgets import QSizePolicy, QWidget

from cbvtool.trace.model.durations import duration
from cbvtool.trace.model.focus import Focus, Span
from cbvtool.view.toolkit.plain import show_tooltip
from cbvtool.view.toolkit.theme import WidgetColors

HEIGHT = 62  # px
AXIS = 16  # px below the activity
EDGE = 5  # px from an edge of the window in which it is taken by the mouse
DRAG = 4  # px before a press becomes a drag
WHEEL = 1.25  # one notch
STEP = 0.1  # of the window, one press of an arrow key
TICKS = (1, 2, 5)


class TimeStrip(QWidget):
    """Tells of each other window by `chosen`, also while it is dragged.

    A drag on empty ground draws a window; on the window it moves it, on its edges it widens it. The wheel zooms it
    around the pointer, a double click shows all. ESC puts back what a drag began with.
    """

    chosen = Signal(object)  # Focus

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Time")
        self.setAccessibleDescription(
            "Calls over time. Left and Right move the window, with Shift they widen and narrow it, Home shows all."
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._focus = Focus()
        self._span: Span = (0, 0)
        self._activity: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._colors: WidgetColors | None = None
        self._press: tuple[float, str, Focus] | None = None  # where, what is taken, the focus then
        self._dragged = False

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(400, HEIGHT)

    def restyle(self, colors: WidgetColors) -> None:
        """Take the colours of a theme."""
        self._colors = colors
        self.update()

    def show_time(self, span: Span, activity: npt.NDArray[np.int64] | None, focus: Focus) -> None:
        """Show what there is, and which part of it is looked at. None = the activity of before."""
        self._span, self._focus = span, focus
        if activity is not None:
            self._activity = activity
        self.update()

    @property
    def is_held(self) -> bool:
        """Whether the mouse holds the window."""
        return self._press is not None

    # -- places --------------------------------------------------------------------------------------------

    def time_at(self, x: float) -> int:
        """The time at a pixel, ns."""
        first, last = self._span
        return first + round((last - first) * min(max(x / max(self.width() - 1, 1), 0.0), 1.0))

    def x_of(self, time: int) -> float:
        """The pixel of a time."""
        first, last = self._span
        return (time - first) / max(last - first, 1) * max(self.width() - 1, 1)

    def _part_at(self, x: float) -> str:
        """What is at a pixel: an edge of the window, the window, or the ground."""
        if self._focus.window is None:
            return "ground"
        left, right = map(self.x_of, self._focus.within(self._span))
        near = {abs(x - left): "start", abs(x - right): "end"}
        if min(near) <= EDGE:
            return near[min(near)]
        return "window" if left < x < right else "ground"

    # -- mouse and keys ------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Take the window, one of its edges, or begin another one."""
        if event is None or event.button() != Qt.MouseButton.LeftButton or self._span[1] <= self._span[0]:
            return
        x = event.position().x() if hasattr(event, "position") else float(event.pos().x())
        self._press, self._dragged = (x, self._part_at(x), self._focus), False

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drag what was taken; else say what is here."""
        if event is None or self._span[1] <= self._span[0]:
            return
        x = float(event.pos().x())
        if self._press is None:
            shapes = {"window": Qt.CursorShape.OpenHandCursor, "ground": Qt.CursorShape.IBeamCursor}
            self.setCursor(shapes.get(self._part_at(x), Qt.CursorShape.SizeHorCursor))
            show_tooltip(event.globalPos(), self.words_at(x), self)
            return
        begun, part, before = self._press
        if not self._dragged and abs(x - begun) < DRAG:
            return
        self._dragged = True
        span = self._span
        if part == "window":
            self._choose(before.moved(self.time_at(x) - self.time_at(begun), span))
            return
        first, last = before.within(span)
        fixed = {"start": last, "end": first}.get(part, self.time_at(begun))
        ends = sorted((fixed, self.time_at(x)))
        if ends[0] < ends[1]:
            self._choose(Focus(before.trace, (ends[0], ends[1]), before.threads))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Let go."""
        self._press = None
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Show all."""
        self._press = None
        self._choose(Focus(self._focus.trace, None, self._focus.threads))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom the window around the pointer."""
        if event is None or self._span[1] <= self._span[0]:
            return
        notches = event.angleDelta().y() / 120
        event.accept()
        if notches:
            around = self.time_at(float(event.position().x() if hasattr(event, "position") else event.pos().x()))
            self._choose(self._focus.zoomed(WHEEL**-notches, around, self._span))

    def event(self, event: QEvent | None) -> bool:
        """ESC is for a drag in progress, before it is a command of the window."""
        override = event is not None and event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, event: QKeyEvent) -> bool:
        arrows = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Up, Qt.Key.Key_Down)
        return event.key() in arrows or (event.key() == Qt.Key.Key_Escape and self._press is not None)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows move the window, with Shift its end; Up and Down zoom; Home shows all; ESC ends a drag."""
        if event is None or not self._takes(event) or self._span[1] <= self._span[0]:
            super().keyPressEvent(event)
            return
        focus, span = self._focus, self._span
        first, last = focus.within(span)
        by = max(round((last - first) * STEP), 1) * (-1 if event.key() == Qt.Key.Key_Left else 1)
        if event.key() == Qt.Key.Key_Escape:
            assert self._press is not None
            before, self._press = self._press[2], None
            self._choose(before)
        elif event.key() == Qt.Key.Key_Home:
            self._choose(Focus(focus.trace, None, focus.threads))
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            factor = WHEEL if event.key() == Qt.Key.Key_Down else 1 / WHEEL
            self._choose(focus.zoomed(factor, (first + last) // 2, span))
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            end = min(max(last + by, first + 1), span[1])
            self._choose(Focus(focus.trace, (first, end), focus.threads))
        else:
            self._choose(focus.moved(by, span))

    def _choose(self, focus: Focus) -> None:
        if focus != self._focus:
            self._focus = focus
            self.update()
            self.chosen.emit(focus)

    # -- words and picture -----------------------------------------------------------------------------------

    def words_at(self, x: float) -> str:
        """What a tooltip says at a pixel."""
        said = f"{duration(self.time_at(x) - self._span[0])} after the start"
        if len(self._activity):
            part = min(int(x / max(self.width(), 1) * len(self._activity)), len(self._activity) - 1)
            per = max(round(len(self._activity) / max(self.width(), 1)), 1)
            said += f"\n{int(self._activity[part : part + per].sum()):,} calls begin here"
        return said

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Activity, window and ticks."""
        colors = self._colors
        if colors is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide, tall = self.width(), self.height() - AXIS
        painter.fillRect(QRectF(0, 0, wide, tall), QColor(colors.ground))
        left, right = 0.0, float(wide)
        if self._focus.window is not None:
            left, right = map(self.x_of, self._focus.within(self._span))
            right = max(right, left + 2)
        chosen = QColor(colors.accent)
        chosen.setAlpha(34)
        if self._focus.window is not None:
            painter.fillRect(QRectF(left, 0, right - left, tall), chosen)
        self._paint_activity(painter, wide, tall, left, right, colors)
        painter.setPen(QPen(QColor(colors.line), 1))
        painter.drawLine(QPointF(0, tall + 0.5), QPointF(wide, tall + 0.5))
        if self._focus.window is not None:
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            for x in (left, right):
                painter.drawLine(QPointF(x, 0), QPointF(x, tall))
        self._paint_ticks(painter, wide, tall, colors)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0.5, 0.5, wide - 1, self.height() - 1))

    def _paint_activity(
        self, painter: QPainter, wide: int, tall: int, left: float, right: float, colors: WidgetColors
    ) -> None:
        if not len(self._activity) or not self._activity.any() or wide < 2:
            return
        edge = np.linspace(0, len(self._activity), wide // 2 + 1).astype(np.int64)
        total = np.concatenate(([0], np.cumsum(self._activity)))
        height = np.sqrt(np.diff(total[edge]).astype(np.float64))  # so that little beside much is seen
        height *= (tall - 4) / height.max()
        points = [QPointF(0, tall)]
        for number, high in enumerate(height.tolist()):
            points += [QPointF(2.0 * number, tall - high), QPointF(2.0 * number + 2, tall - high)]
        points.append(QPointF(2.0 * len(height), tall))
        shape = QPolygonF(points)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.faint))
        painter.drawPolygon(shape)
        if self._focus.window is not None:
            painter.save()
            painter.setClipRect(QRectF(left, 0, right - left, tall))
            painter.setBrush(QColor(colors.accent))
            painter.drawPolygon(shape)
            painter.restore()

    def _paint_ticks(self, painter: QPainter, wide: int, tall: int, colors: WidgetColors) -> None:
        length = self._span[1] - self._span[0]
        if length <= 0:
            return
        step = tick_step(length, max(wide // 90, 1))
        font = painter.font()
        font.setPixelSize(11)
        painter.setFont(font)
        painter.setPen(QColor(colors.muted))
        at = 0
        while at <= length:
            x = self.x_of(self._span[0] + at)
            box = QRectF(x + 3, tall + 1, 88, AXIS)
            if x + 60 < wide or at == 0:
                painter.drawLine(QPointF(x, tall), QPointF(x, tall + 4))
                painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), duration(at))
            at += step


def tick_step(length: int, most: int) -> int:
    """ns between ticks: the least 1, 2 or 5 times a power of ten of which at most `most` fit into `length`."""
    power = 1
    while True:
        for factor in TICKS:
            if factor * power * most >= length:
                return factor * power
        power *= 10
