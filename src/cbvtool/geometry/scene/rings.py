"""The rings as one mesh: flat segments, and blocks on the innermost ring (CBV-1, CBV-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

FloatColumn = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]
IntColumn = npt.NDArray[np.int32]

TOUCH = 1e-9  # radians: blocks nearer than this touch
STEP = np.pi / 120  # longest arc drawn as one straight edge: an error of 0.09 pixels at a radius of 1000
# Brightness of each face of a block: shows depth without a light, which would falsify the colour map.
BRIGHTNESS = np.array([1.0, 0.84, 0.74, 0.66])
TOP, OUTER, INNER, SIDE = range(4)  # the faces, as rows of BRIGHTNESS

_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with a colour at every point, ready for any renderer.

    points         float32[p, 3]
    normals        float32[p, 3]  unit, outward; points are not shared between faces
    color          uint8[p, 4]
    triangles      int32[t, 3]    counter-clockwise seen from outside
    triangle_item  int32[t]       item of the visible tree that each triangle belongs to
    point_item     int32[p]       item that each point belongs to
    limit          int32[p]       the point is as high as the lower of two items: its own and this one; -1 = on the
                   ground
    face           uint8[p]       sort of face the point belongs to: TOP, OUTER, INNER or SIDE
    """

    points: npt.NDArray[np.float32]
    normals: npt.NDArray[np.float32]
    color: Colors
    triangles: npt.NDArray[np.int32]
    triangle_item: IntColumn
    point_item: IntColumn
    limit: IntColumn
    face: npt.NDArray[np.uint8]

    def __post_init__(self) -> None:
        for column in vars(self).values():
            column.flags.writeable = False

    def with_height(self, height: FloatColumn) -> Mesh:
        """The same triangles with other heights: float64[v] by item."""
        points = self.points.copy()
        high = height.astype(np.float32)
        points[:, 2] = np.where(self.limit >= 0, np.minimum(high[self.point_item], high[self.limit]), np.float32(0.0))
        return replace(self, points=points)

    def with_color(self, color: Colors) -> Mesh:
        """The same triangles in other colours: uint8[v, 4] by item."""
        return replace(self, color=self.colors_of(color))

    def colors_of(self, color: Colors) -> Colors:
        """uint8[p, 4]: the colours of items, uint8[v, 4], spread to their points and shaded by face."""
        return self.shown_in(shades(color))

    def shown_in(self, shaded: Colors) -> Colors:
        """uint8[p, 4]: the result of `shades`, spread from items to their points."""
        row = self.face.astype(np.int32) * shaded.shape[1] + self.point_item
        result: Colors = shaded.reshape(-1, 4).view(np.uint32)[row].view(np.uint8)
        return result


def shades(color: Colors) -> Colors:
    """uint8[faces, v, 4]: the colours of items, uint8[v, 4], on each sort of face."""
    shaded = np.repeat(color[None], len(BRIGHTNESS), axis=0)
    shaded[:, :, :3] = np.rint(shaded[:, :, :3] * BRIGHTNESS[:, None, None])
    return shaded


@dataclass(frozen=True, eq=False)
class Cells:
    """The angular pieces that segments are drawn in, each between two straight edges.

    item    int32[c]    item of the tree, ascending
    a0, a1  float64[c]  angles, at most `STEP` apart
    """

    item: IntColumn
    a0: FloatColumn
    a1: FloatColumn


def pieces(extent: npt.NDArray[np.float64], step: float = STEP) -> npt.NDArray[np.int64]:
    """int64[k]: number of cells for items of that extent (radians)."""
    return np.maximum(np.ceil(extent / step - 1e-9), 1).astype(np.int64)


