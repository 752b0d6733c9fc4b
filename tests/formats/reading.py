"""Reading small files in tests, and telling what was read in few words."""

from __future__ import annotations

from pathlib import Path

from cbvtool.formats import read_graph
from cbvtool.graph import Graph

SAMPLES = Path(__file__).parent / "samples"


def read(folder: Path, name: str, content: str | bytes) -> Graph:
    """The graph in a file of this name and content."""
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_graph(file)[0]


def tree(graph: Graph) -> dict[str, str]:
    """Id -> id of the container, without the root."""
    return {graph.ids[key]: graph.ids[int(graph.parent[key])] for key in graph.tree.order[1:].tolist()}


def kinds(graph: Graph) -> dict[str, str]:
    """Id -> kind, without the root."""
    return {graph.ids[key]: graph.kind(key) for key in graph.tree.order[1:].tolist()}


def labels(graph: Graph) -> dict[str, str]:
    """Id -> name, where that is another."""
    return {node: name for node, name in zip(graph.ids[1:], graph.names[1:], strict=True) if node != name}


def relations(graph: Graph) -> dict[tuple[str, str, str], float]:
    """(source, target, kind) -> weight."""
    edges = graph.edges
    rows = zip(edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), edges.weight.tolist(), strict=True)
    return {(graph.ids[a], graph.ids[b], edges.kind_names[kind]): weight for a, b, kind, weight in rows}


def values(graph: Graph, metric: str) -> dict[str, float]:
    """Id -> value, where one was measured."""
    return {node: value for node, value in zip(graph.ids, graph.values[metric].tolist(), strict=True) if value == value}
