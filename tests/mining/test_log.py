"""Reading `git log --raw -z` as it streams."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled
from cbvtool.mining.locate import find_repository
from cbvtool.mining.log import ADD, DELETE, MODIFY, RENAME, Log, LogParser, read_log
from cbvtool.mining.view_repository import GitFailed, ViewRepository, open_view

LETTERS = {"A": ADD, "M": MODIFY, "T": MODIFY, "D": DELETE, "R": RENAME, "C": ADD}

names = st.binary(min_size=1, max_size=6).map(lambda b: b.replace(b"\0", b"\1"))
entries = st.tuples(st.sampled_from("AMTDRC"), names, names)
commits = st.lists(
    st.tuples(st.integers(0, 2**40), st.sampled_from(["a@x", "b c@y", ""]), st.lists(entries, max_size=4)), max_size=6
)


def written(history: list[tuple[int, str, list[tuple[str, bytes, bytes]]]]) -> bytes:
    """The history as git writes it, newest first; commit i has the id iiii..."""
    out = b""
    for i, (time, author, changes) in enumerate(history):
        parent = f"{i + 1:040d}" if i + 1 < len(history) else ""
        out += f"\1{i:040d} {time} {parent}\2{author}".encode() + b"\0"
        for n, (letter, old, new) in enumerate(changes):
            out += b"\n" * (n == 0) + b":100644 100644 1 2 " + letter.encode()
            out += b"087\0" + old + b"\0" + new + b"\0" if letter in "RC" else b"\0" + new + b"\0"
    return out


def events(log: Log) -> list[tuple[int, int, bytes, bytes]]:
    return [
        (int(commit), int(event), log.paths[old], log.paths[new])
        for commit, event, old, new in zip(log.event_commit, log.event, log.event_path, log.event_new, strict=True)
    ]


@given(commits, st.lists(st.integers(0, 400)))
def test_output_may_be_cut_anywhere(history: list[Any], cuts: list[int]) -> None:
    """Chunks of a pipe end in the middle of anything; paths may hold any byte but NUL."""
    output, parser = written(history), LogParser()
    edges = sorted({0, len(output), *(cut for cut in cuts if cut < len(output))})
    for start, stop in itertools.pairwise(edges):
        parser.feed(output[start:stop])
    log = parser.log()

    last = len(history) - 1
    assert log.sha == tuple(f"{last - i:040d}" for i in range(len(history)))
    assert log.time.tolist() == [time for time, _, _ in history][::-1]
    assert [log.authors[a] for a in log.author] == [author for _, author, _ in history][::-1]
    expected = [
        (last - i, LETTERS[letter], old if letter == "R" else new, new)
        for i, (_, _, changes) in enumerate(history)
        for letter, old, new in changes
    ]
    assert events(log) == expected[::-1]
    assert (np.diff(log.event_commit) >= 0).all()


@given(commits.filter(len), st.integers(0, 400))
def test_second_attempt_goes_on_where_the_first_broke_off(history: list[Any], cut: int) -> None:
    """FACTS "Git": a history that dies half-way keeps what was read; nothing is counted twice."""
    output, whole, parser = written(history), LogParser(), LogParser()
    whole.feed(output)
    parser.feed(output[: cut % len(output)])
    parser.end_output(complete=False)
    parser.feed(output)
    assert events(parser.log()) == events(whole.log())
    assert parser.log().sha == whole.log().sha
    assert parser.log().time.tolist() == whole.log().time.tolist()


def test_commit_dates_beyond_any_calendar() -> None:
    """A commit date is whatever was written into the commit."""
    parser = LogParser()
    parser.feed(written([(2**70, "a@x", []), (-(2**70), "a@x", [])]))
    assert parser.log().time.tolist() == [-(2**62), 2**62]


def open_log(repository: Any, progress: Callable[[str, int, int], None] | None = None) -> Log:
    found = find_repository(repository.root)
    assert found is not None
    with open_view(found) as view:
        return read_log(view, progress) if progress else read_log(view)


def test_parents_come_before_children_whatever_their_dates(repository: Any) -> None:
    """FACTS "Git": commit dates are not monotone; names can only be followed along the graph."""
    shas = [repository.commit({"a.py": f"{i}\n"}, at=1_600_000_000 - 5000 * i) for i in range(6)]
    assert list(open_log(repository).sha) == shas


def test_merge_shows_nothing_and_root_is_counted(repository: Any) -> None:
    """The policy that docs/history.md states."""
    root = repository.commit({"a.py": "1\n"})
    repository.checkout("side", "-b")
    side = repository.commit({"b.py": "1\n"})
    repository.checkout("main")
    repository.commit({"c.py": "1\n"})
    merge = repository.commit({"b.py": "1\n", "a.py": "changed while merging\n"}, merge=side)
    log = open_log(repository)
    touched = {log.sha[commit]: path for commit, _, path, _ in events(log)}
    assert touched[root] == b"a.py"
    assert touched[side] == b"b.py"
    assert merge in log.sha
    assert merge not in touched


def test_any_path_survives(repository: Any) -> None:
    """Spaces, quotes, line ends, non-ASCII characters."""
    paths = [
        "a b.py",
        'quo"te.py',
        "li\nne.py",
        "tab\t.py",
        "grün/雪.py",
        ":100644 100644 1 2 M",
        "-dash.py",
        "back\\slash",
    ]
    repository.commit(dict.fromkeys(paths, "1\n"))
    assert {path.decode() for path in open_log(repository).paths} == set(paths)


def test_progress_says_how_many_of_how_many(repository: Any) -> None:
    """Progress."""
    for i in range(5):
        repository.commit({"a.py": f"{i}\n"})
    seen: list[tuple[str, int, int]] = []
    open_log(repository, lambda *report: seen.append(report))
    assert seen
    assert seen[-1][1] == 5
    assert all(total in (0, 5) and 0 < done <= 5 for _, done, total in seen)


def long_history(repository: Any, commits: int = 3000) -> None:
    """A history; 20,000 commits are more than fits into a pipe, so that git is still writing while it is read."""
    stream = "".join(
        f"commit refs/heads/main\ncommitter c <c@x> {1_600_000_000 + i} +0000\ndata 0\n"
        f"M 644 inline a{i % 7}.py\ndata {len(str(i))}\n{i}\n"
        for i in range(commits)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository.root, input=stream.encode(), check=True)


def test_total_is_known_on_the_way(repository: Any) -> None:
    """What is left can be said before the end."""
    long_history(repository, 20_000)
    seen: list[tuple[int, int]] = []
    log = open_log(repository, lambda _, done, total: seen.append((done, total)))
    assert len(log.sha) == 20_000
    assert seen[-1] == (20_000, 20_000)
    assert any(done < total for done, total in seen)


def test_cancel_ends_git_and_removes_the_view(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel; no process and no folder is left behind."""
    long_history(repository, 20_000)
    processes: list[Any] = []
    folders: list[Path] = []
    start = ViewRepository.start

    @contextlib.contextmanager
    def recorded(view: ViewRepository, *arguments: str, reads: Any = None) -> Iterator[Any]:
        folders.append(Path(view.environment["GIT_DIR"]))
        with start(view, *arguments, reads=reads) as process:
            processes.append(process)
            yield process

    monkeypatch.setattr(ViewRepository, "start", recorded)

    def stop(what: str, done: int, total: int) -> None:
        assert processes[-1].poll() is None, "git had ended by itself, so the test shows nothing"
        raise Cancelled

    with pytest.raises(Cancelled):
        open_log(repository, stop)
    assert len(processes) == 3  # the size of the mail map, the number of commits, the log
    assert all(process.returncode is not None for process in processes)
    assert processes[-1].returncode != 0
    assert not any(folder.parent.exists() for folder in folders)


