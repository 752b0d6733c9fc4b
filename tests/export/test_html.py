"""The page for a browser: what it holds, what it may not do, and its own functions, run by Node."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import cbvtool.export
from cbvtool.export.html import SAMPLES, html
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay.furniture import tooltip_lines
from cbvtool.geometry.picking.pick import pick_item
from cbvtool.geometry.scene.scene import Scene
from tests.export.drawings import HOSTILE, hostile
from tests.geometry.scenes import random_scene, scene_of, shop

NODE = shutil.which("node")
SCRIPT = Path(cbvtool.export.__file__).parent / "scene.js"


class Page(HTMLParser):
    """Elements, and the text of scripts and styles."""

    def __init__(self, text: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self._open = ""
        self.feed(text.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in self.texts:
            self.texts[self._open].append(data)

    @property
    def data(self) -> dict:
        return json.loads(self.texts["script"][0])


def unpacked(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["data"]), f"<{packed['type']}")


def test_it_loads_nothing() -> None:
    """No address outside of the page, and a policy under which only its own script and style count."""
    text = html(scene_of(shop()))
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "href", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    [policy] = [
        attributes["content"]
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none';")
    for name, content in (("script", page.texts["script"][-1]), ("style", page.texts["style"][0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert re.findall(rb"https?://(?!www\.w3\.org)", text) == []


def test_it_holds_the_scene() -> None:
    """Geometry within what storing costs, names and absolute values as tooltips have them."""
    scene = random_scene()
    data = Page(html(scene)).data
    np.testing.assert_array_equal(unpacked(data["items"]["a0"]), scene.layout.a0.astype(np.float32))
    np.testing.assert_array_equal(unpacked(data["items"]["end"]), scene.tree.end)
    points = unpacked(data["curves"]["points"]).reshape(-1, SAMPLES, 2) * data["curve_scale"]
    source, target = unpacked(data["curves"]["source"]), unpacked(data["curves"]["target"])
    found = sorted(zip(source, target, points[:, 0].round(3).tolist(), strict=True), key=str)
    expected = sorted(
        zip(
            scene.curve_source, scene.curve_target, scene.curves[:, 0, :2].astype(float).round(3).tolist(), strict=True
        ),
        key=str,
    )
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    np.testing.assert_allclose([row[2] for row in found], [row[2] for row in expected], atol=1.1e-3)
    for item in range(1, len(scene.tree), 7):
        values = [f"{label}: {texts[item]}" for label, texts in data["values"].items()]
        assert tooltip_lines(scene, item)[:-1] == [data["paths"][item], data["sorts"][item], *values]


def test_legends_in_both_themes() -> None:
    text = html(scene_of(shop())).decode()
    assert len(re.findall(r'<svg class="legend \w+ light"', text)) == 3
    assert len(re.findall(r'<svg class="legend \w+ dark"', text)) == 3
    assert '<svg class="legend' not in html(scene_of(shop()), legends=False).decode()


def test_hostile_names_end_nothing() -> None:
    """The page has no elements but those of a harmless one, and every name arrives as what it is."""
    hostile_page = Page(html(scene_of(hostile()), title="</title><script>alert(1)</script>"))
    harmless = [tag for tag, _ in Page(html(scene_of(shop()))).elements]
    assert {tag for tag, _ in hostile_page.elements} <= set(harmless)
    assert len(hostile_page.texts["script"]) == 2
    assert hostile_page.texts["title"] == ["</title><script>alert(1)</script>"]
    for name in HOSTILE:
        if name.isprintable():
            assert name in hostile_page.data["names"]


def test_the_same_bytes_twice() -> None:
    assert html(random_scene()) == html(random_scene())


def test_many_curves_are_thinned_and_said_so() -> None:
    scene = random_scene()
    page = html(scene, most=40).decode()
    assert f"40 of {len(scene.curves)} curves drawn, evenly chosen" in page
    assert len(unpacked(Page(page.encode()).data["curves"]["source"])) <= 40


def test_the_largest_scene_stays_small() -> None:
    """8,850 leaves and 50,000 relations, the size of Chromium in the thesis: below 10 MB."""
    assert len(html(random_scene(8850, 50_000))) < 10_000_000


# -- its own functions -------------------------------------------------------------------------------------------


def run(scene: Scene, expression: str) -> object:
    """The value of a JavaScript expression; `s` is the scene of the page, `m` its functions."""
    code = (
        "const m = require(process.argv[1]); let t = ''; process.stdin.on('data', (d) => { t += d; });"
        "process.stdin.on('end', () => { const s = m.scene_of(JSON.parse(t));"
        f"console.log(JSON.stringify({expression})); }});"
    )
    text = Page(html(scene)).texts["script"][0]
    done = subprocess.run([str(NODE), "-e", code, str(SCRIPT)], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


@needs_node
def test_it_sees_what_the_camera_sees() -> None:
    """Projection, its matrix and the way back to the disc, against geometry/camera.py."""
    camera = Camera(azimuth=30.0, tilt=50.0, center=(0.2, -0.1), distance=3.0)
    points = np.array([[0.0, 0.0, 0.0], [0.5, -0.7, 0.3], [-0.9, 0.2, 0.1]])
    here = "{azimuth: 30, tilt: 50, center: [0.2, -0.1], distance: 3}"
    pixels, depth = camera.project(points, 1200, 800)
    seen = run(scene_of(shop()), f"{points.tolist()}.map((p) => m.project({here}, p, 1200, 800))")
    np.testing.assert_allclose(seen, np.column_stack((pixels, depth)), rtol=1e-9)
    matrix = np.array(run(scene_of(shop()), f"[...m.matrix_of({here}, 1200, 800)]")).reshape(4, 4).T
    clip = np.column_stack((points, np.ones(3))) @ matrix.T
    screen = np.column_stack((600 + 600 * clip[:, 0] / clip[:, 3], 400 - 400 * clip[:, 1] / clip[:, 3]))
    np.testing.assert_allclose(screen, pixels, atol=0.01)
    assert (np.abs(clip[:, 2] / clip[:, 3]) < 1).all()
    there = run(scene_of(shop()), f"m.on_disc({here}, 700, 300, 1200, 800)")
    np.testing.assert_allclose(there, camera.on_disc(700, 300, 1200, 800), rtol=1e-9)


@needs_node
def test_it_fits_as_the_window_does() -> None:
    found = run(scene_of(shop()), "m.fitted({azimuth: 20, tilt: 38, center: [0, 0], distance: 1}, 1300, 800)")
    expected = Camera.fit(1300, 800, azimuth=20.0)
    assert found["distance"] == pytest.approx(expected.distance, rel=0.03)
    np.testing.assert_allclose(found["center"], expected.center, atol=0.02)


@needs_node
def test_partners_are_counted_like_tooltips() -> None:
    """What a click lists adds up to what the tooltip tells, for every item."""
    scene = random_scene(80, 200)
    sums = run(
        scene,
        "[...Array(s.count).keys()].map((i) => { const p = m.partners(s, i);"
        "return [p.used, p.users].map((r) => r.reduce((a, b) => a + b[1], 0)); })",
    )
    for item, (uses, used) in enumerate(sums):
        said = tooltip_lines(scene, item)[-1]
        assert [int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", said)] == [uses, used]


@needs_node
def test_curves_that_light_up_touch_the_item() -> None:
    scene = scene_of(shop())
    core = next(i for i in range(len(scene.tree)) if scene.graph.ids[scene.tree.key[i]] == "core")
    rows = run(scene, f"m.touching(s, {core})")
    assert len(rows) == len(scene.curves)  # all lead there
    part = core + 1
    rows = run(scene, f"m.touching(s, {part}).map((r) => [s.curves.source[r], s.curves.target[r]])")
    assert rows
    assert all(part in pair for pair in rows)


@needs_node
def test_search_finds_the_best_first() -> None:
    scene = scene_of(shop())
    names = run(
        scene, "['web', 'part_4', 'prt3', 'core', 'zzz', ' '].map((t) => m.search(s, t).map((i) => s.paths[i]))"
    )
    assert names[0][0] == "web"
    assert names[1] == ["web > part_4.py"]
    assert {name.rpartition(" ")[2] for name in names[2]} == {"part_3.py"}
    assert names[3] == ["core", "core > part_0.py", "core > part_1.py"]
    assert names[4:] == [[], []]


@needs_node
def test_the_mesh_has_the_volume_of_the_scene() -> None:
    """Every point of the mesh lies where the layout and the heights put the item it belongs to."""
    scene = random_scene(50, 60)
    mesh = run(scene, "(({position, item, face}) => [[...position], [...item], [...face]])(m.ring_mesh(s))")
    points, item = np.array(mesh[0]).reshape(-1, 3), np.array(mesh[1])
    radius = np.hypot(points[:, 0], points[:, 1])
    assert set(item.tolist()) == set(range(1, len(scene.tree)))
    low = np.where(scene.tree.leaf, scene.layout.band0, scene.layout.r0)[item]
    assert (radius > low - 1e-5).all()
    assert (radius < np.maximum(scene.layout.r1, scene.layout.band1)[item] + 1e-5).all()
    top = np.zeros(len(scene.tree))
    np.maximum.at(top, item, points[:, 2])
    np.testing.assert_allclose(top, scene.height, atol=1e-6)
    turn = np.abs(
        (np.arctan2(points[:, 0], points[:, 1]) - (scene.layout.a0 + scene.layout.a1)[item] / 2 + np.pi) % (2 * np.pi)
        - np.pi
    )
    assert (turn < (scene.layout.a1 - scene.layout.a0)[item] / 2 + 1e-5).all()


def _away(points: np.ndarray, path: np.ndarray) -> float:
    """The farthest that a point is from a polyline."""
    start, way = path[:-1], np.diff(path, axis=0)
    share = ((points[:, None] - start) * way).sum(axis=2) / np.maximum((way**2).sum(axis=1), 1e-12)
    nearest = start + np.clip(share, 0, 1)[:, :, None] * way
    return float(np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1).max())


@needs_node
def test_curves_are_smooth_between_what_is_stored() -> None:
    """Within 1.2 % of the disc's radius of what the program draws, also in a deep tree."""
    scene = random_scene(100, 100)
    data = Page(html(scene)).data
    source, target = unpacked(data["curves"]["source"]), unpacked(data["curves"]["target"])
    paths = run(scene, "[...s.curves.source.keys()].map((r) => m.curve_points(s, r))")
    for row, path in enumerate(paths):
        same = np.flatnonzero((scene.curve_source == source[row]) & (scene.curve_target == target[row]))
        assert min(_away(scene.curves[one, :, :2], np.array(path)) for one in same) < 0.012
    assert run(scene, "m.ribbons(s, [0]).length") == 18 * 2 * (SAMPLES - 1)
    assert run(scene, "m.hairlines(s, [0, 1]).length") == 2 * 6 * 2 * (SAMPLES - 1)


