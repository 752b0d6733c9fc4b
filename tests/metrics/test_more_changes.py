"""Changed more than before: a range against the pinned one, by a count one by one (CBV-9, NEW-17)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.metrics import METRICS, evaluate
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes

TOUCHES = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1), (5, 0), (5, 1), (7, 1)]  # (commit, path); commit c at time 10 c


@pytest.fixture
def graph() -> Graph:
    builder = GraphBuilder("p")
    builder.add_node("src", "", "src", "folder")
    for name in ("a.py", "b.py"):
        builder.add_node(f"src/{name}", "src", name, "file", file=f"src/{name}")
    return builder.freeze()


@pytest.fixture
def changes() -> Changes:
    return Changes(
        tuple(str(row) for row in range(10)),
        np.arange(0, 100, 10, dtype=np.int64),
        np.zeros(10, np.int32),
        ("ada",),
        np.array([commit for commit, _ in TOUCHES], np.int32),
        np.array([path for _, path in TOUCHES], np.int32),
        ("src/a.py", "src/b.py"),
    )


def counted(paths: set[int], first: int, last: int) -> int:
    return len({commit for commit, path in TOUCHES if path in paths and first <= 10 * commit <= last})


@pytest.mark.parametrize(
    ("pinned", "other"),
    [
        ((), (-11, 19)),  # as long a time before
        (((0, 19),), (0, 19)),
        (((0, 19), (0, 9)), (0, 9)),
        (((0, 19), (20, 50)), (0, 19)),  # the range itself is none to compare it with
    ],
)
def test_the_difference_is_for_ranges_of_one_length(
    graph: Graph, changes: Changes, pinned: tuple[tuple[int, int], ...], other: tuple[int, int]
) -> None:
    now = (20, 50)
    column = evaluate("more_changes", Subject(graph, changes, *now, pinned=pinned))
    scale = (now[1] - now[0] + 1) / (other[1] - other[0] + 1)
    for node, paths in (("src/a.py", {0}), ("src/b.py", {1}), ("src", {0, 1})):
        expected = counted(paths, *now) - scale * counted(paths, *other)
        assert column[graph.key_of[node]] == pytest.approx(expected)


def test_what_changed_less_is_below_zero(graph: Graph, changes: Changes) -> None:
    column = evaluate("more_changes", Subject(graph, changes, 60, 99, pinned=((20, 59),)))
    assert column[graph.key_of["src/b.py"]] < 0


def test_without_a_range_it_is_about_the_last_six_months_and_without_commits_not_measured(
    graph: Graph, changes: Changes
) -> None:
    """Nothing lies before the ten commits, which are of one minute and a half."""
    column = evaluate("more_changes", Subject(graph, changes))
    assert column[graph.key_of["src/b.py"]] == counted({1}, 0, 100)
    assert np.isnan(evaluate("more_changes", Subject(graph))).all()
    assert np.isnan(evaluate("more_changes", Subject(graph, Changes.none("no history")))).all()


def test_another_range_counts_sizes_not_anew(graph: Graph, changes: Changes) -> None:
    """CBV-9: while a range is dragged, only metrics of the history are measured."""
    first = Subject(graph, changes, 0, 50)
    second = replace(first, until=60, pinned=((1, 2),))
    for name, metric in METRICS.items():
        same = evaluate(name, first) is evaluate(name, second)
        assert same is not metric.history, name
