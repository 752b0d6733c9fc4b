"""Whether two graphs say the same, whatever their keys are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from cbvtool.graph import Graph
from cbvtool.graph.records import edge_records, node_records

_SHOWN = 20  # differences listed; a reader learns nothing from more


def same_graph(a: Graph, b: Graph) -> bool:
    """Whether two graphs have the same name, nodes, tree, places, measured values and relations.

    Nodes are told apart by id: keys, the order of rows and of sites, the numbering of tables and removed nodes
    do not count. A metric that was measured on no node is as good as absent. The report does not count either:
    it tells how the graph came about.
    """
    return next(_differences(a, b), None) is None


def difference(a: Graph, b: Graph) -> list[str]:
    """What differs, one line each, at most 20; empty for graphs that are the same (see `same_graph`)."""
    return list(islice(_differences(a, b), _SHOWN))


def _differences(a: Graph, b: Graph) -> Iterator[str]:
    if a.name != b.name:
        yield f"the name is {a.name!r}, not {b.name!r}"
    yield from _unlike("node", _nodes(a), _nodes(b))
    yield from _unlike("relation", _relations(a), _relations(b))


def _nodes(graph: Graph) -> dict[str, Any]:
    return {record["id"]: record for record in node_records(graph)}


def _relations(graph: Graph) -> dict[tuple[str, str, str], Any]:
    return {
        (record["source"], record["target"], record["kind"]): {**record, "sites": sorted(record["sites"])}
        for record in edge_records(graph)
    }


def _unlike(what: str, a: Mapping[Any, Any], b: Mapping[Any, Any]) -> Iterator[str]:
    for one, record in a.items():
        if one not in b:
            yield f"{what} {one!r} is only in the first"
        elif record != b[one]:
            members = [
                f"{name} {value!r}, not {b[one][name]!r}" for name, value in record.items() if value != b[one][name]
            ]
            yield f"{what} {one!r} has {'; '.join(members)}"
    for one in b:
        if one not in a:
            yield f"{what} {one!r} is only in the second"
