"""Relation kinds are told apart by colour, in curves and legend alike (CBV-13)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.geometry.colors import BY_KIND, KIND_COLORS, THEMES
from cbvtool.geometry.overlay.flat import flat
from cbvtool.geometry.overlay.legends import legends, relation_legend
from cbvtool.geometry.picture import Rect, Text
from cbvtool.geometry.scene.kinds import kind_entries, kinds_of
from cbvtool.geometry.scene.scene import Pipeline, Scene, in_theme
from cbvtool.graph import GraphBuilder
from tests.geometry.scenes import MAPPING, scene_of


def _scene(theme: str = "light", pipeline: Pipeline | None = None) -> Scene:
    """Three files: a imports b, and calls it twice; c calls b twice, and imports it as often."""
    builder = GraphBuilder("project")
    for name in "abc":
        builder.add_node(name, "", name, "file", file=name, values={"sloc": 100.0})
        for number in range(4):
            function = f"{name}::{number}"
            builder.add_node(function, name, str(number), "function", file=name, values={"sloc": 5.0})
    for user, used, kind in (
        ("a", "b", "import"),
        ("a::0", "b::0", "call"),
        ("a::1", "b::0", "call"),
        ("c::0", "b::0", "call"),
        ("c::0", "b::1", "import"),
        ("c::1", "b::0", "call"),
        ("c::1", "b::1", "import"),
    ):
        builder.add_edge(builder.key(user), builder.key(used), kind)
    mapping = replace(MAPPING, relations=BY_KIND)
    return scene_of(builder.freeze(), depth=0, mapping=mapping, theme=theme, pipeline=pipeline)


def _names(scene: Scene) -> list[str]:
    return [scene.graph.edges.kind_names[kind] for kind in kinds_of(scene.graph.edges, scene.lifted).tolist()]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_curves_have_the_colour_of_their_kind(theme: str) -> None:
    """CBV-13: of the most frequent kind, in both themes; paler where the user is."""
    scene = _scene(theme)
    assert _names(scene) == ["call", "call"]  # of equals the kind that is more frequent
    used = scene.curve_color[:, -1, :3]
    assert (used == KIND_COLORS[theme][0][:3]).all()
    plane = np.array(THEMES[theme].plane[:3], float)
    away = np.abs(scene.curve_color[:, [0, -1], :3] - plane).sum(axis=2)
    assert (away[:, 0] < away[:, 1]).all()
    other = in_theme(scene, "dark" if theme == "light" else "light")
    assert (other.curve_color == _scene(other.state.theme).curve_color).all()


def test_the_legend_lists_the_kinds() -> None:
    """CBV-13: names, colours and numbers of what is shown, in a card that has room for them."""
    scene = _scene()
    assert [(entry.name, entry.count) for entry in kind_entries(scene.graph.edges, scene.lifted, "light")] == [
        ("call", 4),
        ("import", 3),
    ]
    card = legends(scene, 1200, 900)["thickness"]
    said = [item.text for item in card.items if isinstance(item, Text)]
    assert {"call", "import", "4", "3"} <= set(said)
    box = card.items[0]
    assert isinstance(box, Rect)
    assert all(box.y < item.y < box.y + box.height for item in card.items if isinstance(item, Text))
    plain = relation_legend(scene_of(scene.graph, depth=0), 1200, 900)
    assert "call" not in [item.text for item in plain.items if isinstance(item, Text)]


def test_a_format_with_one_gradient_keeps_the_usual_colours() -> None:
    """A vector picture has one gradient for all relations: it must not give all the colour of the first one."""
    plain = flat(scene_of(_scene().graph, depth=0))
    assert flat(_scene()).tapers.stops == plain.tapers.stops


def test_many_kinds_share_a_colour() -> None:
    builder = GraphBuilder("project")
    for name in "ab":
        builder.add_node(name, "", name, "file", file=name, values={"sloc": 100.0})
    kinds = [f"kind {number}" for number in range(9)]
    for kind in kinds:
        builder.add_edge(builder.key("a"), builder.key("b"), kind)
    scene = scene_of(builder.freeze(), mapping=replace(MAPPING, relations=BY_KIND))
    entries = kind_entries(scene.graph.edges, scene.lifted, "light")
    assert [entry.name for entry in entries] == [*kinds[:6], "others"]
    assert entries[-1].count == 3
    assert len({entry.color for entry in entries}) == 7
