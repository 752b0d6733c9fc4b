"""Text in the fonts that a PDF holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from cbvtool.export import fonts

LEAD = "cbvtool-fallback-"  # prefix of the names of further fonts, for letters that the usual ones lack


def runs(text: str, font: str) -> Iterator[tuple[str, str]]:
    """(name of a font, letters that it draws), from left to right: `font` for the letters that it has.

    A letter that no font has stays with `font`, which draws a box; copying the text still gives the letter.
    """
    return fonts.runs(text, font, _fallbacks, _has)


def _has(font: str, letter: str) -> bool:
    from reportlab.pdfbase import pdfmetrics

    face: Any = pdfmetrics.getFont(font).face
    return bool(face.charToGlyph.get(ord(letter), 0))


@cache
def _fallbacks() -> tuple[str, ...]:
    """The names of the system's fonts that may have more letters; the fonts are read once."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFError, TTFont

    names = []
    for number, file in enumerate(fonts.fallbacks()):
        try:
            pdfmetrics.registerFont(TTFont(f"{LEAD}{number}", file))
        except TTFError:  # its outlines cannot be embedded
            continue
        names.append(f"{LEAD}{number}")
    return tuple(names)
