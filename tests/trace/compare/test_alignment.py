"""TD-11: which call is which, by structure alone: planted edits, flat traces beside an LCS, depth."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.compare.alignment.align import Alignment, align
from cbvtool.trace.compare.alignment.chains import steps_for
from cbvtool.trace.compare.alignment.kinds import CallChange
from tests.trace.compare.planted import KINDS, judged, plant

Ints = npt.NDArray[np.int64]


def program_tree(calls: int, functions: int, seed: int) -> tuple[Ints, Ints]:
    """(function, end_row) of the calls of a made-up program: functions call a few others, in loops, on conditions."""
    chance = random.Random(seed)
    body = [
        [
            (chance.randrange(each + 1, functions), chance.random(), chance.choice((1, 1, 1, 2, 3)))
            for _ in range(chance.randrange(0, 6))
        ]
        if each < functions - functions // 4
        else []
        for each in range(functions)
    ]
    function, depth = [0], [0]
    while len(function) < calls:
        waiting = [(chance.randrange(1, functions // 2), 1)]
        while waiting and len(function) < calls:
            here, level = waiting.pop()
            function.append(here)
            depth.append(level)
            below = [callee for callee, often, most in body[here] if chance.random() < often for _ in range(most)]
            waiting += [(callee, level + 1) for callee in reversed(below)] if level < 30 else []
    end_row = np.empty(len(function), np.int64)
    above: list[int] = []
    for row, level in enumerate(depth):
        while above and depth[above[-1]] >= level:
            end_row[above.pop()] = row
        above.append(row)
    end_row[above] = len(function)
    return np.array(function), end_row


def flat(functions: list[int]) -> tuple[Ints, Ints]:
    """A root that makes these calls."""
    n = len(functions) + 1
    return np.array([0, *(each + 1 for each in functions)]), np.array([n, *range(2, n + 1)])


def lcs(one: list[int], other: list[int]) -> int:
    """The length of a longest common subsequence."""
    before = [0] * (len(other) + 1)
    for left in one:
        now = [0]
        for place, right in enumerate(other):
            now.append(before[place] + 1 if left == right else max(now[-1], before[place + 1]))
        before = now
    return before[-1]


def paired(found: Alignment) -> int:
    return int((found.partner_a >= 0).sum())


@pytest.mark.parametrize("seed", range(3))
def test_planted_edits_are_found(seed: int) -> None:
    """`make judge-alignment` plants them in 170,000 calls, 20 times."""
    function, end_row = program_tree(6000, 300, seed)
    edited = plant(function, end_row, 12, seed)
    found = judged(function, end_row, edited, align(function, end_row, edited.function, edited.end_row))
    assert found.right >= 0.99


@pytest.mark.parametrize("kind", KINDS)
def test_one_edit_of_each_kind(kind: str) -> None:
    function, end_row = program_tree(2000, 200, 5)
    edited = plant(function, end_row, 1, 3, (kind,))
    found = align(function, end_row, edited.function, edited.end_row)
    assert judged(function, end_row, edited, found).right >= 0.995
    changed = {CallChange(each) for each in np.unique(np.concatenate((found.kind_a, found.kind_b))).tolist()}
    assert changed - {CallChange.UNCHANGED}


def test_a_trace_against_itself_is_unchanged() -> None:
    function, end_row = program_tree(3000, 200, 1)
    found = align(function, end_row, function, end_row)
    np.testing.assert_array_equal(found.partner_a, np.arange(3000))
    assert set(found.kind_a.tolist()) == set(found.kind_b.tolist()) == {CallChange.UNCHANGED}


@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30))
def test_flat_traces_align_as_many_calls_as_an_lcs(one: list[int], other: list[int]) -> None:
    """TD-11: as many calls stay unmoved, besides the root; calls with no match in order may be renamed or moved."""
    (function_a, end_a), (function_b, end_b) = flat(one), flat(other)
    found = align(function_a, end_a, function_b, end_b)
    assert int(((found.kind_a == CallChange.UNCHANGED) & (found.partner_a >= 0)).sum()) == lcs(one, other) + 1
    back = found.partner_b[found.partner_a[found.partner_a >= 0]]
    np.testing.assert_array_equal(back, np.flatnonzero(found.partner_a >= 0))


def test_bad_input() -> None:
    """Nothing in common, one call against many, 100,000 levels."""
    one, many = (np.array([0]), np.array([1])), program_tree(3000, 100, 2)
    assert paired(align(*one, *many)) == 1
    assert paired(align(one[0] + 5000, one[1], *many)) <= 1
    rows = np.arange(100_000)
    deep = rows % 3, np.full(100_000, 100_000)
    assert paired(align(*deep, *deep)) == 100_000


@pytest.mark.parametrize("calls", [3_000, 12_000])
def test_what_trips_the_bound_of_work_stays_one_to_one(calls: int) -> None:
    """TD-11: two long lists of calls in random orders, which differ everywhere: the steps of a longest common
    subsequence run out, and pieces of one are aligned; how many steps there were is counted, not how long it took.
    """
    chance = random.Random(calls)
    one, other = ([chance.randrange(200) for _ in range(calls)] for _ in range(2))
    (function_a, end_a), (function_b, end_b) = flat(one), flat(other)
    work = np.array([4_000_000], np.int64)
    assert steps_for(2 * calls, work) * 2 * calls <= 4_000_000
    for _ in range(1000):
        assert steps_for(2 * calls, work) >= 32
    assert work[0] == 0
    found = align(function_a, end_a, function_b, end_b)
    rows = np.flatnonzero(found.partner_a >= 0)
    np.testing.assert_array_equal(found.partner_b[found.partner_a[rows]], rows)
    unchanged = rows[found.kind_a[rows] == CallChange.UNCHANGED]
    assert (np.diff(found.partner_a[unchanged]) > 0).all()
    assert len(unchanged) > calls // 10
