"""Two call trees as one, by calling context, against dictionaries filled by plain loops (TD-11)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cbvtool.trace.compare.aligned import aligned_calls
from cbvtool.trace.compare.alignment.kinds import CallChange
from cbvtool.trace.compare.matches import likeness
from cbvtool.trace.compare.trees import CallTree
from cbvtool.trace.compare.union import FunctionChanges, UnionTree, function_changes, union_tree, union_widths
from tests.trace.compare.trees import Nested, random_tree, tree_of


def stacks_of(tree: CallTree) -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]:
    """(calls, own time) of each stack of functions, as a folding script counts them."""
    calls, own = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for row in range(len(tree)):
        stack, above = [int(tree.function[row])], int(tree.parent[row])
        while above >= 0:
            stack.append(int(tree.function[above]))
            above = int(tree.parent[above])
        below = np.flatnonzero(tree.parent == row)
        calls[tuple(reversed(stack))] += 1
        own[tuple(reversed(stack))] += int(tree.end[row] - tree.start[row] - (tree.end - tree.start)[below].sum())
    return calls, own


def stack(union: UnionTree, row: int, side: int) -> tuple[int, ...]:
    return tuple(int(union.function[side, each]) for each in union.above(row))


def aligned(one: CallTree, other: CallTree) -> UnionTree:
    return union_tree(one, other, aligned_calls(likeness(one, other)))


@pytest.mark.parametrize("seed", range(20))
def test_td_11_without_pairs_each_stack_has_the_times_of_both(seed: int) -> None:
    """TD-11: By path alone: exactly the stacks and counts of difffolded.pl."""
    one, other = random_tree(80, 4, seed), random_tree(90, 4, seed + 500)
    union = union_tree(one, other)
    rows = range(1, len(union))
    for side, tree in enumerate((one, other)):
        calls, own = stacks_of(tree)
        assert {stack(union, row, side): int(union.calls[side, row]) for row in rows if union.calls[side, row]} == calls
        assert {stack(union, row, side): int(union.own[side, row]) for row in rows if union.calls[side, row]} == own
    assert len({stack(union, row, 0) for row in rows}) == len(union) - 1
    alone = (union.calls > 0).sum(axis=0) == 1
    assert np.array_equal(alone[1:], np.isin(union.kind, [CallChange.INSERTED, CallChange.REMOVED])[1:])


@pytest.mark.parametrize("seed", range(20))
def test_td_11_paired_calls_share_a_context_and_no_time_is_lost(seed: int) -> None:
    """TD-11: Every call has a context below that of a caller; sums are those of the trees; the tree is in preorder."""
    one, other = random_tree(70, 6, seed), random_tree(80, 6, seed + 900)
    found = aligned_calls(likeness(one, other))
    union = union_tree(one, other, found)
    for f, g in enumerate(found.partner_of_reference.tolist()):
        if g >= 0 and one.function[f] == other.function[g]:
            assert union.of[0][f] == union.of[1][g]
    assert np.array_equal(union.function[0, union.of[0]], one.function)
    assert np.array_equal(union.function[1, union.of[1]], other.function)
    for side, tree in enumerate((one, other)):
        taken = tree.end - tree.start
        calls, total = Counter(union.of[side].tolist()), Counter[int]()
        for row, context in enumerate(union.of[side].tolist()):
            total[context] += int(taken[row])
            longest = int(union.longest[side, context])
            assert taken[longest] >= taken[row]
            assert union.of[side][longest] == context
        assert [calls[row] for row in range(1, len(union))] == union.calls[side, 1:].tolist()
        assert [total[row] for row in range(1, len(union))] == union.total[side, 1:].tolist()
        assert union.own[side].sum() == taken[0]
    callers = np.where(other.parent >= 0, union.of[1][other.parent], 0)
    assert np.array_equal(union.parent[union.of[1]], callers)
    rows = np.arange(1, len(union))
    assert (union.parent[1:] < rows).all()
    assert (union.end_row[1:] <= union.end_row[union.parent[1:]]).all()
    assert np.array_equal(union.depth[1:], union.depth[union.parent[1:]] + 1)
    wide = union_widths(union.own.astype(np.float64), union.parent)
    for row in rows.tolist():
        assert wide[row] == np.maximum(union.own, 0).max(axis=0)[row : union.end_row[row]].sum()
        following = int(union.end_row[row])
        if following < union.end_row[union.parent[row]]:
            assert wide[row] >= wide[following]


def kinds(one: Nested, other: Nested) -> dict[tuple[int, int], tuple[str, int, int]]:
    """Of each context, by its functions in A and B: what became of it, and the calls of both."""
    union = aligned(tree_of(one), tree_of(other))
    found = {}
    for row in range(1, len(union)):
        a, b = (int(each) for each in union.function[:, row])
        found[a, b] = (CallChange(int(union.kind[row])).name, int(union.calls[0, row]), int(union.calls[1, row]))
    return found


def test_td_11_what_became_of_contexts() -> None:
    """TD-11: A layer put around calls leaves them as they were; more calls of one path are one context."""
    one: Nested = (0, [(1, [(2, []), (3, [])]), (4, [(5, [])]), (6, [(8, [])])])
    other: Nested = (0, [(9, [(1, [(2, []), (3, [])])]), (4, [(5, []), (5, []), (7, [])])])
    found = kinds(one, other)
    assert found[9, 9] == ("WRAPPED", 0, 1)
    assert found[2, 2] == found[1, 1] == found[0, 0] == ("UNCHANGED", 1, 1)
    assert found[5, 5] == ("UNCHANGED", 1, 2)
    assert found[7, 7] == ("INSERTED", 0, 1)
    assert found[6, 6] == found[8, 8] == ("REMOVED", 1, 0)
    taken_out = kinds(other, one)
    assert taken_out[9, 9] == ("UNWRAPPED", 1, 0)
    assert taken_out[1, 1] == ("UNCHANGED", 1, 1)


def test_td_11_moved_and_renamed_contexts() -> None:
    """TD-11: Moved below another caller; renamed in its place, with both functions."""
    load: Nested = (3, [(4, []), (5, []), (6, [])])
    one: Nested = (0, [(1, [load, (7, [])]), (2, [(8, [])])])
    other: Nested = (0, [(1, [(7, [])]), (2, [(8, []), load])])
    found = kinds(one, other)
    assert found[3, 3] == ("MOVED", 1, 1)
    assert found[4, 4] == ("UNCHANGED", 1, 1)
    assert found[7, 7] == ("UNCHANGED", 1, 1)
    renamed = kinds((0, [(1, [(4, []), (5, []), (6, [])])]), (0, [(2, [(4, []), (5, []), (6, [])])]))
    assert renamed[1, 2] == ("RENAMED", 1, 1)
    assert renamed[5, 5] == ("UNCHANGED", 1, 1)


def test_td_11_a_function_that_both_call_is_not_renamed() -> None:
    """TD-11: `log` gave way to one more `sort`: the one is removed, the other called more often."""
    sort, log = 2, 3
    found = kinds((0, [(1, []), (sort, []), (sort, []), (log, [])]), (0, [(1, []), (sort, []), (sort, []), (sort, [])]))
    assert found[sort, sort] == ("UNCHANGED", 2, 3)
    assert found[log, log] == ("REMOVED", 1, 0)


def test_td_11_one_root_beside_several() -> None:
    """TD-11: Virtual roots take no time and are no call; the root over all takes what its calls take."""
    single = tree_of((1, [(2, [])]))
    inner = tree_of((0, [(1, [(2, [])]), (3, [])]))
    several = CallTree(inner.function, inner.end_row, inner.depth, inner.start, inner.end, -1, True)
    for pair in ((single, several), (several, single), (several, several)):
        union = union_tree(*pair, aligned_calls(likeness(*pair)))
        assert union.kind[0] == CallChange.UNCHANGED
        assert not union.calls[:, 0].any()
        assert not union.own[:, 0].any()
        assert sorted(union.function[1, 1:].tolist()) == ([1, 2, 3] if several in pair else [1, 2])
        for side, tree in enumerate(pair):
            tops = np.flatnonzero(tree.parent == 0) if tree.virtual else [0]
            assert union.total[side, 0] == sum(int(tree.end[row] - tree.start[row]) for row in tops)


def test_td_11_functions_count_recursion_once() -> None:
    """TD-11: Time with what is called counts the outermost call of a function; the place differs most."""
    union = aligned(tree_of((0, [(1, [(1, [(2, [])])])])), tree_of((0, [(1, [(1, [(2, []), (2, []), (2, [])])])])))
    changes: FunctionChanges = function_changes(union)
    (at,) = np.flatnonzero(changes.function == 1)
    outer = union.above(int(changes.place[at]))
    assert changes.calls[:, at].tolist() == [2, 2]
    assert changes.total[0, at] == union.total[0, outer[1]]
    assert changes.own[:, changes.function == 2].reshape(-1).tolist() == [1, 3]
    assert len(changes) == 3


def test_td_11_other_times_than_the_clock() -> None:
    """TD-11: Thread CPU time in place of time by the clock."""
    tree = tree_of((0, [(1, []), (2, [])]))
    union = union_tree(tree, tree, None, (np.array([10, 4, 5]), np.array([20, 4, 6])))
    assert union.own[:, 1:].tolist() == [[1, 5, 4], [10, 6, 4]]
    assert union.total[:, 0].tolist() == [10, 20]
