"""The relations that rules look at: who depends on whom, file by file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, are_dependencies
from cbvtool.metrics.structure.users import is_sure


def dependencies(graph: Graph, *, type_checking: bool) -> npt.NDArray[np.bool_]:
    """bool[m]: which relations are dependencies; those for a type checker alone only if `type_checking`.

    A relation of kind `calls back` is no dependency (see `graph.kinds`). A guess does not count either: rules report
    only what is certain. Uses of packages outside count, so that `deny` can forbid them; they never close a cycle.
    """
    return are_dependencies(graph.edges, type_checking=type_checking) & is_sure(graph)


def files(graph: Graph) -> npt.NDArray[np.int32]:
    """int32[n]: key of the file that each node is or lies in; the node itself outside files; -1 if removed."""
    depth = graph.tree.depth
    item = np.where(depth >= 0, np.arange(len(graph), dtype=np.int32), np.int32(-1))
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    for level in range(1, int(depth.max(initial=0)) + 1):
        keys = np.flatnonzero(depth == level)
        above = item[graph.parent[keys]]
        item[keys] = np.where(is_file[above], above, keys)
    return item


def folders(graph: Graph, depth: int) -> npt.NDArray[np.int32]:
    """int32[n]: the module of each node at a level: its ancestor at `depth` (1 = just below the root).

    A node above that level stands for itself; removed nodes are -1.
    """
    item = files(graph)
    known = np.flatnonzero(item >= 0)
    while True:
        deeper = graph.tree.depth[item[known]] > depth
        if not deeper.any():
            return item
        item[known[deeper]] = graph.parent[item[known[deeper]]]
