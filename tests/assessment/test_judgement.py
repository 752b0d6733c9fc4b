"""NEW-1: figures of a plan, against brute force and networkx; and after a step, against the same from nothing."""

from __future__ import annotations

from dataclasses import astuple, replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cbvtool.assessment.after import compare, judge, judge_change
from cbvtool.assessment.change import moving
from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.assessment.modules import WAYS, ModuleChoice
from cbvtool.assessment.places import FOLDERS
from cbvtool.assessment.prepared import Coupled, prepare
from cbvtool.assessment.reach import feedback
from cbvtool.graph import REMOVED, Graph
from cbvtool.plan import Operation, run
from cbvtool.plan.draft import Draft
from cbvtool.plan.lower import Refused, lower
from cbvtool.rules import Deny, Rules
from tests.assessment.judged import Obvious, Together
from tests.plan.strategies import plans


@st.composite
def judged_plans(draw: st.DrawFn) -> tuple[Graph, list[Operation]]:
    """Plans on graphs with one more kind of relations, which is no dependency, with guesses, and tests."""
    base, operations = draw(plans(max_size=8))
    edges, chance = base.edges, np.random.default_rng(draw(st.integers(0, 99)))
    names = (*edges.kind_names, "calls back")
    call = edges.kind_names.index("call") if "call" in edges.kind_names else -1
    other = (edges.kind == call) & (chance.random(len(edges)) < 0.4)  # pairs of call and calls back stay different
    guessed = np.where(chance.random(len(edges)) < 0.15, 2, edges.confidence)
    edges = replace(
        edges, kind=np.where(other, len(edges.kind_names), edges.kind), kind_names=names, confidence=guessed
    )
    tests = np.where(chance.random(len(base)) < 0.15, 1.0, np.nan)
    return base.with_(edges=edges, values={**base.values, "test": tests}), operations


@st.composite
def ways(draw: st.DrawFn, base: Graph, *, insides: bool = True) -> tuple[Rules, ModuleChoice, Together | None]:
    """Rules (about what lies in files, too: `insides`), modules, and which files changed together, for a graph."""
    node = st.sampled_from([*base.ids[1:], "plan:1"])
    whole = [key for key in base.ids[1:] if insides or base.kind(base.key_of[key]) in (*FOLDERS, "file")]
    denied = st.sampled_from([*whole, "plan:1"] if insides else whole)
    rules = Rules(
        tuple(draw(st.lists(node, max_size=3, unique=True))),
        tuple(Deny(user, used) for user, used in draw(st.lists(st.tuples(denied, denied), max_size=2))),
        draw(st.booleans()),
    )
    modules = ModuleChoice(draw(st.sampled_from(sorted(WAYS))), draw(st.integers(1, 3)), draw(st.booleans()))
    key = st.integers(1, len(base) - 1)
    pairs = draw(st.none() | st.dictionaries(st.tuples(key, key), st.integers(1, 9), max_size=5))
    return rules, modules, None if pairs is None else {pair: n for pair, n in pairs.items() if pair[0] < pair[1]}


def coupled_of(together: Together | None) -> Coupled | None:
    if together is None:
        return None
    columns = np.array([(*pair, times) for pair, times in together.items()], np.int64).reshape(-1, 3)
    return Coupled(*columns.T)


def alike(found: Figures, expected: Figures) -> bool:
    return all(
        a == pytest.approx(b, abs=1e-9) if isinstance(a, float) else a == b
        for a, b in zip(astuple(found)[:-2], astuple(expected)[:-2], strict=True)
    )


@given(judged_plans(), st.data())
def test_figures_are_those_of_brute_force_and_networkx(
    plan: tuple[Graph, list[Operation]], data: st.DataObject
) -> None:
    """NEW-1: rules, tangles, Q, TurboMQ, relations and co-change across, sites, disruption, propagation cost, CCD."""
    base, operations = plan
    graph = run(base, operations).graph
    rules, modules, together = data.draw(ways(base))
    there = np.flatnonzero(graph.parent != REMOVED).tolist()
    root = data.draw(st.sampled_from([0, *there]))
    prepared = prepare(base, graph, rules, modules, root=root, coupled=coupled_of(together))
    expected = Obvious(base, graph, rules, modules, root).figures(together, reach=True)
    assert alike(prepared.figures, expected), (prepared.figures, expected)
    assert expected.reach is not None
    assert prepared.reach.ccd == expected.reach.ccd
    assert prepared.reach.propagation_cost == pytest.approx(expected.reach.propagation_cost)
    assert prepared.reach.nccd == pytest.approx(expected.reach.nccd)


@given(judged_plans(), st.data())
def test_a_step_is_judged_as_the_graph_after_it(plan: tuple[Graph, list[Operation]], data: st.DataObject) -> None:
    """NEW-1: every figure found from what a step changes equals the same from nothing, for all operations."""
    base, operations = plan
    rules, modules, together = data.draw(ways(base))
    coupled = coupled_of(together)
    graph = base
    for operation in operations:
        try:
            primitives = lower(operation, Draft(graph))
        except Refused:
            continue
        event(type(operation).__name__)
        there = np.flatnonzero(graph.parent != REMOVED).tolist()
        root = data.draw(st.sampled_from([0, 0, *there]))
        prepared = prepare(base, graph, rules, modules, root=root, coupled=coupled)
        graph = run(graph, [operation]).graph
        if graph.parent[root] == REMOVED:
            continue
        after = prepare(base, graph, rules, modules, root=root, coupled=coupled)
        judgement = judge(prepared, primitives)
        assert judgement == compare(prepared, after) or alike_judgements(judgement, compare(prepared, after))


def alike_judgements(found: Judgement, expected: Judgement) -> bool:
    both = (found.after, expected.after)
    return alike(*both) and found.after.reach == expected.after.reach and found.before == expected.before


@given(judged_plans(), st.data())
def test_a_drag_is_judged_as_the_graph_after_the_drop(plan: tuple[Graph, list[Operation]], data: st.DataObject) -> None:
    """NEW-1: several nodes at once, given as keys, over any container."""
    base, operations = plan
    graph = run(base, operations).graph
    rules, modules, together = data.draw(ways(base, insides=False))
    there = np.flatnonzero(graph.parent != REMOVED).tolist()
    target = data.draw(st.sampled_from(there))
    free = [key for key in there if key != 0 and not graph.is_below(target, key)]
    keys = data.draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True)) if free else []
    keys = [key for key in keys if not any(graph.is_below(key, other) for other in keys if other != key)]
    coupled = coupled_of(together)
    prepared = prepare(base, graph, rules, modules, coupled=coupled)
    parent = graph.parent.copy()
    parent[keys] = target
    after = prepare(base, graph.with_(parent=parent), rules, modules, coupled=coupled)
    assert alike_judgements(judge_change(prepared, moving(keys, target)), compare(prepared, after))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_without_the_feedback_relations_there_is_no_cycle(arcs: list[tuple[int, int]]) -> None:
    """NEW-1: feedback arcs are what the name says, none where there is no cycle, and no more than half of them."""
    net = nx.DiGraph([(a, b) for a, b in arcs if a != b])
    ends = np.array(list(net.edges), np.int64).reshape(-1, 2)
    found = feedback(ends[:, 0], ends[:, 1])
    assert set(found) <= set(net.edges)
    inside = [len(net.subgraph(part).edges) for part in nx.strongly_connected_components(net)]
    assert len(found) <= sum(inside) / 2
    assert (not found) == nx.is_directed_acyclic_graph(net)
    net.remove_edges_from(found)
    assert nx.is_directed_acyclic_graph(net)
