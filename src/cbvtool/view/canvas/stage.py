"""What is seen on the canvas: scene and camera become a frame with labels; keeps both moving, and smooth when still.

Places are in logical pixels of the canvas, frames in physical ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QObject, QPoint, QSize, Qt, QTimer, QVariantAnimation, Signal
from qtpy.QtGui import QColor, QImage, QPainter

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.camera import TILT, Box, Camera
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import kept_clear
from cbvtool.geometry.overlay.levels import level_values
from cbvtool.geometry.overlay.match_counts import match_counts
from cbvtool.geometry.overlay.minimap import MAP, MapPlace, map_box, map_place, minimap, wants_map
from cbvtool.geometry.overlay.values import MOST as MOST_VALUES
from cbvtool.geometry.overlay.values import selected_values
from cbvtool.geometry.picking.occlusion import hiding
from cbvtool.geometry.picking.pick import pick_curve, pick_item
from cbvtool.geometry.picture import Picture
from cbvtool.geometry.scene.rings import tops
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.named_views import Viewpoint
from cbvtool.session import Session
from cbvtool.view.canvas.legend_cards import LegendCards
from cbvtool.view.canvas.motion import Motion, animation
from cbvtool.view.canvas.qt_painter import paint, text_width
from cbvtool.view.toolkit.settings import Settings
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.drawing.renderer import Renderer

LARGE = 1_000  # segments from which on the ring is shaped in an event of its own
LARGE_GRAPH = 20_000  # nodes from which on panels that follow the session take as long
STEP_AFTER = 4  # ms between two steps of making it ready, or smooth: with 0, the next would come before other events
HASTE = 0.45  # opacity of all names together while the pointer moves on
IDLE_AFTER = 140  # ms without a change before the picture is made smooth
OPENING = 600  # ms from above to tilted
REST_EVERY = 5_000  # ms between two looks for memory that is not used any more
TURN = 300  # ms for a turn of the camera that a key asked for
PICK_TOLERANCE = 4.0  # px beside a relation


class Stage(QObject):
    """Belongs to a canvas, which tells it how large it is, and paints it."""

    changed = Signal()  # it has to be painted anew
    first_frame = Signal()  # the first frame of a subject has been painted

    def __init__(self, session: Session, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._renderer: Renderer | None = None
        self._size = QSize(1, 1)
        self._ratio = 1.0
        self._scene: Scene | None = None
        self._shown: Scene | None = None  # the same, or on its way there
        self._camera = Camera.fit(1, 1)
        self._fitted = True  # the user has not chosen where to look from
        self._framed = False
        self._turning = False  # the camera moves, or segments do: labels stay upright
        self._rough = False  # something changes: frames are quick rather than smooth
        self._frame: QImage | None = None
        self._outdated_frame = True
        self._pixels = b""  # of the frame
        self._prepared = False  # what the next quick frame of a large scene needs is made
        self._part = 0  # of the smooth frame, which comes next
        self._names: Picture | None = None  # labels that were laid out last
        self._enlarged: npt.NDArray[np.bool_] | None = None  # items whose names are larger there
        self._cards = LegendCards()
        self._clear: list[Box] = []  # what the disc was kept out of
        self._map: Box | None = None  # where the mini-map stands
        self._map_picture: Picture | None = None
        self._outdated = False  # the names were laid out for other heights or colours
        self._words: QImage | None = None  # labels and legends, painted
        self._last_words: QImage | None = None  # those that were seen last
        self._layer = QImage()  # names, painted
        self._layer_of: Picture | None = None
        self._layer_fades = False  # some of them are faded
        self._careful = False  # all is still: names are painted as they should be
        self._standing_out = emphasis.Emphasis()
        self._relation = -1  # lifted relation under the pointer
        self._matches: frozenset[int] = frozenset()
        self._aim = -1  # item that a drop would go to
        self._past: QImage | None = None  # the frame before a jump
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._refine)
        self._resting = QTimer(self)
        self._warming = QTimer(self)
        self._warming.timeout.connect(self._warm_up)
        self._cold: Iterator[None] = iter(())  # what OpenGL has not compiled yet
        self._shaping = QTimer(self)
        self._shaping.setSingleShot(True)
        self._shaping.timeout.connect(self._shape)
        self._flight = animation(self, self._fly)
        self._route = (self._camera, self._camera)
        self._motion = Motion(settings, self._slide, self.changed.emit, self)

    # -- what there is -------------------------------------------------------------------------------------

    @property
    def renderer(self) -> Renderer | None:
        """The renderer, once it is loaded."""
        return self._renderer

    @property
    def scene(self) -> Scene | None:
        """What is shown, or will be when all is still."""
        return self._scene

    @property
    def shown(self) -> Scene | None:
        """What is shown now: `scene`, or something on the way there."""
        return self._shown

    @property
    def camera(self) -> Camera:
        """Where it is seen from."""
        return self._camera

    @property
    def standing_out(self) -> emphasis.Emphasis:
        """What stands out now."""
        return self._standing_out

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        return self._size.width(), self._size.height()

    @property
    def theme(self) -> Theme:
        """The colours."""
        return THEMES[self._session.view.theme]

    @property
    def is_still(self) -> bool:
        """Whether nothing moves, and the picture is as good as it gets."""
        return not self._rough and not self._outdated_frame and not self._motion.moves

    @property
    def rests(self) -> bool:
        """Whether neither the camera flies nor segments move."""
        return not self._flies and not self._motion.moves

    @property
    def is_current(self) -> bool:
        """Whether what was painted last is what there is to see, smooth or not."""
        return not self._outdated_frame and self._words is not None

    @property
    def is_warming(self) -> bool:
        """Whether OpenGL is still being made ready."""
        return self._warming.isActive()

    def item_at(self, place: QPoint) -> int:
        """Item of the segment seen at `place`, -1 = none."""
        if self._scene is None:
            return -1
        return pick_item(self._scene, *self._camera.ray(place.x(), place.y(), *self.size))

    def key_at(self, place: QPoint) -> int:
        """Key of the segment seen at `place`, -1 = none."""
        item = self.item_at(place)
        return -1 if item < 0 or self._scene is None else int(self._scene.tree.key[item])

    def lines_of(self, item: int) -> list[str]:
        """What a tooltip says of an item."""
        assert self._scene is not None
        lines = furniture.tooltip_lines(self._scene, item)
        if self._renderer is None or self._shown is not self._scene:
            return lines  # what is drawn is on its way there
        merged = self._renderer.drawn_with(item)
        return lines if len(merged) < 2 else lines + emphasis.merged_lines(self._scene, merged)

    def relation_at(self, place: QPoint) -> int:
        """Row of the lifted relation seen at `place`, -1 = none."""
        if self._scene is None:
            return -1
        return pick_curve(self._scene, self._camera, place.x(), place.y(), *self.size, PICK_TOLERANCE)

    def legend_at(self, place: QPoint) -> str:
        """What the legend seen at `place` is about: `height`, `color`, `thickness` or `map`; empty = there is none."""
        if self._scene is None:
            return ""
        maps = {} if self._map_picture is None else {MAP: self._map_picture}
        return furniture.card_at({**self._cards.pictures, **maps}, place.x(), place.y())

    def map_lines(self, place: QPoint) -> list[str]:
        """What a tooltip says of a place of the mini-map."""
        if (there := self._on_map(place)) is None or self._scene is None:
            return []
        graph = self._scene.graph
        name = "Everything" if there.key == graph.root else one_line(graph.path(there.key))
        return [name, "Click to go there"]

    def go_on_map(self, place: QPoint) -> None:
        """Go where a place of the mini-map is: to that subtree, or, while all is shown, over that spot of the disc."""
        if (there := self._on_map(place)) is None:
            return
        if there.spot is None:
            self._session.go_to(there.key)
        else:
            self._fitted = False
            self._fly_to(self._camera.with_(center=there.spot), TURN)

    def _on_map(self, place: QPoint) -> MapPlace | None:
        if self._scene is None or self._map is None:
            return None
        return map_place(self._scene, self._camera, self._map, place.x(), place.y())

    @property
    def viewpoint(self) -> Viewpoint:
        """Where it is seen from, for a named view."""
        return Viewpoint(self._route[1] if self._flies else self._camera, self._fitted)

    def go_to_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Fly to where a named view was seen from."""
        self._fly_to(self._fitted_from(viewpoint.camera) if viewpoint.fitted else viewpoint.camera, TURN)
        self._fitted = viewpoint.fitted

    @property
    def _flies(self) -> bool:
        return self._flight.state() == QVariantAnimation.State.Running

    def on_disc(self, place: QPoint) -> tuple[float, float] | None:
        """The point of the disc's plane seen at `place`."""
        return self._camera.on_disc(place.x(), place.y(), *self.size)

    def place_of(self, key: int, *, own: bool = False) -> QPoint:
        """A place at which the segment that stands for `key` is seen; with `own`, that of an expanded node itself.

        Raises LookupError when there is none.
        """
        if self._scene is None:
            raise LookupError("nothing is shown")
        item = emphasis.item_of(self._scene, key) if own else int(self._scene.tree.represent[key])
        if item < 0:
            raise LookupError(f"node {key} is not shown")
        x, y = drag_picture.seen_place(self._scene, item, self._camera, *self.size)
        return QPoint(round(x), round(y))

    # -- what is shown -------------------------------------------------------------------------------------

    def set_renderer(self, renderer: Renderer) -> None:
        """Take the renderer, made on this thread."""
        self._renderer = renderer
        self._resting.timeout.connect(renderer.rest)
        self._resting.start(REST_EVERY)
        self._cold = renderer.warm_up()
        self._warming.start(STEP_AFTER)
        self._resize_renderer()
        self._scene = self._shown = None
        self.refresh()

    def close(self) -> None:
        """Free the renderer; nothing is shown afterwards."""
        for moving in (self._flight, self._motion, self._idle, self._resting, self._warming, self._shaping):
            moving.stop()
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def resize(self, size: QSize, ratio: float) -> None:
        """The canvas has this size in logical pixels, each `ratio` physical ones wide."""
        self._size, self._ratio = size, ratio
        self._resize_renderer()
        if self._fitted:
            self._flight.stop()
            self._camera = self._fitted_from(self._camera) if self._framed else self._above()
        self._redraw()

    def opened(self) -> None:
        """Another subject: it is seen from above first."""
        self._scene = self._shown = self._frame = None
        self._framed, self._fitted = False, True
        self._matches, self._relation, self._aim = frozenset(), -1, -1
        self._flight.stop()
        self._motion.stop()
        self._camera = self._above()
        self.refresh()

    def refresh(self) -> None:
        """Follow the session."""
        if self._renderer is None or not self._session.is_open:
            return
        before, last, self._scene = self._shown, self._scene, self._session.scene()
        if last is None or self._scene.lifted is not last.lifted:
            self._relation = -1  # it was a row among the others
        if last is not None and self._scene.state.hierarchy != last.state.hierarchy:
            self._matches = frozenset()  # keys of other nodes; the search is asked again
        if self._scene is last:
            pass  # the next one is on its way
        elif not self._motion.lead(before, self._scene):
            if self._motion.veil and self._frame is not None:
                self._past = self._frame.copy()  # its pixels are not its own
            self._renderer.fade_relations(1.0)
            self._show(self._scene)
        self._emphasize()
        in_place = last is not None and _lies_alike(last, self._scene)
        self._turning |= not in_place  # names that are quick to lay out, until all is still
        self._redraw(words=not in_place)
        self._outdated |= in_place and last is not None and not _named_alike(last, self._scene)
        self._words = None  # legends tell of the view state
        if self._fitted and self._framed and self._corners() != self._clear:
            self._fly_to(self._fitted_from(self._camera), TURN)  # a legend became larger, or smaller

    def relabel(self) -> None:
        """Lay the names out anew: the user has chosen another size for them."""
        self._redraw()

    def light(self, relation: int) -> bool:
        """Let the relation under the pointer stand out, -1 = none (the node is in the view state); whether it is
        another one than before.
        """
        if relation == self._relation:
            return False
        self._relation = relation
        self._emphasize()
        return True

    def show_matches(self, keys: frozenset[int]) -> None:
        """Light up what a search found."""
        self._matches = keys
        self._emphasize()

    def aim_at(self, item: int) -> None:
        """Fill the segment of a container, as the target of a drop; -1 = none."""
        if item != self._aim:
            self._aim = item
            if self._shown is not None:
                self._show(self._shown)

    def follow(self, curves: npt.NDArray[np.float32] | None) -> None:
        """Show the relations of what is dragged, float32[e, S, 3]; None = no more."""
        if self._renderer is None or self._scene is None:
            return
        if curves is None:
            self._renderer.follow(None)
        else:
            color = np.array(self._scene.drag_color)
            color[:, :, 3] = 255
            self._renderer.follow(curves, color)
        self._redraw(words=False)

    def _show(self, scene: Scene) -> None:
        self._shown = scene
        if self._renderer is None:
            return
        is_aimed = 0 < self._aim < len(scene.tree)
        self._renderer.show(drag_picture.aimed_at(scene, self._aim, self.theme.accent) if is_aimed else scene)
        self._redraw(words=False)

    def _emphasize(self) -> None:
        if self._renderer is None or self._shown is None:
            return
        view = self._session.view
        if view.drag is not None:
            standing_out = emphasis.relations_faded(self._shown)
        else:
            arrived = self._shown is self._scene
            relation = self._relation if arrived else -1
            standing_out = emphasis.emphasis(self._shown, view.hovered, relation, self._matches, view.selected)
        if standing_out.items is not None or self._standing_out.items is not None:
            self._words = None  # names fade with their segments
        self._standing_out = standing_out
        self._renderer.highlight(standing_out)
        self._redraw(words=False)

    def _look_through(self, scene: Scene) -> bool:
        """The pointer rests on something: find what hides it, or its partners. False if that is known, or not asked."""
        lit, hovered = self._standing_out.items, self._session.view.hovered
        if hovered < 0 or lit is None or self._shown is not scene or self._standing_out.glass is not None:
            return False
        self._standing_out = replace(self._standing_out, glass=hiding(scene, self._camera, lit))
        return True

    def _slide(self, scene: Scene | None, seen: float) -> None:
        """Show a scene on the way with that share of its relations; None = the way is over."""
        if self._scene is None or self._renderer is None:
            return
        self._show(scene or self._scene)
        self._renderer.fade_relations(seen)
        if scene is None:
            self._redraw()
        self._emphasize()

    # -- the camera ----------------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        """Look from there now; the user has chosen it."""
        self._flight.stop()
        self._fitted = False
        self._look(camera)

    def fit(self) -> None:
        """Show everything, from the present side."""
        self._fly_to(self._fitted_from(self._camera), TURN)
        self._fitted = True

    def toggle_top(self) -> None:
        """Look from above; from above, tilt again."""
        target = self._camera.with_(tilt=0.0 if self._camera.tilt > 1.0 else TILT)
        self._fly_to(self._fitted_from(target) if self._fitted else target, TURN)

    def stop_flight(self) -> None:
        """The user takes over."""
        self._flight.stop()

    def _above(self) -> Camera:
        return self._fitted_from(Camera(tilt=TILT if self._settings.reduced_motion else 0.0))

    def _fitted_from(self, camera: Camera) -> Camera:
        """From that side, with the whole disc between the legends."""
        self._clear = self._corners()
        blocks = None if self._scene is None else tops(self._scene.tree, self._scene.layout, self._scene.height)
        return camera.fitted(*self.size, clear=self._clear, blocks=blocks)

    def _corners(self) -> list[Box]:
        """Where the disc keeps out of: legends, and the mini-map while it stays."""
        if (scene := self._scene) is None:
            return furniture.corners(*self.size)
        corners = kept_clear(scene, *self.size, measure=text_width)
        if scene.state.root == scene.graph.root or not self._settings.minimap:
            return corners
        box = map_box(*self.size, corners)
        return corners if box is None else [*corners, box]

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._turning = True
        self._redraw()

    def _fly_to(self, target: Camera, duration: int) -> None:
        self._flight.stop()
        if self._settings.reduced_motion:
            self._look(target)
            return
        self._route = (self._camera, target)
        self._flight.setDuration(duration)
        self._flight.start()

    def _fly(self, share: float) -> None:
        self._look(Camera.between(*self._route, share))

    # -- painting ------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        """Paint what is seen; renders a frame first when the last one is out of date, once."""
        if self._renderer is None or self._scene is None:
            painter.fillRect(0, 0, *self.size, QColor(*self.theme.ground))
            return
        if self._outdated_frame and (self._shaping.isActive() or self.is_warming):
            self._paint_last(painter)
            return
        if self._outdated_frame or self._frame is None:
            self._frame = self._rendered(self._renderer)
            self._outdated_frame = False
        if self._words is None:
            self._words = self._last_words = self._written(self._scene)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)  # a hasty frame may have to be stretched
        painter.drawImage(0, 0, self._frame)
        if self._motion.veil and self._past is not None:
            painter.setOpacity(self._motion.veil)
            painter.drawImage(0, 0, self._past)
            painter.setOpacity(1.0)
        painter.drawImage(0, 0, self._words)
        if self._session.view.drag is None and self._shown is self._scene:
            selected = self._session.view.selected
            if self._matches:
                paint(match_counts(self._scene, self._matches, self._camera, *self.size, measure=text_width), painter)
            paint(drag_picture.selection_picture(self._scene, selected, self._camera, *self.size, self.theme.accent),
                  painter)  # fmt: skip
            if selected and self._session.view.path is None:
                paint(drag_picture.partners_picture(self._scene, self._standing_out, self._camera, *self.size), painter)
            if selected:
                self._cards.paint(painter)  # outlines of what stands behind a legend end at its card
            paint(self._values_of(self._scene, selected), painter)
        if not self._framed:
            self._framed = True
            QTimer.singleShot(0, self.first_frame.emit)  # once it is on the screen
            if not self._settings.reduced_motion:
                self._fly_to(self._fitted_from(Camera(tilt=TILT)), OPENING)
                self._fitted = True

    def _values_of(self, scene: Scene, selected: tuple[int, ...]) -> Picture:
        """The cards of what is selected; several nodes may lie in one segment."""
        inside: dict[int, list[int]] = {}
        for key in selected[:MOST_VALUES]:
            if (item := emphasis.item_of(scene, key)) > 0:
                inside.setdefault(item, []).extend([key] if scene.tree.key[item] != key else [])
        return selected_values(scene, [*inside], self._camera, *self.size, measure=text_width, inside=inside)

    def _paint_last(self, painter: QPainter) -> None:
        """Paint what was seen last: the next frame is being prepared."""
        if self._frame is None or self._last_words is None:
            painter.fillRect(0, 0, *self.size, QColor(*self.theme.ground))
        else:
            painter.drawImage(0, 0, self._frame)
            painter.drawImage(0, 0, self._last_words)

    def _warm_up(self) -> None:
        """Another step; a frame would take all of them together, so the first one waits for the last."""
        if next(self._cold, self) is self:
            self._warming.stop()
            self.changed.emit()

    def _shape(self) -> None:
        """What a frame of a large scene needs is made in events of its own, before the frame itself."""
        if self.is_warming:
            self._shaping.start(STEP_AFTER)
        elif (renderer := self._renderer) is not None and not self._prepared:
            renderer.camera(self._camera)
            if not renderer.shape(moving=True):
                renderer.draw_portion()
                self._prepared = True
            self._shaping.start(STEP_AFTER)
        else:
            self.changed.emit()

    def _rendered(self, renderer: Renderer) -> QImage:
        """A quick frame."""
        renderer.camera(self._camera)
        return self._image(renderer.frame(moving=True, portion=not self._prepared))

    def _refine(self) -> None:
        """Nothing has changed for a while: draw it smoothly, part by part, with time for events between."""
        renderer = self._renderer
        if renderer is None or self._scene is None:
            return
        if self.is_warming:
            self._idle.start(IDLE_AFTER)
            return
        if not self._careful:
            if self._turning or self._outdated or not _same(self._larger(self._scene), self._enlarged):
                self._turning, self._outdated = False, False
                self._names = self._laid_out(self._scene)  # painted in the next step
                self._idle.start(STEP_AFTER)
                return
            if self._look_through(self._scene):
                self._idle.start(STEP_AFTER)
                return
            if self._standing_out.glass is not None:
                renderer.highlight(self._standing_out)  # that is of glass now
            self._careful, self._words = True, None
            self.changed.emit()
            self._idle.start(STEP_AFTER)
            return
        if self._part == 0:
            renderer.camera(self._camera)
            if renderer.shape() or renderer.catch_up():
                self._idle.start(STEP_AFTER)
                return
        pixels = renderer.piece(self._part)
        self._part += 1
        if pixels is None:
            self._idle.start(STEP_AFTER)
            return
        self._frame, self._outdated_frame = self._image(pixels), False
        self._part, self._rough = 0, False
        self.changed.emit()

    def _image(self, pixels: npt.NDArray[np.uint8]) -> QImage:
        height, width = pixels.shape[:2]
        self._pixels = pixels.tobytes()  # Qt does not keep them alive
        image = QImage(self._pixels, width, height, 3 * width, QImage.Format.Format_RGB888)
        image.setDevicePixelRatio(width / max(1, self._size.width()))  # a rectangle to fill costs seven times as much
        return image

    def _written(self, scene: Scene) -> QImage:
        """Labels and legends; labels are laid out anew only when scene or camera change, or when all is still."""
        if self._names is None:
            self._names = self._laid_out(scene)
        self._cards.follow(scene, self._camera, self._size, self._ratio, turning=self._turning)
        image = self._transparent()
        painter = QPainter(image)
        self._paint_names(self._names, scene, painter)
        self._cards.paint(painter)
        self._paint_map(scene, painter)
        painter.end()
        return image

    def _paint_names(self, names: Picture, scene: Scene, painter: QPainter) -> None:
        """Paint the names, those faded that do not stand out.

        Those of the still picture are many, and most of them turn letter by letter. While the pointer moves on they
        are not painted again: the layer that was painted last fades as a whole, and what is lit is painted over it.
        """
        lights = self._standing_out.items is not None
        if self._turning:
            paint(emphasis.names_faded(names, scene, self._standing_out, self.theme.muted), painter)
            return
        if self._layer_of is names and (lights or not self._layer_fades) and not self._careful:
            painter.setOpacity(HASTE if lights and not self._layer_fades else 1.0)
            painter.drawImage(0, 0, self._layer)
            painter.setOpacity(1.0)
            if lights:
                paint(emphasis.names_lit(names, scene, self._standing_out), painter)
            return
        self._layer, self._layer_of, self._layer_fades = self._transparent(), names, lights
        layer = QPainter(self._layer)
        paint(emphasis.names_faded(names, scene, self._standing_out, self.theme.muted), layer)
        layer.end()
        painter.drawImage(0, 0, self._layer)

    def _transparent(self) -> QImage:
        """An image of the canvas's size."""
        image = QImage(self._physical(), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._ratio)
        image.fill(Qt.GlobalColor.transparent)
        return image

    def _paint_map(self, scene: Scene, painter: QPainter) -> None:
        """Paint the mini-map, if one is needed and it does not stand on a legend."""
        self._map, self._map_picture = None, None
        if self._settings.minimap and wants_map(scene, self._camera, *self.size):
            self._map = map_box(*self.size, self._cards.boxes())
        if self._map is not None:
            self._map_picture = minimap(scene, self._camera, *self.size, self._map)
            paint(self._map_picture, painter)

    def _laid_out(self, scene: Scene) -> Picture:
        size = self.size
        picture = Picture(*size)
        self._enlarged = self._larger(scene)
        if self._shown is scene:
            scale = self._settings.label_size  # laid out on a smaller canvas, names come out larger
            room = (round(size[0] / scale), round(size[1] / scale))
            clear = [(x / scale, y / scale, w / scale, h / scale) for x, y, w, h in self._corners()]
            picture += furniture.labels(
                scene, self._camera, *room, self._turning, measure=text_width, larger=self._enlarged, clear=clear
            ).scaled(scale)
            picture += level_values(scene, self._camera, *size, measure=text_width)
        return picture

    def _larger(self, scene: Scene) -> npt.NDArray[np.bool_] | None:
        """bool[v]: the partners of what stands out."""
        partners = self._standing_out.partners
        return partners if partners is not None and len(partners) == len(scene.tree) else None

    def _redraw(self, *, words: bool = True) -> None:
        """Make a quick frame at the next painting, with `words` labels and legends too; a smooth one when all is
        still.
        """
        self._rough = True
        self._outdated_frame, self._part = True, 0
        self._careful = False
        if words:
            self._names = self._words = None
        self._idle.start(IDLE_AFTER)
        if self._shown is not None and (_takes_long(self._shown) or not self._framed):
            self._prepared = False
            self._shaping.start(0)
        else:
            self.changed.emit()

    def _physical(self) -> QSize:
        width, height = self.size
        return QSize(max(1, round(width * self._ratio)), max(1, round(height * self._ratio)))

    def _resize_renderer(self) -> None:
        if self._renderer is not None:
            self._renderer.resize(self._physical().width(), self._physical().height())


def _lies_alike(before: Scene, after: Scene) -> bool:
    """Whether the labels of one scene may stand in the other until all is still."""
    return before.tree is after.tree and before.layout is after.layout and before.state.theme == after.state.theme


def _named_alike(before: Scene, after: Scene) -> bool:
    """Whether the labels of one scene are also right for the other."""
    parts = ("tree", "layout", "height", "color", "height_legend")
    return before.state.theme == after.state.theme and all(getattr(before, p) is getattr(after, p) for p in parts)


def _takes_long(scene: Scene) -> bool:
    """Whether what leads to another frame of a scene, or its shape, takes about as long as the frame."""
    return len(scene.tree) > LARGE or len(scene.graph) > LARGE_GRAPH


def _same(a: npt.NDArray[np.bool_] | None, b: npt.NDArray[np.bool_] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))