def test_many_complaints_do_not_stop_git(repository: Any) -> None:
    """A pipe that nobody empties would: git complains here more than a pipe holds, before it answers."""
    repository.commit({"a.py": "1\n"})
    found = find_repository(repository.root)
    assert found is not None
    with open_view(found) as view:
        alternates = Path(view.environment["GIT_DIR"]) / "objects" / "info" / "alternates"
        with alternates.open("a") as lines:
            lines.writelines(f"/nowhere/{i}/{'x' * 80}\n" for i in range(2000))
        assert len(read_log(view).sha) == 1


def test_failure_is_one_line(repository: Any) -> None:
    """Bad input."""
    repository.commit({"a.py": "1\n"})
    found = find_repository(repository.root)
    assert found is not None
    with open_view(found) as view, pytest.raises(GitFailed, match=r"^fatal: [^\n]*$"):
        view.output("rev-parse", "--verify", "nonexistent")


class Breaking:
    """A view whose git writes the beginning of the history and is killed, and the whole of it when asked again."""

    boundary: frozenset[str] = frozenset()
    head = "head"
    silence = 60.0

    def __init__(self, output: bytes, cut: int) -> None:
        self._outputs = [output[:cut], output]

    def stream(self, command: str, *arguments: str, seconds: float) -> Iterator[bytes]:
        yield self._outputs.pop(0)
        if self._outputs:
            raise GitFailed("killed", killed=True)


def test_git_that_is_killed_is_asked_again() -> None:
    """FACTS "Git": a history that dies half-way; out of memory, say, and so in the middle of a commit."""
    history = [(5, "a@x", [("M", b"a", b"a"), ("A", b"b", b"b")]), (4, "b@x", []), (3, "c@x", [("R", b"o", b"a")])]
    output, whole = written(history), LogParser()
    whole.feed(output)
    for cut in range(len(output)):
        log = read_log(Breaking(output, cut))  # type: ignore[arg-type]
        assert events(log) == events(whole.log())
        assert log.sha == whole.log().sha
        assert log.broken == ""
