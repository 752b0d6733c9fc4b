"""Images of plots by the painter of the window and by that of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from pytestqt.qtbot import QtBot
from qtpy.QtGui import QImage, QPainter

from cbvtool.drawing import pillow_painter
from cbvtool.geometry.picture import Image, Picture, Polyline, Rect, Text
from cbvtool.plots.filling import fill
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plots.to_picture import to_picture
from cbvtool.view.canvas import qt_painter
from tests.plots.random_plots import HEIGHT, WIDTH, random_plot, seen
from tests.plugin_views import test_viewfusion
from tests.trace import test_synctrace
from tests.view.shown_view import ShownView

GROUND = (250, 250, 247, 255)


def painted_by_qt(picture: Picture, scale: float) -> np.ndarray:
    """uint8[h, w, 3] in device pixels."""
    image = QImage(round(picture.width * scale), round(picture.height * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(qt_painter.qcolor(GROUND))
    painter = QPainter(image)
    qt_painter.paint(picture, painter)
    painter.end()
    return pixels_of(image)


def pixels_of(image: QImage) -> np.ndarray:
    """uint8[h, w, 3] of an image of Format_RGB32."""
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


def differing(picture: Picture, *left_out: type) -> np.ndarray:
    """int[h, w]: by how much window and file differ without items of some types."""
    shown = replace(picture, items=tuple(item for item in picture.items if not isinstance(item, left_out)))
    return np.abs(painted_by_qt(shown, 1.0).astype(int) - painted_by_pillow(shown, 1.0)).max(axis=2)


def synctrace() -> tuple[Plot, Viewport]:
    return test_synctrace.plot(test_synctrace.started()), test_synctrace.VIEW


def viewfusion() -> tuple[Plot, Viewport]:
    return test_viewfusion.plot(test_viewfusion.started(test_viewfusion.world(3))), test_viewfusion.VIEW


@pytest.mark.parametrize("drawn", [synctrace, viewfusion])
def test_of_views_a_file_shows_what_the_window_shows(qapp, drawn) -> None:
    """ST-3, VF-1: edges of letters differ, edges of slanted lines by a breath, all else by rounding."""
    plot, viewport = drawn()
    picture = to_picture(fill(plot, viewport))
    assert any(isinstance(item, Text) for item in picture.items)
    assert differing(picture, Text, Polyline).max() <= 3
    assert differing(picture, Text).max() <= 40


def beside_texts(picture: Picture) -> np.ndarray:
    """bool[h, w]: what lies in no square around a text, however it is turned."""
    free = np.ones((picture.height, picture.width), np.bool_)
    for item in picture.items:
        if isinstance(item, Text):
            reach = qt_painter.text_width(item.text, item.size, item.bold) + 2 * item.size
            left, top = max(round(item.x - reach), 0), round(item.y - (reach if item.angle else 1.5 * item.size))
            bottom = round(item.y + (reach if item.angle else 1.5 * item.size))
            free[max(top, 0) : max(bottom, 0), left : max(round(item.x + reach), 0)] = False
    return free


@pytest.mark.parametrize("part", ["main", "fusion"])
def test_a_canvas_on_the_screen_and_its_file_differ_in_letters_alone(qtbot: QtBot, tmp_path: Path, part: str) -> None:
    """ST-3, VF-1: what is grabbed of the window, and the picture as the command writes it."""
    instance = test_synctrace.started() if part == "main" else test_viewfusion.started(test_viewfusion.world(3))
    shown = ShownView(instance, part, (1200, 800))
    qtbot.addWidget(shown.canvas)
    shown.canvas.show()
    qtbot.waitExposed(shown.canvas)
    shown.canvas.save(tmp_path / "a.png")
    free = beside_texts(shown.canvas.picture())
    grabbed = shown.canvas.ground.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    with Pillow.open(tmp_path / "a.png") as file:
        differ = np.abs(pixels_of(grabbed).astype(int) - np.asarray(file.convert("RGB"))).max(axis=2)
    assert free.mean() > 0.3
    assert len(np.unique(pixels_of(grabbed)[free], axis=0)) > 20
    assert differ[free].max() <= 40
