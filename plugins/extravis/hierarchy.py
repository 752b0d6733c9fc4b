"""Which containers are columns: by a level or by their calls, and by what users opened and closed."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from cbvtool.api import Graph

Mask = npt.NDArray[np.bool_]
Calls = npt.NDArray[np.float64]
LEVELS = (
    ("auto", "As many as fit"),
    ("functions", "Functions"),
    ("classes", "Classes"),
    ("files", "Files"),
    ("packages", "Packages"),
)
ENOUGH = 100  # columns that fit
# Kinds of nodes that stand for code inside a file.
_CLASSES = frozenset({"class", "interface", "struct", "union", "enum", "trait", "object", "extension", "type"})
_CODE = _CLASSES | {"namespace", "program", "module", "function", "section", "paragraph"}


def closed_nodes(graph: Graph, level: str, calls: Calls, toggled: tuple[str, ...]) -> Mask:
    """bool[n]: containers that are columns. calls: float64[n], of each node itself; those without are not shown."""
    closed = closed_by_calls(graph, calls) if level == "auto" else closed_at(graph, level)
    known = graph.key_of
    for name in toggled:
        key = known.get(name)
        if key is not None:
            closed[key] = not closed[key]
    return closed


def closed_by_calls(graph: Graph, calls: Calls, most: int = ENOUGH) -> Mask:
    """bool[n]: from the outermost containers on, the one with most calls opens, as long as so many columns fit."""
    tree = graph.tree
    inside = tree.subtree_sum(calls)
    closed = np.zeros(len(graph), np.bool_)
    count, waiting = 1, [(-float(inside[graph.root]), 0, graph.root)]
    while waiting:
        _, _, key = heappop(waiting)
        children = [child for child in tree.children(key).tolist() if inside[child] > 0]
        if not children:
            continue
        more = len(children) + bool(calls[key] > 0) - 1
        if key != graph.root and count + more > most:
            closed[key] = True
            continue
        count += more
        for child in children:
            heappush(waiting, (-float(inside[child]), int(tree.pos[child]), child))
    return closed


def closed_at(graph: Graph, level: str) -> Mask:
    """bool[n]: the containers of a level, whatever was toggled. A package holds files, which hold none."""
    kinds = [str(name).lower() for name in graph.kind_names] or [""]
    code, classes = (np.array([kind in names for kind in kinds])[graph.kinds] for names in (_CODE, _CLASSES))
    if level == "functions":
        return np.zeros(len(graph), np.bool_)
    if level == "classes":
        return classes
    holds = _parents(graph, ~code)
    files = ~code & ~holds
    return files if level == "files" else ~code & _parents(graph, files)


def _parents(graph: Graph, of: Mask) -> Mask:
    """bool[n]: the nodes with a child of some."""
    found = np.zeros(len(graph), np.bool_)
    above = graph.parent[of]
    found[above[above >= 0]] = True
    return found
