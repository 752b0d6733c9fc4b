"""Metrics that came with a graph from elsewhere: what the file says, summed up where it says nothing (NEW-3)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.metrics import METRICS, Subject, evaluate
from cbvtool.metrics.recorded import given_or_sum, recorded
from cbvtool.project import open_project
from tests.metrics.test_against_brute_force import graphs


def firm(values: dict[str, dict[str, float]]) -> Graph:
    """boss over ann and bob, ann over cyd and dan."""
    builder = GraphBuilder("firm")
    for name, above in {"boss": "", "ann": "boss", "bob": "boss", "cyd": "ann", "dan": "ann"}.items():
        builder.add_node(name, above, name, "person", values=values.get(name, {}))
    return builder.freeze()


def values_of(graph: Graph, name: str) -> dict[str, float]:
    column = evaluate(name, Subject(graph), {**METRICS, **recorded(graph, METRICS)})
    return {node: float(column[key]) for node, key in graph.key_of.items() if not math.isnan(column[key])}


def test_values_of_the_innermost_nodes_are_summed_up() -> None:
    graph = firm({"cyd": {"seats": 2}, "bob": {"seats": 3}})
    assert values_of(graph, "seats") == {"": 5, "boss": 5, "ann": 2, "bob": 3, "cyd": 2}
    assert recorded(graph)["seats"].combine == "sum"


def test_what_the_file_says_about_an_inner_node_wins() -> None:
    """A manager's salary is no sum of others; who has none given has that of those below, taken as they are given."""
    graph = firm({"boss": {"salary": 90}, "cyd": {"salary": 40}, "dan": {"salary": 50}, "bob": {"salary": 60}})
    assert values_of(graph, "salary") == {"": 90, "boss": 90, "ann": 90, "bob": 60, "cyd": 40, "dan": 50}
    assert recorded(graph)["salary"].combine == "recompute", "its parts do not add up to it"


def test_only_what_no_other_metric_reads() -> None:
    graph = firm({"cyd": {"sloc": 1, "comments": 2, "nl3_lines": 1, "test": 1, "standard": 0, "age": 7, "seats": 3}})
    assert set(recorded(graph, METRICS)) == {"age", "seats"}


def test_a_folder_brings_none(tmp_path: Path) -> None:
    """All that the analysis and the history record is read by a metric."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("import json\n# c\ndef f(x):\n    if x:\n        return json\n")
    graph = open_project(tmp_path, jobs=1).graph
    assert {"test", "standard"} <= set(graph.values), "so this test can fail"
    assert recorded(graph, METRICS) == {}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("salary", "Salary"),
        ("net_salary", "Net salary"),
        ("", "(no name)"),
        ("a\nb\x07", "A b\\x07"),
        ("x" * 99, "X" + "x" * 36 + "..."),
        ("LoC", "LoC"),
    ],
)
def test_names_for_people(name: str, label: str) -> None:
    """They come from a file: on one line, and not longer than a menu."""
    metric = recorded(firm({"cyd": {name: 1}}))[name]
    assert (metric.name, metric.label, metric.unit, metric.worse) == (name, label, "", "neither")


@given(graphs(), st.data())
def test_against_the_definition(graph: Graph, data: st.DataObject) -> None:
    """Given, else the sum of the children that have a value, else not measured."""
    value = st.one_of(st.just(math.nan), st.integers(-5, 50).map(float))
    given_ = np.array(data.draw(st.lists(value, min_size=len(graph), max_size=len(graph))))

    def expected(key: int) -> float:
        if graph.parent[key] == REMOVED:
            return math.nan
        if not math.isnan(given_[key]):
            return float(given_[key])
        below = [v for child in graph.children(key).tolist() if not math.isnan(v := expected(child))]
        return sum(below) if below else math.nan

    np.testing.assert_array_equal(given_or_sum(graph, given_), [expected(key) for key in range(len(graph))])
