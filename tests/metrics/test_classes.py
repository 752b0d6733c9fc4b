"""Categorical metrics, and other ways to combine (CBV-13, CBV-4): against brute force."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.metrics import METRICS, Subject, evaluate
from cbvtool.metrics.aggregate import AGGREGATIONS, aggregated, choices, own_way, with_aggregation
from cbvtool.metrics.classes import most_of
from cbvtool.mining.changes import Changes
from tests.metrics.test_against_brute_force import below, graphs


@given(graphs(), st.data())
def test_the_class_that_most_of_a_subtree_is_of(graph: Graph, data: st.DataObject) -> None:
    """CBV-13: the heaviest class of each subtree; of equal ones the first; none where there is nothing."""
    alive = [key for key in range(len(graph)) if graph.tree.pos[key] >= 0]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(alive), st.integers(0, 3), st.integers(1, 5)), max_size=20))
    key, kind, weight = (np.array([row[c] for row in rows], np.int32) for c in range(3))
    found, _ = most_of(graph.tree, key, kind, weight.astype(np.float64))
    for node in range(len(graph)):
        totals = [0.0] * 4
        inside = below(graph, node)
        for where, which, amount in rows:
            totals[which] += amount if where in inside else 0
        expected = float(np.argmax(totals)) if any(totals) else math.nan
        assert found[node] == pytest.approx(expected, nan_ok=True)


@given(graphs(), st.sampled_from(["sum", "mean", "weighted", "median", "max"]))
def test_other_ways_to_combine(graph: Graph, how: str) -> None:
    """CBV-13: from the innermost nodes that have a value."""
    column, lines = (evaluate(name, Subject(graph)) for name in ("complexity", "sloc"))
    found = aggregated(graph, column, how, lines)
    units = {
        key
        for key in range(len(graph))
        if not math.isnan(column[key]) and all(math.isnan(column[k]) for k in below(graph, key) - {key})
    }
    for node in range(len(graph)):
        here = sorted(below(graph, node) & units)
        values = [float(column[key]) for key in here]
        weights = [float(np.nan_to_num(lines[key])) for key in here]
        expected = math.nan
        if how == "weighted":
            weighted = sum(value * weight for value, weight in zip(values, weights, strict=True))
            expected = weighted / sum(weights) if sum(weights) else math.nan
        elif values:
            expected = {"sum": sum, "mean": statistics.mean, "median": statistics.median, "max": max}[how](values)
        assert found[node] == pytest.approx(expected, nan_ok=True), (how, node)


def test_what_can_be_chosen_means_something() -> None:
    """CBV-13: no sums of shares and dates, no means of classes, and never what the metric does anyhow."""
    assert choices(METRICS["complexity"]) == ("mean", "weighted", "median", "max")
    assert choices(METRICS["nl3"]) == ("mean", "median", "max")
    assert choices(METRICS["last_change"]) == ("mean", "weighted", "median")
    assert choices(METRICS["commits"]) == tuple(AGGREGATIONS)
    assert choices(METRICS["kind"]) == ()
    for metric in METRICS.values():
        assert own_way(metric)


def test_a_metric_says_how_it_is_combined() -> None:
    """The name in legends and tooltips: nobody takes a mean for a sum."""
    metric = METRICS["complexity"]
    assert with_aggregation(metric, "") is metric
    assert with_aggregation(metric, "mean").label == "Mean cyclomatic complexity"
    assert with_aggregation(metric, "mean").combine != "sum"
    assert with_aggregation(METRICS["commits"], "sum").combine == "sum"


@pytest.fixture
def mixed() -> Graph:
    """Two Python files, a larger C file, a text."""
    builder = GraphBuilder("mixed")
    for name, lines in {"a.py": 10.0, "b.py": 20.0, "c.c": 100.0}.items():
        builder.add_node(name, "", name, "file", file=name, values={"sloc": lines})
    builder.add_node("README", "", "README", "file", file="README")
    return builder.freeze()


def test_a_class_is_written_by_its_name(mixed: Graph) -> None:
    """CBV-13: a legend says Python, not 2; the language of a folder is that of most of its lines."""
    subject = Subject(mixed)
    language = METRICS["language"].of(subject)
    column = evaluate("language", subject)
    assert [language.show(column[mixed.key_of[node]]) for node in ("a.py", "c.c", "README", "")] == [
        "Python",
        "C",
        "no suffix",
        "C",
    ]
    assert language.show(math.nan) == "not measured"
    assert METRICS["sloc"].of(subject) is METRICS["sloc"]


def test_authors_have_short_names_unless_these_are_the_same() -> None:
    """Names on legends: what stands before the @, the whole address where two would be called alike."""
    changes = replace(
        Changes.none(""), authors=("ann@x.org", "7+bob@users.noreply.github.com", "eve@x.org", "eve@y.org", "nobody")
    )
    names = METRICS["main_author"].names
    assert names is not None
    graph = GraphBuilder("empty").freeze()
    assert names(Subject(graph, changes)) == ("ann", "bob", "eve@x.org", "eve@y.org", "nobody")
    assert np.isnan(evaluate("main_author", Subject(graph))).all()
