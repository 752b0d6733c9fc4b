"""TD-1, TD-2: similarities, best matches and groups beside a reading of their definitions call by call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.compare import matches as matches_module
from cbvtool.trace.compare import similarity as similarity_module
from cbvtool.trace.compare import subtrees
from cbvtool.trace.compare.groups import MatchGroups, grouped, inner_groups
from cbvtool.trace.compare.matches import CallMatches, Likeness, likeness, matches_above
from cbvtool.trace.compare.similarity import similarity
from cbvtool.trace.compare.subtrees import function_sets
from cbvtool.trace.compare.trees import CallTree
from tests.trace.compare.trees import Nested, random_tree, tree_of

TAU = 0.2


def gamma(tree: CallTree, row: int) -> frozenset[int]:
    """The functions in the call tree below a call, its own included."""
    return frozenset(tree.function[row : tree.end_row[row]].tolist())


def alike(a: CallTree, f: int, b: CallTree, g: int) -> float:
    one, other = gamma(a, f), gamma(b, g)
    return len(one & other) / len(one | other)


def best_of(a: CallTree, f: int, b: CallTree) -> tuple[int, float]:
    """The best match of a call by its definition: similarity, function, start, breadth-first order."""
    found = min(
        range(len(b)),
        key=lambda g: (
            -alike(a, f, b, g),
            b.function[g] != a.function[f],
            abs(int(b.start[g]) - int(a.start[f])),
            int(b.rank[g]),
        ),
    )
    value = alike(a, f, b, found)
    return (found, value) if value >= similarity_module.LEAST else (-1, 0.0)


def groups_by_hand(matches: CallMatches, a: CallTree, b: CallTree, skipped: set[int]) -> list[int]:
    """The group of each match by TD-2, read literally."""
    roots: list[int] = []
    group: list[int] = []
    for match, (f, g) in enumerate(zip(matches.reference.tolist(), matches.test.tolist(), strict=True)):
        if match in skipped:
            group.append(-1)
            continue
        for number, root in enumerate(roots):
            fr, gr = int(matches.reference[root]), int(matches.test[root])
            if fr <= f < a.end_row[fr] and gr <= g < b.end_row[gr]:
                group.append(number)
                break
        else:
            group.append(len(roots))
            roots.append(match)
    return group


def pairs(seed: int) -> tuple[CallTree, CallTree]:
    random = np.random.default_rng(seed)
    n, k, functions = (int(random.integers(low, high)) for low, high in ((1, 40), (1, 40), (2, 14)))
    return random_tree(n, functions, seed), random_tree(k, functions, seed + 1)


@pytest.mark.parametrize("seed", range(60))
def test_best_matches_and_groups_are_those_of_the_definition(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-1, TD-2: large sets or small ones, or both. `make judge-matches` tries 10,000 pairs."""
    monkeypatch.setattr(similarity_module, "DENSE", (2, 4, 1000)[seed % 3])
    assert differences(*pairs(seed)) == []


def differences(a: CallTree, b: CallTree) -> list[str]:
    """What differs between the product and the definitions on a pair of trees."""
    found: Likeness = likeness(a, b)
    wrong: list[str] = []
    best_a = [best_of(a, f, b) for f in range(len(a))]
    best_b = [best_of(b, g, a) for g in range(len(b))]
    if [best for best, _ in best_a] != found.best_of_reference.tolist():
        wrong.append("best of the reference")
    if [best for best, _ in best_b] != found.best_of_test.tolist():
        wrong.append("best of the test")
    if [value for _, value in best_a] != found.reference_similarity.tolist():
        wrong.append("similarity")
    mutual = [
        (f, best_a[f][0])
        for f in sorted(range(len(a)), key=lambda f: (a.depth[f], f))
        if best_a[f][1] > TAU and best_b[best_a[f][0]][0] == f
    ]
    matches = found.mutual(TAU)
    if mutual != list(zip(matches.reference.tolist(), matches.test.tolist(), strict=True)):
        wrong.append("mutually best")
    roots = {match for match, pair in enumerate(mutual) if pair == (0, 0)}
    groups = grouped(matches, a, b)
    if groups_by_hand(matches, a, b, roots) != groups.of_match.tolist():
        wrong.append("groups")
    for group in range(len(groups)):
        outside = set(np.flatnonzero(groups.of_match != group).tolist()) | {int(groups.root[group])}
        inner = inner_groups(groups, group, matches, a, b)
        if groups_by_hand(matches, a, b, outside) != inner.of_match.tolist():
            wrong.append("inner groups")
    rows, others = np.arange(0, len(a), 2), np.arange(0, len(b), 3)
    every = matches_above(found, rows, others, TAU)
    expected = [
        (f, g)
        for f in sorted(rows.tolist(), key=lambda f: (a.depth[f], f))
        for g in sorted(others.tolist(), key=lambda g: (b.depth[g], g))
        if alike(a, f, b, g) > TAU
    ]
    if expected != list(zip(every.reference.tolist(), every.test.tolist(), strict=True)):
        wrong.append("all above tau")
    if (
        groups_by_hand(every, a, b, {m for m, pair in enumerate(expected) if pair == (0, 0)})
        != grouped(every, a, b).of_match.tolist()
    ):
        wrong.append("groups of all above tau")
    return wrong


