"""One circle for the base and the target of a plan: nodes that the plan does not change have the same angles in both.

The two trees are merged (a union tree, as in Graham and Kennedy, "A survey of multiple tree visualisation",
Information Visualization 9(4), 2010, section 4.1). A moved node has two places, that of the base and that of the
target. In each picture one of them is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph, TreeIndex
from cbvtool.graph.tree import index_tree
from cbvtool.layout.radial import Extents

FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]

MOST_LEFT = 1 / 3  # largest share of the circle for all abandoned places together; beyond it they become narrower


@dataclass(frozen=True, eq=False)
class Both:
    """The base and the target of a plan as one tree: n keys of the target, then the abandoned places.

    tree      the merged tree; at an abandoned place stands the subtree as it was in the base
    of_base   int32[b]  the node of the tree for each key of the base
    left      int32[k]  topmost keys of the base that the plan moves away or removes, ascending
    come      int32[j]  topmost keys of the target that the plan moves to a new place or creates, ascending
    """

    tree: TreeIndex
    of_base: IntColumn
    left: IntColumn
    come: IntColumn


def both(base: Graph, target: Graph, root: int = 0) -> Both:
    """Merge `base` and `target`, whose first keys are those of `base`.

    Nodes that the plan creates may be REMOVED in `base`.

    root   of the picture: a move of this node, or of a node that contains it, does not count
    """
    size, known = len(target), len(base)
    alive = base.parent != REMOVED
    moved = alive & (base.parent >= 0) & (target.parent[:known] != base.parent)
    if root < known:
        moved[[key for key in np.flatnonzero(moved).tolist() if base.is_below(root, key)]] = False
    moved |= _reordered(base, target, moved)
    copied = base.tree.below(np.flatnonzero(moved))
    above = base.parent
    tops = np.flatnonzero(moved & ~copied[above])
    rows = np.flatnonzero(copied)
    of_base = np.arange(known, dtype=np.int32)
    of_base[rows] = size + np.arange(len(rows), dtype=np.int32)
    parent = np.concatenate((target.parent, of_base[above[rows]]))
    come = np.ones(size, np.bool_)
    come[:known] = moved | ~alive
    come &= target.parent >= 0
    # Only topmost nodes: the others come with their container.
    come &= ~target.tree.below(np.flatnonzero(come))[target.parent]
    tree = index_tree(parent, _rank(base, target, moved, tops, rows))
    return Both(tree, of_base, tops.astype(np.int32), np.flatnonzero(come).astype(np.int32))


def _reordered(base: Graph, target: Graph, moved: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[b]: nodes that keep their parent, but have another position among its children, because they are renamed."""
    found = np.zeros(len(base), np.bool_)
    if target.names[: len(base)] == base.names:
        return found
    stays = (base.parent >= 0) & ~moved
    renamed = [key for key in np.flatnonzero(stays).tolist() if target.names[key] != base.names[key]]
    by_parent = dict[int, list[int]]()
    for key in renamed:
        by_parent.setdefault(int(base.parent[key]), []).append(key)
    for above, keys in by_parent.items():
        children = target.children(above)
        kept = children[children < len(base)]
        kept = kept[stays[kept]]
        if (np.diff(base.sibling_rank[kept].astype(np.int64)) < 0).any():
            found[keys] = True
    return found


def _rank(base: Graph, target: Graph, moved: npt.NDArray[np.bool_], tops: Rows, rows: Rows) -> Rows:
    """int64[n + r]: the order of siblings. An abandoned place stands after the sibling that it followed in the base.

    rows   int64[r]  keys of the base that have abandoned places
    """
    size, step = len(target), len(tops) + 1
    rank = np.empty(size + len(rows), np.int64)
    rank[:size] = target.sibling_rank.astype(np.int64) * step
    rank[size:] = base.sibling_rank[rows]  # order among abandoned places
    node = size + np.searchsorted(rows, tops)
    number = np.empty(len(tops), np.int64)
    number[np.argsort(base.sibling_rank[tops])] = np.arange(1, step)
    for place, key, row in zip(number.tolist(), tops.tolist(), node.tolist(), strict=True):
        kept = base.children(int(base.parent[key]))
        kept = kept[~moved[kept] & (base.sibling_rank[kept] < base.sibling_rank[key])]
        rank[row] = (int(target.sibling_rank[kept[-1]]) * step if len(kept) else -step) + place
    return rank


def both_extents(
    both: Both, target: FloatColumn, base: FloatColumn, held: tuple[int, ...] = ()
) -> tuple[Extents, Extents, Extents]:
    """(extents of the target, of the base, of all nodes of the tree), in one unit.

    target  float64[n]  each target node's own part of the circle: see `own_extents`
    base    float64[b]  likewise for the base. It is used for abandoned places, which share a limited part of the
            circle, and for nodes with a part in the base only, so that all items of the base have an extent
    held    keys of the target that the user drags; they and their subtrees are off the ring
    """
    size = len(target)
    off = both.tree.below(held)
    stays = np.flatnonzero((both.of_base < size) & ~off[: len(base)])
    target = target.copy()
    target[stays] = np.where(target[stays] > 0, target[stays], base[stays])
    rows = np.flatnonzero(both.of_base >= size)
    left = np.where(off[size:], 0.0, base[rows])
    most = MOST_LEFT / (1 - MOST_LEFT) * float(target.sum())
    taken = float(left.sum())
    if taken > most > 0:
        left = left * (most / taken)
    all_of = Extents.of(both.tree, np.concatenate((target, left)))
    return all_of.take(np.arange(size)), all_of.take(both.of_base), all_of
