"""Operations in words: for the list of steps, for "Undo ...", for task titles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split

_PLURALS = {"class": "classes"}


def describe(operation: Operation, graph: Graph) -> str:
    """What `operation` does, as an order: `Move billing.py to core`. `graph` is the graph before the operation."""
    return f"{operation.row.order} {_object(operation, graph)}"


def label(operation: Operation, graph: Graph) -> str:
    """What `operation` is, to stand after "Undo": `move of billing.py to core`."""
    return f"{operation.row.label} {_object(operation, graph)}"


def count_of(kinds: Sequence[str]) -> str:
    """`3 files`, or `3 items` where the kinds differ."""
    kind = kinds[0] if len(set(kinds)) == 1 else "item"
    return f"{len(kinds):,} {kind if len(kinds) == 1 else _PLURALS.get(kind, kind + 's')}"


def _object(operation: Operation, graph: Graph) -> str:
    """What the operation is done to, and how: `billing.py to core`."""
    match operation:
        case Move(nodes, target):
            return f"{_names(nodes, graph)} to {_name(target, graph)}"
        case Create(_, parent, name, kind):
            return f"{kind} {name} in {_name(parent, graph)}"
        case Remove(nodes):
            return _names(nodes, graph)
        case Rename(node, name):
            return f"{_name(node, graph)} to {name}"
        case Merge(source, target):
            return f"{_name(source, graph)} into {_name(target, graph)}"
        case Split(source, target, via, form, name):
            source, target, via = (_name(node, graph) for node in (source, target, via))
            via += f"/{name}" if name else ""
            return f"{source} → {target}: " + (f"both use {via}" if form == "invert" else f"routed via {via}")
        case Extract(container, partner, target):
            what = f"what relates to {_name(partner, graph)}"
            return f"{what} out of {_name(container, graph)} to {_name(target, graph)}"
        case _:
            assert_never(operation)


def _name(node: str, graph: Graph) -> str:
    key = graph.key_of.get(node)
    return node if key is None else graph.names[key]


def _names(nodes: Sequence[str], graph: Graph) -> str:
    if len(nodes) <= 2:
        return " and ".join(_name(node, graph) for node in nodes) or "nothing"
    keys = [graph.key_of.get(node) for node in nodes]
    return count_of(["item" if key is None else graph.kind(key) for key in keys])
