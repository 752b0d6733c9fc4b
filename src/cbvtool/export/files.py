"""The formats of exported pictures by suffix, and writing those that need no screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cbvtool.errors import InputError
from cbvtool.export.html import html
from cbvtool.export.pdf import Fonts, pdf
from cbvtool.export.size import Size
from cbvtool.export.svg import svg
from cbvtool.formats.atomic import replacing
from cbvtool.formats.replaceable import Sort
from cbvtool.geometry.overlay.flat import flat
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.scene.scene import Scene
from cbvtool.progress import checkpoint

SORTS: dict[str, Sort] = {".png": "PNG picture", ".svg": "SVG picture", ".pdf": "PDF picture", ".html": "HTML page"}


def write_drawing(
    scene: Scene,
    path: Path,
    *,
    title: str = "",
    commit: str = "",
    legends: bool = True,
    measure: Measure = rough_width,
    fonts: Fonts = ("", ""),
    pixels: Size | None = None,
    **flat_options: Any,
) -> None:
    """Write the flat view as SVG or PDF, or the scene as a page of HTML; the suffix of `path` decides.

    fonts         for PDF
    pixels        display size of SVG and PDF; None = the size of the drawing
    flat_options  see `flat`; ignored for HTML, whose picture fills the browser window

    The file appears whole or not at all. Raises InputError when it cannot be written, or for another suffix.
    """
    suffix = path.suffix.lower()
    if suffix == ".html":
        text = html(scene, title=title, commit=commit, legends=legends, measure=measure)
    elif suffix in (".svg", ".pdf"):
        drawing = flat(scene, title=title, commit=commit, legends=legends, measure=measure, **flat_options)
        text = svg(drawing, pixels) if suffix == ".svg" else pdf(drawing, fonts, pixels)
    else:
        raise InputError(f"{path} ends in none of .svg, .pdf and .html.")
    checkpoint()  # nothing is half written yet
    with replacing(path) as file:
        file.write(text)
