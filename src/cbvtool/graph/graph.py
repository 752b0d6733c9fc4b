"""The compound graph S = (H, R): a rooted tree of software entities and weighted relations on it.

Everything is a frozen column. A node is named by its int32 *key*, the row it has in the base graph; a key
never changes, not even when a plan moves the node, so edges, sites, measured values and selections are
never permuted. Where a node stands in the tree is a derived index (see `tree.TreeIndex`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph.tree import NO_PARENT, REMOVED, TreeIndex, index_tree

IntColumn = npt.NDArray[np.int32]
SmallColumn = npt.NDArray[np.int16]
ByteColumn = npt.NDArray[np.uint8]
FloatColumn = npt.NDArray[np.float64]

# The order in which kinds stand among siblings: containers before contents. Kinds are an open set;
# one that is not listed here comes after these, by name.
KIND_ORDER = (
    "project",
    "folder",
    "package",
    "file",
    "namespace",
    "program",
    "class",
    "interface",
    "struct",
    "union",
    "enum",
    "trait",
    "object",
    "module",
    "extension",
    "type",
    "function",
    "section",
    "paragraph",
    "external",
)
EXTERNAL = "external"  # kind of things that the project uses but does not contain; all are below one top-level node
CALLABLE = ("function",)  # kinds of nodes that have parameters


class Confidence(IntEnum):
    """How sure a relation is."""

    EXACT = 0
    RESOLVED = 1
    GUESS = 2


class When(IntEnum):
    """When a relation takes effect: always, only once a function runs, or only for a type checker."""

    ALWAYS = 0
    DEFERRED = 1
    TYPE_CHECKING = 2


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A read-only array of `dtype`; an array that is already both is returned as it is."""
    if isinstance(values, np.ndarray) and values.dtype == dtype and not values.flags.writeable:
        return values
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Edges:
    """Directed relations as columns; row e runs from the dependant `source[e]` to the dependency `target[e]`.

    Sites are CSR: those of edge e are rows `site_ptr[e]:site_ptr[e + 1]` of `site_file` (index into
    `Graph.files`) and `site_line` (1-based). At most one edge stands for each (source, target, kind).
    """

    source: IntColumn
    target: IntColumn
    kind: SmallColumn
    weight: npt.NDArray[np.float32]
    confidence: ByteColumn
    when: ByteColumn
    site_ptr: npt.NDArray[np.int64]
    site_file: IntColumn
    site_line: IntColumn
    kind_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, dtype in _EDGE_DTYPES.items():
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))
        rows = len(self.source)
        for name in ("target", "kind", "weight", "confidence", "when"):
            if len(getattr(self, name)) != rows:
                raise ValueError(f"edge column {name!r} has {len(getattr(self, name))} rows, not {rows}")
        if len(self.site_ptr) != rows + 1 or self.site_ptr[-1] != len(self.site_file):
            raise ValueError("edge sites do not fit the edges")

    def __len__(self) -> int:
        return len(self.source)

    def sites(self, edge: int) -> list[tuple[int, int]]:
        """(file index, line) of every place in the source where edge row `edge` stands."""
        rows = slice(int(self.site_ptr[edge]), int(self.site_ptr[edge + 1]))
        return list(zip(self.site_file[rows].tolist(), self.site_line[rows].tolist(), strict=True))

    def take(self, rows: npt.NDArray[Any]) -> Edges:
        """The edges of `rows` (indices or mask), in that order, with their sites."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        counts = np.diff(self.site_ptr)[rows]
        ptr = np.concatenate(([0], np.cumsum(counts)))
        picked = np.repeat(self.site_ptr[rows] - ptr[:-1], counts) + np.arange(ptr[-1])
        return Edges(
            self.source[rows],
            self.target[rows],
            self.kind[rows],
            self.weight[rows],
            self.confidence[rows],
            self.when[rows],
            ptr,
            self.site_file[picked],
            self.site_line[picked],
            self.kind_names,
        )

    def with_more(
        self,
        source: npt.NDArray[Any],
        target: npt.NDArray[Any],
        kind: npt.NDArray[Any],
        kinds: Sequence[str],
        weight: npt.NDArray[Any],
        when: When,
    ) -> Edges:
        """These edges and k more behind them, exact and without sites. kind: int[k], rows of `kinds`."""
        names = (*self.kind_names, *(name for name in dict.fromkeys(kinds) if name not in self.kind_names))
        row = np.array([names.index(name) for name in kinds], np.int64)
        more = len(source)
        return Edges(
            np.concatenate((self.source, source)),
            np.concatenate((self.target, target)),
            np.concatenate((self.kind, row[kind] if more else np.empty(0, np.int64))),
            np.concatenate((self.weight, weight)),
            np.concatenate((self.confidence, np.full(more, int(Confidence.EXACT)))),
            np.concatenate((self.when, np.full(more, int(when)))),
            np.concatenate((self.site_ptr, np.full(more, self.site_ptr[-1]))),
            self.site_file,
            self.site_line,
            names,
        )

    @staticmethod
    def empty() -> Edges:
        """No edges at all."""
        none: Any = np.empty(0)  # given its type by the constructor
        return Edges(none, none, none, none, none, none, np.zeros(1, np.int64), none, none)


_EDGE_DTYPES: dict[str, npt.DTypeLike] = {
    "source": np.int32,
    "target": np.int32,
    "kind": np.int16,
    "weight": np.float32,
    "confidence": np.uint8,
    "when": np.uint8,
    "site_ptr": np.int64,
    "site_file": np.int32,
    "site_line": np.int32,
}


@dataclass(frozen=True)
class Skipped:
    """One file that analysis left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class LanguageShare:
    """How much was read in one language.

    files           number of files
    with_errors     number of these files that have syntax errors
    lines           number of lines
    lost_lines      number of these lines that the parser did not understand
    lost_to_macros  number of the lost lines on which macros or preprocessor directives stand
    """

    name: str
    files: int
    with_errors: int = 0
    lines: int = 0
    lost_lines: int = 0
    lost_to_macros: int = 0


