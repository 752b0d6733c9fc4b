"""Paths and impact against networkx, an independent judge, on random graphs (NEW-19, DND-10)."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool import analyze
from cbvtool.asking.impact import counts_by_kind, impact
from cbvtool.asking.paths import shortest_paths
from cbvtool.asking.steps import Steps, steps
from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.metrics.structure.users import parts
from tests.graph.strategies import graphs


def walks(graph: Graph, kinds: frozenset[str] | None = None) -> nx.DiGraph:
    """Every node twice, as a user and as what is used; only a relation costs something."""
    judge: nx.DiGraph[tuple[str, int]] = nx.DiGraph()
    for key in np.flatnonzero(graph.parent != REMOVED).tolist():
        judge.add_edge(("used", key), ("user", key), weight=0)
    for whole, part in zip(*(column.tolist() for column in parts(graph)), strict=True):
        judge.add_edge(("used", whole), ("used", part), weight=0)
    edges = graph.edges
    for row in range(len(edges)):
        ends = int(edges.source[row]), int(edges.target[row])
        kind = edges.kind_names[edges.kind[row]]
        if kind in ("co-change", "calls back") or not (kinds is None or kind in kinds):
            continue
        if all(graph.parent[list(ends)] != REMOVED):
            judge.add_edge(("user", ends[0]), ("used", ends[1]), weight=1)
    return judge


def judged_paths(graph: Graph, source: int, target: int) -> set[tuple[tuple[int, int], ...]]:
    """All shortest chains of (user, used)."""
    judge = walks(graph)
    a, b = graph.tree.below((source,)), graph.tree.below((target,))
    judge.add_nodes_from(("start", "goal"))
    for key in np.flatnonzero(a & ~b).tolist():
        judge.add_edge("start", ("user", key), weight=0)
    for key in np.flatnonzero(b & ~a).tolist():
        judge.add_edge(("used", key), "goal", weight=0)
    if not nx.has_path(judge, "start", "goal"):
        return set()
    found = set()
    for nodes in nx.all_shortest_paths(judge, "start", "goal", weight="weight"):
        ends = [node for node in nodes if node not in ("start", "goal")]
        pairs = pairwise(ends)
        found.add(tuple((x[1], y[1]) for x, y in pairs if (x[0], y[0]) == ("user", "used")))
    return found


def nodes_of(graph: Graph) -> list[int]:
    return np.flatnonzero(graph.parent != REMOVED).tolist()


@given(graphs(), st.data())
def test_paths_are_those_of_networkx(graph: Graph, data: st.DataObject) -> None:
    """NEW-19: all shortest ones, no others, each once; every relation of them."""
    ends = st.sampled_from(nodes_of(graph))
    source, target = data.draw(ends), data.draw(ends)
    wanted = judged_paths(graph, source, target) if source != target else set()
    found = shortest_paths(graph, steps(graph), source, target, most=10_000)
    chains = [tuple((step.user, step.used) for step in chain) for chain in found.chains]
    assert set(chains) == wanted
    assert len(chains) == len(set(chains)) == found.total
    assert {row for chain in found.chains for step in chain for row in step.rows} == set(found.rows.tolist())
    few = shortest_paths(graph, steps(graph), source, target, most=2)
    assert few.chains == found.chains[:2]
    assert few.total == found.total


@given(graphs(), st.data())
def test_impact_is_that_of_networkx(graph: Graph, data: st.DataObject) -> None:
    """DND-10: the ancestors in the graph of uses, at their distances, by kind and depth."""
    changed = data.draw(st.sampled_from(nodes_of(graph)))
    kinds = data.draw(st.sampled_from([None, frozenset({"import"}), frozenset({"call"}), frozenset()]))
    depth = data.draw(st.integers(0, 3))
    judge = walks(graph, kinds).reverse()
    inside = graph.tree.below((changed,))
    far = nx.multi_source_dijkstra_path_length(judge, {("used", key) for key in np.flatnonzero(inside).tolist()})
    wanted = {key: length for (what, key), length in far.items() if what == "user" and not inside[key] and length > 0}
    wanted = {key: length for key, length in wanted.items() if not depth or length <= depth}
    found = impact(graph, steps(graph), (changed,), kinds=kinds, depth=depth)
    assert dict(zip(found.node.tolist(), found.distance.tolist(), strict=True)) == wanted
    assert found.distance.tolist() == sorted(found.distance.tolist())
    for position, key in enumerate(found.node.tolist()):
        rows = found.rows_of(position)
        assert len(rows)
        assert set(graph.edges.source[rows].tolist()) == {key}
    table = counts_by_kind(graph, found)
    assert sum(map(sum, table.values())) >= len(found)
    assert all(sum(row[at] for row in table.values()) >= 1 for at in range(int(found.distance.max(initial=0))))


@given(graphs(), st.data())
def test_both_directions_agree(graph: Graph, data: st.DataObject) -> None:
    """Who is affected by a change of B, at which distance, is who reaches B, by chains of which length."""
    target = data.draw(st.sampled_from(nodes_of(graph)))
    ways = steps(graph)
    found = impact(graph, ways, (target,))
    distance = dict(zip(found.node.tolist(), found.distance.tolist(), strict=True))
    for source in nodes_of(graph):
        if len(graph.children(source)) == 0 and not graph.is_below(source, target):
            assert shortest_paths(graph, ways, source, target).length == distance.get(source, 0)


@pytest.fixture
def shop() -> Graph:
    """page calls Order.total, a method of a class that price makes; a test calls page; util is used by nobody."""
    builder = GraphBuilder("shop")
    for file, test in (("page.py", 0), ("order.py", 0), ("price.py", 0), ("tests/test_page.py", 1), ("util.py", 0)):
        folder, _, name = file.rpartition("/")
        if folder:
            builder.add_node(folder, "", folder, "folder")
        builder.add_node(file, folder, name, "file", file=file, values={"test": float(test)})
    builder.add_node("order.py::Order", "order.py", "Order", "class", file="order.py", line=1)
    builder.add_node("order.py::Order.total", "order.py::Order", "total", "function", file="order.py", line=2)
    builder.add_node("page.py::show", "page.py", "show", "function", file="page.py", line=4)
    builder.add_node("tests/test_page.py::test_show", "tests/test_page.py", "test_show", "function", line=3)
    for user, used, kind, line in (
        ("page.py::show", "order.py::Order.total", "call", 5),
        ("page.py", "order.py", "import", 1),
        ("price.py", "order.py::Order", "type", 7),
        ("tests/test_page.py::test_show", "page.py::show", "call", 4),
        ("order.py", "util.py", "co-change", 1),
    ):
        file = user.partition("::")[0]
        builder.add_edge(builder.key(user), builder.key(used), kind, sites=[(file, line)])
    return builder.freeze()


def ids(graph: Graph, keys: object) -> list[str]:
    return [graph.ids[key] for key in np.asarray(keys).tolist()]


def test_a_class_stands_for_its_methods(shop: Graph) -> None:
    """Who uses the class is affected when a method changes; tests are told apart; changing together is no use."""
    ways: Steps = steps(shop)
    found = impact(shop, ways, (shop.key_of["order.py::Order.total"],))
    names = ids(shop, found.node)
    assert set(names) == {"page.py::show", "price.py", "tests/test_page.py::test_show"}
    assert dict(zip(names, found.distance.tolist(), strict=True))["tests/test_page.py::test_show"] == 2
    assert ids(shop, found.node[found.test]) == ["tests/test_page.py::test_show"]
    assert counts_by_kind(shop, found) == {"call": (1, 1), "type": (1, 0)}
    assert len(impact(shop, ways, (shop.key_of["util.py"],))) == 0
    assert len(impact(shop, ways, tuple(range(len(shop))))) == 0, "nobody is left outside"


def test_why_does_the_test_reach_the_order(shop: Graph) -> None:
    """NEW-19: between subtrees, with the sites; none in the other direction."""
    key = shop.key_of
    ways = steps(shop)
    found = shortest_paths(shop, ways, key["tests"], key["order.py"])
    [chain] = found.chains
    assert found.length == 2
    assert [shop.ids[step.used] for step in chain] == ["page.py::show", "order.py::Order.total"]
    assert [shop.edges.sites(row)[0][1] for step in chain for row in step.rows] == [4, 5]
    assert shortest_paths(shop, ways, key["order.py"], key["tests"]).length == 0
    assert shortest_paths(shop, ways, key["page.py"], key["page.py"]).total == 0


def test_on_real_code() -> None:
    """NEW-19, DND-10: every file of the installed flask package against networkx."""
    spec = importlib.util.find_spec("flask")
    assert spec is not None
    assert spec.origin is not None
    graph = analyze(Path(spec.origin).parent, history=False, jobs=1)
    assert len(graph.edges) > 200
    ways, judge = steps(graph), walks(graph).reverse()
    files = [key for key in nodes_of(graph) if graph.kind(key) == "file"]
    reached = 0
    for key in files:
        inside = graph.tree.below((key,))
        far = nx.multi_source_dijkstra_path_length(judge, {("used", k) for k in np.flatnonzero(inside).tolist()})
        wanted = {k: length for (what, k), length in far.items() if what == "user" and not inside[k] and length > 0}
        found = impact(graph, ways, (key,))
        assert dict(zip(found.node.tolist(), found.distance.tolist(), strict=True)) == wanted
        reached += len(wanted)
    assert reached > 100
    for source in files:
        target = graph.key_of["globals.py"]
        if source != target:
            found_paths = shortest_paths(graph, ways, source, target, most=10_000)
            chains = {tuple((step.user, step.used) for step in chain) for chain in found_paths.chains}
            assert chains == judged_paths(graph, source, target)
