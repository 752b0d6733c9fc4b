"""NEW-1: change coupling, against counting pairs commit by commit."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.mining.changes import Changes
from cbvtool.mining.co_change import co_changes

PATHS = 8


def history(commits: list[list[int]]) -> Changes:
    """One commit a second, each with the paths it touched."""
    touches = [(row, path) for row, paths in enumerate(commits) for path in paths]
    row, path = np.array(touches, np.int32).reshape(-1, 2).T
    return Changes(
        tuple(f"{i:040x}" for i in range(len(commits))),
        np.arange(len(commits), dtype=np.int64),
        np.zeros(len(commits), np.int32),
        ("a@b",),
        row.copy(),
        path.copy(),
        tuple(f"{i}.py" for i in range(PATHS)),
    )


@given(st.lists(st.lists(st.integers(0, PATHS - 1), max_size=9), max_size=9), st.integers(1, 6), st.data())
def test_pairs_are_those_counted_commit_by_commit(commits: list[list[int]], most: int, data: st.DataObject) -> None:
    """NEW-1: commits of more than `most` files couple nothing; a path counts once in a commit; ranges are inclusive."""
    since, until = data.draw(st.none() | st.integers(0, 9)), data.draw(st.none() | st.integers(0, 9))
    expected: Counter[tuple[int, int]] = Counter()
    for time, paths in enumerate(commits):
        inside = (since is None or since <= time) and (until is None or time <= until)
        if inside and len(set(paths)) <= most:
            expected.update(combinations(sorted(set(paths)), 2))
    found = co_changes(history(commits), most=most, since=since, until=until)
    pairs = zip(found.first.tolist(), found.second.tolist(), strict=True)
    assert dict(zip(pairs, found.support.tolist(), strict=True)) == expected
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == sorted(expected)
