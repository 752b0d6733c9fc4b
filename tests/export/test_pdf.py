"""PDF, looked into (issue 4, point 10)."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from base64 import a85decode
from pathlib import Path

import pytest

from cbvtool.export.pdf import GRADIENT, pdf
from cbvtool.geometry.flat import flat
from tests.export.drawings import hostile
from tests.geometry.scenes import scene_of, shop


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
