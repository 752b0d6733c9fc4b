"""The containers of a graph, as places to move something to or to make something in."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qtpy.QtGui import QIcon

from cbvtool.graph import Graph
from cbvtool.plan import check
from cbvtool.plan.operations import Move
from cbvtool.view.toolkit.chooser import Choice

CONTAINERS = frozenset({"project", "folder", "package"})


def targets(graph: Graph, keys: Iterable[int], picture: Callable[[str], QIcon]) -> list[Choice]:
    """Where `keys` could go, and why some places are refused.

    picture  of a kind of node
    """
    ids = tuple(graph.ids[key] for key in keys)
    choices = []
    for key in graph.tree.order.tolist():
        if graph.kind(key) not in CONTAINERS:
            continue
        refused = check(Move(ids, graph.ids[key]), graph) or ""
        text = graph.path(key) if key != graph.root else f"{graph.name} (top level)"
        choices.append(Choice(text, "", key, picture(graph.kind(key)), refused))
    return choices


def container_of(graph: Graph, key: int) -> int:
    """The node itself, or what is nearest above it, that can hold new containers."""
    while graph.kind(key) not in CONTAINERS:
        key = int(graph.parent[key])
    return key
