"""What the commits of a range did to each file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.history.choosing import Choice
from cbvtool.history.files import file_rows
from cbvtool.mining.churn import Churn
from tests.history.test_choosing import history


def test_rows_of_a_range_by_hand() -> None:
    """NEW-17: the most commits first, then by path; unknown lines count as none."""
    lines = np.array([5, 1, 2, 7, 3, -1], np.int32)
    changes = replace(history(), churn=Churn(lines, np.zeros(6, np.int32)))
    rows = file_rows(changes)
    assert [changes.paths[path] for path in rows.path] == ["a.py", "b.py"]
    assert rows.commits.tolist() == [3, 3]
    assert rows.added.tolist() == [13, 5]
    assert rows.deleted.tolist() == [0, 0]
    assert rows.authors.tolist() == [2, 3]
    assert rows.first.tolist() == [0, 2 * 86_400]
    assert rows.last.tolist() == [3 * 86_400, 4 * 86_400]
    later = file_rows(changes, Choice(since=2 * 86_400, with_bots=False, by_name=True))
    assert [changes.paths[path] for path in later.path] == ["b.py", "a.py"]
    assert later.authors.tolist() == [1, 1]
    assert len(file_rows(changes, Choice(since=99 * 86_400)).path) == 0
