"""The hierarchy above the rows: an icicle of containers and columns, with their names (EX-2)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.api import ELSEWHERE, Bars, Graph, Labels, Raster, Segments, Theme, ViewContext, Viewport

from .highlight import Told
from .palette import with_alpha
from .room import MOST_LEVELS, Room, levels_of
from .scene import Scene

Floats = npt.NDArray[np.float64]
Layers = list[Bars | Labels | Segments | Raster]
BOXES = "boxes"
_MOST_NAMES = 600
_UPRIGHT, _TURNED = 42.0, 6.9  # logical pixels of a column whose name is written across, or upward
_SMALL = 9.5  # of one whose name is small


def box_name(graph: Graph, scene: Scene, box: int) -> str:
    """What a box of the hierarchy is called."""
    shown = scene.icicle
    if shown.key[box] == ELSEWHERE:
        return "other code"
    name = graph.names[int(shown.key[box])] or graph.name
    return f"({name})" if shown.own[box] else f"{name} +" if shown.closed[box] else name


def head_layers(context: ViewContext, scene: Scene, room: Room, viewport: Viewport, told: Told | None) -> Layers:
    """Boxes of each lane, names, and a frame around what stands out."""
    found = Layers()
    for lane in range(len(scene.lanes)):
        found += context.memo(_head, scene, room, lane, context.graph, context.theme)
    if told is not None and told[0] == "pair" and told[1]:
        pairs, one = scene.pairs, told[1][0]
        ends = (int(pairs.caller[one]), int(pairs.callee[one]))
        boxes = tuple(int(scene.icicle.column[end]) for end in ends)
        found += _ends(scene, room, boxes, context)
    elif told is not None and told[0] == "box":
        found += _ends(scene, room, told[1][:200], context)
    if len(scene.lanes) == 2:
        found.append(_titles(context, scene, room))
    return found


def box_places(scene: Scene, room: Room, lane: int) -> Floats:
    """float64[b, 4]: x0, y0, x1, y1 of each box; a column reaches down to the rows."""
    shown = scene.icicle
    x, y, width, height = room.heads[lane]
    scale = width / max(len(shown), 1)
    levels = levels_of(shown)
    depth = np.minimum(shown.depth, levels)
    top = y + depth * room.level
    bottom = np.where(depth >= levels, y + height, top + room.level)
    bottom[shown.column] = y + height
    return np.column_stack((x + shown.first * scale, top, x + shown.last * scale, bottom))


def _head(scene: Scene, room: Room, lane: int, graph: Graph, theme: Theme) -> tuple[Bars | Labels, ...]:
    shown, place = scene.icicle, box_places(scene, room, lane)
    deep = shown.depth <= MOST_LEVELS
    deep[shown.column] = True
    rows = np.flatnonzero(deep)
    column = np.zeros(len(shown.key), np.bool_)
    column[shown.column] = True
    pale = np.array([with_alpha(color, 255) for pair in theme.inner for color in pair], np.uint8)
    turn = (shown.first[rows] % 2) + 2 * (shown.depth[rows] % 2)
    color = pale[turn]
    color[column[rows]] = np.array([theme.plane, theme.ground], np.uint8)[shown.first[rows][column[rows]] % 2]
    color[shown.closed[rows]] = np.array(theme.inner[0][0], np.uint8)
    x0, y0, x1, y1 = place[rows].T
    gap = np.where(x1 - x0 > 4, 1.0, 0.0)
    boxes = Bars(
        name=BOXES if lane == 0 else f"{BOXES} {lane}",
        x0=x0,
        x1=x1 - gap,
        y0=y0,
        y1=y1 - 1.0,
        color=color,
        item=rows.astype(np.int32),
    )
    return (boxes, *_names(scene, lane, graph, place, rows, column, theme))


def _names(
    scene: Scene,
    lane: int,
    graph: Graph,
    place: Floats,
    rows: npt.NDArray[np.int64],
    column: npt.NDArray[np.bool_],
    theme: Theme,
) -> tuple[Labels, Labels]:
    wide = place[:, 2] - place[:, 0]
    high = place[:, 3] - place[:, 1]
    across = rows[(wide[rows] > np.where(column[rows], _UPRIGHT, 24.0)) & (high[rows] >= 9.0)]
    across = across[np.argsort(-wide[across], kind="stable")[:_MOST_NAMES]]
    upward = rows[column[rows] & (wide[rows] <= _UPRIGHT) & (wide[rows] >= _TURNED) & (high[rows] >= 24.0)]
    upward = upward[:_MOST_NAMES]
    middle = (place[:, 0] + place[:, 2]) / 2
    level = np.where(column, place[:, 3] - np.minimum(high, 16.0) / 2, (place[:, 1] + place[:, 3]) / 2)
    suffix = "" if lane == 0 else f" {lane}"
    return (
        Labels(
            name=f"names{suffix}",
            x=middle[across],
            y=level[across],
            text=tuple(box_name(graph, scene, box) for box in across.tolist()),
            size=11.0,
            anchor="center",
            color=theme.text,
            room=wide[across] - 4.0,
        ),
        Labels(
            name=f"turned names{suffix}",
            x=middle[upward],
            y=place[upward, 3] - 4.0,
            text=tuple(box_name(graph, scene, box) for box in upward.tolist()),
            anchor="left",
            size=10.0 if not len(upward) or wide[upward].min() >= _SMALL else 9.0,
            color=theme.text,
            room=high[upward] - 6.0,
            angle=np.full(len(upward), -math.pi / 2),
        ),
    )


def _ends(scene: Scene, room: Room, boxes: tuple[int, ...], context: ViewContext) -> Layers:
    """Frames around boxes."""
    found = Layers()
    for lane in range(len(scene.lanes)):
        x0, y0, x1, y1 = context.memo(box_places, scene, room, lane)[list(boxes)].T
        found.append(
            Segments(
                name=f"framed boxes {lane}",
                x0=np.concatenate((x0, x0, x0, x1)),
                x1=np.concatenate((x1, x1, x0, x1)),
                y0=np.concatenate((y0, y1, y0, y0)),
                y1=np.concatenate((y0, y1, y1, y1)),
                color=with_alpha(context.theme.accent, 255),
                width=2.0,
            )
        )
    return found


def _titles(context: ViewContext, scene: Scene, room: Room) -> Labels:
    """Which trace is which."""
    texts = []
    named = len(context.names) == len(context.inputs)
    for number, each in enumerate(scene.columns.prepared):
        header = each.trace.header
        what = context.names[each.number] if named else (each.trace.path.name if each.trace.path else "")
        what = what or header.program.rpartition("/")[2] or "trace"
        texts.append(f"{'AB'[number]}: {what}, {len(each.sequence):,} calls")
    x, y, width, _ = (np.array(values) for values in zip(*room.heads, strict=True))
    return Labels(
        name="titles",
        x=x + 2.0,
        y=y - 8.0,
        text=tuple(texts),
        color=context.theme.text,
        size=11.0,
        bold=True,
        room=width,
    )
