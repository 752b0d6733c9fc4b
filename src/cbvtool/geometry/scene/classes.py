"""Colours of classes: each of the most frequent ones has its own, the same at every depth; all others share one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import CLASS_COLORS, Theme
from cbvtool.geometry.scales import ClassEntry
from cbvtool.layout.visible import VisibleTree

Colors = npt.NDArray[np.uint8]
OTHERS = "others"


def class_order(tree: VisibleTree, column: npt.NDArray[np.float64], names: tuple[str, ...]) -> tuple[str, ...]:
    """The classes that occur; those that get a colour come first.

    column   float64[n] by key: rows of `names`, NaN = not measured

    All innermost nodes of the graph decide which classes get a colour, so that expanding a node does not change it.
    """
    row, seen = _rows(tree, column, len(names))
    index = tree.graph.tree
    innermost = (np.diff(index.child_ptr) == 0) & (index.pos >= 0)
    often = np.bincount(row[innermost], minlength=len(names) + 1)[:-1]
    # Classes of inner nodes alone (such as the kind folder) come last, but still before the classes that share a grey.
    order = np.lexsort((np.arange(len(names)), -seen, -often))
    return tuple(names[kind] for kind in order[(often[order] > 0) | (seen[order] > 0)].tolist())


def _rows(
    tree: VisibleTree, column: npt.NDArray[np.float64], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(int64[n] class of each node, `count` = not measured; int64[count] visible innermost nodes of each class)."""
    row = np.where(np.isnan(column), count, column).astype(np.int64)
    return row, np.bincount(row[tree.key[tree.leaf]], minlength=count + 1)[:-1]


def class_colors(
    tree: VisibleTree, column: npt.NDArray[np.float64], names: tuple[str, ...], first: tuple[str, ...], theme: Theme
) -> tuple[Colors, tuple[ClassEntry, ...]]:
    """(uint8[v, 4]: the colour of each item's class; the classes visible on the innermost ring).

    column   float64[n] by key: rows of `names`, NaN = not measured
    first    result of `class_order`: the order in which classes get colours; classes that are not in it come last
    """
    size = len(names) + 1  # the last row stands for nodes that were not measured
    row, seen = _rows(tree, column, len(names))
    of_name = {name: kind for kind, name in enumerate(names)}
    ordered = dict.fromkeys(of_name[name] for name in first if name in of_name)
    order = np.array([*ordered, *(kind for kind in np.flatnonzero(seen).tolist() if kind not in ordered)], np.int64)
    named, rest = order[: len(CLASS_COLORS)], order[len(CLASS_COLORS) :]

    table = np.empty((size, 4), np.uint8)
    table[:] = theme.other
    table[-1] = theme.missing
    table[named] = np.array(CLASS_COLORS[: len(named)], np.uint8).reshape(-1, 4)  # shape also for no class at all
    entries = [
        ClassEntry(names[kind], color, int(seen[kind]))
        for kind, color in zip(named.tolist(), CLASS_COLORS, strict=False)
        if seen[kind]
    ]
    if left := int(seen[rest].sum()):
        entries.append(ClassEntry(OTHERS, theme.other, left))
    return table[row[tree.key]], tuple(entries)
