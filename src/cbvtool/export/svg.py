"""The flat view as SVG 1.1, which older programs open, too; names are always written as text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from io import BytesIO
from math import cos, pi, sin

import numpy as np
import numpy.typing as npt

from cbvtool.export.size import Size
from cbvtool.geometry.overlay.flat import Flat, Sectors, Tapers
from cbvtool.geometry.picture import Color, Image, Item, Picture, Polyline, Rect, Text, unmultiplied
from cbvtool.progress import stopping
from cbvtool.words import one_line

FONTS = "Inter, 'Noto Sans', 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"
HALO_WIDTH = 3.0  # px
DROP = 0.35  # distance from the middle of letters to their baseline, as a share of the font size


def svg(drawing: Flat, pixels: Size | None = None) -> bytes:
    """The file. Equal drawings give equal bytes. Cancelling its job stops it (`checkpoint`).

    pixels   display size; None = the size of the drawing
    """
    return "\n".join(_lines(drawing, pixels or (drawing.width, drawing.height))).encode("utf-8") + b"\n"


def svg_items(items: tuple[Item, ...]) -> Iterator[str]:
    """One element for each item of a picture."""
    for item in stopping(items):
        if isinstance(item, Text):
            yield _text(item)
        elif isinstance(item, Rect):
            yield _rect(item)
        elif isinstance(item, Image):
            yield _image(item)
        else:
            yield _polyline(item)


def svg_picture(picture: Picture, ground: Color, title: str) -> bytes:
    """A single picture as a file. Equal pictures give equal bytes."""
    size = f'width="{picture.width}" height="{picture.height}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'{size} viewBox="0 0 {picture.width} {picture.height}">',
        f"<title>{_words(title)}</title>",
        f'<rect {size}{_paint("fill", ground)}/><g font-family="{FONTS}">',
        *svg_items(picture.items),
        "</g></svg>",
    ]
    return "\n".join(lines).encode("utf-8") + b"\n"


def _lines(drawing: Flat, pixels: Size) -> Iterator[str]:
    width, height, (x, y) = drawing.width, drawing.height, drawing.center
    subject, commit = _words(drawing.subject), _words(drawing.commit)
    about = f"Circular bundle view of {subject}" + (f" at commit {commit}" if commit else "")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{pixels[0]}" height="{pixels[1]}" viewBox="0 0 {width} {height}">'
    )
    yield f"<title>{subject}</title>"
    yield f"<desc>{about}. {_words(drawing.note)}</desc>" if drawing.note else f"<desc>{about}.</desc>"
    yield '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    yield (
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about=""><dc:title>{subject}</dc:title>'
        f"<dc:identifier>{commit}</dc:identifier><dc:format>image/svg+xml</dc:format>"
        "<dc:publisher>cbvtool</dc:publisher></rdf:Description></rdf:RDF></metadata>"
    )
    if drawing.ground is not None:
        yield f'<rect width="{width}" height="{height}"{_paint("fill", drawing.ground)}/>'
    yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(drawing.disc_radius)}"{_paint("fill", drawing.disc)}/>'
    yield '<g id="segments">'
    for row in stopping(range(len(drawing.sectors.item))):
        item = int(drawing.sectors.item[row])
        said = "\n".join(_words(line) for line in drawing.facts.lines(item))
        paint = _paint("fill", _color(drawing.sectors.color[row]))
        yield f'<path d="{_sector(drawing.sectors, row, x, y)}"{paint}><title>{said}</title></path>'
    yield "</g>"
    if len(drawing.tapers):
        yield from _tapers(drawing.tapers)
    yield f'<g id="words" font-family="{FONTS}">'
    yield from svg_items(drawing.words.items)
    yield "</g>"
    yield "</svg>"


def _sector(sectors: Sectors, row: int, x: float, y: float) -> str:
    """A sector of a ring, as arcs of less than half a turn."""
    a0, a1, r0, r1 = (float(column[row]) for column in (sectors.a0, sectors.a1, sectors.r0, sectors.r1))
    middle = (a0 + a1) / 2

    def at(angle: float, radius: float) -> str:
        return f"{_n(x + radius * sin(angle), 3)} {_n(y - radius * cos(angle), 3)}"

    def arc(radius: float, way: int, *angles: float) -> str:
        return "".join(f"A{_n(radius, 3)} {_n(radius, 3)} 0 0 {way} {at(angle, radius)}" for angle in angles)

    out = (middle, a1) if a1 - a0 > pi / 2 else (a1,)
    back = (middle, a0) if a1 - a0 > pi / 2 else (a0,)
    return f"M{at(a0, r1)}{arc(r1, 1, *out)}L{at(a1, r0)}{arc(r0, 0, *back)}Z"


def _tapers(tapers: Tapers) -> Iterator[str]:
    """Every relation, in a coordinate frame with its ends at (0, 0) and (1, 0), so that all share one gradient."""
    last = len(tapers.stops) - 1
    yield '<defs><linearGradient id="relation" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="1" y2="0">'
    for number, color in enumerate(tapers.stops):
        yield f'<stop offset="{_n(number / last, 4)}" stop-color="{_hex(color)}"/>'
    yield "</linearGradient></defs>"
    usual = _n(float(np.median(tapers.opacity)), 3)
    yield f'<g id="relations" fill="url(#relation)" fill-opacity="{usual}">'
    frame, outlines = frames(tapers)
    digits = np.ceil(np.log10(np.maximum(unit_pixels(frame), 1.0))).astype(int) + 2  # hundredths of a pixel
    for row in stopping(range(len(tapers))):
        d = path(np.round(outlines[row], int(digits[row])).tolist())
        own = _n(float(tapers.opacity[row]), 3)
        opacity = "" if own == usual else f' fill-opacity="{own}"'
        yield f'<path transform="matrix({" ".join(_n(v, 3) for v in frame[row].tolist())})" d="{d}"{opacity}/>'
    yield "</g>"


def frames(tapers: Tapers) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(float64[c, 6], float64[c, 2 k, 2]): the matrix a b c d e f of each relation, which maps (0, 0) and (1, 0) to its
    ends, and its outline in that frame: k control points from dependant to dependency, and k back on the other side.
    """
    axis = tapers.axis
    along = np.round(axis[:, 1] - axis[:, 0], 3)
    start = np.round(axis[:, 0], 3)
    turn = np.stack((along[:, 0], along[:, 1], -along[:, 1], along[:, 0], start[:, 0], start[:, 1]), axis=1)
    outline = np.concatenate((tapers.left, tapers.right[:, ::-1]), axis=1) - start[:, None]
    square = (along**2).sum(axis=1)[:, None]
    x = (outline * along[:, None]).sum(axis=2) / square
    y = (outline[:, :, 1] * along[:, :1] - outline[:, :, 0] * along[:, 1:]) / square
    return turn, np.stack((x, y), axis=2)


