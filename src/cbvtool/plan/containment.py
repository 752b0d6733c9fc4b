"""What may hold what: folders hold files, files hold classes, interfaces and functions, a function holds nothing."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import Graph

CONTAINERS = frozenset({"project", "folder", "package"})  # what holds files
_PLACES = frozenset({"folder", "package", "file"})
_PARTS = frozenset({"class", "interface", "function"})
_HOLDS = {
    "project": _PLACES,
    "folder": _PLACES,
    "package": _PLACES,
    "file": _PARTS,
    "class": _PARTS,
    "interface": _PARTS,
    "function": frozenset[str](),
}


def can_hold(holder: str, kind: str, graph: Graph) -> bool:
    """Whether a node of kind `holder` may hold one of kind `kind`.

    Kinds are an open set (sections and paragraphs of COBOL, say): where one of the two is not known here, the
    graph itself decides: what is found somewhere in it is allowed everywhere.
    """
    if holder in _HOLDS and kind in _HOLDS:
        return kind in _HOLDS[holder]
    numbers = {name: number for number, name in enumerate(graph.kind_names)}
    if holder not in numbers or kind not in numbers:
        return False
    inner = np.flatnonzero(graph.parent >= 0)
    inside = graph.kinds[inner] == numbers[kind]
    return bool((inside & (graph.kinds[graph.parent[inner]] == numbers[holder])).any())


def can_merge(kind: str, other: str) -> bool:
    """Whether the content of a node of kind `kind` may become that of one of kind `other`."""
    return (kind in CONTAINERS and other in CONTAINERS) or (kind == other and kind != "function")
