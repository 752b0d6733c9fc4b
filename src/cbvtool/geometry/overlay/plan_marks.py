"""Marks of the plan: a dashed ghost where a node was, a rim and a badge where it is now (NEW-23)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.overlay.labels import Measure, rough_width, shorten
from cbvtool.geometry.overlay.outlines import Face, Pixels, faces, on_plane, projected
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scene.planned import PlannedChanges, Sort
from cbvtool.geometry.scene.scene import Scene
from cbvtool.words import one_line

MOST = 200  # most rims, and most ghosts; the widest segments get them
MOST_BADGES = 60
RADIUS = 7.5  # px of a badge
LEGEND_RADIUS = 6.0
APART = 15.0  # px between the middles of two badges
GHOST_FILL = 26  # alpha
RIM = 2.0  # px
MOST_ARCS = 40  # most arcs; the widest segments get them
ARC, HEAD, ARC_POINTS = 1.6, 8.0, 24  # px of line and head
BENT = 0.35  # position of an arc's control point: share of the way from the disc's centre to the midpoint of its ends
NAME = 10.5  # px of the name in a ghost
COUNT = 10.0  # px of a number in a badge
FloatColumn = npt.NDArray[np.float64]
WHITE: Color = (255, 255, 255, 255)
# Signs in a square from -1 to 1, y pointing down: their form alone tells them apart.
SIGNS: dict[Sort, tuple[Pixels, ...]] = {
    Sort.MOVED: (((-0.9, 0.0), (0.9, 0.0)), ((0.2, -0.7), (0.9, 0.0), (0.2, 0.7))),
    Sort.RENAMED: (((-0.8, 0.8), (-0.55, 0.0), (0.35, -0.9), (0.9, -0.35), (0.0, 0.55), (-0.8, 0.8)),),
    Sort.CREATED: (((-0.9, 0.0), (0.9, 0.0)), ((0.0, -0.9), (0.0, 0.9))),
    Sort.REMOVED: (((-0.9, 0.0), (0.9, 0.0)),),
    Sort.GROWN: (((-0.8, 0.5), (0.0, -0.6), (0.8, 0.5)),),
    Sort.SHRUNK: (((-0.8, -0.5), (0.0, 0.6), (0.8, -0.5)),),
    Sort.CHANGED: (((-0.9, 0.3), (-0.45, -0.3), (0.45, 0.3), (0.9, -0.3)),),
}


def plan_marks(scene: Scene, camera: Camera, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """Ghosts, rims and badges; empty while the scene has no plan, or its changes are switched off."""
    plan = scene.marks
    if plan is None:
        return Picture(width, height)
    theme = THEMES[scene.state.theme]
    badges = _Badges(theme, measure)
    items = [*_ghosts(scene, plan, camera, width, height, theme, badges, measure)]
    items += _arcs(scene, plan, camera, width, height, theme)
    items += _rims(scene, plan, camera, width, height, theme, badges)
    return Picture(width, height, (*items, *badges.items))


class _Badges:
    """The badges drawn so far; none covers another, and the first one keeps its place."""

    def __init__(self, theme: Theme, measure: Measure) -> None:
        self._theme, self._measure = theme, measure
        self._places = list[tuple[float, float]]()
        self.items = list[Item]()

    def add(self, x: float, y: float, sort: Sort | None, count: int = 0) -> None:
        """Add the badge of a change, with a number if `count` is not 0."""
        if len(self._places) >= MOST_BADGES or not (np.isfinite(x) and np.isfinite(y)):
            return
        if any(abs(x - left) < APART and abs(y - top) < APART for left, top in self._places):
            return
        self._places.append((x, y))
        text = f"{count:,}" if count else ""
        long = self._measure(text, COUNT, True) + 3.0 if text else 0.0
        half = RADIUS + (long / 2 if sort is not None else max(0.0, long / 2 - RADIUS / 2))
        fill = self._theme.accent if sort is not None else self._theme.ground
        edge = self._theme.ground if sort is not None else self._theme.accent
        self.items.append(Rect(x - half, y - RADIUS, 2 * half, 2 * RADIUS, fill, edge, RADIUS))
        if sort is not None:
            self.items += sign(sort, x - half + RADIUS, y, WHITE)
            x += RADIUS - 2.0
        if text:
            self.items.append(Text(text, x, y, COUNT, WHITE if sort is not None else self._theme.accent, bold=True))


def badge(sort: Sort, x: float, y: float, theme: Theme) -> list[Item]:
    """A badge alone, small, as a legend shows it."""
    side = LEGEND_RADIUS
    ground = Rect(x - side, y - side, 2 * side, 2 * side, theme.accent, theme.ground, side)
    return [ground, *sign(sort, x, y, WHITE, 3.2)]


def sign(sort: Sort, x: float, y: float, color: Color, size: float = 4.2) -> list[Item]:
    """The sign of a change, around (x, y) in pixels."""
    return [
        Polyline(tuple((x + size * across, y + size * down) for across, down in line), color, 1.6)
        for line in SIGNS[sort]
    ]


def _ghosts(
    scene: Scene,
    plan: PlannedChanges,
    camera: Camera,
    width: int,
    height: int,
    theme: Theme,
    badges: _Badges,
    measure: Measure,
) -> Iterator[Item]:
    ghosts = scene.ghosts
    if ghosts is None:
        return
    widest = np.argsort(-(ghosts.a1 - ghosts.a0), kind="stable")[:MOST]
    for row in widest.tolist():
        a0, a1, r0, r1 = (float(column[row]) for column in (ghosts.a0, ghosts.a1, ghosts.r0, ghosts.r1))
        outline = Face(a0, a1, r0, r1, 0.0).outline(camera, width, height)
        fill = (*theme.accent[:3], GHOST_FILL)
        yield Polyline((*outline, outline[0]), theme.accent, 1.4, dashed=True, fill=fill)
        key = int(ghosts.key[row])
        middle, inner, outer = projected(camera, _across(a0, a1, r0, r1), width, height)
        if Sort.REMOVED in plan.sorts(key) and not scene.state.before:
            badges.add(*outer, Sort.REMOVED)
        elif Sort.CREATED in plan.sorts(key):
            badges.add(*outer, Sort.CREATED)
        yield from _name(one_line(ghosts.graph.names[key]), a0, a1, middle, inner, outer, theme, measure, outline)


def _arcs(scene: Scene, plan: PlannedChanges, camera: Camera, width: int, height: int, theme: Theme) -> Iterator[Item]:
    """An arrow from each place that a node has left to where it is now.

    In the picture before the plan, the arrows lead to where the nodes will be.
    """
    ghosts, tree, layout = scene.ghosts, scene.tree, scene.layout
    if ghosts is None:
        return
    widest = np.argsort(-(ghosts.a1 - ghosts.a0), kind="stable")
    rows = [row for row in widest.tolist() if Sort.MOVED in plan.sorts(int(ghosts.key[row]))][:MOST_ARCS]
    for row in rows:
        key = int(ghosts.key[row])
        item = int(tree.represent[key]) if key < len(tree.represent) else -1
        if item <= 0 or int(tree.key[item]) != key:
            continue  # the node is not shown
        place = middle_of(float(ghosts.a0[row]), float(ghosts.a1[row]), float(ghosts.r0[row]))
        here = middle_of(float(layout.a0[item]), float(layout.a1[item]), float(layout.band0))
        ends = (here, place) if scene.state.before else (place, here)
        line = projected(camera, on_plane(bent(*ends), 0.0), width, height)
        yield Polyline(tuple(line), theme.accent, ARC, dashed=True)
        yield Polyline(arrow(line[-2], line[-1]), theme.accent, ARC)


def middle_of(a0: float, a1: float, radius: float) -> FloatColumn:
    """float64[2]: the middle of the inner edge of a segment."""
    angle = (a0 + a1) / 2
    return np.array((np.sin(angle) * radius, np.cos(angle) * radius))


def bent(start: FloatColumn, end: FloatColumn) -> FloatColumn:
    """float64[ARC_POINTS, 2]: a quadratic Bezier curve between two places, bent towards the middle of the disc."""
    t = np.linspace(0.0, 1.0, ARC_POINTS)[:, None]
    control = BENT * (start + end) / 2
    points: FloatColumn = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return points


def arrow(before: tuple[float, float], tip: tuple[float, float]) -> Pixels:
    """The head of an arrow."""
    along = np.arctan2(tip[1] - before[1], tip[0] - before[0])
    wings = [
        (tip[0] - HEAD * float(np.cos(along + turn)), tip[1] - HEAD * float(np.sin(along + turn)))
        for turn in (-0.5, 0.5)
    ]
    return wings[0], tip, wings[1]


def _across(
    a0: float, a1: float, r0: float, r1: float, z: float = 0.0
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """float64[3, 3]: the middle of a segment, and of its inner and its outer edge."""
    angle, radius = (a0 + a1) / 2, np.array([(r0 + r1) / 2, r0, r1])
    return on_plane(np.column_stack((np.sin(angle) * radius, np.cos(angle) * radius)), z)


def _name(
    name: str,
    a0: float,
    a1: float,
    middle: tuple[float, float],
    inner: tuple[float, float],
    outer: tuple[float, float],
    theme: Theme,
    measure: Measure,
    outline: Pixels,
) -> Iterator[Text]:
    """The name of the node of a ghost, across the ring, if it fits."""
    long = float(np.hypot(outer[0] - inner[0], outer[1] - inner[1]))
    half = len(outline) // 2
    wide = float(np.hypot(outline[0][0] - outline[half - 1][0], outline[0][1] - outline[half - 1][1]))
    text = shorten(name, long - 8.0, NAME, measure)
    if not text or wide < 1.2 * NAME:
        return
    turn = float(np.degrees(np.arctan2(outer[1] - inner[1], outer[0] - inner[0])))
    turn = turn - 180 if turn > 90 else turn + 180 if turn < -90 else turn
    yield Text(text, *middle, NAME, theme.muted, "center", turn, halo=theme.halo)


def _whole(seen: list[Face]) -> list[Face]:
    """The two faces of a block without height, joined to one."""
    if len(seen) < 2:
        return seen
    first = seen[0]
    return [Face(first.a0, first.a1, first.r0, max(face.r1 for face in seen), first.z)]


def _rims(
    scene: Scene, plan: PlannedChanges, camera: Camera, width: int, height: int, theme: Theme, badges: _Badges
) -> Iterator[Item]:
    tree, layout = scene.tree, scene.layout
    key, own = tree.key, ~tree.slot
    changed, inside = plan.sort[key] > 0, np.where(tree.leaf, plan.inside[key], 0) > 0
    if not scene.state.before:
        changed &= (plan.sort[key] & np.uint8(Sort.REMOVED)) == 0
    else:
        inside &= False  # nodes inside are counted at their place in the plan
    items = np.flatnonzero(own & (changed | inside) & (tree.level > 0))
    items = items[np.argsort(-(layout.a1 - layout.a0)[items], kind="stable")][:MOST]
    for item in items.tolist():
        seen = _whole(faces(scene, item))
        sorts = plan.sorts(int(key[item]))
        if sorts:
            for face in seen:
                outline = face.outline(camera, width, height)
                yield Polyline((*outline, outline[0]), theme.accent, RIM)
        top = seen[-1] if (r1 := float(layout.r1[item])) <= seen[0].r1 else Face(seen[0].a0, seen[0].a1, r1, r1, 0.0)
        at = projected(camera, _across(top.a0, top.a1, top.r0, top.r1, top.z), width, height)[2]
        count = int(plan.inside[key[item]]) if inside[item] else 0
        badges.add(*at, sorts[0] if sorts else None, count)
