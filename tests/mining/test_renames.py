"""Folding renames onto today's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.mining import read_changes
from cbvtool.mining.log import ADD, DELETE, MODIFY, RENAME, Log
from cbvtool.mining.renames import fold_renames

Event = tuple[int, str, str]  # kind, path, new path (of a rename)
KINDS = {"A": ADD, "M": MODIFY, "D": DELETE, "R": RENAME}


def log_of(*commits: str) -> Log:
    """A log written as "A a; M b; R a b" per commit, oldest first."""
    rows = [(row, *event.split()) for row, commit in enumerate(commits) for event in commit.split(";") if event]
    paths = sorted({path for row in rows for path in row[2:]})
    index = {path: i for i, path in enumerate(paths)}
    return Log(
        sha=tuple(map(str, range(len(commits)))),
        time=np.arange(len(commits), dtype=np.int64),
        author=np.zeros(len(commits), np.int32),
        authors=("a@x",),
        event=np.array([KINDS[row[1]] for row in rows], np.int8),
        event_commit=np.array([row[0] for row in rows], np.int32),
        event_path=np.array([index[row[2]] for row in rows], np.int32),
        event_new=np.array([index[row[-1]] for row in rows], np.int32),
        paths=tuple(path.encode() for path in paths),
        parent_ptr=np.maximum(np.arange(len(commits) + 1) - 1, 0),
        parent=np.arange(len(commits) - 1, dtype=np.int32),
    )


def folded(files: str, *commits: str, steady: Mapping[bytes, int] | None = None) -> dict[str, list[int]]:
    """The commits of each of today's files."""
    names = files.split()
    result = fold_renames(log_of(*commits), [name.encode() for name in names], steady)
    assert (np.diff(result.commit) >= 0).all()
    return {name: result.commit[result.file == i].tolist() for i, name in enumerate(names) if (result.file == i).any()}


@pytest.mark.parametrize(
    ("files", "commits", "expected"),
    [
        ("b", ["A a", "M a", "R a b", "M b"], {"b": [0, 1, 2, 3]}),
        ("c", ["A a", "R a b", "R b c", "M c"], {"c": [0, 1, 2, 3]}),
        ("a", ["A a", "R a b", "R b a"], {"a": [0, 1, 2]}),
        ("a", ["A a", "M a", "D a", "A a", "M a"], {"a": [3, 4]}),
        ("a b", ["A a", "R a b", "A a", "M a", "M b"], {"a": [2, 3], "b": [0, 1, 4]}),
        ("a b", ["A a; A b", "M a", "R a b; R b a"], {"a": [0, 2], "b": [0, 1, 2]}),
        ("b c", ["A a; A b", "M b", "R a b; R b c"], {"b": [0, 2], "c": [0, 1, 2]}),
        ("a b", ["A a", "R a b; A a", "M a"], {"a": [1, 2], "b": [0, 1]}),
        ("b", ["A b; A a", "M b", "R a b; D b"], {"b": [0, 2]}),
        ("a", ["M a", "M a"], {"a": [0, 1]}),
        ("", ["A a", "D a"], {}),
        ("b", ["A a", "R a b", "M a", "M b"], {"b": [0, 1, 2, 3]}),
        ("b", ["A a", "R a b", "R a b"], {"b": [0, 1, 2]}),
        ("a", ["A a", "A a", "M a"], {"a": [0, 1, 2]}),
        ("z", ["A a"], {}),
    ],
    ids=[
        "rename",
        "chain",
        "there and back",
        "deleted and added anew",
        "renamed and added anew",
        "swap",
        "handed on",
        "renamed and added anew at once",
        "renamed onto a deleted file",
        "beginning is cut off",
        "deleted for good",
        "a parallel branch knows the old name",
        "renamed on two branches",
        "added on two branches",
        "never touched",
    ],
)
def test_case(files: str, commits: list[str], expected: dict[str, list[int]]) -> None:
    """Renames folded; identity resets when a path is added anew."""
    assert folded(files, *commits) == expected


