"""Cycles: sets of files, or of modules, in which each depends on every other, directly or transitively."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph, lift
from cbvtool.rules.dependencies import dependencies, files

Keys = npt.NDArray[np.integer[Any]]


def cycles(graph: Graph, *, type_checking: bool = False) -> list[tuple[int, ...]]:
    """Keys of the files of each cycle, the largest cycle first.

    Imports only for a type checker do not close a cycle, unless `type_checking`.
    """
    return tangles(graph, files(graph), type_checking=type_checking)


def tangles(graph: Graph, item_of: npt.NDArray[np.int32], *, type_checking: bool = False) -> list[tuple[int, ...]]:
    """Item numbers of each strongly connected set of at least two items, the largest first.

    item_of   int32[n]  item of each node key, -1 = none; see `dependencies.folders`
    """
    lifted = lift(graph.edges, item_of, dependencies(graph, type_checking=type_checking))
    items, component = components(lifted.source, lifted.target)
    sizes = np.bincount(component)
    found = [tuple(items[component == number].tolist()) for number in np.flatnonzero(sizes > 1).tolist()]
    return sorted(found, key=lambda members: (-len(members), members))


def components(source: Keys, target: Keys) -> tuple[Keys, npt.NDArray[np.int32]]:
    """(nodes in ascending order, number of the strongly connected component of each) of the relations between keys."""
    # Imported late: SciPy is slow to load, and the window should appear first.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes: Keys = np.unique(np.concatenate((source, target)))
    if not len(nodes):
        return nodes, np.empty(0, np.int32)
    ends = np.searchsorted(nodes, source), np.searchsorted(nodes, target)
    matrix = coo_array((np.ones(len(source), np.int8), ends), shape=(len(nodes), len(nodes)))
    component: npt.NDArray[np.int32] = connected_components(matrix, directed=True, connection="strong")[1]
    return nodes, component
