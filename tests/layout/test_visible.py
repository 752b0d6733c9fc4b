"""The visible tree (CBV-6): which nodes are items, in preorder, and which item stands for each node."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from cbvtool.graph import REMOVED, GraphBuilder
from cbvtool.layout.visible import visible_tree
from tests.layout.cases import Case, cases


def naive(case: Case) -> list[tuple[int, bool, int]]:
    """(key, slot, level) of the items in preorder, by recursion over the definition."""
    graph = case.graph
    items: list[tuple[int, bool, int]] = []

    def visit(key: int, level: int) -> None:
        items.append((key, False, level))
        children = [int(c) for c in graph.children(key) if int(c) not in case.hidden]
        if (key in case.expanded or key == case.root) and children:
            ends = set(graph.edges.source.tolist()) | set(graph.edges.target.tolist())
            if key in ends or case.weight[key] > 0:
                items.append((key, True, level + 1))
            for child in children:
                visit(child, level + 1)

    visit(case.root, 0)
    return items


@given(cases())
def test_items_are_those_of_the_definition(case: Case) -> None:
    """CBV-6: an expanded node shows its children; and a slot if it is something itself."""
    tree = case.tree()
    found = list(zip(tree.key.tolist(), tree.slot.tolist(), tree.level.tolist(), strict=True))
    assert found == naive(case)


@given(cases())
def test_preorder_invariants(case: Case) -> None:
    """Property line "preorder invariants": a subtree is a range, parents come before, levels count up."""
    tree = case.tree()
    assert tree.parent[0] == -1
    assert tree.end[0] == len(tree)
    for item in range(1, len(tree)):
        parent = tree.parent[item]
        assert parent < item < tree.end[item] <= tree.end[parent]
        assert tree.level[item] == tree.level[parent] + 1
    below = [int(((tree.chain == item).any(axis=1)).sum()) for item in range(len(tree))]
    assert (tree.end - np.arange(len(tree))).tolist() == below
    assert tree.leaf.tolist() == [size == 1 for size in below]
    children = {int(p) for p in tree.parent}
    first = [item for item in range(len(tree)) if tree.slot[item]]
    assert all(tree.parent[item] == item - 1 for item in first), "a slot is the first child of its owner"
    assert not children & set(first), "a slot has no children"


@given(cases())
def test_every_node_is_represented_by_its_nearest_item(case: Case) -> None:
    """Lifting target: a node's own slot or item, else that of the nearest visible node above it."""
    tree, graph = case.tree(), case.graph
    own = {int(key): item for item, key in enumerate(tree.key)}  # a slot comes after its owner and wins
    for key in range(len(graph)):
        above = key
        path = []
        while graph.parent[key] != REMOVED and above != case.root and above >= 0:
            path.append(above)
            above = int(graph.parent[above])
        gone = graph.parent[key] == REMOVED or above != case.root or any(k in case.hidden for k in path)
        if gone:
            assert tree.represent[key] == -1
        else:
            nearest = next(k for k in [*path, case.root] if k in own)
            assert tree.represent[key] == own[nearest]


def test_only_what_the_root_shows_without_expansion() -> None:
    """CBV-6: the first picture shows the top level only."""
    builder = GraphBuilder("shop")
    for name in ("a", "b"):
        builder.add_node(name, "", name, "folder")
        builder.add_node(f"{name}/x.py", name, "x.py", "file")
    tree = visible_tree(builder.freeze(), frozenset())
    assert tree.key.tolist() == [0, 1, 3]
    assert tree.leaf.tolist() == [False, True, True]
    assert tree.represent.tolist() == [0, 1, 1, 2, 2]


def test_keys_that_do_not_exist_are_ignored() -> None:
    """A view state may name nodes that an undone operation had created."""
    graph = GraphBuilder("alone").freeze()
    tree = visible_tree(graph, frozenset({5, -1}), hidden=frozenset({7}))
    assert tree.key.tolist() == [0]
    assert tree.leaf.tolist() == [True]


def test_a_node_that_weighs_something_itself_gets_a_slot() -> None:
    """A file with code of its own beside its functions shows a `(module)` slot, first; one without does not."""
    builder = GraphBuilder("shop")
    for name in ("a.py", "b.py"):
        builder.add_node(name, "", name, "file")
        builder.add_node(f"{name}::f", name, "f", "function")
    graph = builder.freeze()
    weight = np.array([np.nan, 7.0, 1.0, 0.0, 1.0])
    tree = visible_tree(graph, frozenset(range(5)), own_weight=weight)
    assert tree.key.tolist() == [0, 1, 1, 2, 3, 4]
    assert tree.slot.tolist() == [False, False, True, False, False, False]
    assert tree.represent.tolist() == [0, 2, 3, 4, 5]
