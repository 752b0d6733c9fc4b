"""Cycles: sets of files, or of modules, each of which depends on every other, directly or not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, lift
from cbvtool.rules.dependencies import dependencies, files


def cycles(graph: Graph, *, type_checking: bool = False) -> list[tuple[int, ...]]:
    """Keys of the files of each cycle, the largest cycle first.

    Imports for a type checker alone close no cycle, unless `type_checking`.
    """
    return tangles(graph, files(graph), type_checking=type_checking)


def tangles(graph: Graph, item_of: npt.NDArray[np.int32], *, type_checking: bool = False) -> list[tuple[int, ...]]:
    """Item numbers of each strongly connected set of two items or more, the largest first.

    item_of   int32[n]  item that each node key belongs to, -1 = none; see `dependencies.folders`
    """
    # Late: SciPy takes a while to load, and the window shall be there before that.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    lifted = lift(graph.edges, item_of, dependencies(graph, type_checking=type_checking))
    items = np.unique(np.concatenate((lifted.source, lifted.target)))
    if not len(items):
        return []
    source, target = np.searchsorted(items, lifted.source), np.searchsorted(items, lifted.target)
    matrix = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(len(items), len(items)))
    _, component = connected_components(matrix, directed=True, connection="strong")
    sizes = np.bincount(component)
    found = [tuple(items[component == number].tolist()) for number in np.flatnonzero(sizes > 1).tolist()]
    return sorted(found, key=lambda members: (-len(members), members))
