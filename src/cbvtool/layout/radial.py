"""The circular icicle plot (CBV-1): concentric rings, one per level, the leaves on the innermost one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, TreeIndex
from cbvtool.layout.empty import empty_containers, with_room
from cbvtool.layout.visible import Mask, VisibleTree, has_own_content

FloatColumn = npt.NDArray[np.float64]

NOMINAL_PIXEL = 2 / 1000  # the disc (radius 1) fills a picture of 1000 pixels
GAP_RADIUS = 0.7  # where gaps have their width in pixels; the same for any number of rings, so that none moves
GAP = 1.0  # nominal pixels between siblings, and between rings
TOP_GAP = 3.0  # nominal pixels between top-level nodes
GAP_SHARE = 0.25  # largest share of a node's extent that gaps may take
SLIM_SHARE = 0.25  # extent of an unmeasured leaf, as a share of the median measured leaf
BAND_SHARE = 1.5  # thickness of the innermost ring, relative to the others
# Relative thickness of a ring of only children, which divides nothing: `src/main/java/org` is a path, not a structure.
LONE_SHARE = 0.5
LONE = (0.85, 0.98)  # (share of the largest children from which a ring becomes thinner, share at which it is thinnest)


@dataclass(frozen=True, eq=False)
class RadialLayout:
    """The places of the v items of a VisibleTree. The outermost radius is 1.

    a0, a1     float64[v]  angles in radians clockwise from 12 o'clock (x = r sin a, y = r cos a); 0 <= a0 < a1 <= 2 pi
    r0, r1     float64[v]  inner and outer radius; those of item 0 are both 1 (the root is not drawn) unless it is
                           the only item
    band0, band1           inner and outer radius of the innermost ring, the one that is extruded
    key_angle  float64[n]  angle of each node key inside the item that stands for it (CBV-5); NaN = not shown
    """

    a0: FloatColumn
    a1: FloatColumn
    r0: FloatColumn
    r1: FloatColumn
    band0: float
    band1: float
    key_angle: FloatColumn

    def __post_init__(self) -> None:
        for column in (self.a0, self.a1, self.r0, self.r1, self.key_angle):
            column.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Extents:
    """The parts of the circle of n nodes, in the unit of their weights; independent of what is expanded.

    first, last  float64[n] by key: where the subtree begins and ends; 0 for a removed node
    own          float64[n] by key: where the node's own weight ends, which comes first in its subtree
    middle       float64[n] by key: middle of the node's own part, if it has one, else of its subtree
    """

    first: FloatColumn
    last: FloatColumn
    own: FloatColumn
    middle: FloatColumn

    def __post_init__(self) -> None:
        for column in (self.first, self.last, self.own, self.middle):
            column.flags.writeable = False

    @staticmethod
    def of(index: TreeIndex, own: FloatColumn) -> Extents:
        """The extents of the nodes of a tree; `own` float64[n]: each node's own part of the circle."""
        before = np.concatenate(([0.0], np.cumsum(own[index.order])))
        there = index.pos >= 0
        first, last, alone = (
            np.where(there, before[position], 0.0) for position in (index.pos, index.end, index.pos + 1)
        )
        return Extents(first, last, alone, (first + np.where(own > 0, alone, last)) / 2)

    def take(self, keys: npt.NDArray[np.integer]) -> Extents:
        """The extents of `keys`, in that order."""
        return Extents(self.first[keys], self.last[keys], self.own[keys], self.middle[keys])

    def of_items(self, tree: VisibleTree) -> tuple[FloatColumn, FloatColumn]:
        """(float64[v] where each item begins, where it ends), in the unit of the weights."""
        return self.first[tree.key], np.where(tree.slot, self.own[tree.key], self.last[tree.key])


def extents(
    graph: Graph, weight: FloatColumn, root: int = 0, hidden: Collection[int] = frozenset(), content: Mask | None = None
) -> Extents:
    """See `Extents`; for the parameters `visible_tree` and `radial_layout`."""
    return Extents.of(graph.tree, own_extents(graph, weight, root, hidden, content))


def own_extents(
    graph: Graph, weight: FloatColumn, root: int = 0, hidden: Collection[int] = frozenset(), content: Mask | None = None
) -> FloatColumn:
    """float64[n]: each node's own part of the circle, in the unit of `weight`; 0 if hidden or outside `root`."""
    if content is None:
        content = has_own_content(graph, weight)
    return _own_extent(graph, weight, _there(graph, root, hidden), content)


