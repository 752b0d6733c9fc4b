"""Text as a PDF has to spell it: letters from left to right as they are seen, and each in a font that has it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

LEAD = "cbvtool-fallback-"  # names of the fonts that are asked for what the usual ones lack

# Fonts with TrueType outlines, which is what can be put into the file, by what they have beyond Latin letters.
_FALLBACKS: dict[str, tuple[str, ...]] = {
    "linux": tuple(
        f"/usr/share/fonts/{name}"
        for name in (
            "truetype/dejavu/DejaVuSans.ttf", "TTF/DejaVuSans.ttf", "dejavu-sans-fonts/DejaVuSans.ttf",
            "truetype/noto/NotoSansHebrew-Regular.ttf", "truetype/noto/NotoSansArabic-Regular.ttf",
            "truetype/droid/DroidSansFallbackFull.ttf", "google-droid-sans-fonts/DroidSansFallbackFull.ttf",
            "truetype/wqy/wqy-microhei.ttc", "truetype/wqy/wqy-zenhei.ttc", "opentype/ipafont-gothic/ipag.ttf",
            "truetype/nanum/NanumGothic.ttf", "truetype/noto/NotoSansSymbols2-Regular.ttf",
            "truetype/ancient-scripts/Symbola_hint.ttf", "truetype/unifont/unifont.ttf",
        )
    ),
    "darwin": (
        "/System/Library/Fonts/Supplemental/Arial Unicode.ttf", "/Library/Fonts/Arial Unicode.ttf",
        "/System/Library/Fonts/Apple Symbols.ttf",
    ),
    "win32": tuple(
        f"C:/Windows/Fonts/{name}"
        for name in ("arial.ttf", "msyh.ttc", "msgothic.ttc", "malgun.ttf", "seguisym.ttf", "seguiemj.ttf")
    ),
}  # fmt: skip


def visual(text: str) -> str:
    """The letters in the order in which they are seen, in a line that runs from left to right; Arabic ones joined."""
    if text.isascii() or not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text):
        return text
    from arabic_reshaper import ArabicReshaper
    from bidi import get_display

    joined = ArabicReshaper({"delete_harakat": False}).reshape(text)
    return str(get_display(joined, base_dir="L"))


def runs(text: str, font: str) -> Iterator[tuple[str, str]]:
    """(name of a font, the letters that it draws), from left to right: `font` as far as it goes.

    A letter that no font has stays with `font`, which draws a box; whoever copies it gets the letter.
    """
    if text.isascii():
        yield font, text
        return
    piece, drawn_by = "", font
    for letter in text:
        name = font if _has(font, letter) else next((one for one in _fallbacks() if _has(one, letter)), font)
        if name != drawn_by and piece:
            yield drawn_by, piece
            piece = ""
        piece, drawn_by = piece + letter, name
    yield drawn_by, piece


def _has(font: str, letter: str) -> bool:
    from reportlab.pdfbase import pdfmetrics

    face: Any = pdfmetrics.getFont(font).face
    return bool(face.charToGlyph.get(ord(letter), 0))


@cache
def _fallbacks() -> tuple[str, ...]:
    """The names of the fonts of this system that may have more letters; the fonts are read once."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFError, TTFont

    names = []
    for number, file in enumerate(_FALLBACKS.get(sys.platform, ())):
        if Path(file).is_file():
            try:
                pdfmetrics.registerFont(TTFont(f"{LEAD}{number}", file))
            except TTFError:  # one that cannot be put into a file
                continue
            names.append(f"{LEAD}{number}")
    return tuple(names)
