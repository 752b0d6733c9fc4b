"""A subject that was moved or renamed is found again (NEW-20)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cbvtool.plan import Move
from cbvtool.plan.document import Document, Plan, read_document, write_document
from cbvtool.plan.history import Group
from cbvtool.plan.moved import find_subject


def make(folder: Path, *, git: bool = False) -> str:
    """A project of two files; its commit."""
    (folder / "core").mkdir(parents=True)
    for name in ("core/cart.py", "main.py"):
        (folder / name).write_text(name)
    if not git:
        return ""

    def run(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@e")
        return subprocess.run(
            ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    run("init", "-q")
    run("add", ".")
    run("commit", "-q", "-m", "first")
    first = run("rev-parse", "HEAD")
    run("commit", "-q", "--allow-empty", "-m", "second")
    return first


def plan_of(subject: Path, commit: str = "", *, steps: bool = True) -> Document:
    """A plan that names both files, or nothing."""
    group = Group("Move", (Move(("core/cart.py::Cart", "main.py"), "core"),))
    return Document(subject, subject.name, commit, (Plan("Plan 1", (group,) if steps else ()),), 0, {"root": ""})


def saved(document: Document, file: Path) -> Document:
    file.parent.mkdir(exist_ok=True, parents=True)
    write_document(document, file)
    return read_document(file)


def test_it_is_found_beside_the_plan_by_its_content(tmp_path: Path) -> None:
    document = saved(plan_of(tmp_path / "old" / "shop"), tmp_path / "new" / "a.cbv")
    make(tmp_path / "new" / "shop")
    assert find_subject(document, tmp_path / "new" / "a.cbv") == tmp_path / "new" / "shop"


def test_it_is_found_among_recent_subjects(tmp_path: Path) -> None:
    document = saved(plan_of(tmp_path / "old" / "shop"), tmp_path / "plans" / "a.cbv")
    make(tmp_path / "far" / "away" / "shop")
    other = tmp_path / "far" / "away" / "other"
    other.mkdir()
    assert find_subject(document, tmp_path / "plans" / "a.cbv") is None
    assert find_subject(document, tmp_path / "plans" / "a.cbv", [other]) == other.parent / "shop"


def test_a_folder_of_that_name_alone_is_not_enough(tmp_path: Path) -> None:
    document = saved(plan_of(tmp_path / "old" / "shop"), tmp_path / "new" / "a.cbv")
    (tmp_path / "new" / "shop").mkdir()
    assert find_subject(document, tmp_path / "new" / "a.cbv") is None


@pytest.mark.parametrize("name", ["shop", "store"])
def test_its_history_tells(tmp_path: Path, name: str) -> None:
    """A commit before the last one is known, too; under another name both history and content must fit."""
    commit = make(tmp_path / "new" / name, git=True)
    for steps, at_all in ((True, True), (False, name == "shop")):
        document = saved(plan_of(tmp_path / "old" / "shop", commit, steps=steps), tmp_path / "new" / "a.cbv")
        found = find_subject(document, tmp_path / "new" / "a.cbv")
        assert found == (tmp_path / "new" / name if at_all else None)
        document = saved(plan_of(tmp_path / "old" / "shop", "0" * 40, steps=False), tmp_path / "new" / "a.cbv")
        assert find_subject(document, tmp_path / "new" / "a.cbv") is None


def test_a_saved_graph_is_found_by_its_name(tmp_path: Path) -> None:
    document = saved(plan_of(tmp_path / "old" / "shop.json"), tmp_path / "new" / "a.cbv")
    (tmp_path / "new" / "shop.json").write_text("{}")
    assert find_subject(document, tmp_path / "new" / "a.cbv") == tmp_path / "new" / "shop.json"
