"""Pictures painted with Pillow: the same items as in the window, without Qt."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from cbvtool.drawing import pillow_painter
from cbvtool.drawing.pillow_painter import paint, text_width
from cbvtool.export import fonts
from cbvtool.geometry.picture import Item, Picture, Polyline, Rect, Text

BLACK, WHITE, BLUE = (0, 0, 0, 255), (255, 255, 255, 255), (11, 132, 243, 255)


def painted(*items: Item, size: tuple[int, int] = (200, 120), scale: float = 1) -> np.ndarray:
    """int[h, w, 3]: the items on white."""
    image = Image.new("RGB", (round(size[0] * scale), round(size[1] * scale)), "white")
    return np.asarray(paint(Picture(*size, items), image, scale)).astype(int)


def ink_box(image: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is not white."""
    rows, columns = np.nonzero((image < 200).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def middle(image: np.ndarray) -> tuple[float, float]:
    left, top, right, bottom = ink_box(image)
    return (left + right) / 2, (top + bottom) / 2


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0, -45.0, 180.0])
def test_a_text_is_centred_where_it_is_put(angle: float) -> None:
    """Labels stand on their segments: the middle of the text is at (x, y), turned clockwise about it."""
    image = painted(Text("HHHHHHHH", 100, 60, 14, BLACK, angle=angle))
    x, y = middle(image)
    assert (x, y) == (pytest.approx(100, abs=2), pytest.approx(60, abs=2))
    left, top, right, bottom = ink_box(image)
    wide, high = right - left, bottom - top
    assert (wide > 3 * high) == (angle in (0.0, 180.0))
    assert (high > 3 * wide) == (angle == 90.0)


def test_clockwise_is_clockwise() -> None:
    """An angle of 30 degrees leads down to the right: y grows downward."""
    image = painted(Text("HHHHHHHH", 100, 60, 14, BLACK, angle=30.0))
    assert (image[65:, 105:] < 128).any()
    assert not (image[65:, :95] < 128).any()


@pytest.mark.parametrize(("anchor", "left", "right"), [("left", 100, 150), ("center", 70, 130), ("right", 50, 100)])
@pytest.mark.parametrize("angle", [0.0, 0.01])
def test_anchors(anchor: str, left: int, right: int, angle: float) -> None:
    """The part of the text that stands at x; the same for upright and for turned text."""
    box = ink_box(painted(Text("HHHHH", 100, 60, 12, BLACK, anchor, angle)))
    assert left - 2 <= box[0]
    assert box[2] <= right + 2
    if anchor == "left":
        assert box[0] <= 103
    if anchor == "right":
        assert box[2] >= 97


@pytest.mark.parametrize("angle", [0.0, 20.0])
def test_a_halo_parts_a_text_from_what_it_crosses(angle: float) -> None:
    """Look-and-feel: a pale halo where labels cross data."""
    ground = Rect(0, 0, 200, 120, (60, 90, 140, 255))
    plain, haloed = (painted(ground, Text("label", 100, 60, 13, BLACK, angle=angle, halo=h)) for h in (None, WHITE))
    assert not (plain.min(axis=2) > 160).any()
    assert (haloed.min(axis=2) > 160).sum() > 40
    np.testing.assert_array_equal(haloed[:20], plain[:20])


def test_widths_are_those_of_the_painted_text() -> None:
    """Labels are placed by `text_width`: it is what the painter takes."""
    for bold in (False, True):
        box = ink_box(painted(Text("HmmHmmH", 100, 60, 16, BLACK, bold=bold)))
        assert box[2] - box[0] == pytest.approx(text_width("HmmHmmH", 16, bold), abs=4)
    assert text_width("wide", 12, bold=True) > text_width("wide", 12)


def test_a_rectangle_is_where_it_says() -> None:
    """Whole coordinates are filled to the pixel, with no seam between neighbours: colour bars are made of them."""
    image = painted(Rect(20, 30, 40, 10, BLUE), Rect(60, 30, 40, 10, BLUE))
    assert (image[30:40, 20:100] == BLUE[:3]).all()
    image[30:40, 20:100] = 255
    assert (image == 255).all()


def test_corners_are_round_and_outlines_are_outlines() -> None:
    """Cards: round corners, a fill that lets the picture through, an outline of a pixel."""
    image = painted(Rect(20, 20, 100, 60, (0, 0, 0, 128), BLUE, 12))
    assert image[50, 70].tolist() == pytest.approx([127, 127, 127], abs=2)
    assert image[20, 20].tolist() == [255, 255, 255]
    np.testing.assert_allclose(image[50, 20], BLUE[:3], atol=40)
    hollow = painted(Rect(20, 20, 100, 60, (0, 0, 0, 0), BLUE))
    assert hollow[50, 70].tolist() == [255, 255, 255]


def test_lines_are_smooth_and_dashed() -> None:
    """Antialiased lines of their width; dashes leave gaps."""
    plain = painted(Polyline(((10, 20), (190, 100)), BLACK, 2.0))
    assert len(np.unique(plain[:, :, 0])) > 5
    columns = (plain < 128).any(axis=2).any(axis=0)
    assert columns[12:188].all()
    dashed = painted(Polyline(((10, 60), (190, 60)), BLACK, 2.0, dashed=True))
    row = (dashed[59:61] < 128).any(axis=(0, 2))
    starts = np.flatnonzero(np.diff(row.astype(int)) == 1)
    np.testing.assert_allclose(np.diff(starts), pillow_painter.DASH + pillow_painter.GAP, atol=1)


