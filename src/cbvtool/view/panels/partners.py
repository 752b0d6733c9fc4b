"""Which nodes a selection uses and is used by, and the relations behind that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, are_dependencies

MOST = 40  # neighbours that are listed; a folder of a huge graph has a hundred thousand


@dataclass(frozen=True)
class Partner:
    """A node outside the selection and the number of relations with it."""

    key: int
    relations: int


@dataclass(frozen=True, eq=False)
class Partners:
    """Both directions.

    uses, used_by       by dependencies: those with the most first, `MOST` of them at most
    count_uses, ...     how many there are
    outgoing, incoming  rows of `graph.edges` that cross the border; inside: those within the selection
    """

    uses: tuple[Partner, ...]
    used_by: tuple[Partner, ...]
    count_uses: int
    count_used_by: int
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
    depends = are_dependencies(edges)
    uses, count_uses = _counted(edges.target[outgoing[depends[outgoing]]])
    used_by, count_used_by = _counted(edges.source[incoming[depends[incoming]]])
    inside = np.flatnonzero(from_inside & to_inside)
    return Partners(uses, used_by, count_uses, count_used_by, outgoing, incoming, inside)


def _counted(keys: npt.NDArray[np.int32]) -> tuple[tuple[Partner, ...], int]:
    """How often each of `keys` occurs, the most frequent first, and how many different ones there are."""
    counts = np.bincount(keys)
    found = np.flatnonzero(counts)
    most = found[np.argsort(-counts[found], kind="stable")][:MOST]
    return tuple(map(Partner, most.tolist(), counts[most].tolist())), len(found)
