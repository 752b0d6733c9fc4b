"""What stands around the ring: labels, title, legends, tooltip (look-and-feel)."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay import labels as label_module
from cbvtool.geometry.overlay.answer_legends import with_answers
from cbvtool.geometry.overlay.labels import SMALLEST, find_places, rough_width, shorten
from cbvtool.geometry.overlay.legends import legends
from cbvtool.geometry.overlay.ticks import nice_values
from cbvtool.geometry.picking.pick import pick_item
from cbvtool.geometry.picture import Picture, Polyline, Rect, Text
from cbvtool.geometry.scales import TALLEST, Axis
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.view_state import RelationFilter
from cbvtool.graph import GraphBuilder
from tests.geometry.scenes import MAPPING, random_scene, scene_of, shop

SIZES = [(1280, 800), (1600, 1000), (2560, 1440)]
TILTS = [0.0, 38.0, 52.0]


def texts(picture: Picture) -> list[Text]:
    return [item for item in picture.items if isinstance(item, Text)]


def words(picture: Picture) -> str:
    return " | ".join(text.text for text in texts(picture))


def cards(picture: Picture) -> Rect:
    """The card of a legend: its first item."""
    card = picture.items[0]
    assert isinstance(card, Rect)
    return card


def corners(text: Text) -> np.ndarray:
    """float64[4, 2]: the box around a text, as it is painted."""
    wide, tall = rough_width(text.text, text.size, text.bold), text.size
    left = {"left": 0.0, "center": -wide / 2, "right": -wide}[text.anchor]
    box = np.array([(left, -tall / 2), (left + wide, -tall / 2), (left + wide, tall / 2), (left, tall / 2)])
    turn = math.radians(text.angle)
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    return box @ rotation + (text.x, text.y)


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two boxes have points in common: no edge of either parts them."""
    for box in (a, b):
        for edge in box[1] - box[0], box[3] - box[0]:
            along_a, along_b = a @ edge, b @ edge
            if along_a.max() <= along_b.min() or along_b.max() <= along_a.min():
                return False
    return True


def ring_outline(scene: Scene, camera: Camera, width: int, height: int) -> np.ndarray:
    """float64[k, 2]: the rim of the disc, and the tops of all blocks, in pixels."""
    angle = np.linspace(0, 2 * np.pi, 720)
    points = [np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)]
    for item in np.flatnonzero(scene.tree.leaf):
        angle = np.linspace(scene.layout.a0[item], scene.layout.a1[item], 5)
        for radius in (scene.layout.band0, scene.layout.band1):
            top = np.full_like(angle, scene.height[item])
            points.append(np.stack((radius * np.sin(angle), radius * np.cos(angle), top), axis=1))
    return camera.project(np.concatenate(points), width, height)[0]


# -- labels on the ring --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("azimuth", [0.0, 77.0, 190.0])
def test_labels_keep_out_of_boxes(size: tuple[int, int], tilt: float, azimuth: float) -> None:
    """Look-and-feel: no name under a legend."""
    scene = random_scene(60, 60)
    camera = Camera(azimuth, tilt).fitted(*size)
    box = (size[0] * 0.1, size[1] * 0.3, size[0] * 0.5, size[1] * 0.4)
    free = texts(furniture.labels(scene, camera, *size))
    found = texts(furniture.labels(scene, camera, *size, clear=[box]))

    def is_in_it(text: Text) -> bool:
        return 0 < text.x - box[0] < box[2] and 0 < text.y - box[1] < box[3]

    assert any(map(is_in_it, free))
    assert not any(map(is_in_it, found))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("azimuth", [0.0, 77.0, 190.0])
