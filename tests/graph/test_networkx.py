"""The door to NetworkX loses nothing."""

import networkx as nx
import pytest
from hypothesis import given

from cbvtool.graph import Graph, GraphBuilder, When
from cbvtool.graph.networkx import from_networkx, to_networkx
from tests.graph.compare import difference
from tests.graph.strategies import graphs


@given(graphs())
def test_there_and_back_loses_nothing(graph: Graph) -> None:
    """Design 3: to_networkx and from_networkx are lossless."""
    back = from_networkx(to_networkx(graph))
    assert difference(graph, back) == []
    assert back.report == graph.report


def test_algorithms_see_relations_and_weights() -> None:
    """Design 3: NetworkX is the door for everyone else's algorithms."""
    builder = GraphBuilder("shop")
    a, b, c = (builder.add_node(name, "", name, "file", file=name, values={"sloc": 3}) for name in "abc")
    builder.add_edge(a, b, "import", weight=2, when=When.DEFERRED, sites=[("a", 7)])
    builder.add_edge(b, c, "import", weight=5)
    graph = to_networkx(builder.freeze())
    assert nx.has_path(graph, "a", "c")
    assert not nx.has_path(graph, "c", "a")
    assert graph.degree("b", weight="weight") == 7
    assert graph.nodes["a"]["metrics"] == {"sloc": 3}
    assert graph.edges["a", "b", "import"] == {
        "kind": "import",
        "weight": 2,
        "confidence": "exact",
        "when": "deferred",
        "sites": [("a", 7)],
    }


def test_a_graph_of_other_origin_gets_a_root_and_defaults() -> None:
    """Graphs of other tools come in, too."""
    graph = from_networkx(nx.MultiDiGraph([("x", "y"), ("y", "z")], name="theirs"))
    assert graph.name == "theirs"
    assert [graph.names[key] for key in graph.children(graph.root)] == ["x", "y", "z"]
    assert graph.edges.kind_names == ("reference",)
    assert graph.edges.weight.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ({"x": "nowhere"}, "the parent 'nowhere' of the node 'x' is not there"),
        ({"x": "y", "y": "x"}, "cycle"),
        ({"x": None}, "2 nodes"),
    ],
)
def test_what_is_no_tree_is_refused(nodes: dict[str, str | None], reason: str) -> None:
    """Design 3: H is one rooted tree."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node, parent in nodes.items():
        graph.add_node(node, parent=parent)
    with pytest.raises(ValueError, match=reason):
        from_networkx(graph)
