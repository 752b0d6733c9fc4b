"""Which call, box or curve lies under the pointer."""

from __future__ import annotations

import math

import numpy as np

from cbvtool.api import GAP, ViewContext, Viewport

from .room import Room, room_of
from .scene import Scene, shown_rows
from .state import ExtraVisState


def call_under(
    context: ViewContext, state: ExtraVisState, scene: Scene, place: tuple[float, float], size: tuple[float, float]
) -> tuple[int, int]:
    """(trace, row) of the call that shows most at a place of the canvas; row -1 = none covers it.

    Of the calls in the row of pixels that cover the column, the one with the largest part in the row times its weight.
    """
    room = context.memo(room_of, scene, Viewport(size[0], size[1]))
    number = room.lane_at(place[0])
    column = column_at(scene, room, number, place[0])
    _, y, _, height = room.lanes[number]
    if column < 0 or not y <= place[1] < y + height:
        return number, -1
    shown = shown_rows(context, state, scene)
    each = (shown[1] - shown[0]) / height
    low, high = shown[0] + (math.floor(place[1]) - y) * each, shown[0] + (math.floor(place[1]) + 1 - y) * each
    first, last = max(math.floor(low), 0), min(math.ceil(high), scene.length)
    if last <= first:
        return number, -1
    rows = np.arange(first, last)
    lane, pairs = scene.lanes[number], scene.pairs
    one = lane.identity[rows]
    begin, end = pairs.caller[np.maximum(one, 0)], pairs.callee[np.maximum(one, 0)]
    covers = (one >= 0) & (np.minimum(begin, end) <= column) & (column <= np.maximum(begin, end))
    share = np.minimum(rows + 1.0, high) - np.maximum(rows, low)
    score = np.where(covers, share * lane.weight[rows], -1.0)
    best = int(np.argmax(score))
    return number, int(rows[best]) if score[best] > 0 else -1


def column_at(scene: Scene, room: Room, number: int, px: float) -> int:
    """The column of a lane at a place, -1 = outside."""
    x, _, width, _ = room.lanes[number]
    column = math.floor((px - x) / width * len(scene.icicle)) if len(scene.icicle) else -1
    return column if 0 <= column < len(scene.icicle) else -1


def call_of_row(scene: Scene, number: int, row: int) -> int:
    """The row of a call in its recording; -1 = none."""
    place = scene.lanes[number].at(row)
    return -1 if place == GAP else scene.columns.prepared[number].row(place)