@pytest.mark.parametrize("files", ["a b", "b a"])
def test_two_names_of_today_that_were_one_file(files: str) -> None:
    """A merge kept both: the file went to the later name, and the other one has no changes of its own."""
    assert folded(files, "A a", "M a", "R a b", "M b") == {"b": [0, 1, 2, 3]}


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        (["A m", "A x", "R x m", "M m"], {"m": [0, 2, 3]}),
        (["A m", "M m", "R m n", "A m", "M n"], {"m": [0, 1, 3], "n": [2, 4]}),
        (["A m", "D m", "M m", "A m"], {"m": [0, 1, 2, 3]}),
        (["A m", "R m n; A m"], {"m": [0, 1], "n": [1]}),
    ],
    ids=["something else is renamed to it", "renamed and added anew", "deleted and added anew", "both at once"],
)
def test_file_that_stays_whatever_a_branch_does(commits: list[str], expected: dict[str, list[int]]) -> None:
    """From the commit on since which it has always been on the main line; not before."""
    assert folded("m n", *commits, steady={b"m": 0}) == expected
    assert folded("m n", *commits, steady={b"m": len(commits)}) == folded("m n", *commits)
    assert folded("m n", *commits) != expected


@st.composite
def linear_histories(draw: st.DrawFn) -> tuple[list[str], dict[str, list[int]]]:
    """A history without branches, acted out on files that know who they are."""
    held: dict[str, list[int]] = {}  # path -> the commits of the file there
    commits = []
    for row in range(draw(st.integers(1, 12))):
        before, after, events = dict(held), dict(held), []
        free = list("abcdef")
        for _ in range(draw(st.integers(1, 3))):
            path = draw(st.sampled_from(free))
            free.remove(path)
            action = draw(st.sampled_from("MDR")) if path in before else "A"
            target = draw(st.sampled_from(free)) if action == "R" and free else path
            if action == "R" and (target == path or target in before):
                action = "M"
            if action == "R":
                free.remove(target)
                after[target] = after.pop(path)
                events.append(f"R {path} {target}")
            elif action == "D":
                del after[path]
                events.append(f"D {path}")
            else:
                after.setdefault(path, [])
                events.append(f"{action} {path}")
            if action != "D":
                after[target if action == "R" else path].append(row)
        held = after
        commits.append("; ".join(draw(st.permutations(events))))
    return commits, held


@given(linear_histories())
def test_linear_history_is_exact(history: tuple[list[str], dict[str, list[int]]]) -> None:
    """Against files that are acted out, in any order within a commit."""
    commits, held = history
    assert folded(" ".join(sorted(held)), *commits) == held


def counts(root: Any) -> dict[str, int]:
    changes = read_changes(root)
    found = np.bincount(changes.touch_path, minlength=len(changes.paths))
    return dict(zip(changes.paths, found.tolist(), strict=True))


def test_renames_that_git_finds(repository: Any, text: Callable[[str], str]) -> None:
    """A rename with edits, a renamed folder, a copy, a path that is added anew."""
    repository.commit({"a.py": text("a"), "old/x.py": text("x"), "old/y.py": text("y"), "gone.py": text("g")})
    repository.commit({"a.py": text("a") + "more\n"})
    repository.rename("a.py", "b.py")
    repository.rename("old/x.py", "new/x.py")
    repository.rename("old/y.py", "new/y.py")
    repository.commit({"b.py": text("a") + "more\nand more\n", "gone.py": None})
    repository.commit({"copy.py": text("a") + "more\nand more\n", "gone.py": text("other")})
    repository.commit({"a.py": text("new")})
    assert counts(repository.root) == {"b.py": 3, "new/x.py": 2, "new/y.py": 2, "copy.py": 1, "gone.py": 1, "a.py": 1}


def test_branch_that_does_not_know_the_rename_yet(repository: Any, text: Callable[[str], str]) -> None:
    """Its change belongs to the renamed file, as its merge puts it there."""
    repository.commit({"a.py": text("a")})
    repository.checkout("side", "-b")
    side = repository.commit({"a.py": "first\n" + text("a")}, at=repository.now + 10 * 86_400)
    repository.checkout("main")
    repository.rename("a.py", "b.py")
    repository.commit(at=repository.now - 5 * 86_400)
    repository.commit({"b.py": "first\n" + text("a")}, merge=side)
    assert counts(repository.root) == {"b.py": 3}
