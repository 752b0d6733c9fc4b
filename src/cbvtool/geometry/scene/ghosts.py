"""Places that a picture leaves empty: from where a plan takes something, or, in the picture of its base, to where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.scene.planned import PlannedChanges
from cbvtool.graph import Graph
from cbvtool.layout.both import Both
from cbvtool.layout.radial import GAP, GAP_RADIUS, GAP_SHARE, NOMINAL_PIXEL, TOP_GAP, Extents, RadialLayout
from cbvtool.layout.visible import VisibleTree

FloatColumn = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ghosts:
    """g empty places, each as a segment of the ring.

    graph    of `key`: that in which something lies there
    key      int32[g]  what
    parent   int32[g]  item of the container in which the place is
    a0, a1, r0, r1   float64[g], as in `RadialLayout`
    """

    graph: Graph
    key: IntColumn
    parent: IntColumn
    a0: FloatColumn
    a1: FloatColumn
    r0: FloatColumn
    r1: FloatColumn

    def __len__(self) -> int:
        return len(self.key)

    def at(self, angle: float, radius: float) -> int:
        """The key whose place is there, -1 = none."""
        found = np.flatnonzero((self.a0 <= angle) & (angle < self.a1) & (self.r0 <= radius) & (radius <= self.r1))
        return int(self.key[found[0]]) if len(found) else -1


def ghosts(
    plan: PlannedChanges,
    laid: Both,
    every: Extents,
    known: Extents,
    tree: VisibleTree,
    layout: RadialLayout,
    expanded: frozenset[int],
    of_target: bool,
) -> Ghosts:
    """The empty places in containers whose content is shown.

    every      extents of all nodes of `laid`; known: those of the keys of `tree`
    of_target  `tree` shows the target of the plan, else its base
    """
    if of_target:
        graph, key, above = plan.base, laid.left, plan.base.parent[laid.left]
        node = laid.of_base[key]
    else:
        graph, key, above = plan.target, laid.come, plan.target.parent[laid.come]
        node = key
    item = np.full(len(tree.represent), -1, np.int64)
    own = ~tree.slot
    item[tree.key[own]] = np.flatnonzero(own)
    at = np.where(above < len(item), item[np.minimum(above, len(item) - 1)], -1)
    is_open = np.array(
        [bool(i == 0 or not tree.leaf[i] or int(tree.key[i]) in expanded) for i in at.tolist()], np.bool_
    )
    rows = np.flatnonzero((at >= 0) & is_open & (every.last[node] > every.first[node]))
    at, key, node = at[rows], key[rows], node[rows]
    first, last = known.first[tree.key[at]], known.last[tree.key[at]]
    scale = (layout.a1[at] - layout.a0[at]) / np.maximum(last - first, 1e-12)
    low = layout.a0[at] + (every.first[node] - first) * scale
    high = layout.a0[at] + (every.last[node] - first) * scale
    gap = np.where(tree.level[at] == 0, TOP_GAP, GAP) * NOMINAL_PIXEL / GAP_RADIUS
    inset = np.minimum(gap, GAP_SHARE * (high - low)) / 2
    outer = np.full(tree.rings + 2, layout.band1)
    outer[tree.level] = layout.r1
    return Ghosts(
        graph,
        key.astype(np.int32),
        at.astype(np.int32),
        low + inset,
        high - inset,
        np.full(len(at), layout.band0),
        outer[tree.level[at] + 1],
    )
