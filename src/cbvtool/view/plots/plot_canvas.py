"""A widget that shows a plot and turns mouse, wheel and keys into events of its view."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from qtpy.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal
from qtpy.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from qtpy.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QScrollBar, QWidget

from cbvtool.drawing.plot_files import write_picture
from cbvtool.geometry.colors import LIGHT, Theme
from cbvtool.geometry.picture import Picture
from cbvtool.plots.filling import Filled, LayerCache, Tile, fill_until
from cbvtool.plots.panes import Pane, place
from cbvtool.plots.picking import pane_at, pick
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from cbvtool.plots.to_picture import Items, to_picture
from cbvtool.plugin.events import EventKind, Range, ViewEvent
from cbvtool.view.canvas.qt_painter import paint, painting, qcolor, text_width
from cbvtool.view.plots.gestures import Ranges, dragged, stepped, takes_drag, whole, zoomed_at
from cbvtool.view.plots.layer_glide import LayerGlide
from cbvtool.view.plots.plot_keys import claims, held_names, key_name, may_change_ranges, modifier_alone, ranges_after
from cbvtool.view.plots.range_glide import RangeGlide
from cbvtool.view.plots.resting_tooltip import RestingTooltip

log = logging.getLogger(__name__)

SLOW = 0.05  # seconds of a draw that are noted
# Seconds of processor time (a busy machine shall not show other pictures than an idle one):
PIECE = 0.03  # at a time that a picture at rest is drawn: in between, events are handled
MOVING = 0.05  # the same while it moves: frames of most views are one piece
PATIENCE = 0.04  # that a click or a key waits for a picture in the making
DRAG_FROM = 4  # px
_PATIENT = frozenset({EventKind.PRESS, EventKind.DOUBLE, EventKind.DROP, EventKind.MENU})  # see `PlotCanvas._wait`


class PlotCanvas(QAbstractScrollArea):
    """Shows one part of a view.

    In a pane with `zoom`, the wheel zooms about the pointer, F and a double click on empty ground show all, arrow keys
    move and + and - zoom; in one with `pan`, a drag along its axis moves. Each becomes a RANGE event. Keys with Ctrl,
    Alt or Shift and everything else reach the view as they are, also letters that are shortcuts of the window. ESC
    during a drag: ranges return by themselves, and a drag of the view ends with KEY "Escape" whose `start` is PRESS:
    the host gives back the state of that moment.

    Every event is about what is shown, which is what the user aims at: none waits long for a picture in the making.
    While a picture that moves is in the making, the latest event of the drag or glide is held back until it is whole.

    within        seconds of processor time that a call of `draw` may take now
    wants_escape  ESC reaches the view at any time, and the window only through whoever hears `happened`
    """

    happened = Signal(object)  # a ViewEvent

    def __init__(
        self,
        part: str,
        draw: Callable[[Viewport], Plot | None],
        tell: Callable[[Hit], Sequence[str]] = lambda hit: (),
        parent: QWidget | None = None,
        animated: bool = True,
    ) -> None:
        """The widget calls `draw` when it is painted after `refresh`, and `tell` for the lines of the tooltip.

        draw   returns None where it is not done after `within` seconds: it is called again after other events, and gets
               further. What was shown before stays until then.
        """
        super().__init__(parent)
        self.part = part
        self.tiles: LayerCache[Tile | None] = LayerCache()
        self._items: LayerCache[Items] = LayerCache()
        self._draw = draw
        self._theme = LIGHT
        self._filled = Filled(Plot(), Viewport(1, 1), ())
        self._picture = Picture(1, 1)
        self.within = PIECE
        self.wants_escape = False
        self._stale = True
        self._drawn: tuple[Viewport, Plot] | None = None  # the newest plot, while its layers are filled
        self._behind = False  # a picture is in the making
        self._held: ViewEvent | None = None  # what a drag or a glide will send once the picture is whole
        self._pressed: ViewEvent | None = None
        self._pulled: Pane | None = None  # pane that is being panned, as it was at the start
        self._pulled_to: Ranges = ((0.0, 1.0), (0.0, 1.0))
        self._dragging = False  # the view has the drag
        self._alone = 0  # the modifier that is held while nothing else happens; 0 = none
        self._pointer: QPointF | None = None
        self._hit = NOTHING
        self.glide = RangeGlide(self._send_range, animated, self)
        self.layer_glide = LayerGlide(self.ground.update, animated, self)
        self._tooltip = RestingTooltip(tell, self)
        self._revealed: int | None = None
        self._rest = QTimer(self)  # fires while a picture is drawn in pieces
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._go_on)
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
        moving = self.glide.is_moving or self._pulled is not None or self._dragging
        top = 0.0 if bar is None else float(bar.value())
        return Viewport(ground.width(), ground.height(), self.devicePixelRatioF(), top, moving, text_width)

    @property
    def plot(self) -> Plot:
        """What was drawn last."""
        return self._filled.plot

    @property
    def tooltip_text(self) -> str:
        """What the tooltip says; "" while there is none."""
        return self._tooltip.text

    def tell_again(self) -> None:
        """Ask for the tooltip anew, if the pointer rests on something."""
        if self._pointer is not None:
            self._tooltip.tell_again()

    def refresh(self) -> None:
        """Draw anew at the next occasion: the state of the view, or what it looks at, has changed."""
        self._stale, self._drawn = True, None
        self.ground.update()

    def animate(self, on: bool) -> None:
        """Let panes and layers glide from now on, or not."""
        self.glide.animated = self.layer_glide.animated = on

    def restyle(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.refresh()

    def picture(self, lines: bool = False) -> Picture:
        """What is shown. lines: see `to_picture`."""
        self._finish()
        return to_picture(self._filled, lines) if lines else self._picture

    def image(self) -> QImage:
        """What is shown, in device pixels."""
        picture, ratio = self.picture(), self.devicePixelRatioF()
        size = (max(round(picture.width * ratio), 1), max(round(picture.height * ratio), 1))
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(qcolor(self._theme.ground))
        with painting(image) as painter:
            paint(picture, painter)
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

    def _finish(self) -> None:
        """Draw all that has changed."""
        while not self._redraw(math.inf):
            pass

    def _wait(self) -> None:
        """Draw what has changed, but for no longer than `PATIENCE`: for what is done once, at a place."""
        until = time.thread_time() + PATIENCE
        while not self._redraw() and time.thread_time() < until:
            self._rest.stop()

    def _go_on(self) -> None:
        """Draw the next piece of a picture, and show it when it is whole."""
        if self._redraw():
            self.ground.update()

    def _redraw(self, seconds: float = PIECE) -> bool:
        """Draw if something has changed; False = the time was too short, and the rest follows."""
        sight = self.sight
        if not self._stale and self._filled.viewport == sight:
            self._caught_up()
            return True
        if self._rest.isActive() and seconds == PIECE:
            return False
        begun = time.perf_counter()
        self.within = max(seconds, MOVING) if sight.moving else seconds
        filled = self._filled_by(time.thread_time() + self.within, sight)
        if filled is None:
            self._behind = True
            self._rest.start()
            return False
        plot = filled.plot
        self._stale, self._drawn = False, None
        self._rest.stop()
        self._caught_up()
        self.glide.picture_is_whole()
        self.layer_glide.lead(self._filled, filled)
        self._filled = filled
        self._picture = to_picture(self._filled, cache=self._items)
        bar = self.verticalScrollBar()
        if bar is not None:
            bar.setRange(0, max(math.ceil(plot.height - sight.height), 0))
            bar.setPageStep(round(sight.height))
            bar.setSingleStep(24)
            self._reveal(plot, bar, sight)
        taken = time.perf_counter() - begun
        if taken > SLOW:
            log.info("the part %r took %.0f ms to draw", self.part, 1000 * taken)
        return True

    def _caught_up(self) -> None:
        """No picture is in the making: what is held back may go on."""
        self._behind = False
        if self._held is not None:
            QTimer.singleShot(0, self._send_held)

    def _filled_by(self, until: float, sight: Viewport) -> Filled | None:
        """What is to be shown; None = it took too long. What was drawn too late is filled next time."""
        if self._drawn is None or self._drawn[0] != sight:
            plot = self._draw(sight)
            if plot is None:
                return None
            self._drawn = (sight, plot)
            if time.thread_time() > until:
                return None
        return fill_until(self._drawn[1], sight, self.tiles, until)

    def _reveal(self, plot: Plot, bar: QScrollBar, sight: Viewport) -> None:
        """Scroll to what the view wants to be seen, once."""
        if plot.reveal is None:
            self._revealed = None
            return
        what, low, high = plot.reveal
        if what != self._revealed:
            self._revealed = what
            if low < sight.top or high > sight.top + sight.height:
                bar.setValue(math.floor(low if low < sight.top else min(low, high - sight.height)))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the plot."""
        self._redraw()
        with painting(self.ground) as painter:
            painter.fillRect(self.ground.rect(), qcolor(self._theme.ground))
            paint(self.layer_glide.picture or self._picture, painter)

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
        """An event at a place of the widget, about what is shown there. What may come often does not wait for more."""
        if kind in _PATIENT or not self._filled.plot.layers:
            self._wait()
        else:
            self._redraw()
        px, py = place_.x(), place_.y() + self._filled.viewport.top
        pane = pane_at(self.plot.panes, px, py)
        x, y = (px, py) if pane is None else map(float, place(pane, px, py))
        hit = pick(self._filled, px, py)
        seen = self._filled.viewport if self._filled.plot.layers else self.sight
        size = (seen.width, seen.height)
        name = "" if pane is None else pane.name
        made = ViewEvent(kind, self.part, name, x, y, px, py, hit, modifiers=held_names(modifiers), size=size)
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
        self._tooltip.hide()
        self._alone = 0
        self.glide.arrive()
        self._pressed = self._event(EventKind.PRESS, event.localPos(), event.modifiers())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Hovering, or a drag."""
        if event is None:
            return
        self._pointer = event.localPos()
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            made = self._event(EventKind.HOVER, event.localPos(), event.modifiers())
            self._hit = made.hit
            self._tooltip.point(made.hit, self.ground.mapTo(self, event.pos()))
            self.happened.emit(made)
            return
        start = self._pressed
        px, py = event.localPos().x(), event.localPos().y() + self._filled.viewport.top
        if self._pulled is None and not self._dragging:
            if math.hypot(px - start.px, py - start.py) < DRAG_FROM:
                return
            pane = self._pane(start.pane)
            if pane is not None and not self._layer_says(start.hit, "grab"):
                x, y = self.glide.aim(pane)
                takes = takes_drag(pane, (start.px, start.py), (px, py))
                self._pulled = replace(pane, x=x, y=y) if takes else None
            if self._pulled is None:
                self._dragging = True
                self.happened.emit(start)
        if self._pulled is not None:
            self._pulled_to = dragged(self._pulled, (start.px, start.py), (px, py))
            self._send_range(self._pulled.name, self._pulled_to, True)
        else:
            self._send_moving(self._event(EventKind.DRAG, event.localPos(), event.modifiers(), start=start))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """The end of a drag, or a click."""
        if event is None or event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        start, pulled, dragging = self._pressed, self._pulled, self._dragging
        self._send_held()
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
            self.glide.go(pane, everything)
        else:
            self.happened.emit(made)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ask the view for a menu."""
        if event is not None:
            self._tooltip.hide()
            self.happened.emit(self._event(EventKind.MENU, QPointF(event.pos()), event.modifiers()))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom about the pointer; where no pane zooms, scroll, or tell the view. With Shift the content scrolls."""
        if event is None:
            return
        self._alone = 0
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
            shown, by = self.glide.aim(pane), -(aside or steps)
            self.glide.go(pane, stepped(pane, shown, round(math.copysign(1, by)), 0))
        elif steps:
            self.glide.go(pane, zoomed_at(pane, self.glide.aim(pane), steps, made.px, made.py))

    def leaveEvent(self, event: QEvent | None) -> None:
        """Nothing is under the pointer any more."""
        self._tooltip.hide()
        if self._pointer is not None:
            made = self._event(EventKind.LEAVE, self._pointer, QApplication.keyboardModifiers())
            self._pointer, self._hit = None, NOTHING
            self.happened.emit(replace(made, hit=NOTHING))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Keys of the grammar; all others are for the view."""
        if event is None:
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        if event.key() == Qt.Key.Key_Escape and self._pressed is not None:
            self._give_back()
            return
        if not event.isAutoRepeat():
            self._wait()
        pane = self._keyed_pane() if may_change_ranges(event) else None
        after = None if pane is None else ranges_after(pane, self.glide.aim(pane), Qt.Key(event.key()))
        if pane is not None and after is not None:
            self.glide.go(pane, after)
        else:
            self._send_key(EventKind.KEY, event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        """Tell the view; also of a modifier that was pressed by itself."""
        if event is None or event.isAutoRepeat():
            return
        self._wait()
        self._send_key(EventKind.RELEASE, event)
        if event.key() == self._alone:
            self._send_key(EventKind.TAP, event)
        self._alone = 0

    def viewportEvent(self, event: QEvent | None) -> bool:
        """The mouse leaves the ground, not the scroll area around it."""
        if event is not None and event.type() == QEvent.Type.Leave:
            self.leaveEvent(event)
        return super().viewportEvent(event)

    def event(self, event: QEvent | None) -> bool:
        """Letters and keys of the grammar are for the plot while it has the focus, not for shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and not event.isAutoRepeat():
            self._alone = modifier_alone(event, self._alone)  # shortcuts of the window come by here as well
        if event is not None and claims(event, self.wants_escape or self._pressed is not None):
            event.accept()
            return True
        return super().event(event)

    def _keyed_pane(self) -> Pane | None:
        """The pane that keys are for: under the pointer, or the first one that zooms."""
        found = None
        if self._pointer is not None:
            place_ = self._pointer
            found = pane_at(self.plot.panes, place_.x(), place_.y() + self._filled.viewport.top)
        if found is None or not found.zoom:
            found = next((pane for pane in self.plot.panes if pane.zoom), None)
        return found

    def _send_key(self, kind: EventKind, event: QKeyEvent) -> None:
        if name := key_name(event):
            place_ = self._pointer or QPointF(-1, -1)
            self.happened.emit(self._event(kind, place_, event.modifiers(), key=name))

    # -- drags --------------------------------------------------------------------------------------------------

    def _let_go(self) -> None:
        """Nothing is held any more, and the picture is made with care again."""
        moved = self._pulled is not None or self._dragging
        self._held = None
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

    def _send_range(self, name: str, ranges: Ranges, moving: bool) -> None:
        place_ = self._pointer or QPointF(-1, -1)
        px, py = place_.x(), place_.y() + self._filled.viewport.top
        given = Range(ranges[0], ranges[1], moving)
        made = ViewEvent(EventKind.RANGE, self.part, name, px=px, py=py, range=given)
        if moving:
            self._send_moving(made)
        else:
            self._held = None
            self.happened.emit(made)
            self.glide.note(name, ranges)
            self.refresh()  # with care again

    def _send_moving(self, made: ViewEvent) -> None:
        """Tell the view of a step of a drag or a glide, once the picture of the step before is whole."""
        if self._behind:
            self._held = made
        else:
            self.happened.emit(made)

    def _send_held(self) -> None:
        made, self._held = self._held, None
        if made is not None:
            self.happened.emit(made)
