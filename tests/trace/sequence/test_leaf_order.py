"""Leaves ordered by their calls: shorter, never longer, within their containers (EX-6)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import GraphBuilder
from cbvtool.trace.sequence.icicles import Icicle, icicle
from cbvtool.trace.sequence.leaf_order import call_length, leaf_order


def made(seed: int, nodes: int) -> Icicle:
    """The icicle of a random tree of which some nodes are called."""
    rng, built, names = np.random.default_rng(seed), GraphBuilder("project"), [""]
    for number in range(nodes):
        above = names[int(rng.integers(0, len(names)))]
        built.add_node(f"n{number}", above, f"n{number}", "class")
        names.append(f"n{number}")
    graph = built.freeze()
    return icicle(graph, rng.random(len(graph)) < 0.7, np.zeros(len(graph), np.bool_), elsewhere=seed % 2 == 0)


def calls(columns: int, pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """caller, callee, count."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, columns, pairs), rng.integers(0, columns, pairs), rng.integers(1, 20, pairs)


@given(st.integers(0, 500), st.integers(1, 30), st.integers(1, 60))
def test_calls_get_no_longer_and_containers_stay_whole(seed: int, nodes: int, pairs: int) -> None:
    """EX-6: a permutation; each box still has columns beside each other; what a container does itself stays first."""
    shown = made(seed, nodes)
    if not len(shown):
        return
    caller, callee, count = calls(len(shown), pairs, seed)
    place = leaf_order(shown, caller, callee, count)
    assert sorted(place.tolist()) == list(range(len(shown)))
    before = call_length(caller, callee, count, np.arange(len(shown)))
    assert call_length(caller, callee, count, place) <= before
    for box in range(len(shown.key)):
        columns = np.sort(place[shown.first[box] : shown.last[box]])
        assert np.array_equal(columns, np.arange(columns[0], columns[0] + len(columns)))
        if shown.own[box] and shown.parent[box] >= 0:
            around = shown.parent[box]
            assert place[shown.first[box]] == place[shown.first[around] : shown.last[around]].min()


@given(st.integers(0, 300))
def test_five_leaves_are_nearly_as_short_as_can_be(seed: int) -> None:
    """EX-6: within a third of the best of all orders, and mostly the best."""
    built = GraphBuilder("project")
    for number in range(5):
        built.add_node(f"n{number}", "", f"n{number}", "function")
    graph = built.freeze()
    called = np.arange(len(graph)) > 0
    shown = icicle(graph, called, np.zeros(len(graph), np.bool_))
    caller, callee, count = calls(5, 8, seed)
    found = call_length(caller, callee, count, leaf_order(shown, caller, callee, count))
    best = min(call_length(caller, callee, count, np.array(each)) for each in permutations(range(5)))
    assert best <= found <= best * 4 / 3 + 1e-9


def test_a_chain_is_put_in_order() -> None:
    """EX-6: 40 functions that call each the next, shuffled: neighbours again."""
    built = GraphBuilder("project")
    for number in range(40):
        built.add_node(f"n{number:02}", "", f"n{number:02}", "function")
    graph = built.freeze()
    shown = icicle(graph, np.arange(len(graph)) > 0, np.zeros(len(graph), np.bool_))
    shuffled = np.random.default_rng(1).permutation(40)
    place = leaf_order(shown, shuffled[:-1], shuffled[1:], np.ones(39, np.int64))
    before = call_length(shuffled[:-1], shuffled[1:], np.ones(39, np.int64), np.arange(40))
    assert call_length(shuffled[:-1], shuffled[1:], np.ones(39, np.int64), place) < before / 4
