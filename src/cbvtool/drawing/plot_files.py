"""A finished plot as a PNG or SVG file, without a window."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from cbvtool.drawing.pillow_painter import paint
from cbvtool.errors import InputError
from cbvtool.export.svg import svg_picture
from cbvtool.formats.atomic import replacing
from cbvtool.geometry.picture import Color, Picture

SUFFIXES = (".png", ".svg")


def picture_bytes(picture: Picture, suffix: str, ground: Color, scale: float = 1.0, title: str = "") -> bytes:
    """The bytes of a file with a picture. Equal pictures give equal bytes.

    suffix   ".png" or ".svg"; ground: colour of the background; scale: pixels of a PNG for each logical pixel
    Raises InputError for another suffix.
    """
    if suffix == ".svg":
        return svg_picture(picture, ground, title)
    if suffix != ".png":
        raise InputError(f"A plot is written as .png or .svg, not as {suffix or 'a file without a suffix'}.")
    size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
    file = BytesIO()
    paint(picture, Image.new("RGB", size, ground[:3]), scale).save(file, "PNG")
    return file.getvalue()


def write_picture(picture: Picture, path: Path, ground: Color, scale: float = 1.0, title: str = "") -> None:
    """Write `picture_bytes`; the file appears whole or not at all. Raises InputError when it cannot be written."""
    written = picture_bytes(picture, path.suffix.lower(), ground, scale, title)
    with replacing(path) as file:
        file.write(written)