def test_labels_are_legible(size: tuple[int, int], tilt: float, azimuth: float) -> None:
    """Look-and-feel: 11 to 13 px, inside the picture, never upside down, none over another."""
    scene = random_scene(60, 60)
    camera = Camera(azimuth, tilt).fitted(*size)
    found = texts(furniture.labels(scene, camera, *size))
    assert len(found) > 10
    assert {text.size for text in found} <= {SMALLEST, 11.0, 12.0, 13.0}
    for key in {text.key for text in found}:
        angles = [text.angle for text in found if text.key == key]
        assert -90.5 <= angles[len(angles) // 2] <= 90.5
        assert max(abs(angle) for angle in angles) < 115  # letters of a name that bends
    boxes = {id(text): corners(text) for text in found}
    for text in found:
        box = boxes[id(text)]
        assert box.min() > -1
        assert (box < np.array(size) + 1).all()
        for other in found:
            if other.key > text.key:  # letters of one name may touch
                assert not overlap(box, boxes[id(other)]), (text.text, other.text)


@pytest.mark.parametrize("tilt", TILTS)
def test_labels_stand_on_their_own_segment(tilt: float) -> None:
    """What a label names is what is picked under it; those outside of the ring stand on nothing."""
    size = (1600, 1000)
    scene = random_scene(60, 60)
    camera = Camera(30.0, tilt).fitted(*size)
    places = find_places(scene, camera, *size)
    assert len(places) > 10
    on_ring = 0
    for place in places:
        spots = np.linspace(place.path[0], place.path[-1], 7)[1:-1] if len(place.path) == 2 else place.path[1:-1]
        picked = {pick_item(scene, *camera.ray(spot[0], spot[1], size[0], size[1])) for spot in spots}
        if picked != {-1}:
            on_ring += 1
            assert picked <= {place.item}, place.text
    assert on_ring > 0.6 * len(places)


def test_a_name_behind_a_block_is_not_written_over_it() -> None:
    """Names do not cover data: at a flat angle the far rings lie behind the blocks, and lose their names."""
    size = (1600, 1000)
    scene = random_scene(60, 60)
    camera = Camera(tilt=68.0).fitted(*size)
    places = find_places(scene, camera, *size)
    assert len(places) > 10
    for place in places:
        spots = np.linspace(place.path[0], place.path[-1], 7)[1:-1] if len(place.path) == 2 else place.path[1:-1]
        assert {pick_item(scene, *camera.ray(spot[0], spot[1], size[0], size[1])) for spot in spots} <= {
            place.item,
            -1,
        }, place.text
    low = replace(scene, height=np.zeros_like(scene.height))
    assert len(find_places(low, camera, *size)) > len(places)


def test_labels_are_upright_while_moving() -> None:
    """Look-and-feel: along the ring when still, upright while moving, with a halo where they cross data."""
    scene, size = random_scene(60, 60), (1600, 1000)
    camera = Camera.fit(*size)
    still, moving = (texts(furniture.labels(scene, camera, *size, moving=moving)) for moving in (False, True))
    assert any(abs(text.angle) > 5 for text in still)
    assert moving
    assert all(text.angle == 0 for text in moving)
    assert all(text.halo is not None and text.halo[3] > 0 for text in moving)
    boxes = [corners(text) for text in moving]
    assert not any(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_small_picture_has_fewer_labels_not_smaller_ones() -> None:
    """Look-and-feel: "never below 9 px (then hidden, not shrunk)"; the names of the outermost ring go last."""
    scene = random_scene(60, 60)
    counts = []
    for size in ((2560, 1600), (1280, 800), (640, 400), (200, 120)):
        found = texts(furniture.labels(scene, Camera.fit(*size), *size))
        assert all(text.size >= 9 for text in found)
        counts.append(len({text.key for text in found}))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 2 * counts[2]


def test_labels_fit_the_font_of_the_painter() -> None:
    """A wider font makes names shorter or drops them: they are measured, not guessed."""
    scene, size = random_scene(60, 60), (1600, 1000)
    camera = Camera.fit(*size)
    normal = furniture.labels(scene, camera, *size)
    wide = furniture.labels(scene, camera, *size, measure=lambda text, size, bold: 2.5 * rough_width(text, size, bold))
    assert len({text.key for text in texts(wide)}) < len({text.key for text in texts(normal)})


def test_faded_segments_have_faded_names() -> None:
    """Look-and-feel: "it and its partners light up, the rest fades"."""
    scene, size = scene_of(shop()), (1600, 1000)
    lit = np.zeros(len(scene.tree), np.bool_)
    lit[scene.tree.represent[scene.graph.key_of["core"]]] = True
    core = scene.graph.key_of["core"]
    found = texts(furniture.labels(scene, Camera.fit(*size), *size, lit=lit))
    assert {text.color[3] == 255 for text in found if text.key == core} == {True}
    assert {text.color[3] == 255 for text in found if text.key != core} == {False}


def test_letters_are_told_from_what_they_stand_on() -> None:
    """Names on data take pale letters on dark colours and dark ones on pale colours."""
    scene, size = scene_of(shop()), (1600, 1000)
    for shade in ((20, 30, 60, 255), (250, 230, 160, 255)):
        color = scene.color.copy()
        color[scene.tree.leaf] = shade
        files = {key for key, name in enumerate(scene.graph.names) if name.endswith(".py")}
        found = texts(furniture.labels(replace(scene, color=color), Camera.fit(*size), *size))
        on_data = [text for text in found if text.key in files and text.halo not in (None, text.color)]
        assert on_data
        assert all(abs(sum(text.color[:3]) - sum(shade[:3])) > 300 for text in on_data)


@given(st.text("abc_.", min_size=1, max_size=30), st.floats(5, 200))
def test_an_abbreviated_name_fits(name: str, room: float) -> None:
    """It is the name, or at least four of its letters and an ellipsis, or nothing."""
    short = shorten(name, room, 12.0, rough_width)
    assert rough_width(short, 12.0) <= room or not short
    if short and short != name:
        assert short.endswith("…")
        assert name.startswith(short[:-1])
    if rough_width(name, 12.0) <= room:
        assert short == name


# -- title and legends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("color", ["nl3", "commits"])
def test_nothing_overlaps_the_ring(size: tuple[int, int], tilt: float, color: str) -> None:
    """Title and legends stand free of the ring, of its blocks and of one another, at every size."""
    scene = scene_of(shop(), mapping=replace(MAPPING, color=color))
    camera = Camera(0.0, tilt).fitted(*size)
    pieces = [
        furniture.color_legend(scene, *size),
        furniture.height_legend(scene, *size, camera=camera),
        furniture.relation_legend(scene, *size),
    ]
    boxes = [(c.x, c.y, c.x + c.width, c.y + c.height) for c in map(cards, pieces)]
    title = furniture.title(scene, *size, "shop with a rather long name")
    areas = np.concatenate([corners(text) for text in texts(title)])
    boxes.append((*areas.min(axis=0), *areas.max(axis=0)))
    outline = ring_outline(scene, camera, *size)
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= size[0]
        assert bottom <= size[1]
        inside = (outline > (left, top)).all(axis=1) & (outline < (right, bottom)).all(axis=1)
        assert not inside.any()
        for other in boxes[:number]:
            assert other[0] >= right or other[2] <= left or other[1] >= bottom or other[3] <= top
    for piece in pieces:  # and nothing sticks out of its card
        card = cards(piece)
        for text in texts(piece):
            box = corners(text)
            assert (box.min(axis=0) >= (card.x, card.y)).all()
            assert (box.max(axis=0) <= (card.x + card.width, card.y + card.height)).all()


def test_the_title_counts() -> None:
    """The subject, and how much of it is shown, with thousands separators."""
    scene = scene_of(shop())
    assert words(furniture.title(scene, 1600, 1000, commit="1a2b3c4d5e6f7a8b")) == (
        "shop | 14 files  ·  6 relations  ·  commit 1a2b3c4d5e"
    )
    many = random_scene(1200, 10)
    assert "1,200 files" in words(furniture.title(many, 1600, 1000))
    part = scene_of(shop(), root=shop().key_of["core"])
    assert "Only core" in words(furniture.title(part, 1600, 1000))


def test_legends_show_absolute_values_with_units() -> None:
    """CBV-13: what the ends of both scales mean, in the unit of the metric."""
    scene = scene_of(shop())
    color, height = (piece(scene, 1600, 1000) for piece in (furniture.color_legend, furniture.height_legend))
    sloc, complexity = scene.color_legend.metric, scene.height_legend.metric
    assert sloc.label in words(color)
    assert sloc.show(0) in words(color)
    assert sloc.show(140) in words(color)
    assert complexity.label in words(height)
    assert complexity.show(161) in words(height)
    assert "not measured" not in words(color)


def test_the_color_bar_is_the_scale() -> None:
    """The bar runs through the colours of the map, each piece reaches below the next."""
    scene = scene_of(shop())
    bar = [item for item in furniture.color_legend(scene, 1600, 1000).items if isinstance(item, Rect)][1:]
    stops = scene.color_legend.stops
    for piece, (_, color) in ((bar[0], stops[0]), (bar[-1], stops[-1])):
        np.testing.assert_allclose(piece.fill[:3], color[:3], atol=12)
    for left, right in pairwise(bar):
        assert left.x < right.x < left.x + left.width


def test_a_narrow_logarithmic_legend_says_what_its_middle_is() -> None:
    """CBV-4, CBV-13: absolute values: where the unit has no room, the numbers between the ends go without it."""
    scene = scene_of(shop())
    metric = replace(scene.color_legend.metric, label="Complexity", unit="paths", format=None)
    legend = replace(scene.color_legend, metric=metric, axis=Axis(0.0, 4493.0, "log", grain=1.0), classes=())
    said = words(furniture.color_legend(replace(scene, color_legend=legend), 500, 500))
    assert "| 4,493 paths" in said
    assert re.search(r"\| 10+ \|", said + " |"), said
    counted = replace(legend, axis=Axis(0.0, 20.0))
    said = words(furniture.color_legend(replace(scene, color_legend=counted), 500, 500))
    assert re.search(r"20 paths \| 0 paths \| \d+ paths", said), "where there is room for it, all have it"


@pytest.mark.parametrize("size", [(1600, 1000), (500, 400)])
def test_a_legend_of_classes_that_nothing_has(size: tuple[int, int]) -> None:
    """CBV-4: a metric of classes, such as of authors whose names are hidden, may have none: it is named alone."""
    scene = scene_of(shop())
    metric = replace(scene.color_legend.metric, label="Owner", names=lambda subject: ())
    legend = replace(scene.color_legend, metric=metric, stops=(), classes=(), missing=14)
    shown = legends(replace(scene, color_legend=legend), *size)
    assert shown is not None
    assert "Owner" in words(furniture.color_legend(replace(scene, color_legend=legend), *size))


def test_the_legend_explains_the_grey_of_what_was_not_measured() -> None:
    """History metrics of a subject without history: the swatch and the count, and no scale."""
    scene = scene_of(shop(), mapping=replace(MAPPING, color="commits", height="commits"))
    legend = furniture.color_legend(scene, 1600, 1000)
    assert "not measured (14)" in words(legend)
    assert any(isinstance(item, Rect) and item.fill == THEMES["light"].missing for item in legend.items)
    assert "not measured" in words(furniture.height_legend(scene, 1600, 1000))


@pytest.mark.parametrize("tilt", [25.0, 38.0, 45.0])
def test_the_height_ruler_is_as_long_as_a_block_looks(tilt: float) -> None:
    """Heights are readable: the ruler spans the pixels of the tallest block in the middle of the picture."""
    scene, size = scene_of(shop()), (1000, 640)
    camera = Camera(0.0, tilt).fitted(*size)
    (x0, y0), (x1, y1) = camera.project(np.array([(*camera.center, 0.0), (*camera.center, TALLEST)]), *size)[0]
    ticks = [
        item.points[0][1]
        for item in furniture.height_legend(scene, *size, camera=camera).items
        if isinstance(item, Polyline) and not item.fill[3]
    ]
    assert max(ticks) - min(ticks) == pytest.approx(math.hypot(x1 - x0, y1 - y0))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e9), st.integers(2, 8))
