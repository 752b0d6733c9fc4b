"""Marks where commits alone do not tell: of files that are saved and not committed, and after a squash."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import pytest

from cbvtool.assistants.plan_tasks import AskTasks, PlanTasks
from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.errors import InputError
from cbvtool.plan import Group
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.project import open_project
from cbvtool.tracking import PlanProgress, as_saved, read_progress
from tests.test_project import git
from tests.tracking.subject import Subject, commit_all
from tests.tracking.tables import SHOP

LETTERS = {"open": ".", "partly": "p", "done": "d", "overtaken": "x"}
PLAN = Plan("Plan 1", tuple(Group("step", (operation,)) for operation in SHOP.plan))


def expected(row: int) -> str:
    """The marks of the table after that many commits, in its order of tasks."""
    return SHOP.rows[row - 1][0]


def shown(found: PlanProgress) -> str:
    marks = dict(zip((task.title for task in found.tasks), found.now.marks, strict=True))
    return "".join(
        LETTERS[next(mark.state for title, mark in marks.items() if title.startswith(begin))] for begin in SHOP.tasks
    )


def states(count: int) -> list[Subject]:
    """The code after each of the first commits of the table."""
    found = [copy.deepcopy(SHOP.start)]
    for _, action in SHOP.rows[:count]:
        state = copy.deepcopy(found[action if isinstance(action, int) else -1])
        if not isinstance(action, int):
            action(state)
        found.append(state)
    return found


def write(folder: Path, state: Subject) -> None:
    """Have these files, and no others."""
    for inner in folder.iterdir():
        if inner.name != ".git":
            shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
    for path, text in state.files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_saved_files_count_as_an_assistant_is_told(tmp_path: Path) -> None:
    """NEW-3, NEW-25: what is saved and not committed is marked; the window and `cbvtool mcp` say the same."""
    folder, cache, committed = tmp_path / "shop", tmp_path / "cache", 5
    ids = commit_all(folder, SHOP.start, [action for _, action in SHOP.rows[:committed]])
    write_document(Document(folder, "shop", ids[0], (PLAN,)), tmp_path / "plan.cbv")
    at_head = read_progress(folder, PLAN, ids[0], jobs=1, cache=cache)
    assert shown(at_head) == expected(committed)
    told = PlanTasks(cache)
    found = at_head
    for number, state in list(enumerate(states(8)))[committed:]:
        write(folder, state)
        found = as_saved(found, open_project(folder, jobs=1, cache=cache).graph)
        assert shown(found) == expected(number), number
        live = LiveCodeBase(tmp_path / "plan.cbv", {"jobs": 1, "cache": cache})
        answer = told.tasks(live.now(), AskTasks(limit=100))
        assert [(row["key"], row["mark"], row["done"], row["reason"]) for row in answer["tasks"]] == [
            (mark.key, mark.state, f"{mark.done} of {mark.sites}", mark.reason) for mark in found.now.marks
        ]
        is_new = expected(number) != expected(committed)
        assert (found.now.sha, len(found.rows)) == (
            ("", len(at_head.rows) + 1) if is_new else (ids[-1], len(at_head.rows))
        )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "more")
    assert shown(read_progress(folder, PLAN, ids[0], jobs=1, cache=cache)) == expected(8)


def test_a_plan_whose_commit_was_squashed_away(tmp_path: Path) -> None:
    """NEW-3: the difference of the two takes the place of the commits; once git has dropped it, that is said."""
    folder, count = tmp_path / "shop", 8
    ids = commit_all(folder, SHOP.start, [action for _, action in SHOP.rows[:count]])
    git(folder, "checkout", "-q", "--orphan", "squashed")
    git(folder, "commit", "-q", "-m", "all of it")
    git(folder, "branch", "-q", "-D", "main")
    found = read_progress(folder, PLAN, ids[0], jobs=1, cache=tmp_path / "cache")
    assert found.rows[0].sha == ids[0]
    assert found.now.sha not in ids
    assert len(found.rows) == 2
    assert shown(found) == expected(count)
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "gc", "-q", "--prune=now")
    with pytest.raises(InputError, match=ids[0][:7]):
        read_progress(folder, PLAN, ids[0], jobs=1, cache=False)


def test_where_a_task_leads_to(tmp_path: Path) -> None:
    """NEW-3: of what was moved, where it is now; of what is gone, nothing."""
    folder = tmp_path / "shop"
    ids = commit_all(folder, SHOP.start, [action for _, action in SHOP.rows[:16]])
    found = read_progress(folder, PLAN, ids[0], jobs=1, cache=tmp_path / "cache")
    there = {task.title: mark.there for task, mark in zip(found.tasks, found.now.marks, strict=True)}
    assert there["Move billing.py from shop/ui to shop/core"] == ("shop/core/billing.py",)
    assert there["Create package shop/api"] == ("shop/api",)
    assert there["Rename shop/data to storage"] == ("shop/storage",)
    assert there["Rename shop/core/price.py::total to total_price"] == ("shop/core/prices.py::total_price",)
    assert there["Move tax.py from shop/core to shop/storage"] == ("shop/fiscal.py",)  # other work
    assert there["Remove shop/old"] == ()
