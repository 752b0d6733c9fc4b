"""Until the mapping is there: by file and name."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import Graph
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.trace import Functions


def node_map(functions: Functions, graph: Graph) -> NodeMap:
    """By path suffix and name."""
    files = {graph.ids[k]: k for k in range(len(graph)) if graph.kind(k) == "file"}
    node = np.full(len(functions), NO_NODE, np.int32)
    why = np.zeros(len(functions), np.int8)
    for row, (name, file) in enumerate(zip(functions.name, functions.file, strict=True)):
        found = next((f for f in files if file == f or file.endswith("/" + f)), None)
        if found is None:
            why[row] = 1 if file else 2
            continue
        wanted = name.replace("<locals>.", "")
        node[row] = graph.key_of.get(f"{found}::{wanted}", graph.key_of[found] if wanted == "<module>" else NO_NODE)
        if node[row] == NO_NODE:
            why[row] = 3
    reasons = ("by file and name", "its file is not part of the project", "no file is known", "no such function")
    return NodeMap(node, why, reasons)
