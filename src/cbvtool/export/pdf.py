"""The flat view as one page of PDF. A pixel of the drawing is a point of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from math import ceil, cos, pi, radians, sin, tan
from typing import Any

from cbvtool.export.fonts import visual
from cbvtool.export.pdf_text import runs
from cbvtool.export.size import Size
from cbvtool.export.svg import DROP, HALO_WIDTH, frames
from cbvtool.geometry.overlay.flat import Flat, Sectors, Tapers
from cbvtool.geometry.picture import Color, Image, Item, Picture, Polyline, Rect, Text, unmultiplied
from cbvtool.progress import checkpoint, stopping
from cbvtool.words import one_line

Fonts = tuple[str, str]  # files of a regular and a bold TrueType font; empty = those that reportlab brings along
REGULAR, BOLD = "cbvtool-regular", "cbvtool-bold"
GRADIENT = "Sh0"  # reportlab's name for the first gradient in a file
DASHES = (6, 4)


def pdf(drawing: Flat, fonts: Fonts = ("", ""), pixels: Size | None = None) -> bytes:
    """The file. Equal drawings and fonts give equal bytes. Cancelling its job stops it (`checkpoint`).

    pixels   size of the page, 72 pixels to the inch; None = the size of the drawing
    """
    file = BytesIO()
    wide, tall = pixels or (drawing.width, drawing.height)
    page = _canvas(file, (wide, tall), fonts)
    subject, commit = one_line(drawing.subject), one_line(drawing.commit)
    page.setTitle(subject)
    page.setCreator("cbvtool")
    page.setSubject(f"Circular bundle view of {subject}" + (f" at commit {commit}" if commit else ""))
    page.setKeywords(one_line(drawing.note))
    page.transform(wide / drawing.width, 0, 0, -tall / drawing.height, 0, tall)  # from here on y points down
    if drawing.ground is not None:
        _fill(page, drawing.ground)
        page.rect(0, 0, drawing.width, drawing.height, stroke=0, fill=1)
    _fill(page, drawing.disc)
    page.circle(*drawing.center, drawing.disc_radius, stroke=0, fill=1)
    for row in stopping(range(len(drawing.sectors.item))):
        _sector(page, drawing.sectors, row, *drawing.center)
    if len(drawing.tapers):
        _tapers(page, drawing.tapers)
    _items(page, drawing.words.items)
    checkpoint()
    page.showPage()
    page.save()
    return file.getvalue()


def pdf_pages(pages: Sequence[Picture], title: str, about: str, fonts: Fonts = ("", "")) -> bytes:
    """A file with a page for each picture (at least one); a pixel is a point. Equal pictures give equal bytes.

    about   description in the properties of the file
    """
    file = BytesIO()
    page = _canvas(file, (pages[0].width, pages[0].height), fonts)
    page.setTitle(one_line(title))
    page.setCreator("cbvtool")
    page.setSubject(one_line(about))
    for picture in pages:
        page.setPageSize((picture.width, picture.height))
        page.transform(1, 0, 0, -1, 0, picture.height)
        _items(page, picture.items)
        page.showPage()
    page.save()
    return file.getvalue()


def _canvas(file: BytesIO, size: tuple[float, float], fonts: Fonts) -> Any:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    for name, font, own in zip((REGULAR, BOLD), fonts, ("Vera.ttf", "VeraBd.ttf"), strict=True):
        pdfmetrics.registerFont(TTFont(name, font or own))
    return Canvas(file, pagesize=size, invariant=1, pageCompression=1, initialFontName=REGULAR)


def _items(page: Any, items: Iterable[Item]) -> None:
    for item in stopping(items):
        if isinstance(item, Text):
            _text(page, item)
        elif isinstance(item, Rect):
            _rect(page, item)
        elif isinstance(item, Image):
            _image(page, item)
        else:
            _polyline(page, item)


def _sector(page: Any, sectors: Sectors, row: int, x: float, y: float) -> None:
    a0, a1, r0, r1 = (float(column[row]) for column in (sectors.a0, sectors.a1, sectors.r0, sectors.r1))
    shape = page.beginPath()
    shape.moveTo(x + r1 * sin(a0), y - r1 * cos(a0))
    for points in _arc(x, y, r1, a0, a1):
        shape.curveTo(*points)
    shape.lineTo(x + r0 * sin(a1), y - r0 * cos(a1))
    for points in _arc(x, y, r0, a1, a0):
        shape.curveTo(*points)
    shape.close()
    red, green, blue, alpha = sectors.color[row].tolist()
    _fill(page, (red, green, blue, alpha))
    page.drawPath(shape, stroke=0, fill=1)


def _arc(x: float, y: float, radius: float, begin: float, end: float) -> Iterator[list[float]]:
    """Control points of cubic Beziers along an arc, each at most a quarter of the circle."""
    count = max(ceil(abs(end - begin) / (pi / 2) - 1e-9), 1)
    step = (end - begin) / count
    handle = 4 / 3 * tan(step / 4) * radius
    for number in range(count):
        a, b = begin + number * step, begin + (number + 1) * step
        yield [
            x + radius * sin(a) + handle * cos(a),
            y - radius * cos(a) + handle * sin(a),
            x + radius * sin(b) - handle * cos(b),
            y - radius * cos(b) - handle * sin(b),
            x + radius * sin(b),
            y - radius * cos(b),
        ]


def _tapers(page: Any, tapers: Tapers) -> None:
    """Draw each relation by clipping one gradient from (0, 0) to (1, 0), moved to its ends, to the relation's shape."""
    from reportlab.lib.colors import Color as Ink

    stops = [Ink(*(channel / 255 for channel in color[:3])) for color in tapers.stops]
    page.saveState()
    page.addLiteral("0 0 0 0 re W n")  # an empty clip: the next line only defines the gradient, and paints nothing
    page.linearGradient(0, 0, 1, 0, stops)
    page.restoreState()
    frame, outlines = frames(tapers)
    rows = zip(frame.tolist(), outlines.tolist(), tapers.opacity.tolist(), strict=True)
    for matrix, outline, alpha in stopping(rows):
        page.saveState()
        page.setFillAlpha(round(alpha, 3))
        page.transform(*matrix)
        page.addLiteral(f"{_path(outline)} W n /{GRADIENT} sh")
        page.restoreState()


