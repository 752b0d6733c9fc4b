"""What can take the nodes or the relation that is held, the likely ones first. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cbvtool.graph import NO_DEPENDENCY, Graph
from cbvtool.plan import CONTAINERS, Move, Operation, Refused, move_takers, split_relations, split_takers
from cbvtool.plan.clashes import unfit
from cbvtool.plan.containment import language_family
from cbvtool.plan.place import file_of


def takers_of_nodes(keys: Sequence[int], graph: Graph, refusal: Callable[[Operation], str] | None = None) -> list[int]:
    """Keys of the nodes that can take all of `keys`: where a drop is not refused, and code is of the same language.

    refusal  why a move into a container is refused where what is shown is not the graph of folders; None = it is
    """
    ids = tuple(graph.ids[key] for key in keys)
    found = of_language(move_takers(ids, graph), keys, graph)

    def takes(key: int) -> bool:
        move = Move(ids, graph.ids[key])
        if refusal is not None and graph.kind(key) in CONTAINERS:
            return not refusal(move)
        return unfit((move,), graph) is None

    return likely_first([key for key in found if takes(key)], keys, graph)


def takers_of_relation(relation: Sequence[int], graph: Graph) -> list[int]:
    """Keys of the nodes that a relation (key of the user, of the used one) can be led over in some form; not its ends.
    In the order of the tree.

    Those in a file are of the same language as one of the files that depend on each other.
    """
    user, used = relation
    try:
        pairs = split_relations(graph.ids[user], graph.ids[used], graph)
    except Refused:
        return []
    ends = {end for one, other, _ in pairs for end in (one, other)}
    found = [key for key in split_takers(pairs, graph) if key not in relation]
    return of_language(found, ends, graph)


def of_language(found: Iterable[int], keys: Iterable[int], graph: Graph) -> list[int]:
    """Those of `found` that are containers, or are or lie in a file of the same language as one of `keys`."""
    wanted = {language_family(graph.names[file]) for key in keys if (file := file_of(graph, key)) >= 0}
    known: dict[int, bool] = {}

    def fits(key: int) -> bool:
        file = file_of(graph, key)
        if file not in known:
            known[file] = file < 0 or language_family(graph.names[file]) in wanted
        return known[file]

    return [key for key in found if graph.kind(key) in CONTAINERS or not wanted or fits(key)]


def likely_first(found: Iterable[int], keys: Sequence[int], graph: Graph) -> list[int]:
    """What lies in the same container as `keys`, then beside that, then what depends on them or they on it; by path.

    Hidden files and folders come last: their names begin with a dot.
    """
    homes = {int(graph.parent[key]) for key in keys}
    beyond = {int(graph.parent[home]) for home in homes if graph.parent[home] >= 0}
    related = _related(keys, graph)

    def rank(key: int) -> int:
        parent = int(graph.parent[key])
        if key in homes or parent in homes:
            return 0
        if key in beyond or parent in beyond:
            return 1
        return 2 if key in related else 3

    is_hidden = hidden_beside(keys, graph)
    return sorted(found, key=lambda key: (is_hidden(key), rank(key), graph.path(key).casefold()))


def hidden_beside(keys: Iterable[int], graph: Graph) -> Callable[[int], bool]:
    """Whether a node is or lies in something hidden, in which none of `keys` is: its name begins with a dot."""
    hidden = {key for key, name in enumerate(graph.names) if name.startswith(".")}
    kept = hidden - {above for key in keys for above in (key, *graph.ancestors(key))}
    return lambda key: bool(kept) and any(above in kept for above in (key, *graph.ancestors(key)))


def _related(keys: Iterable[int], graph: Graph) -> set[int]:
    """Keys of nodes outside `keys` that a dependency leads to or comes from, of what they lie in up to a container."""
    tree, edges = graph.tree, graph.edges
    inside = np.zeros(len(graph), np.bool_)
    for key in keys:
        inside[tree.order[tree.pos[key] : tree.end[key]]] = True
    is_dependency = np.array([name not in NO_DEPENDENCY for name in edges.kind_names], np.bool_)
    counts = is_dependency[edges.kind] if len(edges) else np.zeros(0, np.bool_)
    out, into = counts & inside[edges.source], counts & inside[edges.target]
    ends = np.unique(np.concatenate([edges.target[out & ~into], edges.source[into & ~out]]))
    found: set[int] = set()
    for end in ends.tolist():
        for above in (end, *graph.ancestors(end)):
            found.add(above)
            if graph.kind(above) in CONTAINERS:
                break
    return found