def unit_pixels(frame: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[c]: length in pixels of a unit in each frame."""
    return np.asarray(np.hypot(frame[:, 0], frame[:, 1]))


def path(outline: list[list[float]]) -> str:
    """A closed path through the control points of an outline, whose second half runs back."""
    half = len(outline) // 2
    words = [f"{_n(x, 6)} {_n(y, 6)}" for x, y in outline]
    return f"M{words[0]}C{' '.join(words[1:half])}L{words[half]}C{' '.join(words[half + 1 :])}Z"


def _text(item: Text) -> str:
    anchor = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}[item.anchor]
    turn = f' transform="rotate({_n(item.angle)} {_n(item.x)} {_n(item.y)})"' if item.angle % 360 else ""
    bold = ' font-weight="bold"' if item.bold else ""
    place = f'x="{_n(item.x)}" y="{_n(item.y + DROP * item.size)}" font-size="{_n(item.size)}"{anchor}{bold}{turn}'
    letters = f"<text {place}{_paint('fill', item.color)}>{_words(item.text)}</text>"
    if item.halo is None or not item.halo[3]:
        return letters
    halo = f' fill="none"{_paint("stroke", item.halo)} stroke-width="{_n(HALO_WIDTH)}" stroke-linejoin="round"'
    return f'<text {place}{halo} aria-hidden="true">{_words(item.text)}</text>{letters}'


def _rect(item: Rect) -> str:
    box = f'x="{_n(item.x)}" y="{_n(item.y)}" width="{_n(item.width)}" height="{_n(item.height)}"'
    radius = f' rx="{_n(item.radius)}"' if item.radius else ""
    if all(value == int(value) for value in (item.x, item.y, item.width, item.height)):
        radius += ' shape-rendering="crispEdges"'  # pieces of a bar must touch without a gap
    outline = _paint("stroke", item.outline) if item.outline[3] else ""
    return f"<rect {box}{radius}{_paint('fill', item.fill)}{outline}/>"


def _image(item: Image) -> str:
    from PIL import Image as Pillow

    if not item.pixels.size:
        return ""
    file = BytesIO()
    Pillow.fromarray(unmultiplied(item.pixels), "RGBA").save(file, "PNG")
    box = f'x="{_n(item.x, 3)}" y="{_n(item.y, 3)}" width="{_n(item.width, 3)}" height="{_n(item.height, 3)}"'
    look = ' style="image-rendering:pixelated' + (";mix-blend-mode:darken" if item.darken else "") + '"'
    data = b64encode(file.getvalue()).decode("ascii")
    return f'<image {box} preserveAspectRatio="none"{look} xlink:href="data:image/png;base64,{data}"/>'


def _polyline(item: Polyline) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in item.points)
    stroke = f'{_paint("stroke", item.color)} stroke-width="{_n(item.width)}"' if item.color[3] else ""
    dashes = ' stroke-dasharray="6 4"' if item.dashed else ""
    name = "polygon" if item.fill[3] else "polyline"
    return f'<{name} points="{points}"{_paint("fill", item.fill)}{stroke}{dashes}/>'


def _paint(what: str, color: Color) -> str:
    if not color[3]:
        return f' {what}="none"'
    opacity = "" if color[3] == 255 else f' {what}-opacity="{_n(color[3] / 255, 3)}"'
    return f' {what}="{_hex(color)}"{opacity}'


def _hex(color: Color) -> str:
    return "#" + bytes(color[:3]).hex()


def _color(color: npt.NDArray[np.uint8]) -> Color:
    red, green, blue, alpha = color.tolist()
    return red, green, blue, alpha


def _words(text: str) -> str:
    return escape(one_line(text))


def _n(value: float, digits: int = 2) -> str:
    """A number in as few characters as possible."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return "0" if text == "-0" else text
