"""Files that stay on the main line whatever branches do to their path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.mining import Changes, read_changes
from cbvtool.mining.log import Log
from cbvtool.mining.mainline import through


def count(changes: Changes, path: str) -> int:
    return int((changes.touch_path == changes.paths.index(path)).sum())


def split_in_two(repository: Any, text: Callable[[str], str]) -> Any:
    """On the checked out branch: a.py moves away, and one commit later a new a.py stands in its place."""
    repository.rename("a.py", "core.py")
    repository.commit()
    return repository.commit({"a.py": "from core import *\n"})


def test_file_that_a_branch_split_keeps_its_history(repository: Any, text: Callable[[str], str]) -> None:
    """As in flask: `app.py` became `sansio/app.py` and a new `app.py`; on the main line it was only changed."""
    for i in range(5):
        repository.commit({"a.py": text("a") + f"{i}\n"})
    repository.checkout("side", "-b")
    side = split_in_two(repository, text)
    repository.checkout("main")
    repository.commit({"a.py": "from core import *\n", "core.py": text("a") + "4\n"}, merge=side)
    changes = read_changes(repository.root)
    assert count(changes, "a.py") == 6
    assert count(changes, "core.py") == 1


def test_without_a_merge_the_path_was_added_anew(repository: Any, text: Callable[[str], str]) -> None:
    """FACTS "Git": identity resets when a path is added anew; here the main line itself was without it."""
    for i in range(5):
        repository.commit({"a.py": text("a") + f"{i}\n"})
    split_in_two(repository, text)
    changes = read_changes(repository.root)
    assert count(changes, "a.py") == 1
    assert count(changes, "core.py") == 6


@pytest.mark.parametrize("fate", ["deleted", "renamed"])
def test_joined_history_does_not_end_a_file_of_the_same_name(
    repository: Any, text: Callable[[str], str], fate: str
) -> None:
    """As in git: another project with a `Makefile` of its own was merged in, and what it did to that is its own."""
    for i in range(3):
        repository.commit({"Makefile": text("make") + f"{i}\n"})
    repository.git("checkout", "-q", "--orphan", "other")
    repository.git("rm", "-rfq", ".")
    later = repository.now
    repository.commit({"Makefile": text("other")}, at=later + 1)
    if fate == "renamed":
        repository.rename("Makefile", "other.mk")
        repository.commit(at=later + 2)
    else:
        repository.commit({"Makefile": None, "other.mk": text("more")}, at=later + 2)
    repository.commit({"Makefile": text("third")}, at=later + 3)
    other = repository.commit({"Makefile": None}, at=later + 4)
    repository.git("checkout", "-q", "-f", "main")
    repository.commit({"Makefile": text("make") + "2\n", "other.mk": text("other")}, merge=other, at=later + 5)
    repository.commit({"Makefile": text("make") + "9\n"}, at=later + 6)

    shas = repository.git("log", "--format=%H", "--first-parent", "--no-merges", "--", "Makefile").split()
    changes = read_changes(repository.root)
    mine = changes.touch_commit[changes.touch_path == changes.paths.index("Makefile")]
    assert set(shas) <= {changes.sha[commit] for commit in mine}
    assert len(shas) == 4


def test_file_that_came_back_by_a_merge_is_another(repository: Any, text: Callable[[str], str]) -> None:
    """It was gone on the main line in between, so that what a branch says holds."""
    repository.commit({"a.py": text("a"), "b.py": "1\n"})
    repository.commit({"a.py": text("a") + "more\n"})
    repository.commit({"a.py": None})
    repository.checkout("side", "-b")
    side = repository.commit({"a.py": text("other")})
    repository.checkout("main")
    repository.commit({"b.py": "2\n"})
    repository.commit({"a.py": text("other")}, merge=side)
    repository.commit({"a.py": text("other") + "more\n"})
    assert count(read_changes(repository.root), "a.py") == 2


@pytest.mark.parametrize("path", ["a\nHEAD:b.py", "a\r.py", "a b missing", "a\r\n", "\x0b\x0c\x1c"])
def test_line_end_in_a_doubtful_path(repository: Any, text: Callable[[str], str], path: str) -> None:
    """Git is asked about paths line by line, and answers so."""
    repository.commit({path: text("a"), "b.py": text("b"), "keep.py": "1\n"})
    repository.commit({path: None, "b.py": None})
    repository.checkout("side", "-b")
    side = repository.commit({path: text("c"), "b.py": text("d")})
    repository.checkout("main")
    repository.commit({path: text("c"), "b.py": text("d")}, merge=side)
    changes = read_changes(repository.root)
    assert count(changes, path) == count(changes, "b.py") == 1


@given(st.lists(st.lists(st.integers(0, 100), max_size=3, unique=True), min_size=1, max_size=12))
def test_through_is_the_oldest_on_the_line_that_holds_the_commit(drawn: list[list[int]]) -> None:
    """The definition, taken literally, on any graph of commits."""
    parents = [list(dict.fromkeys(p % row for p in ids)) if row else [] for row, ids in enumerate(drawn)]
    none = np.empty(0, np.int32)
    log = Log(
        tuple(map(str, range(len(parents)))),
        none.astype(np.int64),
        none,
        (),
        none.astype(np.int8),
        none,
        none,
        none,
        (),
        np.cumsum([0, *map(len, parents)]),
        np.array([p for ids in parents for p in ids], np.int32),
    )

    held: list[set[int]] = []
    for row, ids in enumerate(parents):
        held.append({row}.union(*(held[parent] for parent in ids)))
    line = [len(parents) - 1]
    while parents[line[-1]]:
        line.append(parents[line[-1]][0])
    expected = [min((m for m in line if row in held[m]), default=-1) for row in range(len(parents))]
    assert through(log).tolist() == expected
