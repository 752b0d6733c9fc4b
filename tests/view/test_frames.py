"""Frames on the canvas: one of fewer pixels, made while something moves, fills it all the same."""

from __future__ import annotations

import pytest
from qtpy.QtGui import QColor, QImage, QPainter

from cbvtool.view.canvas.frames import paint_frame

RED, WHITE = "#ff0000", "#ffffff"


@pytest.mark.parametrize(("pixels", "ratio"), [(50, 0.5), (100, 1.0), (200, 2.0)])
def test_a_frame_fills_the_canvas_whatever_its_pixels(pixels: int, ratio: float) -> None:
    frame = QImage(pixels, pixels, QImage.Format.Format_RGB888)
    frame.fill(QColor(RED))
    frame.setDevicePixelRatio(ratio)
    canvas = QImage(120, 120, QImage.Format.Format_RGB32)
    canvas.fill(QColor(WHITE))
    painter = QPainter(canvas)
    paint_frame(painter, frame)
    painter.end()
    assert [canvas.pixelColor(at, at).name() for at in (2, 97, 103)] == [RED, RED, WHITE]
