"""A graph that is being changed: a parent column and what differs from the base; frozen once, at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import NO_PARENT, REMOVED, Edges, Graph
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.rank import carried_rank

Mask = npt.NDArray[np.bool_]
_EdgeKey = tuple[int, int, str]


class Draft:
    """Takes primitives one by one and gives the changed graph.

    No preorder is kept: a removed node is marked alone, "is below" walks up the parents, and the relations that
    end in something removed are dropped when the graph is frozen. So one move costs microseconds, whatever
    the size of the graph.
    """

    def __init__(self, base: Graph) -> None:
        self.base = base
        self._count = len(base)
        self._parent = base.parent.copy()
        self._created: list[CreateNode] = []
        self._created_key: dict[str, int] = {}
        self._renamed: dict[int, str] = {}
        self._edges: dict[_EdgeKey, AddEdge | None] = {}
        self._row_of: dict[_EdgeKey, int] | None = None

    # -- asking

    @property
    def parent(self) -> npt.NDArray[np.int32]:
        """int32[n]: the parents as they are now; only the topmost node of a removed subtree is marked."""
        return self._parent[: self._count]

    def find(self, node: str) -> int | None:
        """Key of the node with id `node`; None if there is none (any more)."""
        key = self._created_key.get(node)
        if key is None:
            key = self.base.key_of.get(node)
        return key if key is not None and self._is_there(key) else None

    def is_taken(self, node: str) -> bool:
        """Whether this id is, or ever was, that of a node; ids are never used twice."""
        if node in self._created_key or node in self.base.key_of:
            return True
        return any(self.base.ids[key] == node for key in np.flatnonzero(self.base.parent == REMOVED).tolist())

    def id(self, key: int) -> str:
        """Id of node `key`."""
        return self.base.ids[key] if key < len(self.base) else self._created[key - len(self.base)].node

    def name(self, key: int) -> str:
        """Name of node `key`, as it is now."""
        if key in self._renamed:
            return self._renamed[key]
        return self.base.names[key] if key < len(self.base) else self._created[key - len(self.base)].name

    def kind(self, key: int) -> str:
        """Kind of node `key`."""
        return self.base.kind(key) if key < len(self.base) else self._created[key - len(self.base)].kind

    def parent_of(self, key: int) -> int:
        """Key of the parent, or NO_PARENT or REMOVED."""
        return int(self._parent[key])

    def upward(self, key: int) -> Iterator[int]:
        """`key` itself, then its ancestors, nearest first."""
        while key >= 0:
            yield key
            key = int(self._parent[key])

    def is_below(self, key: int, ancestor: int) -> bool:
        """Whether `key` lies in the subtree of `ancestor`, itself included."""
        return any(above == ancestor for above in self.upward(key))

    def children(self, key: int) -> list[int]:
        """Keys of the children of `key`, in the order of keys."""
        return [int(child) for child in np.flatnonzero(self.parent == key)]

    def subtree(self, key: int) -> Mask:
        """bool[n]: which nodes lie in the subtree of `key`, itself included."""
        inside = np.zeros(self._count, np.bool_)
        inside[key] = True
        return self._spread(inside)

    def relation(self, source: int, target: int, kind: str) -> AddEdge | None:
        """The relation that stands between two keys now."""
        key = (source, target, kind)
        if key in self._edges:
            return self._edges[key]
        row = self._rows().get(key)
        return None if row is None else self._base_edge(row)

    def standing(self, source: int, target: int, kind: str) -> AddEdge | None:
        """The same as `relation`, for a few of them: without an index of all."""
        key = (source, target, kind)
        return self._edges[key] if key in self._edges else self.in_base(*key)

    def in_base(self, source: int, target: int, kind: str) -> AddEdge | None:
        """The relation that the base has between two keys."""
        edges = self.base.edges
        rows = np.flatnonzero((edges.source == source) & (edges.target == target)).tolist()
        return next((self._base_edge(row) for row in rows if edges.kind_names[edges.kind[row]] == kind), None)

    def relations(self, sources: Mask, targets: Mask) -> list[tuple[int, int, AddEdge]]:
        """(source key, target key, relation) of all that run from `sources` to `targets` (bool[n] each)."""
        edges = self.base.edges
        rows = np.flatnonzero(sources[edges.source] & targets[edges.target])
        found = []
        for row in rows.tolist():
            source, target = int(edges.source[row]), int(edges.target[row])
            if (source, target, edges.kind_names[edges.kind[row]]) not in self._edges and self._both(source, target):
                found.append((source, target, self._base_edge(row)))
        for (source, target, _), edge in self._edges.items():
            if edge is not None and sources[source] and targets[target] and self._both(source, target):
                found.append((source, target, edge))
        return found

    # -- changing

    def apply(self, primitive: Primitive) -> None:
        """Change the draft. Raises ValueError for a primitive that does not fit it as it is now."""
        match primitive:
            case MoveTo(node, parent):
                key, above = self._must(node), self._must(parent)
                if self.parent_of(key) == NO_PARENT or self.is_below(above, key):
                    raise ValueError(f"{primitive}: no tree would be left")
                self._parent[key] = above
            case CreateNode(node, parent):
                if self.is_taken(node):
                    raise ValueError(f"{primitive}: the id is taken")
                self._append(primitive, self._must(parent))
            case RemoveNode(node):
                key = self._must(node)
                if self.parent_of(key) == NO_PARENT:
                    raise ValueError(f"{primitive}: the root stays")
                self._parent[key] = REMOVED
            case RenameNode(node, name):
                self._renamed[self._must(node)] = name
            case AddEdge(source, target, kind):
                self._edges[self._must(source), self._must(target), kind] = primitive
            case CutEdge(source, target, kind):
                ends = self._must(source), self._must(target)
                if self.relation(*ends, kind) is None:
                    raise ValueError(f"{primitive}: there is no such relation")
                self._edges[*ends, kind] = None
            case _:
                assert_never(primitive)

    def freeze(self) -> Graph:
        """The changed graph; the base itself if nothing was done. Keys of the base hold in it."""
        base = self.base
        parent = self._closed()
        changes: dict[str, object] = {}
        if len(parent) != len(base) or not np.array_equal(parent, base.parent):
            changes["parent"] = parent
        if self._created:
            changes |= self._longer_columns()
        if self._created or self._renamed:
            names = [*base.names, *(node.name for node in self._created)]
            for key, name in self._renamed.items():
                names[key] = name
            changes["names"] = tuple(names)
        edges, files = self._frozen_edges(parent)
        if edges is not base.edges:
            changes |= {"edges": edges, "files": files}
        if not changes:
            return base
        graph = base.with_(**changes)
        self._carry(graph)
        return graph

    # -- inside

    def _must(self, node: str) -> int:
        key = self.find(node)
        if key is None:
            raise ValueError(f"there is no node {node!r}")
        return key

    def _is_there(self, key: int) -> bool:
        while key >= 0:
            key = int(self._parent[key])
        return key == NO_PARENT

    def _both(self, source: int, target: int) -> bool:
        return self._is_there(source) and self._is_there(target)

    def _append(self, node: CreateNode, parent: int) -> None:
        if self._count == len(self._parent):
            self._parent = np.concatenate((self._parent, np.full(max(64, self._count // 8), REMOVED, np.int32)))
        self._parent[self._count] = parent
        self._created_key[node.node] = self._count
        self._created.append(node)
        self._count += 1

    def _spread(self, marked: Mask) -> Mask:
        """Mark everything below what is marked; one pass per level."""
        inner = np.flatnonzero(self.parent >= 0)
        above = self.parent[inner]
        while True:
            more = marked[above] & ~marked[inner]
            if not more.any():
                return marked
            marked[inner[more]] = True

    def _closed(self) -> npt.NDArray[np.int32]:
        parent = self.parent.copy()
        removed = parent == REMOVED
        if removed.any():
            parent[self._spread(removed)] = REMOVED
        parent.flags.writeable = False
        return parent

    def _rows(self) -> dict[_EdgeKey, int]:
        if self._row_of is None:
            edges = self.base.edges
            kinds = [edges.kind_names[kind] for kind in edges.kind.tolist()]
            ends = zip(edges.source.tolist(), edges.target.tolist(), kinds, strict=True)
            self._row_of = {key: row for row, key in enumerate(ends)}
        return self._row_of

    def _base_edge(self, row: int) -> AddEdge:
        edges, files = self.base.edges, self.base.files
        return AddEdge(
            self.base.ids[edges.source[row]],
            self.base.ids[edges.target[row]],
            edges.kind_names[edges.kind[row]],
            float(edges.weight[row]),
            int(edges.confidence[row]),
            int(edges.when[row]),
            tuple((files[file], line) for file, line in edges.sites(row)),
        )

    def _longer_columns(self) -> dict[str, object]:
        base, more = self.base, len(self._created)
        kinds = {name: number for number, name in enumerate(base.kind_names)}
        own = [kinds.setdefault(node.kind, len(kinds)) for node in self._created]
        return {
            "ids": (*base.ids, *(node.node for node in self._created)),
            "kinds": np.concatenate((base.kinds, np.array(own, np.int16))),
            "kind_names": tuple(kinds),
            "file": np.concatenate((base.file, np.full(more, -1, np.int32))),
            "line": np.concatenate((base.line, np.zeros(more, np.int32))),
            "end_line": np.concatenate((base.end_line, np.zeros(more, np.int32))),
            "values": {name: np.concatenate((column, np.full(more, np.nan))) for name, column in base.values.items()},
        }

    def _frozen_edges(self, parent: npt.NDArray[np.int32]) -> tuple[Edges, tuple[str, ...]]:
        edges, files = self.base.edges, self.base.files
        there = parent != REMOVED
        keep = there[edges.source] & there[edges.target]
        added = []
        for key, edge in self._edges.items():
            row = self._rows().get(key)
            if row is not None:
                keep[row] = False
            if edge is not None and there[key[0]] and there[key[1]]:
                added.append((key, edge))
        kept = edges if keep.all() else edges.take(keep)
        if not added:
            return kept, files
        kind_of = {name: number for number, name in enumerate(edges.kind_names)}
        file_of = {name: number for number, name in enumerate(files)}
        kinds = [kind_of.setdefault(key[2], len(kind_of)) for key, _ in added]
        sites = [(file_of.setdefault(file, len(file_of)), line) for _, edge in added for file, line in edge.sites]
        places = np.array(sites, np.int32).reshape(-1, 2)
        ends = kept.site_ptr[-1] + np.cumsum([len(edge.sites) for _, edge in added])
        joined = Edges(
            np.concatenate((kept.source, [key[0] for key, _ in added])),
            np.concatenate((kept.target, [key[1] for key, _ in added])),
            np.concatenate((kept.kind, kinds)),
            np.concatenate((kept.weight, [edge.weight for _, edge in added])),
            np.concatenate((kept.confidence, [edge.confidence for _, edge in added])),
            np.concatenate((kept.when, [edge.when for _, edge in added])),
            np.concatenate((kept.site_ptr, ends)),
            np.concatenate((kept.site_file, places[:, 0])),
            np.concatenate((kept.site_line, places[:, 1])),
            tuple(kind_of),
        )
        return joined, tuple(file_of)

    def _carry(self, graph: Graph) -> None:
        """Hand over the derived indexes that are slow to build anew: sorting and hashing 100,000 strings."""
        base = self.base
        if "sibling_rank" not in graph.__dict__:
            graph.__dict__["sibling_rank"] = carried_rank(base, graph, list(self._renamed))
        if np.array_equal(base.parent == REMOVED, graph.parent == REMOVED):
            graph.__dict__["key_of"] = base.key_of
