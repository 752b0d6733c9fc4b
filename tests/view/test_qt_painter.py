"""The Picture that geometry describes is what QPainter paints: places, colours, anchors, halo."""

from __future__ import annotations

import numpy as np
import pytest
from qtpy.QtGui import QImage, QPainter

from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.legends import color_legend, relation_legend
from cbvtool.geometry.picture import Picture, Polyline, Rect, Text
from cbvtool.view.canvas.qt_painter import paint, text_width
from tests.geometry.scenes import scene_of, shop

WHITE = (255, 255, 255, 255)
RED = (255, 0, 0, 255)
BLUE = (0, 0, 255, 255)


def _painted(*items, ratio: float = 1.0) -> np.ndarray:
    """uint8[100, 200, 3]: red, green, blue."""
    image = QImage(200, 100, QImage.Format.Format_RGB888)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    paint(Picture(200, 100, items), painter)
    painter.end()
    bits = image.constBits()
    assert bits is not None
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bits.asstring(), np.uint8).reshape(100, image.bytesPerLine())[:, :600].reshape(100, 200, 3)


def _inked(pixels: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is not white."""
    rows, columns = np.nonzero((pixels < 250).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


def test_a_rectangle_is_where_it_should_be(qapp) -> None:
    pixels = _painted(Rect(20, 30, 50, 40, RED))
    assert tuple(pixels[50, 45]) == RED[:3]
    assert tuple(pixels[50, 80]) == WHITE[:3]
    assert _inked(pixels) == (20, 30, 69, 69)


def test_an_outline_leaves_the_inside_alone(qapp) -> None:
    pixels = _painted(Rect(20, 30, 50, 40, (0, 0, 0, 0), RED))
    assert tuple(pixels[50, 45]) == WHITE[:3]
    assert tuple(pixels[50, 20]) != WHITE[:3]


def test_lines_are_open_and_areas_closed(qapp) -> None:
    corner = ((20.0, 20.0), (80.0, 20.0), (80.0, 80.0))
    line = _painted(Polyline(corner, RED, 3))
    area = _painted(Polyline(corner, RED, 3, fill=(0, 0, 255, 51)))
    assert tuple(line[35, 60]) == WHITE[:3]
    assert tuple(area[35, 60]) == (204, 204, 255)  # a fill of 20 % over white
    assert tuple(line[50, 50]) == WHITE[:3]
    assert tuple(area[50, 50]) != (204, 204, 255)  # the side that closes it
    assert tuple(area[50, 50]) != WHITE[:3]


def test_a_dashed_line_has_gaps(qapp) -> None:
    pixels = _painted(Polyline(((0.0, 50.0), (200.0, 50.0)), RED, 2, dashed=True))
    row = (pixels[50] == RED[:3]).all(axis=1)
    assert row.any()
    assert not row.all()


@pytest.mark.parametrize(("anchor", "left"), [("left", 100.0), ("center", None), ("right", None)])
def test_text_stands_at_its_anchor(qapp, anchor: str, left: float | None) -> None:
    width = text_width("Modules", 13)
    expected = {"left": 100, "center": 100 - width / 2, "right": 100 - width}[anchor]
    found = _inked(_painted(Text("Modules", 100, 50, 13, RED, anchor)))
    assert found[0] == pytest.approx(expected, abs=3)
    assert (found[1] + found[3]) / 2 == pytest.approx(50, abs=3)


def test_text_turns_clockwise(qapp) -> None:
    left, top, right, bottom = _inked(_painted(Text("Modules", 100, 20, 13, RED, "left", angle=90)))
    assert bottom - top > right - left
    assert top >= 18


def test_a_halo_keeps_text_readable_on_data(qapp) -> None:
    dark = Rect(0, 0, 200, 100, (30, 30, 30, 255))
    plain = _painted(dark, Text("Modules", 100, 50, 13, (0, 0, 0, 255)))
    haloed = _painted(dark, Text("Modules", 100, 50, 13, (0, 0, 0, 255), halo=WHITE))
    assert plain.max() <= 40
    assert haloed.max() == 255


def test_painting_leaves_the_painter_as_it_was(qapp) -> None:
    image = QImage(50, 50, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    before = painter.transform(), painter.pen(), painter.brush()
    paint(Picture(50, 50, (Text("a", 9, 9, 12, RED, angle=30), Polyline(((0, 0), (9, 9)), BLUE))), painter)
    assert (painter.transform(), painter.pen(), painter.brush()) == before
    painter.end()


@pytest.mark.parametrize("ratio", [1.0, 1.04, 1.25, 1.5])
def test_bars_have_no_seams_on_screens_of_any_ratio(qapp, ratio: float) -> None:
    """Where a pixel of the picture is not one of the screen, the ground shines through no bar of a legend."""
    scene = scene_of(shop())
    for legend in (color_legend(scene, 800, 600), relation_legend(scene, 800, 600)):
        bar = [
            r for r in legend.items[1:] if isinstance(r, Rect) and r.height < 11 and not r.radius and r.fill[3] == 255
        ]
        bar = [r for r in bar if r.fill != THEMES["light"].muted]  # without strokes of other thickness
        assert len(bar) > 20
        first = min(r.x for r in bar)
        moved = [Rect(r.x - first, 20.0, r.width, 10.0, r.fill) for r in bar]
        pixels = _painted(Rect(0, 0, 200, 100, (255, 0, 255, 255)), *moved, ratio=ratio)
        shown = pixels[round(25 * ratio), 1 : round(110 * ratio)].astype(int)
        assert np.abs(np.diff(shown, axis=0)).max() < 30  # a seam is a jump toward magenta and back
