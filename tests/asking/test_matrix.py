"""The dependency matrix against SciPy and NetworkX (NEW-10)."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array

from cbvtool.asking.matrix import Matrix, Things, children_of, matrix, runs, subtrees_of
from cbvtool.graph import Edges, Graph, GraphBuilder

PAIRS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=60)


def edges_of(pairs: list[tuple[int, int]]) -> Edges:
    """One edge for each pair, all of one kind."""
    column = np.array(pairs, np.int32).reshape(-1, 2)
    zero = np.zeros(len(pairs))
    return Edges(column[:, 0], column[:, 1], zero, zero + 1, zero, zero, np.zeros(len(pairs) + 1), [], [], ("call",))


def fifteen() -> Things:
    """Things 0 to 14, three nodes in a row each."""
    return Things(np.arange(0, 45, 3, dtype=np.int32), np.zeros(15, bool), np.repeat(np.arange(15, dtype=np.int32), 3))


def dense(made: Matrix) -> np.ndarray:
    """The whole matrix, with everything in it read by `between`."""
    n = len(made)
    return np.array([[made.between(row, column) for column in range(n)] for row in range(n)]).reshape(n, n)


@given(PAIRS, st.booleans())
def test_cells_are_those_of_a_sparse_product(pairs: list[tuple[int, int]], by_cycles: bool) -> None:
    """A^T R A, where A says which node belongs to which thing, without the diagonal."""
    spread = [(3 * a + (a + b) % 3, 3 * b + (a * b) % 3) for a, b in pairs]
    made = matrix(edges_of(spread), fifteen(), by_cycles=by_cycles)
    relations = coo_array((np.ones(len(spread)), tuple(zip(*spread, strict=True)) or ([], [])), shape=(45, 45))
    belongs = coo_array((np.ones(45), (np.arange(45), np.arange(45) // 3)), shape=(45, 15))
    wanted = (belongs.T @ relations @ belongs).toarray()
    np.fill_diagonal(wanted, 0)
    place = made.key // 3
    np.testing.assert_array_equal(dense(made), wanted[np.ix_(place, place)])
    assert sorted(made.key.tolist()) == list(range(0, 45, 3))


@given(PAIRS)
def test_everything_stands_after_what_it_uses(pairs: list[tuple[int, int]]) -> None:
    """In the order by cycles, only cells of one cycle lie above the diagonal; cycles are NetworkX' components."""
    made = matrix(edges_of([(3 * a, 3 * b) for a, b in pairs]), fifteen(), by_cycles=True)
    above = made.column > made.row
    assert (made.cycle[made.row[above]] >= 0).all()
    assert (made.cycle[made.row[above]] == made.cycle[made.column[above]]).all()
    judge = nx.DiGraph([(a, b) for a, b in pairs if a != b])
    wanted = {frozenset(part) for part in nx.strongly_connected_components(judge) if len(part) > 1}
    found = {frozenset((made.key[first:last] // 3).tolist()) for first, last in made.blocks}
    assert found == wanted
    assert (
        sorted(at for first, last in made.blocks for at in range(first, last))
        == np.flatnonzero(made.cycle >= 0).tolist()
    )


@given(PAIRS, st.integers(1, 6))
def test_merging_neighbours_is_summing(pairs: list[tuple[int, int]], step: int) -> None:
    """OC-4: a merged cell counts what it merges, and nothing else."""
    made = matrix(edges_of([(3 * a, 3 * b) for a, b in pairs]), fifteen())
    merged = made.coarser(step)
    whole, size = dense(made), len(merged)
    wanted = np.zeros((size, size), int)
    for row, column in np.ndindex(15, 15):
        if row // step != column // step:
            wanted[row // step, column // step] += whole[row, column]
    np.testing.assert_array_equal(dense(merged), wanted)
    assert merged.step == (step if step > 1 else 1)


@given(PAIRS, st.tuples(*[st.integers(0, 15)] * 4))
def test_a_window_is_a_part_of_the_whole(pairs: list[tuple[int, int]], bounds: tuple[int, int, int, int]) -> None:
    made = matrix(edges_of([(3 * a, 3 * b) for a, b in pairs]), fifteen())
    rows, columns = slice(*sorted(bounds[:2])), slice(*sorted(bounds[2:]))
    counts, cyclic = made.window(rows, columns)
    np.testing.assert_array_equal(counts, dense(made)[rows, columns])
    same = (made.cycle[:, None] == made.cycle[None, :]) & (made.cycle[:, None] >= 0) & (dense(made) > 0)
    np.testing.assert_array_equal(cyclic, same[rows, columns])


def shop() -> Graph:
    """core holds a.py (with f) and b.py, ui holds c.py; a -> b, b -> a, c -> core, f -> c."""
    builder = GraphBuilder("shop")
    for node, parent, kind in (
        ("core", "", "folder"),
        ("core/a.py", "core", "file"),
        ("core/a.py::f", "core/a.py", "function"),
        ("core/b.py", "core", "file"),
        ("ui", "", "folder"),
        ("ui/c.py", "ui", "file"),
    ):
        builder.add_node(node, parent, node.rpartition("/")[2].rpartition(":")[2], kind)
    for user, used in (
        ("core/a.py", "core/b.py"),
        ("core/b.py", "core/a.py"),
        ("ui/c.py", "core"),
        ("core/a.py::f", "ui/c.py"),
    ):
        builder.add_edge(builder.key(user), builder.key(used), "import")
    return builder.freeze()


def test_children_with_what_their_parent_is_itself() -> None:
    """A relation that ends at the parent has a row of its own; without one there is none."""
    graph = shop()
    core = graph.key_of["core"]
    things = children_of(graph, core)
    assert [graph.ids[key] for key in things.key] == ["core", "core/a.py", "core/b.py"]
    assert things.own.tolist() == [True, False, False]
    assert things.item_of[graph.key_of["core/a.py::f"]] == 1
    assert things.item_of[graph.key_of["ui/c.py"]] == -1
    made = matrix(graph.edges, things)
    assert dense(made).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    none = np.ones(len(graph.edges), bool) & (graph.edges.target != core)
    assert not children_of(graph, core, none).own.any()


def test_chosen_nodes_count_with_their_subtrees() -> None:
    graph = shop()
    made = matrix(graph.edges, subtrees_of(graph, [graph.key_of["core"], graph.key_of["ui"]]), by_cycles=True)
    assert dense(made).tolist() == [[0, 1], [1, 0]]
    assert made.blocks == ((0, 2),)


def test_runs_name_the_deepest_that_is_wide_enough() -> None:
    graph = shop()
    keys = np.array([graph.key_of[node] for node in ("core/a.py::f", "core/b.py", "ui/c.py")], np.int32)
    assert [(a, b, graph.ids[key]) for a, b, key in runs(graph, keys, 2)] == [(0, 2, "core")]
    assert [graph.ids[key] for _, _, key in runs(graph, keys, 1)] == ["core/a.py::f", "core/b.py", "ui/c.py"]
    assert runs(graph, keys, 4) == []


def test_nothing_at_all() -> None:
    graph = GraphBuilder("empty").freeze()
    made = matrix(graph.edges, subtrees_of(graph, []), by_cycles=True)
    assert len(made) == 0
    assert made.window(slice(0, 0), slice(0, 0))[0].shape == (0, 0)
