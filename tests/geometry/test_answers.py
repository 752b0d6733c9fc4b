"""How answers look in the picture: impact by distance, names of partners, cards that say what is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.asking.impact import impact
from cbvtool.asking.paths import shortest_paths
from cbvtool.asking.steps import steps
from cbvtool.drawing.emphasis import emphasis
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.answer_legends import filter_words, kept_clear, told_by_legends, with_answers
from cbvtool.geometry.overlay.furniture import labels, legends
from cbvtool.geometry.overlay.labels import LARGER, SIZES
from cbvtool.geometry.overlay.legends import THICK_LINES
from cbvtool.geometry.overlay.values import selected_values
from cbvtool.geometry.picture import Picture, Rect, Text
from cbvtool.geometry.scene.affected import item_distance, step_color
from cbvtool.geometry.scene.filtered import ECHO
from cbvtool.geometry.scene.scene import Pipeline, Scene, in_theme
from cbvtool.geometry.state.view_state import RelationFilter, ViewState
from cbvtool.graph import Graph
from tests.geometry.scenes import MAPPING, random_scene, scene_of, shop

SIZE = (1200, 900)


@pytest.fixture
def graph() -> Graph:
    return shop()


def texts(picture: Picture) -> list[str]:
    return [item.text for item in picture.items if isinstance(item, Text)]


def cards(scene: Scene) -> dict[str, Picture]:
    return with_answers(legends(scene, *SIZE), scene, *SIZE)


def test_impact_lights_up_by_distance(graph: Graph) -> None:
    """DND-10: what changes, what uses it directly, what does not; the paler the farther."""
    key = graph.key_of["core/part_0.py"]
    found = impact(graph, steps(graph), (key,))
    scene = scene_of(graph, impact=found)
    distance = dict(zip(scene.tree.key.tolist(), item_distance(scene.tree, found).tolist(), strict=True))
    assert distance[key] == 0
    assert distance[graph.key_of["core"]] == 0
    assert distance[graph.key_of["web/part_0.py"]] == distance[graph.key_of["web"]] == 1
    assert distance[graph.key_of["web/part_1.py"]] == -1
    look = THEMES["light"]
    item = int(scene.tree.represent[graph.key_of["web/part_0.py"]])
    assert tuple(scene.color[item]) == step_color(look, 1)
    assert tuple(scene.color[int(scene.tree.represent[key])]) == look.accent
    away = [abs(np.array(step_color(look, step)) - np.array(step_color(look, -1))).sum() for step in range(1, 6)]
    assert away == sorted(away, reverse=True)
    assert len(set(away)) == len(away)


def test_what_lies_in_something_affected_is_as_near() -> None:
    """DND-10: against walking the tree, on a random graph."""
    scene = random_scene()
    graph = scene.graph
    changed = int(np.bincount(graph.edges.target, minlength=len(graph)).argmax())
    found = impact(graph, steps(graph), (changed,))
    own = dict(zip(found.node.tolist(), found.distance.tolist(), strict=True)) | {changed: 0}
    told = item_distance(scene.tree, found)
    for item, key in enumerate(scene.tree.key.tolist()):
        near = [own[k] for k in (*graph.subtree(key).tolist(), *graph.ancestors(key)) if k in own]
        if scene.tree.slot[item]:
            near = [own[k] for k in (key, *graph.ancestors(key)) if k in own]
        assert told[item] == min(near, default=-1)


def test_the_card_of_an_impact(graph: Graph) -> None:
    """DND-10: in place of the colours, which do not hold then."""
    found = impact(graph, steps(graph), (graph.key_of["core/part_0.py"],))
    scene = scene_of(graph, impact=found)
    assert texts(cards(scene)["color"]) == ["Affected by part_0.py", "changes", "direct: 3"]
    assert "Colour" in texts(cards(scene_of(graph))["color"])


def test_the_card_of_a_filter_says_what_is_left_out(graph: Graph) -> None:
    """OC-4: how much of the relations is not drawn, and why; no card without a filter."""
    assert "filter" not in cards(scene_of(graph))
    chosen = RelationFilter(mode="selection", direction="in", cycles=True)
    said = texts(cards(scene_of(graph, filter=chosen))["filter"])
    assert said == [
        "Filter",
        "only of the selection, incoming",
        "only in cycles",
        "6 of 6 left out",
        "select or point at something",
    ]
    web = scene_of(graph, filter=RelationFilter(mode="selection"), selected=(graph.key_of["web"],))
    assert texts(cards(web)["filter"]) == ["Filter", "only of the selection", "4 of 6 left out"]
    key = graph.key_of
    found = shortest_paths(graph, steps(graph), key["web"], key["core"])
    said = texts(cards(scene_of(graph, path=found))["filter"])
    assert said == ["Path", "web → core", "2 of 2 chains, 1 relation long"]


def test_every_part_of_a_filter_has_words() -> None:
    """OC-4: none is in force unsaid."""
    assert filter_words(RelationFilter()) == []
    for part in (
        {"mode": "selection"},
        {"mode": "indirect"},
        {"mode": "indirect", "depth": 0},
        {"direction": "out"},
        {"cycles": True},
        {"violations": True},
        {"confidence": 0},
        {"confidence": 1},
        {"distance": 3},
        {"crossing": True},
    ):
        assert len(filter_words(RelationFilter(**part))) == 1, part


def test_names_of_partners_are_enlarged(graph: Graph) -> None:
    """DND-6: larger than they were; those of small segments stand over the relations."""
    scene = scene_of(graph)
    camera = Camera.fit(*SIZE)
    chosen = np.zeros(len(scene.tree), np.bool_)
    chosen[scene.tree.represent[graph.key_of["core/part_0.py"]]] = True
    plain = [item for item in labels(scene, camera, *SIZE).items if isinstance(item, Text)]
    larger = [item for item in labels(scene, camera, *SIZE, larger=chosen).items if isinstance(item, Text)]
    key = graph.key_of["core/part_0.py"]
    assert {item.size for item in larger if item.key == key} == {SIZES[1] + LARGER}
    assert max(item.size for item in plain if item.key == key) <= SIZES[1]
    crowded = random_scene()
    slim = int(np.flatnonzero(crowded.tree.leaf)[np.argmin((crowded.layout.a1 - crowded.layout.a0)[crowded.tree.leaf])])
    chosen = np.zeros(len(crowded.tree), np.bool_)
    chosen[slim] = True
    key = int(crowded.tree.key[slim])
    assert key not in {t.key for t in labels(crowded, camera, *SIZE).items if isinstance(t, Text)}
    [name] = [t for t in labels(crowded, camera, *SIZE, larger=chosen).items if isinstance(t, Text) and t.key == key]
    assert name.halo == THEMES["light"].halo
    middle = np.array(SIZE) / 2
    edge = camera.project(np.array([[0.0, float(crowded.layout.band0), 0.0]]), *SIZE)[0][0]
    assert np.hypot(*(np.array([name.x, name.y]) - middle)) < np.hypot(*(edge - middle))


def test_scenes_that_tell_the_same_have_the_same_legends(graph: Graph) -> None:
    """Hovering neither lays out nor paints legends again, and nothing that they tell is missed."""
    key = graph.key_of["core/part_0.py"]
    found = impact(graph, steps(graph), (key,))
    views = [
        {},
        {"hovered": key},
        {"selected": (key,)},
        {"theme": "dark"},
        {"expanded": frozenset()},
        {"impact": found},
        {"mapping": replace(MAPPING, color="fan_in")},
        {"mapping": replace(MAPPING, height="fan_out")},
        {"mapping": replace(MAPPING, thickness="none")},
        {"filter": RelationFilter(mode="selection")},
        {"filter": RelationFilter(mode="selection"), "hovered": key},
        {"filter": RelationFilter(cycles=True)},
        {"filter": RelationFilter(mode="selection"), "selected": (key,)},
    ]
    pipeline = Pipeline()
    scenes = [pipeline.scene(graph, None, ViewState(**{"mapping": MAPPING, **view})) for view in views]
    for first in scenes:
        for second in scenes:
            if told_by_legends(first) == told_by_legends(second):
                assert cards(first) == cards(second)
    assert told_by_legends(scenes[0]) == told_by_legends(scenes[1]) == told_by_legends(scenes[2])
    assert len({str(cards(scene)) for scene in scenes}) > 6


def test_the_disc_makes_room_for_an_answer_whatever_the_pointer_is_on() -> None:
    """CBV-4: the card of a filter covers no data either, and the disc does not move with every move of the pointer."""
    filters = [
        RelationFilter(mode="selection", cycles=True),
        RelationFilter(cycles=True),
        RelationFilter(crossing=True),
    ]
    for chosen in filters:
        kept = []
        for view in ({}, {"hovered": 5}, {"selected": (5,)}):
            scene = scene_of(shop(), filter=chosen, **view)
            asked = cards(scene)["filter"].items[0]
            assert isinstance(asked, Rect)
            x, y, wide, tall = kept_clear(scene, *SIZE)[-1]
            assert x <= asked.x
            assert y <= asked.y
            assert x + wide >= asked.x + asked.width
            assert y + tall >= asked.y + asked.height - THICK_LINES - 8  # below is the card of relations
            kept.append(kept_clear(scene, *SIZE))
        assert kept[0] == kept[1] == kept[2]
    assert len(kept_clear(scene_of(shop()), *SIZE)) == len(kept[0]) - 1


def test_values_of_the_selection_do_not_stand_on_an_answer() -> None:
    """CBV-13: the card of a filter can be read, whatever is selected beside it."""
    scene = scene_of(shop(), filter=RelationFilter(mode="selection", cycles=True))
    for size in ((700, 520), SIZE):
        asked = with_answers(legends(scene, *size), scene, *size)["filter"].items[0]
        assert isinstance(asked, Rect)
        for azimuth in range(0, 360, 15):
            camera = Camera(azimuth, 38.0).fitted(*size)
            for item in np.flatnonzero(scene.tree.leaf).tolist():
                for card in selected_values(scene, [item], camera, *size).items:
                    if isinstance(card, Rect):
                        aside = card.x >= asked.x + asked.width or card.x + card.width <= asked.x
                        assert aside or card.y >= asked.y + asked.height or card.y + card.height <= asked.y


def test_an_impact_shows_its_own_relations_alone(graph: Graph) -> None:
    """DND-10, UI.md: the curves over which something is affected, in the colour of their distance."""
    found = impact(graph, steps(graph), (graph.key_of["core/part_0.py"],))
    plain, scene = scene_of(graph), scene_of(graph, impact=found)
    own = {int(row) for row in plain.lifted.of_edge[found.row] if row >= 0}
    assert 0 < len(scene.lifted.source) == len(own) < len(plain.lifted.source)
    assert scene.total == plain.total
    look = THEMES["light"]
    assert {tuple(color) for color in scene.curve_color[:, :, :3].reshape(-1, 3).tolist()} == {step_color(look, 1)[:3]}
    dark = in_theme(scene, "dark").curve_color
    assert tuple(dark[0, 0, :3].tolist()) == step_color(THEMES["dark"], 1)[:3]
    assert len({look.affected, look.used, look.user, look.accent, look.warning}) == 5


def test_what_a_filter_leaves_out_fades_ring_included() -> None:
    """UI.md: segments whose relations are all left out fade; a few grey curves stand for what was left out."""
    plain = random_scene()
    assert plain.left_out is None
    assert emphasis(plain, -1, -1, frozenset(), ()).items is None
    scene = random_scene(filter=RelationFilter(distance=6))
    assert 0 < len(scene.lifted.source) < len(plain.lifted.source)
    items = emphasis(scene, -1, -1, frozenset(), ()).items
    assert items is not None
    kept = np.union1d(scene.lifted.source, scene.lifted.target)
    assert items[kept].all()
    assert set(np.flatnonzero(items & scene.tree.leaf)) == set(kept[scene.tree.leaf[kept]])
    assert scene.left_out is not None
    assert 0 < len(scene.left_out) <= ECHO
    waiting = random_scene(filter=RelationFilter(mode="selection"))
    assert emphasis(waiting, -1, -1, frozenset(), ()).items is None  # it asks for a node
