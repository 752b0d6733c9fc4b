"""What a drag takes of the timeline's range, and where it leads: pure functions of seconds and pixels."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from cbvtool.history.time_range import moved
from cbvtool.metrics.history.baseline import Span

EDGE = 6.0  # px from an edge of the range in which it is taken
STEP = 0.1  # of the range, for a key
LEAST = 60 * 60  # seconds of a range that keys make shorter


class Grip(Enum):
    """What is under the pointer: an edge of the range, the range, or ground on which a drag makes a new one."""

    START = "start"
    END = "end"
    RANGE = "range"
    GROUND = "ground"


def grip_at(px: float, left: float, right: float) -> Grip:
    """What is at a pixel, where the range goes from `left` to `right`."""
    near = min(abs(px - left), abs(px - right))
    if near <= EDGE:
        inner = abs(px - left) < abs(px - right) or (left == right and px < left)
        return Grip.START if inner else Grip.END
    return Grip.RANGE if left < px < right else Grip.GROUND


def dragged(
    grip: Grip, before: Span, start: float, now: float, limit: Span, snap: Callable[[int], int] = lambda time: time
) -> Span:
    """The range after a drag from one second to another.

    before  the range when the drag began
    snap    leads a second to a release nearby
    """
    time = snap(round(min(max(now, limit[0]), limit[1])))
    if grip is Grip.GROUND:
        fixed = snap(round(min(max(start, limit[0]), limit[1])))
        return min(fixed, time), max(fixed, time)
    if grip is Grip.RANGE:
        span = moved(before, round(now - start), limit)
        by = snap(span[0]) - span[0] or snap(span[1]) - span[1]
        return moved(span, by, limit)
    fixed = before[1] if grip is Grip.START else before[0]
    return min(fixed, time), max(fixed, time)


def stepped(span: Span, direction: int, limit: Span) -> Span:
    """The range moved by a key: by a tenth of its length."""
    return moved(span, direction * max(round((span[1] - span[0]) * STEP), 1), limit)


def resized(span: Span, direction: int, limit: Span) -> Span:
    """The range made longer (1) or shorter (-1) by a key, at its begin; at its end where there is nothing before."""
    by = direction * max(round((span[1] - span[0]) * STEP), LEAST)
    first = min(max(span[0] - by, limit[0]), max(span[1] - LEAST, limit[0]))
    last = span[1] if first != span[0] or direction < 0 else min(span[1] + by, limit[1])
    return first, last