@pytest.mark.parametrize("seed", range(6))
def test_the_longest_calls_are_compared_first_and_exactly(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-1: what is handed over first is part of the whole, mutually best matches of the longest calls among it."""
    monkeypatch.setattr(matches_module, "MANY_SETS", 0)
    monkeypatch.setattr(matches_module, "FIRST", 10)
    a, b = random_tree(300, 40, seed), random_tree(300, 40, seed + 100)
    early: list[Likeness] = []
    found = likeness(a, b, first=early.append)
    alone = likeness(a, b)
    for each in (found, early[0]):
        for mine, expected in (
            (each.best_of_reference, alone.best_of_reference),
            (each.best_of_test, alone.best_of_test),
        ):
            assert np.array_equal(mine[mine >= 0], expected[mine >= 0])
            assert (mine >= 0).sum() == (expected >= 0).sum() or each is early[0]
    longest = set(np.argsort(a.start - a.end, kind="stable")[:5].tolist())
    whole, first = alone.mutual(TAU), early[0].mutual(TAU)
    pairs_first = set(zip(first.reference.tolist(), first.test.tolist(), strict=True))
    expected_pairs = set(zip(whole.reference.tolist(), whole.test.tolist(), strict=True))
    assert pairs_first < expected_pairs
    assert {pair for pair in expected_pairs if pair[0] in longest} <= pairs_first


def test_comparing_tells_progress_and_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-1: at least once for so many sets."""
    monkeypatch.setattr(matches_module, "AT_ONCE", 16)
    tree, other = random_tree(600, 60, 1), random_tree(600, 60, 2)
    told: list[tuple[int, int]] = []
    likeness(tree, other, progress=lambda _what, done, total: told.append((done, total)))
    steps = [each for each in told if each[1]]
    assert len(steps) > 5
    assert [done for done, _ in steps] == list(range(0, 16 * len(steps), 16))

    def stop(_what: str, done: int, _total: int) -> None:
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        likeness(tree, other, progress=stop)


@pytest.mark.parametrize("dense", [2, 20, 1000])
def test_counting_all_at_once_finds_the_same(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-1: where many sets must be looked at, what they share is counted: the best ones are the same."""
    monkeypatch.setattr(similarity_module, "DENSE", dense)
    a, b = random_tree(4000, 60, 1), random_tree(4000, 60, 2)
    found = likeness(a, b)
    rows = np.random.default_rng(3).integers(0, 4000, 200)
    sets = {g: gamma(b, g) for g in range(len(b))}
    for f in rows.tolist():
        mine = gamma(a, f)
        best = max(len(mine & other) / len(mine | other) for other in sets.values())
        assert found.reference_similarity[f] == best


@given(st.lists(st.integers(0, 30)), st.lists(st.integers(0, 30)))
def test_similarity_is_that_of_jaccard(one: list[int], other: list[int]) -> None:
    left, right = set(one), set(other)
    expected = len(left & right) / len(left | right) if left | right else 0.0
    assert similarity(one, other) == expected


def test_a_set_holds_its_own_function_and_those_below() -> None:
    tree = tree_of((0, [(1, [(2, []), (2, [])]), (3, [(1, [(2, [])])])]))
    sets = function_sets(tree, tree)
    held = [sets.functions(int(which)).tolist() for which in sets.of_reference]
    assert held == [[0, 1, 2, 3], [1, 2], [2], [2], [1, 2, 3], [1, 2], [2]]
    assert len(sets) == 4


def test_a_repeated_phase_is_paired_by_time() -> None:
    """Equal subtrees are told apart by when they ran: the first with the first."""
    phase: Nested = (1, [(2, []), (3, [])])
    one = tree_of((0, [phase, phase, phase]))
    matches = likeness(one, one).mutual(TAU)
    assert matches.reference.tolist() == matches.test.tolist() == one.breadth_first.tolist()
    groups: MatchGroups = grouped(matches, one, one)
    assert len(groups) == 3
    assert groups.sizes.tolist() == [3, 3, 3]


def test_nothing_in_common() -> None:
    one, other = tree_of((0, [(1, [])])), tree_of((2, [(3, [])]))
    assert len(likeness(one, other).mutual(TAU)) == 0
    assert len(grouped(likeness(one, other).mutual(TAU), one, other)) == 0


def test_a_tree_100_000_deep() -> None:
    n = 100_000
    deep = random_tree(2, 3, 1)
    rows = np.arange(n)
    deep = replace(deep, function=rows % 3, end_row=np.full(n, n), depth=rows, start=rows, end=np.full(n, n))
    matches = likeness(deep, deep).mutual(TAU)
    assert len(matches) == n
    assert len(grouped(matches, deep, deep)) == 1


def test_too_many_sets_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtrees, "MOST_MEMBERS", 50)
    tree = random_tree(200, 100, 1)
    with pytest.raises(InputError, match="too many different sets"):
        function_sets(tree, tree)
