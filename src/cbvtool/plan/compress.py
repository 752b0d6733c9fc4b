"""Compression: what a plan comes to, with every detour and everything taken back left out.

It is read off the difference between the base and the target, not found by rewriting steps, so it cannot miss a
detour: a -> b -> c is a -> c, there and back again is nothing, created and removed is nothing.

Why it is never longer, counted in primitives: a node that ends up elsewhere was moved at least once, one with
another name was renamed, one that is new was created; a relation between nodes that stay differs only if it was
put or cut. A node that is gone although its parent is not was removed itself, or was moved into what was removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import NO_PARENT, REMOVED, Graph
from cbvtool.plan.draft import Draft
from cbvtool.plan.history import History
from cbvtool.plan.lower import Replayed
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode

_EdgeName = tuple[str, str, str]


def compress(history: History) -> tuple[Primitive, ...]:
    """The net primitives of what is done; see `compress_replayed`."""
    return compress_replayed(history.base, history.replayed)


def compress_replayed(base: Graph, replayed: Replayed) -> tuple[Primitive, ...]:
    """The primitives that lead from `base` to the same graph (up to keys) without a detour.

    Their order can always be replayed: level by level of the target, a node is created or moved when everything
    above it stands in its final place, so no move can close a cycle, and gets its name; then relations, then
    removals. Each bears the origin of the last primitive that did the same to the same node or relation.
    """
    target = replayed.graph
    if target is base:
        return ()
    trail = _Trail(base, replayed.primitives)
    return (*_places(base, target, trail), *_relations(base, target, trail), *_removals(base, target, trail))


class _Trail:
    """The last primitive that touched each node, in each way, and each relation."""

    def __init__(self, base: Graph, primitives: Sequence[Primitive]) -> None:
        self._base = base
        self.moved: dict[str, MoveTo] = {}
        self.created: dict[str, CreateNode] = {}
        self.removed: dict[str, RemoveNode] = {}
        self.renamed: dict[str, RenameNode] = {}
        self.edges: dict[_EdgeName, AddEdge | CutEdge] = {}
        for primitive in primitives:
            match primitive:
                case MoveTo(node):
                    self.moved[node] = primitive
                case CreateNode(node):
                    self.created[node] = primitive
                case RemoveNode(node):
                    self.removed[node] = primitive
                case RenameNode(node):
                    self.renamed[node] = primitive
                case AddEdge(source, target, kind) | CutEdge(source, target, kind):
                    self.edges[source, target, kind] = primitive
                case _:
                    assert_never(primitive)

    def removal(self, node: str) -> int:
        """Origin of the removal that took `node`: its own, or that of the nearest thing above it then."""
        while node not in self.removed:
            if node in self.moved:
                node = self.moved[node].parent
            elif node in self.created:
                node = self.created[node].parent
            else:
                node = self._base.ids[self._base.parent[self._base.key_of[node]]]
        return self.removed[node].origin


def _places(base: Graph, target: Graph, trail: _Trail) -> list[Primitive]:
    """Creations, moves and new names."""
    before = np.full(len(target), NO_PARENT, np.int32)
    before[: len(base)] = base.parent
    changed = target.parent != before
    changed[len(base) :] = True
    if target.names is not base.names:
        changed[[key for key in range(len(base)) if target.names[key] != base.names[key]]] = True
    keys = np.flatnonzero(changed & (target.parent >= 0))
    tree = target.tree
    # Siblings are adjacent within a level, so that what goes to one place is one run.
    keys = keys[np.lexsort((tree.pos[keys], tree.depth[keys]))]
    steps: list[Primitive] = []
    for key in keys.tolist():
        node, name, parent = target.ids[key], target.names[key], target.ids[target.parent[key]]
        if key >= len(base):
            steps.append(CreateNode(node, parent, name, target.kind(key), trail.created[node].origin))
            continue
        if target.parent[key] != base.parent[key]:
            steps.append(MoveTo(node, parent, trail.moved[node].origin))
        if name != base.names[key]:
            steps.append(RenameNode(node, name, trail.renamed[node].origin))
    return steps


def _relations(base: Graph, target: Graph, trail: _Trail) -> list[Primitive]:
    """First what is cut, then what is put in."""
    before, after = Draft(base), Draft(target)
    cut: list[Primitive] = []
    put: list[Primitive] = []
    for name, last in sorted(trail.edges.items(), key=lambda item: item[0]):
        was, now = (_edge(draft, name) for draft in (before, after))
        if now is not None and now != was:
            put.append(AddEdge(*name, now.weight, now.confidence, now.when, now.sites, last.origin, last.along))
        elif now is None and was is not None and all(node in target.key_of for node in name[:2]):
            cut.append(CutEdge(*name, last.origin, last.along))
    return cut + put


def _edge(draft: Draft, name: _EdgeName) -> AddEdge | None:
    source, target = draft.find(name[0]), draft.find(name[1])
    return None if source is None or target is None else draft.relation(source, target, name[2])


def _removals(base: Graph, target: Graph, trail: _Trail) -> list[Primitive]:
    gone: npt.NDArray[np.bool_] = target.parent[: len(base)] == REMOVED
    keys = np.flatnonzero(gone & (base.parent >= 0))
    topmost = keys[~gone[base.parent[keys]]]
    ordered = topmost[np.argsort(base.tree.pos[topmost])]
    return [RemoveNode(base.ids[key], trail.removal(base.ids[key])) for key in ordered.tolist()]
