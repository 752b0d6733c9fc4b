"""Operations in words: for the list of steps, for "Undo ...", for task titles."""

from __future__ import annotations

from collections.abc import Sequence

from cbvtool.graph import Graph
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split

_PLURALS = {"class": "classes"}


def describe(operation: Operation, graph: Graph) -> str:
    """What `operation` does, as an order: `Move billing.py to core`. `graph` is that before it."""
    match operation:
        case Move(nodes, target):
            return f"Move {_names(nodes, graph)} to {_name(target, graph)}"
        case Create(_, parent, name, kind):
            return f"Create {kind} {name} in {_name(parent, graph)}"
        case Remove(nodes):
            return f"Remove {_names(nodes, graph)}"
        case Rename(node, name):
            return f"Rename {_name(node, graph)} to {name}"
        case Merge(source, target):
            return f"Merge {_name(source, graph)} into {_name(target, graph)}"
        case Split():
            return f"Split the dependency {_split(operation, graph)}"
        case Extract():
            return f"Pull {_extract(operation, graph)}"


def label(operation: Operation, graph: Graph) -> str:
    """What `operation` is, to stand after "Undo": `move of billing.py to core`."""
    match operation:
        case Move(nodes, target):
            return f"move of {_names(nodes, graph)} to {_name(target, graph)}"
        case Create(_, parent, name, kind):
            return f"creation of {kind} {name} in {_name(parent, graph)}"
        case Remove(nodes):
            return f"removal of {_names(nodes, graph)}"
        case Rename(node, name):
            return f"rename of {_name(node, graph)} to {name}"
        case Merge(source, target):
            return f"merge of {_name(source, graph)} into {_name(target, graph)}"
        case Split():
            return f"split of the dependency {_split(operation, graph)}"
        case Extract():
            return f"pull-out of {_extract(operation, graph)}"


def count_of(kinds: Sequence[str]) -> str:
    """`3 files`, or `3 items` where the kinds differ."""
    kind = kinds[0] if len(set(kinds)) == 1 else "item"
    return f"{len(kinds):,} {kind if len(kinds) == 1 else _PLURALS.get(kind, kind + 's')}"


def _split(split: Split, graph: Graph) -> str:
    source, target, via = (_name(node, graph) for node in (split.source, split.target, split.via))
    form = f"both use {via}" if split.form == "invert" else f"routed via {via}"
    return f"{source} → {target}: {form}"


def _extract(extract: Extract, graph: Graph) -> str:
    container, partner = _name(extract.container, graph), _name(extract.partner, graph)
    return f"what relates to {partner} out of {container} to {_name(extract.target, graph)}"


def _name(node: str, graph: Graph) -> str:
    key = graph.key_of.get(node)
    return node if key is None else graph.names[key]


def _names(nodes: Sequence[str], graph: Graph) -> str:
    if len(nodes) <= 2:
        return " and ".join(_name(node, graph) for node in nodes) or "nothing"
    keys = [graph.key_of.get(node) for node in nodes]
    return count_of(["item" if key is None else graph.kind(key) for key in keys])
