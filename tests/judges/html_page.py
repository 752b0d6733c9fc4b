"""Tries the exported page in every browser that is installed: does it show, answer and obey as it says?

    python -m tests.judges.html_page [--browsers NAME,...] [--shots FOLDER] [PATH ...]

PATH is a folder or graph file; without one, the sample shop, names that somebody chose to do harm, and 3,000 random
files. Each is opened from disk in light and dark in a small window, in one of the two also in one with two device
pixels for each CSS pixel, and in a large one. Asked is:

| what | how |
|---|---|
| it shows | WebGL has no error; from above, the middle of each of the largest segments has the colour of the scene |
| it stays at home | the browser lists no resource; a server whose address stands in names hears nothing; no alert |
| it is whole | cards, heading and buttons lie in the window and do not overlap; the two themes differ |
| it answers | pointing at a segment shows its name; a click lists what it uses; searching finds it; Escape ends it |
| it obeys | dragging turns, the wheel zooms, F gives the first picture back |

Exit status 1 when something is not so, 2 when there is no browser at all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
from PIL import Image

from cbvtool.drawing.pillow_painter import text_width
from cbvtool.export.html import html
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.scene.scene import Scene, in_theme
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.project import open_project
from cbvtool.session import Session
from tests.export.drawings import HOSTILE
from tests.geometry.scenes import random_scene, scene_of, shop
from tests.judges.browsers import BROWSERS, Browser

WINDOWS = ((1280, 800, 1.0), (1280, 800, 2.0), (2560, 1440, 1.0))  # CSS pixels, device pixels of one
SAMPLED = 12  # segments whose colour is looked at
ESCAPE = "\ue00c"
ENTER = "\ue007"
BOXES = """
return [...document.querySelectorAll("header, nav, .card, .legend")].map((each) => {
  const {left, top, right, bottom, width} = each.getBoundingClientRect();
  return [each.getAttribute("class") || each.id || each.tagName, left, top, right, bottom, width];
}).filter((box) => box[5] > 0);
"""
PLACES = """
const [items, radii, heights] = arguments, [width, height] = [innerWidth, innerHeight];
const camera = fitted({azimuth: 0, tilt: 0, center: [0, 0], distance: 4.2}, width, height);
return items.map((angle, k) =>
  project(camera, [Math.sin(angle) * radii[k], Math.cos(angle) * radii[k], heights[k]], width, height).slice(0, 2));
"""


def hostile(port: int) -> Graph:
    """Files named to do harm: each uses the next."""
    server = f"http://127.0.0.1:{port}"
    names = (
        *HOSTILE,
        f'"><img src="{server}/img" onerror="alert(1)">',
        f"</style><style>@import '{server}/css';</style>",
        f"<link rel=prefetch href={server}/link>",
        "javascript:alert(1)",
        "مرحبا_بالعالم.py",
        "🎉🏳️‍🌈.py",
        "x" * 300,
        "toString",
        "__proto__",
        "\u0301\u0302",
        "${alert(1)}",
        "{{7*7}}",
    )
    builder = GraphBuilder(f"<script>fetch('{server}/title')</script>")
    for number, name in enumerate(names):
        values = {"sloc": 100.0 + number, "complexity": 1.0 + number}
        builder.add_node(f"{number}", "", name, "file", file=name, line=1, values=values)
    for number in range(len(names) - 1):
        builder.add_edge(number + 1, number + 2, "import")
    return builder.freeze()


@contextmanager
def canary() -> Iterator[tuple[int, list[str]]]:
    """(port, the requests that came) of a server that nobody has reason to call."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            heard.append(str(self.client_address))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Faults(list[str]):
    """What was not as it should be. `place` is where one looks."""

    place = ""

    def expect(self, good: object, complaint: str) -> None:
        """Note the complaint unless `good`."""
        if not good:
            self.append(f"{self.place}: {complaint}")
            print(f"  fault: {complaint}", flush=True)


def settled(browser: Browser, good: Callable[[Image.Image], object] = lambda _: True) -> Image.Image:
    """The picture once nothing moves any more and it is `good`, or what there is after half a minute."""
    end = time.monotonic() + 30
    last = browser.shot()
    while time.monotonic() < end:
        time.sleep(0.4)
        browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        this = browser.shot()
        if this.tobytes() == last.tobytes() and good(this):
            break
        last = this
    return last


def same(one: Image.Image, other: Image.Image) -> bool:
    """Whether less than a pixel in a thousand differs: WebKit moves the letters of buttons by parts of a pixel."""
    return float((np.asarray(one) != np.asarray(other)).any(axis=2).mean()) < 0.001


