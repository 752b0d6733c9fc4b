"""The values of the selected segments, printed beside them: name, height and colour with their units (CBV-13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.answer_legends import kept_clear
from cbvtool.geometry.overlay.furniture import plan_lines
from cbvtool.geometry.overlay.headline import headline_box
from cbvtool.geometry.overlay.labels import Measure, rough_width, shorten
from cbvtool.geometry.overlay.legends import BODY, PAD, SMALL
from cbvtool.geometry.overlay.levels import level_values, value_boxes
from cbvtool.geometry.picture import Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scene.scene import Scene, item_values
from cbvtool.words import one_line

MOST = 6  # segments with a card; more would hide the picture
AWAY = 46.0  # px from a segment to its values
LINE = 15.0  # px from line to line
WIDEST = 210.0  # px of text
INSET = 7.0  # px between a card's edge and its text
TRIES = 12  # places further out that are tried before a card is left out
STEP = 24.0  # px between them
TURNS = (0.0, 0.5, -0.5, 1.0, -1.0, 1.6, -1.6)  # radians to either side that are tried at each of these places
NONE_INSIDE: Mapping[int, Sequence[int]] = MappingProxyType({})
CLEAR = 16.0  # px kept free around the segment
_ANGLES, _RADII = np.meshgrid(np.linspace(0, 2 * np.pi, 90, endpoint=False), np.linspace(0.1, 1.0, 10))
_DISC = np.stack((np.sin(_ANGLES) * _RADII, np.cos(_ANGLES) * _RADII, 0.0 * _RADII), axis=-1).reshape(-1, 3)


def value_lines(scene: Scene, item: int, key: int = -1) -> list[str]:
    """The values of the metrics of height and colour, each with the metric's name: of an item, or of a node in it."""
    shown = {v.metric.label: v for v in (scene.variables["height"], scene.variables["color"])}
    lines = []
    for label, variable in shown.items():
        if scene.values.takes_long(variable.metric.name):
            continue  # this metric is still being measured
        own = variable.column if key >= 0 else item_values(scene.tree, variable.column, variable.metric)
        value = float(own[key if key >= 0 else item])
        lines.append(f"{label}: {variable.metric.show(value)}")
    return lines


def selected_values(
    scene: Scene,
    items: Sequence[int],
    camera: Camera,
    width: int,
    height: int,
    *,
    measure: Measure = rough_width,
    inside: Mapping[int, Sequence[int]] = NONE_INSIDE,
) -> Picture:
    """A card outside of the ring for each of the first items, with a line to its segment; no card covers another.

    items    of the selection, in its order
    inside   item -> keys of selected nodes that this collapsed container hides: the card is about them
    """
    if not items:
        return Picture(width, height)
    theme = THEMES[scene.state.theme]
    taken = _taken(scene, camera, width, height, measure)
    disc = camera.project(_DISC, width, height)[0]
    found: list[Item] = []
    for item in items[:MOST]:
        at, way = _anchor(scene, item, camera, width, height)
        name, lines = _told(scene, item, inside.get(item, ()))
        lines = [shorten(line, WIDEST, SMALL, measure) for line in lines]
        name = shorten(name, WIDEST, BODY, measure)
        wide = max(measure(name, BODY, True), *(measure(line, SMALL, False) for line in lines)) + 2 * INSET
        tall = LINE * (1 + len(lines)) + INSET
        box = _free(at, way, wide, tall, taken, width, height, disc)
        if box is None and item == items[0]:
            box = _free(at, way, wide, tall, taken, width, height, disc[:0])  # the first card is always shown
        if box is None:
            continue
        taken.append(box)
        x, y = box[:2]
        end = min(max(at[0], x), x + wide), min(max(at[1], y), y + tall)
        found.append(Polyline(((float(at[0]), float(at[1])), (float(end[0]), float(end[1]))), theme.accent, 1.0))
        found.append(Rect(round(x) + 0.5, round(y) + 0.5, wide, tall, theme.ground, theme.accent, 4.0))
        y += INSET / 2 + LINE / 2
        found.append(Text(name, x + INSET, y, BODY, theme.text, "left", bold=True))
        for line in lines:
            y += LINE
            found.append(Text(line, x + INSET, y, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(found))


def card_boxes(picture: Picture) -> list[Box]:
    """(x, y, width, height) of the cards in a picture of `selected_values`, which names keep out of."""
    return [(item.x, item.y, item.width, item.height) for item in picture.items if isinstance(item, Rect)]


def _told(scene: Scene, item: int, inside: Sequence[int]) -> tuple[str, list[str]]:
    """(name, lines below it) for the card of an item, or of selected nodes that it hides."""
    graph = scene.graph
    name = "(module)" if scene.tree.slot[item] else one_line(graph.names[int(scene.tree.key[item])])
    if not inside:
        planned = [] if scene.tree.slot[item] else plan_lines(scene, int(scene.tree.key[item]))
        return name, [*planned, *value_lines(scene, item)]
    if len(inside) > 1:
        return f"{len(inside):,} selected", [f"in {name}"]
    values = value_lines(scene, item, inside[0])
    return one_line(graph.names[inside[0]]), [f"in {name}", *plan_lines(scene, inside[0]), *values]


def _taken(scene: Scene, camera: Camera, width: int, height: int, measure: Measure) -> list[Box]:
    """The boxes of legends, answers, the headline, and the values of the height scale."""
    taken = kept_clear(scene, width, height, measure=measure) + headline_box(scene, width, height, measure)
    return taken + value_boxes(level_values(scene, camera, width, height, measure=measure), measure)


def _anchor(
    scene: Scene, item: int, camera: Camera, width: int, height: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(pixel in the middle of the segment's top, unit vector from the middle of the disc to there)."""
    layout = scene.layout
    angle = (layout.a0[item] + layout.a1[item]) / 2
    inner, outer = (layout.band0, layout.band1) if scene.tree.leaf[item] else (layout.r0[item], layout.r1[item])
    radius = (inner + outer) / 2
    spots = np.array([(np.sin(angle) * radius, np.cos(angle) * radius, scene.height[item]), (0.0, 0.0, 0.0)])
    at, middle = camera.project(spots, width, height)[0]
    away = at - middle
    return at, away / max(float(np.hypot(*away)), 1e-9)


def _free(
    at: npt.NDArray[np.float64],
    way: npt.NDArray[np.float64],
    wide: float,
    tall: float,
    taken: list[Box],
    width: int,
    height: int,
    disc: npt.NDArray[np.float64],
) -> Box | None:
    """A place for a card in direction `way`, inside the picture, off `disc`, and apart from the boxes `taken`."""
    for number in range(TRIES):
        for turned in TURNS:
            c, s = np.cos(turned), np.sin(turned)
            direction = np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])
            center = at + direction * (AWAY + number * STEP) + direction * (wide / 2, tall / 2)
            x = min(max(float(center[0] - wide / 2), PAD), width - wide - PAD)
            y = min(max(float(center[1] - tall / 2), PAD), height - tall - PAD)
            seen = not (x - CLEAR < at[0] < x + wide + CLEAR and y - CLEAR < at[1] < y + tall + CLEAR)
            if not seen or any(
                x < bx + bw + 4 and bx < x + wide + 4 and y < by + bh + 4 and by < y + tall + 4
                for bx, by, bw, bh in taken
            ):
                continue
            if not ((disc > (x, y)) & (disc < (x + wide, y + tall))).all(axis=1).any():
                return x, y, wide, tall
    return None
