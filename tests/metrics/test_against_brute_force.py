"""Metrics of random trees against definitions taken literally (design 3 "combines upward")."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import NO_PARENT, REMOVED, Edges, Graph
from cbvtool.metrics import METRICS, Subject, evaluate, file_history
from cbvtool.metrics.combine import distinct_below
from cbvtool.metrics.history.in_range import WINDOW
from cbvtool.mining.changes import Changes

KINDS = ("project", "folder", "file", "class", "function")
START = 1_500_000_000


@st.composite
def graphs(draw: st.DrawFn, removed: bool = True) -> Graph:
    """Any tree: files in folders, but also files in files and folders without any, moved and removed nodes."""
    n = draw(st.integers(1, 14))
    parent = [NO_PARENT] + [draw(st.integers(0, key - 1)) for key in range(1, n)]
    kinds = [0] + [draw(st.sampled_from((1, 2, 2, 2, 3, 4))) for _ in range(1, n)]
    for key in range(1, n):
        above_is_gone = parent[key] >= 0 and parent[parent[key]] == REMOVED
        if removed and (above_is_gone or draw(st.integers(0, 9)) == 0):
            parent[key] = REMOVED
    shuffle = draw(st.permutations(range(1, n)))  # keys do not follow the tree, as after moves
    new = [0, *shuffle]
    column = np.empty(n, np.int32)
    kind = np.empty(n, np.int16)
    for key in range(n):
        column[new[key]] = parent[key] if parent[key] < 0 else new[parent[key]]
        kind[new[key]] = kinds[key]
    measured = st.one_of(st.just(math.nan), st.integers(0, 50).map(float))
    values = {
        name: np.array(draw(st.lists(measured, min_size=n, max_size=n)))
        for name in ("sloc", "nl3_lines", "complexity", "bytes", "commits", "last_change")
    }
    values["nl3_lines"] = np.minimum(values["nl3_lines"], values["sloc"])
    values["nl3_lines"][np.isnan(values["sloc"])] = np.nan
    none = np.full(n, -1, np.int32)
    return Graph(
        "p",
        tuple(f"n{i}" for i in range(n)),
        tuple("n" * n),
        kind,
        KINDS,
        column,
        none,
        none,
        none,
        values=values,
        edges=draw(relations(n)),
    )


@st.composite
def relations(draw: st.DrawFn, n: int) -> Edges:
    node = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(node, node, st.integers(0, 3)), max_size=20, unique=True))
    ends = np.array(rows, np.int32).reshape(-1, 3)
    zero = np.zeros(len(rows))
    return Edges(
        ends[:, 0],
        ends[:, 1],
        ends[:, 2],
        zero,
        zero,
        zero,
        np.zeros(len(rows) + 1),
        np.zeros(0),
        np.zeros(0),
        ("import", "call", "co-change", "calls back"),
    )


@st.composite
def histories(draw: st.DrawFn, graph: Graph) -> Changes:
    """Some of the files, and files that are not in the graph."""
    paths = [*(node for node in graph.ids if draw(st.booleans())), "deleted.py"]
    commits = draw(st.integers(1, 8))
    times = sorted(draw(st.lists(st.integers(0, 400), min_size=commits, max_size=commits)))
    rows = st.tuples(st.integers(0, commits - 1), st.integers(0, len(paths) - 1))
    touches = np.array(sorted(draw(st.sets(rows, max_size=30))), np.int32).reshape(-1, 2)
    return Changes(
        tuple(map(str, range(commits))),
        START + np.array(times, np.int64) * 86_400,
        np.array(draw(st.lists(st.integers(0, 2), min_size=commits, max_size=commits)), np.int32),
        ("a", "b", "c"),
        touches[:, 0].copy(),
        touches[:, 1].copy(),
        tuple(paths),
    )


def below(graph: Graph, key: int) -> set[int]:
    """Keys of the subtree, climbed from every node."""
    result = set()
    for node in range(len(graph)):
        at = node
        while at >= 0 and at != key:
            at = int(graph.parent[at])
        if at == key and graph.parent[node] != REMOVED:
            result.add(node)
    return result


def same(column: Any, expected: list[float]) -> None:
    np.testing.assert_allclose(column, np.array(expected), rtol=1e-12)  # NaN equals NaN here


def measured(graph: Graph, name: str, key: int) -> list[float]:
    return [v for k in below(graph, key) if not math.isnan(v := float(graph.values[name][k]))]


@given(graphs())
def test_sums(graph: Graph) -> None:
    """Item 3, `sum`: what was measured is summed; where nothing was, there is no value."""
    for name in ("sloc", "bytes", "complexity"):
        expected = [sum(found) if (found := measured(graph, name, k)) else math.nan for k in range(len(graph))]
        same(evaluate(name, Subject(graph)), expected)


@given(graphs())
def test_share_of_deeply_nested_lines(graph: Graph) -> None:
    """Item 3, `weighted mean`; CBV-4: NL3+ of a folder is a share of all its lines, not a mean of shares."""

    def share(key: int) -> float:
        lines = measured(graph, "sloc", key)
        if not lines:
            return math.nan
        return sum(measured(graph, "nl3_lines", key)) / sum(lines) if sum(lines) else 0.0

    column = evaluate("nl3", Subject(graph))
    same(column, [share(k) for k in range(len(graph))])
    assert not (column > 1).any()


@given(graphs())
def test_functions(graph: Graph) -> None:
    """Item 3: functions are counted; where nothing was looked into there is no figure."""

    def count(key: int) -> float:
        nodes = below(graph, key)
        found = sum(graph.kind(k) == "function" for k in nodes)
        return float(found) if found or measured(graph, "sloc", key) else math.nan

    same(evaluate("functions", Subject(graph)), [count(k) for k in range(len(graph))])


@given(graphs())
def test_recorded_history_combines_by_maximum(graph: Graph) -> None:
    """Item 11: a graph file without history columns; the largest recorded value is a lower bound."""
    for name in ("commits", "last_change"):
        expected = [max(found) if (found := measured(graph, name, k)) else math.nan for k in range(len(graph))]
        same(evaluate(name, Subject(graph)), expected)
        same(evaluate(name, Subject(graph, Changes.none("no history"))), expected)
    assert np.isnan(evaluate("authors", Subject(graph))).all()


@given(st.data())
def test_distinct_things_below(data: st.DataObject) -> None:
    """Item 3, `union`: things on any nodes, the same one on many, and many on the same."""
    graph = data.draw(graphs())
    there = np.flatnonzero(graph.parent != REMOVED).tolist()
    rows = data.draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(there)), max_size=30))
    things, keys = (np.array(column, np.int32) for column in (list(zip(*rows, strict=True)) or [(), ()]))
    expected = [len({thing for thing, key in rows if key in below(graph, k)}) for k in range(len(graph))]
    same(distinct_below(graph.tree, things, keys), expected)


@given(st.data())
def test_history(data: st.DataObject) -> None:
    """Item 3, `union`: commits and authors of a folder are distinct ones; item 5: the last six months of history."""
    graph = data.draw(graphs())
    changes = data.draw(histories(graph))
    bound = st.one_of(st.none(), st.integers(START - 86_400, START + 401 * 86_400))
    since, until = data.draw(bound), data.draw(bound)

    def rows(key: int, first: float, last: float) -> set[int]:
        files = {graph.ids[k] for k in below(graph, key) if graph.kind(k) == "file"}
        return {
            int(commit)
            for commit, path in zip(changes.touch_commit, changes.touch_path, strict=True)
            if changes.paths[path] in files and first <= changes.time[commit] <= last
        }

    def tracked(key: int) -> bool:
        return any(graph.kind(k) == "file" and graph.ids[k] in changes.paths for k in below(graph, key))

    keys = range(len(graph))
    first, last = -math.inf if since is None else since, math.inf if until is None else until
    subject = Subject(graph, changes, since, until)
    found = [rows(k, first, last) for k in keys]
    same(evaluate("commits", subject), [len(found[k]) if tracked(k) else math.nan for k in keys])
    authors = [len({changes.author[c] for c in found[k]}) if tracked(k) else math.nan for k in keys]
    same(evaluate("authors", subject), authors)
    dates = [max((float(changes.time[c]) for c in found[k]), default=math.nan) for k in keys]
    same(evaluate("last_change", subject), dates)

    end = int(changes.time[-1]) if until is None else until
    begin = end - WINDOW if since is None else since
    recent = [len(rows(k, begin, end)) if tracked(k) else math.nan for k in keys]
    same(evaluate("change_frequency", subject), recent)


@given(st.data())
def test_moved_file_keeps_its_history(data: st.DataObject) -> None:
    """Design 3: a plan changes parents; what happened to a file goes with it."""
    graph = data.draw(graphs(removed=False))
    changes = data.draw(histories(graph))
    key = data.draw(st.integers(0, len(graph) - 1))
    elsewhere = [k for k in range(len(graph)) if k not in below(graph, key)]
    if not elsewhere:
        return
    parent = graph.parent.copy()
    parent[key] = data.draw(st.sampled_from(elsewhere))
    moved = graph.with_(parent=parent)
    for name in ("commits", "change_frequency", "authors", "last_change"):
        before, after = evaluate(name, Subject(graph, changes)), evaluate(name, Subject(moved, changes))
        assert np.array_equal(before[key], after[key], equal_nan=True)
        root = graph.root
        assert np.array_equal(before[root], after[root], equal_nan=True)


@given(graphs())
def test_fan_in_and_fan_out(graph: Graph) -> None:
    """Item 3, `recompute`: distinct files outside, neither in the node nor holding it, by dependencies alone."""

    def file_of(key: int) -> int:
        at = key
        while at >= 0:
            if graph.kind(at) == "file":
                return at
            at = int(graph.parent[at])
        return key

    def related(key: int, near: Any, far: Any) -> float:
        if graph.parent[key] == REMOVED:
            return math.nan
        inside, found = below(graph, key), set()
        for a, b, kind in zip(near.tolist(), far.tolist(), graph.edges.kind.tolist(), strict=True):
            if kind < 2 and a in inside and graph.parent[b] != REMOVED:
                file = file_of(b)
                if file not in inside and key not in below(graph, file):
                    found.add(file)
        return float(len(found))

    keys, edges = range(len(graph)), graph.edges
    same(evaluate("fan_in", Subject(graph)), [related(k, edges.target, edges.source) for k in keys])
    same(evaluate("fan_out", Subject(graph)), [related(k, edges.source, edges.target) for k in keys])


@given(st.data())
def test_file_history_is_that_of_the_files(data: st.DataObject) -> None:
    """Item 11: what is recorded in a graph file stands on files only, and survives without the history."""
    graph = data.draw(graphs())
    changes = data.draw(histories(graph))
    recorded = file_history(graph, changes)
    is_file = np.array([graph.kind(k) == "file" for k in range(len(graph))])
    assert set(recorded) == {"change_frequency", "commits", "authors", "last_change"}
    again = Subject(graph.with_(values={**graph.values, **recorded}))
    for name, column in recorded.items():
        assert np.isnan(column[~is_file]).all()
        np.testing.assert_array_equal(column[is_file], evaluate(name, Subject(graph, changes))[is_file])
        folder = evaluate(name, again)
        assert (folder[is_file & ~np.isnan(column)] >= column[is_file & ~np.isnan(column)]).all()


@given(st.data())
def test_every_column_is_read_only_and_empty_for_removed_nodes(data: st.DataObject) -> None:
    """Design 3: keys of removed nodes stay taken; values are frozen."""
    graph = data.draw(graphs())
    changes = data.draw(st.one_of(st.none(), histories(graph)))
    for name in METRICS:
        column = evaluate(name, Subject(graph, changes))
        assert column.dtype == np.float64
        assert column.shape == (len(graph),)
        assert not column.flags.writeable
        assert np.isnan(column[graph.parent == REMOVED]).all()