@needs_node
def test_what_stands_out_keeps_its_colour() -> None:
    scene = scene_of(shop())
    mesh = "const mesh = m.ring_mesh(s), t = s.themes.light;"
    both = "[null, new Set([1])].map((lit) => [...m.item_colors(s, t, mesh, lit)])"
    colors = run(scene, f"(() => {{ {mesh} return {both}.concat([[...mesh.item]]); }})()")
    plain, lit = (np.array(each).reshape(-1, 4) for each in colors[:2])
    same = (plain == lit).all(axis=1)
    item = np.array(colors[2])
    assert same[item == 1].all()
    assert not same[item != 1].any()


@needs_node
def test_numbers_survive_a_browser_that_changes_lowest_bits() -> None:
    """Those that guard against tracking do; what nothing is painted on is no item."""
    numbers = [0, 1, 127, 128, 16383, 16384, 99_999, 2_097_151]
    found = run(
        scene_of(shop()),
        f"{numbers}.map((n) => {{ const c = m.id_colors([n]);"
        " return [m.id_of(c, 0), m.id_of(c.map((v, k) => k < 3 ? v ^ 1 : v), 0)]; })",
    )
    assert found == [[number, number] for number in numbers]
    assert run(scene_of(shop()), "m.id_of([0, 0, 0, 0], 0)") == -1


