"""What a step of the plan did, in a sentence: for the message after it, and for people who do not see the picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.plan import Create, Extract, Group, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.describe import count_of
from cbvtool.words import one_line


def done_words(group: Group, before: Graph) -> str:
    """`cli.py moved to sansio`. before: the graph without the step, whose names are used."""
    creations = [_creation(operation) for operation in group.operations]
    made = {creation.node: creation for creation in creations if creation is not None}
    others = [operation for operation, creation in zip(group.operations, creations, strict=True) if creation is None]
    if not group.operations:
        return "Nothing changed"
    if not others:
        return " and ".join(_done(operation, before, {}) for operation in list(made.values())[:2])
    if len(others) > 1:  # the name of one of them would hide the rest
        return one_line(f"{group.label[:1].upper()}{group.label[1:]}")
    return _done(others[-1], before, made)


def _creation(operation: Operation) -> Create | None:
    match operation:
        case Create():
            return operation
        case Move() | Remove() | Rename() | Merge() | Split() | Extract():
            return None
        case _:
            assert_never(operation)


def _done(operation: Operation, before: Graph, made: dict[str, Create]) -> str:
    match operation:
        case Move(nodes, target):
            return f"{_names(nodes, before)} moved to {_name(target, before, made)}"
        case Create(_, parent, name, kind):
            return f"New {kind} {one_line(name)} in {_name(parent, before, made)}"
        case Remove(nodes):
            return f"{_names(nodes, before)} removed"
        case Rename(node, name):
            return f"{_name(node, before, made)} renamed to {one_line(name)}"
        case Merge(source, target):
            return f"{_name(source, before, made)} merged into {_name(target, before, made)}"
        case Split(source, target, via, form):
            ends = f"{_name(source, before, made)} → {_name(target, before, made)}"
            return f"{ends} {'inverted' if form == 'invert' else 'routed'} through {_name(via, before, made)}"
        case Extract(container, partner, target):
            what = f"What relates to {_name(partner, before, made)}"
            return f"{what} pulled out of {_name(container, before, made)} to {_name(target, before, made)}"
        case _:
            assert_never(operation)


def _name(node: str, graph: Graph, made: dict[str, Create]) -> str:
    if node in made:
        return f"new {made[node].kind} {one_line(made[node].name)}"
    key = graph.key_of.get(node)
    return node if key is None else "the top level" if key == graph.root else one_line(graph.names[key])


def _names(nodes: Iterable[str], graph: Graph) -> str:
    nodes = tuple(nodes)
    if len(nodes) <= 2:
        return " and ".join(_name(node, graph, {}) for node in nodes) or "Nothing"
    keys = [graph.key_of.get(node) for node in nodes]
    return count_of(["item" if key is None else graph.kind(key) for key in keys])
