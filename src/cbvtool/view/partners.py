"""Which nodes a selection uses and is used by, and the relations behind that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph


@dataclass(frozen=True)
class Partner:
    """A node outside the selection and the number of relations with it."""

    key: int
    relations: int


@dataclass(frozen=True, eq=False)
class Partners:
    """Both directions, most relations first; `outgoing`, `incoming`: rows of `graph.edges` that cross the border."""

    uses: tuple[Partner, ...]
    used_by: tuple[Partner, ...]
    outgoing: npt.NDArray[np.int64]
    incoming: npt.NDArray[np.int64]
    inside: npt.NDArray[np.int64]


def partners(graph: Graph, keys: Iterable[int], relations: npt.NDArray[np.bool_] | None = None) -> Partners:
    """Partners of the subtrees of `keys` by the `relations` (bool[m], None = all) that are shown."""
    chosen = graph.tree.below(tuple(keys))
    alive = graph.tree.pos >= 0
    edges = graph.edges
    there = alive[edges.source] & alive[edges.target]
    if relations is not None:
        there &= relations
    from_inside, to_inside = chosen[edges.source] & there, chosen[edges.target] & there
    outgoing = np.flatnonzero(from_inside & ~to_inside)
    incoming = np.flatnonzero(~from_inside & to_inside)
    return Partners(
        _counted(edges.target[outgoing]),
        _counted(edges.source[incoming]),
        outgoing,
        incoming,
        np.flatnonzero(from_inside & to_inside),
    )


def _counted(keys: npt.NDArray[np.int32]) -> tuple[Partner, ...]:
    """How often each of `keys` occurs, the most frequent first."""
    counts = np.bincount(keys)
    found = np.flatnonzero(counts)
    found = found[np.argsort(-counts[found], kind="stable")]
    return tuple(map(Partner, found.tolist(), counts[found].tolist()))
