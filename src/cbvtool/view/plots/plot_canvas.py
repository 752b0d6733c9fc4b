"""A widget that shows a plot and turns mouse, wheel and keys into events of its view."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from qtpy.QtCore import QEvent, QPoint, QPointF, QSize, Qt, QTimer, Signal
from qtpy.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from qtpy.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from cbvtool.drawing.plot_files import write_picture
from cbvtool.geometry.colors import LIGHT, Theme
from cbvtool.geometry.picture import Picture
from cbvtool.plots.filling import Filled, LayerCache, Tile, fill
from cbvtool.plots.panes import Pane, place
from cbvtool.plots.picking import pane_at, pick
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from cbvtool.plots.ranges import between
from cbvtool.plots.to_picture import Items, to_picture
from cbvtool.plugin.events import EventKind, Range, ViewEvent
from cbvtool.view.canvas.motion import animation
from cbvtool.view.canvas.qt_painter import paint, qcolor, text_width
from cbvtool.view.plots.gestures import Ranges, dragged, stepped, takes_drag, whole, zoomed_at, zoomed_in_middle
from cbvtool.view.toolkit.tooltip import Tooltip

log = logging.getLogger(__name__)

SLOW = 0.05  # seconds of a draw that are noted
GLIDE = 120  # ms of a change of ranges
DRAG_FROM = 4  # px
TELL_AFTER = 300  # ms that the pointer rests before the tooltip is shown

_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_ZOOM_KEYS = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}
_MOVES = (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, *_MOVES)
_KEY_NAMES = {
    Qt.Key.Key_Escape: "Escape",
    Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Up: "Up",
    Qt.Key.Key_Down: "Down",
    Qt.Key.Key_Return: "Enter",
    Qt.Key.Key_Enter: "Enter",
    Qt.Key.Key_Space: "Space",
    Qt.Key.Key_Home: "Home",
    Qt.Key.Key_End: "End",
    Qt.Key.Key_PageUp: "PageUp",
    Qt.Key.Key_PageDown: "PageDown",
    Qt.Key.Key_Delete: "Delete",
    Qt.Key.Key_Backspace: "Backspace",
    Qt.Key.Key_Tab: "Tab",
    Qt.Key.Key_Shift: "Shift",
    Qt.Key.Key_Control: "Ctrl",
    Qt.Key.Key_Alt: "Alt",
}
_MODIFIERS = (
    (Qt.KeyboardModifier.ShiftModifier, "shift"),
    (Qt.KeyboardModifier.ControlModifier, "ctrl"),
    (Qt.KeyboardModifier.AltModifier, "alt"),
)


class PlotCanvas(QAbstractScrollArea):
    """Shows one part of a view.

    In a pane with `zoom`, the wheel zooms about the pointer, F and a double click on empty ground show all, arrow keys
    move and + and - zoom; in one with `pan`, a drag along its axis moves. Each becomes a RANGE event. Keys with Ctrl,
    Alt or Shift and everything else reach the view as they are, also letters that are shortcuts of the window. ESC
    during a drag: ranges return by themselves, and a drag of the view ends with KEY "Escape" whose `start` is PRESS:
    the host gives back the state of that moment.
    """

    happened = Signal(object)  # a ViewEvent

    def __init__(
        self,
        part: str,
        draw: Callable[[Viewport], Plot],
        tell: Callable[[Hit], Sequence[str]] = lambda hit: (),
        parent: QWidget | None = None,
        animated: bool = True,
    ) -> None:
        """The widget calls `draw` when it is painted after `refresh`, and `tell` for the lines of the tooltip."""
        super().__init__(parent)
        self.part = part
        self.animated = animated
        self.tiles: LayerCache[Tile | None] = LayerCache()
        self._items: LayerCache[Items] = LayerCache()
        self._draw, self._tell = draw, tell
        self._theme = LIGHT
        self._filled = Filled(Plot(), Viewport(1, 1), ())
        self._picture = Picture(1, 1)
        self._stale = True
        self._pressed: ViewEvent | None = None
        self._pulled: Pane | None = None  # pane that is being panned, as it was at the start
        self._pulled_to: Ranges = ((0.0, 1.0), (0.0, 1.0))
        self._dragging = False  # the view has the drag
        self._pointer: QPointF | None = None
        self._hit = NOTHING
        self._gliding: tuple[str, Ranges, Ranges] | None = None
        self._glide = animation(self, self._slide, GLIDE)
        self._tooltip = Tooltip(self)
        self._resting = QTimer(self)
        self._resting.setSingleShot(True)
        self._resting.setInterval(TELL_AFTER)
        self._resting.timeout.connect(self._show_tooltip)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.ground.setMouseTracking(True)
        self.ground.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def ground(self) -> QWidget:
        """The widget inside of the scroll bars: events go there."""
        found = self.viewport()
        assert found is not None
        return found

    @property
    def sight(self) -> Viewport:
        """What the plot is drawn for now."""
        ground, bar = self.ground, self.verticalScrollBar()
        moving = self._gliding is not None or self._pulled is not None or self._dragging
        top = 0.0 if bar is None else float(bar.value())
        return Viewport(ground.width(), ground.height(), self.devicePixelRatioF(), top, moving, text_width)

    @property
    def plot(self) -> Plot:
        """What was drawn last."""
        return self._filled.plot

    @property
    def tooltip_text(self) -> str:
        """What the tooltip says; "" while there is none."""
        return self._tooltip.text if self._tooltip.isVisible() else ""

    def refresh(self) -> None:
        """Draw anew at the next occasion: the state of the view, or what it looks at, has changed."""
        self._stale = True
        self.ground.update()

    def restyle(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.refresh()

    def picture(self, lines: bool = False) -> Picture:
        """What is shown. lines: see `to_picture`."""
        self._redraw()
        return to_picture(self._filled, lines) if lines else self._picture

    def image(self) -> QImage:
        """What is shown, in device pixels."""
        picture, ratio = self.picture(), self.devicePixelRatioF()
        size = (max(round(picture.width * ratio), 1), max(round(picture.height * ratio), 1))
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(qcolor(self._theme.ground))
        painter = QPainter(image)
        paint(picture, painter)
        painter.end()
        return image

    def copy(self) -> None:
        """Put what is shown on the clipboard."""
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setImage(self.image())

    def save(self, path: Path, title: str = "") -> None:
        """Write what is shown as .png or .svg. Raises InputError when it cannot be written."""
        picture = self.picture(lines=path.suffix.lower() == ".svg")
        write_picture(picture, path, self._theme.ground, self.devicePixelRatioF(), title)

    def _redraw(self) -> None:
        """Draw if something has changed."""
        sight = self.sight
        if not self._stale and self._filled.viewport == sight:
            return
        begun = time.perf_counter()
        self._stale = False
        plot = self._draw(sight)
        self._filled = fill(plot, sight, self.tiles)
        self._picture = to_picture(self._filled, cache=self._items)
        bar = self.verticalScrollBar()
        if bar is not None:
            bar.setRange(0, max(math.ceil(plot.height - sight.height), 0))
            bar.setPageStep(round(sight.height))
            bar.setSingleStep(24)
        taken = time.perf_counter() - begun
        if taken > SLOW:
            log.info("the part %r took %.0f ms to draw", self.part, 1000 * taken)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the plot."""
        self._redraw()
        painter = QPainter(self.ground)
        painter.fillRect(self.ground.rect(), qcolor(self._theme.ground))
        paint(self._picture, painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Draw for another size."""
        super().resizeEvent(event)
        self.refresh()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Draw another part of the content."""
        self.refresh()

    def sizeHint(self) -> QSize:
        """Room for a plot."""
        return QSize(480, 240)

    # -- events -------------------------------------------------------------------------------------------------

    def _event(self, kind: EventKind, place_: QPointF, modifiers: Qt.KeyboardModifiers, **more: object) -> ViewEvent:
        """An event at a place of the widget."""
        self._redraw()
        px, py = place_.x(), place_.y() + self._filled.viewport.top
        pane = pane_at(self.plot.panes, px, py)
        x, y = (px, py) if pane is None else map(float, place(pane, px, py))
        held = frozenset(name for bit, name in _MODIFIERS if modifiers & bit)
        hit = pick(self._filled, px, py)
        made = ViewEvent(kind, self.part, "" if pane is None else pane.name, x, y, px, py, hit, modifiers=held)
        return replace(made, **more)  # type: ignore[arg-type]  # fields of ViewEvent

    def _pane(self, name: str) -> Pane | None:
        return next((pane for pane in self.plot.panes if pane.name == name), None)

    def _layer_says(self, hit: Hit, what: str) -> bool:
        """Whether the layer that was hit has `grab` or `wheel`."""
        return any(bool(getattr(layer, what)) for layer in self.plot.layers if hit and layer.name == hit.layer)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click, or the begin of a drag."""
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._stop_telling()
        self._arrive()
        self._pressed = self._event(EventKind.PRESS, event.localPos(), event.modifiers())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Hovering, or a drag."""
        if event is None:
            return
        self._pointer = event.localPos()
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self._hover(self._event(EventKind.HOVER, event.localPos(), event.modifiers()), event.pos())
            return
        start = self._pressed
        px, py = event.localPos().x(), event.localPos().y() + self._filled.viewport.top
        if self._pulled is None and not self._dragging:
            if math.hypot(px - start.px, py - start.py) < DRAG_FROM:
                return
            pane = self._pane(start.pane)
            if pane is not None and not self._layer_says(start.hit, "grab"):
                self._pulled = pane if takes_drag(pane, px - start.px, py - start.py) else None
            if self._pulled is None:
                self._dragging = True
                self.happened.emit(start)
        if self._pulled is not None:
            self._pulled_to = dragged(self._pulled, (start.px, start.py), (px, py))
            self._send_range(self._pulled.name, self._pulled_to, True)
        else:
            self.happened.emit(self._event(EventKind.DRAG, event.localPos(), event.modifiers(), start=start))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """The end of a drag, or a click."""
        if event is None or event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        start, pulled, dragging = self._pressed, self._pulled, self._dragging
        self._let_go()
        if pulled is not None:
            self._send_range(pulled.name, self._pulled_to, False)
        elif dragging:
            self.happened.emit(self._event(EventKind.DROP, event.localPos(), event.modifiers(), start=start))
        else:
            self.happened.emit(replace(start, kind=EventKind.CLICK))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Show all of a pane, if there is nothing under the pointer."""
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        made = self._event(EventKind.DOUBLE, event.localPos(), event.modifiers())
        pane = self._pane(made.pane)
        everything = None if pane is None or made.hit else whole(pane)
        if pane is not None and everything is not None:
            self._go(pane, everything)
        else:
            self.happened.emit(made)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ask the view for a menu."""
        if event is not None:
            self._stop_telling()
            self.happened.emit(self._event(EventKind.MENU, QPointF(event.pos()), event.modifiers()))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom about the pointer; where no pane zooms, scroll, or tell the view. With Shift the content scrolls."""
        if event is None:
            return
        steps, aside = event.angleDelta().y() / 120, event.angleDelta().x() / 120
        made = self._event(EventKind.WHEEL, event.position(), event.modifiers(), steps=steps)
        pane, bar = self._pane(made.pane), self.verticalScrollBar()
        scrolls = bar is not None and bar.maximum() > 0
        event.accept()
        if self._layer_says(made.hit, "wheel"):
            self.happened.emit(made)
        elif bar is not None and scrolls and (pane is None or not pane.zoom or "shift" in made.modifiers):
            bar.setValue(bar.value() - round(3 * bar.singleStep() * steps))
        elif pane is None or not pane.zoom:
            self.happened.emit(made)
        elif abs(aside) > abs(steps) or "shift" in made.modifiers:
            shown, by = self._aim(pane), -(aside or steps)
            self._go(pane, stepped(pane, shown, round(math.copysign(1, by)), 0))
        elif steps:
            self._go(pane, zoomed_at(pane, self._aim(pane), steps, made.px, made.py))

    def leaveEvent(self, event: QEvent | None) -> None:
        """Nothing is under the pointer any more."""
        self._stop_telling()
        if self._pointer is not None:
            made = self._event(EventKind.LEAVE, self._pointer, QApplication.keyboardModifiers())
            self._pointer, self._hit = None, NOTHING
            self.happened.emit(replace(made, hit=NOTHING))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Keys of the grammar; all others are for the view."""
        if event is None:
            return
        key, held = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        if key == Qt.Key.Key_Escape and self._pressed is not None:
            self._give_back()
            return
        plain = held == Qt.KeyboardModifier.NoModifier or (key in _ZOOM_KEYS and held == _MODIFIERS[0][0])
        pane = self._keyed_pane() if plain else None
        after = None if pane is None else self._after_key(pane, Qt.Key(key))
        if pane is not None and after is not None:
            self._go(pane, after)
        else:
            self._send_key(EventKind.KEY, event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        """Tell the view."""
        if event is not None and not event.isAutoRepeat():
            self._send_key(EventKind.RELEASE, event)

    def viewportEvent(self, event: QEvent | None) -> bool:
        """The mouse leaves the ground, not the scroll area around it."""
        if event is not None and event.type() == QEvent.Type.Leave:
            self.leaveEvent(event)
        return super().viewportEvent(event)

    def event(self, event: QEvent | None) -> bool:
        """Letters and keys of the grammar are for the plot while it has the focus, not for shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            letter = event.text().isprintable() and event.text() not in ("", "?")  # "?" lists the shortcuts
            grammar = letter or event.key() in (*_ARROWS, *_ZOOM_KEYS, *_ENDS)
            ends_drag = event.key() == Qt.Key.Key_Escape and self._pressed is not None
            held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
            if (grammar and not held) or ends_drag:
                event.accept()
                return True
        return super().event(event)

    def _keyed_pane(self) -> Pane | None:
        """The pane that keys are for: under the pointer, or the first one that zooms."""
        self._redraw()
        found = None
        if self._pointer is not None:
            place_ = self._pointer
            found = pane_at(self.plot.panes, place_.x(), place_.y() + self._filled.viewport.top)
        if found is None or not found.zoom:
            found = next((pane for pane in self.plot.panes if pane.zoom), None)
        return found

    def _after_key(self, pane: Pane, key: Qt.Key) -> Ranges | None:
        """Ranges of a pane after a key of the grammar; None for other keys."""
        shown = self._aim(pane)
        if key == Qt.Key.Key_F:
            return whole(pane)
        if key in _ZOOM_KEYS:
            return zoomed_in_middle(pane, shown, _ZOOM_KEYS[key])
        right, down = _ARROWS.get(key, (0, 0))
        if (right and "x" in pane.zoom) or (down and "y" in pane.zoom):
            return stepped(pane, shown, right, down)
        return None

    def _send_key(self, kind: EventKind, event: QKeyEvent) -> None:
        name = _KEY_NAMES.get(Qt.Key(event.key()), "") or event.text()
        if not name.isprintable() or not name:  # with Ctrl, letters have no text
            name = QKeySequence(event.key()).toString().lower()
        place_ = self._pointer or QPointF(-1, -1)
        if name.isprintable():
            self.happened.emit(self._event(kind, place_, event.modifiers(), key=name))

    # -- drags --------------------------------------------------------------------------------------------------

    def _let_go(self) -> None:
        """Nothing is held any more, and the picture is made with care again."""
        moved = self._pulled is not None or self._dragging
        self._pressed, self._pulled, self._dragging = None, None, False
        if moved:
            self.refresh()

    def _give_back(self) -> None:
        """End a drag as if it had not begun."""
        start, pulled, dragging = self._pressed, self._pulled, self._dragging
        self._let_go()
        if pulled is not None:
            self._send_range(pulled.name, (pulled.x, pulled.y), False)
        elif dragging and start is not None:
            self.happened.emit(replace(start, kind=EventKind.KEY, key="Escape", start=start))

    # -- ranges -------------------------------------------------------------------------------------------------

    def _aim(self, pane: Pane) -> Ranges:
        """The ranges that a pane shows, or is on its way to."""
        if self._gliding is not None and self._gliding[0] == pane.name:
            return self._gliding[2]
        return pane.x, pane.y

    def _go(self, pane: Pane, after: Ranges) -> None:
        """Bring a pane to other ranges, shortly."""
        self._glide.stop()
        if (pane.x, pane.y) == after:
            self._gliding = None
            return
        self._gliding = (pane.name, (pane.x, pane.y), after)
        if self.animated:
            self._glide.start()
        else:
            self._arrive()

    def _slide(self, share: float) -> None:
        if self._gliding is None:
            return
        if share >= 1:
            self._arrive()
            return
        name, before, after = self._gliding
        if share > 0:
            self._send_range(name, (between(before[0], after[0], share), between(before[1], after[1], share)), True)

    def _arrive(self) -> None:
        """End an animation where it leads to."""
        self._glide.stop()
        if self._gliding is not None:
            name, _, after = self._gliding
            self._gliding = None
            self._send_range(name, after, False)
            self.refresh()

    def _send_range(self, name: str, ranges: Ranges, moving: bool) -> None:
        place_ = self._pointer or QPointF(-1, -1)
        px, py = place_.x(), place_.y() + self._filled.viewport.top
        self.happened.emit(
            ViewEvent(EventKind.RANGE, self.part, name, px=px, py=py, range=Range(ranges[0], ranges[1], moving))
        )

    # -- tooltips -----------------------------------------------------------------------------------------------

    def _hover(self, made: ViewEvent, spot: QPoint) -> None:
        if made.hit != self._hit or not made.hit:
            self._stop_telling()
        self._hit = made.hit
        if made.hit:
            if self._tooltip.isVisible():
                self._tooltip.show_at(self.ground.mapTo(self, spot), self._tooltip.text.split("\n"))
            else:
                self._resting.start()
        self.happened.emit(made)

    def _show_tooltip(self) -> None:
        lines = tuple(self._tell(self._hit)) if self._hit and self._pointer is not None else ()
        if lines and self._pointer is not None:
            self._tooltip.show_at(self.ground.mapTo(self, self._pointer.toPoint()), lines)

    def _stop_telling(self) -> None:
        self._resting.stop()
        self._tooltip.hide()
