"""The legends over the frame as small images, laid out and painted only when their content changes."""

from __future__ import annotations

import math

from qtpy.QtCore import QPointF, QSize, Qt
from qtpy.QtGui import QImage, QPainter

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay.answer_legends import told_by_legends, with_answers
from cbvtool.geometry.overlay.legends import legends
from cbvtool.geometry.picture import Picture, Rect
from cbvtool.geometry.scene.scene import Scene
from cbvtool.view.canvas.qt_painter import paint, painting, text_width

EDGE = 2  # px by which an outline may exceed a card


class LegendCards:
    """Call `follow` with a scene, then `paint`; `pictures` are the legends by subject (see `legends`)."""

    def __init__(self) -> None:
        self.pictures: dict[str, Picture] = {}
        self._told: tuple[object, ...] = ()
        self._camera: Camera | None = None
        self._images: list[tuple[QPointF, QImage]] = []

    def boxes(self) -> list[tuple[float, float, float, float]]:
        """(x, y, width, height) of the cards."""
        return [(card.x, card.y, card.width, card.height) for card in map(_card, self.pictures.values())]

    def follow(self, scene: Scene, camera: Camera, size: QSize, ratio: float, *, turning: bool) -> None:
        """Lay out the legends on a canvas of `size` logical pixels, each `ratio` physical ones wide.

        turning   whether the camera moves: the ruler of heights is then updated only when it stops
        """
        told = (*told_by_legends(scene), size.width(), size.height(), ratio)
        if told == self._told and (turning or camera == self._camera):
            return
        self._told, self._camera = told, camera
        pictures = legends(scene, size.width(), size.height(), camera=camera, measure=text_width)
        self.pictures = with_answers(pictures, scene, size.width(), size.height(), measure=text_width)
        self._images = [_painted(picture, ratio) for picture in self.pictures.values()]

    def paint(self, painter: QPainter) -> None:
        """Paint the legends, on a canvas of the size for which they were laid out."""
        for place, image in self._images:
            painter.drawImage(place, image)


def _card(picture: Picture) -> Rect:
    card = picture.items[0]
    assert isinstance(card, Rect)  # the first item of each legend is its card
    return card


def _painted(picture: Picture, ratio: float) -> tuple[QPointF, QImage]:
    """The card with its content as an image, and its position."""
    card = _card(picture)
    left, top = math.floor(card.x) - EDGE, math.floor(card.y) - EDGE
    wide, tall = (math.ceil(length) + 2 * EDGE + 1 for length in (card.width, card.height))
    image = QImage(round(wide * ratio), round(tall * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    with painting(image) as painter:
        painter.translate(-left, -top)
        paint(picture, painter)
    return QPointF(left, top), image
