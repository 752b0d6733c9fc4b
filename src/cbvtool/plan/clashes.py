"""Name clashes: siblings that could not stand side by side on disk or in one scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.plan.containment import PARTS, are_alike, holds_code, same_language
from cbvtool.plan.lower import Refused, check_all, pulled_out
from cbvtool.plan.naming.refusals import holds_java, name_refusal
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.place import file_of


@dataclass(frozen=True)
class Clash:
    """Several children of `parent` (a key) are called `name`; `nodes` are their keys."""

    parent: int
    name: str
    nodes: tuple[int, ...]

    def sentence(self, graph: Graph) -> str:
        """The clash in words."""
        return f"{graph.names[self.parent]} holds {len(self.nodes)} items called {self.name}."


def clashes(graph: Graph, base: Graph | None = None) -> list[Clash]:
    """Every clash in `graph`, in the order of parents.

    Judged on the target of a plan, never on the way to it: two files may swap their places. With `base`, clashes
    that the code has today (a function defined twice, say) are left out.
    """
    inner = np.flatnonzero(graph.parent >= 0) if base is None else _beside_newcomers(graph, base)
    together: dict[tuple[int, str], list[int]] = {}
    for key, parent in zip(inner.tolist(), graph.parent[inner].tolist(), strict=True):
        together.setdefault((parent, graph.names[key]), []).append(key)
    found = [Clash(parent, name, tuple(keys)) for (parent, name), keys in together.items() if len(keys) > 1]
    if base is not None:
        found = [clash for clash in found if not _stood_so(clash, base)]
    return sorted(found, key=lambda clash: (clash.parent, clash.name))


def clash_of(operation: Operation, graph: Graph) -> str | None:
    """Why a person who makes this gesture would put two items of one name into one place; None if it would not.

    One sentence for the pointer. Functions may share a name: many languages overload them. A plan may pass through a
    clash (two files swap their places), so the operation itself is possible; whoever holds the mouse is told at once.
    """
    match operation:
        case Move(nodes, target):
            kinds = {graph.kind(graph.key_of[node]) for node in nodes if node in graph.key_of}
            return _no_code(target, kinds, graph) or _newcomers(nodes, target, graph)
        case Extract(container, partner, target):
            try:
                parts = pulled_out(container, partner, graph)
            except Refused:
                return None
            kinds = {graph.kind(graph.key_of[part]) for part in parts}
            return _no_code(target, kinds, graph) or _newcomers(parts, target, graph)
        case Merge(source, target):
            if (reason := _unlike(source, target, graph)) is not None:
                return reason
            inside = graph.children(graph.key_of[source]).tolist() if source in graph.key_of else []
            return _newcomers([graph.ids[key] for key in inside], target, graph)
        case Create(_, parent, name, kind):
            return _no_code(parent, {kind}, graph) or (
                None if kind == "function" else _taken([name], parent, frozenset(), graph)
            )
        case Rename(node, name):
            key = graph.key_of.get(node)
            if key is None or graph.kind(key) == "function" or graph.parent[key] < 0:
                return None
            return _taken([name], graph.ids[int(graph.parent[key])], frozenset({key}), graph)
        case Remove() | Split():
            return None
        case _:
            assert_never(operation)


def refusal_of(operations: Sequence[Operation], graph: Graph) -> str | None:
    """Why a person who makes this gesture of several operations is told no: they are not possible, clash, or give
    names that are none. None = all is well. One sentence.

    graph  in the hierarchy of folders
    """
    return check_all(operations, graph) or unfit(operations, graph)


def unfit(operations: Sequence[Operation], graph: Graph) -> str | None:
    """The same for operations that are known to be possible."""
    checked = [*operations, *_made_for_code(operations, graph)]
    refusals = (clash_of(one, graph) or name_refusal(one, graph) for one in checked)
    return next(filter(None, refusals), None) or next(_in_other_languages(operations, graph), None)


def _in_other_languages(operations: Iterable[Operation], graph: Graph) -> Iterator[str]:
    """Definitions that would go to a file of another language, which is there or is made for them."""
    made: dict[str, str] = {}
    for operation in operations:
        match operation:
            case Create():
                made |= {operation.node: operation.name} if operation.kind == "file" else {}
                continue
            case Move(nodes, target):
                parts = nodes
            case Extract(container, partner, target):
                parts = pulled_out(container, partner, graph)
            case Rename() | Remove() | Merge() | Split():
                continue
            case _:
                assert_never(operation)
        into = graph.key_of.get(target, -1)
        place = made.get(target) or (graph.names[file] if into >= 0 and (file := file_of(graph, into)) >= 0 else "")
        keys = [graph.key_of[part] for part in parts if part in graph.key_of]
        for key in keys if place else ():
            home = file_of(graph, key)
            if graph.kind(key) in PARTS and home >= 0 and not same_language(graph.names[home], place):
                yield f"{graph.names[key]} is code of {graph.names[home]}: {place} is a file of another language."


def _made_for_code(operations: Iterable[Operation], graph: Graph) -> Iterator[Operation]:
    """Folders that files of Java are moved into as soon as they are made, as what they will be: packages."""
    made: dict[str, Create] = {}
    for operation in operations:
        match operation:
            case Create():
                made |= {operation.node: operation} if operation.kind == "folder" else {}
            case Move(nodes, target):
                parent = graph.key_of.get(made[target].parent) if target in made else None
                moved = [graph.key_of[node] for node in nodes if node in graph.key_of]
                if parent is not None and any(holds_java(graph, key) for key in moved):
                    yield replace(made[target], kind="package")
            case Rename() | Remove() | Merge() | Split() | Extract():
                continue
            case _:
                assert_never(operation)


def _no_code(target: str, kinds: AbstractSet[str], graph: Graph) -> str | None:
    """Why a file is no place for what it would hold: data and texts hold no code."""
    key = graph.key_of.get(target)
    if key is None or graph.kind(key) != "file" or not kinds & PARTS or holds_code(graph, key):
        return None
    return f"{graph.names[key]} holds no code: choose another file."


def _unlike(source: str, target: str, graph: Graph) -> str | None:
    keys = [graph.key_of[node] for node in (source, target) if node in graph.key_of]
    if len(keys) < 2 or any(graph.kind(key) != "file" for key in keys) or are_alike(graph, *keys):
        return None
    return f"{graph.names[keys[0]]} and {graph.names[keys[1]]} are files of different sorts, so they cannot become one."


def _newcomers(nodes: Iterable[str], target: str, graph: Graph) -> str | None:
    into = graph.key_of.get(target, -1)
    keys = [graph.key_of[node] for node in nodes if node in graph.key_of]
    coming = [graph.names[key] for key in keys if graph.parent[key] != into and graph.kind(key) != "function"]
    twice = next((name for name, count in Counter(coming).items() if count > 1), None)
    if twice is not None:
        return f"Two of them are called {twice}: rename one first."
    return _taken(coming, target, frozenset(keys), graph)


def _taken(names: Iterable[str], parent: str, but: frozenset[int], graph: Graph) -> str | None:
    into = graph.key_of.get(parent)
    if into is None:
        return None  # a new container: nothing is in it
    there = {graph.names[key] for key in graph.children(into).tolist() if key not in but}
    name = next((name for name in names if name in there), None)
    return None if name is None else f"{graph.names[into]} already holds {name}: rename one of the two first."


def _beside_newcomers(graph: Graph, base: Graph) -> npt.NDArray[np.intp]:
    """Keys of all children of every node that got a child, or a child with another name."""
    new = np.ones(len(graph), np.bool_)
    new[: len(base)] = graph.parent[: len(base)] != base.parent
    if graph.names is not base.names:
        new[[key for key, name in enumerate(base.names) if name != graph.names[key]]] = True
    gained = np.zeros(len(graph), np.bool_)
    gained[graph.parent[new & (graph.parent >= 0)]] = True
    return np.flatnonzero((graph.parent >= 0) & gained[graph.parent])


def _stood_so(clash: Clash, base: Graph) -> bool:
    return all(
        key < len(base) and base.parent[key] == clash.parent and base.names[key] == clash.name for key in clash.nodes
    )
