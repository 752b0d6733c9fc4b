"""The table of metrics and how it is asked."""

from __future__ import annotations

import gc
import math
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest

from cbvtool import metrics
from cbvtool.errors import Cancelled, InputError
from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.metrics import METRICS, Column, Metric, Subject, evaluate, file_history
from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn
from tests.layout.cases import random_graph

JULY = 1_625_100_000  # 2021-07-01 00:40 UTC
DAY = 86_400


@pytest.fixture
def graph() -> Graph:
    """pack/a.py (30 lines, function f with 10 of them nested), pack/b.py, a text."""
    builder = GraphBuilder("shop")
    builder.add_node("pack", "", "pack", "package")
    builder.add_node(
        "pack/a.py",
        "pack",
        "a.py",
        "file",
        file="pack/a.py",
        values={"sloc": 20, "bytes": 900, "comments": 8, "nesting": 1},
    )
    builder.add_node(
        "pack/a.py::f",
        "pack/a.py",
        "f",
        "function",
        file="pack/a.py",
        line=3,
        end_line=20,
        values={
            "sloc": 10,
            "nl3_lines": 6,
            "complexity": 4,
            "statements": 7,
            "nesting": 3,
            "parameters": 2,
            "comments": 2,
        },
    )
    builder.add_node("pack/b.py", "pack", "b.py", "file", file="pack/b.py", values={"sloc": 0, "bytes": 0})
    builder.add_node("notes.txt", "", "notes.txt", "file", file="notes.txt", values={"bytes": 5})
    builder.add_edge(builder.key("pack/b.py"), builder.key("pack/a.py"), "import")
    builder.add_edge(builder.key("notes.txt"), builder.key("pack/a.py"), "reference")
    return builder.freeze()


@pytest.fixture
def changes() -> Changes:
    """a.py changed by two people a year ago and now, b.py together with it now, a file that is gone in between."""
    return Changes(
        sha=("1", "2", "3"),
        time=np.array([JULY - 365 * DAY, JULY - 100 * DAY, JULY]),
        author=np.array([0, 0, 1], np.int32),
        authors=("ann", "bob"),
        touch_commit=np.array([0, 1, 2, 2], np.int32),
        touch_path=np.array([0, 2, 0, 1], np.int32),
        paths=("pack/a.py", "pack/b.py", "gone.py"),
        subjects=("Begin", "Go on", "Fix it"),
        churn=Churn(np.array([5, 1, 2, 4], np.int32), np.array([0, -1, 2, 0], np.int32)),
    )


def value(graph: Graph, name: str, node: str, changes: Changes | None = None) -> float:
    return float(evaluate(name, Subject(graph, changes))[graph.key_of[node]])


def test_names_and_order_of_the_menu() -> None:
    """Item 8: the metrics that mappings and the command line name."""
    assert list(METRICS) == [
        "sloc",
        "bytes",
        "leaves",
        "statements",
        "functions",
        "comment_share",
        "nl3",
        "nesting",
        "complexity",
        "parameters",
        "change_frequency",
        "commits",
        "churn",
        "added_lines",
        "deleted_lines",
        "fix_share",
        "hot_spots",
        "hot_spot_rank",
        "authors",
        "main_author",
        "main_author_share",
        "last_change",
        "more_changes",
        "file_age",
        "fan_in",
        "transitive_users",
        "fan_out",
        "transitive_uses",
        "instability",
        "unused",
        "kind",
        "language",
    ]
    assert all(metric.label and metric.description for metric in METRICS.values())


