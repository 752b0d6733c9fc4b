"""Another hierarchy over the same leaves: groups take the place of folders (CBV-13)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from cbvtool.graph.graph import EXTERNAL, KIND_ORDER, Graph, IntColumn
from cbvtool.graph.tree import REMOVED

Mask = npt.NDArray[np.bool_]

_CONTENT = frozenset(KIND_ORDER[KIND_ORDER.index("file") :])  # kinds of nodes that lie in folders and packages
_FOLDERS = frozenset({"folder", "package"})  # these stay containers when they are empty


@dataclass(frozen=True, eq=False)
class Regrouped:
    """A graph in another hierarchy.

    groups  path of each group, as in `regroup` -> its key
    """

    graph: Graph
    groups: Mapping[tuple[str, ...], int]


def leaves(graph: Graph) -> IntColumn:
    """int32[u]: keys of the nodes that stay when another hierarchy replaces the folders of `graph`, in preorder.

    These are the files; where there are none, the topmost classes and the nodes without children; and every container
    that has relations or measured values of its own.
    """
    container = _containers(graph)
    parent = graph.parent
    there = parent >= 0
    below = there & ~container
    below[there] &= container[parent[there]]
    special = container & there & _has_more(graph)
    order = graph.tree.order
    return order[(below | special)[order]]


def regroup(
    graph: Graph,
    keys: IntColumn,
    paths: Sequence[tuple[str, ...]],
    kind: str,
    joint: str = "",
    empty: Sequence[tuple[str, ...]] = (),
    apart: Collection[tuple[str, ...]] = (),
) -> Regrouped:
    """`graph` with its `leaves` in groups instead of its folders.

    keys    int32[u]  the leaves
    paths   path of group names of each of the u leaves, outermost first; () = directly below the root
    kind    kind of the groups; the ids of groups begin with it: `owner:ada`, `owner:team/ada`
    joint   text that joins the names of a group and of its only child, if that is a group; empty = do not join
    empty   paths of groups that are there even if no leaf is in them
    apart   paths of groups that are not joined with what they hold

    The leaves keep their keys, their ids and everything below them. Relations, their sites and measured values do not
    change. The old containers are removed, and their keys stay taken; the keys of groups come after all others.
    """
    children = _grown([*paths, *empty])
    names, ids, above = list[str](), list[str](), list[int]()
    taken = set(graph.ids)
    count = len(graph)
    key_of: dict[tuple[str, ...], int] = {(): graph.root}
    waiting: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((), path) for path in children.get((), {})]
    used = {*paths, *empty, *apart}
    while waiting:
        outer, path = waiting.pop()
        name = path[-1]
        inside = children.get(path, {})
        while joint and len(inside) == 1 and path not in used:
            path = next(iter(inside))
            name = f"{name}{joint}{path[-1]}"
            inside = children.get(path, {})
        key_of[path] = count + len(names)
        names.append(name)
        ids.append(_free(f"{kind}:{'/'.join(path)}", taken))
        above.append(key_of[outer])
        waiting += [(path, inner) for inner in inside]
    parent = np.where(_containers(graph) & (graph.parent >= 0), REMOVED, graph.parent)
    parent[keys] = [key_of[path] for path in paths]
    kinds = graph.kind_names if kind in graph.kind_names else (*graph.kind_names, kind)
    more = len(names)
    nothing = np.full(more, np.nan)
    del key_of[()]
    found = graph.with_(
        ids=graph.ids + tuple(ids),
        names=graph.names + tuple(names),
        kind_names=kinds,
        kinds=np.append(graph.kinds, np.full(more, kinds.index(kind), np.int16)),
        parent=np.append(parent, np.array(above, np.int32)).astype(np.int32),
        file=np.append(graph.file, np.full(more, -1, np.int32)),
        line=np.append(graph.line, np.zeros(more, np.int32)),
        end_line=np.append(graph.end_line, np.zeros(more, np.int32)),
        values={name: np.append(column, nothing) for name, column in graph.values.items()},
    )
    return Regrouped(found, key_of)


def node_words(graph: Graph, key: int) -> str:
    """What a node is called where people are to find it: its path as the code has it; of a group what it is a group of.

    Ids of groups, and of what a plan makes, are for files and operations.
    """
    node, kind = graph.ids[key], graph.kind(key)
    if not node:
        return graph.names[key]
    if node.startswith("plan:"):
        path = [key, *graph.ancestors(key)][:-1]
        inside = list(takewhile(lambda above: not is_group(graph, above), path))
        group = [node_words(graph, path[len(inside)])] if len(inside) < len(path) else []
        return "/".join([*group, *(graph.names[above] for above in reversed(inside))])
    if is_group(graph, key):
        return node.partition(":")[2].replace("/", "." if kind == "package" else "/")
    return node


def is_group(graph: Graph, key: int) -> bool:
    """Whether a node is one of the groups that `regroup` puts in the place of folders."""
    kind = graph.kind(key)
    return kind != EXTERNAL and int(graph.file[key]) < 0 and graph.ids[key].startswith(f"{kind}:")


def _containers(graph: Graph) -> Mask:
    """bool[n]: the root and the containers between it and the leaves; nothing inside a leaf."""
    parent = graph.parent
    inner = np.diff(graph.tree.child_ptr) > 0
    content = np.array([name in _CONTENT for name in graph.kind_names], np.bool_)[graph.kinds]
    folder = np.array([name in _FOLDERS for name in graph.kind_names], np.bool_)[graph.kinds]
    container: Mask = ~content & (inner | folder) & (parent != REMOVED)
    container[graph.root] = True
    depth = graph.tree.depth
    for level in range(1, int(depth.max(initial=0)) + 1):
        keys = np.flatnonzero(depth == level)
        container[keys] &= container[parent[keys]]
    return container


def _has_more(graph: Graph) -> Mask:
    """bool[n]: the nodes with relations or measured values of their own."""
    found: Mask = np.zeros(len(graph), np.bool_)
    found[graph.edges.source] = True
    found[graph.edges.target] = True
    for column in graph.values.values():
        found |= ~np.isnan(column)
    return found


def _grown(paths: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], dict[tuple[str, ...], None]]:
    """The groups directly below each group, both as whole paths, in the order of their first use in `paths`."""
    children: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for path in dict.fromkeys(paths):
        for length in range(len(path)):
            children.setdefault(path[:length], {})[path[: length + 1]] = None
    return children


def _free(wanted: str, taken: set[str]) -> str:
    number, free = 1, wanted
    while free in taken:
        number += 1
        free = f"{wanted}#{number}"
    taken.add(free)
    return free
