"""What a task is called, and the steps it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, assert_never

from cbvtool.graph import Graph
from cbvtool.hierarchies.packages import package_names
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.describe import count_of
from cbvtool.plan.interfaces import interface_words
from cbvtool.plan.listing.removals import users_first
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.task import Kind, counted


class TaskPart(NamedTuple):
    """A step without what it touches: its title, what it does, and the paths that it works on."""

    title: str
    primitives: tuple[Primitive, ...]
    places: tuple[str, ...]


class NamedTask(NamedTuple):
    """A task without what it touches; `nodes`, `before`, `after` as in `Task`."""

    kind: Kind
    title: str
    nodes: tuple[str, ...]
    before: str
    after: str
    parts: tuple[TaskPart, ...]


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


def named(members: Sequence[Primitive], base: Graph, target: Graph, operation: Operation | None) -> NamedTask:
    """What the task of some primitives of a compressed plan is called, and its steps."""
    first = members[0]
    moves = [p for p in members if isinstance(p, MoveTo)]
    removals = [p for p in members if isinstance(p, RemoveNode)]
    if removals and (merge := merge_behind(removals[-1], operation, target)):
        return _merge(merge, members, base, target)
    if moves:
        return _move(moves, [p for p in members if not isinstance(p, MoveTo)], operation, base, target)
    if removals:
        return _remove(removals, base)
    if any(isinstance(p, AddEdge | CutEdge) for p in members):
        return _relations(members, operation, base, target)
    match first:
        case CreateNode():
            return _create(first, target)
        case RenameNode(node, name):
            before, after = place(base, base.key_of[node]), place(target, target.key_of[node])
            title = f"Rename {before} to {name}"
            return NamedTask(Rename.row.task, title, (node,), before, after, (TaskPart(title, (first,), (before,)),))
        case MoveTo() | RemoveNode() | AddEdge() | CutEdge():
            raise AssertionError("these were looked for above")
        case _:
            assert_never(first)


def _move(
    moves: Sequence[MoveTo], others: Sequence[Primitive], operation: Operation | None, base: Graph, target: Graph
) -> NamedTask:
    renames = [p for p in others if isinstance(p, RenameNode)]
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
    parts = tuple(_moving(move, [p for p in others if _goes_with(p, move)], base, target) for move in moves)
    return NamedTask(kind, title, nodes, before, after, parts)


def _goes_with(primitive: Primitive, move: MoveTo) -> bool:
    """Whether it is the new name of what moves, or an import that comes along with it."""
    if isinstance(primitive, AddEdge | CutEdge):
        return primitive.along == move.node
    return isinstance(primitive, RenameNode) and primitive.node == move.node


def _moving(move: MoveTo, others: Sequence[Primitive], base: Graph, target: Graph) -> TaskPart:
    before = place(base, base.key_of[move.node])
    title = f"Move {before} to {place(target, target.key_of[move.node])}"
    return TaskPart(title, (move, *others), (before,))


def _merge(merge: Merge, members: Sequence[Primitive], base: Graph, target: Graph) -> NamedTask:
    source = base.key_of[merge.source]
    before, after = place(base, source), place(target, target.key_of[merge.target])
    moves = [p for p in members if isinstance(p, MoveTo)]
    rest = tuple(p for p in members if not isinstance(p, MoveTo))
    parts = [_moving(move, (), base, target) for move in moves]
    if base.kind(source) in CONTAINERS:
        parts.append(TaskPart(f"Remove {before} once nothing is left in it", rest, (before,)))
    else:
        what = "the rest of the code" if moves else "the code"
        parts.append(TaskPart(f"Move {what} of {before} into {after} and remove {before}", rest, (before, after)))
    nodes = (merge.source, *(move.node for move in moves))
    return NamedTask(Merge.row.task, f"Merge {before} into {after}", nodes, before, after, tuple(parts))


def _remove(removals: Sequence[RemoveNode], base: Graph) -> NamedTask:
    keys = [base.key_of[p.node] for p in removals]
    paths = [place(base, key) for key in keys]
    what = paths[0] if len(keys) == 1 else count_of([base.kind(key) for key in keys])
    parts = tuple(TaskPart(f"Remove {paths[row]}", (removals[row],), (paths[row],)) for row in users_first(base, keys))
    above = place(base, int(base.parent[keys[0]]))
    return NamedTask(Remove.row.task, f"Remove {what}", tuple(p.node for p in removals), above, "", parts)


def _create(create: CreateNode, target: Graph) -> NamedTask:
    after = place(target, target.key_of[create.node])
    title = f"Create {create.kind} {after}"
    is_python = create.kind == "package" and package_names(target).language(target.key_of[create.node]) == "python"
    step = title + (" with an __init__.py" if is_python else "")
    return NamedTask(Create.row.task, title, (create.node,), "", after, (TaskPart(step, (create,), (after,)),))


def _relations(members: Sequence[Primitive], operation: Operation | None, base: Graph, target: Graph) -> NamedTask:
    edges = [p for p in members if isinstance(p, AddEdge | CutEdge)]
    nodes = tuple(dict.fromkeys(node for p in edges for node in (p.source, p.target)))
    split = split_behind(operation)
    middle = None if split is None else _middle(split, edges, target)
    if split is None or middle is None:
        title = f"Rearrange {counted(len(edges), 'relation')}"
        if split is not None:
            title = f"Cut the dependency of {_called(split.source, base, target)} on "
            title += _called(split.target, base, target)
        return NamedTask("relations", title, nodes, "", "", tuple(_by_user(members, base, target)))
    source, used = _called(split.source, base, target), _called(split.target, base, target)
    via = place(target, target.key_of[middle])
    if split.form == "invert":
        title = f"Invert the dependency of {source} on {used} through {via} (callback or interface)"
    else:
        title = f"Route the dependency of {source} on {used} through {via} (facade)"
    made = tuple(p for p in members if isinstance(p, CreateNode))
    parts = _split_parts(split, middle, made, edges, base, target)
    return NamedTask(Split.row.task, title, nodes, source, used, tuple(parts))


def _split_parts(
    split: Split,
    middle: str,
    made: tuple[CreateNode, ...],
    edges: Sequence[AddEdge | CutEdge],
    base: Graph,
    target: Graph,
) -> list[TaskPart]:
    """First the file between, then whoever implements it, then one user after the other."""
    via = place(target, target.key_of[middle])
    source, used = _called(split.source, base, target), _called(split.target, base, target)
    what = f"what {source} needs of {used}"
    offered = tuple(p for p in edges if isinstance(p, AddEdge) and p.source == middle)
    cut = [p for p in edges if isinstance(p, CutEdge)]
    ends, users = (
        {_file(node, base, target) for node in nodes} for nodes in ([p.target for p in cut], [p.source for p in cut])
    )
    implementing = [
        p
        for p in edges
        if isinstance(p, AddEdge) and p.target == middle and (p.source in ends - users if ends - users else not p.sites)
    ]
    parts = []
    if split.form == "route":
        of = _listed(_called(p.target, base, target) for p in offered)
        title = f"{'Create' if made else 'Let'} {via}{': a facade that offers' if made else ' offer'} {what}"
        title += f", made of {of}" if offered else ""
        if made or offered:
            parts.append(TaskPart(title, (*made, *offered), (via,)))
    else:
        if made:
            parts.append(TaskPart(f"Create {via}: {interface_words(via)} that declares {what}", made, (via,)))
        for p in implementing:
            user = _called(p.source, base, target)
            title = f"Let {user} implement {via}"
            if not parts:
                title = f"Declare in {via} {what}, and let {user} implement it"
            parts.append(TaskPart(title, (p,), (user,) if made else (user, via)))
    told = {p for part in parts for p in part.primitives}
    rest = [p for p in edges if p not in told]
    return parts + _by_user(rest, base, target, inverted=split.form == "invert")


def _by_user(members: Sequence[Primitive], base: Graph, target: Graph, *, inverted: bool = False) -> list[TaskPart]:
    """One part for each file whose relations change.

    inverted   they end at an interface, of which nobody can make an object: who made one gets it from its users
    """
    together: dict[str, list[AddEdge | CutEdge]] = {}
    parts = [
        TaskPart(f"Create {p.name}", (p,), (_called(p.node, base, target),))
        for p in members
        if isinstance(p, CreateNode)
    ]
    for p in members:
        if isinstance(p, AddEdge | CutEdge):
            together.setdefault(_called(_file(p.source, base, target), base, target), []).append(p)
    for user, edges in together.items():
        cut, put = (
            list(dict.fromkeys(_file(p.target, base, target) for p in edges if isinstance(p, kind)))
            for kind in (CutEdge, AddEdge)
        )
        gone = _listed(_called(node, base, target) for node in cut if node not in put)
        new = _listed(_called(node, base, target) for node in put)
        if gone and new:
            title = f"Let {user} use {new} instead of {gone}"
            made = (
                {p.target for p in edges if isinstance(p, CutEdge) and p.kind == "instantiate"} if inverted else set()
            )
            if names := sorted(base.names[base.key_of[node]] for node in made):
                title += f", and have its users hand in {_listed(names)}, which it makes itself today"
        elif new:
            title = f"Let {user} use {new}"
        else:
            title = f"Let {user} no longer use {gone or _listed(_called(node, base, target) for node in cut)}"
        parts.append(TaskPart(title, tuple(edges), (user,)))
    return parts


def _middle(split: Split, edges: Sequence[AddEdge | CutEdge], target: Graph) -> str | None:
    """Id of what the split leads over; None if nothing is led any more."""
    ends: dict[str, int] = {}
    for p in edges:
        if isinstance(p, AddEdge):
            for node in {p.source, p.target}:
                ends[node] = ends.get(node, 0) + 1
    if split.via in ends:
        return split.via
    made = [node for node in ends if node.startswith(f"plan:{split.via}/")]
    if made:
        return made[0]
    inside = [node for node in ends if _is_in(target, node, split.via)]
    return max(inside, key=lambda node: ends[node], default=None)


def _is_in(target: Graph, node: str, container: str) -> bool:
    if node not in target.key_of or container not in target.key_of:
        return False
    return target.key_of[container] in target.ancestors(target.key_of[node])


def _file(node: str, base: Graph, target: Graph) -> str:
    """Id of the file that a node is or lies in; its own if it lies in no file."""
    graph = base if node in base.key_of else target
    file = file_of(graph, graph.key_of[node]) if node in graph.key_of else -1
    return node if file < 0 else graph.ids[file]


def _called(node: str, base: Graph, target: Graph) -> str:
    """Where a node lies in the target; what is gone, where it lay."""
    for graph in (target, base):
        if node in graph.key_of:
            return place(graph, graph.key_of[node])
    return node


def _listed(words: Iterable[str]) -> str:
    """`a, b and c`."""
    all_words = list(dict.fromkeys(words))
    return " and ".join(filter(None, (", ".join(all_words[:-1]), *all_words[-1:])))
