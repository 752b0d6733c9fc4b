"""Which import sites a compressed plan makes wrong, and which change is the cause, by the graph alone.

An import names its target absolutely (by the path from the root) or relative to the importing file; the graph
does not say which. So a site falls under one of these, whichever way it is written:

- the target's path changes, and so does the way from the importer to it: the site **must change**;
- the target's path changes, but the importer moves along (both lie in a moved folder): only an absolute import
  must change;
- only the importer moves away from its target: only a relative import must change (its own imports);
- a class or function leaves the imported file, or is renamed in it: the site must change if it names that one.

The last three are counted apart, as sites **to check**. What is removed, or cut by a split, must change. Where the
relation itself is a guess, the site is to check as well: it may mean something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph
from cbvtool.graph.graph import frozen
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.plan.place import file_of
from cbvtool.plan.primitives import CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.sites.planned import nearest_causes

# Relations whose sites spell out where their target lies.
NAMING_KINDS = frozenset({"import", "include", "copy"})


class Effect(IntEnum):
    """What a plan does to the sites of a relation."""

    NONE = 0
    CHANGE = 1
    CHECK_IF_ABSOLUTE = 2
    CHECK_IF_RELATIVE = 3
    CHECK_IF_NAMED = 4
    CHECK_IF_MEANT = 5


@dataclass(frozen=True, eq=False)
class Impact:
    """k entries, in the order of relations: what happens to the sites of a relation, and whose doing it is.

    row      int32[k]  row of the relation in the base
    effect   uint8[k]  an `Effect`
    cause    int32[k]  index of the primitive that is the cause

    What lies where has one cause for each relation, so that tasks can be added up: the primitive that moved,
    renamed or removed the nearest thing at or above the end that changed. Beside that entry a relation may have
    others, CHECK_IF_NAMED, one for each part that leaves the imported file.
    """

    row: npt.NDArray[np.int32]
    effect: npt.NDArray[np.uint8]
    cause: npt.NDArray[np.int32]


def impact(base: Graph, target: Graph, primitives: Sequence[Primitive]) -> Impact:
    """The impact of `primitives`, a compressed plan that leads from `base` to `target`."""
    edges = base.edges
    effect = np.zeros(len(edges), np.uint8)
    cause = np.full(len(edges), -1, np.int32)
    changed, removed = nearest_causes(base, target, primitives)
    there = target.parent[: len(base)] != REMOVED
    names = np.array([kind in NAMING_KINDS for kind in edges.kind_names], np.bool_)
    naming = names[edges.kind] if len(names) else np.zeros(len(edges), np.bool_)
    stays = there[edges.source] & (edges.source != edges.target)

    lost = naming & stays & ~there[edges.target]
    effect[lost], cause[lost] = Effect.CHANGE, removed[edges.target[lost]]
    for number, primitive in enumerate(primitives):
        if isinstance(primitive, CutEdge):
            rows = _rows(base, primitive)
            effect[rows], cause[rows] = Effect.CHANGE, number

    outside = of_kinds(base, (EXTERNAL,))  # an import of a package outside is the same from everywhere
    near_source, near_target = changed[edges.source], changed[edges.target]
    open_rows = naming & stays & there[edges.target] & (cause < 0)
    before, after = _Paths(base), _Paths(target)
    for row in np.flatnonzero(open_rows & ((near_source >= 0) | (near_target >= 0))).tolist():
        source, used = int(edges.source[row]), int(edges.target[row])
        relative_holds = _relative_import_holds(before, after, source, used)
        if before.of(used) != after.of(used):
            effect[row] = Effect.CHECK_IF_ABSOLUTE if relative_holds else Effect.CHANGE
            cause[row] = near_target[row]
        elif not relative_holds and not outside[used]:
            effect[row], cause[row] = Effect.CHECK_IF_RELATIVE, near_source[row]

    effect[(effect == Effect.CHANGE) & (edges.confidence == Confidence.GUESS)] = Effect.CHECK_IF_MEANT
    found = np.flatnonzero(cause >= 0)
    entries = [(found, effect[found], cause[found])]
    for index, file in _files_that_lose_parts(base, target, primitives).items():
        told = (effect == Effect.CHANGE) | (effect == Effect.CHECK_IF_MEANT)
        users = np.flatnonzero(naming & stays & (edges.target == file) & ~told)
        entries.append((users, np.full(len(users), Effect.CHECK_IF_NAMED, np.uint8), np.full(len(users), index)))
    touched, effects, causes = (np.concatenate(column) for column in zip(*entries, strict=True))
    order = np.argsort(touched, kind="stable")
    return Impact(frozen(touched[order], np.int32), frozen(effects[order], np.uint8), frozen(causes[order], np.int32))


class _Paths:
    """Paths of nodes, as names from below the root on; each found once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, tuple[str, ...]] = {}

    def of(self, key: int) -> tuple[str, ...]:
        """The path of `key`; empty for the root."""
        path = self._known.get(key)
        if path is None:
            parent = int(self._graph.parent[key])
            path = () if parent < 0 else (*self.of(parent), self._graph.names[key])
            self._known[key] = path
        return path

    def folder(self, key: int) -> tuple[str, ...]:
        """The path of what holds the file that `key` is or lies in."""
        file = file_of(self._graph, key)
        return self.of(key if file < 0 else file)[:-1]


def _relative_import_holds(before: _Paths, after: _Paths, source: int, target: int) -> bool:
    """Whether an import that says "so many folders up, and these names down" leads from `source` to `target` still."""
    folder, path = before.folder(source), before.of(target)
    shared = 0
    while shared < min(len(folder), len(path)) and folder[shared] == path[shared]:
        shared += 1
    up, down = len(folder) - shared, path[shared:]
    start = after.folder(source)
    return len(start) >= up and start[: len(start) - up] + down == after.of(target)


def _rows(base: Graph, cut: CutEdge) -> npt.NDArray[np.intp]:
    edges = base.edges
    kind = edges.kind_names.index(cut.kind)
    ends = (edges.source == base.key_of[cut.source]) & (edges.target == base.key_of[cut.target])
    return np.flatnonzero(ends & (edges.kind == kind))


def _files_that_lose_parts(base: Graph, target: Graph, primitives: Sequence[Primitive]) -> dict[int, int]:
    """Each primitive that moves or removes a class or function out of a file, or renames it -> key of that file."""
    found: dict[int, int] = {}
    for index, primitive in enumerate(primitives):
        if isinstance(primitive, MoveTo | RenameNode | RemoveNode) and primitive.node in base.key_of:
            key = base.key_of[primitive.node]
            file = file_of(base, key)
            stays = isinstance(primitive, MoveTo) and file_of(target, key) == file
            if file not in (-1, key) and target.parent[file] != REMOVED and not stays:
                found[index] = file
    return found
