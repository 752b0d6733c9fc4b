"""Names of resources beside the plane: an icicle of those that are high enough, and some of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cbvtool.api import Bars, Labels, ResourceTree, Theme

from .frame import NAMES, Frame
from .preparing import Model

_BOXED = 9.5  # logical pixels of a resource with a box of its own
_HIGH = 12.0  # of one whose name is written in the usual size
_SIZES = (9.0, 11.0)


class _Name(NamedTuple):
    row: int
    column: int
    boxed: bool


def resource_names(model: Model, frame: Frame, theme: Theme) -> tuple[Bars | Labels, ...]:
    """Groups at the left, what lies in them to the right; of those that are too low, as many as there is room for."""
    if not frame.left:
        return ()
    tree = model.cells.tree
    names = _names(tree, frame.leaf)
    columns = max(each.column for each in names) + 1
    rows, column = (np.array([each[at] for each in names], np.int64) for at in (0, 1))
    boxed = np.array([each.boxed for each in names], np.bool_)
    divided = {int(tree.parent[each.row]) for each in names}
    closed = np.array([each.row not in divided for each in names], np.bool_)
    x0, x1 = column / columns, np.where(closed, 1.0, (column + 1) / columns)
    y0, y1 = tree.first_leaf[rows].astype(np.float64), tree.first_leaf[tree.end[rows]].astype(np.float64)
    small = tree.size[rows] * frame.leaf < _HIGH
    layers: list[Bars | Labels] = [
        Bars(
            name="resources",
            pane=NAMES,
            x0=x0[boxed],
            x1=x1[boxed],
            y0=y0[boxed],
            y1=y1[boxed],
            color=theme.plane,
            outline=theme.line,
            item=rows[boxed].astype(np.int32),
        )
    ]
    for name, which, size, color in (
        ("resource names", ~small, _SIZES[1], theme.text),
        ("low names", small & boxed, _SIZES[0], theme.text),
        ("some names", small & ~boxed, _SIZES[0], theme.muted),
    ):
        at = np.flatnonzero(which)
        layers.append(
            Labels(
                name=name,
                pane=NAMES,
                x=x0[at] + 4.0 / frame.left,
                y=(y0[at] + y1[at]) / 2,
                text=tuple(tree.name[row] for row in rows[at].tolist()),
                color=color,
                size=size,
                room=(x1[at] - x0[at]) * frame.left - 7.0,
            )
        )
    return tuple(layers)


def _names(tree: ResourceTree, leaf: float) -> list[_Name]:
    """Which are written, and in which column."""
    boxed = [row for row in range(1, len(tree)) if tree.size[row] * leaf >= _BOXED]
    found = [_Name(row, int(tree.depth[row]) - 1, True) for row in boxed]
    told = set(boxed)
    for above in (0, *boxed):
        free, bottom = tree.first_leaf[above] * leaf, tree.first_leaf[tree.end[above]] * leaf
        children = tree.children(above)
        begins = [tree.first_leaf[child] * leaf for child in children if child in told]
        for child in children:
            top, end = tree.first_leaf[child] * leaf, tree.first_leaf[tree.end[child]] * leaf
            if child in told:
                free = end
                continue
            middle, half = (top + end) / 2, _SIZES[0] / 2 + 1
            until = min((begin for begin in begins if begin >= end), default=bottom)
            if middle - half >= free and middle + half <= until and bottom - tree.first_leaf[above] * leaf >= 3 * _HIGH:
                found.append(_Name(child, int(tree.depth[child]) - 1, False))
                free = middle + half
    return found or [_Name(0, 0, True)]
