"""Conversion to and from NetworkX, for algorithms of other libraries. It loses nothing in either direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cbvtool.graph.graph import Graph
from cbvtool.graph.records import EdgeRecord, NodeRecord, edge_records, graph_of, node_records

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(graph: Graph) -> nx.MultiDiGraph[str]:
    """`graph` as a NetworkX multigraph whose nodes are the node ids.

    Nodes carry `parent` (an id, None for the root), `name`, `kind`, `file`, `line`, `end_line` and `metrics`;
    relations have their kind as key and carry `kind`, `weight`, `confidence`, `when` and `sites`; the graph carries
    `name` and `report`. Containment is an attribute, not an edge: algorithms see relations only.
    """
    import networkx as nx

    result: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=graph.name, report=graph.report)
    for node in node_records(graph):
        attributes: dict[str, Any] = dict(node)
        result.add_node(attributes.pop("id"), **attributes)
    for edge in edge_records(graph):
        attributes = dict(edge)
        result.add_edge(attributes.pop("source"), attributes.pop("target"), key=edge["kind"], **attributes)
    return result


def from_networkx(source: nx.MultiDiGraph[str]) -> Graph:
    """The graph from a multigraph that `to_networkx` returned, or one with the same attributes.

    What a node leaves out has a default: `parent` the root, `name` its id, `kind` `file`; a relation weighs 1, is
    exact and always in effect, and its `kind` is `reference`. A root (id `""`) is made when there is none.

    Raises ValueError when a parent is not there, the parents form a cycle, or a relation is there twice.
    """
    return graph_of(source.name, _nodes(source), _edges(source), source.graph.get("report"))


def _nodes(source: nx.MultiDiGraph[str]) -> Iterator[NodeRecord]:
    nodes: dict[str, dict[str, Any]] = {node: given for node, given in source.nodes(data=True)}  # noqa: C416 - typed
    if "" not in nodes:
        nodes[""] = {"parent": None, "name": source.name, "kind": "project"}
    for node, given in nodes.items():
        default: NodeRecord = {
            "id": node,
            "parent": "" if node else None,
            "name": node,
            "kind": "file",
            "file": None,
            "line": 0,
            "end_line": 0,
            "metrics": {},
        }
        yield _completed(default, given)


def _edges(source: nx.MultiDiGraph[str]) -> Iterator[EdgeRecord]:
    given: dict[str, Any]
    for user, used, given in source.edges(data=True):
        default: EdgeRecord = {
            "source": user,
            "target": used,
            "kind": "reference",
            "weight": 1.0,
            "confidence": "exact",
            "when": "always",
            "sites": [],
        }
        yield _completed(default, given)


def _completed(default: Any, given: dict[str, Any]) -> Any:
    """`default`, with its fields replaced by those in `given`; attributes that it does not have are ignored."""
    return {name: given.get(name, value) for name, value in default.items()}
