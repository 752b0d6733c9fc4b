"""Text in the fonts of this system: letters in visual order, each in a font that has it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

# Fonts with more than Latin letters; the last ones have outlines that a PDF cannot hold.
_FALLBACKS: dict[str, tuple[str, ...]] = {
    "linux": tuple(
        f"/usr/share/fonts/{name}"
        for name in (
            "truetype/dejavu/DejaVuSans.ttf",
            "TTF/DejaVuSans.ttf",
            "dejavu-sans-fonts/DejaVuSans.ttf",
            "truetype/noto/NotoSansHebrew-Regular.ttf",
            "truetype/noto/NotoSansArabic-Regular.ttf",
            "truetype/droid/DroidSansFallbackFull.ttf",
            "google-droid-sans-fonts/DroidSansFallbackFull.ttf",
            "truetype/wqy/wqy-microhei.ttc",
            "truetype/wqy/wqy-zenhei.ttc",
            "opentype/ipafont-gothic/ipag.ttf",
            "truetype/nanum/NanumGothic.ttf",
            "truetype/noto/NotoSansSymbols2-Regular.ttf",
            "truetype/noto/NotoSansThai-Regular.ttf",
            "truetype/noto/NotoSansDevanagari-Regular.ttf",
            "truetype/ancient-scripts/Symbola_hint.ttf",
            "truetype/unifont/unifont.ttf",
            "opentype/noto/NotoSansCJK-Regular.ttc",
            "google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
            "noto-cjk/NotoSansCJK-Regular.ttc",
        )
    ),
    "darwin": (
        "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
        "/Library/Fonts/Arial Unicode.ttf",
        "/System/Library/Fonts/Apple Symbols.ttf",
    ),
    "win32": tuple(
        f"C:/Windows/Fonts/{name}"
        for name in (
            "arial.ttf",
            "msyh.ttc",
            "msgothic.ttc",
            "malgun.ttf",
            "nirmala.ttf",
            "seguisym.ttf",
            "seguiemj.ttf",
        )
    ),
}


@cache
def fallbacks() -> tuple[str, ...]:
    """Font files of this system that may have letters missing in the usual fonts, in the order in which to try them."""
    return tuple(file for file in _FALLBACKS.get(sys.platform, ()) if Path(file).is_file())


def runs_to_the_left(text: str) -> bool:
    """Whether the text has a letter of a script written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)


def visual(text: str) -> str:
    """The letters in visual order, in a line that runs from left to right; Arabic letters are joined."""
    if not runs_to_the_left(text):
        return text
    from arabic_reshaper import ArabicReshaper
    from bidi import get_display

    joined = ArabicReshaper({"delete_harakat": False}).reshape(text)
    return str(get_display(joined, base_dir="L"))


def runs(
    text: str, font: str, others: Callable[[], Iterable[str]], has: Callable[[str, str], bool]
) -> Iterator[tuple[str, str]]:
    """(font, letters that it draws), from left to right: `font` for letters that it has, else the first that has one.

    others   further fonts for missing letters
    has      whether a font has a letter

    A letter that no font has stays with `font`, which draws a box.
    """
    if text.isascii():
        yield font, text
        return
    piece, drawn_by = "", font
    for letter in text:
        name = font if has(font, letter) else next((one for one in others() if has(one, letter)), font)
        if name != drawn_by and piece:
            yield drawn_by, piece
            piece = ""
        piece, drawn_by = piece + letter, name
    yield drawn_by, piece
