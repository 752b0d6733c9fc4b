"""PDF, looked into."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from base64 import a85decode
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

import cbvtool.export.fonts
import cbvtool.export.pdf_text
from cbvtool.export.fonts import visual
from cbvtool.export.pdf import GRADIENT, pdf
from cbvtool.export.pdf_text import runs
from cbvtool.geometry.overlay.flat import flat
from cbvtool.geometry.picture import Image
from cbvtool.graph import Graph, GraphBuilder
from tests.export.drawings import hostile
from tests.geometry.scenes import scene_of, shop

HEBREW, ARABIC, CHINESE = "שלום.py", "سلام.py", "日本語.py"
DEJAVU = str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")  # has Hebrew and Arabic


def named(*names: str) -> Graph:
    """A file of each name."""
    builder = GraphBuilder("names")
    for name in names:
        builder.add_node(name, "", name, "file", file=name, line=1, values={"sloc": 100.0, "complexity": 1.0})
    return builder.freeze()


def page_of(file: bytes) -> str:
    """The operators of the page."""
    pattern = rb"/Filter \[ /ASCII85Decode /FlateDecode \].*?stream\r?\n(.*?)endstream"
    packed = [found[1].strip().removesuffix(b"~>") for found in re.finditer(pattern, file, re.DOTALL)]
    streams = [zlib.decompress(a85decode(text)) for text in packed]
    [page] = [stream for stream in streams if b" sh" in stream or b" re" in stream]
    return page.decode("latin-1")


def test_one_page_with_everything_on_it() -> None:
    """A point for each pixel; every sector is filled, every relation cut out of the gradient, names are text."""
    scene = scene_of(shop())
    drawing = flat(scene, size=(1200, 800), title="Shop", commit="1a2b3c")
    file = pdf(drawing)
    assert file.startswith(b"%PDF-")
    assert b"/MediaBox [ 0 0 1200 800 ]" in file
    assert b"(Shop)" in file
    assert b"1a2b3c" in file
    page = page_of(file)
    assert page.count(f"/{GRADIENT} sh") == len(scene.curves) + 1  # the first one gives it its name
    assert f"/{GRADIENT}".encode() in file.split(b"/Shading", 1)[1]
    assert page.count(" Tj") >= sum(1 for item in drawing.words.items if getattr(item, "text", ""))
    assert len(re.findall(r"h\s+f\*", page)) >= len(drawing.sectors.item)


def test_a_page_of_another_size_is_the_same_drawing() -> None:
    """It is drawn by another scale, on a page of that many points."""
    drawing = flat(scene_of(shop()), size=(1200, 800))
    half = pdf(drawing, pixels=(600, 400))
    assert b"/MediaBox [ 0 0 600 400 ]" in half
    assert "\n.5 0 0 -0.5 0 400 cm" in page_of(half)
    assert page_of(half).count(" Tj") == page_of(pdf(drawing)).count(" Tj")


def test_the_same_bytes_twice() -> None:
    assert pdf(flat(scene_of(shop()))) == pdf(flat(scene_of(shop())))


def test_hostile_names_are_text() -> None:
    """Brackets and operators in names end no text; the file is whole."""
    file = pdf(flat(scene_of(hostile()), title="(Tj) \\) endstream"))
    assert file.rstrip().endswith(b"%%EOF")
    assert page_of(file).count("/Sh0 sh") > 1


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_another_program_reads_it(tmp_path: Path) -> None:
    """Without a complaint, and with the names as text."""
    (tmp_path / "shop.pdf").write_bytes(pdf(flat(scene_of(shop()), title="Shop & Söhne")))
    done = subprocess.run(["pdftotext", tmp_path / "shop.pdf", "-"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "Shop & Söhne" in done.stdout
    assert "Relations" in done.stdout


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain.py", "plain.py"),
        ("Ünïcödé.py", "Ünïcödé.py"),
        (CHINESE, CHINESE),
        (HEBREW, "םולש.py"),  # the ending stays to the right, as in a browser
        ("core > " + HEBREW, "core > םולש.py"),
        ("אב12", "12בא"),  # figures run from left to right
        ("a(אב)", "a(בא)"),
        (ARABIC, "\ufee1\ufefc\ufeb3.py"),  # joined: meem alone, lam-alef at its end, seen at its beginning
    ],
)
def test_letters_stand_as_they_are_seen(text: str, seen: str) -> None:
    """Unicode's order for lines that mix directions, worked out by hand."""
    assert visual(text) == seen


def test_each_letter_is_drawn_by_a_font_that_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual font as far as it goes, then another one; what none has stays with the usual one."""
    no_outlines = str(tmp_path / "bitmaps.ttf")
    Path(no_outlines).write_bytes(b"no font that a PDF can hold")
    usual = "usual"  # a name of its own: reportlab keeps the first font of a name, and another test has given it one
    pdfmetrics.registerFont(TTFont(usual, "Vera.ttf"))  # the font of reportlab, without Hebrew
    monkeypatch.setattr(cbvtool.export.fonts, "fallbacks", lambda: (no_outlines, DEJAVU))
    monkeypatch.setattr(cbvtool.export.pdf_text, "LEAD", "another-")
    cbvtool.export.pdf_text._fallbacks.cache_clear()
    try:
        assert list(runs("a.py", usual)) == [(usual, "a.py")]
        assert list(runs("aאב.py", usual)) == [(usual, "a"), ("another-1", "אב"), (usual, ".py")]
        assert list(runs("é\U000f0000", usual)) == [(usual, "é\U000f0000")]
        assert list(runs("", usual)) == [(usual, "")]
    finally:
        cbvtool.export.pdf_text._fallbacks.cache_clear()


def test_every_font_lies_in_the_file() -> None:
    """None is left to the reader's machine, not even one that nothing is written in."""
    file = pdf(flat(scene_of(named(HEBREW, ARABIC, CHINESE))), (DEJAVU, DEJAVU))
    fonts = re.findall(rb"/BaseFont /([\w+-]+)", file)
    assert fonts
    assert all(re.match(rb"[A-Z]{6}\+", font) for font in fonts)  # the letters of a part of it
    assert file.count(b"/FontFile2") == len(fonts)


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_another_program_reads_names_that_run_to_the_left(tmp_path: Path) -> None:
    """In the order in which they are spoken, whatever the one in which they are drawn."""
    (tmp_path / "names.pdf").write_bytes(pdf(flat(scene_of(shop()), title="שלום"), (DEJAVU, DEJAVU)))
    done = subprocess.run(["pdftotext", tmp_path / "names.pdf", "-"], capture_output=True, text=True, check=True)
    assert "שלום" in done.stdout


def test_images_lie_where_they_should_be_and_upright() -> None:
    """The y of the page points down by its matrix; an image stands upright where y points up."""
    drawing = flat(scene_of(shop()))
    pixels = np.array([[[255, 0, 0, 255]], [[0, 0, 255, 128]]], np.uint8)
    images = (Image(10, 20, 40, 60, pixels), Image(0, 0, 9, 9, pixels[:0]))
    file = pdf(replace(drawing, words=replace(drawing.words, items=images)))
    page = page_of(file)
    place = re.search(r"1 0 0 -1 10 80 cm\s+q\s+40 0 0 60 0 0 cm\s+/\S+ Do", page)
    assert place is not None
    assert page.count(" Do") == 1
    assert b"/SMask" in file  # its alpha
    assert pdf(replace(drawing, words=replace(drawing.words, items=images))) == file
