"""The graph row by row, in words: ids for keys, names for numbers. What imports, exports and comparisons use."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import TypedDict

import numpy as np

from cbvtool.graph.graph import Confidence, Edges, Graph, Report, When
from cbvtool.graph.tree import NO_PARENT

CONFIDENCE = {member: member.name.lower() for member in Confidence}  # exact, resolved, guess
WHEN = {member: member.name.lower().replace("_", "-") for member in When}  # always, deferred, type-checking

_CONFIDENCE_OF = {text: int(member) for member, text in CONFIDENCE.items()}
_WHEN_OF = {text: int(member) for member, text in WHEN.items()}


class NodeRecord(TypedDict):
    """`parent` None for the root, `file` None and lines 0 where there are none; measured values only."""

    id: str
    parent: str | None
    name: str
    kind: str
    file: str | None
    line: int
    end_line: int
    metrics: dict[str, float]


class EdgeRecord(TypedDict):
    """`source` uses `target`; each site is (path, line)."""

    source: str
    target: str
    kind: str
    weight: float
    confidence: str
    when: str
    sites: list[tuple[str, int]]


def node_records(graph: Graph) -> Iterator[NodeRecord]:
    """The nodes that are there, in preorder: parents come before their children."""
    columns = {name: graph.values[name].tolist() for name in sorted(graph.values)}
    parent, file = graph.parent.tolist(), graph.file.tolist()
    line, end_line = graph.line.tolist(), graph.end_line.tolist()
    for key in graph.tree.order.tolist():
        yield {
            "id": graph.ids[key],
            "parent": None if parent[key] == NO_PARENT else graph.ids[parent[key]],
            "name": graph.names[key],
            "kind": graph.kind(key),
            "file": None if file[key] < 0 else graph.files[file[key]],
            "line": line[key],
            "end_line": end_line[key],
            "metrics": {name: column[key] for name, column in columns.items() if column[key] == column[key]},
        }


def edge_records(graph: Graph) -> Iterator[EdgeRecord]:
    """The relations between nodes that are there, by the preorder of source and target, then by kind."""
    edges, pos = graph.edges, graph.tree.pos
    rows = np.flatnonzero((pos[edges.source] >= 0) & (pos[edges.target] >= 0))
    rank = np.argsort(np.argsort(np.array(edges.kind_names, dtype=object)))
    rows = rows[np.lexsort((rank[edges.kind[rows]], pos[edges.target[rows]], pos[edges.source[rows]]))]
    for row in rows.tolist():
        yield {
            "source": graph.ids[edges.source[row]],
            "target": graph.ids[edges.target[row]],
            "kind": edges.kind_names[edges.kind[row]],
            # The shortest decimal that is this float32, rather than its neighbour in float64.
            "weight": float(str(edges.weight[row])),
            "confidence": CONFIDENCE[Confidence(edges.confidence[row])],
            "when": WHEN[When(edges.when[row])],
            "sites": [(graph.files[file], line) for file, line in edges.sites(row)],
        }


def graph_of(
    name: str, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], report: Report | None = None
) -> Graph:
    """The graph that the records describe; the root gets key 0, the other nodes keys in the order given.

    Raises ValueError, with the reason, when an id or a relation is there twice, when the nodes are no tree with one
    root (whose id is empty), or when a parent or an end of a relation is not there.
    """
    rows = sorted(nodes, key=lambda node: node["parent"] is not None)
    key_of = _keys(rows)
    kinds: dict[str, int] = {}
    files: dict[str, int] = {}
    values: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    for key, node in enumerate(rows):
        for metric, value in node["metrics"].items():
            if metric not in values:
                values[metric] = np.full(len(rows), np.nan)
            values[metric][key] = value
    graph = Graph(
        name=name,
        ids=tuple(key_of),
        names=tuple(node["name"] for node in rows),
        kinds=np.array([kinds.setdefault(node["kind"], len(kinds)) for node in rows], np.int16),
        kind_names=tuple(kinds),
        parent=np.array([_parent(node, key_of) for node in rows], np.int32),
        file=np.array([_index(files, node["file"]) for node in rows], np.int32),
        line=np.array([node["line"] for node in rows], np.int32),
        end_line=np.array([node["end_line"] for node in rows], np.int32),
        values=values,
        edges=_edges(edges, key_of, files),
        files=tuple(files),
        report=report or Report(),
    )
    graph.tree  # noqa: B018 - built and kept; fails when the parents are no tree
    return graph


def _keys(rows: list[NodeRecord]) -> dict[str, int]:
    key_of: dict[str, int] = {}
    for key, node in enumerate(rows):
        if key_of.setdefault(node["id"], key) != key:
            raise ValueError(f"two nodes have the id {node['id']!r}")
    roots = sum(node["parent"] is None for node in rows)
    if roots != 1:
        raise ValueError(f"exactly one node, the root, has no parent, but here it is {roots} nodes")
    if rows[0]["id"]:
        raise ValueError(f"the id of the root is not empty but {rows[0]['id']!r}")
    return key_of


def _parent(node: NodeRecord, key_of: dict[str, int]) -> int:
    if node["parent"] is None:
        return NO_PARENT
    if node["parent"] not in key_of:
        raise ValueError(f"the parent {node['parent']!r} of the node {node['id']!r} is not there")
    return key_of[node["parent"]]


def _index(table: dict[str, int], text: str | None) -> int:
    return -1 if text is None else table.setdefault(text, len(table))


def _edges(records: Iterable[EdgeRecord], key_of: dict[str, int], files: dict[str, int]) -> Edges:
    kinds: dict[str, int] = {}
    seen: set[tuple[int, int, int]] = set()
    # Typed arrays, because millions of relations as Python lists do not fit.
    source, target, kind, when, confidence = array("i"), array("i"), array("h"), array("B"), array("B")
    weight, ptr, site_file, site_line = array("f"), array("q", [0]), array("i"), array("i")
    for record in records:
        ends = record["source"], record["target"]
        for end in ends:
            if end not in key_of:
                raise ValueError(f"the relation {ends[0]!r} -> {ends[1]!r} ends at {end!r}, which is not there")
        row = key_of[ends[0]], key_of[ends[1]], _index(kinds, record["kind"])
        if row in seen:
            raise ValueError(f"the {record['kind']} relation {ends[0]!r} -> {ends[1]!r} is there twice")
        seen.add(row)
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
    return Edges(
        np.array(source, np.int32), np.array(target, np.int32), np.array(kind, np.int16), np.array(weight, np.float32),
        np.array(confidence, np.uint8), np.array(when, np.uint8),
        np.array(ptr, np.int64), np.array(site_file, np.int32), np.array(site_line, np.int32), tuple(kinds),
    )  # fmt: skip
