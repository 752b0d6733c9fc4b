"""Stage two: lines of each touch, beside what git says, and what happens when git cannot say it (CBV-9)."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled
from cbvtool.mining import Changes, Churn, Processes, numstat, read_changes, read_churn
from cbvtool.mining.numstat import _Parser
from cbvtool.mining.view_repository import GitFailed


def lines(changes: Changes, churn: Churn) -> dict[tuple[str, str], tuple[int, int]]:
    """(subject-free) key: path of today and commit -> lines added, deleted."""
    rows = zip(
        changes.touch_path.tolist(),
        changes.touch_commit.tolist(),
        churn.added.tolist(),
        churn.deleted.tolist(),
        strict=True,
    )
    return {(changes.paths[path], changes.sha[commit]): (more, less) for path, commit, more, less in rows}


def read(root: Path) -> tuple[dict[tuple[str, str], tuple[int, int]], Churn]:
    changes = read_changes(root)
    churn = read_churn(root, changes)
    return lines(changes, churn), churn


def test_lines_follow_renames(repository: Any, text: Callable[[str], str]) -> None:
    """A rename with an edit has the lines of the edit, under today's name; a binary file has none."""
    first = repository.commit({"a.py": text("a"), "data": "\0\1\2", "gone.py": "1\n"})
    repository.rename("a.py", "sub/b.py")
    second = repository.commit({"sub/b.py": text("a") + "one\ntwo\n", "data": "\0\1", "gone.py": None})
    found, churn = read(repository.root)
    assert found == {
        ("sub/b.py", first): (20, 0),
        ("sub/b.py", second): (2, 0),
        ("data", first): (-1, -1),
        ("data", second): (-1, -1),
    }
    assert churn.lines.sum() == 22
    assert churn.notes == ()


def test_odd_names_and_a_folder_of_the_repository(repository: Any) -> None:
    """Paths come as git stores them, also when the analysed folder lies inside, and with bytes that quote or part."""
    sha = repository.commit({'in/a\tb "q".py': "1\n2\n", "in/ä\n.py": "1\n", "c.py": "1\n"})
    found, _ = read(repository.root / "in")
    assert found == {('a\tb "q".py', sha): (2, 0), ("ä\n.py", sha): (1, 0)}


def test_merges_show_nothing(repository: Any) -> None:
    """What a merge brings was counted on the branch; what was changed while merging is not seen."""
    base = repository.commit({"a.py": "1\n", "b.py": "1\n"})
    repository.checkout("side", "-b")
    side = repository.commit({"b.py": "1\n2\n"})
    repository.checkout("main")
    repository.commit({"a.py": "1\n2\n"})
    merge = repository.commit({"a.py": "1\n2\n3\n", "b.py": "1\n2\n"}, merge=side)
    found, _ = read(repository.root)
    assert not [key for key in found if key[1] == merge]
    assert found["b.py", side] == (1, 0)
    assert found["b.py", base] == (1, 0)


def delete_object(root: Path, name: str) -> None:
    sha = subprocess.run(["git", "rev-parse", name], cwd=root, capture_output=True, check=True).stdout.decode().strip()
    (root / ".git/objects" / sha[:2] / sha[2:]).unlink()


def test_a_missing_blob_costs_its_commits_alone(repository: Any) -> None:
    """FACTS "Git": numstat dies half-way with status 128; the rows of stage one stay, the others have their lines."""
    commits = [repository.commit({"a.py": "x\n" * count}) for count in range(1, 9)]
    delete_object(repository.root, "HEAD~3:a.py")
    found, churn = read(repository.root)
    assert len(found) == 8
    assert {key[1] for key, value in found.items() if value == (-1, -1)} == {commits[4], commits[5]}
    assert churn.lines.sum() == 6
    assert "The lines of 2 of 8 commits could not be counted" in churn.notes[0]


