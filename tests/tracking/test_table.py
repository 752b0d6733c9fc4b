"""The marks of five plans over thirty commits each, against the table that was written before the code (NEW-3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.mining import open_versions
from cbvtool.plan import Group, History
from cbvtool.plan.tasks import task_list
from cbvtool.tracking.file_moves import FileMoves
from cbvtool.tracking.marks import marks
from cbvtool.versions import analysed
from tests.tracking.subject import commit_all
from tests.tracking.tables import TABLES, Table

LETTERS = {"open": ".", "partly": "p", "done": "d", "overtaken": "x"}


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_marks_at_every_commit_are_those_that_were_expected(table: Table, tmp_path: Path) -> None:
    ids = commit_all(tmp_path / "subject", table.start, [action for _, action in table.rows])
    wrong = []
    with open_versions(tmp_path / "subject") as versions:
        cache = tmp_path / "cache"
        base = analysed(versions, ids[0], jobs=1, cache=cache).graph
        history = History(base, tuple(Group("step", (operation,)) for operation in table.plan))
        assert not history.refusals
        found = task_list(history).tasks
        assert len(found) == len(table.tasks)
        column = [next(t.key for t in found if t.title.startswith(title)) for title in table.tasks]
        moves = FileMoves()
        for number, commit in enumerate(versions.first_parents(ids[0], ids[-1]), start=1):
            assert commit.sha == ids[number]
            moves = moves.then(commit)
            now = analysed(versions, commit.sha, jobs=1, cache=cache).graph
            state = {mark.key: mark for mark in marks(found, base, history.graph, now, moves)}
            shown = "".join(LETTERS[state[key].state] for key in column)
            if shown != table.rows[number - 1][0]:
                wrong.append(f"{number}: {shown} expected {table.rows[number - 1][0]}")
    assert not wrong, "\n".join(wrong)
