"""Violations and cycles, on today's graph and on a planned one (NEW-5, CBV-11)."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from cbvtool.graph import EXTERNAL, Confidence, Graph, GraphBuilder, When
from cbvtool.plan import Move, Operation, Split, replay, run
from cbvtool.rules import Deny, Rules, Violation, cycles, files, folders, parse_rules, tangles, violations
from cbvtool.rules.violations import unknown_nodes
from tests.plan.strategies import plans


@pytest.fixture
def shop() -> Graph:
    """Three layers: ui > services > core; core uses ui twice, services uses ui, and one cycle in core."""
    builder = GraphBuilder("shop")
    for folder in ("ui", "services", "core", "core/deep"):
        above, _, name = folder.rpartition("/")
        builder.add_node(folder, above, name, "folder")
    for path in ("ui/view.py", "ui/page.py", "services/pay.py", "core/money.py", "core/rates.py", "core/deep/log.py"):
        builder.add_node(path, path.rpartition("/")[0], path.rpartition("/")[2], "file", file=path)
    builder.add_node("core/money.py::Money", "core/money.py", "Money", "class", file="core/money.py")

    def uses(source: str, target: str, *lines: int, kind: str = "import", when: int = When.ALWAYS) -> None:
        sites = [(source.partition("::")[0], line) for line in lines]
        builder.add_edge(builder.key(source), builder.key(target), kind, when=when, sites=sites)

    uses("ui/view.py", "services/pay.py", 1)
    uses("services/pay.py", "core/money.py", 2)
    uses("core/money.py", "ui/view.py", 3, 30)
    uses("core/money.py::Money", "ui/view.py", 30, 31, kind="call")
    uses("core/deep/log.py", "ui/page.py", 4)
    uses("core/money.py", "core/rates.py", 5)
    uses("core/rates.py", "core/money.py", 6, when=When.TYPE_CHECKING)
    uses("core/rates.py", "core/deep/log.py", 7)
    uses("core/deep/log.py", "core/rates.py", 8, when=When.DEFERRED)
    uses("services/pay.py", "ui/page.py", 9, kind="co-change")
    return builder.freeze()


def told(graph: Graph, found: list[Violation]) -> list[tuple[str, str, str, list[int]]]:
    return [(v.kind, graph.ids[v.source], graph.ids[v.target], [line for _, line in v.sites]) for v in found]


LAYERS = parse_rules('[rules]\nlayers = ["ui", "services", "core"]')


def test_a_lower_layer_must_not_use_a_higher_one(shop: Graph) -> None:
    """NEW-5: layers; relations of a file's classes count for the file, one violation for two files, with all sites."""
    assert told(shop, violations(shop, LAYERS)) == [
        ("layers", "core/money.py", "ui/view.py", [3, 30, 31]),
        ("layers", "core/deep/log.py", "ui/page.py", [4]),
    ]
    assert violations(shop, LAYERS)[0].rule == "core must not use ui, which is a higher layer"


def test_the_inner_layer_decides(shop: Graph) -> None:
    """NEW-5: a node below two layers belongs to the inner one."""
    rules = Rules(layers=("core/deep", "ui", "core"))
    assert told(shop, violations(shop, rules)) == [
        ("layers", "core/money.py", "ui/view.py", [3, 30, 31]),
        ("layers", "core/rates.py", "core/deep/log.py", [7]),
    ]


def test_denied_relations(shop: Graph) -> None:
    """NEW-5: deny, between folders, files and classes; co-change is no dependency."""
    rules = Rules(deny=(Deny("services", "core"), Deny("services", "ui"), Deny("core/money.py", "ui/view.py")))
    assert told(shop, violations(shop, rules)) == [
        ("deny", "services/pay.py", "core/money.py", [2]),
        ("deny", "core/money.py", "ui/view.py", [3, 30, 31]),
    ]


def test_cycles_leave_out_what_only_a_type_checker_imports(shop: Graph) -> None:
    """NEW-5: cycles between files; deferred imports close one, type-checking imports do not."""
    assert [[shop.ids[key] for key in members] for members in cycles(shop)] == [
        ["ui/view.py", "services/pay.py", "core/money.py"],
        ["core/rates.py", "core/deep/log.py"],
    ]
    assert [len(members) for members in cycles(shop, type_checking=True)] == [5]
    found = violations(shop, Rules(forbid_cycles=True))
    assert told(shop, found) == [
        ("cycles", "ui/view.py", "services/pay.py", [1]),
        ("cycles", "services/pay.py", "core/money.py", [2]),
        ("cycles", "core/money.py", "ui/view.py", [3, 30, 31]),
        ("cycles", "core/rates.py", "core/deep/log.py", [7]),
        ("cycles", "core/deep/log.py", "core/rates.py", [8]),
    ]
    assert found[0].rule == "no cycles: 3 files depend on one another"


