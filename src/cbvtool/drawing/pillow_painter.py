"""Paints a Picture on a Pillow image: the same labels and legends as the window's, without Qt.

A letter that the usual font lacks is drawn in another font of the system, as in a PDF.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFont

from cbvtool.export import fonts
from cbvtool.geometry import picture as items
from cbvtool.geometry.picture import Color, Picture, Polyline, Rect, Text, unmultiplied
from cbvtool.words import one_line

Piece = tuple[ImageFont.FreeTypeFont, str, float]  # a font, the text to draw in it, and the width of that text

HALO_WIDTH = 1.5  # px on each side of a letter, as in the window
FINE = 4  # shapes are drawn this many times larger and averaged down, for soft edges
DASH, GAP = 6.0, 4.0  # px

# Files of the UI fonts of each system, best first: (regular, bold).
_FONTS: dict[str, tuple[tuple[str, str], ...]] = {
    "linux": (
        ("/usr/share/fonts/truetype/inter/Inter-Regular.ttf", "/usr/share/fonts/truetype/inter/Inter-Bold.ttf"),
        ("/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", "/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf"),
        ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"),
        ("/usr/share/fonts/TTF/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"),
    ),
    "darwin": (("/System/Library/Fonts/Supplemental/Arial.ttf", "/System/Library/Fonts/Supplemental/Arial Bold.ttf"),),
    "win32": (("C:/Windows/Fonts/segoeui.ttf", "C:/Windows/Fonts/segoeuib.ttf"),),
}


def paint(picture: Picture, image: Image.Image, scale: float = 1.0) -> Image.Image:
    """`image` (RGB or RGBA) with the items of `picture` painted over it in their order, `scale` times larger.

    The given image does not change.
    """
    result = image.convert("RGB")
    for item in picture.items:
        if isinstance(item, Text):
            _paint_text(item, result, scale)
        elif isinstance(item, Rect):
            _paint_rect(item, result, scale)
        elif isinstance(item, items.Image):
            _paint_image(item, result, scale)
        else:
            _paint_polyline(item, result, scale)
    return result


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width in pixels that `text` takes when painted `size` pixels high."""
    return _width(text, size, bold)


@lru_cache(maxsize=65536)
def _width(text: str, size: float, bold: bool) -> float:
    return sum(wide for _, _, wide in _pieces(text, size, bold))


def _paint_text(item: Text, image: Image.Image, scale: float) -> None:
    """Paint text. Upright text uses the font's hinting; turned text is drawn large, turned, and averaged down."""
    fine = FINE if item.angle % 360 else 1
    size = item.size * scale * fine
    pieces = _pieces(item.text, size, item.bold)
    width = sum(wide for _, _, wide in pieces)
    ascent, descent = _font(font_files()[item.bold], size).getmetrics()
    metrics = [font.getmetrics() for font, _, _ in pieces]
    over = max(0, *(up - ascent for up, _ in metrics), *(down - descent for _, down in metrics))
    shift = {"left": width / 2, "center": 0.0, "right": -width / 2}[item.anchor] / fine
    turn = math.radians(item.angle)
    x = item.x * scale + shift * math.cos(turn)
    y = item.y * scale + shift * math.sin(turn)
    edge = math.ceil(HALO_WIDTH * scale * fine) + 2 * fine
    box = (math.ceil(width) + 2 * edge, ascent + descent + 2 * (edge + over))
    halo = item.halo if item.halo is not None and item.halo[3] else None
    stroke = HALO_WIDTH * scale * fine
    start, foot = box[0] / 2 - width / 2, edge + over + ascent
    if fine == 1:  # whole pixels keep the hinting
        start = edge + (x - width / 2) % 1
    for color, wide in ((halo, stroke), (item.color, 0.0)):
        if color is None:
            continue
        mask = Image.new("L", box, 0)
        draw, at = ImageDraw.Draw(mask), start
        for font, letters, advance in pieces:
            draw.text((at, foot), letters, fill=255, font=font, stroke_width=wide, anchor="ls")
            at += advance
        left, top = x - box[0] / 2, y - box[1] / 2
        if fine == 1:
            left = math.floor(x - width / 2) - edge
        else:
            mask, left, top = _turned(mask, -item.angle, x, y, fine)
        _lay(image, mask, color, round(left), round(top))


def _turned(mask: Image.Image, degrees: float, x: float, y: float, fine: int) -> tuple[Image.Image, int, int]:
    """`mask` turned about its centre, averaged down by `fine`.

    The two numbers are the pixel of its corner that puts its centre at (x, y).
    """
    turned = mask.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True)
    width, height = (math.ceil(side / fine) + 2 for side in turned.size)
    left, top = math.floor(x - width / 2), math.floor(y - height / 2)
    large = Image.new("L", (width * fine, height * fine), 0)
    large.paste(turned, (round((x - left) * fine - turned.width / 2), round((y - top) * fine - turned.height / 2)))
    return large.reduce(fine), left, top


def _paint_rect(item: Rect, image: Image.Image, scale: float) -> None:
    x, y, width, height = (value * scale for value in (item.x, item.y, item.width, item.height))
    left, top = math.floor(x) - 1, math.floor(y) - 1
    size = (math.ceil(x + width) + 1 - left, math.ceil(y + height) + 1 - top)
    corners = [(x - left) * FINE, (y - top) * FINE, (x - left + width) * FINE - 1, (y - top + height) * FINE - 1]
    if corners[2] < corners[0] or corners[3] < corners[1]:
        return
    radius = item.radius * scale * FINE
    if item.fill[3]:
        mask = Image.new("L", (size[0] * FINE, size[1] * FINE), 0)
        ImageDraw.Draw(mask).rounded_rectangle(corners, radius, fill=255)
        _lay(image, mask.reduce(FINE), item.fill, left, top)
    if item.outline[3]:
        mask = Image.new("L", (size[0] * FINE, size[1] * FINE), 0)
        ImageDraw.Draw(mask).rounded_rectangle(corners, radius, outline=255, width=max(round(scale * FINE), 1))
        _lay(image, mask.reduce(FINE), item.outline, left, top)


