"""Shows the session's scene on the canvas: owns the renderer, and does the work that the phases of the picture order.

Positions are in logical pixels of the canvas, frames in physical ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QElapsedTimer, QObject, QPoint, QSize, QTimer, Signal
from qtpy.QtGui import QColor, QImage, QPainter

from cbvtool.drawing.emphasis import Emphasis
from cbvtool.errors import Cancelled, InputError
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.named_views import Viewpoint
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.session import Session
from cbvtool.view.canvas.flight import Flight
from cbvtool.view.canvas.frames import Frames, paint_frame
from cbvtool.view.canvas.highlights import Highlights
from cbvtool.view.canvas.motion import Motion
from cbvtool.view.canvas.overlay import paint_marks, paint_overlay
from cbvtool.view.canvas.phases import Event, NameLayout, Phase, PictureState, Work, advance
from cbvtool.view.canvas.picking import Picking
from cbvtool.view.canvas.qt_painter import painting
from cbvtool.view.canvas.sight import Sight
from cbvtool.view.canvas.text_layers import TextLayers, lie_alike, named_alike, physical
from cbvtool.view.canvas.warm_up import WarmUp
from cbvtool.view.toolkit.settings import Settings

if TYPE_CHECKING:
    from cbvtool.drawing.renderer import Renderer

LARGE = 1_000  # number of segments from which the ring is shaped in an event of its own
LARGE_GRAPH = 20_000  # number of nodes from which panels that follow the session take as long as that
STEP_AFTER = 4  # ms between two steps of preparing or smoothing: with 0, the next step would come before other events
IDLE_AFTER = 140  # ms without a change before the picture is made smooth
REST_EVERY = 5_000  # ms between two checks for unused memory


class Stage(QObject):
    """Belongs to a canvas, which sets its size, and paints it.

    highlights   the highlight and its inputs
    flight       the camera
    text         labels, legends and mini-map
    picking      maps positions to nodes, and back
    """

    changed = Signal()  # the canvas must be repainted
    first_frame = Signal()  # the first frame of a subject has been painted

    def __init__(self, session: Session, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._frames: Frames | None = None  # None until the renderer is loaded
        self._size, self._ratio = QSize(1, 1), 1.0
        self._scene: Scene | None = None
        self._shown: Scene | None = None  # the scene, or an intermediate one of a transition
        self._state = PictureState()
        self._past: QImage | None = None  # the frame before a jump, which fades out
        self._good: QImage | None = None  # all of the picture that was painted last without an exception
        self._spare = QImage()  # where the next one is painted
        self._guards = 0  # calls of `_guarded` that are under way
        self._anew = False  # whether the renderer has to be given everything again
        self.highlights = Highlights()
        self.flight = Flight(settings, self._turn, self)
        self.text = TextLayers(settings)
        self.picking = Picking(self.flight, self.text, self._sight, lambda: session.graph, self._drawn_with)
        self._motion = Motion(settings, self._slide, self.changed.emit, self)
        self._warm_up = WarmUp(self.changed.emit, STEP_AFTER, self)
        self._resting = QTimer(self)
        self._since = QElapsedTimer()  # time since the last change
        self._idle = QTimer(self)
        self._idle.setObjectName("idle")
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(lambda: self._tell(Event.IDLE))
        self._do: dict[Work, Callable[[], None]] = {
            Work.BEGIN: lambda: self._idle.start(0),
            Work.STEP: lambda: self._idle.start(STEP_AFTER),
            Work.WAIT: lambda: self._idle.start(max(STEP_AFTER, IDLE_AFTER - self._since.elapsed())),
            Work.ASK: self.changed.emit,
            Work.SHAPE: lambda: self._answer(self._warm_up.runs or self._drawing.shape(self.camera)),
            Work.PORTION: lambda: self._drawing.draw_portion(),
            Work.QUICK_FRAME: lambda: self._drawing.draw_quickly(self.camera),
            Work.LAY_OUT: self._lay_out,
            Work.LOOK_THROUGH: self._look_through,
            Work.WRITE: self._write,
            Work.CATCH_UP: lambda: self._answer(self._drawing.catch_up(self.camera)),
            Work.PIECE: lambda: self._answer(self._drawing.draw_piece()),
        }

    # -- what there is -------------------------------------------------------------------------------------

    @property
    def renderer(self) -> Renderer | None:
        """The renderer, once it is loaded."""
        return None if self._frames is None else self._frames.renderer

    @property
    def scene(self) -> Scene | None:
        """The scene that is shown, or will be after a transition."""
        return self._scene

    @property
    def shown(self) -> Scene | None:
        """The scene that is shown now: `scene`, or an intermediate one of a transition."""
        return self._shown

    @property
    def frame(self) -> QImage | None:
        """The last frame without text, in physical pixels; with fewer pixels while something moves."""
        return None if self._frames is None else self._frames.image

    @property
    def camera(self) -> Camera:
        """The current camera."""
        return self.flight.camera

    @property
    def standing_out(self) -> Emphasis:
        """The current highlight."""
        return self.highlights.now

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        return self._size.width(), self._size.height()

    @property
    def theme(self) -> Theme:
        """The colours of the current theme."""
        return THEMES[self._session.view.theme]

    @property
    def phase(self) -> Phase:
        """How far the picture has come since the last change."""
        return self._state.phase

    @property
    def is_still(self) -> bool:
        """Whether nothing moves, and the picture has its final quality."""
        return self.phase is Phase.STILL and not self._motion.moves

    @property
    def rests(self) -> bool:
        """Whether neither the camera nor segments move."""
        return not self.flight.flies and not self._motion.moves

    @property
    def viewpoint(self) -> Viewpoint:
        """The viewpoint for a named view."""
        return self.flight.viewpoint

    def _sight(self) -> Sight | None:
        if self._scene is None:
            return None
        scene, shown = self._scene, self._shown or self._scene
        tinted = self.highlights.tinted(scene, self._session.view.theme)
        return Sight(scene, shown, tinted, self.camera, self._size, self._ratio, self.standing_out, self.theme)

    def _drawn_with(self, item: int) -> npt.NDArray[np.int64]:
        return np.array([item]) if self._frames is None else self._frames.renderer.drawn_with(item)

    @property
    def _drawing(self) -> Frames:
        assert self._frames is not None  # without frames, the phase stays EMPTY
        if self._anew and self._shown is not None and self._scene is not None:
            self._give(self._shown)
            self.highlights.renew(self._shown, self._view_of(self._shown), self._scene)
            self._frames.renderer.highlight(self.standing_out)
            self._frames.renderer.fade_relations(1.0)
        return self._frames

    # -- when something goes wrong -------------------------------------------------------------------------

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """What raises an exception in here is reported, and the last good picture stays; the next change tries again.

        Guards may be nested; the outermost one acts. Errors that the user can act on are for the caller.
        """
        self._guards += 1
        try:
            yield
        except (InputError, Cancelled):
            raise
        except Exception as error:
            if self._guards > 1:
                raise
            self._fail(error)
        finally:
            self._guards -= 1

    def _fail(self, error: Exception) -> None:
        """The picture of this moment cannot be drawn; at the end of a transition there is another one to try."""
        was_moving = self._shown is not self._scene
        self._motion.stop()
        self._shown, self._anew = self._scene, True
        self.text.forget(names=True)
        if self._frames is not None:
            self._frames.renderer.forget()
        self._state, _ = advance(self._state, Event.FAIL)
        sys.excepthook(type(error), error, error.__traceback__)
        if was_moving:
            self._redraw()
        else:
            self.changed.emit()

    # -- what is shown -------------------------------------------------------------------------------------

    def set_renderer(self, renderer: Renderer) -> None:
        """Take the renderer, which was made on this thread."""
        self._frames = Frames(renderer)
        self._frames.resize(self._size, self._ratio)
        self._resting.timeout.connect(renderer.rest)
        self._resting.start(REST_EVERY)
        self._warm_up.start(renderer.warm_up())
        self._clear()
        self.refresh()

    def close(self) -> None:
        """Free the renderer; nothing is shown afterwards."""
        for moving in (self.flight, self._motion, self._idle, self._resting, self._warm_up):
            moving.stop()
        if self._frames is not None:
            self._frames.renderer.close()
            self._frames = None
        self._clear()

    def resize(self, size: QSize, ratio: float) -> None:
        """Set the size of the canvas in logical pixels, each `ratio` physical ones wide."""
        self._size, self._ratio = size, ratio
        if self._frames is not None:
            self._frames.resize(size, ratio)
        self.flight.resize(size)
        self.relabel()

    def opened(self) -> None:
        """Start with another subject, seen from above."""
        self._clear()
        if self._frames is not None:
            self._frames.image = self._good = None
        self.highlights.forget()
        self._motion.stop()
        self.flight.start_above()
        self.refresh()

    def refresh(self) -> None:
        """Take over the state of the session."""
        with self._guarded():
            self._refresh()

    def _refresh(self) -> None:
        if self._frames is None or not self._session.is_open:
            return
        before, last, scene = self._shown, self._scene, self._session.scene()
        self._take_scene(scene)
        if last is not None:
            self.highlights.take_scene(last, scene)
        if self._session.time_ranges.is_sliding:
            self._motion.stop()  # the range is dragged or played: the next may come before a glide ends
        if scene is last:
            pass  # the next scene is being prepared
        elif self._session.time_ranges.is_sliding or not self._motion.lead(before, scene):
            if self._motion.veil and self._frames.image is not None:
                self._past = self._frames.image.copy()  # the next frame replaces the image's pixels
            self._frames.renderer.fade_relations(1.0)
            self._show(scene)
        self._emphasize()
        self.text.forget()  # legends depend on the view state
        if last is None or not lie_alike(last, scene):
            self._turn()
        else:
            if not named_alike(last, scene):
                self._tell(Event.ALTER)
            self._redraw()
        if self._session.view.drag is None:
            self.flight.make_room()
            self.flight.turn_back()

    def relabel(self) -> None:
        """Lay out the names again, after the user has chosen another size for them."""
        self.text.forget(names=True)
        self._redraw()

    def light(self, relation: int) -> bool:
        """Highlight the relation under the pointer, -1 = none (a node under it is in the view state).

        Returns whether it is a different one.
        """
        if relation == self.highlights.relation:
            return False
        self.highlights.relation = relation
        self._emphasize()
        return True

    def show_matches(self, keys: frozenset[int]) -> None:
        """Highlight the matches of a search."""
        self.highlights.matches = keys
        self._emphasize()

    def aim_at(self, key: int) -> None:
        """Fill the segment of the target of a drop; -1 = none."""
        if key != self.highlights.aim:
            self.highlights.aim = key
            if self._shown is not None:
                self._show(self._shown)

    def tint(self, gains: Mapping[int, float]) -> None:
        """Tint each container (key) by the gain of a drop on it, -1 to 1; empty = no tint."""
        if gains != self.highlights.gains:
            self.highlights.gains = gains
            self.text.forget()  # names stand on other colours
            if self._shown is not None:
                self._show(self._shown)

    def follow(self, curves: npt.NDArray[np.float32] | None) -> None:
        """Show the relations of the dragged nodes, float32[e, S, 3]; None = hide them."""
        if self._frames is None or self._scene is None:
            return
        if curves is None:
            self._frames.renderer.follow(None)
        else:
            color = np.array(self._scene.drag_color)
            color[:, :, 3] = 255
            self._frames.renderer.follow(curves, color)
        # Only the relations of the drag have changed: no new scene is prepared for them. A scene that is being prepared
        # goes on and will show them, because the pointer may move faster than scenes can be prepared.
        self._since.start()
        if self.phase not in (Phase.SHAPING, Phase.PREPARED):
            self._tell(Event.CHANGE)

    def _view_of(self, scene: Scene) -> ViewState:
        """The view state with keys of the graph of a scene: that of the session may be ahead, or a glide be behind."""
        view, graph = self._session.view, self._session.graph
        if scene.graph is graph:
            return view
        selected, hovered = scene.keys_in(view.selected, graph), scene.keys_in((view.hovered,), graph)
        return replace(view, selected=tuple(selected), hovered=hovered[0] if hovered else -1)

    def _take_scene(self, scene: Scene | None) -> None:
        self._scene = self.flight.scene = scene

    def _clear(self) -> None:
        self._take_scene(None)
        self._shown = None
        self._tell(Event.CLEAR)

    def _show(self, scene: Scene) -> None:
        with self._guarded():
            self._shown = scene
            if self._frames is not None:
                self._give(scene)
                self._redraw()

    def _give(self, scene: Scene) -> None:
        """Have the renderer draw a scene from now on."""
        assert self._frames is not None
        self._frames.renderer.show(self.highlights.aimed_at(scene, self._session.view.theme))
        self._anew = False

    def _emphasize(self) -> None:
        if self._frames is None or self._shown is None or self._scene is None:
            return
        with self._guarded():
            if self.highlights.renew(self._shown, self._view_of(self._shown), self._scene):
                self.text.forget()  # names fade together with their segments
            self._frames.renderer.highlight(self.standing_out)
            self._redraw()

    def _slide(self, make: Callable[[], Scene] | None, seen: float) -> None:
        """Show what `make` makes, a scene of a transition, with this opacity of its relations; None = it has ended."""
        if self._scene is None or self._frames is None:
            return
        with self._guarded():
            self._show(self._scene if make is None else make())
            self._frames.renderer.fade_relations(seen)
            if make is None:
                self.relabel()
            self._emphasize()

    # -- the camera ----------------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        """Set the camera now, by choice of the user."""
        self.flight.look(camera)

    def fit(self) -> None:
        """Show everything, from the current direction."""
        self.flight.fit()

    def toggle_top(self) -> None:
        """Look from straight above; if it does already, tilt again."""
        self.flight.toggle_top()

    def go_to_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Fly to the viewpoint of a named view."""
        self.flight.go_to(viewpoint)

    def go_on_map(self, place: QPoint) -> None:
        """Go to a point of the mini-map: to its subtree, or, if all is shown, fly over that point of the disc."""
        if (there := self.picking.on_map(place)) is None:
            return
        if there.spot is None:
            self._session.go_to(there.key)
        else:
            self.flight.go_over(there.spot)

    # -- painting ------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        """Paint the picture; if the last frame is out of date, render a new one first.

        It is painted aside, and shown as a whole: an exception leaves the last good one. That also stays while the next
        is being prepared.
        """
        with self._guarded():
            self._tell(Event.PAINT)
            sight, frame = self._sight(), self.frame
            if sight is not None and frame is not None and self.phase.is_current:
                if self._spare.size() != physical(self._size, self._ratio):
                    self._spare = QImage(physical(self._size, self._ratio), QImage.Format.Format_RGB32)
                    self._spare.setDevicePixelRatio(self._ratio)
                with painting(self._spare) as aside:
                    self._paint_current(aside, sight, frame)
                self._good, self._spare = self._spare, self._good or QImage()
        if self.phase is Phase.EMPTY or self._good is None or self._good.size() != physical(self._size, self._ratio):
            painter.fillRect(0, 0, *self.size, QColor(*self.theme.ground))
        if self.phase is not Phase.EMPTY and self._good is not None:
            painter.drawImage(0, 0, self._good)

    def _paint_current(self, painter: QPainter, sight: Sight, frame: QImage) -> None:
        """Paint the frame with its names and marks."""
        wide, tall = self.size  # a frame may be slightly smaller if the ratio of pixels is not whole, such as 125 %
        painter.fillRect(0, tall - 2, wide, 2, QColor(*self.theme.ground))
        painter.fillRect(wide - 2, 0, 2, tall, QColor(*self.theme.ground))
        upright = self._state.names is NameLayout.UPRIGHT
        words = self.text.painted(sight, upright=upright, careful=self.phase.is_careful)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)  # a hasty frame may need stretching
        paint_frame(painter, frame)
        if self._motion.veil and self._past is not None:
            painter.setOpacity(self._motion.veil)
            paint_frame(painter, self._past)
            painter.setOpacity(1.0)
        view = self._view_of(sight.scene)
        paint_marks(painter, sight, view)
        painter.drawImage(0, 0, words)
        paint_overlay(painter, sight, view, self.highlights.matches, self.text.cards)
        if not self.flight.opened:
            QTimer.singleShot(0, self.first_frame.emit)  # after it has reached the screen
            self.flight.open()

    # -- the work of the phases ----------------------------------------------------------------------------

    def _tell(self, event: Event) -> None:
        """Send an event to the state machine of the picture, and do the work it orders."""
        with self._guarded():
            self._state, work = advance(self._state, event)
            for each in work:
                self._do[each]()

    def _answer(self, more: bool) -> None:
        self._tell(Event.MORE if more else Event.DONE)

    def _turn(self) -> None:
        """React to a movement of camera or segments: lay out names quickly."""
        self._tell(Event.TURN)
        self.relabel()

    def _redraw(self) -> None:
        """Order a quick frame at the next painting, and a smooth one once nothing moves."""
        self._since.start()
        is_large = self._shown is not None and (_takes_long(self._shown) or not self.flight.opened)
        self._tell(Event.LARGE_CHANGE if is_large else Event.CHANGE)

    def _lay_out(self) -> None:
        sight = self._sight()
        assert sight is not None
        is_needed = self._state.names is not NameLayout.SETTLED or not self.text.enlarges(sight)
        if is_needed:
            self.text.lay_out(sight, upright=False)  # they are painted once the phase is careful
            self._tell(Event.SETTLE)
        self._answer(is_needed)

    def _look_through(self) -> None:
        """Find the blocks that hide the node under the resting pointer, or its neighbours."""
        scene = self._scene
        assert scene is not None
        hovered = self._view_of(scene).hovered
        self._answer(self._shown is scene and self.highlights.look_through(scene, self.camera, hovered))

    def _write(self) -> None:
        if self.standing_out.glass is not None:
            self._drawing.renderer.highlight(self.standing_out)  # those blocks are glass now
        self.text.forget()


def _takes_long(scene: Scene) -> bool:
    """Whether preparing another frame of the scene, or its shape, takes about as long as drawing it."""
    return len(scene.tree) > LARGE or len(scene.graph) > LARGE_GRAPH