def test_tangles_of_modules(shop: Graph) -> None:
    """NEW-1: cycles at the level of folders."""
    assert [[shop.ids[key] for key in members] for members in tangles(shop, folders(shop, 1))] == [
        ["ui", "services", "core"]
    ]
    assert [shop.ids[key] for key in folders(shop, 2).tolist()] == [
        "",
        "ui",
        "services",
        "core",
        "core/deep",
        "ui/view.py",
        "ui/page.py",
        "services/pay.py",
        "core/money.py",
        "core/rates.py",
        "core/deep",
        "core/money.py",
    ]


def test_rules_judge_a_planned_graph(shop: Graph) -> None:
    """NEW-1, NEW-5: after a move the file belongs to its new layer; after a split the cut relation is gone."""
    moved = replay(shop, [Move(("core/money.py",), "ui"), Move(("core/deep/log.py",), "ui")])
    assert told(moved, violations(moved, LAYERS)) == [
        ("layers", "services/pay.py", "core/money.py", [2]),
        ("layers", "core/rates.py", "core/money.py", [6]),
        ("layers", "core/rates.py", "core/deep/log.py", [7]),
    ]
    split = replay(shop, [Split("core", "ui", "services", "invert")])
    assert told(split, violations(split, LAYERS)) == [
        ("layers", "core/money.py", "plan:services/ui_interface.py", [3, 30, 31]),
        ("layers", "core/deep/log.py", "plan:services/ui_interface.py", [4]),
    ]


def test_a_rule_that_names_nothing_is_told(shop: Graph) -> None:
    """NEW-5: a typing error in a rule does not make it silently void."""
    rules = Rules(layers=("ui", "servces"), deny=(Deny("core", "web"), Deny("web", "ui")))
    assert unknown_nodes(shop, rules) == [
        "The rule “layers, highest first: ui > servces” names servces, which is not there.",
        "The rule “core must not use web” names web, which is not there.",
        "The rule “web must not use ui” names web, which is not there.",
    ]
    assert violations(shop, rules) == []


def test_a_graph_without_relations() -> None:
    """NEW-5: nothing to find is no error."""
    graph = GraphBuilder("empty").freeze()
    assert cycles(graph) == []
    assert violations(graph, Rules(("a", "b"), (Deny("a", "b"),), True)) == []


@given(plans(max_size=4))
def test_cycles_agree_with_networkx(plan: tuple[Graph, list[Operation]]) -> None:
    """NEW-1: the strongly connected sets are those networkx finds, also on planned graphs."""
    graph = run(*plan).graph
    item = files(graph)
    digraph: nx.DiGraph[int] = nx.DiGraph()
    for row in range(len(graph.edges)):
        ends = int(item[graph.edges.source[row]]), int(item[graph.edges.target[row]])
        if ends[0] != ends[1] and graph.edges.when[row] != When.TYPE_CHECKING:
            digraph.add_edge(*ends)
    expected = {tuple(sorted(c)) for c in nx.strongly_connected_components(digraph) if len(c) > 1}
    assert set(cycles(graph)) == expected
    for key in np.flatnonzero(item >= 0).tolist():
        inside = [above for above in (key, *graph.ancestors(key)) if graph.kind(above) == "file"]
        assert item[key] == (inside[0] if inside else key)


def test_guesses_break_no_rule_and_close_no_cycle(shop: Graph) -> None:
    """Nobody is told to have broken a rule because of what may not be so."""
    rules = parse_rules('[rules]\nlayers = ["ui", "services", "core"]\ncycles = "forbid"')
    edges = shop.edges
    assert violations(shop, rules)
    guesses = replace(edges, confidence=np.full(len(edges), Confidence.GUESS))
    assert violations(shop.with_(edges=guesses), rules) == []
    assert cycles(shop.with_(edges=guesses)) == []


def test_a_package_outside_can_be_forbidden() -> None:
    """It is a node like any other, and never in a cycle."""
    builder = GraphBuilder("shop")
    for path in ("ui.py", "db.py"):
        builder.add_node(path, "", path, "file", file=path)
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:sqlite3", "external", "sqlite3", EXTERNAL)
    for line, path in enumerate(("ui.py", "db.py"), start=1):
        ends = builder.key(path), builder.key("external:sqlite3")
        builder.add_edge(*ends, "import", sites=[(path, line)])
    graph = builder.freeze()
    found = violations(graph, Rules(deny=(Deny("ui.py", "external:sqlite3"),), forbid_cycles=True))
    assert told(graph, found) == [("deny", "ui.py", "external:sqlite3", [1])]