def _paint_image(item: items.Image, image: Image.Image, scale: float) -> None:
    x, y = round(item.x * scale), round(item.y * scale)
    size = (round((item.x + item.width) * scale) - x, round((item.y + item.height) * scale) - y)
    if min(size) <= 0 or not item.pixels.size:
        return
    laid = Image.fromarray(unmultiplied(item.pixels), "RGBA")
    if laid.size != size:
        laid = laid.resize(size, Image.Resampling.BOX)
    mask = laid.getchannel("A")
    over = laid.convert("RGB")
    if item.darken:
        below = image.crop((x, y, x + size[0], y + size[1]))
        over = ImageChops.darker(over, below)
    image.paste(over, (x, y), mask)


def _paint_polyline(item: Polyline, image: Image.Image, scale: float) -> None:
    points = [(x * scale, y * scale) for x, y in item.points]
    if len(points) < 2:
        return
    edge = math.ceil(item.width * scale) + 2
    left = max(math.floor(min(x for x, _ in points)) - edge, -edge)
    top = max(math.floor(min(y for _, y in points)) - edge, -edge)
    right = min(math.ceil(max(x for x, _ in points)) + edge, image.width + edge)
    bottom = min(math.ceil(max(y for _, y in points)) + edge, image.height + edge)
    if right <= left or bottom <= top:
        return
    size = ((right - left) * FINE, (bottom - top) * FINE)
    fine = [((x - left) * FINE, (y - top) * FINE) for x, y in points]
    if item.fill[3] and len(points) > 2:
        mask = Image.new("L", size, 0)
        ImageDraw.Draw(mask).polygon(fine, fill=255)
        _lay(image, mask.reduce(FINE), item.fill, left, top)
    if item.color[3]:
        closed = [*fine, fine[0]] if item.fill[3] else fine
        mask = Image.new("L", size, 0)
        draw = ImageDraw.Draw(mask)
        wide = max(round(item.width * scale * FINE), 1)
        for piece in _dashes(closed, scale * FINE) if item.dashed else (closed,):
            draw.line(piece, fill=255, width=wide, joint="curve")
        _lay(image, mask.reduce(FINE), item.color, left, top)


def _dashes(points: list[tuple[float, float]], unit: float) -> Iterator[list[tuple[float, float]]]:
    """The dashes of a polyline: its pieces between the gaps of the pattern."""
    rest, drawing = DASH * unit, True
    piece = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        length, done = math.hypot(x1 - x0, y1 - y0), 0.0
        while length - done > rest:
            done += rest
            at = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length)
            if drawing:
                yield [*piece, at]
            drawing = not drawing
            piece, rest = [at], (DASH if drawing else GAP) * unit
        rest -= length - done
        piece.append((x1, y1))
    if drawing and len(piece) > 1:
        yield piece


def _lay(image: Image.Image, mask: Image.Image, color: Color, left: int, top: int) -> None:
    """Blend `color` into `image`, by the opacities in `mask`."""
    if color[3] < 255:
        mask = mask.point(lambda value: value * color[3] / 255)
    image.paste(color[:3], (left, top, left + mask.width, top + mask.height), mask)


def _pieces(text: str, size: float, bold: bool) -> list[Piece]:
    """The pieces of a text from left to right, each in one font.

    The font shapes its letters unless they are shaped already.
    """
    shown = one_line(text)
    engine = ImageFont.Layout.BASIC if fonts.runs_to_the_left(shown) else None
    pieces = fonts.runs(fonts.visual(shown), font_files()[bold], fonts.fallbacks, _has)
    drawn = ((_font(file, size, engine), letters) for file, letters in pieces)
    return [(font, letters, float(font.getlength(letters))) for font, letters in drawn]


@cache
def _has(file: str, letter: str) -> bool:
    """Whether a font draws a letter differently from a letter that does not exist."""
    font = _font(file, 20.0)
    nothing, drawn = font.getmask("\U0010ffff"), font.getmask(letter)
    return drawn.size != nothing.size or bytes(drawn) != bytes(nothing)


@lru_cache(maxsize=64)
def _font(file: str, size: float, engine: ImageFont.Layout | None = None) -> ImageFont.FreeTypeFont:
    """The font in `file`; empty = Pillow's own."""
    if file:
        return ImageFont.truetype(file, max(size, 1.0), layout_engine=engine)
    font = ImageFont.load_default(max(size, 1.0))
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow returns this type if a size is given
    return font


@cache
def font_files() -> tuple[str, str]:
    """Paths of a regular and a bold font: the system's, else the ones that come with matplotlib; empty = none."""
    for regular, bold in _FONTS.get(sys.platform, ()):
        if Path(regular).is_file() and Path(bold).is_file():
            return regular, bold
    matplotlib = find_spec("matplotlib")  # looks for the package without importing it
    if matplotlib is not None and matplotlib.origin is not None:
        folder = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
        if (folder / "DejaVuSans.ttf").is_file():
            return str(folder / "DejaVuSans.ttf"), str(folder / "DejaVuSans-Bold.ttf")
    return "", ""