def radial_layout(
    tree: VisibleTree, weight: FloatColumn, known: Extents | None = None, *, gap: float = GAP, top_gap: float = TOP_GAP
) -> RadialLayout:
    """Angles proportional to weight, radii by level.

    weight   float64[n] by key: each node's own weight, without its children; NaN = not measured. The same as
             `own_weight` of `visible_tree`
    known    `extents` of the same graph and weight, with root and hidden nodes as in `tree`; None = computed here
    gap, top_gap   nominal pixels between siblings, and between top-level nodes; a node never loses more than
             a quarter of its extent. 0 makes angles exact prefix sums of the weights.

    A leaf without weight gets a slim extent, a quarter of that of the median measured leaf; an empty container gets
    enough for its name (`layout.empty`). Extents depend on weights only: expanding a node does not move its neighbours.
    """
    if known is None:
        there = tree.represent >= 0
        known = extents(
            tree.graph, weight, int(tree.key[0]), np.flatnonzero(~there & (tree.graph.tree.pos >= 0)).tolist()
        )
    # The extent of each item by weight, still without gaps.
    first, last = known.of_items(tree)
    rings = ring_radii(_shares(tree, last - first))
    band0, band1 = float(rings[-1, 0]), float(rings[-1, 1])

    # Gaps are taken level by level inside the parent's own extent: children stay strictly inside it.
    a0, a1 = np.zeros(len(tree)), np.full(len(tree), 2 * np.pi)
    pixel = NOMINAL_PIXEL / GAP_RADIUS
    for level in range(1, tree.rings + 1):
        rows = np.flatnonzero(tree.level == level)
        above = tree.parent[rows]
        start, scale = first[above], (a1[above] - a0[above]) / (last[above] - first[above])
        low = a0[above] + (first[rows] - start) * scale
        high = a0[above] + (last[rows] - start) * scale
        inset = np.minimum((top_gap if level == 1 else gap) * pixel, GAP_SHARE * (high - low)) / 2
        a0[rows], a1[rows] = low + inset, high - inset

    key_angle = np.full(len(tree.graph), np.nan)
    keys = np.flatnonzero(tree.represent >= 0)
    item = tree.represent[keys]
    scale = (a1 - a0) / (last - first)
    key_angle[keys] = a0[item] + (known.middle[keys] - first[item]) * scale[item]

    inner, outer = rings[np.maximum(tree.level - 1, 0)].T.copy()
    inner[tree.leaf] = band0
    if len(tree) > 1:
        inner[0] = outer[0] = 1.0
    return RadialLayout(a0, a1, inner, outer, band0, band1, key_angle)


def ring_radii(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[rings, 2]: inner and outer radius of each ring, the outermost first.

    shares  float64[rings]: relative thickness of each ring, 1 = usual

    The total thickness grows with the number of rings, less for thin ones, but leaves at least half of the radius to
    the relations. The innermost ring, which carries the data, is thicker. Between two rings is a gap of a nominal
    pixel.
    """
    rings = len(shares)
    together = 0.5 * (1 - np.exp(-0.29 * shares.sum()))
    thick = shares * np.append(np.ones(rings - 1), BAND_SHARE if rings > 1 else 1.0)
    edges = 1 - np.concatenate(([0.0], np.cumsum(thick / thick.sum()))) * together
    between = np.where(np.arange(rings) < rings - 1, NOMINAL_PIXEL * GAP, 0.0)
    return np.stack((edges[1:] + between, edges[:-1]), axis=1)


def _shares(tree: VisibleTree, extent: FloatColumn) -> FloatColumn:
    """float64[rings]: relative thickness of rings.

    Smaller for a ring whose segments fill nearly all of their parents alone. 1 for the innermost ring.

    It depends continuously on the share of the parents that the largest children take, so that rings do not jump during
    a drag.
    """
    shares = np.ones(tree.rings)
    for level in range(1, tree.rings):
        rows = np.flatnonzero(tree.level == level)
        largest = np.zeros(len(tree))
        np.maximum.at(largest, tree.parent[rows], extent[rows])
        lone = largest.sum() / extent[largest > 0].sum()
        shares[level - 1] = np.interp(lone, LONE, (1.0, LONE_SHARE))
    return shares


def _there(graph: Graph, root: int, hidden: Collection[int]) -> Mask:
    """bool[n]: nodes below `root`, itself included, that are not left out."""
    index = graph.tree
    first, last = int(index.pos[root]), int(index.end[root])
    there: Mask = (index.pos >= first) & (index.pos < last)
    gone = np.fromiter(hidden, np.int64, len(hidden))
    gone = gone[(gone >= 0) & (gone < len(graph)) & (gone != root)]
    gone = gone[there[gone]]
    return there & ~index.below(gone)


def _own_extent(graph: Graph, weight: FloatColumn, there: Mask, content: Mask) -> FloatColumn:
    """float64[n]: own part of the circle of each node in `there`, in the unit of `weight`; 0 for other nodes."""
    measured = weight > 0  # False for NaN
    leaves = measured & (np.diff(graph.tree.child_ptr) == 0)
    sample = weight[leaves if leaves.any() else measured]
    slim = SLIM_SHARE * float(np.median(sample)) if len(sample) else 1.0

    parents = graph.parent[there]
    has_shown_child = np.zeros(len(graph), np.bool_)
    has_shown_child[parents[parents >= 0]] = True
    own = np.where(measured, weight, np.where(~has_shown_child | content, slim, 0.0))
    own[~there] = 0.0
    return with_room(own, empty_containers(graph))
