"""No repository holds up, fills or outlives the program; a history that fails costs a note."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import git
import pytest

from cbvtool.budget import OverBudget
from cbvtool.errors import Cancelled
from cbvtool.mining import Changes, Processes, locate, read, read_changes, view_repository
from cbvtool.mining.locate import NotReadable
from cbvtool.mining.log import LogParser
from cbvtool.mining.object_files import check_objects
from cbvtool.mining.processes import limited
from cbvtool.progress import stoppable
from tests.mining.test_log import written

posix = pytest.mark.skipif(os.name == "nt", reason="named pipes, signals, shell scripts")
PLACES = (
    "objects/ab/cdef",
    "objects/pack/pack-1.idx",
    "objects/pack/multi-pack-index",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
)
REAL_GIT = "exec git"


def note(changes: Changes) -> str:
    assert changes.sha == ()
    assert len(changes.notes) == 1
    return changes.notes[0]


def shim(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of git; `exec git "$@"` in it is the real one. Returns the file that tells of hanging."""
    told = folder / "hangs"
    file = folder / "shim"
    file.write_text(f"#!/bin/sh\nhang() {{ echo $$ > {told}; sleep 1000; }}\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setattr(git.Git, "GIT_PYTHON_GIT_EXECUTABLE", str(file))
    return told


def hung(told: Path) -> int:
    """Number of the process that hangs, once it does."""
    until(lambda: told.exists() and told.read_text().endswith("\n"))
    return int(told.read_text())


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def gone(pid: int) -> bool:
    """Whether the process has ended, though perhaps nobody asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


# -- what git would wait for -----------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("place", PLACES)
def test_a_pipe_among_the_objects_is_not_opened(repository: Any, place: str) -> None:
    """Audit H3: a named pipe there made `analyze` hang for ever."""
    repository.commit({"a.py": "1\n"})
    pipe = repository.root / ".git" / place
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    assert f"{pipe} is not a regular file" in note(read_changes(repository.root))


@posix
def test_a_pipe_behind_a_link_or_in_a_borrowed_database(repository: Any, tmp_path: Path) -> None:
    """git follows links, and the lists of databases to borrow from, relative and quoted ones."""
    repository.commit({"a.py": "1\n"})
    objects = repository.root / ".git" / "objects"
    other = tmp_path / "oth\ner"
    (other / "pack").mkdir(parents=True)
    (other / "info").mkdir()
    (objects / "info" / "alternates").write_text('# a comment\n"../../../oth\\ner"\n')
    (other / "info" / "alternates").write_text(f"{objects}\n")
    assert check_objects(objects) > 0
    os.mkfifo(tmp_path / "pipe")
    (other / "pack" / "pack-1.idx").symlink_to(tmp_path / "pipe")
    with pytest.raises(NotReadable, match="not a regular file"):
        check_objects(objects)


@posix
@pytest.mark.parametrize("place", ["HEAD", "refs/heads/main", "shallow", "packed-refs", "commondir"])
def test_nothing_we_read_ourselves_waits(repository: Any, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the pipe comes between the look and the opening."""
    repository.commit({"a.py": "1\n"})
    file = repository.root / ".git" / place
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    read_changes(repository.root)
    monkeypatch.setattr(os.path, "isfile", os.path.exists)
    read_changes(repository.root)


# -- what claims to be huge ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "limit"), [("shallow", "5 MB"), ("packed-refs", "1 MB")])
def test_a_file_that_claims_20_gigabytes(
    repository: Any, monkeypatch: pytest.MonkeyPatch, place: str, limit: str
) -> None:
    """Audit H4: one line of 20 GB, with holes, was read as a whole."""
    monkeypatch.setattr(locate, "_REFERENCES_LIMIT", 1_000_000)
    repository.commit({"a.py": "1\n"})
    if place == "packed-refs":
        (repository.root / ".git/refs/heads/main").unlink()
    with (repository.root / ".git" / place).open("wb") as file:
        file.truncate(20_000_000_000)
    assert f"{place} is larger than {limit}" in note(read_changes(repository.root))


def test_a_commit_of_too_many_files(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit H4: ten trees of ten entries each name 10,000,000,000 files."""
    monkeypatch.setattr(read, "_MOST_FILES", 5)
    repository.commit({f"{number}.py": "1\n" for number in range(6)})
    assert "more than 5 files, so no history was read" in note(read_changes(repository.root))


def test_a_history_that_is_too_large_breaks_off() -> None:
    """The newest commits are kept, whole ones; what was begun of the next is forgotten."""
    many = [("A", b"%d" % number, b"%d" % number) for number in range(10_000)]
    output = written([(3, "a@x", [("M", b"a", b"a")]), (2, "a@x", [("M", b"b", b"b")]), (1, "a@x", many)])
    parser = LogParser(memory=100_000)
    pieces = [output[at : at + 1000] for at in range(0, len(output), 1000)]
    with pytest.raises(OverBudget, match="The history was stopped: more than"):
        collections.deque(map(parser.feed, pieces))
    parser.end_output(complete=False)
    log = parser.log()
    assert len(log.sha) == 2
    assert log.paths == (b"a", b"b")
    assert len(log.event) == 2


def test_an_entry_without_end_is_not_collected() -> None:
    """A path may have any length, and each chunk is put behind what is there."""
    parser = LogParser()
    with pytest.raises(OverBudget, match="An entry of the history is larger than 1 MB"):
        collections.deque(map(parser.feed, [b"x" * 100_000] * 20))


def test_a_history_too_large_is_told(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it breaks off stands in the notes."""
    monkeypatch.setattr(LogParser.__init__, "__defaults__", (frozenset(), 10))
    repository.commit({"a.py": "1\n"})
    changes = read_changes(repository.root)
    assert "The history breaks off after 0 commits (The history was stopped: more than 10 bytes)." in changes.notes


def test_a_huge_mail_map_is_left_out(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """git's time for one grows with the square of its lines."""
    repository.commit({"a.py": "1\n", ".mailmap": "Ann <new@x> <ann@example.org>\n"})
    assert read_changes(repository.root).authors == ("new@x",)
    monkeypatch.setattr(view_repository, "_MAIL_MAP", 10)
    assert read_changes(repository.root).authors == ("ann@example.org",)


@pytest.mark.skipif(sys.platform != "linux", reason="what counts as allocated differs")
def test_memory_is_limited_from_the_first_moment() -> None:
    """A commit of 2 MB that unpacks to 3 GB."""
    allocate = [sys.executable, "-c", "bytearray(1_000_000_000)"]
    assert subprocess.run(limited(allocate, 500_000_000), capture_output=True, check=False).returncode == 1
    assert subprocess.run(limited(allocate, 2_000_000_000), capture_output=True, check=False).returncode == 0


# -- renames ---------------------------------------------------------------------------------------------------------


def test_renames_beyond_the_limit(repository: Any, text: Callable[[str], str]) -> None:
    """Audit M8: thousands of unrelated files in one commit. Equal content, and equal names with edits, are followed."""
    noise = {f"old{number}.txt": f"{number}\n" * 50 for number in range(600)}
    first = repository.commit(noise | {"src/same.py": text("same"), "src/edited.py": text("edited")})
    repository.rename("src/same.py", "lib/other.py")
    repository.rename("src/edited.py", "lib/edited.py")
    repository.commit(
        dict.fromkeys(noise)
        | {f"new{number}.log": f"{number} x\n" * 50 for number in range(600)}
        | {"lib/edited.py": text("edited") + "more\n"}
    )
    changes = read_changes(repository.root)
    commits = {
        path: [changes.sha[row] for row in changes.touch_commit[changes.touch_path == i].tolist()]
        for i, path in enumerate(changes.paths)
    }
    assert first in commits["lib/other.py"]
    assert first in commits["lib/edited.py"]


# -- time ------------------------------------------------------------------------------------------------------------


@posix
def test_a_git_that_says_nothing_is_stopped(repository: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it waits for: the history breaks off, with a note."""
    repository.commit({"a.py": "1\n"})
    monkeypatch.setattr(view_repository, "_SILENCE", 0.1)
    told = shim(tmp_path, 'case "$*" in *ls-tree*|*cat-file*) exec git "$@";; *) hang;; esac', monkeypatch)
    changes = read_changes(repository.root)
    assert changes.sha == ()
    assert "breaks off after 0 commits (git log: no answer for" in changes.notes[0]
    assert gone(hung(told))


@posix
def test_renames_that_take_too_long(repository: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing contents is given up; renames without an edit are followed all the same."""
    repository.commit({"a.py": "1\n"})
    repository.rename("a.py", "b.py")
    repository.commit()
    monkeypatch.setattr(view_repository, "_SILENCE", 0.1)
    shim(tmp_path, 'case "$*" in *"-M "*) hang;; *) exec git "$@";; esac', monkeypatch)
    changes = read_changes(repository.root)
    assert len(changes.touch_path) == 2
    assert "took too long: in the oldest 2 commits only renames without any edit were followed" in changes.notes[0]


@posix
@pytest.mark.parametrize("by_job", [False, True], ids=["processes", "job"])
def test_stopping_ends_a_git_that_hangs(
    repository: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_job: bool
) -> None:
    """Audit H3: Cancel looked at nothing while git was silent.

    A job that must end before the next one begins is told by nothing but its `checkpoint`.
    """
    repository.commit({"a.py": "1\n"})
    told = shim(tmp_path, "hang", monkeypatch)
    processes, ended, cancelled = Processes(), list[str](), threading.Event()

    def check() -> None:
        if cancelled.is_set():
            raise Cancelled

    def work() -> None:
        try:
            with stoppable(check):
                read_changes(repository.root, processes=processes)
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=work)
    thread.start()
    pid = hung(told)
    cancelled.set() if by_job else processes.stop()
    thread.join(60)
    assert ended == ["cancelled"]
    assert gone(pid)
    cancelled.clear()
    processes.stop()
    with pytest.raises(Cancelled):
        read_changes(repository.root, processes=processes)


@posix
@pytest.mark.parametrize("early", [False, True])
def test_git_and_its_folder_end_with_us(
    repository: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: bool
) -> None:
    """Audit H3: processes and folders stayed. No Python code runs after `kill -9`.

    early  it comes before anything was said of the git that has just begun
    """
    repository.commit({"a.py": "1\n"})
    told = shim(tmp_path, "hang", monkeypatch)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script = textwrap.dedent(f"""
        import git
        from pathlib import Path
        git.Git.GIT_PYTHON_GIT_EXECUTABLE = {str(tmp_path / "shim")!r}
        from cbvtool.mining import processes, read_changes
        if {early}:
            processes.Processes._tell = lambda *_: None
        read_changes(Path({str(repository.root)!r}))
    """)
    source = str(Path(view_repository.__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": source}
    )
    pid = hung(told)
    assert list(temporary.iterdir())
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: gone(pid) and not list(temporary.iterdir()))
