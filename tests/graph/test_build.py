"""Building node by node (design 3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Confidence, Graph, GraphBuilder, Report, Skipped, When

_ENDS = ("a", "b", "c")


def small() -> GraphBuilder:
    builder = GraphBuilder("shop")
    for name in _ENDS:
        builder.add_node(name, "", name, "file", file=name)
    return builder


def test_root_comes_first_and_has_the_empty_id() -> None:
    """Design 3: key 0 is the root, its id is empty."""
    graph = GraphBuilder("shop").freeze()
    assert (graph.root, graph.ids, graph.names, graph.kind(0)) == (0, ("",), ("shop",), "project")
    assert len(graph.edges) == 0


def test_second_node_of_one_name_gets_a_number_in_source_order() -> None:
    """Design 3: a second one of the same name gets `#2` in source order."""
    builder = small()
    keys = [builder.add_node("a::f", "a", "f", "function") for _ in range(3)]
    assert [builder.freeze().ids[key] for key in keys] == ["a::f", "a::f#2", "a::f#3"]


def test_node_below_an_unknown_parent_is_refused() -> None:
    """Design 3: the tree has no holes."""
    with pytest.raises(KeyError):
        GraphBuilder("shop").add_node("x", "nowhere", "x", "file")


def test_values_that_nobody_measured_are_not_numbers() -> None:
    """Design 3: NaN = not measured."""
    builder = small()
    key = builder.add_node("measured", "", "measured", "file", values={"sloc": 7})
    column = builder.freeze().values["sloc"]
    assert column[key] == 7
    assert np.isnan(np.delete(column, key)).all()


def test_columns_and_report_are_frozen() -> None:
    """Design 1: values are frozen dataclasses whose arrays are not writeable."""
    report = Report(1, (Skipped("x", "binary"),))
    graph = small().freeze(report)
    assert graph.report is report
    columns = (graph.parent, graph.kinds, graph.file, graph.line, graph.edges.source, graph.edges.site_ptr)
    assert not any(column.flags.writeable for column in columns)
    with pytest.raises(ValueError, match="read-only"):
        graph.parent[0] = 3


_RELATION = st.tuples(
    st.sampled_from(_ENDS),
    st.sampled_from(_ENDS),
    st.sampled_from(["import", "call"]),
    st.integers(1, 5),
    st.sampled_from(list(Confidence)),
    st.sampled_from(list(When)),
    st.lists(st.tuples(st.sampled_from(_ENDS), st.integers(1, 99)), max_size=3),
)


@given(st.lists(_RELATION, max_size=20))
def test_relations_of_one_kind_between_the_same_nodes_merge(relations: list[tuple]) -> None:
    """One edge for each (source, target, kind): weights add, sites gather, the surest marks stay."""
    builder = small()
    for source, target, kind, weight, confidence, when, sites in relations:
        builder.add_edge(
            builder.key(source), builder.key(target), kind, weight=weight, confidence=confidence, when=when, sites=sites
        )
    graph = builder.freeze()
    rows = {
        (graph.ids[graph.edges.source[e]], graph.ids[graph.edges.target[e]], graph.edges.kind_names[kind]): e
        for e, kind in enumerate(graph.edges.kind)
    }
    assert len(rows) == len(graph.edges)
    assert set(rows) == {relation[:3] for relation in relations}
    for ends, e in rows.items():
        merged = [relation for relation in relations if relation[:3] == ends]
        assert graph.edges.weight[e] == sum(weight for *_, weight, _, _, _ in merged)
        assert graph.edges.confidence[e] == min(confidence for *_, confidence, _, _ in merged)
        assert graph.edges.when[e] == min(when for *_, when, _ in merged)
        assert _places(graph, e) == [site for *_, sites in merged for site in sites]


def _places(graph: Graph, edge: int) -> list[tuple[str, int]]:
    return [(graph.files[file], line) for file, line in graph.edges.sites(edge)]
