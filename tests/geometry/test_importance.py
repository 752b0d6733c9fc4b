"""Names go to what stands out before what has room (look-and-feel): the tallest, reddest, selected and found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay.furniture import title
from cbvtool.geometry.overlay.headline import headline, headline_box, headline_picture
from cbvtool.geometry.overlay.importance import outstanding
from cbvtool.geometry.overlay.labels import find_places, labels, rough_width
from cbvtool.geometry.overlay.values import card_boxes, selected_values
from cbvtool.geometry.picture import Polyline, Text
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import GraphBuilder
from tests.geometry.scenes import MAPPING, scene_of

SIZE = (960, 640)


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A wide folder of low files, and one narrow file at the top that is by far the highest."""
    builder = GraphBuilder("project")
    for name, lines, changes in (("docs_of_the_project", 110.0, 90.0), ("a_large_one", 6000.0, 3.0)):
        values = {"sloc": lines, "complexity": changes}
        builder.add_node(name, "", name, "file", file=name, line=1, end_line=9, values=values)
    for number in range(40):
        name = f"part_{number}"
        values = {"sloc": 100.0, "complexity": 2.0}
        builder.add_node(name, "", name, "file", file=name, line=1, end_line=9, values=values)
    return scene_of(builder.freeze(), mapping=replace(MAPPING, height="complexity", color="sloc"))


def _item(scene: Scene, name: str) -> int:
    return int(np.flatnonzero(scene.tree.key == scene.graph.key_of[name])[0])


def test_the_highest_block_is_never_nameless(scene: Scene) -> None:
    """`Documentation` of git and `docs` of flask: a narrow block is named at the end of a line, beside the ring."""
    highest = _item(scene, "docs_of_the_project")
    assert int(outstanding(scene, SIZE[1])[0]) == highest
    for tilt in (0.0, 38.0):
        camera = Camera(tilt=tilt).fitted(*SIZE)
        [place] = [place for place in find_places(scene, camera, *SIZE) if place.item == highest]
        assert place.text == "docs_of_the_project"  # not cut
        assert place.leader is not None
        assert any(isinstance(item, Polyline) for item in labels(scene, camera, *SIZE).items)


def test_what_is_selected_or_found_is_named_first(scene: Scene) -> None:
    asked = np.zeros(len(scene.tree), np.bool_)
    found, chosen = _item(scene, "part_7"), _item(scene, "part_20")
    asked[found] = True
    picked = replace(scene, state=replace(scene.state, selected=(int(scene.tree.key[chosen]),)))
    assert outstanding(picked, SIZE[1], asked)[:2].tolist() == [chosen, found]
    camera = Camera(tilt=38.0).fitted(*SIZE)
    named = {place.item: place.text for place in find_places(picked, camera, *SIZE, asked=asked)}
    assert (named[found], named[chosen]) == ("part_7", "part_20")


def test_few_stand_out(scene: Scene) -> None:
    """What is neither high nor red waits for its turn."""
    assert set(outstanding(scene, SIZE[1]).tolist()) == {
        _item(scene, "docs_of_the_project"),
        _item(scene, "a_large_one"),
    }


def _many(count: int, tall: float) -> Scene:
    builder = GraphBuilder("project")
    for number in range(count):
        name, changes = f"part_{number}", tall if number < 5 else 1.0
        values = {"sloc": changes, "complexity": 2.0}
        builder.add_node(name, "", name, "file", file=name, line=1, end_line=9, values=values)
    return scene_of(builder.freeze(), mapping=replace(MAPPING, height="sloc", color="complexity"))


def test_no_card_of_the_selection_covers_the_headline() -> None:
    """UI.md, "Say what matters": the cards of segments at the top left keep off it."""
    scene = _many(1005, 100.0)
    angle = (scene.layout.a0 + scene.layout.a1) / 2
    leaves = np.flatnonzero(scene.tree.leaf)
    camera = Camera.fit(*SIZE)
    covered = headline_box(scene, *SIZE, rough_width)
    for item in leaves[np.argsort(np.abs(angle[leaves] - np.radians(320)))][::8][:12].tolist():
        [(x, y, wide, tall)] = card_boxes(selected_values(scene, [item], camera, *SIZE))
        for bx, by, bw, bh in covered:
            assert bx >= x + wide or bx + bw <= x or by >= y + tall or by + bh <= y


def test_the_headline_says_how_much_a_few_files_hold() -> None:
    """UI.md, "Say what matters": one sentence on the picture; none where no few files stand out."""
    scene = _many(1005, 100.0)
    said = headline(scene)
    assert said.startswith("5 of 1,005 files hold 33 % of the ")
    assert said in [item.text for item in title(scene, *SIZE).items if isinstance(item, Text)]
    assert [item.text for item in headline_picture(scene, *SIZE).items if isinstance(item, Text)] == [said]
    assert headline_box(scene, *SIZE, rough_width)
    for other in (_many(1005, 1.0), _many(12, 100.0)):
        assert headline(other) == ""
        assert not headline_picture(other, *SIZE).items
        assert not headline_box(other, *SIZE, rough_width)