def test_ticks_are_round_and_few(minimum: float, span: float, most: int) -> None:
    """Both ends, and round values between them: multiples of 1, 2 or 5 times a power of ten, well apart."""
    maximum = minimum + span
    if not maximum > minimum:
        return
    values = nice_values(minimum, maximum, most)
    assert values[0] == minimum
    assert values[-1] == maximum
    assert len(values) <= most + 1
    assert values == sorted(values)
    between = np.array(values[1:-1])
    if len(between) > 1:
        step = between[1] - between[0]
        digit = step / 10 ** math.floor(math.log10(step * 1.0000001))
        assert min(abs(digit - nice) for nice in (1, 2, 5, 10)) < 1e-3 or span / abs(maximum) < 1e-6


def test_ticks_of_counted_things_are_whole() -> None:
    """There is no half commit."""
    assert nice_values(0.0, 2.0, 6, 1.0) == [0.0, 1.0, 2.0]
    assert nice_values(0.0, 2.0, 6) == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_one_value_everywhere_is_no_scale() -> None:
    """A subject whose files are all alike: the legend says the value instead of drawing a scale without extent."""
    scene = scene_of(shop())
    flat = replace(scene.height_legend, axis=Axis(3.0, 3.0))
    scene = replace(scene, height_legend=flat, color_legend=replace(scene.color_legend, axis=Axis(3.0, 3.0)))
    for legend in (furniture.color_legend(scene, 1600, 1000), furniture.height_legend(scene, 1600, 1000)):
        assert "everywhere" in words(legend)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_relation_legend_runs_from_user_to_used(theme: str) -> None:
    """Look-and-feel: from teal to orange, narrower toward the used end; and how many relations are shown."""
    scene = scene_of(shop(), theme=theme)
    legend = furniture.relation_legend(scene, 1600, 1000)
    assert "6 shown" in words(legend)
    pieces = [item for item in legend.items[1:] if isinstance(item, Rect)]
    assert pieces[0].height > 2 * pieces[-1].height
    np.testing.assert_allclose(pieces[0].fill[:3], THEMES[theme].user[:3], atol=40)
    np.testing.assert_allclose(pieces[-1].fill[:3], THEMES[theme].used[:3], atol=40)


