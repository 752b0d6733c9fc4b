"""A graph with the relations that an overlay of a plugin lays over the picture."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import REMOVED, Graph, When
from cbvtool.graph.kinds import OVERLAY
from cbvtool.plugin.contributions import OverlayRelations
from cbvtool.words import one_line


def kinds_of(laid: OverlayRelations) -> tuple[str, ...]:
    """The kinds as the graph knows them."""
    return tuple(f"{OVERLAY}{one_line(kind)}" for kind in laid.kinds)


def with_laid(graph: Graph, laid: OverlayRelations) -> Graph:
    """The graph with the relations of an overlay; those whose ends it lacks, or a plan removed, are left out."""
    size = len(graph)
    ends = np.stack((laid.source, laid.target)).astype(np.int64)
    kept = ((ends >= 0) & (ends < size)).all(axis=0)
    kept &= (graph.parent[np.clip(ends, 0, size - 1)] != REMOVED).all(axis=0)
    kept &= ends[0] != ends[1]
    made = graph.edges.with_more(
        ends[0][kept], ends[1][kept], laid.kind[kept], kinds_of(laid), laid.weight[kept], When.DEFERRED
    )
    return graph.with_(edges=made)
