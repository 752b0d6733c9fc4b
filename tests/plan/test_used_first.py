"""The order of tasks that move parts of one file to another one (NEW-9): no circle in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Group, History, Move
from cbvtool.plan.tasks import task_list
from tests.plan.coded import Coded

PARTS = "def z_used():\n    return 1\n\n\ndef a_user():\n    return z_used()\n\n\n"


@pytest.mark.parametrize(
    ("old", "new", "order"),
    [
        ("def stays():\n    return a_user()\n", "", ["z_used", "a_user"]),
        ("def stays():\n    return 1\n", "from old import stays\n\nx = stays()\n", ["a_user", "z_used"]),
        ("", "", ["a_user", "z_used"]),
    ],
    ids=["the old file needs the new one", "the new file needs the old one", "neither"],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_what_is_used_goes_first_where_the_old_file_needs_it(
    tmp_path: Path, old: str, new: str, order: list[str], backwards: bool
) -> None:
    """The order of the steps does not matter, but where nothing else decides."""
    project = Coded(tmp_path, {"old.py": PARTS + old, "new.py": new})
    moves = [Move((f"old.py::{name}",), "new.py") for name in ("a_user", "z_used")]
    history = History(project.graph, tuple(Group("", (move,)) for move in (moves[::-1] if backwards else moves)))
    titles = [task.title for task in task_list(history, None, project.code).tasks]
    found = [next(name for name in order if name in title) for title in titles]
    assert found == order or not (old or new)
    assert sorted(found) == sorted(order)
