"""What a look is made of: presets, classes, thickness, lines of the height scale, printed values (CBV-4, CBV-13)."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.bundling.fan_out import FanOut
from cbvtool.errors import InputError
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import CLASS_COLORS, COLOR_MAPS, RELATION_MAPS, THEMES
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.levels import BEHIND, level_lines, level_values, levels, turn
from cbvtool.geometry.overlay.values import selected_values, value_lines
from cbvtool.geometry.picture import Picture, Rect, Text
from cbvtool.geometry.scales import SCALES, TALLEST, Scale
from cbvtool.geometry.scene.classes import OTHERS, class_colors
from cbvtool.geometry.scene.scene import Pipeline, item_values
from cbvtool.geometry.scene.thickness import THICK, THIN, thickness
from cbvtool.geometry.state.asked_style import asked_style
from cbvtool.geometry.state.presets import PRESETS, as_data, named, of_data, why_not, with_field
from cbvtool.geometry.state.view_state import THICKNESSES, Mapping, ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.depth import expanded_to
from cbvtool.layout.weights import proportional_weight
from cbvtool.metrics import METRICS, Subject
from cbvtool.metrics.aggregate import aggregated, choices
from cbvtool.metrics.values import Values
from cbvtool.mining.changes import Changes
from tests.geometry.scenes import MAPPING, random_scene, scene_of, shop
from tests.layout.cases import random_graph

SIZE = (1280, 800)
MAPPINGS = st.builds(
    Mapping,
    st.sampled_from(["sloc", "bytes"]),
    st.sampled_from(["commits", "fan_in"]),
    st.sampled_from(["complexity", "kind"]),
    st.sampled_from(list(COLOR_MAPS)),
    st.builds(Scale, st.sampled_from(list(SCALES)), st.none() | st.floats(-9, 9), st.none() | st.integers(10, 99)),
    st.builds(Scale, st.sampled_from(list(SCALES))),
    st.sampled_from(["", "mean"]),
    st.sampled_from(["", "max"]),
    st.just(""),
    st.sampled_from(list(THICKNESSES)),
    st.sampled_from(list(RELATION_MAPS)),
)


def words(picture: Picture) -> list[str]:
    return [item.text for item in picture.items if isinstance(item, Text)]


def history_of(graph: Graph) -> Changes:
    """Every file of the graph changed by one of three people, one of them twice as often."""
    files = [name for name, kind in zip(graph.ids, graph.kinds, strict=True) if graph.kind_names[kind] == "file"]
    count = len(files)
    return Changes(
        tuple(map(str, range(count))),
        np.arange(count, dtype=np.int64) * 86_400,
        np.array([(0, 1, 0, 2)[row % 4] for row in range(count)], np.int32),
        ("ann@x", "bob@x", "eve@x"),
        np.arange(count, dtype=np.int32),
        np.arange(count, dtype=np.int32),
        tuple(files),
    )


# -- presets -------------------------------------------------------------------------------------------------


@given(MAPPINGS)
def test_a_look_survives_a_file(mapping: Mapping) -> None:
    """CBV-4, CBV-11: all that makes a look is in a document, and in the settings, as plain JSON."""
    text = json.dumps(as_data(mapping))
    assert of_data(json.loads(text), METRICS, Mapping()) == mapping
    assert of_data(json.loads(text), None, Mapping()) == mapping


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"height": "altitude"},
        {"height": "kind"},
        {"height_scale": ["cubic", None, None]},
        {"height": "commits", "height_scale": ["log"]},
        {"height": "commits", "height_by": "often"},
        {"color": "nl3", "color_by": "sum"},
        {"color_map": "jet"},
        {"thickness": 3},
        {"relations": None},
        {3: 4},
        {"color": "nl3", "color_scale": ["linear", "low", float("nan")]},
        {"color": ["nl3"]},
    ],
)
def test_damage_is_left_out(data: object) -> None:
    """A document of another version, or by another hand: the rest is as usual."""
    height = Mapping(height="commits") if isinstance(data, dict) and data.get("height") == "commits" else Mapping()
    assert of_data(data, METRICS, Mapping()) == height


def test_presets_can_be_shown_or_say_why_not() -> None:
    """CBV-4: with a history all of them; without, those that need none; the others give the reason."""
    graph = shop()
    with_history, without = (
        {p.name: why_not(p.mapping, Values(Subject(graph, changes), METRICS)) for p in PRESETS}
        for changes in (history_of(graph), None)
    )
    assert not any(with_history.values())
    assert {name for name, reason in without.items() if not reason} == {"unused", "languages"}
    assert without["ownership"] == "Authors was not measured: there is no git history."
    assert "no metric 'x'" in why_not(Mapping("x"), Values(Subject(graph), METRICS))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
@pytest.mark.parametrize("theme", THEMES)
def test_every_preset_makes_a_scene(preset, theme: str) -> None:
    """CBV-4: presets are data that the scene takes; no two look alike."""
    graph = shop()
    view = ViewState(expanded=expanded_to(graph, 2), mapping=preset.mapping, theme=theme)
    scene = Pipeline().scene(graph, history_of(graph), view)
    assert scene.drawn == preset.mapping
    assert not scene.pending
    assert scene.color_legend.classes or scene.color_legend.stops
    assert len({p.mapping for p in PRESETS}) == len({p.name for p in PRESETS}) == len(PRESETS)


def test_another_metric_begins_with_its_own_range() -> None:
    """CBV-4: a range in commits means nothing in lines; the kind of scale stays, an aggregation if it can."""
    look = replace(Mapping(), height_scale=Scale("log", 1, 9), height_by="sum", color_by="median")
    other = with_field(look, "height", "nl3", METRICS)
    assert (other.height, other.height_scale, other.height_by) == ("nl3", Scale("log"), "")
    assert other.color_by == "median"
    assert with_field(look, "height", "commits", METRICS).height_by == "sum"
    assert with_field(look, "height", look.height, METRICS) == look


def test_names_of_own_presets_are_unique() -> None:
    """CBV-4: the second style of a name has a number."""
    first = named(" My  style ", Mapping(), [])
    assert first.label == "My style"
    assert named("My style", Mapping(), ["My style", "My style 2"]).name == "My style 3"
    assert len(named("x" * 99, Mapping(), []).name) == 40


def test_a_command_line_can_ask_for_all_of_it() -> None:
    """CBV-4: `render` takes the same choices; single ones come after the preset."""
    look = asked_style(
        Mapping(),
        METRICS,
        "hot-spots",
        {"color": "commits"},
        ["color=quantile", "height=log::2,000 points"],
        ["color=mean"],
        "cividis",
        "none",
    )
    assert look == Mapping(
        height="hot_spots",
        color="commits",
        height_scale=Scale("log", None, 2000),
        color_scale=Scale("quantile"),
        color_by="mean",
        color_map="cividis",
        thickness="none",
    )


# -- classes -------------------------------------------------------------------------------------------------


def many_kinds() -> Graph:
    """Ten kinds of files, the first ten times, the second nine times ..."""
    builder = GraphBuilder("kinds")
    for kind in range(10):
        for number in range(10 - kind):
            name = f"{kind}-{number}"
            builder.add_node(name, "", name, f"sort {kind}", values={"sloc": 10.0})
    return builder.freeze()


def test_classes_have_colors_and_the_rest_is_others() -> None:
    """CBV-13: the most frequent have a colour of Okabe and Ito each; the legend lists them with their counts."""
    graph = many_kinds()
    scene = scene_of(graph, mapping=replace(MAPPING, color="kind", height="sloc"))
    entries = scene.color_legend.classes
    assert [entry.name for entry in entries] == [f"sort {kind}" for kind in range(7)] + [OTHERS]
    assert [entry.count for entry in entries] == [10, 9, 8, 7, 6, 5, 4, 3 + 2 + 1]
    assert [entry.color for entry in entries[:-1]] == list(CLASS_COLORS)
    for entry in entries:
        drawn = (scene.color[scene.tree.leaf] == entry.color).all(axis=1).sum()
        assert drawn == entry.count
    legend = furniture.color_legend(scene, *SIZE)
    assert {"Kind", OTHERS, "10", "6"} <= set(words(legend))
    card = legend.items[0]
    assert isinstance(card, Rect)
    _, y, _, tall = furniture.corners(*SIZE, scene)[1]
    assert y <= card.y
    assert y + tall >= card.y + card.height


def test_where_nothing_has_a_class_all_is_grey() -> None:
    """CBV-13: a time range without commits has no authors."""
    tree, theme = scene_of(shop()).tree, THEMES["light"]
    color, entries = class_colors(tree, np.full(len(shop()), np.nan), (), (), theme)
    assert not entries
    assert (color == theme.missing).all()


def test_a_class_keeps_its_color_when_nodes_are_expanded() -> None:
    """CBV-13: which classes have which colour follows from the whole graph, not from what is visible."""
    graph = shop()
    shallow, deep = (
        scene_of(graph, depth, mapping=replace(MAPPING, color="language", height="sloc")) for depth in (1, 2)
    )
    assert {entry.name: entry.color for entry in shallow.color_legend.classes} == {
        entry.name: entry.color for entry in deep.color_legend.classes
    }


@pytest.mark.parametrize(("field", "what"), [("height", "height"), ("angle", "width")])
def test_a_class_has_no_extent(field: str, what: str) -> None:
    """A class is no amount: asking for it as one is an error in one sentence."""
    with pytest.raises(InputError, match=f"Kind is a class, which has no {what}"):
        scene_of(shop(), mapping=replace(MAPPING, **{field: "kind"}))


# -- aggregation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", choices(METRICS["complexity"]))
def test_heights_follow_the_aggregation(how: str) -> None:
    """CBV-13: aggregation is chosen for each variable; the legend and the tooltip say so."""
    graph = shop()
    scene = scene_of(graph, 1, mapping=replace(MAPPING, height_by=how))
    column = aggregated(graph, scene.values["complexity"], how, scene.values["sloc"])
    leaves = np.flatnonzero(scene.tree.leaf)
    expected = column[scene.tree.key[leaves]]
    np.testing.assert_allclose(scene.height[leaves], TALLEST * expected / expected.max())
    assert scene.height_legend.label in " ".join(furniture.tooltip_lines(scene, int(leaves[0])))
    assert scene.height_legend.label != METRICS["complexity"].label


@given(st.integers(0, 20))
def test_siblings_are_as_wide_as_their_means(seed: int) -> None:
    """CBV-13: the aggregation of the angular size is selectable, though means do not add up."""
    graph = random_graph(40, 0, seed=seed)
    column = aggregated(graph, Values(Subject(graph), METRICS)["sloc"], "mean", np.ones(len(graph)))
    total = graph.tree.subtree_sum(np.nan_to_num(proportional_weight(graph, column)))
    for key in range(len(graph)):
        below = [child for child in graph.children(key).tolist() if column[child] > 0]
        if len(below) > 1 and column[key] > 0:
            np.testing.assert_allclose(total[below] / total[below].sum(), column[below] / column[below].sum())


# -- thickness -----------------------------------------------------------------------------------------------


def fan_of(weights: list[float]) -> FanOut:
    n = len(weights)
    row = np.zeros(n, np.int32)
    return FanOut(row.copy(), np.zeros(n), row.copy(), row.copy(), np.array(weights), np.arange(1, n + 1), row.copy())


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20))
def test_thickness_is_logarithmic(weights: list[float]) -> None:
    """CBV-12: thicker means more; the same ratio is the same step; never thinner or thicker than the limits."""
    thick = thickness(fan_of(weights), "weight")
    order = np.argsort(weights, kind="stable")
    assert (np.diff(thick.factor[order]) >= 0).all()
    if max(weights) > min(weights):
        assert (thick.factor.min(), thick.factor.max()) == (pytest.approx(THIN), pytest.approx(THICK))
        middle = math.sqrt(thick.least * thick.most)
        assert float(thick.of(middle)) == pytest.approx((THIN + THICK) / 2)
    else:
        assert (thick.factor == 1).all()


def test_thickness_can_be_by_number_or_not_at_all() -> None:
    """CBV-12: by weight, by how many relations a curve stands for, or all alike; the legend says which."""
    assert (thickness(fan_of([5.0, 1.0]), "none").factor == 1).all()
    assert thickness(fan_of([5.0, 1.0, 1.0]), "count").most == 3
    assert len(thickness(fan_of([]), "weight").factor) == 0
    with pytest.raises(InputError, match="no thickness 'fat'"):
        thickness(fan_of([1.0]), "fat")
    scene = random_scene()
    alike = scene_of(scene.graph, mapping=replace(MAPPING, thickness="none"))
    legend, plain = (words(furniture.relation_legend(s, *SIZE)) for s in (scene, alike))
    assert "weight" in legend
    assert f"{scene.thickness.most:,.3g}" in legend
    assert "weight" not in plain


# -- reading heights -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SCALES)
def test_lines_behind_the_ring_lie_at_their_values(kind: str) -> None:
    """CBV-13: heights can be read: a line at the maximum, and where there is room between, each at its height."""
    scene = scene_of(shop(), mapping=replace(MAPPING, height_scale=Scale(kind)))
    found = levels(scene.height_legend)
    assert found[-1].value == scene.height_legend.maximum
    for level in found:
        assert level.z == pytest.approx(TALLEST * float(scene.height_legend.axis.place(level.value)))
    lines = level_lines(scene.height_legend, float(scene.layout.band1))
    assert lines.shape[0] == len(found)
    np.testing.assert_allclose(np.hypot(lines[:, :-1, 0], lines[:, :-1, 1]), BEHIND * scene.layout.band1, rtol=1e-6)
    assert (lines[:, :, 1] > 0).all()  # behind


def test_lines_stay_behind_when_the_view_turns() -> None:
    """The lines turn with the camera, and with them their values; from above there are none."""
    scene = scene_of(shop())
    line = level_lines(scene.height_legend, 0.8)[-1]
    straight = Camera(0.0, 40.0).fitted(*SIZE)
    before = straight.project(np.asarray(line, np.float64), *SIZE)[0]
    turned = straight.with_(azimuth=70.0, center=tuple(turn(np.array([[*straight.center, 0]], np.float32), 70)[0, :2]))
    np.testing.assert_allclose(turned.project(turn(line, 70.0), *SIZE)[0], before, atol=1e-3)
    assert scene.height_legend.show(scene.height_legend.maximum) in words(level_values(scene, straight, *SIZE))
    assert not level_values(scene, Camera(), *SIZE).items


def test_nothing_measured_has_no_lines() -> None:
    """No scale, no lines."""
    scene = scene_of(shop(), mapping=replace(MAPPING, height="commits"))
    assert not levels(scene.height_legend)
    assert level_lines(scene.height_legend, 1.0).shape[0] == 0


@pytest.mark.parametrize("tilt", [0.0, 38.0])
def test_selected_values_are_printed(tilt: float) -> None:
    """CBV-13: name, height and colour of the selection in the picture, with units; no card over another or a legend."""
    scene = scene_of(shop())
    items = np.flatnonzero(scene.tree.leaf)[:6].tolist()
    picture = selected_values(scene, items, Camera(0.0, tilt).fitted(*SIZE), *SIZE)
    cards = [item for item in picture.items if isinstance(item, Rect)]
    assert len(cards) == 6
    texts = words(picture)
    for item in items:
        value = item_values(scene.tree, scene.values["complexity"], METRICS["complexity"])[item]
        assert scene.graph.names[scene.tree.key[item]] in texts
        assert f"Cyclomatic complexity: {METRICS['complexity'].show(float(value))}" in texts
        assert len(value_lines(scene, item)) == 2
    boxes = [(card.x, card.y, card.width, card.height) for card in cards] + furniture.corners(*SIZE, scene)
    for number, (x, y, wide, tall) in enumerate(boxes[:6]):
        assert x >= 0
        assert y >= 0
        assert x + wide <= SIZE[0]
        assert y + tall <= SIZE[1]
        for ox, oy, ow, oh in boxes[number + 1 :]:
            assert ox >= x + wide or ox + ow <= x or oy >= y + tall or oy + oh <= y


def test_a_card_tells_of_what_is_selected_not_of_what_stands_for_it() -> None:
    """In a collapsed folder the selected file is named, with its own values; several are counted."""
    scene = scene_of(shop(), 1)
    graph, camera = scene.graph, Camera(0.0, 0.0).fitted(*SIZE)
    leaves = np.flatnonzero(scene.tree.leaf).tolist()
    item = next(i for i in leaves if len(graph.children(int(scene.tree.key[i]))) > 1)
    outer = int(scene.tree.key[item])
    first, second = graph.children(outer)[:2].tolist()
    texts = words(selected_values(scene, [item], camera, *SIZE, inside={item: [first]}))
    assert texts[:2] == [graph.names[first], f"in {graph.names[outer]}"]
    value = METRICS["complexity"].show(float(scene.values["complexity"][first]))
    assert f"Cyclomatic complexity: {value}" in texts
    several = words(selected_values(scene, [item], camera, *SIZE, inside={item: [first, second]}))
    assert several == ["2 selected", f"in {graph.names[outer]}"]
    assert words(selected_values(scene, [item], camera, *SIZE))[0] == graph.names[outer]


def test_values_do_not_stand_on_those_of_the_height_scale() -> None:
    """CBV-13: the lines behind the ring keep their values, whatever is selected, and a card hides what it covers."""
    scene = scene_of(shop())
    for size in ((700, 660), SIZE):
        for azimuth in range(0, 360, 15):
            camera = Camera(azimuth, 38.0).fitted(*size)
            told = [item for item in level_values(scene, camera, *size).items if isinstance(item, Text)]
            for item in np.flatnonzero(scene.tree.leaf).tolist():
                [card] = [r for r in selected_values(scene, [item], camera, *size).items if isinstance(r, Rect)]
                assert card.fill[3] == 255
                for text in told:
                    wide = furniture.rough_width(text.text, text.size, False)
                    left = text.x - (wide if text.anchor == "right" else 0)
                    aside = card.x >= left + wide or card.x + card.width <= left
                    assert aside or not card.y < text.y < card.y + card.height


def test_values_stand_beside_the_disc() -> None:
    """CBV-13: in a narrow picture they are rather left out than printed over the ring, but for the first one."""
    scene, size = scene_of(shop()), (640, 480)
    camera = Camera(0.0, 38.0).fitted(*size)
    angle = np.linspace(0, 2 * np.pi, 360)
    rim = camera.project(np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1), *size)[0]
    items = np.flatnonzero(scene.tree.leaf)[:6].tolist()
    cards = [item for item in selected_values(scene, items, camera, *size).items if isinstance(item, Rect)]
    assert 1 <= len(cards) < 6
    for card in cards[1:]:
        inside = (rim > (card.x + 8, card.y + 8)) & (rim < (card.x + card.width - 8, card.y + card.height - 8))
        assert not inside.all(axis=1).any()


def test_a_legend_is_found_where_it_stands() -> None:
    """A click on a legend opens what it is about."""
    scene = scene_of(shop())
    pictures = furniture.legends(scene, *SIZE)
    for name, picture in pictures.items():
        card = picture.items[0]
        assert isinstance(card, Rect)
        assert furniture.card_at(pictures, card.x + 3, card.y + 3) == name
        assert furniture.card_at(pictures, card.x - 3, card.y + 3) == ""
    assert furniture.card_at(pictures, 640, 400) == ""


def test_legends_say_how_values_are_scaled_and_clipped() -> None:
    """CBV-13: the kind of scale, and that there is more beyond its ends."""
    scene = scene_of(
        shop(), mapping=replace(MAPPING, color_scale=Scale("log", None, 120), height_scale=Scale("quantile", 10, 90))
    )
    color, height = (words(piece(scene, *SIZE)) for piece in (furniture.color_legend, furniture.height_legend))
    assert "log" in color
    assert any(text.startswith("≥ 120") for text in color)
    assert "ranks" in height
    assert any(text.startswith("≥ 90") for text in height)
    assert any(text.startswith("≤ 10") for text in height)
