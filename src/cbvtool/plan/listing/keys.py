"""Stable keys of tasks: made from what a task does, so that what people note stays with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.place import place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.task import Kind

_DIGITS = 10


def task_key(kind: Kind, members: Sequence[Primitive], operation: Operation | None, base: Graph, target: Graph) -> str:
    """A key such as `move-3f9a1c2b4d`: the same for the same net change, whatever else the plan does.

    Neither the number of the task nor that of the operation enters, nor ids that the plan gave: what it made is named
    by its place. Of a merge, a pull-out and a split the key names what was asked for, not what takes part as the code
    is now.
    """
    asked = _asked_for(kind, operation, base, target)
    facts = [asked] if asked is not None else _facts(members, base, target)
    return f"{kind.replace(' ', '-')}-{_digest(sorted(facts))}"


def step_key(task: str, members: Sequence[Primitive], base: Graph, target: Graph) -> str:
    """A key of a part of a task."""
    return f"{task}.{_digest(sorted(_facts(members, base, target)))[:6]}"


def each_its_own(keys: Sequence[str]) -> list[str]:
    """The keys, with `-2`, `-3`, ... behind those that were there before."""
    seen: dict[str, int] = {}
    found = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        found.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return found


def _asked_for(kind: Kind, operation: Operation | None, base: Graph, target: Graph) -> list[str] | None:
    match operation:
        case Merge(source, into) if kind == "merge":
            return [kind, _ref(source, base, target), _ref(into, base, target)]
        case Extract(container, partner, into) if kind == "pull out":
            return [kind, *(_ref(node, base, target) for node in (container, partner, into))]
        case Split(source, used, via, form, name) if kind == "split":
            return [kind, form, name, *(_ref(node, base, target) for node in (source, used, via))]
        case None | Create() | Move() | Rename() | Remove() | Merge() | Extract() | Split():
            return None
        case _:
            assert_never(operation)


def _facts(members: Sequence[Primitive], base: Graph, target: Graph) -> list[list[str]]:
    """What the members do; imports that come along with a definition depend on the code as it is now."""
    return [_fact(p, base, target) for p in members if not (isinstance(p, AddEdge | CutEdge) and p.along)] or [
        _fact(p, base, target) for p in members
    ]


def _fact(primitive: Primitive, base: Graph, target: Graph) -> list[str]:
    match primitive:
        case CreateNode(node, _, _, kind):
            return ["create", kind, _ref(node, base, target)]
        case MoveTo(node, parent):
            before = base.ids[base.parent[base.key_of[node]]]
            return ["move", node, before, _ref(parent, base, target)]
        case RenameNode(node, name):
            return ["rename", _ref(node, base, target), name]
        case RemoveNode(node):
            return ["remove", node]
        case AddEdge(source, used, kind):
            return ["add", kind, _ref(source, base, target), _ref(used, base, target)]
        case CutEdge(source, used, kind):
            return ["cut", kind, source, used]
        case _:
            assert_never(primitive)


def _ref(node: str, base: Graph, target: Graph) -> str:
    """What stays the same when the plan goes on: an id of the code; of what the plan made its place."""
    if node in base.key_of or node not in target.key_of:
        return node
    return f"+{place(target, target.key_of[node])}"


def _digest(facts: object) -> str:
    text = json.dumps(facts, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
