"""Which node a name in the picture belongs to: names can be grabbed as their segments can."""

from __future__ import annotations

from math import cos, radians, sin

from cbvtool.geometry.overlay.labels import LINE, Measure, rough_width
from cbvtool.geometry.picture import Picture, Text

REACH = 2.0  # px beside the letters that still count
SHARES = {"left": 0.0, "center": 0.5, "right": 1.0}  # part of the text on the left of its anchor


def named_at(names: Picture, x: float, y: float, *, measure: Measure = rough_width) -> int:
    """Key of the node whose name covers a pixel, that of the name painted last; -1 = no name is there."""
    for item in reversed(names.items):
        if isinstance(item, Text) and item.key >= 0 and _covers(item, x, y, measure):
            return item.key
    return -1


def _covers(text: Text, x: float, y: float, measure: Measure) -> bool:
    turn, dx, dy = radians(text.angle), x - text.x, y - text.y
    across = dy * cos(turn) - dx * sin(turn)
    if abs(across) > text.size * LINE / 2 + REACH:
        return False
    wide = measure(text.text, text.size, text.bold)
    along = dx * cos(turn) + dy * sin(turn) + wide * SHARES[text.anchor]
    return -REACH <= along <= wide + REACH
