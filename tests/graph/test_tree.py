"""The preorder index against naive recursion (design 3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import NO_PARENT, REMOVED
from cbvtool.graph.tree import index_tree
from tests.graph.strategies import parents, removed


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Parents, some subtrees removed, and a rank of siblings."""
    parent = draw(parents())
    if len(parent) > 1:
        parent = removed(parent, draw(st.sets(st.integers(1, len(parent) - 1), max_size=2)))
    return parent, np.array(draw(st.permutations(range(len(parent)))), np.int32)


def naive_children(parent: np.ndarray, rank: np.ndarray, key: int) -> list[int]:
    return sorted((k for k in range(len(parent)) if parent[k] == key), key=lambda k: rank[k])


def naive_preorder(parent: np.ndarray, rank: np.ndarray, key: int) -> list[int]:
    return [key, *(k for child in naive_children(parent, rank, key) for k in naive_preorder(parent, rank, child))]


def naive_ancestors(parent: np.ndarray, key: int) -> list[int]:
    """`key` itself, its parent, ... up to the root."""
    return [key] if parent[key] == NO_PARENT else [key, *naive_ancestors(parent, int(parent[key]))]


@given(trees())
def test_preorder_is_that_of_naive_recursion(tree: tuple[np.ndarray, np.ndarray]) -> None:
    """Design 3: order, pos, end and depth make a subtree a range."""
    parent, rank = tree
    index = index_tree(parent, rank)
    assert index.order.tolist() == naive_preorder(parent, rank, 0)
    for key in range(len(parent)):
        if parent[key] == REMOVED:
            assert (index.pos[key], index.end[key], index.depth[key]) == (-1, -1, -1)
            continue
        assert index.order[index.pos[key]] == key
        assert index.order[index.pos[key] : index.end[key]].tolist() == naive_preorder(parent, rank, key)
        assert index.depth[key] == len(naive_ancestors(parent, key)) - 1
        assert index.children(key).tolist() == naive_children(parent, rank, key)


@given(trees())
def test_below_is_to_have_as_an_ancestor(tree: tuple[np.ndarray, np.ndarray]) -> None:
    """Design 3: "is below" is two comparisons."""
    parent, rank = tree
    index = index_tree(parent, rank)
    for key in index.order.tolist():
        above = naive_ancestors(parent, key)
        assert [k for k in range(len(parent)) if index.is_below(key, k)] == sorted(above)


@given(trees(), st.data())
def test_lowest_common_ancestor_is_that_of_the_paths(tree: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    """CBV-2: the control polygon leads through the least common ancestor."""
    parent, rank = tree
    index = index_tree(parent, rank)
    there = st.sampled_from(index.order.tolist())
    pairs = np.array(data.draw(st.lists(st.tuples(there, there), max_size=20)), np.int32).reshape(-1, 2)
    found = index.lowest_common_ancestor(pairs[:, 0], pairs[:, 1])
    for (a, b), ancestor in zip(pairs.tolist(), found.tolist(), strict=True):
        common = [k for k in naive_ancestors(parent, a) if k in naive_ancestors(parent, b)]
        assert ancestor == common[0]


@given(trees(), st.data())
def test_common_ancestor_is_the_first_on_all_paths(tree: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    """NEW-1: of several nodes, the container around all of them; of one that holds the others, that one."""
    parent, rank = tree
    index = index_tree(parent, rank)
    keys = data.draw(st.lists(st.sampled_from(index.order.tolist()), min_size=1, max_size=6))
    paths = [naive_ancestors(parent, key) for key in keys]
    assert index.common_ancestor(keys) == next(key for key in paths[0] if all(key in path for path in paths))
    for outside in (-1, *np.flatnonzero(index.pos < 0).tolist()):
        with pytest.raises(ValueError, match="outside the tree"):
            index.common_ancestor([*keys, outside])


@given(trees(), st.data())
def test_subtree_sum_and_maximum_are_those_of_naive_recursion(
    tree: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    """Design 3: subtree sums are differences of prefix sums; what was not measured counts for nothing."""
    parent, rank = tree
    index = index_tree(parent, rank)
    value = st.one_of(st.just(float("nan")), st.integers(-1000, 1000).map(float))
    own = np.array(data.draw(st.lists(value, min_size=len(parent), max_size=len(parent))))
    sums, largest = index.subtree_sum(own), index.subtree_max(own)
    for key in index.order.tolist():
        below = own[naive_preorder(parent, rank, key)]
        measured = below[~np.isnan(below)]
        assert sums[key] == measured.sum()
        assert largest[key] == measured.max() if len(measured) else np.isnan(largest[key])


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        ([NO_PARENT, NO_PARENT], "has 2"),
        ([1, 0], "has 0"),
        ([NO_PARENT, 2, 1], "cycle"),
        ([NO_PARENT, 1], "cycle"),
        ([NO_PARENT, REMOVED, 1], "not reached"),
    ],
)
def test_what_is_no_tree_is_refused(parent: list[int], reason: str) -> None:
    """Design 3: H is one rooted tree."""
    with pytest.raises(ValueError, match=reason):
        index_tree(np.array(parent, np.int32), np.arange(len(parent), dtype=np.int32))


def test_index_is_not_writeable() -> None:
    """Design 1: values are frozen."""
    index = index_tree(np.array([NO_PARENT, 0], np.int32), np.array([0, 1], np.int32))
    for column in (index.order, index.pos, index.end, index.depth, index.children(0)):
        assert not column.flags.writeable


@given(trees(), st.data())
def test_what_lies_below_some_is_below_one_of_them(tree: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    """Design 3: many subtrees at once; removed keys have none."""
    parent, rank = tree
    index = index_tree(parent, rank)
    keys = data.draw(st.frozensets(st.integers(0, len(parent) - 1)))
    there = index.order.tolist()
    expected = [k in there and any(above in keys for above in naive_ancestors(parent, k)) for k in range(len(parent))]
    assert index.below(keys).tolist() == expected
    assert index.below(np.array(sorted(keys), np.int64)).tolist() == expected