def test_a_filled_polyline_is_closed() -> None:
    """A drop target: filled at a fifth, outlined all around, also along the side that closes it."""
    image = painted(Polyline(((40, 20), (160, 20), (160, 100), (40, 100)), BLUE, 2.0, fill=(*BLUE[:3], 51)))
    np.testing.assert_allclose(image[60, 100], 255 * 0.8 + 0.2 * np.array(BLUE[:3]), atol=2)
    for x, y in ((100, 20), (159, 60), (100, 99), (40, 60)):
        assert np.abs(image[y - 1 : y + 2, x - 1 : x + 2] - BLUE[:3]).sum(axis=2).min() < 60


def test_what_lies_outside_is_cut_off() -> None:
    """A name or a line that leaves the picture harms nothing."""
    image = painted(
        Text("outside", -5, 3, 14, BLACK, angle=40),
        Polyline(((-1e4, 50), (1e4, 50)), BLACK),
        Rect(-50, -50, 9, 9, BLUE),
    )
    assert (image[50] < 128).all(axis=1).all()


def test_a_scaled_picture_is_the_same_picture() -> None:
    """`scale` 2: the same places and sizes, twice as fine."""
    items = (
        Text("name", 60, 40, 12, BLACK, angle=25),
        Rect(100, 20, 30, 30, BLUE, radius=4),
        Text("plain", 60, 90, 12, BLACK),
    )
    small, large = painted(*items), painted(*items, scale=2)
    reduced = large.reshape(120, 2, 200, 2, 3).mean(axis=(1, 3))
    assert np.abs(reduced - small).mean() < 1.5


def test_the_given_image_stays() -> None:
    """Values, not side effects: the frame that is painted on is not changed."""
    image = Image.new("RGB", (50, 50), "white")
    paint(Picture(50, 50, (Rect(0, 0, 50, 50, BLACK),)), image)
    assert image.getpixel((25, 25)) == (255, 255, 255)


def boxes(count: int, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """What is painted for letters that no font has."""
    with monkeypatch.context() as context:
        context.setattr(fonts, "fallbacks", tuple)
        return painted(Text("\U0010ffff" * count, 100, 60, 20, BLACK))


@pytest.mark.parametrize("angle", [0.0, 40.0])
@pytest.mark.parametrize("text", ["日本語", "한국어", "שלום", "ไทย"])
def test_other_scripts_are_drawn_by_a_font_that_has_them(
    text: str, angle: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in scripts that a font of this system has are no rows of boxes, and are measured so."""
    files = (pillow_painter.font_files()[0], *fonts.fallbacks())
    if not all(any(pillow_painter._has(file, letter) for file in files) for letter in text):
        pytest.skip(f"no font of this system has {text}")
    image = painted(Text(text, 100, 60, 20, BLACK, angle=angle))
    assert middle(image) == (pytest.approx(100, abs=3), pytest.approx(60, abs=4))
    if not angle:
        left, _, right, _ = ink_box(image)
        assert right - left == pytest.approx(text_width(text, 20), abs=5)
        assert not np.array_equal(image, boxes(len(text), monkeypatch))


def test_a_letter_of_another_font_stands_on_the_same_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of two scripts is one word; what no font has is a box, and harms nothing."""
    monkeypatch.setattr(fonts, "fallbacks", tuple)
    alone = painted(Text("HHH", 100, 60, 20, BLACK))
    monkeypatch.setattr(fonts, "fallbacks", lambda: (pillow_painter.font_files()[0],))
    monkeypatch.setattr(pillow_painter, "_has", lambda file, letter: letter != "Ħ")
    mixed = painted(Text("HĦH", 100, 60, 20, BLACK))
    assert ink_box(mixed)[1::2] == ink_box(alone)[1::2]
    for odd in ("\U0010ffff", "two\nlines", "bad \udcff byte", ""):
        painted(Text(odd, 100, 60, 20, BLACK, angle=10))
        assert text_width(odd, 12) >= 0


def test_names_that_run_to_the_left_do_so() -> None:
    """As in a PDF: the letters as they are seen, the ending to the right."""
    if not pillow_painter._has(pillow_painter.font_files()[0], "ש"):
        pytest.skip("the usual font has no Hebrew")
    image = painted(Text("שלום.py", 100, 60, 20, BLACK))
    right = ink_box(image)[2]
    ending = painted(Text(".py", right, 60, 20, BLACK, "right"))
    start = round(right - text_width(".py", 20)) + 2
    assert np.abs(image[:, start:] - ending[:, start:]).mean() < 4


@pytest.mark.parametrize("where", ["matplotlib", "nowhere"])
def test_a_system_without_fonts(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare Debian has no fonts: those that come with matplotlib serve, else Pillow's own."""
    monkeypatch.setattr(pillow_painter, "_FONTS", {})
    if where == "nowhere":
        monkeypatch.setattr(pillow_painter, "find_spec", lambda _name: None)
    caches = (pillow_painter.font_files, pillow_painter._font, pillow_painter._width)
    for cached in caches:
        cached.cache_clear()
    try:
        assert ("DejaVuSans.ttf" in pillow_painter.font_files()[0]) == (where == "matplotlib")
        assert middle(painted(Text("HHHHHH", 100, 60, 14, BLACK, bold=True)))[0] == pytest.approx(100, abs=3)
    finally:
        for cached in caches:
            cached.cache_clear()
