"""Where every node belongs: its file, module, layer and guards, each found from its parent's.

One pass from the top down fills the columns of a whole graph; the same pass renews those of what a step changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.modules import (
    CHILDREN,
    DEPTH,
    LAYERS,
    MEMBERS,
    PACKAGES,
    ModuleChoice,
    ModuleScheme,
    modules_in,
)
from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.rules import Rules

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]

CREATED = -9  # the parent, in the base, of a node that a plan has made
FOLDERS = ("project", "folder", "package")


@dataclass(frozen=True, eq=False)
class Marks:
    """What is so of each node itself, wherever it lies: n nodes.

    modules   what counts as a module
    fine      the root of the modules lies in a file: they may be finer than files
    member    bool[n]: it is a module, where the modules are listed (`ModuleScheme.member`)
    file      bool[n]: it is a file
    folder    bool[n]: it holds files, as a folder or a package does
    apart     bool[n]: it does not count (`ModuleScheme.apart`)
    layer     int32[n]: its number among the layers of the rules, -1 = no layer
    guards    uint64[n, w]: a bit for each node that a rule `deny` names
    home      int32[n]: its parent in the base
    renamed   bool[n]: it has another name than in the base
    """

    modules: ModuleScheme
    fine: bool
    member: Bools
    file: Bools
    folder: Bools
    apart: Bools
    layer: Ints
    guards: Bits
    home: Ints
    renamed: Bools

    def longer(self, more: list[tuple[bool, bool]]) -> Marks:
        """The same with nodes appended that a plan makes: of each, whether it is a file, and whether a folder."""
        if not more:
            return self
        file, folder = np.array(more, np.bool_).T
        blank = np.zeros(len(more), np.bool_)
        return replace(
            self,
            member=np.concatenate((self.member, blank)),
            file=np.concatenate((self.file, file)),
            folder=np.concatenate((self.folder, folder)),
            apart=np.concatenate((self.apart, blank)),
            layer=np.concatenate((self.layer, np.full(len(more), -1, np.int32))),
            guards=np.concatenate((self.guards, np.zeros((len(more), self.guards.shape[1]), np.uint64))),
            home=np.concatenate((self.home, np.full(len(more), CREATED, np.int32))),
            renamed=np.concatenate((self.renamed, blank)),
        )


def marks(base: Graph, graph: Graph, rules: Rules, modules: ModuleScheme) -> Marks:
    """The marks of the nodes of `graph`, to which a plan has led from `base`."""
    n, more = len(graph), len(graph) - len(base)
    root, blank = modules.root, np.zeros(more, np.bool_)
    layer = np.full(n, -1, np.int32)
    for number, node in enumerate(rules.layers):
        if node in graph.key_of:
            layer[graph.key_of[node]] = number
    named = guarded(graph, rules)
    guards = np.zeros((n, (len(named) + 63) // 64), np.uint64)
    for bit, key in enumerate(named):
        guards[key, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
    renamed = np.zeros(n, np.bool_)
    if graph.names is not base.names:
        renamed[: len(base)] = [a != b for a, b in zip(base.names, graph.names, strict=False)]
    file = of_kinds(graph, ("file",))
    return Marks(
        modules,
        any(file[key] for key in (root, *graph.ancestors(root))),
        np.concatenate((modules.member, blank)),
        file,
        of_kinds(graph, FOLDERS),
        np.concatenate((modules.apart, blank)),
        layer,
        guards,
        np.concatenate((base.parent, np.full(more, CREATED, np.int32))),
        renamed,
    )


def guarded(graph: Graph, rules: Rules) -> list[int]:
    """Keys of the nodes that rules `deny` name and that are there; the place of each is its bit in `Marks.guards`."""
    named = dict.fromkeys(node for deny in rules.deny for node in (deny.user, deny.used))
    return [graph.key_of[node] for node in named if node in graph.key_of]


@dataclass(frozen=True, eq=False)
class NodePlaces:
    """What follows for each node from where it lies; -1 and False for nodes that are gone.

    parent     int32[n]: as in the graph
    gone       bool[n]: it, or something above it, was removed
    item       int32[n]: key of the file that it is or lies in, of itself outside files, as `rules.files` has it
    level      int32[n]: levels below the root of the modules; -1 = not in there
    apart      bool[n]: it, or something above it, does not count (`Marks.apart`)
    module     int32[n]: key of its module; -1 = it is in none
    layer      int32[n]: number of the layer it lies in, the inner one
    guards     uint64[n, w]: bits of the nodes named in rules that are, or lie above, it
    anchor     int32[n]: the nearest node, itself included, with another parent or name than in the base; -1 = none
    displaced  bool[n]: it, or something above it, has another parent than in the base
    """

    parent: Ints
    gone: Bools
    item: Ints
    level: Ints
    apart: Bools
    module: Ints
    layer: Ints
    guards: Bits
    anchor: Ints
    displaced: Bools

    def copy(self, more: int = 0) -> NodePlaces:
        """The same to be changed, with room for `more` nodes that are gone."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return NodePlaces(**{name: _longer(column, more, _BLANK[name]) for name, column in columns.items()})

    def settle(self, mark: Marks, keys: npt.NDArray[np.integer[Any]]) -> None:
        """Find anew, in place, the columns of `keys`, a level of the tree: their parents are done."""
        above = self.parent[keys]
        top = above < 0  # the root of all, or removed
        above = np.where(top, 0, above)
        gone = (self.parent[keys] == REMOVED) | (~top & self.gone[above])
        self.gone[keys] = gone

        inside = ~top & mark.file[self.item[above]]  # something above is a file
        self.item[keys] = np.where(gone, -1, np.where(inside, self.item[above], keys))
        level = np.where(~top & (self.level[above] >= 0), self.level[above] + 1, -1)
        level = np.where(gone, -1, np.where(keys == mark.modules.root, 0, level))
        self.level[keys] = level
        apart = mark.apart[keys] | (~top & self.apart[above])
        self.apart[keys] = apart & ~gone

        itself = self._is_module(mark, keys, level, inside)
        module = np.where(itself, keys, np.where((level >= 1) & ~top, self.module[above], -1))
        self.module[keys] = np.where(apart | gone, -1, module)
        inherited = np.where(top, -1, self.layer[above])
        self.layer[keys] = np.where(gone, -1, np.where(mark.layer[keys] >= 0, mark.layer[keys], inherited))
        none = (top | gone)[:, None]
        guards = mark.guards[keys] | np.where(none, np.uint64(0), self.guards[above])
        self.guards[keys] = np.where(gone[:, None], np.uint64(0), guards)

        moved = self.parent[keys] != mark.home[keys]
        anchor = np.where(moved | mark.renamed[keys], keys, np.where(top, -1, self.anchor[above]))
        self.anchor[keys] = np.where(gone, -1, anchor)
        self.displaced[keys] = (moved | (~top & self.displaced[above])) & ~gone

    def _is_module(self, mark: Marks, keys: npt.NDArray[Any], level: npt.NDArray[Any], inside: Bools) -> Bools:
        chosen = mark.modules
        if chosen.by in (CHILDREN, DEPTH):
            itself = (level >= 1) & (level <= chosen.depth)
            return itself if mark.fine else itself & ~inside
        if chosen.by == PACKAGES:
            packages: Bools = (level >= 0) & (mark.folder[keys] | (keys == mark.modules.root))
            return packages
        if chosen.by == MEMBERS:
            members: Bools = (level >= 0) & mark.member[keys]
            return members
        assert chosen.by == LAYERS
        layers: Bools = (level >= 0) & (mark.layer[keys] >= 0)
        return layers