def segments(scene: Scene) -> tuple[list[int], list[float], list[float], list[float]]:
    """(items, angles, radii, heights) of the widest segments of the innermost ring, with a place on top of each."""
    layout, leaves = scene.layout, np.flatnonzero(scene.tree.leaf)
    wide = layout.a1[leaves] - layout.a0[leaves]
    items = leaves[np.argsort(-wide, kind="stable")][:SAMPLED]
    radius = np.full(len(items), layout.band0 * 0.85 + layout.band1 * 0.15)  # names stand in the middle
    angle = 0.6 * layout.a0[items] + 0.4 * layout.a1[items]
    return items.tolist(), angle.tolist(), radius.tolist(), scene.height[items].astype(float).tolist()


def overlapping(boxes: list[list[float]]) -> list[str]:
    """The pairs of cards that lie on each other."""
    found = []
    for number, (name, left, top, right, bottom, _) in enumerate(boxes):
        for other, x0, y0, x1, y1, _ in boxes[:number]:
            if left < x1 - 0.5 and right > x0 + 0.5 and top < y1 - 0.5 and bottom > y0 + 0.5:
                found.append(f"{other} and {name}")
    return found


def judge(browser: Browser, file: Path, scene: Scene, faults: Faults, shots: Path | None, ratio: float) -> None:
    """Everything that is asked of one page in one window."""
    expect = faults.expect

    def keep(what: str, picture: Image.Image) -> Image.Image:
        if shots is not None:
            picture.save(shots / f"{faults.place.replace(' ', '-')}-{what}.png")
        return picture

    browser.open(file.as_uri())
    browser.run(
        "window.faults = []; window.alert = () => window.faults.push('alert');"
        "window.addEventListener('error', (event) => window.faults.push(event.message));"
    )
    first = keep("first", settled(browser))
    error, resources, sorry = browser.run(
        "const gl = document.getElementById('view').getContext('webgl');"
        "return [gl ? gl.getError() : -1, performance.getEntriesByType('resource').map((each) => each.name),"
        "!document.getElementById('sorry').hidden];"
    )
    expect(error == 0 and not sorry, f"WebGL says {error}")
    expect(resources == [], f"it loaded {resources}")
    boxes = browser.run(BOXES)
    width, height = browser.run("return [innerWidth, innerHeight]")
    expect(not overlapping(boxes), f"cards overlap: {', '.join(overlapping(boxes))}")
    outside = [box[0] for box in boxes if min(box[1:3]) < 0 or box[3] > width or box[4] > height]
    expect(not outside, f"not inside the window: {outside}")
    away = np.abs(np.subtract(first.getpixel((3, first.height // 2)), THEMES[scene.state.theme].ground[:3])).max()
    expect(away <= 2, "the ground has another colour")

    browser.keys("t")
    above = keep("above", settled(browser))
    items, angles, radii, heights = segments(scene)
    places = browser.run(PLACES, angles, radii, heights)
    colors = np.array([above.getpixel((int(x * ratio), int(y * ratio))) for x, y in places])
    alike = (np.abs(colors - scene.color[items, :3]) <= 3).all(axis=1)
    expect(alike.mean() >= 0.75, f"{int(alike.sum())} of {len(items)} segments have their colour")  # the rest: names

    names = browser.run(
        "const all = JSON.parse(document.getElementById('data').textContent).names;"
        "return arguments[0].map((item) => all[item])",
        items,
    )
    for name, (x, y) in list(zip(names, places, strict=True))[:3]:
        browser.move(x, y)
        said = waiting(
            browser,
            "const tip = document.getElementById('tip'); return tip.hidden ? '' :tip.querySelector('h2').textContent",
            name,
        )
        expect(said == name, f"pointing at {name!r} says {said!r}")
    keep("pointing", settled(browser))
    browser.click(*places[0])
    said = waiting(
        browser,
        "const box = document.getElementById('details'); return box.hidden ? '' :box.querySelector('h2').textContent",
        names[0],
    )
    expect(said == names[0], f"a click on {names[0]!r} tells of {said!r}")
    browser.move(width / 2, height - 3)
    keep("chosen", settled(browser))
    boxes = browser.run(BOXES)
    expect(not overlapping(boxes), f"cards overlap after a click: {', '.join(overlapping(boxes))}")
    browser.keys(ESCAPE)
    expect(waiting(browser, "return document.getElementById('details').hidden", True), "Escape ends nothing")

    wanted = next((name for name in names if name.isascii() and name.isprintable() and len(name) < 40), "")
    browser.keys("/")
    browser.keys(wanted)
    listed = waiting(browser, "return document.querySelectorAll('#results button').length > 0", True)
    expect(listed, f"searching for {wanted!r} lists nothing")
    keep("search", settled(browser))
    browser.keys(ENTER)
    said = waiting(
        browser,
        "const box = document.getElementById('details'); return box.hidden ? '' :box.querySelector('h2').textContent",
        wanted,
    )
    expect(said == wanted, f"searching for {wanted!r} chooses {said!r}")
    browser.run("document.getElementById('search').value = ''; document.activeElement.blur()")
    browser.keys(ESCAPE)

    browser.keys("tf")
    again = keep("again", settled(browser, lambda picture: same(picture, first)))
    expect(same(again, first), "F does not give the first picture back")
    browser.run("document.getElementById('theme').click()")
    corner = (3, first.height // 2)

    def change(picture: Image.Image) -> bool:
        return bool(np.abs(np.subtract(picture.getpixel(corner), first.getpixel(corner))).max() > 100)

    expect(change(settled(browser, change)), "the other theme has no other ground")
    browser.run("document.getElementById('theme').click()")
    middle = (width / 2, height / 2)
    browser.drag([middle, (middle[0] + 60, middle[1] + 20), (middle[0] + 160, middle[1] + 40)])
    turned = keep("turned", settled(browser, lambda picture: not same(picture, first)))
    expect(not same(turned, first), "dragging turns nothing")
    browser.wheel(*middle, -400)
    zoomed = keep("zoomed", settled(browser, lambda picture: not same(picture, turned)))
    expect(not same(zoomed, turned), "the wheel zooms nothing")
    late = browser.run(
        "const gl = document.getElementById('view').getContext('webgl');"
        "return [...window.faults, ...(gl.getError() ? ['GL'] : [])]"
    )
    expect(late == [], f"errors: {late}")


def waiting(browser: Browser, script: str, wanted: object) -> object:
    """What a script returns: `wanted`, or what it still returned after 20 seconds."""
    end = time.monotonic() + 20
    while (found := browser.run(script)) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return found


def subjects(paths: list[Path], port: int) -> Iterator[tuple[str, Scene]]:
    """Names and scenes that are tried."""
    for path in paths:
        session = Session()
        session.open(open_project(path))
        yield path.name.partition(".")[0], session.scene()
    if not paths:
        yield "shop", scene_of(shop())
        yield "hostile", scene_of(hostile(port))
        yield "random", random_scene(3000, 9000)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="folder or graph file")
    parser.add_argument("--browsers", metavar="NAME,...", help="only these")
    parser.add_argument("--shots", type=Path, metavar="FOLDER", help="where pictures of what was seen go")
    asked = parser.parse_args()
    wanted = asked.browsers.split(",") if asked.browsers else [kind.name for kind in BROWSERS]
    kinds = [kind for kind in BROWSERS if kind.name in wanted]
    for kind in kinds:
        if missing := kind.missing():
            print(f"{kind.name} is left out: {missing} not installed")
    kinds = [kind for kind in kinds if not kind.missing()]
    if not kinds:
        return 2
    if asked.shots:
        asked.shots.mkdir(parents=True, exist_ok=True)
    faults = Faults()
    with canary() as (port, heard), tempfile.TemporaryDirectory() as folder:
        pages = []
        for name, light in subjects(asked.paths, port):
            for theme in THEMES:
                scene = in_theme(light, theme)
                file = Path(folder) / f"{name}-{theme}.html"
                file.write_bytes(html(scene, measure=text_width))
                pages.append((name, theme, scene, file))
                print(f"{name}, {theme}: {file.stat().st_size:,} bytes")
        for kind in kinds:
            for window, (width, height, ratio) in enumerate(WINDOWS):
                browser = kind(width, height, ratio)
                try:
                    for name, theme, scene, file in pages[window % 2 :: 2] if window else pages:
                        faults.place = f"{kind.name} {name} {theme} {width}x{height} {ratio:g}x"
                        print(faults.place, flush=True)
                        judge(browser, file, scene, faults, asked.shots, ratio)
                finally:
                    browser.close()
        faults.place = "all"
        faults.expect(not heard, f"{len(heard)} connections were made")
    print(f"{len(faults)} faults" if faults else "All is as it should be.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
