"""What is under the pointer: exact intersection of a ray with the blocks and sectors as they are drawn.

Segments are drawn in cells with straight edges. Each cell is a convex prism, so that no search structure is needed:
the range of angles that the ray passes over gives a few prisms, which are then intersected with the ray.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.scene.rings import Cells, drawn_items, pieces, runs
from cbvtool.geometry.scene.scene import Scene
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

Vector = npt.NDArray[np.float64]
FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
IntRows = npt.NDArray[np.int64]
TURN = 2 * np.pi


def pick_item(scene: Scene, origin: Vector, direction: Vector) -> int:
    """Item of the first segment that the ray meets, -1 = none.

    origin, direction   float64[3], as `Camera.ray` gives them; from above the plane z = 0
    """
    return pick_segment(scene.tree, scene.layout, scene.blocks, scene.height, origin, direction)


def pick_segment(
    tree: VisibleTree, layout: RadialLayout, blocks: Cells, height: FloatColumn, origin: Vector, direction: Vector
) -> int:
    """As `pick_item`, but takes only the parts of the scene that it needs.

    blocks  cells of the leaves, ascending; height float64[v]
    """
    at_block, block = _first_block(layout, blocks, height, origin, direction)
    if direction[2] >= 0:
        return block
    on_plane = -origin[2] / direction[2]
    if block >= 0 and at_block <= on_plane:
        return block
    return _flat_segment(tree, layout, origin[:2] + on_plane * direction[:2]) if on_plane >= 0 else -1


def _first_block(
    layout: RadialLayout, blocks: Cells, height: FloatColumn, origin: Vector, direction: Vector
) -> tuple[float, int]:
    """(distance along the ray, item) of the first block that it meets; (inf, -1) = none."""
    _, distance, item = blocks_met(layout, blocks, height, origin, direction[None])
    if not len(item):
        return np.inf, -1
    first = np.argmin(distance)
    return float(distance[first]), int(item[first])


def blocks_met(
    layout: RadialLayout, blocks: Cells, height: FloatColumn, origin: Vector, directions: Vector
) -> tuple[IntRows, FloatColumn, IntColumn]:
    """(int64[k] ray, float64[k] distance along it, int32[k] item) for every cell of a block that a ray meets.

    The rows have no order; a large cell may occur twice.

    directions   float64[r, 3]: of rays that begin at `origin`, float64[3]

    The unit of the distance is the length of the ray's direction. The other arguments are those of `pick_segment`.
    """
    # Only the part of a ray near the ring counts: between floor and tallest block, inside the outer circle.
    low, high = _slab(origin[2], directions[:, 2], np.asarray(height.max(initial=0.0)))
    begin, end = in_circle(origin[:2], directions[:, :2], layout.band1)
    begin, end = np.maximum(np.maximum(begin, low), 0.0), np.minimum(end, high)
    # A low ray runs mostly over the relations, and passes most angles there: at most two short parts remain over the
    # ring.
    narrowed = float(np.cos((blocks.a1 - blocks.a0).max(initial=0.0) / 2))
    inner, outer = in_circle(origin[:2], directions[:, :2], layout.band0 * narrowed)
    begin = np.concatenate((begin, np.where(inner <= outer, np.maximum(begin, outer), np.inf)))
    end = np.concatenate((np.minimum(end, inner), end))
    parts = np.flatnonzero(begin <= end)
    near = parts % len(directions)
    flat = directions[near, :2]
    ray, rows = _cells_between(blocks, origin[:2] + begin[parts, None] * flat, origin[:2] + end[parts, None] * flat)
    top = height[blocks.item[rows]]
    rising = top > 0
    ray, rows, top = near[ray[rising]], rows[rising], top[rising]

    # Liang-Barsky against the six planes of each prism: normal . x <= offset.
    a0, a1 = blocks.a0[rows], blocks.a1[rows]
    middle, half = (a0 + a1) / 2, (a1 - a0) / 2
    outward = np.stack((np.sin(middle), np.cos(middle)), axis=1)
    inset = np.cos(half)
    lower = np.stack((-np.cos(a0), np.sin(a0)), axis=1)
    upper = np.stack((np.cos(a1), -np.sin(a1)), axis=1)
    zero = np.zeros(len(rows))
    normals = np.stack((outward, -outward, lower, upper))
    offsets = np.stack((layout.band1 * inset, -layout.band0 * inset, zero, zero))
    slope = (normals * directions[ray, :2]).sum(axis=2)
    room = offsets - normals @ origin[:2]
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = room / slope
    enter = np.where(slope < 0, cut, np.where((slope == 0) & (room < 0), np.inf, -np.inf)).max(axis=0)
    leave = np.where(slope > 0, cut, np.inf).min(axis=0)
    low, high = _slab(origin[2], directions[ray, 2], top)
    enter, leave = np.maximum(np.maximum(enter, low), 0.0), np.minimum(leave, high)
    hit = np.flatnonzero(enter <= leave)
    return ray[hit], enter[hit], blocks.item[rows[hit]]


def _slab(origin: float, direction: FloatColumn, top: FloatColumn) -> tuple[FloatColumn, FloatColumn]:
    """(first, last) parameter along each ray at which its height is between 0 and `top`; empty when last < first."""
    level = np.abs(direction) < 1e-12
    inside = (origin >= 0) & (origin <= top)
    slope = np.where(level, 1.0, direction)
    at_floor, at_top = -origin / slope, (top - origin) / slope
    return (
        np.where(level, np.where(inside, -np.inf, np.inf), np.minimum(at_floor, at_top)),
        np.where(level, np.where(inside, np.inf, -np.inf), np.maximum(at_floor, at_top)),
    )


def in_circle(origin: Vector, direction: Vector, radius: float) -> tuple[FloatColumn, FloatColumn]:
    """float64[r] first and last parameter at which each ray, seen from above, is inside a circle around the centre.

    origin      float64[2] of all, or [r, 2] of each
    direction   float64[r, 2]
    """
    a, b, c = (direction**2).sum(axis=1), (origin * direction).sum(axis=1), (origin**2).sum(axis=-1) - radius**2
    root = b * b - a * c
    upright, missed = a < 1e-18, root < 0
    half, length = np.sqrt(np.where(missed, 0.0, root)), np.where(upright, 1.0, a)
    outside = np.where(upright, c > 0, missed)
    return (
        np.where(outside, np.inf, np.where(upright, -np.inf, (-b - half) / length)),
        np.where(outside, -np.inf, np.where(upright, np.inf, (-b + half) / length)),
    )


def _cells_between(blocks: Cells, start: Vector, stop: Vector) -> tuple[IntRows, IntRows]:
    """(path, cell): the cells that straight paths on the plane may cross. Along a line the angle changes one way only.

    start, stop   float64[k, 2]
    """
    first = np.arctan2(start[:, 0], start[:, 1]) % TURN
    swept = (np.arctan2(stop[:, 0], stop[:, 1]) - first + np.pi) % TURN - np.pi
    through = np.abs(swept) > np.pi - 1e-6  # the path crosses the centre: its sense of rotation is not defined
    low, high = np.minimum(first, first + swept) - 1e-9, np.maximum(first, first + swept) + 1e-9
    shift = np.array([-TURN, 0.0, TURN])[:, None]
    begin = np.searchsorted(blocks.a1, np.where(through, -np.inf, low) + shift)
    end = np.searchsorted(blocks.a0, np.where(through, np.inf, high) + shift, "right")
    count = np.maximum(end - begin, 0)
    count[::2, through] = 0  # count the cell once only
    way = np.broadcast_to(np.arange(len(start)), count.shape).ravel()
    begin, count = begin.ravel(), count.ravel()
    return np.repeat(way, count), runs(begin, count)


def _flat_segment(tree: VisibleTree, layout: RadialLayout, point: Vector) -> int:
    """Item whose flat outline holds a point of the plane, -1 = none."""
    radius = float(np.hypot(*point))
    if not layout.band0 * 0.99 < radius <= 1.0:
        return -1
    angle = float(np.arctan2(point[0], point[1])) % (2 * np.pi)
    items = drawn_items(tree)
    for item in items[(layout.a0[items] <= angle) & (angle <= layout.a1[items])].tolist():
        a0, a1 = _cell_at(layout, item, angle)
        inset = np.cos((a1 - a0) / 2)
        along = radius * np.cos(angle - (a0 + a1) / 2)
        if layout.r0[item] * inset <= along <= layout.r1[item] * inset:
            return int(item)
    return -1


def _cell_at(layout: RadialLayout, item: int, angle: float) -> tuple[float, float]:
    """Angles of the cell of `item` that `angle` falls into."""
    a0, a1 = float(layout.a0[item]), float(layout.a1[item])
    count = int(pieces(layout.a1[item] - layout.a0[item]))
    number = min(int((angle - a0) / (a1 - a0) * count), count - 1)
    return a0 + number / count * (a1 - a0), a0 + (number + 1) / count * (a1 - a0)


def pick_on_curve(
    scene: Scene, camera: Camera, px: float, py: float, width: int, height: int, tolerance_px: float = 4.0
) -> tuple[int, float]:
    """The relation nearest to a pixel: (row of `scene.lifted`, position along its curve); (-1, 0) = none.

    The distance, at most `tolerance_px`, is measured in the picture, to the straight pieces between samples. The
    position runs from 0 at the dependant to 1 at the dependency. Blocks in front of relations are ignored: ask
    `pick_item` first.
    """
    place = camera.on_disc(px, py, width, height)
    if place is None or not len(scene.curves):
        return -1, 0.0
    reach = 2.0 * tolerance_px * _pixel(camera, px, py, width, height)
    x, y = place
    box = scene.curve_boxes
    near = np.flatnonzero(
        (box[:, 0] <= x + reach) & (box[:, 1] <= y + reach) & (box[:, 2] >= x - reach) & (box[:, 3] >= y - reach)
    )
    points = scene.curves[near]
    inside = np.ones((len(near), points.shape[1] - 1), np.bool_)
    for axis, at in enumerate(place):  # pieces with both ends beyond the same side of the square are too far away
        for reached in (points[:, :, axis] <= at + reach, points[:, :, axis] >= at - reach):
            inside &= reached[:, :-1] | reached[:, 1:]
    row, piece = np.nonzero(inside)
    if not len(row):
        return -1, 0.0
    a, _ = camera.project(points[row, piece], width, height)
    b, _ = camera.project(points[row, piece + 1], width, height)
    distance = _distance(np.array([px, py]), a, b)
    best = int(np.argmin(distance))
    if distance[best] > tolerance_px:
        return -1, 0.0
    return int(scene.curve_lifted[near[row[best]]]), _share(points[row[best]], int(piece[best]), np.array(place))


def _share(curve: FloatColumn, piece: int, place: Vector) -> float:
    """Position along a curve, float[S, 3], of its point nearest to a place of the plane, by length: 0 .. 1."""
    flat = curve[:, :2].astype(np.float64)
    lengths = np.hypot(*np.diff(flat, axis=0).T)
    way = flat[piece + 1] - flat[piece]
    within = np.clip(((place - flat[piece]) @ way) / max(float(way @ way), 1e-12), 0.0, 1.0)
    return float((lengths[:piece].sum() + within * lengths[piece]) / max(float(lengths.sum()), 1e-12))


def _pixel(camera: Camera, px: float, py: float, width: int, height: int) -> float:
    """Length on the disc that one pixel covers at (px, py), in its longer direction."""
    corners = [camera.on_disc(px + dx, py + dy, width, height) for dx, dy in ((0, 0), (1, 0), (0, 1))]
    here, *others = (np.array(corner) if corner else np.full(2, np.inf) for corner in corners)
    return float(max(np.hypot(*(other - here)) for other in others)) if np.isfinite(here).all() else np.inf


def _distance(point: Vector, a: FloatColumn, b: FloatColumn) -> FloatColumn:
    """float64[k]: distance of a point from each piece a[k, 2] .. b[k, 2]."""
    along, away = b - a, point - a
    length = (along**2).sum(axis=1)
    share = np.clip((along * away).sum(axis=1) / np.maximum(length, 1e-12), 0.0, 1.0)
    rest = away - share[:, None] * along
    return np.asarray(np.hypot(rest[:, 0], rest[:, 1]))