@needs_node
def test_long_names_are_cut_where_they_fit() -> None:
    """Whole letters, also those of two units, with an ellipsis; a name that fits stays."""
    names = run(
        scene_of(shop()),
        "[['abcdef', 6], ['abcdef', 5], ['🎉🎉🎉', 2], ['abc', 1], ['', 0]].map("
        "([text, most]) => m.shortened(text, most, (t) => [...t].length))",
    )
    assert names == ["abcdef", "abcd…", "🎉…", "…", ""]


@needs_node
def test_where_pixels_cannot_be_read_the_same_is_found() -> None:
    """Tor's browser gives noise for what was drawn: triangles are asked instead, and say what the window says."""
    scene = random_scene(60, 60)
    camera = Camera(azimuth=30.0, tilt=55.0, center=(0.1, -0.1), distance=4.0)
    pixels = np.random.default_rng(7).uniform((150, 100), (1050, 700), (600, 2))
    found = run(
        scene,
        "((mesh) => "
        f"{pixels.tolist()}.map(([x, y]) => m.picked(mesh, {{azimuth: 30, tilt: 55, center: [0.1, -0.1], distance: 4}},"
        " x, y, 1200, 800)))(m.ring_mesh(s))",
    )
    expected = [pick_item(scene, *camera.ray(x, y, 1200, 800)) for x, y in pixels]
    assert len({item for item in expected if item > 0}) > 30
    different = [pair for pair in zip(found, expected, strict=True) if max(pair[0], 0) != max(pair[1], 0)]
    assert len(different) <= 6  # edges: the page draws arcs as short straight pieces
