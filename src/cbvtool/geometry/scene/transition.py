"""The transition from one scene to another: segments glide, grow out of their parent and shrink into it (design 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.paths import routes
from cbvtool.geometry.scene.rings import ring_mesh
from cbvtool.geometry.scene.scene import Curves, Scene
from cbvtool.graph import Graph
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

FloatColumn = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
IntColumn = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
MOST = 5_000  # most items of a transition; more make a frame too slow
FOLLOWED = 250  # up to this number, curves follow their segments; more curves fade out and in instead
TURN = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Lie:
    """The places and colours of the u items of a transition in one of its two scenes.

    color          uint8[u, 4]; all other arrays are float64[u]
    band0, band1   inner and outer radius of the innermost ring
    """

    a0: FloatColumn
    a1: FloatColumn
    r0: FloatColumn
    r1: FloatColumn
    height: FloatColumn
    color: npt.NDArray[np.uint8]
    band0: float
    band1: float


@dataclass(frozen=True, eq=False)
class Leg:
    """A part of the way: a scene, all of it of one graph, and where its u items lie before and after."""

    scene: Scene
    start: Lie
    end: Lie

    @property
    def moves(self) -> bool:
        """Whether angles change."""
        return self.start.a0 is not self.end.a0


@dataclass(frozen=True, eq=False)
class Way:
    """A transition from one scene to another.

    leaving   its first half: with the relations before, and the items of both scenes. If these are of two graphs, it is
              the scene before with its own items
    coming    its second half, or all of it if curves follow: with the relations after, and the items of both scenes
    item      int64[v]  item of `coming` for each item of `after`
    follows   whether curves follow their segments; otherwise they fade
    """

    after: Scene
    leaving: Leg
    coming: Leg
    item: Rows
    follows: bool

    def at(self, share: float) -> Scene:
        """The scene at `share` 0..1 of the way."""
        leg = self.coming if self.follows or share >= 0.5 else self.leaving
        scene, start, end = leg.scene, leg.start, leg.end

        def part(a: FloatColumn, b: FloatColumn) -> FloatColumn:
            return np.asarray(a + share * (b - a))

        layout = RadialLayout(
            part(start.a0, end.a0),
            part(start.a1, end.a1),
            part(start.r0, end.r0),
            part(start.r1, end.r1),
            start.band0 + share * (end.band0 - start.band0),
            start.band1 + share * (end.band1 - start.band1),
            scene.layout.key_angle,
        )
        height = part(start.height, end.height)
        color = np.rint(start.color + share * (end.color.astype(np.float64) - start.color)).astype(np.uint8)
        curves = self._following(layout) if self.follows and leg.moves else scene.curves
        mesh = ring_mesh(scene.tree, layout, height, color)
        return replace(scene, layout=layout, height=height, color=color, mesh=mesh, curves=curves)

    def fading(self, share: float) -> float:
        """The opacity of the relations at `share` of the transition, 0..1."""
        return 1.0 if self.follows else abs(1.0 - 2.0 * share)

    def _following(self, layout: RadialLayout) -> Curves:
        """float32[e, S, 3]: the curves of `after` for segments placed as in `layout`."""
        fan, tree, final = self.after.fan, self.after.tree, self.after.layout
        a0, a1 = layout.a0[self.item], layout.a1[self.item]
        part = (fan.angle - final.a0[fan.item]) / (final.a1 - final.a0)[fan.item]
        angle = a0[fan.item] + part * (a1 - a0)[fan.item]
        now = RadialLayout(
            a0, a1, layout.r0[self.item], layout.r1[self.item], layout.band0, layout.band1, layout.key_angle
        )
        curves: Curves = bundle(routes(tree, now, fan.item, angle, fan.source, fan.target), self.after.state.beta)
        return curves


def alike(before: Scene, after: Scene) -> bool:
    """Whether all segments look the same in both scenes."""
    return before.layout is after.layout and before.height is after.height and before.color is after.color


def way(before: Scene, after: Scene) -> Way | None:
    """The transition between two scenes; None if nothing moves, or if it would not be smooth or would show nonsense."""
    if alike(before, after) or before.state.theme != after.state.theme or max(len(before.tree), len(after.tree)) > MOST:
        return None
    tree = _both(before, after)
    if tree is None or len(tree) > MOST:
        return None
    first, last = _rows_in(tree, before.tree), _rows_in(tree, after.tree)
    coming = _leg(_over(tree, after, last), before, after)
    follows = max(len(before.curves), len(after.curves)) <= FOLLOWED or before.curves is after.curves
    if follows or (first < 0).any():
        leaving = coming
    elif before.tree.graph is tree.graph:
        leaving = replace(coming, scene=_over(tree, before, first))
    else:
        leaving = _leg(before, before, after)
    return Way(after, leaving, coming, last, follows)


def _leg(scene: Scene, before: Scene, after: Scene) -> Leg:
    tree = scene.tree
    first, last = _rows_in(tree, before.tree), _rows_in(tree, after.tree)
    start, end = _lie(tree, before, first, after, last), _lie(tree, after, last, before, first)
    if before.layout is after.layout:  # only heights or colours differ
        start = replace(start, a0=end.a0, a1=end.a1)
    return Leg(scene, start, end)


def _both(before: Scene, after: Scene) -> VisibleTree | None:
    """The tree with the items of both scenes; that of `after` if the graphs differ. None = they have no common part."""
    a, b = before.tree, after.tree
    if a is b:
        return b
    graph = b.graph
    if a.graph is not graph:
        return b if bool(_means_the_same(a, graph).all()) else None
    top, inner = (a, b) if graph.is_below(int(b.key[0]), int(a.key[0])) else (b, a)
    if inner.key[0] not in top.key:
        return None
    return _tree_of(graph, np.union1d(_code(graph, a), _code(graph, b)), a, b)


def _means_the_same(tree: VisibleTree, graph: Graph) -> Mask:
    """bool[v]: whether the key of an item means the same node in `graph`, or none: that of a node it lacks.

    After a step of the plan, keys mean the same nodes, up to those that the step has created or not.
    """
    if tree.graph is graph:
        return np.ones(len(tree), np.bool_)
    then, now = tree.graph.ids, graph.ids
    return np.array([key >= len(now) or then[key] == now[key] for key in tree.key.tolist()], np.bool_)


def _code(graph: Graph, tree: VisibleTree) -> Rows:
    """int64[v]: a number for each item, ascending in preorder; that of a slot comes right after that of its owner."""
    return 2 * graph.tree.pos[tree.key].astype(np.int64) + tree.slot


def _tree_of(graph: Graph, code: Rows, a: VisibleTree, b: VisibleTree) -> VisibleTree:
    """The tree of the items with these codes."""
    index = graph.tree
    key, slot = index.order[code // 2].astype(np.int32), code % 2 == 1
    item = np.full(len(graph), -1, np.int32)
    item[key[~slot]] = np.flatnonzero(~slot)
    parent = np.where(slot, item[key], item[np.maximum(index.parent[key], 0)]).astype(np.int32)
    parent[0] = -1
    level = (index.depth[key] - index.depth[key[0]] + slot).astype(np.int32)
    end = np.searchsorted(code, 2 * index.end[key].astype(np.int64)).astype(np.int32)
    end[slot] = np.flatnonzero(slot) + 1
    leaf = end == np.arange(1, len(key) + 1)
    stands = [np.append(np.searchsorted(code, _code(graph, tree)), -1)[tree.represent] for tree in (a, b)]
    return VisibleTree(graph, key, slot, parent, level, end, leaf, np.maximum(*stands).astype(np.int32))


def _rows_in(tree: VisibleTree, part: VisibleTree) -> Rows:
    """int64[v]: the item of `tree` for each item of `part`; -1 = `tree` does not have it."""
    own = np.full((2, max(len(tree.represent), len(part.represent))), -1, np.int64)
    own[tree.slot.astype(np.int64), tree.key] = np.arange(len(tree))
    return np.where(_means_the_same(part, tree.graph), own[part.slot.astype(np.int64), part.key], -1)


def _standing_for(tree: VisibleTree, scene: Scene) -> IntColumn:
    """int32[u]: the item of `scene` that stands for each item of `tree`; -1 = none, or its graph lacks the node."""
    represent = scene.tree.represent
    there = (tree.key < len(represent)) & _means_the_same(tree, scene.tree.graph)
    return np.where(there, represent[np.where(there, tree.key, 0)], -1)


def _lie(tree: VisibleTree, scene: Scene, rows: Rows, other: Scene, others: Rows) -> Lie:
    """The places of the items of `tree` in `scene`.

    rows, others   for each item of `scene` and of `other`, the corresponding item of `tree`

    If `scene` hides an item, the item is placed inside its collapsed ancestor there, at the same share of the ancestor
    as in `other`. Without such an ancestor it has no extent and lies between its neighbours.
    """
    layout, there = scene.layout, rows >= 0
    size, band0, band1 = len(tree), layout.band0, layout.band1
    item = np.full(size, -1, np.int64)
    item[rows[there]] = np.flatnonzero(there)
    elsewhere = np.full(size, -1, np.int64)
    elsewhere[others[others >= 0]] = np.flatnonzero(others >= 0)
    seen = item >= 0
    host = np.where(seen, item, _standing_for(tree, scene))
    # The ancestor must be shown in the other scene, too, where its part for this item can be read off.
    above = np.append(rows, -1)[host]
    again = np.append(elsewhere, -1)[above]
    inside = ~seen & (again >= 0) & (elsewhere >= 0)
    place = np.arange(size)  # a step of the plan may have taken the item out of that ancestor
    inside &= (above <= place) & (place < tree.end[above])

    a0, a1 = np.zeros(size), np.zeros(size)
    a0[seen], a1[seen] = layout.a0[item[seen]], layout.a1[item[seen]]
    # Extents depend on weights alone, so that an item takes the same share of its ancestor in both scenes.
    far, h, whole = other.layout, host[inside], again[inside]
    scale = (layout.a1[h] - layout.a0[h]) / np.maximum(far.a1[whole] - far.a0[whole], 1e-12)
    for column, there_ in ((a0, far.a0), (a1, far.a1)):
        column[inside] = layout.a0[h] + (there_[elsewhere[inside]] - far.a0[whole]) * scale
    gone = ~seen & ~inside
    edge = np.maximum.accumulate(np.where(tree.leaf & ~gone, a1, 0.0))
    a0[gone] = a1[gone] = edge[gone]
    around = gone & (tree.end > np.argmax(~gone)) & (np.arange(size) < np.argmax(~gone))
    a0[around], a1[around] = 0.0, TURN  # an ancestor of the whole picture

    r0, r1 = np.full(size, band1), np.full(size, band1)
    r0[seen], r1[seen] = layout.r0[item[seen]], layout.r1[item[seen]]
    folded = seen & ~tree.leaf
    folded[seen] &= scene.tree.leaf[item[seen]]
    r0[folded] = band1  # its block is drawn by the items inside
    r0[tree.leaf & ~seen] = band0
    r0[gone & ~tree.leaf] = r1[gone & ~tree.leaf] = 1.0
    height = np.where(tree.leaf & ~gone, scene.height[np.maximum(host, 0)], 0.0)
    color = np.where((host >= 0)[:, None], scene.color[np.maximum(host, 0)], other.color[np.maximum(elsewhere, 0)])
    return Lie(a0, a1, r0, r1, height, color, band0, band1)


def _over(tree: VisibleTree, scene: Scene, rows: Rows) -> Scene:
    """The scene with its relations renumbered to items of `tree`, which is of the same graph.

    `rows`: the item of `tree` for each item of the scene.
    """
    if tree is scene.tree:
        return scene
    lifted = replace(
        scene.lifted,
        source=rows[scene.lifted.source].astype(np.int32),
        target=rows[scene.lifted.target].astype(np.int32),
    )
    return replace(
        scene,
        tree=tree,
        lifted=lifted,
        curve_source=rows[scene.curve_source].astype(np.int32),
        curve_target=rows[scene.curve_target].astype(np.int32),
    )
