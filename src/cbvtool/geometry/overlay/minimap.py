"""The mini-map: a small flat ring of the whole hierarchy. It marks the part that the view shows (CBV-6)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np

from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.legends import MARGIN, card
from cbvtool.geometry.picture import Color, Item, Picture, Polyline
from cbvtool.geometry.scene.scene import Scene

MAP = "map"  # name of its card among the cards of the legends
SIDE = 116.0  # px of its card
RADIUS = 50.0  # px of the ring
RINGS = ((1.0, 0.8), (0.79, 0.62))  # outer and inner radius of the levels below the root
CORE = 0.6  # radius of what lies inside of them
SLIM = 0.012  # radians: narrower nodes get no segment
MOST = 240  # segments at most; the widest nodes get them
LEAST = 0.12  # radians: smallest width of the mark around the visible part
STEP = 0.09  # radians of an arc drawn as one straight piece
ALL_SEEN = 0.7  # if this share of the rim is in the picture, the reader needs no map
FAR = 1.12  # largest radius of the frame around the visible part
BORDER = 12  # points on each side of that frame


@dataclass(frozen=True)
class MapPlace:
    """What a pixel of the map stands for: a node's key, or (x, y) of the disc if that is what the map shows."""

    key: int
    spot: tuple[float, float] | None = None


def wants_map(scene: Scene, camera: Camera, width: int, height: int) -> bool:
    """Whether a part of the hierarchy is out of view, because the view is restricted or zoomed in."""
    if scene.state.root != scene.graph.root:
        return True
    angle = np.linspace(0, 2 * pi, 72, endpoint=False)
    rim = np.stack((np.sin(angle), np.cos(angle), 0 * angle), axis=1)
    pixels, depth = camera.project(rim, width, height)
    seen = (pixels >= 0).all(axis=1) & (pixels <= (width, height)).all(axis=1) & (depth > 0)
    return bool(seen.mean() < ALL_SEEN)


def map_box(width: int, height: int, taken: Collection[Box]) -> Box | None:
    """(x, y, width, height) of the map at the top left; None if it would overlap one of the boxes `taken`."""
    x, y, side = MARGIN, MARGIN, SIDE
    free = all(x >= left + w or left >= x + side or y >= top + h or top >= y + side for left, top, w, h in taken)
    return (x, y, side, side) if free and x + side < width and y + side < height else None


def minimap(scene: Scene, camera: Camera, width: int, height: int, box: Box) -> Picture:
    """The map on its card; it turns with the view."""
    theme, graph = THEMES[scene.state.theme], scene.graph
    turn = radians(camera.azimuth)
    items = card(theme, *box)
    for key, level in _segments(scene):
        a0, a1 = _extent(scene, key)
        outer, inner = RINGS[level]
        grey = theme.inner[level][int(graph.tree.pos[key]) % 2]
        items.append(_sector(box, a0 - turn, a1 - turn, outer, inner, theme.ground, grey))
    items.append(_sector(box, 0, 2 * pi, CORE, 0.0, theme.line, theme.plane))
    if scene.state.root != graph.root:
        a0, a1 = _extent(scene, scene.state.root)
        spare = max(LEAST - (a1 - a0), 0.0) / 2
        outline = _sector(
            box, a0 - spare - turn, a1 + spare - turn, 1.04, 0.0, theme.accent, (*theme.accent[:3], 90), width=1.5
        )
        items.append(outline)
    else:
        points = _frame(camera, width, height, box)
        items.append(Polyline(points, theme.accent, 1.5, fill=(*theme.accent[:3], 60)))
    return Picture(width, height, tuple(items))


def marked_on_map(scene: Scene, camera: Camera, width: int, height: int, box: Box, key: int, color: Color) -> Picture:
    """An outline around a node on the map, as the target of a drop."""
    turn = radians(camera.azimuth)
    if key == scene.graph.root:
        return Picture(width, height, (_sector(box, 0, 2 * pi, 1.04, 0.0, color, (0, 0, 0, 0), width=2.0),))
    a0, a1 = _extent(scene, key)
    level = min(int(scene.graph.tree.depth[key]) - 1, len(RINGS) - 1)
    outer, inner = RINGS[level]
    spare = max(LEAST - (a1 - a0), 0.0) / 2
    fill = (*color[:3], 90)
    return Picture(
        width, height, (_sector(box, a0 - spare - turn, a1 + spare - turn, outer, inner, color, fill, width=2.0),)
    )


