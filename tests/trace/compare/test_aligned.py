"""Calls paired one to one as the third sort of matches (TD-1, TD-11)."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.trace.compare.aligned import aligned_calls
from cbvtool.trace.compare.alignment.kinds import CallChange
from cbvtool.trace.compare.matches import likeness
from cbvtool.trace.compare.similarity import similarity
from cbvtool.trace.compare.trees import CallTree, call_tree
from tests.trace.compare.trees import random_tree, traced, tree_of


@pytest.mark.parametrize("seed", range(30))
def test_pairs_are_one_to_one_and_as_alike_as_their_function_sets(seed: int) -> None:
    """TD-1: each call at most once; the similarity is that of the definition; breadth-first in the reference."""
    one, other = random_tree(60, 9, seed), random_tree(70, 9, seed + 1000)
    found = aligned_calls(likeness(one, other))
    matches = found.matches
    for rows in (matches.reference, matches.test):
        assert len(np.unique(rows)) == len(rows)
    assert np.all(np.diff(one.rank[matches.reference]) > 0)
    for f, g, alike in zip(matches.reference.tolist(), matches.test.tolist(), matches.similarity, strict=True):
        assert found.partner_of_reference[f] == g
        assert found.partner_of_test[g] == f
        sets = one.function[f : one.end_row[f]], other.function[g : other.end_row[g]]
        assert alike == pytest.approx(similarity(*sets))
    paired = (found.reference != CallChange.REMOVED) & (found.reference != CallChange.UNWRAPPED)
    assert np.array_equal(paired, found.partner_of_reference >= 0)


def test_a_tree_beside_itself_is_as_it_was() -> None:
    tree = random_tree(200, 5, 3)
    found = aligned_calls(likeness(tree, tree))
    assert not found.reference.any()
    assert np.array_equal(np.sort(found.matches.test), np.arange(200))
    assert (found.matches.similarity == 1.0).all()


def test_what_became_of_calls() -> None:
    """TD-11: one inserted, one removed, one put around others."""
    one = tree_of((0, [(1, [(2, []), (3, [])]), (4, [(5, [])]), (6, [])]))
    other = tree_of((0, [(9, [(1, [(2, []), (3, [])])]), (4, [(5, []), (7, [])])]))
    found = aligned_calls(likeness(one, other))
    assert [CallChange(kind).name for kind in found.reference] == ["UNCHANGED"] * 6 + ["REMOVED"]
    assert [CallChange(kind).name for kind in found.test] == [
        "UNCHANGED",
        "WRAPPED",
        "UNCHANGED",
        "UNCHANGED",
        "UNCHANGED",
        "UNCHANGED",
        "UNCHANGED",
        "INSERTED",
    ]


def test_several_roots_have_a_root_of_their_own_that_is_paired() -> None:
    """TD-3: also beside a thread with one root."""

    def threads(*names: str) -> CallTree:
        trace = traced([(name, 10 * row, 10 * row + 5, []) for row, name in enumerate(names)])
        number = {"a": 0, "b": 1, "c": 2}
        common = np.array([number[name] for name in trace.functions.name])
        return call_tree(trace, 0, common, 3)

    two, one = threads("a", "b"), threads("b")
    found = aligned_calls(likeness(two, one))
    assert two.virtual
    assert not one.virtual
    assert found.partner_of_reference.tolist() == [-1, -1, 0]
    assert found.reference.tolist() == [CallChange.UNCHANGED, CallChange.REMOVED, CallChange.UNCHANGED]
    both = aligned_calls(likeness(two, threads("a", "c")))
    assert both.partner_of_reference.tolist() == [0, 1, -1] or both.partner_of_reference.tolist() == [0, 1, 2]
