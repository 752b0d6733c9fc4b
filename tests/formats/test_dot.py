"""DOT, against files of Graphviz and against pydot's parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.graph import GraphBuilder
from tests.formats.reading import SAMPLES, kinds, labels, read, relations, tree, values

by_pydot = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # it uses old names of pyparsing


@pytest.mark.parametrize("name", ["clusters.dot", "clusters.canon.dot", "clusters.layout.dot"])
def test_clusters_of_graphviz(name: str) -> None:
    """Written by hand, and what two writers of Graphviz make of it: clusters, records, HTML, ports, groups, lhead."""
    graph = read_graph(SAMPLES / name)[0]
    assert graph.name == "shop system"
    assert tree(graph) == {
        "cluster_ui": "",
        "web": "cluster_ui",
        "cli": "cluster_ui",
        "cluster_core": "",
        "cluster_db": "cluster_core",
        "sql": "cluster_db",
        "mongo": "cluster_db",
        "order": "cluster_core",
        "item": "cluster_core",
        'quoted "id"': "",
        "joined id": "",
        "3.14": "",
        "-2": "",
        "é": "",
    }
    assert labels(graph) == {
        "cluster_ui": "User interface",
        "cluster_core": "The & core",
        "cluster_db": "Data base",
        "web": "Web",
    }
    assert kinds(graph)["order"] == "class"
    assert values(graph, "loc") == {"order": 12}
    assert list(graph.values) == ["loc"]
    assert relations(graph) == {
        ("web", "order", "uses"): 2,
        ("web", "item", "uses"): 2,
        ("cli", "order", "reference"): 1,
        ("order", "sql", "reference"): 1,
        ("web", "cluster_db", "reference"): 1,
        ('quoted "id"', "joined id", "reference"): 1,
        ("3.14", "-2", "reference"): 1,
        ("é", "web", "reference"): 1,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -> b -> c", {("a", "b"): 1, ("b", "c"): 1}),
        ("a -> {b c}", {("a", "b"): 1, ("a", "c"): 1}),
        ("{a b} -> subgraph x {c; c}", {("a", "c"): 1, ("b", "c"): 1}),
        ("{a {b}} -> c", {("a", "c"): 1, ("b", "c"): 1}),
        ("{a -> b} -> c", {("a", "b"): 1, ("a", "c"): 1, ("b", "c"): 1}),
        ("a -> b; a -> b", {("a", "b"): 2}),
        ("a -> b a -> c", {("a", "b"): 1, ("a", "c"): 1}),
        ("edge [weight=3] a -> b; {edge [weight=4] a -> c} a -> d", {("a", "b"): 3, ("a", "c"): 4, ("a", "d"): 3}),
        ("a:p -> b:p:nw [weight=2]", {("a", "b"): 2}),
        ("node -> b", None),
        ("a -> -> b", None),
        ("-> b", None),
        ("a ->", None),
    ],
)
def test_statements(tmp_path: Path, text: str, expected: dict[tuple[str, str], float] | None) -> None:
    content = f"digraph {{ {text} }}"
    if expected is None and not text.startswith("node"):
        with pytest.raises(InputError, match="cannot be read as DOT: "):
            read(tmp_path, "a.dot", content)
    elif expected is not None:
        found = relations(read(tmp_path, "a.dot", content))
        assert {(a, b): weight for (a, b, _), weight in found.items()} == expected


def test_strict_graphs_have_no_multiple_edges(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.gv", "strict graph { a -- b -- a; a -- b }")
    assert relations(graph) == {("a", "b", "reference"): 1, ("b", "a", "reference"): 1}
    assert graph.report.notes == ("3 relations have no direction: shown as written.",)


def test_a_node_belongs_to_the_innermost_cluster_that_names_it(tmp_path: Path) -> None:
    text = "digraph { a -> b; subgraph cluster_o { a; c; subgraph cluster_i { a } } subgraph cluster_z { a } }"
    graph = read(tmp_path, "a.dot", text)
    assert tree(graph) == {"cluster_o": "", "cluster_i": "cluster_o", "a": "cluster_i", "c": "cluster_o", "b": ""} | {
        "cluster_z": ""
    }


def test_ids_tell_the_hierarchy_where_no_cluster_does(tmp_path: Path) -> None:
    """What jdeps and dependency-cruiser write."""
    graph = read(
        tmp_path, "a.dot", 'digraph { "com.shop.Order" -> "com.shop.db.Sql"; "com.shop.Order" -> "com.ui.Web" }'
    )
    assert tree(graph)["com.shop.db.Sql"] == "com.shop.db"
    assert labels(graph)["com.shop.db.Sql"] == "Sql"
    assert kinds(graph)["com.shop.db"] == "package"
    graph = read(tmp_path, "b.dot", 'digraph { "src/a.js" -> "src/lib/b.js" }')
    assert tree(graph) == {"src": "", "src/a.js": "src", "src/lib": "src", "src/lib/b.js": "src/lib"}


@by_pydot
def test_a_container_with_relations_is_a_cluster_and_a_node(tmp_path: Path) -> None:
    builder = GraphBuilder("shop")
    core = builder.add_node("core", "", "core", "package")
    order = builder.add_node("core/order", "core", "order", "file")
    builder.add_edge(core, order, "import")
    write_graph(builder.freeze(), tmp_path / "a.dot")
    parsed: Any = pydot.graph_from_dot_file(tmp_path / "a.dot")[0]
    cluster = parsed.get_subgraphs()[0]
    assert cluster.get_name() == '"cluster:core"'
    assert {node.get_name() for node in cluster.get_nodes()} == {"graph", '"core"', '"core/order"'}


_WORDS = st.sampled_from(["a", "b", "_c", "9", "1.5", '"x y"', '"q\\"q"', "<i>h</i>".join("<>"), "ü", '"a/b"'])
_NODE = st.builds(lambda word, size: f"{word} [size={size}]", _WORDS, st.integers(0, 9))
_EDGE = st.builds(" -> ".join, st.lists(_WORDS, min_size=2, max_size=3))
_PLAIN = st.lists(_NODE | _EDGE, min_size=1, max_size=2).map("; ".join)
_CLUSTER = st.builds(
    "subgraph cluster_{} {{ {} }}".format, st.integers(0, 9), _PLAIN
)  # pydot nests in exponential time
_STATEMENT = _PLAIN | _CLUSTER


@by_pydot
@given(st.lists(_STATEMENT, min_size=1, max_size=4))
def test_pydot_finds_the_same_nodes_and_edges(tmp_path_factory: pytest.TempPathFactory, statements: list[str]) -> None:
    text = "digraph {\n" + ";\n".join(statements) + "\n}"
    parsed: Any = pydot.graph_from_dot_data(text)[0]
    nodes: set[str] = set()
    expected: dict[tuple[str, str], float] = {}
    todo = [parsed]
    while todo:
        part = todo.pop(0)
        todo += part.get_subgraphs()
        nodes |= {_said(node.get_name()) for node in part.get_nodes()}
        for edge in part.get_edges():
            pair = _said(edge.get_source()), _said(edge.get_destination())
            expected[pair] = expected.get(pair, 0) + 1
    graph = read(tmp_path_factory.mktemp("graph"), "a.dot", text)
    found = relations(graph)
    assert {(a, b): weight for (a, b, _), weight in found.items()} == expected
    assert nodes <= set(graph.ids)


def _said(word: str) -> str:
    """A word of DOT as our reader calls it; pydot keeps it as written."""
    if word.startswith('"'):
        return word[1:-1].replace('\\"', '"')
    return "h" if word.startswith("<") else word


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is empty"),
        ("// nothing\n", "it is empty"),
        ("digraph { a -> b", "it is cut off: a } is missing"),
        ('digraph { "a', "line 1 is not DOT"),
        ("digraph { a [label=<b", "line 1 begins an HTML text that never ends"),
        ("digraph { a [x=", "it stops where a name should stand: the end of the file"),
        ("digraph {}", "it holds no node"),
        ("hello { a }", "it is not DOT: it begins with 'hello'"),
        ("digraph x a", "it is not DOT: there is no { after its name"),
        ("digraph {\n a;\n \x01 }", "line 3 is not DOT"),
        (b"digraph {\0}", "it is not text"),
    ],
)
def test_what_is_no_dot_is_refused(tmp_path: Path, content: str | bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.dot", content)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.dot'} cannot be read as DOT: ")
