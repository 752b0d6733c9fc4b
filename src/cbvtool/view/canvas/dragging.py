"""A drag in progress: the dragged nodes, the target, the reason for a refusal, and what is painted meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, hypot, pi
from time import monotonic

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QApplication, QWidget

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.overlay.minimap import MAP, marked_on_map
from cbvtool.geometry.picture import Picture
from cbvtool.geometry.scene.closing import own_place, place_after
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.view_state import Drag
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import common_parent, place_for
from cbvtool.view.canvas.asking import ask_about
from cbvtool.view.canvas.drag_label import ROOM, DragLabel
from cbvtool.view.canvas.drag_words import card_lines
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.canvas.stage import Stage
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.drop_places import DropPlace
from cbvtool.words import one_line

RIM = 1.12  # radius up to which a drop outside the rings means the top level
# Part of a relation in which a drag splits it; nearer to an end, the drag pulls out nodes at that end.
MIDDLE = (1 / 3, 2 / 3)
OPENS = Qt.Key.Key_Space  # opens the closed container under the pointer at once
OPENS_AFTER = 1.0  # s after which a closed container under the resting pointer opens
SHOWN_AFTER = 0.25  # s after which it is shown how much of that is left
RESTS = 1.5  # px that a resting pointer may move; a hand that trembles does not rest
STAYS = 12.0  # px around the place where a container opened: so far it stays the target
PULSE = 40  # ms between two checks of keys and time during a drag
HELD_KEYS = (
    Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
)  # those that change what a drop does
BUSY = "The step before is still being made: drag it again in a moment"


class Dragging(QObject):
    """The drag controller of the canvas: between `begin` and `drop` or `cancel`, nodes or a relation are dragged.

    places   widgets beside the picture that accept drops
    card     card with a question about the drop, None = none
    label    the card at the pointer while it is outside the picture
    clock    tells the time, in seconds from anywhere
    """

    said = Signal(str)  # why a drop is refused
    escaped = Signal()  # Esc was pressed together with a key that the gesture needs
    changed = Signal()  # the picture of the drag is out of date

    def __init__(self, session: Session, stage: Stage, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._session, self._stage, self._canvas = session, stage, canvas
        self.places: list[DropPlace] = []
        self.card: AskCard | None = None
        self.curves: npt.NDArray[np.float32] | None = None  # its relations, float32[e, S, 3]
        self.modifiers: Callable[[], Qt.KeyboardModifiers] = QApplication.queryKeyboardModifiers
        self._lifted: list[drag_picture.Lifted] = []
        self._pointer = QPoint(-1, -1)
        self._lent = False  # whether it is a Qt drag that began in another widget
        self._place: DropPlace | None = None  # place under the pointer; None = the picture, or none
        self._under = -1  # key of the node under the pointer
        self._seen: tuple[object, ...] = ()  # inputs of the last update, to notice changes
        self._keys = 0  # the held keys that decided it
        # Key of the last container opened under the pointer, and the position of the pointer.
        self._opened = (-1, QPoint())
        self.label = DragLabel(canvas)
        self.clock: Callable[[], float] = monotonic
        self._since: float | None = None  # when the pointer came to rest; None = its rest is used up
        self._rested = QPoint()  # position of the pointer then
        self._pulse = QTimer(self)
        self._pulse.setInterval(PULSE)
        self._pulse.timeout.connect(self._beat)

    @property
    def refusal(self) -> str | None:
        """Why a drop at the pointer is refused; None = it is allowed."""
        return self._session.candidate().refusal

    @property
    def holds(self) -> bool:
        """Whether a drag is in progress."""
        return self._session.view.drag is not None

    # -- beginning -----------------------------------------------------------------------------------------

    def begin(self, keys: Sequence[int], pointer: QPoint) -> None:
        """Start dragging nodes."""
        self._lift(self._session.topmost(keys), pointer, lambda: self._session.begin_drag(keys))

    def begin_relation(self, user: int, used: int, share: float, pointer: QPoint) -> None:
        """Start dragging a relation at a share of its length: to split it, or to pull out nodes at the nearer end."""
        dragging = self._session.dragging
        if MIDDLE[0] <= share <= MIDDLE[1]:
            self._lift((), pointer, lambda: dragging.begin_split(user, used, share))
        else:
            container, partner = (user, used) if share < MIDDLE[0] else (used, user)
            self._lift((container,), pointer, lambda: dragging.begin_pull(container, partner))

    def _lift(self, keys: Sequence[int], pointer: QPoint, hold: Callable[[], None]) -> None:
        if reason := self._session.dragging.elsewhere:
            self._session.select(keys or self._session.view.selected)
            self.said.emit(reason)
            return
        before = self._stage.scene
        self._lifted = [] if before is None else drag_picture.lift(before, keys)
        place = self._stage.picking.on_disc(pointer)
        hold()
        if not self.holds:
            self._lifted = []
            return
        if before is not None and place is not None and self._canvas.rect().contains(pointer):
            self._close_up(before, atan2(*place))
        self._begin_pulse()
        self.move(pointer)

    def _begin_pulse(self) -> None:
        self._pulse.start()
        if (application := QApplication.instance()) is not None:
            application.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Let Esc end a drag even while Shift or Ctrl are held, which make it a different shortcut, and Space open."""
        if isinstance(event, QKeyEvent) and self.holds:
            is_early = event.type() == QEvent.Type.ShortcutOverride
            if event.key() == Qt.Key.Key_Escape and event.modifiers() & HELD_KEYS and is_early:
                self.escaped.emit()
                event.accept()
                return True
            if event.key() == OPENS and self.card is None and (is_early or event.type() == QEvent.Type.KeyPress):
                if not is_early and not event.isAutoRepeat() and self._may_unfold(self._under):
                    self._unfold(self._under)
                event.accept()
                return True
        return super().eventFilter(watched, event)

    def _close_up(self, before: Scene, angle: float) -> None:
        """Turn the ring so that the segment under the pointer keeps its angle."""
        after = self._stage.scene
        if after is None or after.layout is before.layout:
            return
        found = place_after(before.tree, before.layout, after.tree, after.layout, angle)
        self._stage.flight.turn((found - angle + pi) % (2 * pi) - pi)

    # -- a hand for drags that began elsewhere ---------------------------------------------------------------

    def lift(self, ids: Sequence[str], spot: QPoint) -> bool:
        """Start dragging these nodes, for a drag that began in another widget. False = not possible now."""
        key_of = self._session.graph.key_of if self._session.is_open else {}
        keys = [key_of[node] for node in ids if node in key_of]
        if self._session.first_job is not None:
            self.said.emit(BUSY)
            return False
        if not keys:
            return False
        self._lent = True
        self.begin(keys, self._canvas.mapFromGlobal(spot))
        return self.holds

    def over(self, spot: QPoint) -> None:
        """Move the drag to a global position."""
        self.move(self._canvas.mapFromGlobal(spot))

    def let_go(self, keys: Qt.KeyboardModifiers) -> None:
        """Drop at the pointer; `keys` were held then."""
        self._tell(self.drop(keys))

    def put_back(self) -> None:
        """End a drag of another widget: cancel it, unless a question about it is open."""
        if self._lent and self.holds and self.card is None and self._session.first_job is None:
            self.cancel()
        self._lent = False

    @property
    def lent(self) -> bool:
        """Whether the drag is a Qt drag that began in another widget."""
        return self._lent

    # -- moving --------------------------------------------------------------------------------------------

    def move(self, pointer: QPoint, keys: Qt.KeyboardModifiers | None = None) -> None:
        """Follow the pointer, which may be outside the canvas; `keys` are held, None = those held now."""
        self._pointer = pointer
        if not self.holds or self.card is not None:
            return
        self._aim(pointer, self.modifiers() if keys is None else keys)
        scene, place = self._stage.scene, self._stage.picking.on_disc(pointer)
        if scene is not None and place is not None:
            self.curves = scene.drag_curves(place)
            self._stage.follow(self.curves)
        self._show_label()
        self._seen = self._deciding()
        self.changed.emit()

    def _deciding(self) -> tuple[object, ...]:
        """The inputs of an update, apart from the pointer, to notice changes."""
        return int(self.modifiers()), self._stage.camera, self._stage.shown

    def _aim(self, pointer: QPoint, keys: Qt.KeyboardModifiers) -> None:
        session, spot = self._session, self._canvas.mapToGlobal(pointer)
        self._keys = int(keys & HELD_KEYS)
        session.dragging.merge_instead(bool(keys & Qt.KeyboardModifier.ShiftModifier))
        place, key = self._seen_at(spot, pointer)
        if place is not self._place or key != self._under or _apart(pointer, self._rested) > RESTS:
            self._since = self.clock()  # passing over a large container must not open it
            self._rested = QPoint(pointer)
        if self._place is not None and self._place is not place:
            self._place.mark(-1, refused=False)
        self._place, self._under = place, key
        target, fresh = session.dragging.target_at(key), False
        if place is None and key < 0:
            target, fresh = self._outside(pointer, new=bool(keys & Qt.KeyboardModifier.ControlModifier))
        session.drag_over(target, fresh=fresh)
        self._mark(target, fresh=fresh)

    def _mark(self, target: int, *, fresh: bool) -> None:
        """Highlight the target of the drop, in the picture or in a place beside it."""
        candidate = self._session.candidate()
        may_drop = target >= 0 and not fresh and candidate.refusal is None and not candidate.at_home
        self._stage.aim_at(target if may_drop else -1)
        if self._place is not None:
            self._place.mark(target, refused=candidate.refusal is not None)

    def _seen_at(self, spot: QPoint, pointer: QPoint) -> tuple[DropPlace | None, int]:
        """(place beside the picture under the pointer, key of the node there); key -1 = none."""
        for place in self.places:
            if (key := place.node_at(spot)) is not None:
                return place, key
        picking = self._stage.picking
        if not self._canvas.rect().contains(pointer):
            return None, -1
        if picking.legend_at(pointer) == MAP and (there := picking.on_map(pointer)) is not None:
            return None, there.key
        opened, where = self._opened
        if opened >= 0 and _apart(pointer, where) <= STAYS:
            return None, opened  # the rings have moved: the user did not aim at the node that is there now
        self._opened = (-1, QPoint())
        return None, picking.key_at(pointer)

    def _outside(self, pointer: QPoint, *, new: bool) -> tuple[int, bool]:
        """(key of the container for a drop beside all segments, whether the drop creates a new one in it).

        Just outside the rings, this is the root of the view; with Ctrl (a new node) anywhere outside. For a relation,
        anywhere outside, it is a common container of its ends.
        """
        drag, graph = self._session.view.drag, self._session.graph
        if drag is None or not self._canvas.rect().contains(pointer) or self._stage.picking.legend_at(pointer):
            return -1, False
        on_disc = self._stage.picking.on_disc(pointer)
        away = np.inf if on_disc is None else hypot(*on_disc)
        if away <= 1.0:
            return -1, False
        if drag.splits:
            return place_for(common_parent(drag.relation, graph), "file", graph), True
        if new:
            return self._session.view.root, True
        return (self._session.view.root if away <= RIM else -1), False

    def _beat(self) -> None:
        """Continue a drag while the pointer rests: react to keys, open closed containers, scroll lists."""
        if not self.holds:
            self._forget()  # it was ended elsewhere, for example by undoing a step
            return
        if self.card is not None:
            return
        spot = self._canvas.mapToGlobal(self._pointer)
        if self._place is not None:
            self._place.scroll_near(spot)
        if self._deciding() != self._seen or self._place is not None:  # without changes, the frame may become smooth
            self.move(self._pointer)
        if self._stage.flight.flies or not self._stage.rests:
            self._since = self.clock()  # what is under the pointer has not come to rest
        elif self._since is not None and self.clock() - self._since > OPENS_AFTER:
            self._since = None
            if self._may_unfold(self._under):
                self._unfold(self._under)
        elif self._rest > 0:
            self.changed.emit()

    @property
    def _rest(self) -> float:
        """How much of the rest after which the container under the pointer opens is over, 0..1; 0 = it would not."""
        if self._place is not None or self._since is None or not self._may_unfold(self._under):
            return 0.0
        return min(max((self.clock() - self._since - SHOWN_AFTER) / (OPENS_AFTER - SHOWN_AFTER), 0.0), 1.0)

    def _may_unfold(self, key: int) -> bool:
        """Whether `key` is a closed container that would accept the drop."""
        session, graph, drag = self._session, self._session.graph, self._session.view.drag
        if drag is None or key < 0 or not len(graph.children(key)) or key in drag.keys:
            return False
        is_closed = self._place is not None or key not in session.view.expanded | drag.opened
        return is_closed and session.dragging.target_at(key) == key

    def _unfold(self, key: int) -> None:
        """Open a closed container. In the picture, its own ring comes to lie under the pointer."""
        if self._place is not None:
            self._place.unfold(key)
        else:
            self._opened = (key, QPoint(self._pointer))
            place = self._stage.picking.on_disc(self._pointer)
            self._session.dragging.open_closed(key)
            if (scene := self._stage.scene) is not None and place is not None:
                ring = own_place(scene.layout, emphasis.item_of(scene, key), atan2(*place))
                self._stage.flight.keep_under(ring, self._pointer)
        self.move(self._pointer)

    # -- the end -------------------------------------------------------------------------------------------

    def drop(self, keys: Qt.KeyboardModifiers | None = None) -> str | None:
        """Carry out the drop, or ask about it; returns the reason for a refusal.

        keys   held when the button was released; they decide. None = those held now

        The target is the one that was highlighted last, whatever has moved since.
        """
        held = self.modifiers() if keys is None else keys
        if self.holds and int(held & HELD_KEYS) != self._keys:
            self.move(self._pointer, held)
        drag, candidate = self._session.view.drag, self._session.candidate()
        if drag is None or drag.target < 0 or candidate.at_home:
            self.cancel()
            return None
        if self._session.dragging.asks:
            self.ask()
            return None
        if candidate.refusal is not None:
            self.cancel()
            return candidate.refusal
        self._forget([drag.target, *self._session.graph.ancestors(drag.target)])
        return self._session.drop()

    def ask(self, place: QPoint | None = None) -> None:
        """Ask about the drop: the form of a split, and kind and name of the new node.

        place   of the card, in pixels of the canvas; None = at the pointer
        """
        self.label.hide()
        self.card = ask_about(self._session, self._canvas)
        self.card.taken.connect(self._answered)
        self.card.left.connect(self.cancel)
        self.card.ask_at(self._pointer if place is None else place)
        self._begin_pulse()

    def _answered(self) -> None:
        self.card = None
        drag = self._session.view.drag
        self._forget([] if drag is None else [drag.target, *self._session.graph.ancestors(drag.target)])
        self._tell(self._session.drop())

    def cancel(self) -> None:
        """Cancel the drag."""
        self._forget()
        self._session.cancel_drag()

    def _forget(self, kept: Sequence[int] = ()) -> None:
        self._pulse.stop()
        if (application := QApplication.instance()) is not None:
            application.removeEventFilter(self)
        if self.card is not None:
            self.card.close_down()
            self.card = None
        self.label.hide()
        for place in self.places:
            place.mark(-1, refused=False)
            place.fold_back(kept)
        self._lifted, self.curves, self._place, self._under = [], None, None, -1
        self._opened, self._since = (-1, QPoint()), None
        self._stage.aim_at(-1)
        self._stage.follow(None)

    def _tell(self, refused: str | None) -> None:
        if refused is not None:
            self.said.emit(refused)

    # -- painting ------------------------------------------------------------------------------------------

    def picture(self, pointer: QPoint) -> Picture:
        """Target, ghost, and a card with the effect of a drop."""
        scene, drag, size = self._stage.scene, self._session.view.drag, self._stage.size
        picture = Picture(*size)
        if scene is None or drag is None:
            return picture
        theme, camera, candidate = self._stage.theme, self._stage.camera, self._session.candidate()
        if drag.splits:
            for key, color in zip(drag.relation, (theme.user, theme.used), strict=True):
                picture += drag_picture.selection_picture(scene, (key,), camera, *size, color)
        if drag.target >= 0 and not candidate.at_home:
            item = emphasis.item_of(scene, drag.target)
            refused = candidate.refusal is not None
            if item > 0 or drag.target == scene.state.root:
                picture += drag_picture.target_picture(scene, item, camera, *size, theme.accent, theme.warning, refused)
            if self._place is None and (box := self._stage.text.map) is not None:
                color = theme.warning if refused else theme.accent
                picture += marked_on_map(scene, camera, *size, box, drag.target, color)
        place = self._stage.picking.on_disc(pointer)
        hides = self._stage.picking.legend_at(pointer) == MAP  # the ghost would hide it
        if place is not None and self.card is None and not hides and self._canvas.rect().contains(pointer):
            picture += drag_picture.ghost_picture(self._lifted, place, camera, *size, theme.accent)
        if self.card is not None or not self._canvas.rect().contains(pointer):
            return picture
        if share := self._rest:
            picture += drag_picture.rest_picture(share, (pointer.x(), pointer.y()), *size, theme)
        return picture + self._card(drag, (float(pointer.x()), float(pointer.y())), size)

    def _card(self, drag: Drag, place: tuple[float, float], size: tuple[int, int]) -> Picture:
        theme = self._stage.theme
        session = self._session
        lines = card_lines(drag, session.candidate(), session.dragging.bundle(), session.graph, theme)
        if self._rest:
            lines.append((f"Hold still: {one_line(session.graph.names[self._under])} opens", theme.muted))
        widths = [text_width(text, 12.0, number == 0) for number, (text, _) in enumerate(lines)]
        return drag_picture.caption_picture(lines, place, *size, widths, (*theme.ground[:3], 240), theme.line)

    def _show_label(self) -> None:
        """Show the card at the pointer if that is outside the picture."""
        drag = self._session.view.drag
        if drag is None or self._canvas.rect().contains(self._pointer):
            self.label.hide()
            return
        self.label.show_at(self._canvas.mapToGlobal(self._pointer), self._card(drag, (0.0, 0.0), (ROOM, ROOM)))


def _apart(a: QPoint, b: QPoint) -> float:
    """Distance in pixels."""
    return hypot(a.x() - b.x(), a.y() - b.y())
