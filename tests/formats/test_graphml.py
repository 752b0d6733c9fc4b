"""GraphML, against files of others and against NetworkX's reader."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.graph import Graph
from cbvtool.graph.records import edge_records, node_records
from tests.formats.reading import SAMPLES, kinds, labels, read, relations, tree, values
from tests.graph.strategies import graphs

HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=6)


def test_groups_and_labels_of_yed() -> None:
    graph = read_graph(SAMPLES / "yed.graphml")[0]
    assert tree(graph) == {"n0": "", "n0::n0": "n0", "n0::n1": "n0", "n1": ""}
    assert labels(graph) == {"n0": "Backend services", "n0::n0": "API", "n0::n1": "DB", "n1": "UI"}
    assert relations(graph) == {("n0::n0", "n0::n1", "reads"): 1, ("n1", "n0::n0", "reference"): 1}


def test_an_undirected_graph_of_igraph_says_so() -> None:
    graph = read_graph(SAMPLES / "igraph.graphml")[0]
    assert (len(graph), len(graph.edges)) == (6, 5)
    assert graph.report.notes == ("5 relations have no direction: shown as written.",)


@given(data=st.data())
def test_what_networkx_writes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any attributed multigraph; what is compared was put in, and is not what our reader said."""
    names = data.draw(st.lists(_TEXT, unique=True, min_size=1, max_size=6))
    written: Any = nx.MultiDiGraph(name="zoo")
    for name in names:
        written.add_node(name, kind=data.draw(st.sampled_from(["cat", "dog"])), size=data.draw(st.integers(0, 9)) / 4)
    ends = st.sampled_from(names)
    expected: dict[tuple[str, str, str], float] = {}
    for a, b, kind, weight in data.draw(st.lists(st.tuples(ends, ends, st.sampled_from("pq"), st.integers(1, 5)))):
        written.add_edge(a, b, kind=kind, weight=weight)
        expected[a, b, kind] = expected.get((a, b, kind), 0) + weight
    file = tmp_path_factory.mktemp("graph") / "zoo.graphml"
    nx.write_graphml(written, file)
    graph = read_graph(file)[0]
    assert graph.name == "zoo"
    assert relations(graph) == expected
    assert {name: value for name, value in values(graph, "size").items() if name} == dict(written.nodes(data="size"))
    found = kinds(graph)
    assert {name: found[name] for name in names} == dict(written.nodes(data="kind"))


@given(graph=graphs(with_removed=False))
def test_networkx_reads_what_is_written(tmp_path_factory: pytest.TempPathFactory, graph: Graph) -> None:
    """All nodes of all levels, all relations, all values."""
    graph = graph.with_(values={f"metric {row}": column for row, column in enumerate(graph.values.values())})
    readable = ("".join(filter(str.isalnum, node)) for node in graph.ids[1:])
    graph = graph.with_(ids=("", *(f"{row}/{node}" for row, node in enumerate(readable))))
    file = tmp_path_factory.mktemp("graph") / "graph.graphml"
    write_graph(graph, file)
    judge: Any = nx.read_graphml(file, force_multigraph=True)
    assert set(judge.nodes) == set(graph.ids)
    for node in node_records(graph):
        said = judge.nodes[node["id"]]
        assert {name: said[name] for name in said if name.startswith("metric")} == node["metrics"]
    ends = sorted((a, b, said["weight"]) for a, b, said in judge.edges(data=True))
    assert ends == sorted((edge["source"], edge["target"], edge["weight"]) for edge in edge_records(graph))


def test_a_group_is_marked_for_yed_and_networkx(tmp_path: Path) -> None:
    graph = read(
        tmp_path, "a.graphml", f'{HEAD}<graph><node id="a"><graph><node id="b"/></graph></node></graph></graphml>'
    )
    write_graph(graph, tmp_path / "b.graphml")
    text = (tmp_path / "b.graphml").read_text()
    assert '<node id="a" yfiles.foldertype="group">' in text
    assert '<node id="b">' in text


def test_defaults_keys_for_all_and_unknown_keys(tmp_path: Path) -> None:
    """A key with a default holds for every element that says nothing; a key that is not declared goes by its id."""
    graph = read(
        tmp_path,
        "a.graphml",
        f"""{HEAD}
        <key id="k" for="all" attr.name="kind" attr.type="string"><default>thing</default></key>
        <key id="s" for="node" attr.name="size" attr.type="double"><default>2</default></key>
        <graph edgedefault="directed">
          <node id="a"><data key="k">  part
          </data><data key="loc">7</data><data key="s">3</data></node><node id="b"/>
          <edge source="a" target="b"/></graph></graphml>""",
    )
    assert kinds(graph) == {"a": "part", "b": "thing"}
    assert relations(graph) == {("a", "b", "thing"): 1}
    assert (values(graph, "size"), values(graph, "loc")) == ({"a": 3, "b": 2}, {"a": 7})


def test_a_parent_attribute_is_the_hierarchy(tmp_path: Path) -> None:
    """An org chart from NetworkX, whose ids are numbers."""
    chart: Any = nx.DiGraph()
    for person, boss in ((1, 1), (2, 1), (3, 2)):
        chart.add_node(person, manager=boss)
    nx.write_graphml(chart, tmp_path / "chart.graphml")
    assert tree(read_graph(tmp_path / "chart.graphml")[0]) == {"1": "", "2": "1", "3": "2"}


def test_texts_that_are_no_role_are_counted(tmp_path: Path) -> None:
    graph = read(
        tmp_path, "a.graphml", f'{HEAD}<graph><node id="a"><data key="owner">Ann</data></node></graph></graphml>'
    )
    assert graph.report.notes == ("1 text of the attribute 'owner' left out: values are numbers.",)
    assert not math.isnan(len(graph))


def test_odd_encodings(tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="%s"?>{HEAD}<graph><node id="ä"/></graph></graphml>'
    for encoding in ("UTF-16", "ISO-8859-1", "UTF-8"):
        graph = read(tmp_path, "a.graphml", (text % encoding).encode(encoding))
        assert graph.ids == ("", "ä")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is not XML (no element found"),
        ("<graphml><graph><node id='a'>", "it is not XML (no element found"),
        ("<html/>", "its root element is 'html', not 'graphml'"),
        (f"{HEAD}<graph/></graphml>", "it holds no node"),
        (f"{HEAD}<graph><node/></graph></graphml>", "a node has no id"),
        (f"{HEAD}<graph><node id='a'/><edge source='a'/></graph></graphml>", "a relation has no target"),
        ("<?xml version='1.0' encoding='none'?><graphml/>", "it is not XML (unknown encoding"),
        ("<?xml version='1.0' encoding='shift_jis'?><graphml/>", "it is not XML (multi-byte"),
    ],
)
def test_what_is_no_graphml_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.graphml", content)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.graphml'} cannot be read as GraphML: {reason}")
