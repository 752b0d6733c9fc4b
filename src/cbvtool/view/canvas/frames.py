"""Frames of the canvas: the interface between phases and renderer, and the last image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QRectF, QSize
from qtpy.QtGui import QImage, QPainter

from cbvtool.geometry.camera import Camera
from cbvtool.view.canvas.text_layers import physical

if TYPE_CHECKING:
    from cbvtool.drawing.renderer import Renderer


class Frames:
    """Belongs to a stage; `image` is the last frame, None = there is none of this subject yet."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self.image: QImage | None = None
        self._pixels = b""  # pixels of the image
        self._wide = 1  # width of the canvas in logical pixels
        self._piece = 0  # next piece of the smooth frame
        self._has_portion = False  # whether a portion of relations was drawn for the next quick frame

    def resize(self, size: QSize, ratio: float) -> None:
        """Set the size of frames: `size` logical pixels, each `ratio` physical pixels wide."""
        self._wide, pixels = max(1, size.width()), physical(size, ratio)
        self.renderer.resize(pixels.width(), pixels.height())

    def shape(self, camera: Camera) -> bool:
        """Do a step of shaping the ring for a quick frame. Returns whether there was something to do."""
        self.renderer.camera(camera)
        return self.renderer.shape(moving=True)

    def draw_portion(self) -> None:
        """Draw a portion of the relations for a quick frame."""
        self.renderer.draw_portion()
        self._has_portion = True

    def draw_quickly(self, camera: Camera) -> None:
        """Draw a quick frame; first a portion of the relations, unless `draw_portion` has drawn one.

        Without portions, the picture would show the relations of an earlier scene for as long as the camera moves.
        """
        self.renderer.camera(camera)
        portion, self._has_portion = not self._has_portion, False
        self._take(self.renderer.frame(moving=True, portion=portion))

    def catch_up(self, camera: Camera) -> bool:
        """Do one step of the work for the smooth frame. Returns whether there was something to do."""
        self._piece = 0
        self.renderer.camera(camera)
        return self.renderer.shape() or self.renderer.catch_up()

    def draw_piece(self) -> bool:
        """Draw the next piece of the smooth frame. Returns whether there are more."""
        pixels = self.renderer.piece(self._piece)
        self._piece += 1
        if pixels is not None:
            self._take(pixels)
        return pixels is None

    def _take(self, pixels: npt.NDArray[np.uint8]) -> None:
        height, width = pixels.shape[:2]
        self._pixels = pixels.tobytes()  # Qt does not keep them alive
        self.image = QImage(self._pixels, width, height, 3 * width, QImage.Format.Format_RGB888)
        self.image.setDevicePixelRatio(width / self._wide)  # stretching to a rectangle costs seven times as much


def paint_frame(painter: QPainter, image: QImage) -> None:
    """Paint a frame at the top left corner, in its size in logical pixels.

    Qt stretches an image that has fewer pixels only if it is given a target rectangle.
    """
    ratio = image.devicePixelRatio()
    if ratio >= 1:
        painter.drawImage(0, 0, image)
    else:
        painter.drawImage(QRectF(0, 0, image.width() / ratio, image.height() / ratio), image)
