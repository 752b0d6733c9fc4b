"""Building a graph node by node and relation by relation; columns are frozen once, at the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cbvtool.graph.graph import Confidence, Edges, Graph, Report, When
from cbvtool.graph.tree import NO_PARENT


@dataclass
class _Relation:
    weight: float
    confidence: int
    when: int
    sites: list[tuple[int, int]]


class GraphBuilder:
    """Collects nodes and relations; `freeze` makes the Graph.

    The root is made by the constructor: its id is the empty string, its kind `project`.
    """

    def __init__(self, name: str, root_kind: str = "project") -> None:
        self.name = name
        self._kinds: dict[str, int] = {}
        self._edge_kinds: dict[str, int] = {}
        self._files: dict[str, int] = {}
        self._key: dict[str, int] = {}
        self._names: list[str] = []
        self._kind: list[int] = []
        self._parent: list[int] = []
        self._place: list[tuple[int, int, int]] = []
        self._values: dict[str, dict[int, float]] = defaultdict(dict)
        self._relations: dict[tuple[int, int, int], _Relation] = {}
        self._add("", name, root_kind, NO_PARENT, None, 0, 0)

    def __contains__(self, node: str) -> bool:
        return node in self._key

    def __len__(self) -> int:
        return len(self._names)

    def key(self, node: str) -> int:
        """Key of the node with id `node`; KeyError if there is none."""
        return self._key[node]

    def add_node(
        self,
        node: str,
        parent: str,
        name: str,
        kind: str,
        *,
        file: str | None = None,
        line: int = 0,
        end_line: int = 0,
        values: Mapping[str, float] | None = None,
    ) -> int:
        """Add a node below `parent` (an id already added) and return its key.

        An id that is taken gets `#2`, `#3`, ... in the order of adding.
        """
        above = self._key[parent]
        if node in self._key:
            number = 2
            while f"{node}#{number}" in self._key:
                number += 1
            node = f"{node}#{number}"
        key = self._add(node, name, kind, above, file, line, end_line)
        for metric, value in (values or {}).items():
            self._values[metric][key] = value
        return key

    def measure(self, key: int, metric: str, value: float) -> None:
        """Give the node `key` one more measured value of its own."""
        self._values[metric][key] = value

    def add_edge(
        self,
        source: int,
        target: int,
        kind: str,
        *,
        weight: float = 1.0,
        confidence: int = Confidence.EXACT,
        when: int = When.ALWAYS,
        sites: Iterable[tuple[str, int]] = (),
    ) -> None:
        """Add a relation between two keys.

        If the graph already has one with these ends and this kind, that one gains the weight and the sites, and keeps
        the surer confidence and the smaller `when`.
        """
        places = [(self._number(self._files, file), line) for file, line in sites]
        row = (source, target, self._number(self._edge_kinds, kind))
        known = self._relations.get(row)
        if known is None:
            self._relations[row] = _Relation(weight, int(confidence), int(when), places)
            return
        known.weight += weight
        known.confidence = min(known.confidence, int(confidence))
        known.when = min(known.when, int(when))
        known.sites += places

    def file_number(self, path: str) -> int:
        """Index of `path` in the graph's files, where it is added if it is not there yet."""
        return self._number(self._files, path)

    def freeze(self, report: Report | None = None, edges: Edges | None = None) -> Graph:
        """The graph built so far. `edges`, if given, takes the place of the relations that were added here."""
        count = len(self._names)
        values = {}
        for metric, measured in self._values.items():
            column = np.full(count, np.nan)
            column[list(measured)] = list(measured.values())
            values[metric] = column
        place = np.array(self._place, np.int32).reshape(count, 3)
        return Graph(
            name=self.name,
            ids=tuple(self._key),
            names=tuple(self._names),
            kinds=np.array(self._kind, np.int16),
            kind_names=tuple(self._kinds),
            parent=np.array(self._parent, np.int32),
            file=place[:, 0],
            line=place[:, 1],
            end_line=place[:, 2],
            files=tuple(self._files),
            values=values,
            edges=self._edges() if edges is None else edges,
            report=report or Report(),
        )

    def _edges(self) -> Edges:
        ends = np.array(list(self._relations), np.int32).reshape(-1, 3)
        relations = list(self._relations.values())
        sites = np.array([site for r in relations for site in r.sites], np.int32).reshape(-1, 2)
        ptr = np.concatenate(([0], np.cumsum([len(r.sites) for r in relations], dtype=np.int64)))
        return Edges(
            ends[:, 0],
            ends[:, 1],
            ends[:, 2].astype(np.int16),
            np.array([r.weight for r in relations], np.float32),
            np.array([r.confidence for r in relations], np.uint8),
            np.array([r.when for r in relations], np.uint8),
            ptr,
            sites[:, 0],
            sites[:, 1],
            tuple(self._edge_kinds),
        )

    def _add(self, node: str, name: str, kind: str, parent: int, file: str | None, line: int, end: int) -> int:
        key = len(self._names)
        self._key[node] = key
        self._names.append(name)
        self._kind.append(self._number(self._kinds, kind))
        self._parent.append(parent)
        self._place.append((-1 if file is None else self._number(self._files, file), line, end))
        return key

    @staticmethod
    def _number(table: dict[str, int], name: str) -> int:
        return table.setdefault(name, len(table))