_BLANK: dict[str, Any] = {
    "parent": REMOVED,
    "gone": True,
    "item": -1,
    "level": -1,
    "apart": False,
    "module": -1,
    "layer": -1,
    "guards": 0,
    "anchor": -1,
    "displaced": False,
}


def _longer(column: npt.NDArray[Any], more: int, blank: Any) -> npt.NDArray[Any]:
    if not more:
        return column.copy()
    return np.concatenate((column, np.full((more, *column.shape[1:]), blank, column.dtype)))


def places(graph: Graph, mark: Marks) -> NodePlaces:
    """The places of all nodes of a graph."""
    n, depth = len(graph), graph.tree.depth
    blank = {
        name: np.full((n, mark.guards.shape[1]) if name == "guards" else n, value, _DTYPES[name])
        for name, value in _BLANK.items()
    }
    result = NodePlaces(**{**blank, "parent": graph.parent.copy()})
    by_depth = np.argsort(depth, kind="stable")
    by_depth = by_depth[np.searchsorted(depth[by_depth], 0) :]
    for keys in np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1):
        result.settle(mark, keys)
    return result


def module_column(base: Graph, graph: Graph, rules: Rules, choice: ModuleChoice, root: int) -> Ints:
    """int32[n]: key of the module of each node of `graph`, to which a plan has led from `base`; -1 = it is in none.

    root   key of the restricted root
    """
    return places(graph, marks(base, graph, rules, modules_in(base, choice, root))).module


_DTYPES: dict[str, npt.DTypeLike] = {
    name: np.bool_ if isinstance(value, bool) else np.uint64 if name == "guards" else np.int32
    for name, value in _BLANK.items()
}


def levels(parent: Ints, keys: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """`keys` in the order in which they can be settled: those whose parents are not among the ones to come."""
    waiting = np.zeros(len(parent), np.bool_)
    waiting[keys] = True
    while len(keys):
        above = parent[keys]
        ready = (above < 0) | ~waiting[np.maximum(above, 0)]
        assert ready.any(), "a tree has no cycle"
        yield keys[ready]
        waiting[keys[ready]] = False
        keys = keys[~ready]
