"""The patch of one file between two commits (TD-14)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cbvtool.errors import InputError
from cbvtool.mining.patches import read_differences, read_patch
from tests.mining.conftest import Repository


def test_td_14_the_patch_of_one_file(new_repository: Callable[..., Repository]) -> None:
    """TD-14: By its path or the end of it, also where it was renamed; of several that end so the shortest path."""
    body = "".join(f"line {number}\n" for number in range(20))
    made = new_repository()
    old = made.commit({"src/a.py": body, "deep/src/a.py": "x\n", "same.py": "1\n", "gone.py": "2\n"})
    new = made.commit(
        {"src/a.py": None, "src/b.py": body.replace("line 9\n", "LINE 9\n"), "deep/src/a.py": "y\n", "gone.py": None}
    )
    patch = read_patch(made.root, old, new, "src/b.py")
    assert [line for line in patch.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "-line 9",
        "+LINE 9",
    ]
    assert read_patch(made.root, old, new, "b.py") == patch
    assert "+y" in read_patch(made.root, old, new, "deep/src/a.py")
    assert "-2" in read_patch(made.root, old, new, "gone.py")
    assert read_patch(made.root, old, new, "same.py") == read_patch(made.root, old, new, "never.py") == ""
    with pytest.raises(InputError, match="no commit nothing"):
        read_patch(made.root, "nothing", new, "src/b.py")


def test_td_14_commits_may_be_named_by_tag_or_branch(new_repository: Callable[..., Repository]) -> None:
    """TD-14: as the docstring says, and as `compare-traces --commits v1..v2` is written."""
    made = new_repository()
    old = made.commit({"a.py": "x = 1\n"})
    made.git("tag", "v1")
    new = made.commit({"a.py": "x = 2\n"})
    made.git("branch", "v2")
    assert read_patch(made.root, "v1", "v2", "a.py") == read_patch(made.root, old, new, "a.py") != ""
    assert [one.new for one in read_differences(made.root, "v1", "v2")] == ["a.py"]
