"""The 3D circular bundle view as a widget: turns mouse and keys into calls of stage and session.

Look-and-feel defines the gestures.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from enum import Enum

from qtpy.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from qtpy.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QMouseEvent,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from qtpy.QtWidgets import QWidget

from cbvtool.drawing import emphasis
from cbvtool.drawing.call_out import call_out, relation_tip
from cbvtool.geometry.overlay.minimap import MAP
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import REMOVED
from cbvtool.session import Session
from cbvtool.view.canvas.dragging import BUSY, Dragging
from cbvtool.view.canvas.judgement_card import JudgementCard
from cbvtool.view.canvas.qt_painter import paint, painting
from cbvtool.view.canvas.selecting import Selecting
from cbvtool.view.canvas.stage import Stage
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.drop_places import dragged_ids
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.toolkit.tooltip import Tooltip

DRAG_FROM = 6  # px the pointer moves before a press becomes a drag
TOOLTIP_AFTER = 400  # ms
WHEEL_STEP = 1.18  # zoom for one notch
ASK_AFTER = 30  # ms after a change of the picture
BEFORE = "This is what there was before the plan: go back to the plan (B) to change it"
LEGEND_LINES = ["Click to choose what is shown", "Double click to set the range"]


class Mode(Enum):
    """What the pressed button is doing."""

    NONE = 0
    ORBIT = 1
    PAN = 2
    DRAG = 3
    SPENT = 4  # the gesture was cancelled; further movement does nothing
    REGION = 5


@dataclass(frozen=True)
class _Press:
    button: Qt.MouseButton
    at: QPoint
    key: int
    relation: int
    share: float  # position along the relation, 0..1
    legend: str = ""
    scene: Scene | None = None  # the one that the relation is a row of


class Canvas(QWidget):
    """The widget of one view, with one stage and one drag controller."""

    said = Signal(str)  # a sentence for the message bar
    menu_requested = Signal(QPoint, int)  # global place, key or -1
    relation_menu_requested = Signal(QPoint, int)  # global position, lifted relation
    sites_wanted = Signal(int)  # lifted relation whose sites are to be listed
    ghost_chosen = Signal(int)  # key of the node that belongs to the clicked ghost
    legend_chosen = Signal(str, bool)  # subject of the legend, whether to edit its range

    def __init__(self, session: Session, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas")
        self.setAccessibleName("Circular bundle view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(320, 240)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._session = session
        self.stage = Stage(session, settings, self)
        self.stage.changed.connect(self.update)
        self.stage.changed.connect(self._renew_tooltip)
        self.stage.changed.connect(self._expect_another)
        self.dragging = Dragging(session, self.stage, self)
        self.dragging.said.connect(self.said)
        self.dragging.changed.connect(self.update)
        self.judgement = JudgementCard(self.stage, self)
        self.judgement.changed.connect(self.update)
        self.dragging.escaped.connect(self.cancel_drag)
        self.selecting = Selecting(session, self.stage)
        self.tooltip = Tooltip(self)
        self._press: _Press | None = None
        self._mode = Mode.NONE
        self._pointer = QPoint(-1, -1)
        self._told: Scene | None = None  # scene of the tooltip
        self._inside = False  # whether the pointer is over the canvas
        self._tells = False  # whether the pointer rests, so that a tooltip is shown if something is there
        self._picked: tuple[object, ...] = ()  # places of all segments at the last query under the pointer
        self._asking = QTimer(self)  # repeats the query once nothing moves
        self._asking.setSingleShot(True)
        self._asking.setInterval(ASK_AFTER)
        self._asking.timeout.connect(self._ask_again)
        self._tabbed_here = False  # whether the focus came by keyboard, so that it is shown
        self._tooltip_timer = QTimer(self)
        self._tooltip_timer.setSingleShot(True)
        self._tooltip_timer.setInterval(TOOLTIP_AFTER)
        self._tooltip_timer.timeout.connect(self._show_tooltip)

    @property
    def mode(self) -> Mode:
        """The gesture of the pressed button."""
        return self._mode

    @property
    def pointer(self) -> QPoint:
        """The last known position of the pointer."""
        return self._pointer

    def cancel_drag(self) -> None:
        """Cancel the drag."""
        if self._mode is Mode.DRAG:
            self._mode = Mode.SPENT
        self.unsetCursor()
        self.dragging.cancel()

    def leave_card(self) -> bool:
        """Close the card with a question in the picture, without an answer; False if there is none."""
        cards = [card for card in self.findChildren(AskCard) if card.is_open]
        for card in cards:
            card.leave()
        return bool(cards)

    def draw_lasso(self) -> None:
        """Let the next drag with the left button draw a lasso."""
        self.selecting.armed = True
        self.setCursor(Qt.CursorShape.CrossCursor)

    def cancel_region(self) -> bool:
        """Stop drawing a rectangle or a lasso; False if none is being drawn."""
        if self._mode is Mode.REGION:
            self._mode = Mode.SPENT
        if busy := self.selecting.cancel():
            self.unsetCursor()
            self.update()
        return busy

    def close_down(self) -> None:
        """Free all resources; nothing is shown afterwards."""
        self._tooltip_timer.stop()
        self._asking.stop()
        self.stage.close()

    # -- painting ------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the stage, and over it the drag."""
        with painting(self) as painter:
            self.stage.paint(painter)
            if self._session.view.drag is not None:
                held = self.dragging.picture(self._pointer)
                for picture in (self.judgement.signs(), held, self.judgement.picture(held, self._pointer)):
                    paint(picture, painter)
            if self.selecting.active:
                paint(self.selecting.picture(), painter)
            if self._tabbed_here:
                painter.setPen(QPen(QColor(*self.stage.theme.accent), 2))
                painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Resize the stage, in physical pixels."""
        self.stage.resize(self.size(), self.devicePixelRatioF())

    # -- the mouse -----------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Remember the press; the movement decides which gesture it begins."""
        if event is None:
            return
        if self._press is not None:
            return  # a second button during a gesture
        legend, key, relation, share = self._seen_at(event.pos())  # before a flight jumps to its end
        self.stage.flight.stop()
        self._hide_tooltip()
        if self.leave_card():  # a click beside the card closes it
            self._press, self._mode = _Press(event.button(), event.pos(), -1, -1, 0.0), Mode.SPENT
            return
        if event.button() in (Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton):
            back = event.button() == Qt.MouseButton.BackButton
            self._session.go_back() if back else self._session.go_forward()
            return
        self._press = _Press(event.button(), event.pos(), key, relation, share, legend, self.stage.scene)
        self._mode = Mode.NONE

    def _seen_at(self, place: QPoint) -> tuple[str, int, int, float]:
        """(legend, key, relation, position along it) at `place`: relations only beside legends, segments and names."""
        picking = self.stage.picking
        legend = picking.legend_at(place)
        key = -1 if legend else picking.node_at(place)
        relation, share = picking.on_relation(place) if key < 0 and not legend else (-1, 0.0)
        return legend, key, relation, share

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Hover, orbit, pan or drag."""
        if event is None:
            return
        before, self._pointer = self._pointer, event.pos()
        self._inside = True
        if self._press is None:
            if self.dragging.card is None:
                self._hover()
            return
        if self._mode is Mode.NONE:
            if (self._pointer - self._press.at).manhattanLength() < DRAG_FROM:
                return
            before = self._press.at
            self._begin_gesture(self._still(self._press), event.modifiers())
        delta, camera = self._pointer - before, self.stage.camera
        if self._mode is Mode.ORBIT:
            self.stage.look(camera.orbited_whole(delta.x(), delta.y(), self.width(), self.height()))
        elif self._mode is Mode.PAN:
            self.stage.look(camera.panned(delta.x(), delta.y(), *self.stage.size))
        elif self._mode is Mode.DRAG:
            self.dragging.move(self._pointer)
        elif self._mode is Mode.REGION:
            self.selecting.move(self._pointer)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """End the gesture; without movement it was a click."""
        if event is None or self._press is None or event.button() != self._press.button:
            return
        press, mode = self._still(self._press), self._mode
        self._press, self._mode = None, Mode.NONE
        self.unsetCursor()
        if mode is Mode.DRAG:
            self._tell(self.dragging.drop(event.modifiers()))
        elif mode is Mode.REGION:
            self.selecting.end(add=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
            self.update()
        elif mode is Mode.NONE and press.button == Qt.MouseButton.LeftButton:
            self._click(press, event.modifiers())
        elif mode is Mode.NONE and press.button == Qt.MouseButton.RightButton:
            if press.relation >= 0 and self.stage.scene is not None:
                self._select_ends(self.stage.scene, press.relation)
                self.relation_menu_requested.emit(self.mapToGlobal(press.at), press.relation)
            else:
                self.menu_requested.emit(self.mapToGlobal(press.at), self._in_plan(press.key))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Expand or collapse a segment; on empty space, fit the view."""
        if event is None or event.button() != Qt.MouseButton.LeftButton or not self._session.is_open:
            return
        if legend := self.stage.picking.legend_at(event.pos()):
            if legend != MAP:
                self.legend_chosen.emit(legend, True)
            return
        key = self._in_plan(self.stage.picking.node_at(event.pos()))
        if key >= 0:
            self._session.toggle(key)
        elif (relation := self.stage.picking.relation_at(event.pos())) >= 0:
            self.sites_wanted.emit(relation)
        else:
            self.stage.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom to the pointer."""
        if event is None:
            return
        at, notches = event.position(), event.angleDelta().y() / 120
        self.stage.look(self.stage.camera.zoomed_at(WHEEL_STEP**notches, at.x(), at.y(), *self.stage.size))
        self.dragging.move(self._pointer)

    def leaveEvent(self, event: QEvent | None) -> None:
        """Clear the hover state."""
        self._inside = False
        self._hide_tooltip()
        if self._press is None:
            self._light(-1, -1)

    def _still(self, press: _Press) -> _Press:
        """The press without what is not in the picture any more: another may have come since."""
        if press.scene is None or not self._session.is_open:
            return press
        scene = self.stage.scene
        key = next(iter(press.scene.keys_in((press.key,), self._session.graph)), -1)
        is_there = scene is not None and scene.lifted is press.scene.lifted
        return replace(press, key=key, relation=press.relation if is_there else -1)

    def _begin_gesture(self, press: _Press, modifiers: Qt.KeyboardModifiers) -> None:
        self._light(-1, -1)
        node = press.key >= 0 and press.key != self._session.graph.root if self._session.is_open else False
        held = node or press.relation >= 0
        wanted = self.selecting.armed or (bool(modifiers & Qt.KeyboardModifier.ShiftModifier) and not node)
        if press.button == Qt.MouseButton.LeftButton and wanted and not press.legend:
            self._mode = Mode.REGION
            self.setCursor(Qt.CursorShape.CrossCursor)
            alt = bool(modifiers & Qt.KeyboardModifier.AltModifier)
            self.selecting.begin(press.at, lasso=self.selecting.armed or alt)
        elif press.button != Qt.MouseButton.LeftButton:
            self._mode = Mode.PAN
            self.setCursor(Qt.CursorShape.SizeAllCursor)
        elif held and self._session.view.before:
            self._mode = Mode.SPENT
            self.said.emit(BEFORE)
        elif held and self._session.first_job is not None:
            self._mode = Mode.SPENT
            self.said.emit(BUSY)
        elif held:
            self._mode = Mode.DRAG
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._lift(press)
        else:
            self._mode = Mode.ORBIT
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def _lift(self, press: _Press) -> None:
        selected, scene = self._session.view.selected, self.stage.scene
        if press.key >= 0:
            self.dragging.begin(selected if press.key in selected else (press.key,), self._pointer)
        elif scene is not None:
            ends = (scene.lifted.source[press.relation], scene.lifted.target[press.relation])
            user, used = (int(scene.tree.key[end]) for end in ends)
            self.dragging.begin_relation(user, used, press.share, self._pointer)

    def _click(self, press: _Press, modifiers: Qt.KeyboardModifiers) -> None:
        scene = self.stage.scene
        if scene is None:
            return
        if press.legend == MAP:
            self.stage.go_on_map(press.at)
        elif press.legend:
            self.legend_chosen.emit(press.legend, False)
        elif press.key < 0 and (ghost := self.stage.picking.ghost_at(press.at)) >= 0:
            self.ghost_chosen.emit(ghost)
        elif press.key < 0 and press.relation >= 0:
            shown = call_out(scene, press.relation)
            self._session.set_view(selected=tuple(dict.fromkeys(shown.ends)), path=shown, impact=None)
        elif press.key < 0:
            self._session.select(())
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._session.select(self._span(press.key))
        else:
            self._session.select([press.key], add=bool(modifiers & Qt.KeyboardModifier.ControlModifier))

    def _in_plan(self, key: int) -> int:
        """`key`, or -1 if the plan has removed the node, so that commands do not apply to it in the base."""
        return key if key >= 0 and self._session.graph.parent[key] != REMOVED else -1

    def _select_ends(self, scene: Scene, relation: int) -> None:
        ends = (scene.lifted.source[relation], scene.lifted.target[relation])
        self._session.select(int(scene.tree.key[end]) for end in ends)

    def _span(self, key: int) -> list[int]:
        """The selection, and the siblings from its last node to `key`; if they are not siblings, just `key` added."""
        graph, selected = self._session.graph, self._session.view.selected
        if not selected or graph.parent[selected[-1]] != graph.parent[key]:
            return [*selected, key]
        siblings = graph.children(int(graph.parent[key])).tolist()
        first, last = sorted((siblings.index(selected[-1]), siblings.index(key)))
        return [*selected, *siblings[first : last + 1]]

    def _tell(self, refused: str | None) -> None:
        if refused is not None:
            self.said.emit(refused)

    # -- drags from the tree -------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Accept nodes dragged from the tree, as if they were dragged here; the window handles anything else."""
        if event is None:
            return
        key_of = self._session.graph.key_of if self._session.is_open else {}
        keys = [key_of[node] for node in dragged_ids(event) if node in key_of]
        if not keys or self._session.view.before or self._session.first_job is not None:
            event.ignore()
            return
        event.acceptProposedAction()
        self._pointer = event.pos()
        self._mode = Mode.DRAG
        if not self.dragging.holds:
            self.dragging.begin(keys, self._pointer)

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        """As a mouse move during a drag."""
        if event is not None and self._mode is Mode.DRAG:
            event.acceptProposedAction()
            self._pointer = event.pos()
            self.dragging.move(self._pointer)

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:
        """The drag returns to the tree, or Esc was pressed.

        Nodes that the tree has lent stay held until it reports the end of the drag; otherwise the drag is cancelled.
        """
        if self._mode is Mode.DRAG:
            self._mode = Mode.NONE
            if not self.dragging.lent:
                self.dragging.cancel()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Handle a drop as the release of the button."""
        if event is not None and self._mode is Mode.DRAG:
            event.acceptProposedAction()
            self._mode = Mode.NONE
            self._tell(self.dragging.drop(event.keyboardModifiers()))

    # -- hovering ------------------------------------------------------------------------------------------

    def _places(self) -> tuple[object, ...]:
        """The values that decide what is seen where."""
        scene = self.stage.scene
        parts = () if scene is None else (scene.tree, scene.layout, scene.height, scene.lifted, scene.curves)
        return (self.stage.camera, self.stage.size, *parts)

    def _expect_another(self) -> None:
        """The picture changes under a resting pointer: another node may be under it soon."""
        now, before = self._places(), self._picked
        same = len(now) == len(before) and now[:2] == before[:2] and all(map(operator.is_, now[2:], before[2:]))
        if not same and self._inside and self._press is None:
            self._asking.start()

    def _ask_again(self) -> None:
        """Highlight the node or relation under the pointer now, and show its tooltip."""
        if not self._inside or self._press is not None or self._session.view.drag is not None:
            return
        if not self.stage.rests:
            self._asking.start()
            return
        told, waiting = self._tells, self._tooltip_timer.isActive()
        self._hover()
        if not waiting:
            self._tooltip_timer.stop()  # the pointer did not move, so that no tooltip is wanted
        if told:
            self.tooltip.hide()
            self._show_tooltip()

    def _hover(self) -> None:
        self._picked = self._places()
        if self.stage.picking.legend_at(self._pointer):
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self._light(-1, -1)
            self._tooltip_timer.start()
            return
        if not self.selecting.armed:
            self.unsetCursor()
        picking, view = self.stage.picking, self._session.view
        if picking.name_at(self._pointer) >= 0 and (view.hovered >= 0 or self.stage.highlights.relation >= 0):
            self._tooltip_timer.start()  # a name that was enlarged for a highlight must not go under the pointer
            return
        key = picking.node_at(self._pointer)
        relation = picking.relation_at(self._pointer) if key < 0 else -1
        if self._light(key, relation):
            self._hide_tooltip()
        if key >= 0 or relation >= 0 or self.stage.picking.ghost_at(self._pointer) >= 0:
            self._tooltip_timer.start()

    def _light(self, key: int, relation: int) -> bool:
        """Highlight the node or relation under the pointer. Returns whether it is a different one."""
        changed = self.stage.light(relation)
        if self._session.is_open and key != self._session.view.hovered:
            self._session.set_view(hovered=key)
            return True
        return changed

    def _show_tooltip(self) -> None:
        self._tells = True
        scene = self._told = self.stage.scene
        if scene is None or self._press is not None:
            return
        if legend := self.stage.picking.legend_at(self._pointer):
            lines = self.stage.picking.map_lines(self._pointer) if legend == MAP else LEGEND_LINES
            self.tooltip.show_at(self._pointer, lines)
            return
        item = self.stage.picking.item_at(self._pointer)
        if item < 0 and (named := self.stage.picking.name_at(self._pointer)) >= 0:
            item = emphasis.item_of(scene, named)
        if item < 0 and (ghost := self.stage.picking.ghost_at(self._pointer)) >= 0:
            self.tooltip.show_at(self._pointer, self.stage.picking.ghost_lines(ghost))
            return
        relation = self.stage.picking.relation_at(self._pointer) if item < 0 else -1
        if item >= 0:
            self.tooltip.show_at(self._pointer, self.stage.picking.lines_of(item), self._beside_ring)
        elif relation >= 0:
            self.tooltip.show_at(self._pointer, relation_tip(scene, relation), self._beside_ring)

    def _beside_ring(self, card: QSize) -> QPoint | None:
        return self.stage.picking.free_place(self._pointer, card)

    def _renew_tooltip(self) -> None:
        """Update a tooltip that may be out of date: values or the subject have changed."""
        if self.tooltip.isVisible() and self.stage.scene is not self._told:
            self.tooltip.hide()
            self._show_tooltip()

    def _hide_tooltip(self) -> None:
        self._tooltip_timer.stop()
        self._tells = False
        self.tooltip.hide()

    # -- the focus ----------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Show the focus if it came by keyboard."""
        by_key = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._tabbed_here = event is not None and event.reason() in by_key
        self.update()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Remove the frame of the focus."""
        self._tabbed_here = False
        self.update()
