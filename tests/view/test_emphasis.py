"""What stands out under the pointer, in a search, and around a selection (look-and-feel, CBV-7, CBV-8)."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.drawing.emphasis import Emphasis, emphasis, item_of, names_faded, relation_lines, relations_faded
from cbvtool.geometry.picture import Picture, Rect, Text
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.project import Project

NOTHING = frozenset[int]()


@pytest.fixture
def scene(shop: Project) -> Scene:
    graph = shop.graph
    return Pipeline().scene(graph, shop.changes, ViewState(expanded=frozenset({graph.key_of["shop"]})))


def _lit(scene: Scene, found: Emphasis) -> set[str]:
    assert found.items is not None
    return {scene.graph.ids[key] for key in scene.tree.key[found.items]}


def test_nothing_fades_without_a_reason(scene: Scene) -> None:
    found = emphasis(scene, -1, -1, NOTHING, ())
    assert found.items is None
    assert found.relations is None


def test_a_node_lights_up_its_partners_and_the_way_to_them(scene: Scene) -> None:
    key_of, lifted = scene.graph.key_of, scene.lifted
    found = emphasis(scene, key_of["shop/domain"], -1, NOTHING, ())
    item = item_of(scene, key_of["shop/domain"])
    touches = (lifted.source == item) | (lifted.target == item)
    assert found.relations is not None
    assert np.array_equal(found.relations, touches)
    lit = _lit(scene, found)
    assert {"shop/domain", "shop", "shop/infrastructure", "shop/services"} <= lit
    assert "README.md" not in lit


def test_an_expanded_node_stands_for_all_below_it(scene: Scene) -> None:
    found = emphasis(scene, scene.graph.key_of["shop"], -1, NOTHING, ())
    inside = item_of(scene, scene.graph.key_of["shop"])
    below = slice(inside, int(scene.tree.end[inside]))
    assert found.items is not None
    assert found.items[below].all()


def test_the_pointer_counts_before_search_and_search_before_selection(scene: Scene) -> None:
    key_of = scene.graph.key_of
    matches = frozenset({key_of["shop/ui/cli.py"]})
    selected = (key_of["shop/services"],)
    hovered = emphasis(scene, key_of["tests"], -1, matches, selected)
    assert "tests" in _lit(scene, hovered)
    assert "shop/ui" not in _lit(scene, hovered)
    searched = emphasis(scene, -1, -1, matches, selected)
    assert _lit(scene, searched) == {"shop/ui", "shop", ""}  # what stands for the match, and where it is
    chosen = emphasis(scene, -1, -1, NOTHING, selected)
    assert chosen.items is None
    assert chosen.relations is not None
    assert chosen.relations.any()


def test_a_relation_lights_up_its_ends_and_is_named(scene: Scene) -> None:
    found = emphasis(scene, -1, 0, NOTHING, ())
    assert found.relations is not None
    assert found.relations.sum() == 1
    ends = [int(scene.tree.key[end[0]]) for end in (scene.lifted.source, scene.lifted.target)]
    assert {scene.graph.ids[key] for key in ends} <= _lit(scene, found)
    lines = relation_lines(scene, 0)
    assert scene.graph.path(ends[0]) in lines[0]
    assert lines[1] == scene.graph.path(ends[1])
    assert lines[2].split()[0] == f"{int(scene.lifted.count[0]):,}"


def test_names_fade_with_their_segments(scene: Scene) -> None:
    """Nothing is left that was meant to be read on a colour which is not there any more."""
    key_of = scene.graph.key_of
    black, white, grey = (0, 0, 0, 255), (255, 255, 255, 255), (99, 99, 99, 255)
    texts = [
        Text("ui", 1, 1, 12, black, halo=white, key=key_of["shop/ui"]),
        Text("u", 1, 1, 12, white, halo=white, key=key_of["README.md"]),  # the halo of a single letter
        Text("README", 1, 1, 12, black, halo=white, key=key_of["README.md"]),
        Text("0 commits", 1, 1, 12, black),
    ]
    picture = Picture(9, 9, (*texts, Rect(0, 0, 1, 1, black)))
    found = emphasis(scene, key_of["shop/ui"], -1, NOTHING, ())
    faded = names_faded(picture, scene, found, grey)
    assert faded.items[0] is texts[0]
    assert faded.items[1] == Text("README", 1, 1, 12, grey, key=key_of["README.md"])
    assert faded.items[2] is texts[3]
    assert len(faded.items) == 4
    assert names_faded(picture, scene, Emphasis(), grey) is picture


def test_all_relations_fade_during_a_drag(scene: Scene) -> None:
    found = relations_faded(scene)
    assert found.items is None
    assert found.relations is not None
    assert not found.relations.any()
