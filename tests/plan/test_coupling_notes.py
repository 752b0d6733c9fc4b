"""NEW-12: tasks say what usually changes with a file that they move."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import GraphBuilder
from cbvtool.mining.changes import Changes
from cbvtool.plan import History, Move
from cbvtool.plan.history import Group
from cbvtool.plan.tasks import tasks


def test_a_task_names_what_stays_behind() -> None:
    """Five of six commits changed both; what moves along, or seldom changes with it, is not named."""
    builder = GraphBuilder("subject")
    for folder in ("a", "b"):
        builder.add_node(folder, "", folder, "folder")
    for file in ("a/one.py", "a/two.py", "a/three.py", "b/four.py"):
        builder.add_node(file, file[0], file[2:], "file")
    graph = builder.freeze()
    touches = [(row, path) for row in range(6) for path in ((0, 1) if row < 5 else (0,))]
    touches += [(row, 2) for row in range(6, 26)]  # commits of something else, so that five of six is no chance
    changes = Changes(
        tuple(f"{row:040}" for row in range(26)),
        np.arange(26, dtype=np.int64),
        np.zeros(26, np.int32),
        ("ada@example.org",),
        np.array([row for row, _ in touches], np.int32),
        np.array([path for _, path in touches], np.int32),
        ("a/one.py", "a/two.py", "a/three.py"),
    )
    [alone] = tasks(History(graph, (Group("move", (Move(("a/one.py",), "b"),)),)), changes)
    assert alone.notes == ("Usually changes with a/two.py (5 of 6 commits), which will lie in a.",)
    together = tasks(History(graph, (Group("move", (Move(("a/one.py", "a/two.py"), "b"),)),)), changes)
    assert not any(task.notes for task in together)