def test_where_all_contents_are_missing_it_gives_up(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A partial clone has only the newest contents: not every commit costs a process."""
    monkeypatch.setattr(numstat, "_IN_A_ROW", 3)
    for count in range(1, 13):
        repository.commit({"a.py": f"{count}\n" * count})
    for age in range(2, 12):
        delete_object(repository.root, f"HEAD~{age}:a.py")
    started = []
    popen = subprocess.Popen

    def counted(*arguments: Any, **how: Any) -> Any:
        started.append(arguments)
        return popen(*arguments, **how)

    monkeypatch.setattr(subprocess, "Popen", counted)
    changes = read_changes(repository.root)
    before = len(started)
    churn = read_churn(repository.root, changes)
    assert (churn.added >= 0).sum() == 1
    assert len(started) - before < 10
    assert "11 of 12" in churn.notes[0]


def test_cancel_ends_git(repository: Any) -> None:
    repository.commit({"a.py": "1\n"})
    changes = read_changes(repository.root)

    def stop(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_churn(repository.root, changes, progress=stop)
    processes = Processes()
    processes.stop()
    with pytest.raises(Cancelled):
        read_churn(repository.root, changes, processes=processes)


def test_progress_ends_with_all_commits(repository: Any) -> None:
    for count in range(3):
        repository.commit({"a.py": f"{count}\n"})
    told: list[tuple[str, int, int]] = []
    changes = read_changes(repository.root)
    read_churn(repository.root, changes, progress=lambda *report: told.append(report))
    assert told[-1] == ("Counting lines", 3, 3)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_chunks_make_no_difference(repository: Any, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    for count in range(1, 6):
        repository.commit({"a.py": "x\n" * count, f"{count}.py": "1\n"})
    whole, _ = read(repository.root)
    monkeypatch.setattr(numstat, "CHUNK", chunk)
    assert read(repository.root)[0] == whole


def test_a_history_without_its_repository(repository: Any, tmp_path: Path) -> None:
    """A saved graph knows no places; a folder may be gone."""
    repository.commit({"a.py": "1\n"})
    changes = read_changes(repository.root)
    saved = Changes.from_dict(changes.to_dict())
    assert read_churn(repository.root, saved).added.tolist() == [-1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "no git repository" in read_churn(elsewhere, changes).notes[0]
    assert len(read_churn(elsewhere, Changes.none("nothing")).added) == 0


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
@pytest.mark.parametrize("times", [(0, 1), (4_070_908_800, 4_070_908_801), (1_600_000_000, 1_500_000_000)])
def test_odd_clocks_and_hashes(new_repository: Callable[..., Any], hash_name: str, times: tuple[int, int]) -> None:
    """1970, 2099, and a clock that runs backwards."""
    repository = new_repository("odd", f"--object-format={hash_name}")
    shas = [repository.commit({"a.py": "x\n" * (1 + n)}, at=at) for n, at in enumerate(times)]
    found, _ = read(repository.root)
    assert found == {("a.py", shas[0]): (1, 0), ("a.py", shas[1]): (1, 0)}


def test_shallow_clones_and_empty_repositories(repository: Any, tmp_path: Path) -> None:
    """The oldest commits of a shallow clone, which seem to add every file, are not counted."""
    empty = read_changes(repository.root)
    assert len(read_churn(repository.root, empty).added) == 0
    shas = [repository.commit({"a.py": "x\n" * count}) for count in range(1, 5)]
    repository.git("clone", "-q", "--depth=2", f"file://{repository.root}", str(tmp_path / "shallow"))
    found, _ = read(tmp_path / "shallow")
    assert found == {("a.py", shas[3]): (1, 0)}


@pytest.mark.long
def test_a_commit_of_very_many_files(repository: Any) -> None:
    """NEW-17: a commit of 100,000 files is one commit; the tree is made by git itself, for files would take long."""
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=repository.root, input=b"1\n", capture_output=True, check=True
    )
    name = blob.stdout.decode().strip()
    listing = "".join(f"100644 {name}\td{number % 100}/{number}.py\n" for number in range(100_000))
    subprocess.run(["git", "update-index", "--index-info"], cwd=repository.root, input=listing.encode(), check=True)
    tree = repository.git("write-tree")
    identity = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    repository.git("update-ref", "HEAD", repository.git("commit-tree", tree, "-m", "all", **identity))
    _, churn = read(repository.root)
    assert churn.added.tolist() == [1] * 100_000


names = st.binary(min_size=1, max_size=5).map(lambda name: name.replace(b"\0", b"\t"))
entries = st.tuples(st.none() | st.integers(0, 10**12), st.integers(0, 9), st.none() | names, names)


@given(st.lists(st.lists(entries, max_size=4), max_size=5), st.lists(st.integers(0, 300)))
def test_output_may_be_cut_anywhere(history: list[list[Any]], cuts: list[int]) -> None:
    """Chunks of a pipe end in the middle of anything; paths may hold any byte but NUL."""
    shas = [f"{number:040d}" for number in range(len(history))]
    output, expected = b"", {}
    for number, changes in enumerate(history):
        output += shas[number].encode() + b"\0"
        for more, less, old, new in changes:
            output += b"-\t-\t" if more is None else b"%d\t%d\t" % (more, less)
            output += new + b"\0" if old is None else b"\0" + old + b"\0" + new + b"\0"
            expected[number, new] = (-1, -1) if more is None else (min(more, 2**31 - 1), less)
    found: dict[tuple[int, bytes], tuple[int, int]] = {}
    parser = _Parser(shas, 0, lambda number, rows: found.update({(number, path): row for path, row in rows.items()}))
    edges = sorted({0, len(output), *(cut for cut in cuts if cut < len(output))})
    for start, stop in itertools.pairwise(edges):
        parser.feed(output[start:stop])
    assert parser.end() == len(history)
    assert found == expected


def test_another_answer_than_asked_for_is_refused() -> None:
    parser = _Parser(["a" * 40], 0, lambda number, rows: None)
    with pytest.raises(GitFailed, match="not the next commit"):
        parser.feed(b"b" * 40 + b"\0")


def test_commits_that_were_given_up_are_no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the history without contents costs no other part its lines."""
    monkeypatch.setattr(numstat, "CHUNK", 50)
    monkeypatch.setattr(numstat, "_IN_A_ROW", 3)
    monkeypatch.setattr(numstat, "_FAILURES", 10)
    lost = {*range(50), 60, 120}  # a whole chunk, and two commits by themselves

    def read_some(self: Any, begin: int, end: int) -> int:
        return next((number for number in range(begin, end) if number in lost), end)

    monkeypatch.setattr(numstat._Reading, "_read", read_some)
    failed = numstat.read_numstat(cast("Any", None), ["0" * 40] * 200, lambda _number, _entries: None)
    assert {number for number, _ in failed} == lost