def _path(outline: list[list[float]]) -> str:
    """A closed path through the control points of an outline, whose second half runs back."""
    half = len(outline) // 2
    words = [f"{x:.5f} {y:.5f}" for x, y in outline]

    def curve(points: list[str]) -> str:
        return " ".join(f"{' '.join(points[k : k + 3])} c" for k in range(0, len(points), 3))

    return f"{words[0]} m {curve(words[1:half])} {words[half]} l {curve(words[half + 1 :])} h"


def _text(page: Any, item: Text) -> None:
    font = BOLD if item.bold else REGULAR
    pieces = [
        (name, text, page.stringWidth(text, name, item.size)) for name, text in runs(visual(one_line(item.text)), font)
    ]
    wide = sum(width for _, _, width in pieces)
    left = {"left": 0.0, "center": -wide / 2, "right": -wide}[item.anchor]
    page.saveState()
    turn = radians(item.angle)
    page.transform(cos(turn), sin(turn), sin(turn), -cos(turn), item.x, item.y)
    if item.halo is not None and item.halo[3]:
        _stroke(page, item.halo, HALO_WIDTH)
        page.setLineJoin(1)
        _draw(page, pieces, left, item.size, 1)
    _fill(page, item.color)
    _draw(page, pieces, left, item.size, 0)
    page.restoreState()


def _draw(page: Any, pieces: list[tuple[str, str, float]], left: float, size: float, mode: int) -> None:
    """Draw pieces of a text, each with its font and width, one after the other. mode: 0 = filled, 1 = outlined"""
    for font, text, width in pieces:
        page.setFont(font, size)
        page.drawString(left, -DROP * size, text, mode=mode)
        left += width


def _rect(page: Any, item: Rect) -> None:
    _fill(page, item.fill)
    _stroke(page, item.outline, 1.0)
    page.roundRect(
        item.x, item.y, item.width, item.height, item.radius, stroke=bool(item.outline[3]), fill=bool(item.fill[3])
    )


def _image(page: Any, item: Image) -> None:
    from PIL import Image as Pillow
    from reportlab.lib.utils import ImageReader

    if not item.pixels.size:
        return
    drawn = ImageReader(Pillow.fromarray(unmultiplied(item.pixels), "RGBA"))
    page.saveState()
    if item.darken:
        page.setBlendMode("Darken")
    page.transform(1, 0, 0, -1, item.x, item.y + item.height)  # images are upright if y points up
    page.drawImage(drawn, 0, 0, item.width, item.height, mask="auto")
    page.restoreState()


def _polyline(page: Any, item: Polyline) -> None:
    shape = page.beginPath()
    for number, (x, y) in enumerate(item.points):
        (shape.lineTo if number else shape.moveTo)(x, y)
    if item.fill[3]:
        shape.close()
    _fill(page, item.fill)
    _stroke(page, item.color, item.width)
    page.setDash(*([list(DASHES)] if item.dashed else []))
    page.drawPath(shape, stroke=bool(item.color[3]), fill=bool(item.fill[3]))
    page.setDash()


def _fill(page: Any, color: Color) -> None:
    page.setFillColorRGB(*(channel / 255 for channel in color[:3]), alpha=color[3] / 255)


def _stroke(page: Any, color: Color, width: float) -> None:
    page.setStrokeColorRGB(*(channel / 255 for channel in color[:3]), alpha=color[3] / 255)
    page.setLineWidth(width)
