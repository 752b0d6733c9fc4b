"""Two graphs say the same if all of their columns do (NEW-24)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.graph.same import is_same


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
