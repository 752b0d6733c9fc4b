"""On the way from one layout to the next: segments glide to their new places, matched by key (DESIGN 3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.rings import ring_mesh
from cbvtool.geometry.scene import Scene
from cbvtool.layout.radial import RadialLayout

FloatColumn = npt.NDArray[np.float64]
MOST = 2_000  # items; more would not be smooth


def can_glide(before: Scene, after: Scene) -> bool:
    """Whether there is a way between the two worth showing: the layout changed, and it is small enough."""
    return before.layout is not after.layout and max(len(before.tree), len(after.tree)) <= MOST


@dataclass(frozen=True, eq=False)
class Start:
    """Where the items of the scene that is to come begin: float64[v] each, and the innermost ring."""

    a0: FloatColumn
    a1: FloatColumn
    r0: FloatColumn
    r1: FloatColumn
    height: FloatColumn
    band0: float
    band1: float


def start_of(before: Scene, after: Scene) -> Start:
    """Where each item of `after` was in `before`.

    An item that was not shown begins in the item that stood for it, in the part that will be its own; one that
    nothing stood for begins where it will be.
    """
    tree, layout, old = after.tree, after.layout, before.layout
    same, stood = _old_items(before, after)
    a0, a1, r0, r1, height = (np.array(c) for c in (layout.a0, layout.a1, layout.r0, layout.r1, after.height))
    there = same >= 0
    for column, was in ((a0, old.a0), (a1, old.a1), (r0, old.r0), (r1, old.r1), (height, before.height)):
        column[there] = was[same[there]]

    fresh = np.flatnonzero(~there & (stood >= 0))
    host = stood[fresh]
    # Extents follow from weights alone: a child's share of what stood for it is its share of the whole of it now.
    now = _item_now(after, before.tree.key[host])
    fresh, host, now = fresh[now >= 0], host[now >= 0], now[now >= 0]
    extent = np.maximum(layout.a1[now] - layout.a0[now], 1e-12)
    scale = (old.a1[host] - old.a0[host]) / extent
    a0[fresh] = old.a0[host] + (layout.a0[fresh] - layout.a0[now]) * scale
    a1[fresh] = old.a0[host] + (layout.a1[fresh] - layout.a0[now]) * scale
    r0[fresh], r1[fresh], height[fresh] = old.r0[host], old.r1[host], before.height[host]
    height[~tree.leaf] = 0.0
    return Start(a0, a1, r0, r1, height, old.band0, old.band1)


def between(start: Start, after: Scene, share: float) -> Scene:
    """The scene at `share` 0..1 of the way to `after`, whose items `start` is of."""
    end = after.layout

    def part(a: FloatColumn, b: FloatColumn) -> FloatColumn:
        return np.asarray(a + share * (b - a))

    layout = RadialLayout(
        part(start.a0, end.a0), part(start.a1, end.a1), part(start.r0, end.r0), part(start.r1, end.r1),
        start.band0 + share * (end.band0 - start.band0), start.band1 + share * (end.band1 - start.band1),
        end.key_angle,
    )  # fmt: skip
    height = part(start.height, after.height)
    return replace(after, layout=layout, height=height, mesh=ring_mesh(after.tree, layout, height, after.color))


def _old_items(before: Scene, after: Scene) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """For each item of `after`: the same item in `before`, and the one that stood for its key; -1 = none."""
    keys = max(len(before.graph), len(after.graph))
    own = np.full((2, keys), -1, np.int64)
    own[before.tree.slot.astype(np.int64), before.tree.key] = np.arange(len(before.tree))
    same = own[after.tree.slot.astype(np.int64), after.tree.key]
    represent = np.full(keys, -1, np.int32)
    represent[: len(before.graph)] = before.tree.represent
    return same, represent[after.tree.key]


def _item_now(after: Scene, keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Item of each key itself, not its slot, -1 = not shown."""
    own = np.full(max(len(after.graph), int(keys.max(initial=0)) + 1), -1, np.int64)
    rows = np.flatnonzero(~after.tree.slot)
    own[after.tree.key[rows]] = rows
    return own[keys]
