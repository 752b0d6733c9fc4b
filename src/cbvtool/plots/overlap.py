"""Bars that tile a plane become other bars that tile it, by what they have in common (OC-2).

Optimal partitions need not lie within one another, so that no bar has one that it came from. The plane is cut where
either of the two is cut. Each piece fades from the colour of the bar that it was a part of to that of the bar which it
will be a part of; all pieces together cover the plane at any moment. Two bars that share more than half of what both
cover are the same thing grown or shrunk: its border moves. A bar has at most one such partner. Borders of all others
fade where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.plots.layers import Bars

Floats = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.int64]

MOST_BARS = 30_000  # before and after; more become the others at once
_MOST_CELLS = 4_000_000  # of the grid of all edges
_CLEAR = (0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class Tiling:
    """n bars that lie side by side.

    box      float64[n, 4]: x0, x1, y0, y1, ascending
    color    uint8[n, 4]
    outline  uint8[n, 4]; alpha 0 = none
    """

    box: Floats
    color: Colors
    outline: Colors

    def __len__(self) -> int:
        return len(self.box)


@dataclass(frozen=True, eq=False)
class Passage:
    """The way from one tiling of a plane to another.

    pane       of both
    old, new   int64[p]: of each piece, the bar before and the bar after
    box        float64[p, 4]
    was, is_   int64[q]: bars before, and those after that are the same thing
    """

    pane: str
    before: Tiling
    after: Tiling
    old: Rows
    new: Rows
    box: Floats
    was: Rows
    is_: Rows

    def at(self, share: float) -> tuple[Bars, ...]:
        """Pieces, then borders; share 0 = as before, 1 = as after."""
        colors = _mixed(self.before.color[self.old], self.after.color[self.new], share)
        found = [_bars("pieces", self.pane, self.box, colors, None)]
        gone = np.delete(np.arange(len(self.before)), self.was)
        come = np.delete(np.arange(len(self.after)), self.is_)
        moved = (1 - share) * self.before.box[self.was] + share * self.after.box[self.is_]
        for name, box, outline in (
            ("gone", self.before.box[gone], _faded(self.before.outline[gone], 1 - share)),
            ("come", self.after.box[come], _faded(self.after.outline[come], share)),
            ("moved", moved, _mixed(self.before.outline[self.was], self.after.outline[self.is_], share)),
        ):
            for number, one in enumerate(np.unique(outline, axis=0)):
                if one[3]:
                    same = (outline == one).all(axis=1)
                    found.append(_bars(f"{name} {number}", self.pane, box[same], _CLEAR, tuple(one.tolist())))
        return tuple(found)


def _bars(
    name: str, pane: str, box: Floats, color: Colors | tuple[int, int, int, int], outline: tuple[int, ...] | None
) -> Bars:
    x0, x1, y0, y1 = box.T
    edge = None if outline is None else (outline[0], outline[1], outline[2], outline[3])
    return Bars(name=f"passage: {name}", pane=pane, x0=x0, x1=x1, y0=y0, y1=y1, color=color, outline=edge)


def _mixed(one: Colors, other: Colors, share: float) -> Colors:
    mixed: Colors = np.rint((1 - share) * one.astype(np.float64) + share * other).astype(np.uint8)
    return mixed


def _faded(color: Colors, share: float) -> Colors:
    found = color.copy()
    found[:, 3] = np.rint(color[:, 3] * share)
    return found


def tiling_of(layers: Sequence[Bars]) -> Tiling:
    """All bars of some layers."""
    boxes, colors, outlines = [np.empty((0, 4))], [np.empty((0, 4), np.uint8)], [np.empty((0, 4), np.uint8)]
    for layer in layers:
        x, y = np.sort((layer.x0, layer.x1), axis=0), np.sort((layer.y0, layer.y1), axis=0)
        boxes.append(np.stack((*x, *y), axis=1).astype(np.float64))
        shape = (len(layer.x0), 4)
        colors.append(np.broadcast_to(np.asarray(layer.color, np.uint8), shape))
        outlines.append(np.broadcast_to(np.array(layer.outline or _CLEAR, np.uint8), shape))
    return Tiling(np.concatenate(boxes), np.concatenate(colors), np.concatenate(outlines))


def passage(before: Sequence[Bars], after: Sequence[Bars]) -> Passage | None:
    """The way from some bars to others in the same pane.

    None = there is none: nothing differs, they do not tile the same plane, or are too many.
    """
    panes = {layer.pane for layer in (*before, *after)}
    old, new = tiling_of(before), tiling_of(after)
    if len(panes) != 1 or not len(old) or not len(new) or len(old) + len(new) > MOST_BARS or _equal(old, new):
        return None
    x, y = (np.unique(np.concatenate((old.box[:, at], new.box[:, at]))) for at in ((0, 1), (2, 3)))
    if not np.isfinite(x).all() or not np.isfinite(y).all() or len(x) * len(y) > _MOST_CELLS:
        return None
    painted = [_painted(each.box, x, y) for each in (old, new)]
    if painted[0] is None or painted[1] is None or ((painted[0] < 0) != (painted[1] < 0)).any():
        return None
    covered = painted[0] >= 0
    pairs = np.unique(painted[0][covered] * len(new) + painted[1][covered])
    was, is_ = pairs // len(new), pairs % len(new)
    low, high = np.maximum(old.box[was], new.box[is_]), np.minimum(old.box[was], new.box[is_])
    box = np.stack((low[:, 0], high[:, 1], low[:, 2], high[:, 3]), axis=1)
    shared = _area(box)
    same = 2 * shared > _area(old.box[was]) + _area(new.box[is_]) - shared
    return Passage(panes.pop(), old, new, was, is_, box, was[same], is_[same])


def _equal(one: Tiling, other: Tiling) -> bool:
    pairs = ((one.box, other.box), (one.color, other.color), (one.outline, other.outline))
    return all(np.array_equal(a, b) for a, b in pairs)


def _area(box: Floats) -> Floats:
    found: Floats = (box[:, 1] - box[:, 0]) * (box[:, 3] - box[:, 2])
    return found


def _painted(box: Floats, x: Floats, y: Floats) -> Rows | None:
    """int64[y, x]: the bar that covers each cell of a grid of all edges, -1 = none; None if two bars overlap."""
    x0, x1 = np.searchsorted(x, box[:, 0]), np.searchsorted(x, box[:, 1])
    y0, y1 = np.searchsorted(y, box[:, 2]), np.searchsorted(y, box[:, 3])
    count, number = np.zeros((len(y), len(x)), np.int64), np.zeros((len(y), len(x)), np.int64)
    rows = np.arange(len(box), dtype=np.int64)
    for row, column, sign in ((y0, x0, 1), (y1, x0, -1), (y0, x1, -1), (y1, x1, 1)):
        np.add.at(count, (row, column), sign)
        np.add.at(number, (row, column), sign * rows)
    for grid in (count, number):
        np.cumsum(np.cumsum(grid, axis=0, out=grid), axis=1, out=grid)
    return None if (count > 1).any() else np.where(count == 1, number, -1)
