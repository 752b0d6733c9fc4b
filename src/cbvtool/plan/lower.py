"""Lowering: one operation, on the graph as it is at that point, becomes primitives, or is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from cbvtool.graph import EXTERNAL, NO_DEPENDENCY, NO_PARENT, Graph
from cbvtool.plan.carried import come_along, needed_imports
from cbvtool.plan.containment import CONTAINERS, can_hold, can_merge
from cbvtool.plan.draft import Draft, Mask
from cbvtool.plan.interfaces import NAMING, interface_name, kinds_of_use
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode

Step = Operation | Primitive


class Refused(Exception):
    """Why an operation is not possible: one short sentence for the person who holds the mouse."""


@dataclass(frozen=True)
class Refusal:
    """Operation number `index` of a sequence was left out, for this reason."""

    index: int
    operation: Step
    reason: str


@dataclass(frozen=True, eq=False)
class Replayed:
    """What came of a sequence of operations: the graph, the primitives applied, what was left out."""

    graph: Graph
    primitives: tuple[Primitive, ...]
    refusals: tuple[Refusal, ...]


def run(base: Graph, steps: Iterable[Step]) -> Replayed:
    """Apply operations (or primitives) in order and freeze the graph once.

    One that is not possible on the graph as it is at that point is left out as a whole and named in `refusals`:
    after a new analysis a plan may speak of nodes that are gone.
    """
    draft = Draft(base)
    applied: list[Primitive] = []
    refusals = []
    for index, step in enumerate(steps):
        try:
            primitives = [step] if isinstance(step, Primitive) else lower(step, draft)
            for primitive in primitives:
                draft.apply(primitive)
        except Refused as reason:
            refusals.append(Refusal(index, step, str(reason)))
            continue
        # A primitive that is replayed as such keeps the origin it came with.
        applied += primitives if isinstance(step, Primitive) else (replace(p, origin=index) for p in primitives)
    return Replayed(draft.freeze(), tuple(applied), tuple(refusals))


def replay(base: Graph, steps: Iterable[Step]) -> Graph:
    """The graph after `steps`; see `run`."""
    return run(base, steps).graph


def check(operation: Operation, graph: Graph) -> str | None:
    """Why `operation` is refused on `graph`, as one short sentence to show at the pointer; None if it is possible."""
    try:
        lower(operation, Draft(graph))
    except Refused as reason:
        return str(reason)
    return None


def check_all(operations: Iterable[Operation], graph: Graph) -> str | None:
    """Why one of `operations`, done one after the other, is refused; None if all of them are possible."""
    draft = Draft(graph)
    try:
        for operation in operations:
            for primitive in lower(operation, draft):
                draft.apply(primitive)
    except Refused as reason:
        return str(reason)
    return None


def pulled_out(container: str, partner: str, graph: Graph) -> tuple[str, ...]:
    """Ids of what `Extract` takes out of `container`: the children that take part in relations with `partner`.

    Raises Refused where there are none.
    """
    draft = Draft(graph)
    return tuple(draft.id(key) for key in _taking_part(draft, container, partner))


def split_relations(source: str, target: str, graph: Graph) -> list[tuple[int, int, str]]:
    """(user's key, used key, kind) of the relations that a split of source -> target is about.

    Raises Refused where one of the two lies in the other.
    """
    draft = Draft(graph)
    user, used = _find(draft, source), _find(draft, target)
    _must_be_apart(draft, user, used)
    found = _dependencies(draft, draft.subtree(user), draft.subtree(used))
    return [(start, end, edge.kind) for start, end, edge in found]


def move_takers(nodes: Sequence[str], graph: Graph) -> list[int]:
    """Keys of all nodes that `Move` could put `nodes` into, in the order of the tree; one pass over the graph."""
    draft = Draft(graph)
    try:
        keys = _topmost(draft, nodes, "moved")
    except Refused:
        return []
    kinds = {draft.kind(key) for key in keys}
    holders = {kind for kind in graph.kind_names if all(can_hold(kind, inner, graph) for inner in kinds)}
    if EXTERNAL in kinds:
        return []
    holders -= {EXTERNAL}
    homes, held = {draft.parent_of(key) for key in keys}, set(keys)
    return [
        into
        for into in graph.tree.order.tolist()
        if graph.kind(into) in holders and homes != {into} and held.isdisjoint(draft.upward(into))
    ]


def split_takers(found: Sequence[tuple[int, int, str]], graph: Graph) -> list[int]:
    """Keys of all nodes that `Split` could lead `split_relations` over in one of its forms, in the order of the tree.

    A node will not do if nothing is left to be cut: in the form `invert` what is used in its file stays, in the form
    `route` what starts there, too. So it is enough to count relations by what lies above their ends.
    """
    draft = Draft(graph)
    try:
        units = {key: _unit(draft, key) for key in {end for user, used, _ in found for end in (user, used)}}
    except Refused:
        return []
    is_outside = any(draft.kind(unit) == EXTERNAL for unit in {units[used] for _, used, _ in found})
    used_in, touched_in = Counter[int](), Counter[int]()
    above = {key: frozenset(draft.upward(key)) for key in units}
    for user, used, _ in found:
        used_in.update(above[used])
        touched_in.update(above[used] | above[user])
    takers = []
    for via in graph.tree.order.tolist() if found else []:
        kind = graph.kind(via)
        if kind in (EXTERNAL, "function"):
            continue
        file = -1 if kind in CONTAINERS else _unit(draft, via)
        if touched_in[file] < len(found) or (used_in[file] < len(found) and not is_outside):
            takers.append(via)
    return takers


def lower(operation: Operation, draft: Draft) -> list[Primitive]:
    """The primitives of `operation`; at least one. Raises Refused."""
    match operation:
        case Move(nodes, target):
            return _move(draft, nodes, target)
        case Create(node, parent, name, kind):
            return _create(draft, node, parent, name, kind)
        case Remove(nodes):
            return [RemoveNode(draft.id(key)) for key in _topmost(draft, nodes, "removed")]
        case Rename(node, name):
            return _rename(draft, node, name)
        case Merge(source, target):
            return _merge(draft, source, target)
        case Split():
            return _split(draft, operation)
        case Extract(container, partner, target):
            return _extract(draft, container, partner, target)
        case _:
            assert_never(operation)


def _move(draft: Draft, nodes: Sequence[str], target: str) -> list[Primitive]:
    into = _find(draft, target)
    keys = _topmost(draft, nodes, "moved")
    for key in keys:
        _must_fit(draft, key, into)
    away = [key for key in keys if draft.parent_of(key) != into]
    if not away:
        subject = draft.name(keys[0]) if len(keys) == 1 else "All of them"
        raise Refused(f"{subject} {'is' if len(keys) == 1 else 'are'} already in {draft.name(into)}.")
    return [
        *(MoveTo(draft.id(key), target) for key in away),
        *come_along(draft, needed_imports(draft, away), away, into),
    ]


def _create(draft: Draft, node: str, parent: str, name: str, kind: str) -> list[Primitive]:
    into = _find(draft, parent)
    if draft.is_taken(node):
        raise Refused(f"{node} is there already.")
    _must_be_a_name(name)
    if not can_hold(draft.kind(into), kind, draft.base):
        raise Refused(f"{_a(draft.kind(into)).capitalize()} cannot hold {_a(kind)}.")
    return [CreateNode(node, parent, name, kind)]


def _rename(draft: Draft, node: str, name: str) -> list[Primitive]:
    key = _find(draft, node)
    _must_not_be_root(draft, key, "renamed")
    _must_be_a_name(name)
    if draft.name(key) == name:
        raise Refused(f"{name} is its name already.")
    return [RenameNode(node, name)]


def _merge(draft: Draft, source: str, target: str) -> list[Primitive]:
    """Content moves, own relations of the container are led to the target, then the empty container goes."""
    emptied, into = _find(draft, source), _find(draft, target)
    _must_not_be_root(draft, emptied, "merged into something")
    if emptied == into:
        raise Refused(f"{draft.name(into)} cannot be merged into itself.")
    if draft.is_below(into, emptied):
        raise Refused(f"{draft.name(into)} lies inside {draft.name(emptied)}.")
    if not can_merge(draft.kind(emptied), draft.kind(into)):
        raise Refused(f"{_a(draft.kind(emptied)).capitalize()} cannot be merged into {_a(draft.kind(into))}.")
    content = draft.children(emptied)
    for key in content:
        _must_fit(draft, key, into)
    moves: list[Primitive] = [MoveTo(draft.id(key), target) for key in content if key != into]
    relations = _Relations(draft)
    everything = np.ones(len(draft.parent), np.bool_)
    own = ~everything
    own[emptied] = True
    for _, used, edge in draft.relations(own, everything):
        relations.lead(edge, into, used if used != emptied else into)
    for user, _, edge in draft.relations(everything & ~own, own):
        relations.lead(edge, user, into)
    return [*moves, *relations.put(), RemoveNode(source)]


def _split(draft: Draft, split: Split) -> list[Primitive]:
    source, target, via = (_find(draft, node) for node in (split.source, split.target, split.via))
    _must_be_apart(draft, source, target)
    found = _dependencies(draft, draft.subtree(source), draft.subtree(target))
    if not found:
        raise Refused(f"{draft.name(source)} does not use {draft.name(target)}.")
    between = _between(draft, split, via, found)
    # What starts or ends in the file between already is one half of what is wanted: it stays. Only in the form
    # `invert` must a relation that starts there be turned round.
    cut = [
        (user, used, edge)
        for user, used, edge in found
        if not between.holds(draft, used) and not (between.holds(draft, user) and split.form == "route")
    ]
    if not cut:
        raise Refused(f"Nothing between {draft.name(source)} and {draft.name(target)} can go over {between.name}.")
    users: dict[int, list[AddEdge]] = {}
    ends: dict[int, None] = {}
    for user, used, edge in cut:
        ends.setdefault(_unit(draft, used))
        if not between.holds(draft, user):
            users.setdefault(_unit(draft, user), []).append(edge)
    if split.form == "invert" and (outside := [key for key in ends if draft.kind(key) == EXTERNAL]):
        raise Refused(f"{draft.name(outside[0])} lies outside the project and implements nothing of it: use a facade.")
    put = [_use_of(draft, user, edges, between) for user, edges in users.items()]
    for key in ends:
        uses, implements = kinds_of_use(draft.name(key))
        if split.form == "invert":
            needed = AddEdge(draft.id(key), between.node, implements)
        else:
            needed = AddEdge(between.node, draft.id(key), uses)
        if _standing(draft, needed) is None:
            put.append(needed)  # without sites: its code is not written yet
    made = [] if between.made is None else [between.made]
    return [*made, *(CutEdge(edge.source, edge.target, edge.kind) for _, _, edge in cut), *put]


@dataclass(frozen=True)
class _Between:
    """What a split leads over: `node` in the file `file` (a key; None = `made` is to be made)."""

    node: str
    name: str
    file: int | None
    made: CreateNode | None = None

    def holds(self, draft: Draft, key: int) -> bool:
        """Whether `key` is, or lies in, that file."""
        return self.file is not None and draft.is_below(key, self.file)


def _between(draft: Draft, split: Split, via: int, found: Sequence[tuple[int, int, AddEdge]]) -> _Between:
    kind, called = draft.kind(via), draft.name(via)
    if kind == EXTERNAL:
        raise Refused(f"{called} lies outside the project: choose a file or a folder of the project.")
    if kind == "function":
        raise Refused(f"{called} is a function: choose a file, a class or a folder.")
    if kind not in CONTAINERS:
        return _Between(split.via, called, _unit(draft, via))
    name = split.name
    if not name:
        units = dict.fromkeys(_unit(draft, used) for _, used, _ in found)
        units |= dict.fromkeys(_unit(draft, user) for user, _, _ in found) if _all_outside(draft, units) else {}
        name = interface_name(draft.name(_find(draft, split.target)), map(draft.name, units), split.form)
    _must_be_a_name(name)
    there = [key for key in draft.children(via) if draft.name(key) == name and draft.kind(key) == "file"]
    if there:
        return _Between(draft.id(there[0]), name, there[0])
    node, number = f"plan:{split.via}/{name}", 1
    while draft.is_taken(node):
        number += 1
        node = f"plan:{split.via}/{name}#{number}"
    return _Between(node, name, None, CreateNode(node, split.via, name, "file"))


def _all_outside(draft: Draft, keys: Iterable[int]) -> bool:
    return all(draft.kind(key) == EXTERNAL for key in keys)


def _unit(draft: Draft, key: int) -> int:
    """The file that `key` is or lies in; `key` itself where the graph knows no files around it."""
    file = next((above for above in draft.upward(key) if draft.kind(above) == "file"), None)
    if file is not None:
        return file
    if draft.kind(key) in CONTAINERS:
        raise Refused(f"{draft.name(key)} has a relation of its own and is no file, so nobody can rewrite it.")
    return key


def _use_of(draft: Draft, user: int, edges: Sequence[AddEdge], between: _Between) -> AddEdge:
    """One relation from the file `user` to the file between, with the sites of all `edges` that it replaces."""
    kinds = {edge.kind for edge in edges}
    kind = next((kind for kind in NAMING if kind in kinds), kinds_of_use(draft.name(user))[0])
    put = AddEdge(draft.id(user), between.node, kind)
    known = _standing(draft, put)
    together = [*edges, known] if known is not None else [*edges]
    return replace(
        put,
        weight=float(np.float32(sum(edge.weight for edge in together))),
        confidence=min(edge.confidence for edge in together),
        when=min(edge.when for edge in together),
        sites=tuple(sorted({site for edge in together for site in edge.sites})),
    )


def _standing(draft: Draft, edge: AddEdge) -> AddEdge | None:
    """The relation between the same two nodes that stands already."""
    source, target = draft.find(edge.source), draft.find(edge.target)
    return None if source is None or target is None else draft.relation(source, target, edge.kind)


def _dependencies(draft: Draft, sources: Mask, targets: Mask) -> list[tuple[int, int, AddEdge]]:
    """Those of `draft.relations` that are dependencies: others can be cut by no plan, and nothing moves for them."""
    return [relation for relation in draft.relations(sources, targets) if relation[2].kind not in NO_DEPENDENCY]


def _extract(draft: Draft, container: str, partner: str, target: str) -> list[Primitive]:
    return _move(draft, [draft.id(key) for key in _taking_part(draft, container, partner)], target)


def _taking_part(draft: Draft, container: str, partner: str) -> list[int]:
    """Keys of the children of `container` that relations with `partner` start or end in; of a leaf its own."""
    whole, other = _find(draft, container), _find(draft, partner)
    _must_be_apart(draft, whole, other)
    inside, outside = draft.subtree(whole), draft.subtree(other)
    ends = {user for user, _, _ in _dependencies(draft, inside, outside)}
    ends |= {used for _, used, _ in _dependencies(draft, outside, inside)}
    if not ends:
        raise Refused(f"{draft.name(whole)} has no relation with {draft.name(other)}.")
    children = draft.children(whole)
    parts = {above for end in ends for above in draft.upward(end)}
    taken = [key for key in children if key in parts] if children else [whole]
    if not taken:
        raise Refused(f"Only {draft.name(whole)} itself, nothing inside it, has relations with {draft.name(other)}.")
    return taken


def _must_be_apart(draft: Draft, one: int, other: int) -> None:
    if draft.is_below(one, other) or draft.is_below(other, one):
        raise Refused(f"{draft.name(one)} and {draft.name(other)} lie one inside the other.")


class _Relations:
    """Relations to put in, collected so that those that fall together become one."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._edges: dict[tuple[int, int, str], AddEdge] = {}

    def lead(self, edge: AddEdge, source: int, target: int) -> None:
        """Let `edge`, with its weight and sites, run between these two ends instead."""
        if source == target:
            return
        key = (source, target, edge.kind)
        known = self._edges.get(key) or self._draft.relation(*key)
        if known is not None:
            edge = replace(
                edge,
                weight=float(np.float32(known.weight + edge.weight)),
                confidence=min(known.confidence, edge.confidence),
                when=min(known.when, edge.when),
                sites=tuple(dict.fromkeys(known.sites + edge.sites)),
            )
        self._edges[key] = replace(edge, source=self._draft.id(source), target=self._draft.id(target))

    def put(self) -> list[AddEdge]:
        """The primitives."""
        return list(self._edges.values())


def _find(draft: Draft, node: str) -> int:
    key = draft.find(node)
    if key is None:
        raise Refused(f"{node} is not there.")
    return key


def _topmost(draft: Draft, nodes: Sequence[str], done: str) -> list[int]:
    """Keys of `nodes`, without those that come along because something above them is in the list."""
    if not nodes:
        raise Refused("Nothing is chosen.")
    keys = list(dict.fromkeys(_find(draft, node) for node in nodes))
    chosen = set(keys)
    for key in keys:
        _must_not_be_root(draft, key, done)
    return [key for key in keys if not any(above in chosen for above in draft.upward(draft.parent_of(key)))]


def _must_fit(draft: Draft, key: int, into: int) -> None:
    if key == into:
        raise Refused(f"{draft.name(key)} cannot go into itself.")
    if draft.is_below(into, key):
        raise Refused(f"{draft.name(key)} cannot go into {draft.name(into)}, which is part of it.")
    if EXTERNAL in (draft.kind(key), draft.kind(into)):
        raise Refused("What lies outside the project stays there: nothing goes in or out.")
    if not can_hold(draft.kind(into), draft.kind(key), draft.base):
        raise Refused(f"{_a(draft.kind(into)).capitalize()} cannot hold {_a(draft.kind(key))}.")


def _must_not_be_root(draft: Draft, key: int, done: str) -> None:
    if draft.parent_of(key) == NO_PARENT:
        raise Refused(f"The project itself cannot be {done}.")


def _must_be_a_name(name: str) -> None:
    if not name.strip():
        raise Refused("A name is needed.")
    if name in (".", "..") or any(character in "/\\" or ord(character) < 32 for character in name):
        raise Refused(f"{name!r} cannot be a name: no slashes, no control characters, not . or ...")


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
