"""NEW-12: change coupling, against counting pairs set by set."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.history.change_sets import CouplingChoice, change_sets
from cbvtool.history.coupling import couplings, file_couplings, sets_with
from tests.history.histories import history

PATHS = [f"{i}.py" for i in range(8)]
COMMITS = st.lists(st.lists(st.integers(0, len(PATHS) - 1), max_size=9), max_size=9)


@given(COMMITS, st.integers(1, 6), st.lists(st.integers(-1, 2), min_size=8, max_size=8), st.data())
def test_figures_are_those_counted_set_by_set(
    commits: list[list[int]], most: int, module: list[int], data: st.DataObject
) -> None:
    """NEW-12: between files and between modules; commits of more than `most` files do not count; ranges close."""
    since, until = data.draw(st.none() | st.integers(0, 9)), data.draw(st.none() | st.integers(0, 9))
    counted = [
        set(paths)
        for time, paths in enumerate(commits)
        if (since is None or since <= time) and (until is None or time <= until) and 0 < len(set(paths)) <= most
    ]
    changes = history(commits, PATHS)
    sets = change_sets(changes, CouplingChoice(since, until, most))
    assert sets.count == len(counted)
    for thing in (list(range(len(PATHS))), module):
        of_sets = [{thing[path] for path in paths} - {-1} for paths in counted]
        times = Counter(one for things in of_sets for one in things)
        both = Counter(pair for things in of_sets for pair in combinations(sorted(things), 2))
        found = couplings(sets, np.array(thing, np.int32), len(PATHS))
        pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
        assert dict(zip(pairs, found.both.tolist(), strict=True)) == both
        assert pairs == sorted(both)
        for row, (a, b) in enumerate(pairs):
            confidence = both[a, b] / times[a]
            assert found.support[row] == pytest.approx(both[a, b] / len(counted))
            assert found.confidence[row] == pytest.approx(confidence)
            assert found.back[row] == pytest.approx(both[a, b] / times[b])
            assert found.lift[row] == pytest.approx(confidence / (times[b] / len(counted)))
            assert found.degree[row] == pytest.approx(both[a, b] / ((times[a] + times[b]) / 2))
            with_both = [i for i, things in enumerate(of_sets) if {a, b} <= things]
            assert sets_with(sets, np.array(thing, np.int32), a, b).tolist() == with_both


@given(COMMITS, st.lists(st.sampled_from(["", "T-1 a", "b T-1", "T-2", "t-1"]), min_size=9, max_size=9))
def test_commits_of_one_ticket_are_one_set(commits: list[list[int]], subjects: list[str]) -> None:
    """NEW-12: a change set is all commits of one ticket; one of many files is left out."""
    most = 4
    groups: dict[object, set[int]] = {}
    for row, paths in enumerate(commits):
        if 0 < len(set(paths)) <= most:
            ticket = next((word for word in subjects[row].split() if word in ("T-1", "T-2")), row)
            groups.setdefault(ticket, set()).update(paths)
    small = [group for group in groups.values() if len(group) <= most]
    expected = Counter(pair for group in small for pair in combinations(sorted(group), 2))
    changes = history(commits, PATHS, subjects=subjects[: len(commits)])
    sets = change_sets(changes, CouplingChoice(most=most, ticket=r"T-\d+"))
    found = file_couplings(sets, len(PATHS))
    pairs = zip(found.first.tolist(), found.second.tolist(), strict=True)
    assert sets.count == len(small)
    assert dict(zip(pairs, found.both.tolist(), strict=True)) == expected
    for number in range(sets.count):
        members = set(sets.path[sets.member == number].tolist())
        assert members == {path for row in sets.commits_of(np.array([number])).tolist() for path in commits[row]}


def test_files_that_are_gone_count_for_the_size_of_a_commit() -> None:
    """NEW-12: a commit that changed 40 files couples nothing, though only two of them are left; a merge is no set."""
    changes = history([[0, 1], [0, 1], [], []], PATHS, files=[40, 2, 0, 3])
    sets = change_sets(changes, CouplingChoice())
    assert sets.commit.tolist() == [1, 3]
    assert sets.bulk == 1
    assert file_couplings(sets, len(PATHS)).both.tolist() == [1]


def test_a_wrong_pattern_of_tickets_is_told() -> None:
    """NEW-12: the pattern is a user's: what no engine of linear time takes is refused with a sentence."""
    changes = history([[0]], PATHS, subjects=["a"])
    for pattern in ("(", r"(a)\1", "x" * 2000):
        with pytest.raises(InputError, match="is not a pattern of tickets"):
            change_sets(changes, CouplingChoice(ticket=pattern))


def test_the_strongest_come_first() -> None:
    """NEW-12: often together and seldom apart; equal ones in the order of their paths."""
    commits = [[0, 1]] * 4 + [[2, 3]] * 4 + [[2]] * 8 + [[4, 5]] * 4
    found = file_couplings(change_sets(history(commits, PATHS), CouplingChoice()), len(PATHS)).ranked()
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(0, 1), (4, 5), (2, 3)]


def test_nothing_in_the_range() -> None:
    """NEW-12: a range without commits, and a history without any, have no pairs and divide by nothing."""
    for changes in (history([[0, 1]], PATHS), history([], PATHS), history([], [])):
        found = file_couplings(change_sets(changes, CouplingChoice(since=5)), len(changes.paths))
        assert len(found) == 0
        assert found.lift.tolist() == found.support.tolist() == []
