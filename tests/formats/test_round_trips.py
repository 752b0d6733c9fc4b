"""What is written by one of our writers and read again has lost nothing that the format can hold."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cbvtool.formats import read_graph, write_graph
from cbvtool.graph import Graph, GraphBuilder, records
from cbvtool.graph.records import EdgeRecord, NodeRecord, edge_records, graph_of, node_records
from tests.graph.compare import difference
from tests.graph.strategies import graphs

Rewrite = Callable[[str], str]


def plain(text: str) -> str:
    """What every text file can hold: no NUL, no bytes that are no UTF-8."""
    return "".join("?" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


def unquoted(text: str) -> str:
    """What a word of RSF can hold."""
    return plain(text).replace('"', "'").replace("\n", " ").replace("\r", " ")


def held(graph: Graph, text: Rewrite, *, sites: bool = False, marks: bool = True) -> Graph:
    """`graph` as a file holds it whose texts are `text`: no report, no removed nodes, no empty names."""
    name = text(graph.name)

    def node(record: NodeRecord) -> NodeRecord:
        changed = {field: record[field] and text(record[field]) for field in ("id", "parent", "kind")}
        file = text(record["file"] or "") or None
        metrics = {text(metric): value for metric, value in record["metrics"].items()}
        return {
            **record,
            **changed,
            "name": text(record["name"]) or changed["id"] or name,
            "file": file,
            "metrics": metrics,
        }

    def edge(record: EdgeRecord) -> EdgeRecord:
        ends = {end: text(record[end]) for end in ("source", "target")}
        rest = {} if marks else {"weight": 1.0, "confidence": "exact", "when": "always"}
        return {**record, **ends, **rest, "sites": record["sites"] if sites else []}

    nodes = [node(record) for record in node_records(graph)]
    assume(len({record["id"] for record in nodes}) == len(nodes))
    assume(len({text(metric) for metric in graph.values}) == len(graph.values))
    return graph_of(name, nodes, [edge(record) for record in edge_records(graph)])


def there_and_back(graph: Graph, file: Path) -> Graph:
    write_graph(graph, file)
    return read_graph(file)[0]


def named(graph: Graph) -> Graph:
    """With one name for the graph and its root, since most formats have one place for it."""
    assume(graph.name)
    names = list(graph.names)
    names[graph.root] = graph.name
    return graph.with_(names=tuple(names))


@given(graph=graphs())
def test_graphml_loses_only_the_report(tmp_path_factory: pytest.TempPathFactory, graph: Graph) -> None:
    assume(graph.name)
    graph = held(graph, str, sites=True)
    read = there_and_back(graph, tmp_path_factory.mktemp("graph") / "graph.graphml")
    assert difference(graph, read) == []


@given(graph=graphs(), ending=st.sampled_from([".dot", ".gv.gz"]))
def test_dot_loses_only_places_of_relations(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph, ending: str
) -> None:
    assume(graph.name)
    graph = held(graph, plain)
    read = there_and_back(graph, tmp_path_factory.mktemp("graph") / f"graph{ending}")
    assert difference(graph, read) == []


@given(graph=graphs(), name=st.sampled_from(["graph.csv", "edges.csv", "shop-edges.csv.gz"]))
def test_csv_loses_only_places_of_relations(tmp_path_factory: pytest.TempPathFactory, graph: Graph, name: str) -> None:
    graph = held(named(graph), plain)
    read = there_and_back(graph, tmp_path_factory.mktemp("graph") / name)
    assert difference(graph, read) == []


@given(graph=graphs())
def test_rsf_loses_only_what_it_has_no_word_for(tmp_path_factory: pytest.TempPathFactory, graph: Graph) -> None:
    """RSF has neither weights nor escapes."""
    graph = held(named(graph), unquoted, marks=False)
    read = there_and_back(graph, tmp_path_factory.mktemp("graph") / "graph.rsf")
    assert difference(graph, read) == []


@given(graph=graphs(), ending=st.sampled_from([".graphml", ".dot", ".csv", ".rsf"]))
def test_writing_again_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph, ending: str
) -> None:
    """The order is canonical."""
    folder = tmp_path_factory.mktemp("graph")
    for file in ("one", "two"):
        write_graph(graph, folder / f"{file}{ending}")
    assert (folder / f"one{ending}").read_bytes() == (folder / f"two{ending}").read_bytes()


def test_relations_are_told_row_by_row_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken from their columns in blocks, they are what each row says."""
    builder = GraphBuilder("a")
    names = [f"n{number}" for number in range(7)]
    for name in names:
        builder.add_node(name, "", name, "file")
    for number, (source, target) in enumerate(permutations(names, 2)):
        builder.add_edge(
            builder.key(source),
            builder.key(target),
            "call" if number % 3 else "import",
            weight=0.1 * number,
            sites=[(source, line + 1) for line in range(number % 4)],
        )
    graph = builder.freeze()
    whole = list(edge_records(graph))
    monkeypatch.setattr(records, "_ROWS", 5)
    assert list(edge_records(graph)) == whole
    edges = graph.edges
    row_of = {(graph.ids[edges.source[row]], graph.ids[edges.target[row]]): row for row in range(len(edges))}
    for record in whole:
        row = row_of.pop((record["source"], record["target"]))
        assert record["kind"] == edges.kind_names[edges.kind[row]]
        assert record["weight"] == float(str(edges.weight[row]))
        assert record["sites"] == [(graph.files[file], line) for file, line in edges.sites(row)]
    assert not row_of