def test_values_of_a_small_project(graph: Graph, changes: Changes) -> None:
    """Items 3 and 5: every metric once, by hand."""
    expected: dict[str, dict[str, float]] = {
        "sloc": {"pack/a.py": 30, "pack/a.py::f": 10, "pack": 30, "notes.txt": math.nan, "": 30},
        "bytes": {"pack/a.py": 900, "pack": 900, "": 905, "pack/a.py::f": math.nan},
        "leaves": {"pack/a.py::f": 1, "pack/a.py": 1, "pack": 2, "": 3, "notes.txt": 1},
        "nl3": {"pack/a.py::f": 0.6, "pack/a.py": 0.2, "pack/b.py": 0, "pack": 0.2, "notes.txt": math.nan},
        "complexity": {"pack/a.py": 4, "pack": 4, "pack/b.py": math.nan},
        "functions": {"pack/a.py": 1, "pack/b.py": 0, "": 1, "notes.txt": math.nan},
        "commits": {"pack/a.py": 2, "pack/b.py": 1, "pack": 2, "": 2, "notes.txt": math.nan, "pack/a.py::f": math.nan},
        "change_frequency": {"pack/a.py": 1, "pack/b.py": 1, "pack": 1, "": 1},
        "authors": {"pack/a.py": 2, "pack/b.py": 1, "pack": 2},
        "last_change": {"pack/a.py": JULY, "pack": JULY, "notes.txt": math.nan},
        "more_changes": {"pack/a.py": 0, "pack/b.py": 1, "pack": 0, "notes.txt": math.nan},
        "fan_in": {"pack/a.py": 2, "pack": 1, "": 0, "pack/b.py": 0, "pack/a.py::f": 0},
        "fan_out": {"pack/b.py": 1, "notes.txt": 1, "pack": 0, "": 0},
        "transitive_users": {"pack/a.py": 2, "pack": 1, "pack/a.py::f": 0},
        "transitive_uses": {"pack/b.py": 1, "notes.txt": 1, "pack/a.py": 0},
        "instability": {"pack/a.py": 0, "pack/b.py": 1, "pack": 0, "": math.nan, "pack/a.py::f": math.nan},
        "unused": {"pack/a.py": math.nan, "": math.nan},
        "statements": {"pack/a.py::f": 7, "pack/a.py": 7, "": 7, "pack/b.py": math.nan},
        "nesting": {"pack/a.py::f": 3, "pack/a.py": 3, "": 3, "pack/b.py": math.nan},
        "parameters": {"pack/a.py::f": 2, "": 2, "notes.txt": math.nan},
        "comment_share": {"pack/a.py::f": 1 / 6, "pack/a.py": 0.25, "": 0.25, "notes.txt": math.nan},
        "churn": {"pack/a.py": 9, "pack/b.py": 4, "pack": 13, "": 13, "notes.txt": math.nan, "pack/a.py::f": math.nan},
        "added_lines": {"pack/a.py": 7, "pack/b.py": 4, "pack": 11},
        "deleted_lines": {"pack/a.py": 2, "pack/b.py": 0, "pack": 2},
        "fix_share": {"pack/a.py": 0.5, "pack/b.py": 1, "pack": 0.5, "notes.txt": math.nan},
        "hot_spot_rank": {"pack/a.py": 1, "pack": 1, "pack/b.py": math.nan, "pack/a.py::f": math.nan},
        "main_author_share": {"pack/a.py": 0.5, "pack/a.py::f": 0.5, "pack/b.py": 1, "notes.txt": math.nan},
        "file_age": {"pack/a.py": 365, "pack/b.py": 0, "pack": 365, "notes.txt": math.nan},
        "hot_spots": {"pack/a.py": 4, "pack": 4, "pack/b.py": math.nan, "pack/a.py::f": math.nan},
        "main_author": {"pack/a.py": 0, "pack/a.py::f": 0, "pack/b.py": 1, "pack": 1, "": 1, "notes.txt": math.nan},
        "kind": {"pack": graph.kind_names.index("package"), "pack/a.py::f": graph.kind_names.index("function")},
        "language": {"notes.txt": 0, "pack/a.py": 1, "pack/a.py::f": 1, "pack": 1, "": 1},
    }
    assert set(expected) == set(METRICS)
    for name, of_node in expected.items():
        found = {node: value(graph, name, node, changes) for node in of_node}
        assert found == pytest.approx(of_node, nan_ok=True), name


def test_last_six_months_are_those_of_the_history(graph: Graph, changes: Changes) -> None:
    """CBV-4, item 5: 183 days up to the last commit, its ends included; not of today."""
    for days, counted in ((183, 2), (184, 1)):
        moved = replace(changes, time=np.array([JULY - days * DAY, JULY - 100 * DAY, JULY]))
        assert value(graph, "change_frequency", "pack/a.py", moved) == counted


def test_time_range_of_the_timeline(graph: Graph, changes: Changes) -> None:
    """CBV-9: dragging a time range recomputes every history metric; both ends belong to it."""
    early = Subject(graph, changes, JULY - 365 * DAY, JULY - 365 * DAY)
    key = graph.key_of["pack/a.py"]
    assert [evaluate(n, early)[key] for n in ("change_frequency", "commits", "authors")] == [1, 1, 1]
    assert evaluate("last_change", early)[key] == JULY - 365 * DAY
    empty = Subject(graph, changes, JULY + DAY, JULY - DAY)
    assert evaluate("commits", empty)[key] == 0
    assert np.isnan(evaluate("last_change", empty)[key])


def test_columns_go_with_their_graph() -> None:
    """Asking again is free as long as the graph is there, and keeps no graph alive."""
    graphs = [random_graph(20, 10, seed=seed) for seed in range(4)]
    columns = [evaluate("sloc", Subject(graph)) for graph in graphs]
    for since in range(200):  # time ranges: few are kept
        evaluate("commits", Subject(graphs[0], None, since))
    assert len(metrics._columns[graphs[0]]) == metrics._KEPT
    assert all(
        evaluate("sloc", Subject(graph)) is column for graph, column in zip(graphs[1:], columns[1:], strict=True)
    )
    there = [ref(graph) for graph in graphs]
    del graphs
    gc.collect()
    assert [graph() for graph in there] == [None] * 4


