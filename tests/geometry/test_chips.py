"""Legends fold to chips in small pictures, headline and names keep out of what stands there."""

from __future__ import annotations

import pytest

from cbvtool.geometry.camera import TILT, Camera
from cbvtool.geometry.overlay.chips import LOW, NARROW, TALL, are_chips
from cbvtool.geometry.overlay.headline import headline, headline_box, headline_picture
from cbvtool.geometry.overlay.labels import find_places, rough_width
from cbvtool.geometry.overlay.legends import card_at, card_boxes, corners, legends
from cbvtool.geometry.overlay.levels import level_values, value_boxes
from cbvtool.geometry.picture import Text
from cbvtool.graph import GraphBuilder
from tests.geometry.scenes import scene_of, shop

SMALL = (390, 540)


def test_a_small_picture_has_chips() -> None:
    """All three legends, a line each, inside the picture and apart from each other; each can be clicked."""
    scene = scene_of(shop())
    assert are_chips(*SMALL)
    found = legends(scene, *SMALL)
    assert list(found) == ["height", "color", "thickness"]
    boxes = card_boxes(found)
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert 0 <= left < right <= SMALL[0]
        assert bottom - top == TALL - 1
        assert bottom <= SMALL[1]
        for other in boxes[number + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    said = {name: " ".join(item.text for item in card.items if isinstance(item, Text)) for name, card in found.items()}
    assert "relations" in said["thickness"]
    assert scene.color_legend.label in said["color"]
    assert scene.color_legend.show(scene.color_legend.maximum) in said["color"]
    for name, (left, top, right, bottom) in zip(found, boxes, strict=True):
        assert card_at(found, (left + right) / 2, (top + bottom) / 2) == name


@pytest.mark.parametrize(("size", "folds"), [((NARROW, LOW), False), ((NARROW - 1, LOW), True), ((NARROW, 100), True)])
def test_a_larger_picture_has_cards(size: tuple[int, int], folds: bool) -> None:
    assert (corners(*size)[1][3] == TALL) == folds


def test_the_headline_ends_before_the_legend() -> None:
    """It takes a second line rather than running below the card of heights."""
    builder = GraphBuilder("project")
    for number in range(400):
        name, lines = f"part_{number}", 900.0 if number < 5 else 1.0
        values = {"sloc": 100.0, "complexity": lines}
        builder.add_node(name, "", name, "file", file=name, line=1, end_line=9, values=values)
    scene = scene_of(builder.freeze())
    for width, lines in ((440, 2), (900, 1)):
        left = corners(width, 600, scene)[0][0]
        [(x, _, wide, _)] = headline_box(scene, width, 600, rough_width)
        assert x + wide <= left
        words = [item.text for item in headline_picture(scene, width, 600).items if isinstance(item, Text)]
        assert len(words) == lines
        assert " ".join(words) == headline(scene)


def test_names_keep_out_of_the_values_of_the_scale() -> None:
    """What stands at the end of a line of the height scale is covered by no name."""
    scene, size = scene_of(shop()), (900, 640)
    camera = Camera(tilt=TILT).fitted(*size)
    boxes = value_boxes(level_values(scene, camera, *size))
    assert boxes
    wall = [(0.0, 0.0, float(size[0]), float(size[1]))]
    assert not find_places(scene, camera, *size, clear=wall)
    for place in find_places(scene, camera, *size, clear=boxes):
        for x, y, wide, tall in boxes:
            assert not ((place.path >= (x, y)) & (place.path <= (x + wide, y + tall))).all(axis=1).any()
