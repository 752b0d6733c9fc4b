"""The relations of a dragged node: one end stays where it is, the other follows the pointer (DND-1).

If the user drags a relation at its middle, both ends stay, and the middle follows the pointer (DND-3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import FanOut
from cbvtool.bundling.paths import Routes, inner_points, polar, steps_to_ancestor
from cbvtool.bundling.spline import SAMPLES
from cbvtool.geometry.scene.filtered import subtree_items
from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import Graph, LiftedEdges
from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]
Curves = npt.NDArray[np.float32]

SLOTS = 1000  # relations that end in one angular slot of one item are one curve


@dataclass(frozen=True, eq=False)
class DragCurves:
    """c curves with a free end, heaviest last; they run from dependant to dependency, as all curves do.

    Splines are linear in their control points, so the curves for a pointer are `fixed + pull * pointer`.

    fixed   float32[c, S, 3]  the curves for a pointer at the centre
    pull    float32[c, S]     how far each sample follows the pointer: 1 at the free end, 0 at the other
    item    int32[c]          item at the end that stays
    out     bool[c]           the dragged nodes are the dependants
    weight  float64[c]        sum of the weights of the relations
    """

    fixed: Curves
    pull: npt.NDArray[np.float32]
    item: IntColumn
    out: npt.NDArray[np.bool_]
    weight: FloatColumn

    def at(self, pointer: tuple[float, float]) -> Curves:
        """float32[c, S, 3]: the curves with their free end at `pointer`, a point of the disc."""
        curves = self.fixed.copy()
        curves[:, :, 0] += self.pull * np.float32(pointer[0])
        curves[:, :, 1] += self.pull * np.float32(pointer[1])
        return curves


def drag_curves(
    graph: Graph,
    tree: VisibleTree,
    layout: RadialLayout,
    drag: Drag,
    beta: float,
    relations: npt.NDArray[np.bool_] | None = None,
    samples: int = SAMPLES,
) -> DragCurves:
    """Curves of the relations between the dragged subtrees and the visible nodes.

    tree, layout  without the dragged subtrees
    drag          what is dragged, and the container under the pointer: the curves take the way through the tree that
                  they would take after a drop there; without a container they leave the tree below its root
    relations     bool[m]: the relations that are shown; None = all
    """
    edges = graph.edges
    inside = graph.tree.below(drag.keys)
    shown = np.ones(len(edges), np.bool_) if relations is None else relations
    out = shown & inside[edges.source] & (tree.represent[edges.target] >= 0)
    into = shown & inside[edges.target] & (tree.represent[edges.source] >= 0)
    key = np.concatenate((edges.target[out], edges.source[into]))
    outgoing = np.concatenate((np.ones(int(out.sum()), np.bool_), np.zeros(int(into.sum()), np.bool_)))
    weights = np.concatenate((edges.weight[out], edges.weight[into])).astype(np.float64)

    slot = np.floor(layout.key_angle[key] * (SLOTS / (2 * np.pi))).astype(np.int64)
    code = (tree.represent[key].astype(np.int64) * (SLOTS + 1) + slot) * 2 + outgoing
    _, first, curve = np.unique(code, return_index=True, return_inverse=True)
    weight = np.bincount(curve, weights=weights, minlength=len(first)).astype(np.float64, copy=False)
    angle = np.bincount(curve, weights=layout.key_angle[key], minlength=len(first)) / np.bincount(curve)
    order = np.argsort(weight, kind="stable")
    item, away = tree.represent[key[first]][order], outgoing[first][order]

    over = int(tree.represent[drag.target]) if drag.target >= 0 else -1
    if over >= 0 and tree.slot[over]:
        over = int(tree.parent[over])  # the container itself, not the item of its own content
    route = _routes(tree, layout, item, angle[order], away, over)
    still = np.zeros_like(route.anchors)
    still[-1, 0, 0] = 1.0
    moving = Routes(still, route.source, route.target, route.up, route.down)
    keep = over >= 0
    pull = bundle(moving, beta, samples, keep_ancestor=keep)[:, :, 0]
    return DragCurves(
        bundle(route, beta, samples, keep_ancestor=keep), np.ascontiguousarray(pull), item, away, weight[order]
    )


def bent_curves(tree: VisibleTree, lifted: LiftedEdges, fan: FanOut, curves: Curves, drag: Drag) -> DragCurves:
    """Curves of a relation dragged at its middle: at the share `drag.grip` of their way, they meet the pointer.

    lifted, fan, curves   those of the picture; relations between the subtrees of both ends are dragged
    """
    inside = [subtree_items(tree, (key,)) for key in drag.relation]
    held = inside[0][lifted.source] & inside[1][lifted.target]
    rows = np.flatnonzero(held[fan.lifted])
    rows = rows[np.argsort(fan.weight[rows], kind="stable")]
    pull = _bump(drag.grip, curves.shape[1])
    item = lifted.target[fan.lifted[rows]].astype(np.int32)
    return DragCurves(
        np.ascontiguousarray(curves[rows] * (1 - pull)[None, :, None]),
        np.broadcast_to(pull, (len(rows), len(pull))),
        item,
        np.ones(len(rows), np.bool_),
        fan.weight[rows],
    )


def _bump(grip: float, samples: int) -> npt.NDArray[np.float32]:
    """float32[samples]: 0 at both ends of a curve, 1 where it is held, and smooth between."""
    share = np.linspace(0.0, 1.0, samples)
    near = share[np.argmin(np.abs(share - grip))]  # one sample is exactly at the pointer
    way = np.where(share <= near, share / near, (1.0 - share) / (1.0 - near))
    bump: npt.NDArray[np.float32] = (way * way * (3 - 2 * way)).astype(np.float32)
    return bump


def _routes(
    tree: VisibleTree, layout: RadialLayout, item: IntColumn, angle: FloatColumn, away: npt.NDArray[np.bool_], over: int
) -> Routes:
    """Routes between the ends that stay and the free one, the last end, which is put at the centre.

    over   item under the pointer: what is dragged becomes its child; -1 = child of the root
    """
    count = len(item)
    place = inner_points(tree, layout)
    parent = np.int32(max(over, 0))
    anchors = np.zeros((count + 1, tree.rings + 2, 2))
    anchors[:count, :-1] = place[tree.chain[item]]
    anchors[:count, 0] = polar(angle, layout.band0)
    anchors[count, 1:] = place[tree.chain[parent]]
    up, down = steps_to_ancestor(tree, item, np.full(count, parent, np.int32))
    down = (down + 1).astype(np.int32)  # from the item under the pointer to the pointer
    fixed, free = np.arange(count, dtype=np.int32), np.full(count, count, np.int32)
    return Routes(
        anchors,
        np.where(away, free, fixed),
        np.where(away, fixed, free),
        np.where(away, down, up),
        np.where(away, up, down),
    )
