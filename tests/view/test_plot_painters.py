"""Images of plots by the painter of the window and by that of files."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pillow
from qtpy.QtGui import QImage, QPainter

from cbvtool.drawing import pillow_painter
from cbvtool.geometry.picture import Image, Picture, Rect
from cbvtool.plots.filling import fill
from cbvtool.plots.plot import Viewport
from cbvtool.plots.to_picture import to_picture
from cbvtool.view.canvas import qt_painter
from tests.plots.random_plots import HEIGHT, WIDTH, random_plot, seen

GROUND = (250, 250, 247, 255)


def painted_by_qt(picture: Picture, scale: float) -> np.ndarray:
    """uint8[h, w, 3] in device pixels."""
    image = QImage(round(picture.width * scale), round(picture.height * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(qt_painter.qcolor(GROUND))
    painter = QPainter(image)
    qt_painter.paint(picture, painter)
    painter.end()
    bits = image.constBits()
    assert bits is not None
    bits.setsize(image.sizeInBytes())
    rows = np.frombuffer(bits.asstring(), np.uint8).reshape(image.height(), image.width(), 4)
    return rows[..., 2::-1]


def painted_by_pillow(picture: Picture, scale: float) -> np.ndarray:
    size = (round(picture.width * scale), round(picture.height * scale))
    return np.asarray(pillow_painter.paint(picture, Pillow.new("RGB", size, GROUND[:3]), scale))


@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_window_and_file_show_the_same_pixels(qapp, bent: bool, scale: float) -> None:
    """Beside the window only the edges of letters differ: without letters nothing does, but by rounding."""
    for seed in range(4):
        plot, _ = random_plot(seed, bent)
        filled = fill(plot, Viewport(WIDTH, HEIGHT, scale))
        picture = to_picture(filled)
        window = painted_by_qt(picture, scale).astype(int)
        file = painted_by_pillow(picture, scale).astype(int)
        assert np.abs(window - file).max() <= 3
        tiles = seen(filled)
        opaque = tiles[..., 3] == 255
        assert opaque.mean() > 0.02
        assert np.abs(window - tiles[..., :3])[opaque].max() <= 1


@pytest.mark.parametrize("painted", [painted_by_qt, painted_by_pillow])
def test_an_image_that_darkens_leaves_darker_ground(qapp, painted) -> None:
    """EX-4: the darker colour wins."""
    image = np.zeros((10, 20, 4), np.uint8)
    image[:, :10] = (255, 100, 0, 255)
    ground = Rect(0, 0, 20, 10, (120, 120, 120, 255))
    shown = painted(Picture(20, 10, (ground, Image(0, 0, 20, 10, image, darken=True))), 1.0)
    assert np.abs(shown[5, 5].astype(int) - (120, 100, 0)).max() <= 1
    assert shown[5, 15].tolist() == [120, 120, 120]
