"""Which files are analysed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis.folder import existing_folder
from cbvtool.analysis.settings import read_settings
from cbvtool.analysis.walk import LEFT_OUT_FOLDERS, _unique, readable, walk
from cbvtool.errors import Cancelled, InputError


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def listed(root: Path) -> list[str]:
    return [file.path for file in walk(root).files]


def test_folders_that_hold_nothing_own(tmp_path: Path) -> None:
    """Version control, environments, packages and caches are left out, and a note says so."""
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
    """What the user opens is analysed, also when it is an environment."""
    assert listed(write(tmp_path / ".venv", {"pyvenv.cfg": "", "a.py": ""})) == ["a.py", "pyvenv.cfg"]


IGNORED = {
    ".gitignore": "\N{ZERO WIDTH NO-BREAK SPACE}*.bom\r\n# a comment\n*.log\n"
    "/only_here.txt\nbuild/\n!keep.log\ndoc/**/draft.md\n\\#odd\ntrailing  \n"
    "**/cache\na/*/c\n",
    "x.bom": "",
    "a.log": "",
    "keep.log": "",
    "only_here.txt": "",
    "sub/only_here.txt": "",
    "build/x.py": "",
    "sub/build/x.py": "",
    "sub/build.py": "",
    "doc/draft.md": "",
    "doc/1/2/draft.md": "",
    "#odd": "",
    "trailing": "",
    "deep/cache/x": "",
    "a/b/c/x": "",
    "a/c": "",
    "a/b/d": "",
    "nested/.gitignore": "!*.log\n*.tmp\n/top\n",
    "nested/b.log": "",
    "nested/c.tmp": "",
    "nested/top": "",
    "nested/in/top": "",
    "nested/in/.gitignore": "*\n!.gitignore\n!this\n",
    "nested/in/this": "",
    "nested/in/that": "",
    "closed/.gitignore": "secret\n",
    "closed/secret/.gitignore": "!x\n",
    "closed/secret/x": "",
    "closed/open": "",
}


def test_ignored_as_git_ignores(tmp_path: Path) -> None:
    """.gitignore files, nested ones and exceptions among them, mean what they mean to git."""
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


def git(folder: Path, *arguments: str) -> str:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    said = ("-c", "core.excludesFile=", "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(
        ["git", *said, "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout


TRACKED = {
    ".gitignore": "*.log\nbuild/\n*gen*\n",
    "a.log": "",
    "kept.log": "",
    "build/x.py": "",
    "build/deep/kept.py": "",
    "build/deep/y.py": "",
    f"src/{'/'.join(['long' * 50] * 17)}/gen.py": "",
    "src/a.py": "",
    "src/.gitignore": "*gen*\n",
    "src/gen.log": "",
    "na\u00efve/gen.py": "",
}
FORCED = ("kept.log", "build/deep/kept.py", "src/a.py", "src/long*", "na\u00efve/gen.py", ".gitignore")


@pytest.mark.parametrize("of_index", ["2", "4"])
@pytest.mark.parametrize("name", ["sha1", "sha256"])
@pytest.mark.parametrize("opened", ["", "src"])
def test_what_git_tracks_is_not_ignored(tmp_path: Path, of_index: str, name: str, opened: str) -> None:
    """A pattern has no word on a file that is tracked; in any format of the index."""
    write(tmp_path, TRACKED)
    git(tmp_path, "init", "--quiet", f"--object-format={name}")
    git(tmp_path, "add", "--force", *FORCED)
    git(tmp_path, "add", "--intent-to-add", "--force", "src/.gitignore")  # an entry with more flags: version 3
    git(tmp_path, "update-index", "--index-version", of_index)
    by_git = git(tmp_path / opened, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]
    assert listed(tmp_path / opened) == sorted(by_git)


def test_repositories_in_repositories(tmp_path: Path) -> None:
    """A submodule has an index of its own, wherever it lies."""
    write(tmp_path / "other", {".gitignore": "*.gen\n", "a.gen": "", "b.gen": ""})
    git(tmp_path / "other", "init", "--quiet")
    git(tmp_path / "other", "add", "--force", ".gitignore", "a.gen")
    git(tmp_path / "other", "commit", "--quiet", "-m", "x")
    main = write(tmp_path / "main", {".gitignore": "/deep\n", "deep/untracked": ""})
    git(main, "init", "--quiet")
    git(main, "submodule", "--quiet", "add", "--force", str(tmp_path / "other"), "deep/sub")
    write(main, {"deep/sub/b.gen": ""})
    assert listed(main) == [".gitignore", ".gitmodules", "deep/sub/.gitignore", "deep/sub/a.gen"]


@pytest.mark.parametrize("damage", ["no index", "cut", "garbage", "leads nowhere", "pipe"])
def test_index_that_is_none(tmp_path: Path, damage: str) -> None:
    """Design 8: an index that is damaged, or made to mislead, costs nothing but what only it could tell."""
    write(tmp_path, {".gitignore": "*.log\n", "a.log": "", "b.py": ""})
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--force", "a.log")
    index = tmp_path / ".git" / "index"
    data = index.read_bytes()
    assert listed(tmp_path) == [".gitignore", "a.log", "b.py"]
    index.unlink()
    if damage == "cut":
        index.write_bytes(data[: len(data) // 2])
    elif damage == "garbage":
        index.write_bytes(data[:12] + b"\xff" * 4000)
    elif damage == "leads nowhere":
        shutil.rmtree(tmp_path / ".git")
        (tmp_path / ".git").write_text("gitdir: /dev/\n")
    elif damage == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("needs pipes")
        os.mkfifo(index)
    assert listed(tmp_path) == [".gitignore", "b.py"]


def test_ignored_things_are_counted(tmp_path: Path) -> None:
    """A note says how much a .gitignore took away."""
    listing = walk(write(tmp_path, {".gitignore": "*.log\nout/\n", "a.log": "", "out/b": "", "out/c": "", "d": ""}))
    assert listing.ignored == 2
    assert "2 files and folders" in listing.notes()[0]


def test_gitignore_that_is_none(tmp_path: Path) -> None:
    """A .gitignore that cannot be understood is listed; the rest goes on."""
    listing = walk(
        write(tmp_path, {"big/.gitignore": "x\n" * 600_000, "big/a.py": "", "bad/.gitignore": "!\n", "bad/b.py": ""})
    )
    assert {"big/a.py", "bad/b.py"} <= {file.path for file in listing.files}
    assert [left.path for left in listing.left_out if left.path.startswith("big")] == ["big/.gitignore"]


def in_time(code: str, *arguments: str, seconds: int = 60) -> str:
    """What a program prints that gets 1.5 GB, and is killed if it takes long."""
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", limited, *arguments],
        timeout=seconds,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src"), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


_WALK = """
import sys
from pathlib import Path
from cbvtool.analysis.walk import walk
listing = walk(Path(sys.argv[1]))
print(len(listing.files), len({file.id for file in listing.files}), len(listing.links), listing.ignored)
for left in listing.left_out[:5]: print(left.path, "|", left.reason)
"""


def test_gitignore_that_took_for_ever(tmp_path: Path) -> None:
    """Design 8: patterns with any number of wildcards hold, in linear time, as do the patterns beside them."""
    name = "a" * 250
    lines = ["*a" * 40 + "b", "*.log", "**/a/" * 30 + "b", *(f"*a*a*a{row}" for row in range(300)), "*a" * 40 + "c"]
    write(tmp_path, {".gitignore": "\n".join(lines), name: "", "x.log": "", "a" * 200 + "c": "", "abaa299": ""})
    assert in_time(_WALK, str(tmp_path)).splitlines() == ["2 2 0 3"]


def test_more_patterns_than_anybody_needs(tmp_path: Path) -> None:
    """Issue "Trust" item 3: a budget for all .gitignore files of a subject; what is beyond it is said, not obeyed."""
    write(tmp_path, {".gitignore": "*.log\n", "a.log": "", "b.py": "", "z/c.log": "", "z/d.log": ""})
    (tmp_path / "z" / ".gitignore").write_text("\n".join(f"*a*a*a{row}" for row in range(60_000)))
    listing = walk(tmp_path)
    (left,) = listing.left_out
    assert left.path == "z/.gitignore"
    assert left.reason.startswith("from here on no .gitignore is honoured: Honouring the .gitignore files was stopped")
    assert "a.log" not in [file.path for file in listing.files]
    assert "z/d.log" in [file.path for file in listing.files]


_NAMES = st.text("ab.", min_size=1, max_size=4).filter(lambda name: set(name) != {"."})
_PARTS = st.text("ab.*?", min_size=1, max_size=4).filter(lambda part: set(part) != {"."}) | st.sampled_from(
    ["**", "*", "[ab]", "[!a]", "[^b]x", "[a-b]*", "?", "a*", "*b", "*.a", "\\a", "[]ab]", "a[", "[z-a]"]
)
_LINES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(_PARTS, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/", "/**"]),
)


@given(
    st.lists(_LINES, min_size=1, max_size=5),
    st.lists(st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=12),
)
def test_random_patterns_mean_what_they_mean_to_git(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], names: list[str]
) -> None:
    """Judge: git itself, of the files that lie there; what it does not descend into has no say."""
    root = tmp_path_factory.mktemp("judged")
    git(root, "init", "--quiet")
    (root / ".gitignore").write_text("\n".join(lines))
    for name in names:
        with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):  # `a` and `a/b`
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
    by_git = git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0")[:-1]
    assert listed(root) == sorted(by_git)


def test_many_names_that_are_no_unicode(tmp_path: Path) -> None:
    """Issue "Trust" item 3: names that all read the same are numbered in linear time, and stay different."""
    if sys.platform == "win32":
        pytest.skip("every name of Windows is Unicode")
    folder = os.fsencode(tmp_path)
    for row in range(25_600):
        name = bytes((0x80 + row % 64, 0x80 + row // 64 % 64, 0x80 + row // 4096))
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_WRONLY))
    (tmp_path / ("\ufffd" * 3 + "#7")).touch()
    assert in_time(_WALK, str(tmp_path)).splitlines() == ["25601 25601 0 0"]


def test_names_that_read_the_same_are_numbered(tmp_path: Path) -> None:
    """The first keeps its name; a sibling that has a number already keeps that."""
    taken: dict[str, int] = {}
    assert [_unique(name, taken) for name in ("a", "a#2", "a", "a", "b", "a#2")] == [
        "a",
        "a#2",
        "a#3",
        "a#4",
        "b",
        "a#2#2",
    ]


def test_a_chain_of_links(tmp_path: Path) -> None:
    """Issue "Trust" item 3: 3,000 links one behind the other; what the system follows is found, the rest is not."""
    if sys.platform == "win32":
        pytest.skip("links need a privilege")
    (tmp_path / "0").write_text("x")
    for row in range(1, 3_001):
        (tmp_path / str(row)).symlink_to(str(row - 1))
    (tmp_path / "cbvtool.toml").symlink_to("3000")
    listing = walk(tmp_path)
    assert listing.links["5"] == "0"
    assert "3000" not in listing.links
    (note,) = read_settings(tmp_path).notes
    assert "Too many levels of symbolic links" in note
    with pytest.raises(InputError, match="cannot be opened: Too many levels"):
        existing_folder(tmp_path / "3000")


def test_a_large_folder_can_be_left(tmp_path: Path) -> None:
    """Issue "Trust" item 3: Cancel is heard within one folder."""
    for row in range(3_000):
        (tmp_path / f"{row}.txt").touch()
    heard = []

    def stop(what: str, done: int, total: int) -> None:
        heard.append(done)
        if len(heard) == 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        walk(tmp_path, stop)


def test_files_are_sorted_with_their_sizes(tmp_path: Path) -> None:
    """The order does not depend on the file system."""
    listing = walk(write(tmp_path, {"b/c.py": "1", "b.py": "22", "a/z.py": "333", "B.py": ""}))
    assert [(file.id, file.size) for file in listing.files] == [("B.py", 0), ("a/z.py", 3), ("b.py", 2), ("b/c.py", 1)]


def test_cancel(tmp_path: Path) -> None:
    """Listing can be stopped."""

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        walk(tmp_path, stop)


def test_readable() -> None:
    """Surrogates never leave the walk; what is Unicode stays as it is."""
    assert readable("naïve \udce9") == "naïve \ufffd"
    assert readable("日本\n'\"") == "日本\n'\""