# -- tooltip -------------------------------------------------------------------------------------------------


def item_of(scene: Scene, name: str) -> int:
    return int(scene.tree.represent[scene.graph.key_of[name]])


def test_a_tooltip_gives_absolute_values() -> None:
    """CBV-8: path, sort and place, the mapped metrics with their units, and the relations across the border."""
    scene = scene_of(shop())
    lines = furniture.tooltip_lines(scene, item_of(scene, "billing/part_1.py"))
    metrics = scene.values.metrics
    assert lines == [
        "billing > part_1.py",
        "File · billing/part_1.py:1",
        f"{metrics['sloc'].label}: {metrics['sloc'].show(110)}",
        f"{metrics['complexity'].label}: {metrics['complexity'].show(41)}",
        "Uses 1 relation, used by 0 relations",
    ]


def test_a_tooltip_of_a_container_sums_up() -> None:
    """A folder says what is in it: sums, and the relations that cross its border."""
    scene = scene_of(shop())
    core = int(np.flatnonzero(scene.tree.key == scene.graph.key_of["core"])[0])
    lines = furniture.tooltip_lines(scene, core)
    assert lines[:2] == ["core", "Folder"]
    assert any("210" in line for line in lines)
    assert lines[-1] == "Uses 0 relations, used by 6 relations"


