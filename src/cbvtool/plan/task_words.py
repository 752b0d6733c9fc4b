"""What a task is called, and the steps it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.plan.describe import count_of
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.place import place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.task import Task, counted


def merge_behind(primitive: Primitive, operation: Operation | None, target: Graph) -> Merge | None:
    """The merge that `primitive`, a removal, ends; None for others, and if what was merged into is gone as well."""
    if not isinstance(primitive, RemoveNode):
        return None
    match operation:
        case Merge(source, into):
            return operation if source == primitive.node and into in target.key_of else None
        case None | Create() | Move() | Rename() | Remove() | Extract() | Split():
            return None
        case _:
            assert_never(operation)


def pulled_for(operation: Operation | None, base: Graph) -> int | None:
    """Key of the node for whose relations `operation` pulls something out; None if that is not what it does."""
    match operation:
        case Extract(_, partner):
            return base.key_of.get(partner)
        case None | Create() | Move() | Rename() | Remove() | Merge() | Split():
            return None
        case _:
            assert_never(operation)


def split_behind(operation: Operation | None) -> Split | None:
    """The operation if relations change because it splits a dependency; None for others."""
    match operation:
        case Split():
            return operation
        case None | Create() | Move() | Rename() | Remove() | Extract() | Merge():
            return None
        case _:
            assert_never(operation)


def named(number: int, members: Sequence[Primitive], base: Graph, target: Graph, operation: Operation | None) -> Task:
    """The task without what it touches."""
    first = members[0]
    moves = [p for p in members if isinstance(p, MoveTo)]
    removals = [p for p in members if isinstance(p, RemoveNode)]
    if removals and (merge := merge_behind(removals[-1], operation, target)):
        return _merge(number, merge, members, base, target)
    if moves:
        return _move(number, moves, any(isinstance(p, RenameNode) for p in members), operation, base, target)
    if removals:
        return _remove(number, removals, base)
    match first:
        case CreateNode():
            return _create(number, first, target)
        case RenameNode(node, name):
            before, after = place(base, base.key_of[node]), place(target, target.key_of[node])
            title = f"Rename {before} to {name}"
            return Task(number, Rename.row.task, title, (node,), first.origin, before, after, (title,))
        case MoveTo() | RemoveNode() | AddEdge() | CutEdge():
            relations = [p for p in members if isinstance(p, AddEdge | CutEdge)]
            return _relations(number, relations, operation, target)
        case _:
            assert_never(first)


def _move(
    number: int, moves: Sequence[MoveTo], renames: bool, operation: Operation | None, base: Graph, target: Graph
) -> Task:
    nodes = tuple(move.node for move in moves)
    keys = [base.key_of[node] for node in nodes]
    before, after = place(base, int(base.parent[keys[0]])), place(target, int(target.parent[keys[0]]))
    what = base.names[keys[0]] if len(keys) == 1 else count_of([base.kind(key) for key in keys])
    kind = Move.row.task
    if before == after and renames:
        title = f"Rename {what} in {after} to {target.names[keys[0]]}"
    elif (partner := pulled_for(operation, base)) is not None:
        kind = Extract.row.task
        title = f"Pull {what} out of {before} into {after}: what has relations with {place(base, partner)}"
    else:
        title = f"Move {what} from {before} to {after}"
        title += f" and rename it to {target.names[keys[0]]}" if renames else ""
    steps = tuple(f"Move {place(base, key)} to {place(target, key)}" for key in keys)
    return Task(number, kind, title, nodes, moves[0].origin, before, after, steps)


def _merge(number: int, merge: Merge, members: Sequence[Primitive], base: Graph, target: Graph) -> Task:
    source = base.key_of[merge.source]
    before, after = place(base, source), place(target, target.key_of[merge.target])
    moves = [base.key_of[p.node] for p in members if isinstance(p, MoveTo)]
    steps = [f"Move {place(base, key)} to {place(target, key)}" for key in moves]
    if base.kind(source) in ("project", "folder", "package"):
        steps.append(f"Remove {before} once nothing is left in it")
    else:
        rest = "the rest of the code" if moves else "the code"
        steps += [f"Move {rest} of {before} into {after}", f"Remove {before}"]
    nodes = (merge.source, *(base.ids[key] for key in moves))
    return Task(
        number, Merge.row.task, f"Merge {before} into {after}", nodes, members[0].origin, before, after, tuple(steps)
    )


def _remove(number: int, removals: Sequence[RemoveNode], base: Graph) -> Task:
    keys = [base.key_of[p.node] for p in removals]
    paths = [place(base, key) for key in keys]
    what = paths[0] if len(keys) == 1 else count_of([base.kind(key) for key in keys])
    return Task(
        number,
        Remove.row.task,
        f"Remove {what}",
        tuple(p.node for p in removals),
        removals[0].origin,
        place(base, int(base.parent[keys[0]])),
        "",
        tuple(f"Remove {path}" for path in paths),
    )


def _create(number: int, create: CreateNode, target: Graph) -> Task:
    key = target.key_of[create.node]
    after = place(target, key)
    step = f"Create {create.kind} {after}" + (" with an __init__.py" if create.kind == "package" else "")
    title = f"Create {create.kind} {after}"
    return Task(number, Create.row.task, title, (create.node,), create.origin, "", after, (step,))


def _relations(number: int, members: Sequence[AddEdge | CutEdge], operation: Operation | None, target: Graph) -> Task:
    def name(node: str) -> str:
        return place(target, target.key_of[node]) if node in target.key_of else node

    led = {p.source: p.target for p in members if isinstance(p, AddEdge) and p.sites}
    cut = {p.source for p in members if isinstance(p, CutEdge)}
    steps = []
    for p in members:
        if isinstance(p, CutEdge):
            instead = f"use {name(led[p.source])} instead of" if p.source in led else "no longer use"
            steps.append(f"Let {name(p.source)} {instead} {name(p.target)}")
        elif p.source not in cut or not p.sites:
            steps.append(f"Let {name(p.source)} use {name(p.target)}")
    nodes = tuple(dict.fromkeys(node for p in members for node in (p.source, p.target)))
    if (split := split_behind(operation)) is None:
        title = f"Rearrange {counted(len(members), 'relation')}"
        return Task(number, "relations", title, nodes, members[0].origin, "", "", tuple(steps))
    source, used, via = name(split.source), name(split.target), name(split.via)
    if split.form == "invert":
        title = f"Invert the dependency of {source} on {used} through {via} (callback or interface)"
        first = f"Define in {via} what {source} needs of {used}"
    else:
        title = f"Route the dependency of {source} on {used} through {via} (facade)"
        first = f"Offer in {via} what {source} needs of {used}"
    return Task(number, Split.row.task, title, nodes, members[0].origin, source, used, (first, *steps))
