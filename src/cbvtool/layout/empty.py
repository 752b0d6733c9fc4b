"""Empty containers: they take room in the ring, so that something can be dropped into them (DND-2)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph

Mask = npt.NDArray[np.bool_]
FloatColumn = npt.NDArray[np.float64]

KINDS = ("folder", "package")  # kinds of containers without content of their own
PLANNED = "plan:"  # prefix of the ids of nodes created by a plan, which have the last keys of the graph
SHARE = 1 / 45  # of the circle: 8 degrees have room for a pointer and for a name
ALL = 0.25  # of the circle, for all of them together


@lru_cache(maxsize=2)  # used at each painting; graphs are compared by identity
def empty_containers(graph: Graph) -> Mask:
    """bool[n]: folders and packages without children, and nodes that a plan has created and that are still empty."""
    found = np.isin(graph.kinds, [number for number, kind in enumerate(graph.kind_names) if kind in KINDS])
    for key in range(len(graph) - 1, -1, -1):
        if not graph.ids[key].startswith(PLANNED):
            break
        found[key] = True
    found &= (np.diff(graph.tree.child_ptr) == 0) & (graph.tree.pos >= 0)
    found[graph.root] = False
    found.flags.writeable = False
    return found


def with_room(own: FloatColumn, empty: Mask) -> FloatColumn:
    """float64[n]: `own`, with enough room for each empty container to take `SHARE` of the circle.

    own     float64[n]  what each node adds to the circle without its children
    empty   bool[n]     the empty containers. Together they take `ALL` of the circle at most; many get less than `SHARE`

    Nodes with 0 in `own` are not drawn, and stay so.
    """
    keys = np.flatnonzero(empty & (own > 0))
    others = float(own.sum() - own[keys].sum())
    if not len(keys) or others <= 0:
        return own
    share = min(SHARE, ALL / len(keys))
    room = others * share / (1 - share * len(keys))
    result = own.copy()
    result[keys] = np.maximum(own[keys], room)
    return result
