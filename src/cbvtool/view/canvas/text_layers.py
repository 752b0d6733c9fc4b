"""Labels, legends and mini-map over the frame, as one image that is cached until its content changes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QImage, QPainter

from cbvtool.drawing import emphasis
from cbvtool.geometry.camera import Box
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.headline import headline_box, headline_picture
from cbvtool.geometry.overlay.labels import names_on
from cbvtool.geometry.overlay.levels import level_values, value_boxes
from cbvtool.geometry.overlay.minimap import MAP, map_box, minimap, wants_map
from cbvtool.geometry.overlay.values import card_boxes
from cbvtool.geometry.picture import Picture
from cbvtool.geometry.scene.scene import Scene
from cbvtool.layout.visible import VisibleTree
from cbvtool.view.canvas.flight import corners
from cbvtool.view.canvas.highlights import enlarged
from cbvtool.view.canvas.legend_cards import LegendCards
from cbvtool.view.canvas.overlay import values_of
from cbvtool.view.canvas.qt_painter import paint, painting, text_width
from cbvtool.view.canvas.sight import Sight
from cbvtool.view.toolkit.settings import Settings

HASTE = 0.45  # opacity of the layer of names while the pointer moves


class TextLayers:
    """Belongs to a stage.

    image   the painted layers; None = must be painted again
    names   the labels laid out last, of the items of one tree; None = must be laid out again
    map     box of the mini-map; None = there is none
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.image: QImage | None = None
        self.names: Picture | None = None
        self._names_of: VisibleTree | None = None
        self.cards = LegendCards()
        self.map: Box | None = None
        self._map_picture: Picture | None = None
        self._enlarged: npt.NDArray[np.bool_] | None = None  # items with larger names in the layout
        self._asked: npt.NDArray[np.bool_] | None = None  # items that matched a search in the layout
        self._tinted: tuple[Picture, Scene, Picture] | None = None  # names, what they stand on, in inks for that
        self._layer = QImage()  # the painted names
        self._layer_of: Picture | None = None
        self._layer_fades = False  # whether some names in it are faded

    def forget(self, *, names: bool = False) -> None:
        """Repaint everything at the next painting; with `names`, lay the names out again before."""
        self.image = None
        if names:
            self.names = None

    def cards_and_map(self) -> dict[str, Picture]:
        """The pictures beside the disc, by subject."""
        return self.cards.pictures if self._map_picture is None else {**self.cards.pictures, MAP: self._map_picture}

    def lay_out(self, sight: Sight, *, upright: bool) -> None:
        """Lay out the names; upright ones are quick to lay out."""
        self._enlarged, self._asked = enlarged(sight.scene, sight.standing_out), sight.standing_out.found
        self.names, self._names_of = Picture(*sight.extent), sight.scene.tree
        if not sight.arrived:
            return
        wide, tall = sight.extent
        scale = self._settings.label_size  # on a smaller canvas, names become relatively larger
        room = (round(wide / scale), round(tall / scale))
        taken = corners(sight.scene, sight.size, has_map=self._settings.minimap)
        values = level_values(sight.scene, sight.camera, wide, tall, measure=text_width)
        taken = [*taken, *headline_box(sight.scene, wide, tall, text_width), *value_boxes(values, text_width)]
        if sight.scene.state.path is None:
            taken += card_boxes(values_of(sight, sight.scene.state.selected))
        clear = [(x / scale, y / scale, w / scale, h / scale) for x, y, w, h in taken]
        self.names += furniture.labels(
            sight.scene,
            sight.camera,
            *room,
            upright,
            measure=text_width,
            larger=self._enlarged,
            clear=clear,
            asked=self._asked,
        ).scaled(scale)
        self.names += values

    def enlarges(self, sight: Sight) -> bool:
        """Whether the layout has the right names enlarged, and the names of search matches."""
        larger = _alike(enlarged(sight.scene, sight.standing_out), self._enlarged)
        return larger and _alike(sight.standing_out.found, self._asked)

    def painted(self, sight: Sight, *, upright: bool, careful: bool) -> QImage:
        """The image of all layers. Names are laid out, and the image is painted, only if necessary.

        upright   whether camera or segments move
        careful   whether the picture is still, or nearly so
        """
        if self.image is None:
            self.image = self._painted(sight, upright=upright, careful=careful)
        return self.image

    def _painted(self, sight: Sight, *, upright: bool, careful: bool) -> QImage:
        if self.names is None or self._names_of is not sight.scene.tree:
            self.lay_out(sight, upright=upright)
        assert self.names is not None
        names = self._tinted_names(self.names, sight)
        self.cards.follow(sight.scene, sight.camera, sight.size, sight.ratio, turning=upright)
        image = transparent(sight)
        with painting(image) as painter:
            self._paint_names(names, sight, painter, upright=upright, careful=careful)
            self.cards.paint(painter)
            self._paint_map(sight, painter)
            if self.map is None and sight.arrived:
                paint(headline_picture(sight.scene, *sight.extent, text_width), painter)
        return image

    def _tinted_names(self, names: Picture, sight: Sight) -> Picture:
        """The names in inks for the tints of a drag; the same picture until something changes."""
        if sight.tinted is sight.scene:
            self._tinted = None
            return names
        if self._tinted is None or self._tinted[0] is not names or self._tinted[1] is not sight.tinted:
            self._tinted = names, sight.tinted, names_on(names, sight.scene, sight.tinted)
        return self._tinted[2]

    def _paint_names(self, names: Picture, sight: Sight, painter: QPainter, *, upright: bool, careful: bool) -> None:
        """Paint the names; those that are not highlighted are faded.

        The still picture has many names, and most of them are painted letter by letter. So they are not painted again
        while the pointer moves: the last layer of names fades as a whole, and the highlighted names are painted over
        it.
        """
        scene, standing_out = sight.scene, sight.standing_out
        lights = standing_out.items is not None
        if upright:
            paint(emphasis.names_faded(names, scene, standing_out, sight.theme.muted), painter)
            return
        if self._layer_of is names and (lights or not self._layer_fades) and not careful:
            painter.setOpacity(HASTE if lights and not self._layer_fades else 1.0)
            painter.drawImage(0, 0, self._layer)
            painter.setOpacity(1.0)
            if lights:
                paint(emphasis.names_lit(names, scene, standing_out), painter)
            return
        self._layer, self._layer_of, self._layer_fades = transparent(sight), names, lights
        with painting(self._layer) as layer:
            paint(emphasis.names_faded(names, scene, standing_out, sight.theme.muted), layer)
        painter.drawImage(0, 0, self._layer)

    def _paint_map(self, sight: Sight, painter: QPainter) -> None:
        """Paint the mini-map, if it is needed and does not overlap a legend."""
        self.map, self._map_picture = None, None
        if self._settings.minimap and wants_map(sight.scene, sight.camera, *sight.extent):
            self.map = map_box(*sight.extent, self.cards.boxes())
        if self.map is not None:
            self._map_picture = minimap(sight.scene, sight.camera, *sight.extent, self.map)
            paint(self._map_picture, painter)


def _alike(now: npt.NDArray[np.bool_] | None, before: npt.NDArray[np.bool_] | None) -> bool:
    return now is before or (now is not None and before is not None and np.array_equal(now, before))


def transparent(sight: Sight) -> QImage:
    """An empty image of the canvas's size, in physical pixels."""
    image = QImage(physical(sight.size, sight.ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(sight.ratio)
    image.fill(Qt.GlobalColor.transparent)
    return image


def physical(size: QSize, ratio: float) -> QSize:
    """Size in physical pixels of a canvas of `size` logical ones."""
    return QSize(max(1, round(size.width() * ratio)), max(1, round(size.height() * ratio)))


def lie_alike(before: Scene, after: Scene) -> bool:
    """Whether the labels of `before` may stay in `after` until the picture rests."""
    return before.tree is after.tree and before.layout is after.layout and before.state.theme == after.state.theme


def named_alike(before: Scene, after: Scene) -> bool:
    """Whether the labels of `before` are also correct for `after`."""
    parts = ("tree", "layout", "height", "color", "height_legend")
    return before.state.theme == after.state.theme and all(getattr(before, p) is getattr(after, p) for p in parts)
