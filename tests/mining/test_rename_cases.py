"""NEW-17: twenty-one ways to rename, in one repository made by hand, and what each file has been through."""

from __future__ import annotations

import os

import numpy as np
import pytest

from cbvtool.mining import read_changes, read_churn
from tests.mining.conftest import DAY, START, Repository


def x(name: str, more: int = 0) -> str:
    """Twenty lines that are like no others of another name, and some more."""
    return "".join(f"{name} says {i} times {i * i}\n" for i in range(20)) + "more\n" * more


# Of each case the files after each of four commits, by Ann, Bob, Cy and Di.
CASES: dict[str, list[dict[str, str]]] = {
    "plain": [{"a": x("p")}, {"b": x("p")}],
    "edited": [{"a": x("e")}, {"b": x("e", 2)}],
    "chain": [{"a": x("c")}, {"b": x("c")}, {"c": x("c", 1)}, {"d": x("c", 1)}],
    "back": [{"a": x("k")}, {"b": x("k")}, {"a": x("k")}],
    "swap": [{"a": x("j1"), "b": x("j2")}, {"a": x("j2"), "b": x("j1")}],
    "swap_over_third": [
        {"a": x("s"), "b": x("t")},
        {"c": x("s"), "b": x("t")},
        {"c": x("s"), "a": x("t")},
        {"b": x("s"), "a": x("t")},
    ],
    "copy_then_delete": [{"a": x("y")}, {"a": x("y"), "b": x("y")}, {"b": x("y")}],
    "folder": [{"old/f": x("f1"), "old/in/g": x("f2")}, {"new/f": x("f1"), "new/in/g": x("f2")}],
    "folder_and_edit": [{"old/f": x("h1")}, {"new/f": x("h1", 3)}, {"new/f": x("h1", 4)}],
    "case": [{"name": x("n")}, {"Name": x("n")}],
    "delete_and_add": [{"a": x("d")}, {}, {"a": "other\n"}],
    "delete_and_add_same": [{"a": x("z")}, {}, {"a": x("z")}],
    "name_taken_at_once": [{"a": x("o")}, {"b": x("o"), "a": "new\n"}],
    "name_taken_later": [{"a": x("l")}, {"b": x("l")}, {"b": x("l"), "a": "new\n"}],
    "deeper": [{"a": x("u")}, {"in/to/the/a": x("u")}],
    "up": [{"in/a": x("v")}, {"a": x("v")}],
    "rewritten": [{"a": x("r")}, {"b": x("q")}],
    "over_a_deleted_one": [{"a": x("w1"), "b": x("w2")}, {"b": x("w1")}],
    "to_a_folder_of_its_name": [{"a": x("g")}, {"a/a": x("g")}],
    "spaces_and_letters": [{"a b": x("i")}, {"ä ü": x("i")}],
}
# (case, path of today) -> commits that changed it, lines added, lines deleted, authors (by their first letters)
EXPECTED = {
    ("plain", "b"): ("12", 20, 0, "ab"),
    ("edited", "b"): ("12", 22, 0, "ab"),
    ("chain", "d"): ("1234", 21, 0, "abcd"),
    ("back", "a"): ("123", 20, 0, "abc"),
    # Both names stay, so that both files were rewritten: git says no more.
    ("swap", "a"): ("12", 40, 20, "ab"),
    ("swap", "b"): ("12", 40, 20, "ab"),
    ("swap_over_third", "a"): ("13", 20, 0, "ac"),
    ("swap_over_third", "b"): ("124", 20, 0, "abd"),
    ("copy_then_delete", "b"): ("2", 20, 0, "b"),
    ("folder", "new/f"): ("12", 20, 0, "ab"),
    ("folder", "new/in/g"): ("12", 20, 0, "ab"),
    ("folder_and_edit", "new/f"): ("123", 24, 0, "abc"),
    ("case", "Name"): ("12", 20, 0, "ab"),
    ("delete_and_add", "a"): ("3", 1, 0, "c"),
    ("delete_and_add_same", "a"): ("3", 20, 0, "c"),
    # git pairs what vanished with what came: a name that is there before and after is the same file.
    ("name_taken_at_once", "a"): ("12", 21, 20, "ab"),
    ("name_taken_at_once", "b"): ("2", 20, 0, "b"),
    ("name_taken_later", "a"): ("3", 1, 0, "c"),
    ("name_taken_later", "b"): ("12", 20, 0, "ab"),
    ("deeper", "in/to/the/a"): ("12", 20, 0, "ab"),
    ("up", "a"): ("12", 20, 0, "ab"),
    ("rewritten", "b"): ("2", 20, 0, "b"),
    ("over_a_deleted_one", "b"): ("12", 40, 20, "ab"),
    ("to_a_folder_of_its_name", "a/a"): ("12", 20, 0, "ab"),
    ("spaces_and_letters", "ä ü"): ("12", 20, 0, "ab"),
    # Renamed on a branch (5, by Eve), edited on the main line under the old name (6, by Flo), merged (7).
    ("merge", "b"): ("156", 21, 0, "aef"),
}
Row = tuple[str, int, int, str]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Row]:
    """What the history says of each file of the repository."""
    made = Repository(tmp_path_factory.mktemp("renames") / "subject")
    before: dict[str, str] = {"merge/a": x("m")}
    for number in range(4):
        after = {"merge/a": x("m")}
        for case, states in CASES.items():
            after |= {f"{case}/{path}": text for path, text in states[min(number, len(states) - 1)].items()}
        for path in before.keys() - after.keys():
            if os.path.lexists(made.root / path):
                (made.root / path).unlink()
                for folder in (made.root / path).parents:
                    if folder == made.root or any(folder.iterdir()):
                        break
                    folder.rmdir()
        made.commit(after, author=f"{'abcd'[number]}@x")
        before = after
    main = made.git("rev-parse", "HEAD")
    made.git("checkout", "-q", "-b", "side")
    made.rename("merge/a", "merge/b")
    side = made.commit(author="e@x")
    made.git("checkout", "-q", "main")
    assert made.git("rev-parse", "HEAD") == main
    made.commit({"merge/a": x("m", 1)}, author="f@x")
    made.rename("merge/a", "merge/b")
    made.commit(author="g@x", merge=side)
    changes = read_changes(made.root)
    churn = read_churn(made.root, changes)
    rows = {}
    for number, path in enumerate(changes.paths):
        at = np.flatnonzero(changes.touch_path == number)
        commits = changes.touch_commit[at]
        days = "".join(str(int(changes.time[c] - START) // DAY) for c in commits)
        who = "".join(sorted({changes.authors[changes.author[c]][0] for c in commits}))
        case, _, name = path.partition("/")
        rows[case, name] = (days, int(churn.added[at].sum()), int(churn.deleted[at].sum()), who)
    return rows


@pytest.mark.parametrize("file", EXPECTED, ids="/".join)
def test_a_file_has_its_commits_lines_and_authors(found: dict[tuple[str, str], Row], file: tuple[str, str]) -> None:
    """CBV-4, NEW-17: whatever was done to its name."""
    assert found[file] == EXPECTED[file]


def test_no_file_is_left_out(found: dict[tuple[str, str], Row]) -> None:
    """Every file of today is in the table."""
    assert found.keys() == EXPECTED.keys()
    assert len({case for case, _ in EXPECTED}) == 21
