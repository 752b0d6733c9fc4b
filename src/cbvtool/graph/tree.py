"""The depth-first preorder of a tree given as parents: a subtree becomes a range of positions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NO_PARENT = -1  # the parent of the root
REMOVED = -2  # the parent of a node that a plan has removed; its key stays taken

IntColumn = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TreeIndex:
    """Preorder of the m nodes that are not removed, for n keys.

    order   int32[m]   key at each position
    pos     int32[n]   position of each key, -1 for removed nodes
    end     int32[n]   one past the last position of the key's subtree, -1 for removed nodes
    depth   int32[n]   0 for the root, -1 for removed nodes
    parent  int32[n]   as given: key of the parent, or NO_PARENT or REMOVED
    child_ptr  int64[n+1], child_key int32[m-1]   children of key k: `child_key[child_ptr[k]:child_ptr[k + 1]]`
    """

    order: IntColumn
    pos: IntColumn
    end: IntColumn
    depth: IntColumn
    parent: IntColumn
    child_ptr: npt.NDArray[np.int64]
    child_key: IntColumn

    def is_below(self, key: int, ancestor: int) -> bool:
        """Whether `key` lies in the subtree of `ancestor`, itself included."""
        return bool(self.pos[ancestor] <= self.pos[key] < self.end[ancestor])

    def below(self, keys: Collection[int] | npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """bool[n]: the nodes in the subtrees of `keys`, themselves included; False for removed nodes."""
        rows = keys if isinstance(keys, np.ndarray) else np.fromiter(keys, np.int64, len(keys))
        rows = rows[self.pos[rows] >= 0]
        around = np.zeros(len(self.order) + 1, np.int32)
        np.add.at(around, self.pos[rows], 1)
        np.add.at(around, self.end[rows], -1)
        result = np.zeros(len(self.pos), np.bool_)
        result[self.order] = np.cumsum(around[:-1]) > 0
        return result

    def children(self, key: int) -> IntColumn:
        """Keys of the children of `key` in sibling order."""
        return self.child_key[self.child_ptr[key] : self.child_ptr[key + 1]]

    def subtree_sum(self, own: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """float64[n]: sum of `own` over each subtree, NaN counted as 0 (prefix-sum difference)."""
        prefix = np.concatenate(([0.0], np.cumsum(np.nan_to_num(own[self.order]))))
        result = np.zeros(len(self.pos))
        result[self.order] = prefix[self.end[self.order]] - prefix[self.pos[self.order]]
        return result

    def subtree_max(self, own: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """float64[n]: maximum of `own` over each subtree, NaN where nothing was measured."""
        result = np.array(own, dtype=np.float64)
        for level in range(int(self.depth.max(initial=0)), 0, -1):
            keys = np.flatnonzero(self.depth == level)
            np.fmax.at(result, self.parent[keys], result[keys])
        return result

    def lowest_common_ancestor(self, a: IntColumn, b: IntColumn) -> IntColumn:
        """int32[e]: key of the least common ancestor of each pair of keys."""
        a, b = a.copy(), b.copy()
        while True:
            deeper = self.depth[a] > self.depth[b]
            a = np.where(deeper, self.parent[a], a)
            other = self.depth[b] > self.depth[a]
            b = np.where(other, self.parent[b], b)
            level = (self.depth[a] == self.depth[b]) & (a != b)
            if not (deeper | other | level).any():
                return a
            a = np.where(level, self.parent[a], a)
            b = np.where(level, self.parent[b], b)

    def common_ancestor(self, keys: Collection[int] | IntColumn) -> int:
        """Key of the innermost node at or above all of `keys`. Raises ValueError for none, or one outside the tree."""
        each = np.fromiter(keys, np.int64, len(keys))
        if each.min() < 0 or self.pos[each].min() < 0:
            raise ValueError("a node outside the tree has no ancestors")
        low, high, innermost = int(self.pos[each].min()), int(self.pos[each].max()), int(each[0])
        while not (self.pos[innermost] <= low and high < self.end[innermost]):
            innermost = int(self.parent[innermost])
        return innermost


def index_tree(parent: IntColumn, rank: IntColumn | npt.NDArray[np.int64]) -> TreeIndex:
    """Build the preorder index; siblings stand in ascending `rank`.

    Works level by level in NumPy, so that 100,000 nodes cost milliseconds without a compiler.

    Raises ValueError when there is not exactly one root, or a node is not reached from it.
    """
    n = len(parent)
    roots = np.flatnonzero(parent == NO_PARENT)
    if len(roots) != 1:
        raise ValueError(f"a tree has one root, this one has {len(roots)}")
    inner = np.flatnonzero(parent >= 0)
    by_parent = inner[np.lexsort((rank[inner], parent[inner]))].astype(np.int32)
    child_ptr = np.concatenate(([0], np.cumsum(np.bincount(parent[inner], minlength=n)))).astype(np.int64)

    depth = np.full(n, -1, np.int32)
    depth[roots] = 0
    levels = [roots.astype(np.int32)]
    while len(levels[-1]):
        counts = (child_ptr[levels[-1] + 1] - child_ptr[levels[-1]]).astype(np.int64)
        first = np.cumsum(counts) - counts
        slots = np.repeat(child_ptr[levels[-1]] - first, counts) + np.arange(counts.sum())
        children = by_parent[slots]
        depth[children] = len(levels)
        levels.append(children)
    reached = int(np.count_nonzero(depth >= 0))
    if reached != len(inner) + 1:
        raise ValueError(f"{len(inner) + 1 - reached} nodes are not reached from the root: their parents form a cycle")

    size = np.ones(n, np.int64)
    for keys in reversed(levels[1:]):
        size += np.bincount(parent[keys], weights=size[keys], minlength=n).astype(np.int64) if len(keys) else 0
    pos = np.full(n, -1, np.int32)
    pos[roots] = 0
    for keys in levels[1:]:
        if not len(keys):
            continue
        above = parent[keys]
        before = np.cumsum(size[keys]) - size[keys]  # siblings are adjacent within a level
        starts = np.concatenate(([True], above[1:] != above[:-1]))
        before -= np.repeat(before[starts], np.diff(np.append(np.flatnonzero(starts), len(keys))))
        pos[keys] = pos[above] + 1 + before
    end = np.where(pos >= 0, pos + size, -1).astype(np.int32)
    order = np.empty(reached, np.int32)
    alive = np.flatnonzero(pos >= 0)
    order[pos[alive]] = alive
    for column in (order, pos, end, depth, child_ptr, by_parent):
        column.flags.writeable = False
    return TreeIndex(order, pos, end, depth, parent, child_ptr, by_parent)
