"""Lifting to a frontier conserves weight, and follows moves."""

import math
from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Graph, lift
from tests.graph.strategies import graphs


def frontier(graph: Graph, expanded: set[int]) -> np.ndarray:
    """int32[n]: the visible key that stands for each key when `expanded` are open, by naive recursion."""
    item_of = np.full(len(graph), -1, np.int32)

    def mark(key: int, item: int) -> None:
        item_of[key] = item
        for child in graph.children(key).tolist():
            mark(child, child if key in expanded and item == key else item)

    mark(graph.root, graph.root)
    return item_of


@st.composite
def frontiers(draw: st.DrawFn) -> tuple[Graph, np.ndarray]:
    """A graph with weights that add up exactly, and any frontier of it."""
    graph = draw(graphs())
    weight = np.array(draw(st.lists(st.integers(0, 100), min_size=len(graph.edges), max_size=len(graph.edges))))
    edges = graph.edges.__class__(**{**vars(graph.edges), "weight": weight.astype(np.float32)})
    graph = graph.with_(edges=edges)
    return graph, frontier(graph, draw(st.sets(st.sampled_from(graph.tree.order.tolist()))))


@given(frontiers())
def test_lifting_conserves_weight_and_count(drawn: tuple[Graph, np.ndarray]) -> None:
    """What is between two items is the sum of what is between what they stand for."""
    graph, item_of = drawn
    edges, lifted = graph.edges, lift(graph.edges, item_of)
    weight, count = defaultdict[tuple[int, int], float](float), Counter[tuple[int, int]]()
    for source, target, amount in zip(edges.source, edges.target, edges.weight, strict=True):
        pair = int(item_of[source]), int(item_of[target])
        if -1 not in pair and pair[0] != pair[1]:
            weight[pair] += float(amount)
            count[pair] += 1
    pairs = list(zip(lifted.source.tolist(), lifted.target.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert dict(zip(pairs, lifted.count.tolist(), strict=True)) == count
    assert {pair: w for pair, w in zip(pairs, lifted.weight.tolist(), strict=True) if w} == +weight


@given(frontiers())
def test_every_edge_knows_the_lifted_one(drawn: tuple[Graph, np.ndarray]) -> None:
    """An edge vanishes only inside one item, or when an end is not there."""
    graph, item_of = drawn
    edges, lifted = graph.edges, lift(graph.edges, item_of)
    for row, of in enumerate(lifted.of_edge.tolist()):
        pair = item_of[edges.source[row]], item_of[edges.target[row]]
        if of < 0:
            assert pair[0] == pair[1] or -1 in pair
        else:
            assert (lifted.source[of], lifted.target[of]) == pair


@given(frontiers(), st.data())
def test_edges_survive_moves(drawn: tuple[Graph, np.ndarray], data: st.DataObject) -> None:
    """Design 3: keys are stable, so a move changes no edge: all weight is still there at the finest frontier."""
    graph, _ = drawn
    keys = graph.tree.order.tolist()
    moved = data.draw(st.sampled_from(keys))
    targets = [key for key in keys if not graph.is_below(key, moved)]
    if not targets:  # the root cannot be moved
        return
    parent = graph.parent.copy()
    parent[moved] = data.draw(st.sampled_from(targets))
    after = graph.with_(parent=parent)
    assert after.edges is graph.edges
    everything = np.where(graph.parent == REMOVED, -1, np.arange(len(graph), dtype=np.int32)).astype(np.int32)
    before, later = lift(graph.edges, everything), lift(after.edges, frontier(after, set(keys)))
    for name in ("source", "target", "weight", "count", "of_edge"):
        assert getattr(before, name).tolist() == getattr(later, name).tolist()


@given(frontiers(), st.data())
def test_only_the_edges_that_are_kept_count(drawn: tuple[Graph, np.ndarray], data: st.DataObject) -> None:
    """CBV-7: relation kinds can be hidden."""
    graph, item_of = drawn
    rows = len(graph.edges)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), np.bool_)
    lifted, taken = lift(graph.edges, item_of, keep), lift(graph.edges.take(keep), item_of)
    assert lifted.source.tolist() == taken.source.tolist()
    assert lifted.target.tolist() == taken.target.tolist()
    assert math.isclose(lifted.weight.sum(), taken.weight.sum())
    assert (lifted.of_edge[~keep] == -1).all()
