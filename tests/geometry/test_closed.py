"""Collapsed containers are told from files, say what they stand for, and names say what tells them apart (OC-4)."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.furniture import tooltip_lines
from cbvtool.geometry.overlay.labels import find_places, rough_width, shorten
from cbvtool.geometry.overlay.naming import counted_name, shared_start, starts
from cbvtool.geometry.scene.closed import collapsed, rims
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.scene.shadow import LIFT, STEPS, contact_shadow
from cbvtool.graph import GraphBuilder
from tests.geometry.scenes import MAPPING, scene_of


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A folder of four files that is collapsed, a file with a function that is collapsed too, and one without."""
    builder = GraphBuilder("project")
    builder.add_node("folder", "", "folder", "folder")
    for number in range(4):
        name = f"folder/test_{number}.py"
        builder.add_node(name, "folder", name[7:], "file", file=name, values={"sloc": 50.0, "complexity": number})
    for name, branches in (("a.py", 9.0), ("b.py", 2.0)):
        builder.add_node(name, "", name, "file", file=name, values={"sloc": 100.0, "complexity": branches})
    builder.add_node("a.py::run", "a.py", "run", "function", file="a.py", line=1, values={"sloc": 9.0})
    return scene_of(builder.freeze(), depth=0, mapping=MAPPING)


def _item(scene: Scene, name: str) -> int:
    return int(scene.tree.represent[scene.graph.key_of[name]])


def test_a_collapsed_folder_differs_from_a_file(scene: Scene) -> None:
    """OC-4: its block and what lies flat outside have a rim in the grey of containers; files have none."""
    folder = _item(scene, "folder")
    found = collapsed(scene.tree)
    assert np.flatnonzero(found).tolist() == [folder]
    rim = rims(scene.layout, scene.height, np.flatnonzero(found))
    assert set(rim.item.tolist()) == {folder}
    radius, angle = np.hypot(*rim.points[:, :2].T), np.arctan2(*rim.points[:, :2].T) % (2 * np.pi)
    assert radius.max() == pytest.approx(max(scene.layout.band1, scene.layout.r1[folder]), abs=1e-6)
    assert radius.min() > scene.layout.band0
    assert scene.layout.a0[folder] - 1e-6 <= angle.min() < angle.max() <= scene.layout.a1[folder] + 1e-6
    assert rim.points[:, 2].max() == pytest.approx(scene.height[folder], abs=0.01)
    first, second, third = np.moveaxis(rim.points[rim.triangles], 1, 0)
    assert (np.cross(second - first, third - first)[:, 2] > 0).all()
    light = THEMES["light"]
    assert (rim.colors(light, None, 0.5) == light.closed).all()
    assert not (rim.colors(light, found, 0.5)[:, :3] == light.closed[:3]).all()


def test_a_collapsed_folder_says_what_it_stands_for(scene: Scene) -> None:
    """OC-4: for how many files, in its name and its tooltip, and which of them its block does not show."""
    folder = _item(scene, "folder")
    assert counted_name(scene, folder) == "folder · 4 files"
    assert not counted_name(scene, _item(scene, "a.py"))
    lines = tooltip_lines(scene, folder)
    assert "Stands for 4 files" in lines
    assert any("the highest of them: test_3.py, 3 " in line for line in lines)
    assert not any("Stands for" in line for line in tooltip_lines(scene, _item(scene, "a.py")))
    named = {place.item: place.text for place in find_places(scene, Camera(tilt=0.0).fitted(900, 900), 900, 900)}
    assert named[folder] == "folder · 4 files"


def test_names_are_cut_where_they_are_alike() -> None:
    """Siblings that begin alike lose their beginning, not what tells them apart."""
    builder = GraphBuilder("project")
    for name in ("test_blueprints.py", "test_basic.py", "test_cli.py", "other.py", "AbstractBean.java"):
        builder.add_node(name, "", name, "file", file=name, values={"sloc": 100.0})
    one = scene_of(builder.freeze(), mapping=MAPPING)
    name = "test_blueprints.py"
    start = shared_start(one, _item(one, name), name)
    assert start == len("test_")
    room = rough_width("…blueprints.py", 11.0)
    assert shorten(name, room, 11.0, rough_width, start) == "…blueprints.py"
    assert shorten(name, room * 0.7, 11.0, rough_width, start).startswith("…blue")
    assert shorten(name, 1000.0, 11.0, rough_width, start) == name
    assert shared_start(one, _item(one, "other.py"), "other.py") == 0
    assert starts("AbstractBean.java") == ["Abstract", "AbstractBean."]


def test_higher_blocks_have_a_wider_and_darker_shadow(scene: Scene) -> None:
    """Look-and-feel: a soft shadow at the foot of blocks that ends in nothing."""
    shadow = contact_shadow(scene.tree, scene.layout, scene.height)
    assert (shadow.points[:, 2] == np.float32(LIFT)).all()
    radius = np.hypot(*shadow.points[:, :2].T)
    inside, outside = radius < scene.layout.band0 - 1e-6, radius > scene.layout.band1 + 1e-6
    assert inside.any()
    assert outside.any()
    angle = np.arctan2(*shadow.points[:, :2].T) % (2 * np.pi)
    low, high = (_item(scene, name) for name in ("b.py", "a.py"))
    assert scene.height[high] > scene.height[low]

    def of(item: int) -> tuple[float, float]:
        middle = (scene.layout.a0[item] + scene.layout.a1[item]) / 2
        here = np.abs(angle - middle) < 0.05
        return float(shadow.dark[here].max()), float(radius[here].max() - scene.layout.band1)

    assert of(high) > of(low)
    assert of(high)[1] > of(low)[1]
    edges = shadow.dark.reshape(-1, STEPS)
    assert not edges[[2, 5]].any()
    color = shadow.colors(THEMES["dark"])
    assert color[:, 3].max() <= THEMES["dark"].shadow[3]
    assert shadow.triangles.max() < len(shadow.points)
