"""A plan carried out on a small repository: what became of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cbvtool.apply.applying import Wish, apply_plan
from cbvtool.plan import Group, Operation
from cbvtool.plan.document import Document, Plan
from tests.test_project import git

BRANCH = "new"


@dataclass(frozen=True)
class Tried:
    """What became of a plan.

    stopped  why it was not carried out; empty if it was
    left     why tasks were left out
    files    path -> content of each file then, `-> text` for a link; empty if nothing was written
    commits  titles, the first one first
    """

    stopped: str
    left: tuple[str, ...]
    files: Mapping[str, str]
    commits: tuple[str, ...]


def repository(folder: Path, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None) -> Path:
    """A repository with one commit: path -> text, and path of a link -> what it says."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    for path, text in (links or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--force", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def tried(folder: Path, *operations: Operation, keep_going: bool = False, forward: bool = False) -> Tried:
    """Carry a plan out, each operation as a step of its own.

    Raises InputError, AssertionError for a result that does not hold, or for something written although it was refused.
    """
    groups = tuple(Group(str(number), (operation,)) for number, operation in enumerate(operations))
    document = Document(folder, folder.name, "", (Plan("Plan 1", groups),))
    wish = Wish(BRANCH, keep_going=keep_going, forward=forward, jobs=1, cache=folder.parent / "cache")
    around = folder if (folder / ".git").exists() else folder.parent
    before = _objects(around)
    found = apply_plan(document, document.plan, wish)
    left = tuple(one.reason for one in found.left_out)
    if found.stopped:
        assert _objects(around) == before
        assert not (around / ".git/refs/heads" / BRANCH).exists()
        return Tried(found.stopped, left, {}, ())
    assert found.proof is not None
    assert found.proof.holds
    return Tried(
        "", left, _files(folder), tuple(_said(folder, "log", "--reverse", "--format=%s", "main..new").split("\n")[:-1])
    )


def _files(folder: Path) -> dict[str, str]:
    found = {}
    for row in _said(folder, "ls-tree", "-r", "-z", BRANCH).split("\0")[:-1]:
        head, _, path = row.partition("\t")
        content = _said(folder, "cat-file", "blob", head.split(" ")[2])
        found[path] = f"-> {content}" if head.startswith("120000") else content
    return found


def _said(folder: Path, *arguments: str) -> str:
    return os.fsdecode(subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True).stdout)


def _objects(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".git/objects").rglob("*"))
