"""An index of git that names more than anybody tracks."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cbvtool.analysis.walk import walk
from cbvtool.budget import Budget, OverBudget
from cbvtool.mining import git_index
from cbvtool.mining.git_index import Tracked, tracked_paths


def entry(path: bytes) -> bytes:
    """One of version 2."""
    head = bytes(24) + struct.pack(">4I", 0o100644, 0, 0, 0) + bytes(20) + struct.pack(">H", min(len(path), 0xFFF))
    return head + path + bytes(8 - (len(head) + len(path)) % 8)


def index(*paths: bytes) -> bytes:
    """An index of version 2."""
    return struct.pack(">4sII", b"DIRC", 2, len(paths)) + b"".join(map(entry, paths)) + bytes(20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository whose .gitignore names a file that git tracks."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "kept.log").touch()
    (tmp_path / "a.py").touch()
    return tmp_path


def test_all_levels_of_a_deep_path_are_too_much(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit H4: 1 MB with one path of 500,000 levels needed all memory. The rest of the folder is listed."""
    (folder / ".git" / "index").write_bytes(index(b"kept.log", b"x/" * 500_000 + b"y"))
    listing = walk(folder)
    assert [file.path for file in listing.files] == [".gitignore", "a.py", "kept.log"]
    assert [left.path for left in listing.left_out] == [".git/index"]
    assert "some of what git tracks" in listing.left_out[0].reason


def test_what_is_known_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary index has no fault."""
    (folder / ".git" / "index").write_bytes(index(b"a/b/c.py", b"kept.log"))
    tracked = Tracked(str(folder), str(folder))
    assert "kept.log" in tracked
    assert "a/b/" in tracked
    assert tracked.fault == ""
    monkeypatch.setattr(git_index, "_MEMORY", 150)
    assert "kept.log" not in (small := Tracked(str(folder), str(folder)))
    assert small.fault


def test_paths_are_counted_while_they_are_read() -> None:
    """An entry may keep the beginning of the one before: few bytes, long paths."""
    with pytest.raises(OverBudget):
        tracked_paths(index(*(b"x" * 1000 for _ in range(100))), Budget("The list", size=20_000))


def test_entries_without_a_name_are_none() -> None:
    """A file with holes in it, that claims four billion entries."""
    assert tracked_paths(struct.pack(">4sII", b"DIRC", 2, 2**32 - 1) + bytes(10_000)) == []
