"""When two graphs are the same."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import NO_PARENT, REMOVED, Edges, Graph, GraphBuilder, Report
from tests.graph.compare import difference, same_graph
from tests.graph.strategies import graphs


def shuffled(graph: Graph, order: list[int]) -> Graph:
    """The same graph with its keys and its relations in another order; `order[new] = old`."""
    key_of = np.argsort(order).astype(np.int32)
    parent = np.array([p if p in (NO_PARENT, REMOVED) else key_of[p] for p in graph.parent[order]], np.int32)
    edges = graph.edges.take(np.arange(len(graph.edges))[::-1])
    return Graph(
        name=graph.name,
        ids=tuple(graph.ids[k] for k in order),
        names=tuple(graph.names[k] for k in order),
        kinds=graph.kinds[order],
        kind_names=graph.kind_names,
        parent=parent,
        file=graph.file[order],
        line=graph.line[order],
        end_line=graph.end_line[order],
        files=graph.files,
        values={name: column[order] for name, column in graph.values.items()},
        edges=replace(edges, source=key_of[edges.source], target=key_of[edges.target]),
        report=graph.report,
    )


@given(graphs(), st.data())
def test_the_order_of_keys_does_not_count(graph: Graph, data: st.DataObject) -> None:
    """Design 3: nodes are told apart by id."""
    order = data.draw(st.permutations(range(len(graph))))
    assert difference(graph, shuffled(graph, order)) == []


@given(graphs())
def test_the_report_and_empty_columns_do_not_count(graph: Graph) -> None:
    """A report tells how the graph came about; a metric that nobody measured is none."""
    other = graph.with_(report=Report(99), values={**graph.values, "nothing": np.full(len(graph), np.nan)})
    assert same_graph(graph, other)


def example() -> Graph:
    builder = GraphBuilder("shop")
    a = builder.add_node("a", "", "a", "folder")
    b = builder.add_node("a/b", "a", "b", "file", file="a/b", line=1, end_line=9, values={"sloc": 3})
    c = builder.add_node("c", "", "c", "file", file="c", values={"sloc": 4})
    builder.add_edge(b, c, "import", sites=[("a/b", 2), ("a/b", 4)])
    assert (a, b, c) == (1, 2, 3)
    return builder.freeze()


def _edges(**changes: object) -> Edges:
    return replace(example().edges, **changes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "market"}, "the name is 'shop', not 'market'"),
        ({"ids": ("", "a", "a/x", "c")}, "node 'a/b' is only in the first"),
        ({"ids": ("", "a", "a/x", "c")}, "node 'a/x' is only in the second"),
        ({"names": ("shop", "a", "x", "c")}, "node 'a/b' has name 'b', not 'x'"),
        ({"kinds": [0, 1, 1, 2]}, "kind 'file', not 'folder'"),
        ({"parent": [-1, 0, 0, 0]}, "parent 'a', not ''"),
        ({"parent": [-1, 0, 1, REMOVED]}, "node 'c' is only in the first"),
        ({"file": [-1, -1, 1, 1]}, "file 'a/b', not 'c'"),
        ({"line": [0, 0, 2, 0]}, "line 1, not 2"),
        ({"end_line": [0, 0, 8, 0]}, "end_line 9, not 8"),
        ({"values": {"sloc": np.array([np.nan, np.nan, 3, 5])}}, "metrics {'sloc': 4.0}, not {'sloc': 5.0}"),
        ({"values": {}}, "metrics {'sloc': 3.0}, not {}"),
        ({"edges": Edges.empty()}, "relation ('a/b', 'c', 'import') is only in the first"),
        ({"edges": _edges(weight=[2])}, "weight 1.0, not 2.0"),
        ({"edges": _edges(confidence=[2])}, "confidence 'exact', not 'guess'"),
        ({"edges": _edges(when=[1])}, "when 'always', not 'deferred'"),
        ({"edges": _edges(kind_names=("call",))}, "relation ('a/b', 'c', 'call') is only in the second"),
        ({"edges": _edges(site_line=[2, 5])}, "sites [('a/b', 2), ('a/b', 4)], not [('a/b', 2), ('a/b', 5)]"),
    ],
)
def test_every_difference_is_seen(change: dict[str, object], said: str) -> None:
    """Each column counts."""
    lines = difference(example(), example().with_(**change))
    assert any(said in line for line in lines), lines
    assert not same_graph(example(), example().with_(**change))


def test_no_column_is_forgotten() -> None:
    """A column added to the graph or its edges must be added to the comparison, or be named here as not counting."""
    compared = {"name", "ids", "names", "kinds", "kind_names", "parent", "file", "line", "end_line", "files"}
    assert {field.name for field in fields(Graph)} == compared | {"values", "edges"} | {"report"}
    ends = {"source", "target", "kind", "kind_names", "weight", "confidence", "when"}
    assert {field.name for field in fields(Edges)} == ends | {"site_ptr", "site_file", "site_line"}