def test_recorded_columns_stand_in_for_the_history(graph: Graph, changes: Changes) -> None:
    """Item 11: a graph that was saved without its history columns."""
    saved = graph.with_(values={**graph.values, **file_history(graph, changes)})
    assert value(saved, "commits", "pack/a.py") == value(saved, "commits", "pack") == 2
    assert value(saved, "change_frequency", "") == 1
    assert value(saved, "last_change", "pack") == JULY
    assert math.isnan(value(saved, "authors", "notes.txt"))


def test_graph_without_any_measurement() -> None:
    """Item 3: graphs come from other tools as well."""
    builder = GraphBuilder("bare")
    builder.add_node("x", "", "x", "module")
    graph = builder.freeze()
    for name in METRICS:
        column = evaluate(name, Subject(graph))
        if name == "leaves":
            assert column.tolist() == [1, 1]
        elif name == "kind":
            assert [graph.kind_names[int(row)] for row in column] == ["project", "module"]
        else:
            assert np.isnan(column).all() or (name.startswith(("fan", "transitive")) and (column == 0).all())


def test_removed_file_does_not_disturb_the_others(graph: Graph, changes: Changes) -> None:
    """Design 3: a plan removes nodes; a commit that touched one of them still touched the rest."""
    parent = graph.parent.copy()
    parent[graph.key_of["pack/b.py"]] = REMOVED
    rest = graph.with_(parent=parent)
    for name in ("commits", "authors", "change_frequency"):
        column = evaluate(name, Subject(rest, changes))
        assert np.isnan(column[graph.key_of["pack/b.py"]])
        for node in ("", "pack", "pack/a.py"):
            assert column[graph.key_of[node]] == value(graph, name, "pack/a.py", changes)


def test_unknown_metric_is_named(graph: Graph) -> None:
    """Item 10: `--height METRIC` with a name that does not exist."""
    with pytest.raises(InputError, match="no metric 'slok'; there are: sloc, bytes"):
        evaluate("slok", Subject(graph))


def test_same_question_is_answered_once(graph: Graph, changes: Changes) -> None:
    """Design 1: inputs are compared by identity; equal subjects made anew do not compute anew."""
    calls = []

    def compute(subject: Subject) -> Column:
        calls.append(subject)
        return np.zeros(len(subject.graph))

    table = {"m": Metric("m", "M", "", "neither", "sum", compute)}
    first = evaluate("m", Subject(graph, changes, 1, 2), table)
    assert evaluate("m", Subject(graph, changes, 1, 2), table) is first
    assert len(calls) == 1
    evaluate("m", Subject(graph, changes, 1, 3), table)
    evaluate("m", Subject(graph, None, 1, 2), table)
    evaluate("m", Subject(graph.with_(name="other"), changes, 1, 2), table)
    evaluate("m", Subject(graph, changes, 1, 2), {"m": replace(table["m"], label="another of that name")})
    assert len(calls) == 5


def test_a_measurement_can_be_stopped(graph: Graph) -> None:
    """What its progress raises ends it; nothing is kept of it, and it is no part of the question."""

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    for name in ("transitive_users", "transitive_uses", "unused"):
        with pytest.raises(Cancelled):
            evaluate(name, Subject(graph, progress=stop))
        column = evaluate(name, Subject(graph))
        assert evaluate(name, Subject(graph, progress=stop)) is column


def test_plugin_that_returns_a_wrong_shape(graph: Graph) -> None:
    """Item 9: a broken metric is told from its result."""
    table = {"m": Metric("m", "M", "", "neither", "sum", lambda subject: np.zeros(3))}
    with pytest.raises(ValueError, match=r"'m' gave an array of shape \(3,\)"):
        evaluate("m", Subject(graph), table)


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("sloc", 12345.0, "12,345 lines"),
        ("sloc", math.nan, "not measured"),
        ("nl3", 0.25, "25 %"),
        ("nl3", 0.0, "0 %"),
        ("nl3", 0.1234, "12.3 %"),
        ("nl3", 0.0526, "5.3 %"),
        ("nl3", 0.00974, "0.97 %"),
        ("nl3", 0.00002, "< 0.01 %"),
        ("nl3", 0.99999, "100 %"),
        ("nl3", 0.00999, "1 %"),
        ("change_frequency", 7.0, "7 commits"),
        ("change_frequency", 1.0, "1 commit"),
        ("change_frequency", 0.0, "0 commits"),
        ("last_change", float(JULY), "2021-07-01"),
        ("last_change", 1e15, "1,000,000,000,000,000 seconds since 1970"),
        ("last_change", math.nan, "not measured"),
        ("fan_in", 3.0, "3 files"),
    ],
)
def test_values_for_people(name: str, number: float, text: str) -> None:
    """CBV-8: absolute values with their units."""
    assert METRICS[name].show(number) == text
