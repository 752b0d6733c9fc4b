"""Marks of a proposal: the dependencies to cut, and dashed ghosts of the moves (NEW-2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import THEMES
from cbvtool.geometry.overlay.outlines import faces, on_plane, projected
from cbvtool.geometry.overlay.plan_marks import FloatColumn, arrow, bent, middle_of
from cbvtool.geometry.picture import Color, Picture, Polyline
from cbvtool.geometry.scene.filtered import item_of
from cbvtool.geometry.scene.scene import Scene

MOST = 60  # of each sort; those with the most sites come first
CUT, GHOST = 2.4, 1.6  # px
_GHOST_FILL = 40  # alpha


def answer_marks(scene: Scene, camera: Camera, width: int, height: int) -> Picture:
    """The cut as arrows from dependant to dependency; each proposed move as a dashed arrow between dashed outlines."""
    shown = scene.state.path
    if not isinstance(shown, ShownRelations):
        return Picture(width, height)
    theme = THEMES[scene.state.theme]
    return Picture(
        width,
        height,
        (*_cut(scene, shown, camera, width, height, theme.warning), *_moves(scene, shown, camera, width, height)),
    )


def _cut(
    scene: Scene, shown: ShownRelations, camera: Camera, width: int, height: int, color: Color
) -> Iterator[Polyline]:
    if not len(shown.cut):
        return
    lifted = scene.lifted.of_edge[shown.cut]
    rows, counts = np.unique(lifted[lifted >= 0], return_counts=True)
    for row in rows[np.argsort(-counts, kind="stable")][:MOST].tolist():
        ends = (int(scene.lifted.source[row]), int(scene.lifted.target[row]))
        yield from _arrow(scene, ends, camera, width, height, color, CUT, dashed=False)


def _moves(scene: Scene, shown: ShownRelations, camera: Camera, width: int, height: int) -> Iterator[Polyline]:
    color = THEMES[scene.state.theme].accent
    outlined = set[int]()
    for node, target in shown.moves[:MOST]:
        ends = (item_of(scene.tree, node), item_of(scene.tree, target))
        if min(ends) < 0 or ends[0] == ends[1]:
            continue
        for item in ends:
            if item > 0 and item not in outlined:
                outlined.add(item)
                for face in faces(scene, item):
                    outline = face.outline(camera, width, height)
                    yield Polyline((*outline, outline[0]), color, GHOST, dashed=True, fill=(*color[:3], _GHOST_FILL))
        yield from _arrow(scene, ends, camera, width, height, color, GHOST, dashed=True)


def _arrow(
    scene: Scene,
    ends: tuple[int, int],
    camera: Camera,
    width: int,
    height: int,
    color: Color,
    thick: float,
    *,
    dashed: bool,
) -> Iterator[Polyline]:
    start, end = (_inner(scene, item) for item in ends)
    line = projected(camera, on_plane(bent(start, end), 0.0), width, height)
    yield Polyline(tuple(line), color, thick, dashed=dashed)
    yield Polyline(arrow(line[-2], line[-1]), color, thick)


def _inner(scene: Scene, item: int) -> FloatColumn:
    """float64[2]: the middle of the inner edge of the segment of an item."""
    layout = scene.layout
    return middle_of(float(layout.a0[item]), float(layout.a1[item]), float(layout.band0))