def test_a_tooltip_of_what_was_not_measured_says_so() -> None:
    """No number is invented: a metric without a value is not measured."""
    scene = scene_of(shop(), mapping=replace(MAPPING, height="commits"))
    assert f"{scene.values.metrics['commits'].label}: not measured" in furniture.tooltip_lines(scene, 2)


def test_a_tooltip_of_a_slot_speaks_of_the_own_part() -> None:
    """The `(module)` slot of an expanded file has what the file holds itself, without its functions."""
    builder = GraphBuilder("one")
    builder.add_node("a.py", "", "a.py", "file", file="a.py", values={"sloc": 10, "complexity": 1})
    builder.add_node("a.py::f", "a.py", "f", "function", file="a.py", line=4, values={"sloc": 30, "complexity": 7})
    scene = scene_of(builder.freeze())
    slot = int(np.flatnonzero(scene.tree.slot)[0])
    lines = furniture.tooltip_lines(scene, slot)
    assert lines[0] == "a.py (module)"
    assert any("10" in line and "40" not in line for line in lines[2:])


@pytest.mark.parametrize("size", [(660, 690), (820, 760), (1280, 800), (2560, 1440)])
@pytest.mark.parametrize("tilt", [0.0, 38.0, 60.0])
def test_the_disc_keeps_out_of_the_corners_of_the_legends(size: tuple[int, int], tilt: float) -> None:
    """Look-and-feel: no ring lies under a card, however square the canvas; unless the disc became too small."""
    corners = furniture.corners(*size)
    free = Camera(20.0, tilt).fitted(*size)
    camera = free.fitted(*size, clear=corners)
    angle = np.linspace(0, 2 * np.pi, 1000)
    circle = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    pixels = np.concatenate([camera.project(circle + np.array([0, 0, z]), *size)[0] for z in (0.0, 0.15)])
    under = sum(
        int(((pixels > (x + 2, y + 2)) & (pixels < (x + wide - 2, y + tall - 2))).all(axis=1).sum())
        for x, y, wide, tall in corners
    )
    assert under == 0 or camera == free
    assert camera.distance <= 1.41 * free.distance
    if size == (820, 760) and tilt == 38.0:
        assert camera != free, "here the corners are in the way"
        assert under == 0
    if size == (2560, 1440):
        assert camera.distance == pytest.approx(free.distance, abs=1e-3), "here there is room beside the disc"