def runs(first: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[sum of count]: for each pair of int64[k], the `count` numbers `first`, `first` + 1, ..."""
    return np.arange(count.sum()) - np.repeat(np.cumsum(count) - count - first, count)


def cells(layout: RadialLayout, items: IntColumn, step: float = STEP) -> Cells:
    """Cut items into pieces of at most `step` radians."""
    count = pieces(layout.a1[items] - layout.a0[items], step)
    item, of = np.repeat(items, count), np.repeat(count, count)
    piece = runs(np.zeros_like(count), count)
    a0, a1 = layout.a0[item], layout.a1[item]
    return Cells(item, a0 + piece / of * (a1 - a0), a0 + (piece + 1) / of * (a1 - a0))


def drawn_items(tree: VisibleTree) -> IntColumn:
    """int32[]: the items that are drawn: all but item 0, unless it is alone."""
    return np.arange(min(1, len(tree) - 1), len(tree), dtype=np.int32)


def block_cells(tree: VisibleTree, layout: RadialLayout) -> Cells:
    """The cells of the innermost ring as they are drawn, in ascending angle."""
    items = drawn_items(tree)
    return cells(layout, items[tree.leaf[items]])


def ring_mesh(
    tree: VisibleTree,
    layout: RadialLayout,
    height: FloatColumn | None = None,
    color: Colors | None = None,
    *,
    step: float = STEP,
) -> Mesh:
    """All segments as one mesh.

    height  float64[v]   of the block of each leaf, in radii of the disc; 0 for inner nodes; None = flat
    color   uint8[v, 4]; None = black, to be given later
    step    longest arc in radians that is drawn as one straight edge

    An inner node is a flat sector on z = 0. A leaf is a block on the innermost ring; its part outside of that ring
    (CBV-1) stays flat. Blocks that touch have one wall between them, from the top of the lower one to that of the
    higher one.
    """
    cut = cells(layout, drawn_items(tree), step)
    sin0, cos0, sin1, cos1 = np.sin(cut.a0), np.cos(cut.a0), np.sin(cut.a1), np.cos(cut.a1)
    middle = (cut.a0 + cut.a1) / 2
    outward = np.stack((np.sin(middle), np.cos(middle)), axis=1)
    leaf = tree.leaf[cut.item]
    quads: list[_Quads] = []

    def corner(rows: npt.NDArray[np.int64], radius: FloatColumn | float, late: bool) -> FloatColumn:
        s, c = (sin1, cos1) if late else (sin0, cos0)
        return np.stack((radius * s[rows], radius * c[rows]), axis=1)

    def add(
        rows: npt.NDArray[np.int64],
        corners: list[FloatColumn],
        raised: tuple[bool, bool, bool, bool],
        normal: FloatColumn,
        face: int,
        beside: IntColumn | None = None,
    ) -> None:
        item = cut.item[rows]
        foot = np.full(len(item), -1, np.int32) if beside is None else beside
        limit = np.where(raised, item[:, None], foot[:, None])
        quads.append(_Quads(item, np.stack(corners, axis=1), limit, normal, face))

    flat = np.flatnonzero(~leaf | (layout.r1[cut.item] > layout.band1))
    inner = np.where(leaf, layout.band1, layout.r0[cut.item])[flat]
    outer = layout.r1[cut.item[flat]]
    up = np.array([[0.0, 0.0, 1.0]])
    add(
        flat,
        [corner(flat, inner, False), corner(flat, inner, True), corner(flat, outer, True), corner(flat, outer, False)],
        (False,) * 4,
        np.repeat(up, len(flat), axis=0),
        TOP,
    )

    rows = np.flatnonzero(leaf)
    i0, i1 = corner(rows, layout.band0, False), corner(rows, layout.band0, True)
    o0, o1 = corner(rows, layout.band1, False), corner(rows, layout.band1, True)
    add(rows, [i0, i1, o1, o0], (True,) * 4, np.repeat(up, len(rows), axis=0), TOP)
    radial = np.concatenate((outward, np.zeros((len(outward), 1))), axis=1)
    wall = (False, False, True, True)
    add(rows, [o1, o0, o0, o1], wall, radial[rows], OUTER)
    add(rows, [i0, i1, i1, i0], wall, -radial[rows], INNER)
    first = np.flatnonzero(leaf & np.append(True, cut.item[1:] != cut.item[:-1]))
    last = np.flatnonzero(leaf & np.append(cut.item[1:] != cut.item[:-1], True))
    before, after = touching(layout, cut.item[first])
    for edge, late, beside in ((first, False, before), (last, True, after)):
        near, far = corner(edge, layout.band0, late), corner(edge, layout.band1, late)
        s, c = (sin1, cos1) if late else (sin0, cos0)
        normal = np.stack((c[edge], -s[edge], np.zeros(len(edge))), axis=1)
        if late:
            add(edge, [near, far, far, near], wall, normal, SIDE, beside)
        else:
            add(edge, [far, near, near, far], wall, -normal, SIDE, beside)
    height = np.zeros(len(tree)) if height is None else height
    color = np.full((len(tree), 4), (0, 0, 0, 255), np.uint8) if color is None else color
    return _mesh(quads, height, color)


def tops(tree: VisibleTree, layout: RadialLayout, height: FloatColumn, count: int = 360) -> npt.NDArray[np.float64]:
    """float64[count, 3]: the skyline of the blocks all around, at their outer edges; `height` float64[v]."""
    leaves = np.flatnonzero(tree.leaf)
    angle = (np.arange(count) + 0.5) * (2 * np.pi / count)
    before = np.searchsorted(layout.a0[leaves], angle, "right") - 1
    highest = np.array(height[leaves[np.maximum(before, 0)]], np.float64)
    middle = ((layout.a0 + layout.a1)[leaves] / (4 * np.pi) * count).astype(np.int64)
    np.maximum.at(highest, np.minimum(middle, count - 1), height[leaves])  # a thin block may lie between two angles
    return np.stack((np.sin(angle) * layout.band1, np.cos(angle) * layout.band1, highest), axis=1)


def touching(layout: RadialLayout, blocks: IntColumn) -> tuple[IntColumn, IntColumn]:
    """int32[b], int32[b]: the blocks that touch each of `blocks`, in ascending angle, before and after; -1 = none."""
    touch = layout.a0[blocks[1:]] - layout.a1[blocks[:-1]] <= TOUCH
    none = np.array([-1], np.int32)
    return np.append(none, np.where(touch, blocks[:-1], none)), np.append(np.where(touch, blocks[1:], none), none)


@dataclass(frozen=True, eq=False)
class _Quads:
    """Flat four-cornered faces of one sort: item[q], corners[q, 4, 2], limits[q, 4] (see Mesh), normal[q, 3], sort."""

    item: IntColumn
    corners: FloatColumn
    limit: IntColumn
    normal: FloatColumn
    face: int


def _mesh(quads: list[_Quads], height: FloatColumn, color: Colors) -> Mesh:
    item = np.concatenate([q.item for q in quads])
    count = len(item)
    points = np.zeros((4 * count, 3), np.float32)
    points[:, :2] = np.concatenate([q.corners for q in quads]).reshape(-1, 2)
    normals = _each(np.concatenate([q.normal for q in quads]).astype(np.float32), 4)
    limit = np.concatenate([q.limit.ravel() for q in quads]).astype(np.int32)
    face = _each(np.concatenate([np.full(len(q.item), q.face, np.uint8) for q in quads]), 4)
    corner = 4 * np.arange(count, dtype=np.int32)[:, None]
    halves = np.array([0, 1, 2, 0, 2, 3], np.int32)
    triangles = (corner + halves).reshape(-1, 3)
    bare = Mesh(points, normals, np.empty((0, 4), np.uint8), triangles, _each(item, 2), _each(item, 4), limit, face)
    return bare.with_height(height).with_color(color)


def _each(rows: npt.NDArray[_Number], times: int) -> npt.NDArray[_Number]:
    """Each row `times` times: as `np.repeat`, which would not let other threads run meanwhile."""
    result = np.empty((len(rows), times, *rows.shape[1:]), rows.dtype)
    result[:] = rows[:, None]
    return result.reshape(-1, *rows.shape[1:])
