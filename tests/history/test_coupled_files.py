"""NEW-12: files that change together as relations of the picture, which nothing takes for dependencies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cbvtool.asking.impact import impact
from cbvtool.asking.paths import shortest_paths
from cbvtool.asking.steps import steps
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import coupled as judged_pairs
from cbvtool.assessment.prepared import prepare
from cbvtool.errors import InputError
from cbvtool.graph import Graph, GraphBuilder, are_dependencies, are_uses
from cbvtool.graph.kinds import CO_CHANGE, HIDDEN
from cbvtool.history.coupled_files import CouplingOptions, coupled_in, with_coupling
from cbvtool.metrics import METRICS, evaluate
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes
from cbvtool.project import Project
from cbvtool.rules import cycles, parse_rules, violations
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.follower import SecondSession
from tests.history.histories import history

PATHS = ("core/a.py", "core/b.py", "web/c.py", "gone.py")
# a changes with c five times (3 of them with b), c twice alone; b rarely; so a -> c, and b is too rare.
CHANGES = history([[0, 2]] * 2 + [[0, 1, 2]] * 3 + [[2]] * 2 + [[3]] * 8, PATHS)
ON = HIDDEN - {CO_CHANGE}


def shop() -> Graph:
    """Three files in two folders, of which one uses another."""
    builder = GraphBuilder("shop")
    for folder in ("core", "web"):
        builder.add_node(folder, "", folder, "folder")
    for path in PATHS[:3]:
        builder.add_node(path, path.partition("/")[0], path.partition("/")[2], "file", file=path)
    builder.add_edge(builder.key("core/a.py"), builder.key("core/b.py"), "import")
    return builder.freeze()


def session(changes: Changes | None = CHANGES) -> Session:
    """With the shop open."""
    opened = Session()
    opened.open(Project(Path("shop"), "shop", shop(), changes, "", "graph"))
    return opened


def pairs(graph: Graph) -> list[tuple[str, str, float]]:
    """The relations of the kind."""
    edges = graph.edges
    rows = [row for row in range(len(edges)) if edges.kind_names[edges.kind[row]] == CO_CHANGE]
    return [(graph.ids[edges.source[r]], graph.ids[edges.target[r]], float(edges.weight[r])) for r in rows]


def test_what_often_changes_together_is_a_relation_of_the_files() -> None:
    """NEW-12: at least so many change sets, more often than by chance, from what seldom changes alone to the other."""
    graph = shop()
    assert pairs(with_coupling(graph, coupled_in(graph, CHANGES, CouplingOptions(), None, None))) == [
        ("core/a.py", "web/c.py", 5.0)
    ]
    few = coupled_in(graph, CHANGES, CouplingOptions(least=3, lift=1.0), 2, 4)
    assert pairs(with_coupling(graph, few)) == [
        ("core/a.py", "core/b.py", 3.0),
        ("core/a.py", "web/c.py", 3.0),
        ("core/b.py", "web/c.py", 3.0),
    ]
    assert pairs(with_coupling(graph, coupled_in(graph, CHANGES, CouplingOptions(lift=9.0), None, None))) == []


def test_relations_of_the_kind_that_came_with_a_graph_stay_alone() -> None:
    """NEW-12: a file may bring its own; there is at most one relation of a kind between two nodes."""
    builder = GraphBuilder("given")
    for path in PATHS[:3]:
        builder.add_node(path, "", path, "file", file=path)
    builder.add_edge(1, 2, CO_CHANGE)
    graph = builder.freeze()
    assert with_coupling(graph, coupled_in(graph, CHANGES, CouplingOptions(), None, None)) is graph


def test_it_is_off_by_default_and_follows_range_and_options() -> None:
    """NEW-12: a relation kind in the view, off by default; the time range and what counts as coupled can be changed."""
    opened = session()
    heard: list[Change] = []
    opened.subscribe(heard.append)
    assert pairs(opened.graph) == []
    opened.show_kind(CO_CHANGE, shown=True)
    assert pairs(opened.graph) == [("core/a.py", "web/c.py", 5.0)]
    assert heard == [Change.TRACE, Change.VIEW]
    opened.set_view(expanded=frozenset(range(len(opened.graph))))
    assert opened.scene().lifted.weight.tolist() == [1.0, 5.0]
    opened.set_view(since=2)
    assert pairs(opened.graph) == []
    opened.coupling.choose(CouplingOptions(least=3, lift=1.0))
    assert len(pairs(opened.graph)) == 3
    with pytest.raises(InputError, match="tickets"):
        opened.coupling.choose(CouplingOptions(ticket="("))
    assert opened.coupling.options == CouplingOptions(least=3, lift=1.0)
    opened.show_kind(CO_CHANGE, shown=False)
    assert opened.graph is opened.state.bare


def test_it_is_not_offered_without_a_history() -> None:
    """NEW-12: a graph without commits has nothing to show; asking for it does no harm."""
    opened = session(None)
    assert not opened.coupling.is_offered
    opened.show_kind(CO_CHANGE, shown=True)
    assert opened.graph is opened.state.bare


def test_it_survives_a_plan() -> None:
    """NEW-12: what a plan moves keeps its couplings; what it removes has none."""
    opened = session()
    opened.show_kind(CO_CHANGE, shown=True)
    opened.move([opened.graph.key_of["web/c.py"]], opened.graph.key_of["core"])
    assert pairs(opened.graph) == [("core/a.py", "web/c.py", 5.0)]
    opened.remove([opened.graph.key_of["web/c.py"]])
    assert pairs(opened.graph) == []


def test_a_second_view_shows_it_by_itself_with_the_same_options() -> None:
    """NEW-12: each view has its own kinds; what counts as coupled is the same."""
    first = session()
    second = SecondSession(first, lambda run: run())
    second.begin(second.beginning())
    second.show_kind(CO_CHANGE, shown=True)
    assert pairs(first.graph) == []
    assert len(pairs(second.graph)) == 1
    first.show_kind(CO_CHANGE, shown=True)
    first.coupling.choose(CouplingOptions(least=3, lift=1.0))
    assert len(pairs(second.graph)) == len(pairs(first.graph)) == 3
    second.close_down()


def test_nothing_takes_it_for_a_dependency() -> None:
    """NEW-12: rules, cycles, users, paths, impact, metrics and judgement are the same with it as without."""
    graph = shop()
    coupled = with_coupling(graph, coupled_in(graph, CHANGES, CouplingOptions(least=3, lift=0.0), None, None))
    assert len(coupled.edges) == len(graph.edges) + 3
    assert int(are_dependencies(coupled.edges).sum()) == int(are_uses(coupled.edges).sum()) == len(graph.edges)
    rules = parse_rules('[rules]\nlayers = ["web", "core"]\nforbid_cycles = true')
    assert violations(coupled, rules) == violations(graph, rules) == []
    assert cycles(coupled) == cycles(graph) == []
    a, c = graph.key_of["core/a.py"], graph.key_of["web/c.py"]
    assert not shortest_paths(coupled, steps(coupled), a, c).chains
    assert not len(impact(coupled, steps(coupled), (c,)))
    for name, metric in METRICS.items():
        if metric.combine == "recompute":
            without, beside = (evaluate(name, Subject(one, CHANGES)) for one in (graph, coupled))
            assert np.array_equal(without, beside, equal_nan=True), name
    choice, together = ModuleChoice(), judged_pairs(graph, CHANGES)
    alone, both_kinds = (prepare(one, one, rules, choice, coupled=together).figures for one in (graph, coupled))
    assert alone == both_kinds
