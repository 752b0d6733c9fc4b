"""The picture over the frame during a drag: the ghost at the pointer, the drop target, the relations that follow.

Everything is a Picture: pure functions of the scene, the camera and the pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from cbvtool.drawing.emphasis import Emphasis, item_of
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.overlay.outlines import STEP, Points, faces, on_plane, projected, sector
from cbvtool.geometry.picking.pick import pick_item
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scene.scene import Scene
from cbvtool.layout.empty import empty_containers

HATCHES = 9  # lines across a ring
HATCH_ALPHA = 90  # of the hatching of empty containers
GHOST_SHARE = 0.7  # size of the ghost, as a share of the dragged segment
GHOST_SIZE = 0.3  # radii: no ghost is larger
GHOST_ALPHA = 190
TARGET_FILL = 0.2  # opacity of the accent, so that the colour map shines through
GHOST_STEP = 0.015  # radii between the ghosts of several segments
SHOWN_GHOSTS = 12
SHOWN_OUTLINES = 200
SHOWN_PARTNERS = 60  # neighbours shown in each direction, the heaviest ones
REST_RING = 14.0  # px: radius of the ring around a resting pointer
_REST_ANGLES = np.linspace(0.0, 2 * pi, 49).tolist()
SHARES = (0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9)  # shares of a segment where a visible point is sought


def hatching(a0: float, a1: float, r0: float, r1: float) -> list[Points]:
    """Slanted lines across an annular sector, each float64[k, 2].

    Straight in (angle, radius), so that none leaves it.
    """
    depth = r1 - r0
    length = (a1 - a0) * (r0 + r1) / 2  # of the arc, in the unit of the radius
    spacing = max(depth / HATCHES, length / 240, 1e-9) * 2
    lines = []
    for start in np.arange(-depth, length, spacing):
        along = np.linspace(max(start, 0.0), min(start + depth, length), 8)
        if along[-1] <= along[0]:
            continue
        angle = a0 + along / length * (a1 - a0)
        radius = r0 + (along - start)
        lines.append(np.column_stack((np.sin(angle), np.cos(angle))) * radius[:, None])
    return lines


def aimed_at(scene: Scene, item: int, accent: Color) -> Scene:
    """The same scene with a drop target, a container and its content, filled with the accent colour."""
    color = np.array(scene.color)
    part = slice(item, int(scene.tree.end[item]))
    color[part, :3] = np.rint(color[part, :3] * (1 - TARGET_FILL) + np.array(accent[:3]) * TARGET_FILL)
    return replace(scene, color=color)


def target_picture(
    scene: Scene, item: int, camera: Camera, width: int, height: int, accent: Color, warning: Color, refused: bool
) -> Picture:
    """The drop target under the pointer: outlined, and hatched if the drop is forbidden."""
    if item <= 0:
        return _disc_picture(scene, camera, width, height, accent, warning, refused)
    items: list[Item] = []
    for face in faces(scene, item):
        outline = face.outline(camera, width, height)
        items.append(Polyline((*outline, outline[0]), warning if refused else accent, 2.0))
    if refused:
        inside = [i for i in range(item, int(scene.tree.end[item])) if i == item or scene.tree.leaf[i]]
        items += _hatches(scene, inside, camera, width, height, (*warning[:3], 170), 1.4)
    return Picture(width, height, tuple(items))


def _hatches(
    scene: Scene, items: Sequence[int], camera: Camera, width: int, height: int, color: Color, wide: float = 1.0
) -> Iterator[Polyline]:
    for face in [face for item in items for face in faces(scene, item)]:
        for line in hatching(face.a0, face.a1, face.r0, face.r1):
            yield Polyline(projected(camera, on_plane(line, face.z), width, height), color, wide)


def _disc_picture(
    scene: Scene, camera: Camera, width: int, height: int, accent: Color, warning: Color, refused: bool
) -> Picture:
    """The root as drop target: the whole disc is outlined."""
    rim = projected(camera, on_plane(sector(0.0, 2 * pi, 0.0, 1.03)[: int(2 * pi / STEP)], 0.0), width, height)
    color = warning if refused else accent
    return Picture(width, height, (Polyline((*rim, rim[0]), color, 2.5, dashed=refused),))


@dataclass(frozen=True, eq=False)
class Lifted:
    """A segment as it was when the drag began: outline float64[k, 2] on the disc, and its colour."""

    outline: Points
    color: Color


def lift(scene: Scene, keys: Sequence[int]) -> list[Lifted]:
    """The segments of `keys` as they are before the ring closes up; nodes that are not shown are left out."""
    found = []
    for key in keys:
        item = item_of(scene, key)
        if item > 0:
            red, green, blue = scene.color[item, :3].tolist()
            layout = scene.layout
            shape = sector(float(layout.a0[item]), float(layout.a1[item]), layout.band0, float(layout.r1[item]))
            found.append(Lifted(shape, (red, green, blue, GHOST_ALPHA)))
    return found


def selection_picture(
    scene: Scene, keys: Sequence[int], camera: Camera, width: int, height: int, accent: Color
) -> Picture:
    """Outlines around the segments of `keys`; a hidden node is outlined as its collapsed ancestor."""
    items = sorted({item for key in keys if (item := item_of(scene, key)) > 0})[:SHOWN_OUTLINES]
    return Picture(width, height, tuple(_outlines(scene, items, camera, width, height, accent)))


def partners_picture(scene: Scene, standing_out: Emphasis, camera: Camera, width: int, height: int) -> Picture:
    """Outlines around the neighbours of the selection, in the colour of the relation at that end (DND-6)."""
    theme, lines = THEMES[scene.state.theme], list[Item]()
    for partners, color in ((standing_out.users, theme.user), (standing_out.used, theme.used)):
        if partners is not None and len(partners) == len(scene.tree):
            weight = np.bincount(scene.lifted.source, scene.lifted.weight, len(partners))
            weight += np.bincount(scene.lifted.target, scene.lifted.weight, len(partners))
            items = np.flatnonzero(partners)
            most = items[np.argsort(-weight[items], kind="stable")][:SHOWN_PARTNERS]
            lines += _outlines(scene, most.tolist(), camera, width, height, color)
    return Picture(width, height, tuple(lines))


def _outlines(
    scene: Scene, items: Sequence[int], camera: Camera, width: int, height: int, color: Color
) -> Iterator[Polyline]:
    for item in items:
        for face in faces(scene, item):
            outline = face.outline(camera, width, height)
            yield Polyline((*outline, outline[0]), color, 2.0)


def empty_picture(scene: Scene, camera: Camera, width: int, height: int, color: Color) -> Picture:
    """Empty containers are hatched, in dashed outlines: something can be dropped into them."""
    found = np.flatnonzero(empty_containers(scene.graph)[scene.tree.key] & scene.tree.leaf)[:SHOWN_OUTLINES]
    items = [item for item in found.tolist() if item > 0]
    lines = [replace(line, dashed=True, width=1.5) for line in _outlines(scene, items, camera, width, height, color)]
    return Picture(width, height, (*_hatches(scene, items, camera, width, height, (*color[:3], HATCH_ALPHA)), *lines))


def ghost_picture(
    lifted: Sequence[Lifted], place: tuple[float, float], camera: Camera, width: int, height: int, accent: Color
) -> Picture:
    """The dragged segments around `place` on the disc, each slightly beside the one before."""
    items: list[Item] = []
    for number, ghost in enumerate(lifted[:SHOWN_GHOSTS]):
        low, high = ghost.outline.min(axis=0), ghost.outline.max(axis=0)
        scale = min(GHOST_SHARE, GHOST_SIZE / float((high - low).max()))
        moved = (ghost.outline - (low + high) / 2) * scale + np.asarray(place) + number * GHOST_STEP
        outline = projected(camera, on_plane(moved), width, height)
        items.append(Polyline(outline, accent, 1.5, fill=ghost.color))
    return Picture(width, height, tuple(reversed(items)))


def rest_picture(share: float, pointer: tuple[float, float], width: int, height: int, theme: Theme) -> Picture:
    """A ring around the pointer that fills clockwise while the pointer rests; `share` 0..1 of it is full."""
    whole = tuple((pointer[0] + REST_RING * np.sin(a), pointer[1] - REST_RING * np.cos(a)) for a in _REST_ANGLES)
    full = whole[: max(2, round(share * (len(whole) - 1)) + 1)]
    ground = (*theme.ground[:3], 200)
    return Picture(
        width,
        height,
        (Polyline(whole, ground, 6.0), Polyline(whole, theme.line, 3.0), Polyline(full, theme.accent, 3.0)),
    )


def seen_place(scene: Scene, item: int, camera: Camera, width: int, height: int) -> tuple[float, float]:
    """A pixel at which a segment can be seen, as near to its middle as possible; its middle if it is hidden."""
    places = []
    for face in faces(scene, item):
        for share_along in SHARES:
            angle = face.a0 + share_along * (face.a1 - face.a0)
            for share_across in SHARES:
                radius = face.r0 + share_across * (face.r1 - face.r0)
                places.append((np.sin(angle) * radius, np.cos(angle) * radius, face.z))
    pixels = np.asarray(camera.project(np.array(places), width, height)[0])
    for x, y in pixels.tolist():
        if 0 <= x < width and 0 <= y < height and pick_item(scene, *camera.ray(x, y, width, height)) == item:
            return x, y
    return float(pixels[0, 0]), float(pixels[0, 1])


def caption_picture(
    lines: list[tuple[str, Color]],
    pointer: tuple[float, float],
    width: int,
    height: int,
    widths: list[float],
    ground: Color,
    edge: Color,
) -> Picture:
    """A card beside the pointer that describes the effect of a drop; it stays inside the picture.

    lines    text and colour of each line; `widths`: their widths in pixels
    """
    line_height, pad = 17.0, 8.0
    card_width = max(widths) + 2 * pad
    card_height = line_height * len(lines) + 2 * pad - 3
    x = pointer[0] + 18 if pointer[0] + 18 + card_width < width else pointer[0] - 18 - card_width
    y = min(max(pointer[1] + 18, 4.0), height - card_height - 4)
    x = max(x, 4.0)
    items: list[Item] = [Rect(x, y, card_width, card_height, ground, edge, 5.0)]
    for number, (text, color) in enumerate(lines):
        top = y + pad + line_height * (number + 0.5) - 2
        items.append(Text(text, x + pad, top, 12.0, color, "left", bold=number == 0))
    return Picture(width, height, tuple(items))
