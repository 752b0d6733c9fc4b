"""Two graphs say the same if all of their columns do (NEW-24)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.graph.same import column_on, common_keys, is_same


def built(**other: Any) -> Graph:
    """Two files, one relation; `other` in place of what is usual."""
    usual: dict[str, Any] = {"name": "b.py", "line": 3, "sloc": 5.0, "kind": "import", "site": 2} | other
    builder = GraphBuilder("g")
    first = builder.add_node(
        "a.py", "", "a.py", "file", file="a.py", line=1, end_line=9, values={"sloc": usual["sloc"]}
    )
    second = builder.add_node("b.py", "", str(usual["name"]), "file", file="b.py", line=usual["line"], end_line=9)
    builder.add_edge(first, second, str(usual["kind"]), sites=[("a.py", usual["site"])])
    return builder.freeze()


def test_built_twice_is_the_same() -> None:
    """What was not measured equals itself."""
    assert is_same(built(), built())


@pytest.mark.parametrize("other", [{"name": "c.py"}, {"line": 4}, {"sloc": 6.0}, {"kind": "call"}, {"site": 3}])
def test_any_difference_counts(other: dict[str, object]) -> None:
    assert not is_same(built(), built(**other))


def test_the_report_and_measures_count() -> None:
    graph = built()
    assert not is_same(graph, graph.with_(report=replace(graph.report, notes=("more",))))
    assert not is_same(graph, graph.with_(values={**graph.values, "more": np.zeros(len(graph))}))
    assert not is_same(graph, graph.with_(values={"sloc": np.zeros(len(graph))}))


def test_keys_that_name_the_same_node_in_two_graphs() -> None:
    """Of two plans for one base: what they create has one key, and is not the same."""

    def made(*nodes: str) -> Graph:
        builder = GraphBuilder("g")
        for node in nodes:
            builder.add_node(node, "", node, "file")
        return builder.freeze()

    one, other, renamed = made("a", "b", "x"), made("a", "b", "y", "z"), made("a", "c", "x")
    assert common_keys(range(-1, 9), one, other) == common_keys(range(-1, 9), other, one) == [0, 1, 2]
    assert common_keys(range(9), one, one.with_(names=("g", "1", "2", "3"))) == [0, 1, 2, 3]
    column = np.array([0.0, 1.0, 2.0, 3.0])
    assert column_on(column, one, one.with_(names=("g", "1", "2", "3"))) is column
    assert np.array_equal(column_on(column, one, other), [0, 1, 2, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(column_on(column, one, renamed), [0, 1, np.nan, 3], equal_nan=True)
    assert np.array_equal(column_on(column, one, made("a")), [0, 1])
