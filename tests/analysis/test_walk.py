"""Issue 2 item 4: which files are analysed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cbvtool.analysis.walk import LEFT_OUT_FOLDERS, readable, walk
from cbvtool.errors import Cancelled


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def listed(root: Path) -> list[str]:
    return [file.path for file in walk(root).files]


def test_folders_that_hold_nothing_own(tmp_path: Path) -> None:
    """Issue 2 item 4: version control, environments, packages and caches are left out, and a note says so."""
    files = {f"{name}/a.py": "" for name in LEFT_OUT_FOLDERS}
    files |= {
        "env/pyvenv.cfg": "",
        "env/lib/a.py": "",
        "x.egg-info/a.py": "",
        "src/__pycache__/a.pyc": "",
        "src/a.py": "",
    }
    listing = walk(write(tmp_path, files))
    assert [file.path for file in listing.files] == ["src/a.py"]
    assert listing.folders == dict.fromkeys(LEFT_OUT_FOLDERS, 1) | {"env": 1, "*.egg-info": 1, "__pycache__": 2}
    (note,) = listing.notes()
    assert "*.egg-info, .bzr, .cache, .eggs, .git, " in note
    assert listing.left_out == []


def test_the_root_may_be_called_anything(tmp_path: Path) -> None:
    """Issue 2 item 4: what the user opens is analysed, also when it is an environment."""
    assert listed(write(tmp_path / ".venv", {"pyvenv.cfg": "", "a.py": ""})) == ["a.py", "pyvenv.cfg"]


IGNORED = {
    ".gitignore": "\N{ZERO WIDTH NO-BREAK SPACE}*.bom\r\n# a comment\n*.log\n"
    "/only_here.txt\nbuild/\n!keep.log\ndoc/**/draft.md\n\\#odd\ntrailing  \n"
    "**/cache\na/*/c\n",
    "x.bom": "",
    "a.log": "", "keep.log": "", "only_here.txt": "", "sub/only_here.txt": "", "build/x.py": "", "sub/build/x.py": "",
    "sub/build.py": "", "doc/draft.md": "", "doc/1/2/draft.md": "", "#odd": "", "trailing": "", "deep/cache/x": "",
    "a/b/c/x": "", "a/c": "", "a/b/d": "",
    "nested/.gitignore": "!*.log\n*.tmp\n/top\n", "nested/b.log": "", "nested/c.tmp": "", "nested/top": "",
    "nested/in/top": "", "nested/in/.gitignore": "*\n!.gitignore\n!this\n", "nested/in/this": "", "nested/in/that": "",
    "closed/.gitignore": "secret\n", "closed/secret/.gitignore": "!x\n", "closed/secret/x": "", "closed/open": "",
}  # fmt: skip


def test_ignored_as_git_ignores(tmp_path: Path) -> None:
    """Issue 2 item 4: .gitignore files, nested ones and exceptions among them, mean what they mean to git."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    write(tmp_path, IGNORED)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    command = [
        "git",
        "-c",
        "core.excludesFile=",
        "-C",
        str(tmp_path),
        "ls-files",
        "-z",
        "--others",
        "--exclude-standard",
    ]
    by_git = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    assert listed(tmp_path) == sorted(by_git)
    assert len(by_git) < len(IGNORED)


def test_ignored_things_are_counted(tmp_path: Path) -> None:
    """Issue 2 item 4: a note says how much a .gitignore took away."""
    listing = walk(write(tmp_path, {".gitignore": "*.log\nout/\n", "a.log": "", "out/b": "", "out/c": "", "d": ""}))
    assert listing.ignored == 2
    assert "2 files and folders" in listing.notes()[0]


def test_gitignore_that_is_none(tmp_path: Path) -> None:
    """Issue 2, bad input: a .gitignore that cannot be understood is listed; the rest goes on."""
    listing = walk(
        write(tmp_path, {"big/.gitignore": "x\n" * 600_000, "big/a.py": "", "bad/.gitignore": "!\n", "bad/b.py": ""})
    )
    assert {"big/a.py", "bad/b.py"} <= {file.path for file in listing.files}
    assert [left.path for left in listing.left_out if left.path.startswith("big")] == ["big/.gitignore"]


def test_gitignore_that_takes_for_ever(tmp_path: Path) -> None:
    """DESIGN 8: a hostile pattern cannot stop the analysis; the patterns beside it hold."""
    name = "a" * 250
    pattern = "*a" * 40 + "b"
    listing = walk(write(tmp_path, {".gitignore": f"{pattern}\n*.log\n" + "**/a/" * 30 + "b\n", name: "", "x.log": ""}))
    assert [file.path for file in listing.files] == [".gitignore", name]
    assert len(listing.left_out) == 2
    assert all("too many wildcards" in left.reason for left in listing.left_out)


def test_files_are_sorted_with_their_sizes(tmp_path: Path) -> None:
    """Issue 2 item 4: the order does not depend on the file system."""
    listing = walk(write(tmp_path, {"b/c.py": "1", "b.py": "22", "a/z.py": "333", "B.py": ""}))
    assert [(file.id, file.size) for file in listing.files] == [("B.py", 0), ("a/z.py", 3), ("b.py", 2), ("b/c.py", 1)]


def test_cancel(tmp_path: Path) -> None:
    """Issue 2 item 8: listing can be stopped."""

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        walk(tmp_path, stop)


def test_readable() -> None:
    """Issue 2, bad input: surrogates never leave the walk; what is Unicode stays as it is."""
    assert readable("naïve \udce9") == "naïve \ufffd"
    assert readable("日本\n'\"") == "日本\n'\""
