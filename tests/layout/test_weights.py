"""From combined metric columns back to what each node weighs (CBV-4)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.layout.weights import own_part, own_weight
from tests.graph.strategies import graphs


@given(graphs(), st.integers(0, 2**32 - 1))
def test_own_parts_of_a_sum_are_what_was_summed(graph: Graph, seed: int) -> None:
    """CBV-4: the angle of a summed metric comes out as it was measured on the nodes themselves."""
    own = np.random.default_rng(seed).integers(0, 1000, len(graph)).astype(np.float64)
    own[graph.parent == REMOVED] = 0
    summed = graph.tree.subtree_sum(own)
    np.testing.assert_array_equal(own_part(graph, summed), own)


@given(graphs(), st.integers(0, 2**32 - 1), st.booleans())
def test_a_node_weighs_its_value_when_nothing_below_was_measured(graph: Graph, seed: int, summed: bool) -> None:
    """CBV-4: a file's value is shared out to what it consists of; the file is as wide as its value."""
    rng = np.random.default_rng(seed)
    column = np.where(rng.random(len(graph)) < 0.5, np.nan, rng.integers(0, 100, len(graph)))
    weight = own_weight(graph, column, summed=summed)
    for key in graph.tree.order.tolist():
        below = graph.subtree(key)
        measured = column[below] > 0
        if measured.sum() == 1 and measured[0]:
            np.testing.assert_allclose(np.nansum(weight[below]), column[key])
            leaves = [k for k in below.tolist() if len(graph.children(k)) == 0]
            np.testing.assert_allclose(weight[leaves], column[key] / len(leaves))


def test_values_of_files_reach_their_functions() -> None:
    """CBV-4: change frequency is known for files only; expanding a file splits its extent evenly."""
    builder = GraphBuilder("shop")
    builder.add_node("a.py", "", "a.py", "file")
    builder.add_node("a.py::f", "a.py", "f", "function")
    builder.add_node("a.py::g", "a.py", "g", "function")
    builder.add_node("b.py", "", "b.py", "file")
    weight = own_weight(builder.freeze(), np.array([12.0, 8, np.nan, np.nan, 6]), summed=False)
    np.testing.assert_array_equal(weight, [np.nan, np.nan, 4, 4, 6])


def test_remainders_of_rounding_weigh_nothing() -> None:
    """A folder whose files' sums do not add up to the last bit must not get a slot of its own."""
    builder = GraphBuilder("shop")
    for name in "abc":
        builder.add_node(name, "", name, "file")
    column = np.array([0.1 + 0.2 + 0.3, 0.3, 0.2, 0.1])
    assert column[0] - column[1:].sum() != 0
    np.testing.assert_array_equal(own_part(builder.freeze(), column), [0, 0.3, 0.2, 0.1])