@pytest.mark.parametrize("size", [(230, 170), (330, 250), (340, 400), (415, 385), (540, 200), (200, 700), (545, 470)])
def test_no_legend_covers_another_in_a_small_view(size: tuple[int, int]) -> None:
    """CBV-13: where there is no room for all, that of relations gives way, then that of heights; never the colours. In
    a smaller view they are chips, which have room.
    """
    scene = scene_of(shop(), filter=RelationFilter(cycles=True))
    found = with_answers(furniture.legends(scene, *size), scene, *size)
    cards_ = [picture.items[0] for name, picture in found.items() if name != "filter"]
    for one, other in combinations(cards_, 2):
        assert isinstance(one, Rect)
        assert isinstance(other, Rect)
        aside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert aside or one.y + one.height <= other.y or other.y + other.height <= one.y
    assert "color" in found
    assert ("thickness" in found) == (size != (415, 385)), "nor do two of them hide the disc"
    assert len(cards_) == (2 if size == (415, 385) else 3)


@pytest.mark.parametrize("width", [320, 350, 430, 460, 800])
def test_legends_do_not_cover_each_other_in_a_narrow_view(width: int) -> None:
    """CBV-13: two views side by side; the disc is kept out of where they are."""
    scene = scene_of(shop())
    found = furniture.legends(scene, width, 700)
    boxes = furniture.corners(width, 700, scene)
    for one, other in pairwise(("color", "thickness", "height")):
        a, b = cards(found[one]), cards(found[other])
        assert a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
    relations = cards(found["thickness"])
    x, y, _, tall = boxes[2]
    assert x <= relations.x
    assert y <= relations.y
    assert relations.y + relations.height <= y + tall


def test_very_many_blocks_hide_at_least_what_they_hide_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of huge scenes are laid out with a coarser skyline, and none stands behind a block."""
    scene = random_scene(900, 100)
    rng = np.random.default_rng(2)
    angle, radius = rng.random(4000) * 2 * np.pi, rng.uniform(0.2, 1.0, 4000)
    points = np.stack((np.sin(angle) * radius, np.cos(angle) * radius, np.zeros(4000)), axis=1)
    camera = Camera.fit(*SIZES[0], azimuth=40.0, tilt=65.0)
    exact = label_module._View(scene, camera, *SIZES[0], rough_width).sees(points)
    monkeypatch.setattr(label_module, "MOST_BLOCKS", 400)
    label_module._SKYLINES.clear()
    coarse = label_module._View(scene, camera, *SIZES[0], rough_width).sees(points)
    label_module._SKYLINES.clear()
    assert not (coarse & ~exact).any()
    assert coarse.sum() > 0.7 * exact.sum() > 0