@dataclass(frozen=True)
class Configuration:
    """One way in which the code is put to use: its name, and patterns of everything that is used from outside in it."""

    name: str
    entry_points: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What an analysis read and left out, and what the user configured for it.

    files         number of files read
    skipped       those left out
    parse_errors  paths of those with syntax errors
    notes         sentences about anything else
    languages     the files read by language, most files first
    entry_points  patterns (as in a .gitignore) of files that are used from outside, as the user configured them
    lost_lines    number of lines not understood in each of `parse_errors`; empty = not known
    configurations  ways in which the code is put to use, as the user configured them
    """

    files: int = 0
    skipped: tuple[Skipped, ...] = ()
    parse_errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    languages: tuple[LanguageShare, ...] = ()
    entry_points: tuple[str, ...] = ()
    lost_lines: tuple[int, ...] = ()
    configurations: tuple[Configuration, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A compound graph of n nodes.

    name        what the root is called
    ids         str[n]    identity in files and operations: `src/a/b.py`, `src/a/b.py::Class.method`
    names       str[n]    label
    kinds       int16[n]  index into `kind_names`
    parent      int32[n]  key of the parent; `NO_PARENT` for the root, `REMOVED` for a removed node
    file        int32[n]  index into `files`, -1 = none; `line`, `end_line` 1-based, 0 = none
    values      name -> float64[n], measured **on the node itself**; NaN = not measured
    """

    name: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    kinds: SmallColumn
    kind_names: tuple[str, ...]
    parent: IntColumn
    file: IntColumn
    line: IntColumn
    end_line: IntColumn
    files: tuple[str, ...] = ()
    values: Mapping[str, FloatColumn] = field(default_factory=dict)
    edges: Edges = field(default_factory=Edges.empty)
    report: Report = Report()

    def __repr__(self) -> str:
        return f"Graph({self.name}: {len(self.ids):,} nodes, {len(self.edges):,} relations)"

    def __post_init__(self) -> None:
        for name, dtype in _NODE_DTYPES.items():
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))
        values = {name: frozen(column, np.float64) for name, column in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(values))
        columns = {"names": self.names, **{name: getattr(self, name) for name in _NODE_DTYPES}, **values}
        for name, column in columns.items():
            if len(column) != len(self.ids):
                raise ValueError(f"node column {name!r} has {len(column)} rows, not {len(self.ids)}")

    def __len__(self) -> int:
        """Number of keys, removed nodes included."""
        return len(self.ids)

    @cached_property
    def tree(self) -> TreeIndex:
        """Depth-first preorder of the nodes that are there, built once per graph."""
        return index_tree(self.parent, self.sibling_rank)

    @cached_property
    def sibling_rank(self) -> IntColumn:
        """int32[n]: the canonical order of siblings (kind, name, id) as one number."""
        rank = {name: i for i, name in enumerate(KIND_ORDER)}
        by_name = {name: i for i, name in enumerate(sorted(set(self.kind_names)))}
        kind_rank = [rank.get(name, len(rank) + by_name[name]) for name in self.kind_names]
        rows = list(zip(np.array(kind_rank)[self.kinds].tolist(), self.names, self.ids, strict=True))
        keys = sorted(range(len(rows)), key=rows.__getitem__)
        result = np.empty(len(self.ids), np.int32)
        result[keys] = np.arange(len(self.ids), dtype=np.int32)
        return result

    @cached_property
    def key_of(self) -> Mapping[str, int]:
        """Node id -> key; removed nodes are left out."""
        alive = self.parent != REMOVED
        return MappingProxyType({node: key for key, node in enumerate(self.ids) if alive[key]})

    @property
    def root(self) -> int:
        """Key of the root."""
        return int(self.tree.order[0])

    def kind(self, key: int) -> str:
        """Name of the kind of node `key`."""
        return self.kind_names[int(self.kinds[key])]

    def is_below(self, key: int, ancestor: int) -> bool:
        """Whether `key` is in the subtree of `ancestor` (a node is in its own)."""
        return self.tree.is_below(key, ancestor)

    def children(self, key: int) -> IntColumn:
        """Keys of the children of `key` in canonical order."""
        return self.tree.children(key)

    def subtree(self, key: int) -> IntColumn:
        """Keys of the subtree of `key`, itself first, in preorder."""
        return self.tree.order[self.tree.pos[key] : self.tree.end[key]]

    def ancestors(self, key: int) -> list[int]:
        """Keys from the parent of `key` up to the root."""
        found = []
        while (key := int(self.parent[key])) != NO_PARENT:
            found.append(key)
        return found

    def path(self, key: int) -> str:
        """Names from below the root down to `key`, joined by ' > ' (for people, not an identity)."""
        keys = [key, *self.ancestors(key)][::-1]
        return " > ".join(self.names[k] for k in (keys[1:] or keys))

    def with_(self, **changes: Any) -> Graph:
        """The same graph with some columns replaced; derived indexes that still hold are carried over."""
        result = replace(self, **changes)
        if "sibling_rank" in self.__dict__ and not changes.keys() & {"ids", "names", "kinds", "kind_names"}:
            result.__dict__["sibling_rank"] = self.sibling_rank
            if "tree" in self.__dict__ and "parent" not in changes:
                result.__dict__["tree"] = self.tree
        return result


_NODE_DTYPES: dict[str, npt.DTypeLike] = {
    "kinds": np.int16,
    "parent": np.int32,
    "file": np.int32,
    "line": np.int32,
    "end_line": np.int32,
}
