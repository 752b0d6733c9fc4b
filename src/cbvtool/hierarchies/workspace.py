"""Folders with a manifest of their own: the members of a workspace."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.structure.users import of_kinds

MANIFESTS = frozenset({"package.json", "Cargo.toml"})  # of languages in which a folder alone is no package


def has_manifest(graph: Graph) -> npt.NDArray[np.bool_]:
    """bool[n]: nodes that directly hold a manifest."""
    found = np.zeros(len(graph), np.bool_)
    for key in np.flatnonzero(of_kinds(graph, ("file",)) & (graph.parent != REMOVED)).tolist():
        if graph.names[key] in MANIFESTS:
            found[graph.parent[key]] = True
    return found
