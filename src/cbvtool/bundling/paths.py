"""Control paths: the way through the tree from one item to another, mirrored into the inner circle (CBV-2).

Holten, Hierarchical Edge Bundles, IEEE TVCG 12(5), 2006, section 4: the path from one node over the least common
ancestor to the other node is the control polygon of the relation's curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.tree import Circle, Tree

FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
Points = npt.NDArray[np.float64]
Pointers = npt.NDArray[np.int64]

# Rings of the mirrored inner tree are closer to the rim than even spacing would put them. So relations between siblings
# are short arcs, not spikes into the middle, and bundles split only where their branches do.
INNER_POWER = 0.6


@dataclass(frozen=True, eq=False)
class Routes:
    """Control polygons of e relations between k ends, in a form from which many curves can be computed at once.

    anchors  float64[k, depth, 2]  points on the disc from each end upward: the end itself, its parent, ...
    source   int32[e]              end at which each relation begins (the dependant)
    target   int32[e]              end at which it ends (the dependency)
    up       int32[e]              steps from the source up to the least common ancestor, at least 1
    down     int32[e]              steps from there down to the target, at least 1
    """

    anchors: npt.NDArray[np.float64]
    source: IntColumn
    target: IntColumn
    up: IntColumn
    down: IntColumn

    def __post_init__(self) -> None:
        for column in (self.anchors, self.source, self.target, self.up, self.down):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Number of relations."""
        return len(self.source)

    @cached_property
    def shapes(self) -> list[tuple[int, int, npt.NDArray[np.int64]]]:
        """(steps up, steps down, rows ascending) for each combination that occurs."""
        if not len(self):
            return []
        width = int(self.down.max()) + 1
        code = self.up.astype(np.int64) * width + self.down
        small = code.astype(np.uint16) if code.max() < 1 << 16 else code  # radix sort is used for 16-bit integers
        order = np.argsort(small, kind="stable")
        starts = np.flatnonzero(np.diff(code[order], prepend=-1))
        return [(*divmod(int(code[rows[0]]), width), rows) for rows in np.split(order, starts[1:])]

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """int64[e]: the rows sorted by shape, in which `bundle` is fastest."""
        return np.concatenate([np.empty(0, np.int64), *(rows for _, _, rows in self.shapes)])

    def take(self, rows: npt.NDArray[np.int64]) -> Routes:
        """The routes of `rows`, in that order."""
        return Routes(self.anchors, self.source[rows], self.target[rows], self.up[rows], self.down[rows])


def routes(
    tree: Tree, layout: Circle, item: IntColumn, angle: FloatColumn, source: IntColumn, target: IntColumn
) -> Routes:
    """Routes of relations between ends, which lie on the inner edge of the innermost ring.

    item, angle     int32[k], float64[k]  of each end: its leaf of the tree, and its angle
    source, target  int32[e]              the dependant's and the dependency's end of each relation
    """
    anchors = inner_points(tree, layout)[tree.chain[item]]
    anchors[:, 0] = polar(angle, layout.band0)
    return Routes(anchors, source, target, *steps_to_ancestor(tree, item[source], item[target]))


def control_boxes(routes: Routes) -> npt.NDArray[np.float64]:
    """float64[e, 4]: least x, least y, largest x, largest y of each control polygon.

    A spline lies in the convex hull of its control points, and straightening does not enlarge the hull. So the curve
    lies in the box for every beta.
    """
    least, most = np.minimum.accumulate(routes.anchors, axis=1), np.maximum.accumulate(routes.anchors, axis=1)
    a, b = (routes.source, routes.up), (routes.target, routes.down)
    return np.concatenate((np.minimum(least[a], least[b]), np.maximum(most[a], most[b])), axis=1)


def inner_points(tree: Tree, layout: Circle) -> Points:
    """float64[v, 2]: position of each item in the mirrored inner tree.

    The root is at the centre; the further out a ring is in the plot, the nearer it is to the centre here. Leaves of
    every level are on the inner edge of the innermost ring.
    """
    radius = layout.band0 * np.where(tree.leaf, 1.0, (tree.level / tree.rings) ** INNER_POWER)
    radius[0] = 0.0
    return polar((layout.a0 + layout.a1) / 2, radius)


def polar(angle: FloatColumn, radius: FloatColumn | float) -> Points:
    """float64[..., 2]: points at `angle` (radians clockwise from 12 o'clock) and `radius`."""
    return np.stack((radius * np.sin(angle), radius * np.cos(angle)), axis=-1)


def steps_to_ancestor(tree: Tree, a: IntColumn, b: IntColumn) -> tuple[IntColumn, IntColumn]:
    """int32[e] twice: steps up from each item `a` and from each item `b` to their least common ancestor.

    It is the first ancestor of `a` whose range in preorder contains both. For two equal items, it is the parent.
    """
    up = np.zeros(len(a), np.int32)
    above = np.where(a == b, tree.parent[a], a)
    up += a == b
    for _ in range(tree.rings):
        outside = (b < above) | (b >= tree.end[above])
        if not outside.any():
            break
        up += outside
        above = np.where(outside, tree.parent[above], above)
    return up, tree.level[b] - tree.level[above]
