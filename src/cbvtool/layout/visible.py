"""The visible tree: all nodes above the frontier of expanded ones, as columns in preorder."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, TreeIndex

IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class VisibleTree:
    """v visible items in preorder; item 0 is the root of the view, which is not drawn (CBV-1).

    graph      the graph that the keys are of, so that no column of another graph is looked up with them
    key        int32[v]  node key of each item; a `(module)` slot has the key of its expanded owner
    slot       bool[v]   the item is a `(module)` slot: it stands for its owner's own content, without the children
    parent     int32[v]  item of the parent; -1 for item 0
    level      int32[v]  number of the ring, counted from outside; 0 for item 0
    end        int32[v]  one past the last item below each item, so that a subtree is a range
    leaf       bool[v]   innermost visible: nothing is shown below it, so it is extruded (CBV-3)
    represent  int32[n]  item that stands for each node key (an expanded node with a slot: the slot); -1 = not shown
    """

    graph: Graph
    key: IntColumn
    slot: Mask
    parent: IntColumn
    level: IntColumn
    end: IntColumn
    leaf: Mask
    represent: IntColumn

    def __post_init__(self) -> None:
        for column in (self.key, self.slot, self.parent, self.level, self.end, self.leaf, self.represent):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Number of items."""
        return len(self.key)

    @cached_property
    def rings(self) -> int:
        """Number of rings: the level of the deepest item, at least 1."""
        return max(int(self.level.max(initial=0)), 1)

    @cached_property
    def chain(self) -> IntColumn:
        """int32[v, rings + 1]: each item, its parent, the parent of that, ..., padded with -1."""
        columns = [np.arange(len(self.key), dtype=np.int32)]
        above = np.append(self.parent, np.int32(-1))  # the parent of "none" is none
        for _ in range(self.rings):
            columns.append(above[columns[-1]])
        chain = np.stack(columns, axis=1)
        chain.flags.writeable = False
        return chain


def has_own_content(graph: Graph, own_weight: FloatColumn | None = None) -> Mask:
    """bool[n]: nodes with content of their own, apart from children: ends of relations, or nodes with a weight."""
    content = np.zeros(len(graph), np.bool_)
    content[graph.edges.source] = True
    content[graph.edges.target] = True
    if own_weight is not None:
        content |= own_weight > 0  # False for NaN
    return content


def visible_tree(
    graph: Graph,
    expanded: Collection[int],
    root: int = 0,
    hidden: Collection[int] = frozenset(),
    own_weight: FloatColumn | None = None,
    content: Mask | None = None,
) -> VisibleTree:
    """The items to show.

    expanded    keys of the nodes whose children are shown; `root` always is
    root        key of the node that the view is restricted to
    hidden      keys of subtrees that are left out
    own_weight  float64[n] by key, NaN = not measured: the weight that the layout will get
    content     bool[n]: `has_own_content` of `graph` and `own_weight`, if it is known already

    An expanded node with relations or a weight of its own gets a `(module)` slot as its first child. Visible nodes are
    found from the root down; apart from that, there is one pass over all n nodes.
    """
    tree, n = graph.tree, len(graph)
    if content is None:
        content = has_own_content(graph, own_weight)
    opened = _marked(expanded, n)
    opened[root] = True
    left_out = _marked(hidden, n)
    left_out[root] = False

    keys = _shown(tree, root, opened, left_out)
    parents = tree.parent[keys]
    is_parent = np.zeros(n, np.bool_)
    is_parent[parents[1:]] = True  # all but the root have a visible parent
    owners = keys[is_parent[keys] & content[keys]]

    place = np.concatenate((2 * tree.pos[keys], 2 * tree.pos[owners] + 1))  # a slot right after its owner
    order = np.argsort(place, kind="stable")
    key = np.concatenate((keys, owners))[order]
    slot = np.concatenate((np.zeros(len(keys), np.bool_), np.ones(len(owners), np.bool_)))[order]
    item = np.full(n, -1, np.int32)
    item[key[~slot]] = np.flatnonzero(~slot)
    parent = np.where(slot, item[key], item[np.maximum(tree.parent[key], 0)]).astype(np.int32)
    parent[0] = -1
    level = (tree.depth[key] - tree.depth[root] + slot).astype(np.int32)
    after = np.append(tree.pos[key], np.int32(n))  # items are sorted by position
    end = np.searchsorted(after[:-1], tree.end[key]).astype(np.int32)
    end[slot] = np.flatnonzero(slot) + 1
    leaf = end == np.arange(1, len(key) + 1)

    stands = item[keys]
    stands[is_parent[keys] & content[keys]] = np.flatnonzero(slot)
    # In preorder, the last visible node at or before a node stands for it, unless the node is left out.
    first, last = int(tree.pos[root]), int(tree.end[root])
    represent = np.repeat(stands, np.diff(np.append(tree.pos[keys], last)))
    if left_out.any():
        gone = np.flatnonzero(left_out & (tree.pos >= first) & (tree.pos < last))
        depth = np.zeros(last - first + 1, np.int32)
        np.add.at(depth, tree.pos[gone] - first, 1)
        np.add.at(depth, tree.end[gone] - first, -1)
        represent[np.cumsum(depth[:-1]) > 0] = -1
    by_key = np.full(n, -1, np.int32)
    by_key[tree.order[first:last]] = represent
    return VisibleTree(graph, key, slot, parent, level, end, leaf, by_key)


def _shown(tree: TreeIndex, root: int, opened: Mask, left_out: Mask) -> IntColumn:
    """Keys of the nodes that are shown, in preorder: children of `opened` nodes, level by level."""
    found = [np.array([root], np.int32)]
    while len(found[-1]):
        above = found[-1][opened[found[-1]]]
        count = tree.child_ptr[above + 1] - tree.child_ptr[above]
        begin = np.cumsum(count) - count
        rows = np.repeat(tree.child_ptr[above] - begin, count) + np.arange(count.sum())
        children = tree.child_key[rows].astype(np.int32, copy=False)
        found.append(children[~left_out[children]])
    keys = np.concatenate(found)
    return keys[np.argsort(tree.pos[keys], kind="stable")]


def _marked(keys: Collection[int], n: int) -> Mask:
    """bool[n]: True at `keys`; keys that do not exist (any more) are ignored."""
    rows = np.fromiter(keys, np.int64, len(keys))
    mask = np.zeros(n, np.bool_)
    mask[rows[(rows >= 0) & (rows < n)]] = True
    return mask
