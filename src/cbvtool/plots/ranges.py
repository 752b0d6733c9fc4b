"""Zooming and panning of a pane's ranges: pure functions of ranges."""

from __future__ import annotations

import math

from cbvtool.plots.panes import Pane, place

Interval = tuple[float, float]

NARROWEST = 1e-13  # of its distance from zero: a narrower range has no numbers between its ends


def zoomed(shown: Interval, factor: float, share: float, limit: Interval | None = None) -> Interval:
    """`shown`, `factor` times as wide; what lies at `share` (0..1) of its way stays there, unless `limit` is reached.

    A range that would be too narrow for numbers, or that is no number, stays as it is.
    """
    first, last = shown
    place_ = first + share * (last - first)
    wide = (last - first) * factor
    after = (place_ - share * wide, place_ + (1 - share) * wide)
    if not all(map(math.isfinite, after)) or abs(wide) <= NARROWEST * max(abs(after[0]), abs(after[1])):
        return shown
    return within(after, limit)


def moved(shown: Interval, by: float, limit: Interval | None = None) -> Interval:
    """`shown`, moved by `by` of the data, not beyond `limit`."""
    after = (shown[0] + by, shown[1] + by)
    return within(after, limit) if all(map(math.isfinite, after)) else shown


def within(shown: Interval, limit: Interval | None) -> Interval:
    """`shown`, moved into `limit`, or the whole of `limit` where it is wider. It keeps its direction."""
    if limit is None:
        return shown
    low, high = min(limit), max(limit)
    first, last = min(shown), max(shown)
    wide = last - first
    if wide >= high - low:
        first, last = low, high
    elif first < low:
        first, last = low, low + wide
    elif last > high:
        first, last = high - wide, high
    return (first, last) if shown[0] <= shown[1] else (last, first)


def between(before: Interval, after: Interval, share: float) -> Interval:
    """The range on the way from one to another. What both show at the same place stays there on the way."""
    if share >= 1:
        return after
    return before[0] + share * (after[0] - before[0]), before[1] + share * (after[1] - before[1])


def shares(pane: Pane, px: float, py: float) -> tuple[float, float]:
    """How far a place of the content lies along a pane's x and y, 0..1 inside of it."""
    x, y = place(pane, px, py)
    return _share(float(x), pane.x), _share(float(y), pane.y)


def _share(value: float, shown: Interval) -> float:
    return (value - shown[0]) / ((shown[1] - shown[0]) or 1.0)
