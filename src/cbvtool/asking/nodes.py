"""Finds the node that a user names, by its id or by the end of its id."""

from __future__ import annotations

from cbvtool.errors import InputError
from cbvtool.graph import REMOVED, Graph

SHOWN = 5  # most nodes listed if the name is ambiguous


def node_named(graph: Graph, text: str) -> int:
    """Key of the node with this id; else of the only node whose id ends with `text`, beginning at a `/`, `::` or `.`.

    Raises InputError if there is none, or more than one.
    """
    if text in graph.key_of:
        return graph.key_of[text]
    ends = tuple(mark + text for mark in ("/", "::", "."))
    found = [key for key, node in enumerate(graph.ids) if text and node.endswith(ends) and graph.parent[key] != REMOVED]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"There is no node {text!r} in {graph.name}: name it by its path, such as src/a.py::Class.f.")
    named = ", ".join(graph.ids[key] for key in found[:SHOWN]) + (", ..." if len(found) > SHOWN else "")
    raise InputError(f"{text!r} can be {len(found):,} nodes: {named}.")
