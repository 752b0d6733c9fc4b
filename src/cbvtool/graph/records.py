"""The graph as rows with ids and names in place of keys and numbers, for imports, exports and comparisons."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from cbvtool.graph.graph import Confidence, Edges, Graph, Report, When
from cbvtool.graph.tree import NO_PARENT

CONFIDENCE = {member: member.name.lower() for member in Confidence}  # exact, resolved, guess
WHEN = {member: member.name.lower().replace("_", "-") for member in When}  # always, deferred, type-checking

MOST_KINDS = 2**15 - 1  # kinds of nodes, and kinds of relations: the columns are int16
MOST_CELLS = 64_000_000  # measured values, gaps included: a small file could ask for a column for each of its nodes
MOST_LEVELS = 4_000  # levels of the hierarchy: more than a path can have
_SHOWN = 80  # characters of an id in a message
_ROWS = 4096  # number of rows whose values are read from the columns at once

_CONFIDENCE_OF = {text: int(member) for member, text in CONFIDENCE.items()}
_WHEN_OF = {text: int(member) for member, text in WHEN.items()}


class NodeRecord(TypedDict):
    """A node.

    `parent` is None for the root; without a file, `file` is None and lines are 0; `metrics` lack unmeasured values.
    """

    id: str
    parent: str | None
    name: str
    kind: str
    file: str | None
    line: int
    end_line: int
    metrics: dict[str, float]


class EdgeRecord(TypedDict):
    """A relation from the dependant `source` to the dependency `target`; each site is (path, line)."""

    source: str
    target: str
    kind: str
    weight: float
    confidence: str
    when: str
    sites: list[tuple[str, int]]


def node_records(graph: Graph) -> Iterator[NodeRecord]:
    """The nodes that are there, in preorder: parents come before their children."""
    names = sorted(graph.values)
    step = max(1, min(_ROWS, _ROWS * 64 // max(len(names), 1)))
    for begin in range(0, len(graph.tree.order), step):
        yield from _node_block(graph, graph.tree.order[begin : begin + step], names)


def _node_block(graph: Graph, keys: npt.NDArray[np.int32], names: Sequence[str]) -> Iterator[NodeRecord]:
    columns = {name: graph.values[name][keys].tolist() for name in names}
    places = (column[keys].tolist() for column in (graph.parent, graph.file, graph.line, graph.end_line))
    for row, (key, parent, file, line, end_line) in enumerate(zip(keys.tolist(), *places, strict=True)):
        yield {
            "id": graph.ids[key],
            "parent": None if parent == NO_PARENT else graph.ids[parent],
            "name": graph.names[key],
            "kind": graph.kind(key),
            "file": None if file < 0 else graph.files[file],
            "line": line,
            "end_line": end_line,
            "metrics": {name: column[row] for name, column in columns.items() if column[row] == column[row]},
        }


def edge_records(graph: Graph) -> Iterator[EdgeRecord]:
    """The relations between nodes that are not removed, by the preorder of source and target, then by kind."""
    edges, pos = graph.edges, graph.tree.pos
    rows = np.flatnonzero((pos[edges.source] >= 0) & (pos[edges.target] >= 0))
    rank = np.argsort(np.argsort(np.array(edges.kind_names, dtype=object)))
    rows = rows[np.lexsort((rank[edges.kind[rows]], pos[edges.target[rows]], pos[edges.source[rows]]))]
    for begin in range(0, len(rows), _ROWS):
        yield from _edge_block(graph, rows[begin : begin + _ROWS])


def _edge_block(graph: Graph, rows: npt.NDArray[np.int64]) -> Iterator[EdgeRecord]:
    edges, ids, files = graph.edges, graph.ids, graph.files
    # The shortest decimal that denotes this float32; many relations share few distinct weights.
    weights, weight_of = np.unique(edges.weight[rows], return_inverse=True)
    weight = [float(str(value)) for value in weights]
    columns = (edges.source, edges.target, edges.kind, edges.confidence, edges.when, np.diff(edges.site_ptr))
    numbers = (column[rows].tolist() for column in columns)
    for row, source, target, kind, confidence, when, sites, heavy in zip(
        rows.tolist(), *numbers, weight_of.tolist(), strict=True
    ):
        yield {
            "source": ids[source],
            "target": ids[target],
            "kind": edges.kind_names[kind],
            "weight": weight[heavy],
            "confidence": CONFIDENCE[confidence],
            "when": WHEN[when],
            "sites": [(files[file], line) for file, line in edges.sites(row)] if sites else [],
        }


def graph_of(
    name: str, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], report: Report | None = None
) -> Graph:
    """The graph that the records describe; the root gets key 0, the other nodes keys in the order given.

    Raises ValueError, with the reason, when an id or a relation is there twice, when the nodes are no tree with one
    root (whose id is empty), when a parent or an end of a relation is not there, or when there are more than
    `MOST_KINDS`, `MOST_CELLS` or `MOST_LEVELS`.
    """
    rows = _Nodes()
    for node in nodes:
        rows.add(node)
    order = rows.order()
    ids = list(rows.key_of)
    values = rows.values(order)
    parent = rows.parents(order)
    if (levels := _levels(parent)) > MOST_LEVELS:
        raise ValueError(f"its hierarchy is {levels:,} levels deep, and {MOST_LEVELS:,} is the most")
    graph = Graph(
        name=name,
        ids=tuple(ids[row] for row in order.tolist()),
        names=tuple(rows.names[row] for row in order.tolist()),
        kinds=np.array(rows.kind, np.int16)[order],
        kind_names=tuple(rows.kinds),
        parent=parent,
        file=np.array(rows.file, np.int32)[order],
        line=np.array(rows.line, np.int32)[order],
        end_line=np.array(rows.end_line, np.int32)[order],
        values=values,
        edges=_edges(edges, rows.keys(order), rows.files),
        files=tuple(rows.files),
        report=report or Report(),
    )
    graph.tree  # noqa: B018 - built and kept; fails when the parents are no tree
    return graph


def _levels(parent: npt.NDArray[np.int32]) -> int:
    """How many levels the tree below the root, key 0, has, by pointer doubling. Nodes in a parent cycle are ignored."""
    above, depth = parent.copy(), np.ones(len(parent), np.int64)
    above[0] = depth[0] = 0
    for _ in range(len(parent).bit_length()):
        depth += depth[above]
        above = above[above]
    return int(depth[above == 0].max())


class _Nodes:
    """Node records as columns, in the order given: millions of records as Python objects would not fit in memory."""

    def __init__(self) -> None:
        self.key_of: dict[str, int] = {}
        self.names: list[str] = []
        self.kinds: dict[str, int] = {}
        self.files: dict[str, int] = {}
        self.kind, self.file, self.line, self.end_line = array("i"), array("i"), array("i"), array("i")
        self._parent = array("i")
        self._late: dict[int, str] = {}  # parents that come after their children
        self._roots: list[int] = []
        self._measured: dict[str, tuple[array[int], array[float]]] = {}

    def add(self, node: NodeRecord) -> None:
        """Append one node. Raises ValueError when its id is there already, or there are too many kinds or values."""
        row = len(self.names)
        if self.key_of.setdefault(node["id"], row) != row:
            raise ValueError(f"two nodes have the id {_shown(node['id'])}")
        self.names.append(node["name"])
        self.kind.append(_index(self.kinds, node["kind"]))
        if len(self.kinds) > MOST_KINDS:
            raise ValueError(f"it has more than {MOST_KINDS:,} kinds of nodes")
        self.file.append(_index(self.files, node["file"]))
        self.line.append(node["line"])
        self.end_line.append(node["end_line"])
        above = node["parent"]
        if above is None:
            self._roots.append(row)
        elif above not in self.key_of:
            self._late[row] = above
        self._parent.append(NO_PARENT if above is None else self.key_of.get(above, NO_PARENT))
        for metric, value in node["metrics"].items():
            rows, values = self._measured.setdefault(metric, (array("i"), array("d")))
            rows.append(row)
            values.append(value)

    def order(self) -> npt.NDArray[np.int64]:
        """int64[n]: rows by key; the root comes first. Raises ValueError unless there is exactly one."""
        if len(self._roots) != 1:
            raise ValueError(f"exactly one node, the root, has no parent, but here it is {len(self._roots)} nodes")
        root = self._roots[0]
        if self.key_of.get("") != root:
            name = next(node for node, row in self.key_of.items() if row == root)
            raise ValueError(f"the id of the root is not empty but {_shown(name)}")
        rows = np.arange(len(self.names))
        return np.concatenate(([root], rows[:root], rows[root + 1 :]))

    def keys(self, order: npt.NDArray[np.int64]) -> dict[str, int]:
        """Id -> key."""
        if order[0] == 0:
            return self.key_of
        keys = np.argsort(order).tolist()
        return {node: keys[row] for node, row in self.key_of.items()}

    def parents(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """int32[n]: keys of the parents. Raises ValueError for a parent that is not there."""
        for row, above in self._late.items():
            if above not in self.key_of:
                node = next(node for node, found in self.key_of.items() if found == row)
                raise ValueError(f"the parent {_shown(above)} of the node {_shown(node)} is not there")
            self._parent[row] = self.key_of[above]
        parent = np.array(self._parent, np.int32)
        keys = np.argsort(order).astype(np.int32)
        return np.where(parent == NO_PARENT, parent, keys[parent])[order]

    def values(self, order: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.float64]]:
        """Metric -> float64[n] by key, NaN where nothing was measured. Raises ValueError for too many cells."""
        if len(self._measured) * len(order) > MOST_CELLS:
            raise ValueError(
                f"it has {len(self._measured):,} metrics of {len(order):,} nodes, which is too much to hold"
            )
        columns = {}
        keys = np.argsort(order)
        for metric, (rows, values) in self._measured.items():
            column = np.full(len(order), np.nan)
            column[keys[np.array(rows)]] = np.array(values)
            column.flags.writeable = False  # so that the graph need not copy it
            columns[metric] = column
        return columns


def _shown(node: str) -> str:
    """An id in a message."""
    return repr(node if len(node) <= _SHOWN else f"{node[:_SHOWN]}...")


def _index(table: dict[str, int], text: str | None) -> int:
    return -1 if text is None else table.setdefault(text, len(table))


def _edges(records: Iterable[EdgeRecord], key_of: dict[str, int], files: dict[str, int]) -> Edges:
    kinds: dict[str, int] = {}
    # Typed arrays, because millions of relations as Python lists would not fit in memory.
    source, target, kind, when, confidence = array("i"), array("i"), array("i"), array("B"), array("B")
    weight, ptr, site_file, site_line = array("f"), array("q", [0]), array("i"), array("i")
    for record in records:
        ends = record["source"], record["target"]
        for end in ends:
            if end not in key_of:
                raise ValueError(
                    f"the relation {_shown(ends[0])} -> {_shown(ends[1])} ends at {_shown(end)}, which is not there"
                )
        row = key_of[ends[0]], key_of[ends[1]], _index(kinds, record["kind"])
        if len(kinds) > MOST_KINDS:
            raise ValueError(f"it has more than {MOST_KINDS:,} kinds of relations")
        source.append(row[0])
        target.append(row[1])
        kind.append(row[2])
        weight.append(record["weight"])
        confidence.append(_CONFIDENCE_OF[record["confidence"]])
        when.append(_WHEN_OF[record["when"]])
        for file, line in record["sites"]:
            site_file.append(_index(files, file))
            site_line.append(line)
        ptr.append(len(site_file))
    twice = _first_repeated(*(np.array(column, np.int64) for column in (source, target, kind)))
    if twice >= 0:
        ids = {key: node for node, key in key_of.items() if key in (source[twice], target[twice])}
        raise ValueError(
            f"the {_shown(list(kinds)[kind[twice]])[1:-1]} relation {_shown(ids[source[twice]])} -> "
            f"{_shown(ids[target[twice]])} is there twice"
        )
    return Edges(
        np.array(source, np.int32),
        np.array(target, np.int32),
        np.array(kind, np.int16),
        np.array(weight, np.float32),
        np.array(confidence, np.uint8),
        np.array(when, np.uint8),
        np.array(ptr, np.int64),
        np.array(site_file, np.int32),
        np.array(site_line, np.int32),
        tuple(kinds),
    )


def _first_repeated(source: npt.NDArray[np.int64], target: npt.NDArray[np.int64], kind: npt.NDArray[np.int64]) -> int:
    """The first row that repeats the (source, target, kind) of an earlier row; -1 = none."""
    nodes = int(max(source.max(initial=0), target.max(initial=0))) + 1
    ends = (source * nodes + target) * (int(kind.max(initial=0)) + 1) + kind
    order = np.argsort(ends, kind="stable")
    again = order[1:][ends[order][1:] == ends[order][:-1]]
    return int(again.min(initial=len(ends))) if len(again) else -1
