"""How the ring stays under the pointer when a segment is dragged out of it, or a container is opened (DND-1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.layout.radial import RadialLayout
from cbvtool.layout.visible import VisibleTree

IntColumn = npt.NDArray[np.int64]
TURN = 2 * np.pi
INSIDE = 0.9  # share of a segment's extent that counts as inside, away from its ends


def place_after(
    before: VisibleTree, layout: RadialLayout, after: VisibleTree, closed: RadialLayout, angle: float
) -> float:
    """The angle in the closed ring of the thing that was at `angle` before; radians, clockwise.

    In a segment that stays, it is the same share of the segment. Where a segment was dragged out, it is the seam
    between the segments that were next to it.

    before, layout   the ring as it was
    after, closed    the ring without the dragged segment
    """
    angle %= TURN
    leaves = np.flatnonzero(before.leaf)
    leaves = leaves[np.argsort(layout.a0[leaves], kind="stable")]
    there = _same_item(before, leaves, after)
    at = int(np.searchsorted(layout.a0[leaves], angle, "right")) - 1
    if at >= 0 and there[at] >= 0:
        a0, a1 = layout.a0[leaves[at]], layout.a1[leaves[at]]
        share = np.clip((angle - a0) / (a1 - a0), 0.0, 1.0)
        item = there[at]
        return float(closed.a0[item] + share * (closed.a1[item] - closed.a0[item]))
    kept = np.flatnonzero(there >= 0)
    if not len(kept):
        return angle
    earlier, later = kept[kept < at], kept[kept > at]
    seams = [float(closed.a1[there[earlier[-1]]])] if len(earlier) else []
    seams += [float(closed.a0[there[later[0]]])] if len(later) else []
    return float(np.mean(seams))


def own_place(layout: RadialLayout, item: int, angle: float) -> tuple[float, float]:
    """The point of the disc in the middle of an expanded item's own ring, as near to `angle` (radians) as possible."""
    a0, a1 = float(layout.a0[item]), float(layout.a1[item])
    middle = (a0 + a1) / 2
    away = (angle - middle + np.pi) % TURN - np.pi
    at = middle + float(np.clip(away, (a0 - a1) / 2 * INSIDE, (a1 - a0) / 2 * INSIDE))
    radius = float(layout.r0[item] + layout.r1[item]) / 2
    return radius * float(np.sin(at)), radius * float(np.cos(at))


def _same_item(before: VisibleTree, items: IntColumn, after: VisibleTree) -> IntColumn:
    """int64[k]: the item of `after` that shows the same node as each of `items`; -1 = it is gone."""
    found = after.represent[before.key[items]].astype(np.int64)
    same = found >= 0
    rows = found[same]
    same[same] = (after.key[rows] == before.key[items[same]]) & (after.slot[rows] == before.slot[items[same]])
    return np.where(same, found, -1)