def map_place(scene: Scene, camera: Camera, box: Box, x: float, y: float) -> MapPlace:
    """What a pixel of the map stands for."""
    across, upward = (x - box[0] - SIDE / 2) / RADIUS, (box[1] + SIDE / 2 - y) / RADIUS
    radius = hypot(across, upward)
    angle = (atan2(across, upward) + radians(camera.azimuth)) % (2 * pi)
    key = scene.graph.root
    for level, (_, inner) in enumerate(RINGS):
        if radius < inner and level == len(RINGS) - 1:
            return MapPlace(scene.graph.root, _spot(scene, radius, angle))
        below = scene.graph.children(key).tolist()
        key = next((child for child in below if _extent(scene, child)[0] <= angle < _extent(scene, child)[1]), key)
        if radius >= inner:
            break
    return MapPlace(key, _spot(scene, radius, angle))


def _spot(scene: Scene, radius: float, angle: float) -> tuple[float, float] | None:
    if scene.state.root != scene.graph.root:
        return None
    radius = min(radius, 1.0)
    return radius * sin(angle), radius * cos(angle)


def _extent(scene: Scene, key: int) -> tuple[float, float]:
    """Begin and end angle of a node in the picture of the whole hierarchy."""
    known = scene.whole
    whole = 2 * pi / max(float(known.last[scene.graph.root]), 1e-12)
    return float(known.first[key]) * whole, float(known.last[key]) * whole


def _segments(scene: Scene) -> list[tuple[int, int]]:
    """(key, level) of the segments of the map, the widest ones."""
    index, known = scene.graph.tree, scene.whole
    least = SLIM * float(known.last[scene.graph.root]) / (2 * pi)
    found: list[tuple[int, int]] = []
    above = np.array([scene.graph.root])
    for level in range(len(RINGS)):
        below = np.concatenate([np.empty(0, np.int32), *(index.children(int(key)) for key in above)])
        wide = known.last[below] - known.first[below]
        above = below[wide > least]
        above = above[np.argsort(-wide[wide > least], kind="stable")[:MOST]]
        found += [(key, level) for key in above.tolist()]
    return found[:MOST]


def _sector(
    box: Box, a0: float, a1: float, outer: float, inner: float, line: Color, fill: Color, *, width: float = 1.0
) -> Item:
    """A ring segment, its angles clockwise from the top of the map; with `inner` 0 a slice."""
    arc = np.linspace(a0, a1, max(2, int((a1 - a0) / STEP) + 2))
    whole = a1 - a0 >= 2 * pi - 1e-9
    rim = [(angle, outer) for angle in arc]
    back = [(0.0, 0.0)] if inner == 0.0 else [(angle, inner) for angle in arc[::-1]]
    places = rim if whole and inner == 0.0 else rim + back
    places = places if line[3] == 0 else [*places, places[0]]
    x, y = box[0] + SIDE / 2, box[1] + SIDE / 2
    points = tuple((x + RADIUS * r * sin(angle), y - RADIUS * r * cos(angle)) for angle, r in places)
    return Polyline(points, line, width, fill=fill)


def _frame(camera: Camera, width: int, height: int, box: Box) -> tuple[tuple[float, float], ...]:
    """The frame around the visible part: the border of the window, projected onto the disc, in pixels of the map."""
    t = np.linspace(0, 1, BORDER, endpoint=False)
    border = np.concatenate(
        [
            np.stack((t * width, 0 * t), axis=1),
            np.stack((width + 0 * t, t * height), axis=1),
            np.stack(((1 - t) * width, height + 0 * t), axis=1),
            np.stack((0 * t, (1 - t) * height), axis=1),
        ]
    )
    x, y, turn = box[0] + SIDE / 2, box[1] + SIDE / 2, radians(camera.azimuth)
    points = []
    for px, py in border.tolist():
        spot = camera.on_disc(px, py, width, height)
        if spot is None:
            continue  # above the horizon
        far = max(hypot(*spot) / FAR, 1.0)
        along, away = spot[0] / far, spot[1] / far
        points.append(
            (x + RADIUS * (along * cos(turn) - away * sin(turn)), y - RADIUS * (along * sin(turn) + away * cos(turn)))
        )
    return (*points, points[0]) if points else ()
