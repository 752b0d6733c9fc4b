"""SVG, read again with another program's eyes."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO
from math import atan2, hypot, tau
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image as Pillow

from cbvtool.export.svg import svg, svg_picture
from cbvtool.geometry.overlay.flat import Flat, flat
from cbvtool.geometry.picture import Image, Picture, Text
from tests.export.drawings import HOSTILE, hostile
from tests.geometry.scenes import random_scene, scene_of, shop

NS = "{http://www.w3.org/2000/svg}"


def read(drawing: Flat) -> ElementTree.Element:
    return ElementTree.fromstring(svg(drawing))


def group(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    found = root.find(f"{NS}g[@id='{name}']")
    return [] if found is None else list(found)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)]


def test_angles_are_those_of_the_layout() -> None:
    """Corners of every sector, read from the file: angles within 0.01 degrees where the radius allows, radii in px."""
    scene = random_scene()
    drawing = flat(scene)
    paths = [element.get("d", "") for element in group(read(drawing), "segments")]
    assert len(paths) == len(scene.tree) - 1
    for item, path in zip(drawing.sectors.item.tolist(), paths, strict=True):
        start = numbers(path[: path.index("A")])
        end = numbers(path[: path.index("L")])[-2:]
        for (x, y), angle in ((start, scene.layout.a0[item]), (end, scene.layout.a1[item])):
            dx, dy = x - drawing.center[0], drawing.center[1] - y
            away = (atan2(dx, dy) - angle + tau / 2) % tau - tau / 2
            assert abs(away) * drawing.radius < 0.002
            assert hypot(dx, dy) == pytest.approx(scene.layout.r1[item] * drawing.radius, abs=0.002)


def test_curves_are_where_the_scene_has_them() -> None:
    """Their ends, through the matrix of each path; one gradient from user to used for all."""
    scene = scene_of(shop())
    drawing = flat(scene)
    root = read(drawing)
    paths = group(root, "relations")
    assert len(paths) == len(scene.curves)
    for row, path in enumerate(paths):
        a, b, c, d, e, f = numbers(path.get("transform", "").partition("(")[2])
        points = np.array(numbers(path.get("d", ""))).reshape(-1, 2)
        points = points @ np.array([[a, b], [c, d]]) + (e, f)
        ends = np.array([points[0] + points[-1], points[len(points) // 2 - 1] + points[len(points) // 2]]) / 2
        expected = scene.curves[row, [0, -1], :2] * (drawing.radius, -drawing.radius) + drawing.center
        np.testing.assert_allclose(ends, expected, atol=0.05)
    stops = [stop.get("stop-color") for stop in root.iter(f"{NS}stop")]
    assert stops[0] == "#0b7a75"
    assert stops[-1] == "#e8751a"


def test_the_same_bytes_twice() -> None:
    assert svg(flat(scene_of(shop()))) == svg(flat(scene_of(shop())))


def test_hostile_names_are_text() -> None:
    """Whatever names hold, the file is well-formed, and has no element or attribute that was not meant."""
    root = read(flat(scene_of(hostile()), title="<b>&hostile</b>\x01", commit='"><script>'))
    names = {element.tag.removeprefix(NS) for element in root.iter() if element.tag.startswith(NS)}
    assert names <= {
        "svg",
        "title",
        "desc",
        "metadata",
        "rect",
        "circle",
        "g",
        "path",
        "defs",
        "linearGradient",
        "stop",
        "text",
        "polyline",
        "polygon",
    }
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]
    said = "\n".join(element.findtext(f"{NS}title", "") for element in group(root, "segments"))
    for name in HOSTILE:
        if name.isprintable():
            assert name in said
    assert "\\u202egnp.exe" in said
    assert "\\ud800" in said
    assert root.findtext(f"{NS}title") == "<b>&hostile</b>\\x01"
    assert 'commit "><script>' in root.findtext(f"{NS}desc", "")


def test_ground_and_names() -> None:
    """A transparent picture has no ground; names and values can be read in it."""
    with_ground, without = read(flat(scene_of(shop()))), read(flat(scene_of(shop()), transparent=True))
    assert with_ground[3].tag == f"{NS}rect"
    assert not [element for element in without if element.tag == f"{NS}rect"]
    said = group(with_ground, "segments")[0].findtext(f"{NS}title", "")
    assert said.startswith("api\nFolder\n")
    assert "Uses 2 relations" in said


def test_a_lone_segment_is_a_whole_ring() -> None:
    """Half turns, as an arc that ends where it begins is not drawn; no relation, no gradient."""
    scene = scene_of(shop(), depth=0, root=0, hidden=frozenset(range(1, len(shop()))))
    root = read(flat(scene))
    [path] = group(root, "segments")
    assert path.get("d", "").count("A") == 4
    assert not group(root, "relations")


def test_a_picture_alone_holds_its_images() -> None:
    """Pixels come back from the file as they were: their place, colours and alpha."""
    pixels = np.array([[[255, 0, 0, 255], [0, 64, 0, 64]]], np.uint8)
    items = (Image(10, 20, 30, 40, pixels), Image(0, 0, 0, 0, pixels[:0]), Text("<b>&", 5, 6, 7, (0, 0, 0, 255)))
    file = svg_picture(Picture(100, 80, items), (250, 250, 247, 255), "a < b")
    root = ElementTree.fromstring(file)
    [image] = root.iter(f"{NS}image")
    assert [image.get(name) for name in ("x", "y", "width", "height")] == ["10", "20", "30", "40"]
    data = image.get("{http://www.w3.org/1999/xlink}href", "").partition("base64,")[2]
    shown = np.asarray(Pillow.open(BytesIO(b64decode(data))))
    assert shown.tolist() == [[[255, 0, 0, 255], [0, 255, 0, 64]]]
    assert [element.text for element in root.iter(f"{NS}text")] == ["<b>&"]
    assert file == svg_picture(Picture(100, 80, items), (250, 250, 247, 255), "a < b")
