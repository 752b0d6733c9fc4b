"""Tags, loose and packed, of commits and of other tags (CBV-9)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cbvtool.errors import Cancelled
from cbvtool.mining import Processes, read_tags

WHO = ("-c", "user.name=x", "-c", "user.email=x")


@pytest.fixture
def tagged(new_repository: Callable[..., Any]) -> tuple[Any, list[str]]:
    """Three commits; a light tag, an annotated one, a tag of a tag, and one of a file."""
    repository = new_repository("tagged")
    commits = [repository.commit({"a.py": f"a = {row}\n"}) for row in range(3)]
    repository.git("tag", "light", commits[0])
    repository.git(*WHO, "tag", "-m", "one", "team/v1", commits[1])
    repository.git(*WHO, "tag", "-m", "two", "nested", "team/v1")
    repository.git(*WHO, "tag", "-m", "file", "of-a-file", f"{commits[2]}:a.py")
    return repository, commits


def expected(commits: list[str]) -> dict[str, str]:
    return {"light": commits[0], "team/v1": commits[1], "nested": commits[1]}


def test_loose_tags_lead_to_their_commits(tagged: tuple[Any, list[str]]) -> None:
    repository, commits = tagged
    assert read_tags(repository.root) == expected(commits)


def test_packed_tags_are_read_as_text(tagged: tuple[Any, list[str]]) -> None:
    """A tag that lies loose beside the packed ones wins, as for git."""
    repository, commits = tagged
    repository.git("pack-refs", "--all")
    assert not any(path.is_file() for path in (repository.root / ".git" / "refs" / "tags").rglob("*"))
    found = read_tags(repository.root)
    assert {name: found[name] for name in expected(commits)} == expected(commits)
    repository.git("tag", "-f", "light", commits[2])
    assert read_tags(repository.root)["light"] == commits[2]


def test_packed_tags_without_their_commits_are_asked_about(tagged: tuple[Any, list[str]]) -> None:
    """Old versions of git did not write what an annotated tag leads to."""
    repository, commits = tagged
    repository.git("pack-refs", "--all")
    packed = repository.root / ".git" / "packed-refs"
    lines = [line for line in packed.read_text().splitlines(keepends=True) if line[0] not in "#^"]
    packed.write_text("".join(lines))
    assert read_tags(repository.root) == expected(commits)


def test_where_there_is_nothing_to_read_there_are_no_tags(new_repository: Callable[..., Any], tmp_path: Path) -> None:
    assert read_tags(tmp_path) == {}
    empty = new_repository("empty")
    assert read_tags(empty.root) == {}
    empty.commit({"a.py": "a"})
    assert read_tags(empty.root) == {}


def test_what_is_no_tag_is_left_out(tagged: tuple[Any, list[str]]) -> None:
    repository, commits = tagged
    tags = repository.root / ".git" / "refs" / "tags"
    (tags / "broken").write_text("no commit\n")
    (tags / "gone").write_text("f" * 40 + "\n")
    (tags / "large").write_bytes(b"0" * 100_000)
    (tags / "link").symlink_to(tags / "nowhere")
    (repository.root / ".git" / "packed-refs").write_bytes(b"^\n\xff\xfe\0 refs/tags/x\nabc\n" + b"y" * 10_000)
    assert read_tags(repository.root) == expected(commits)


@pytest.mark.skipif(os.name == "nt", reason="named pipes")
def test_a_pipe_in_place_of_a_tag_is_not_waited_for(tagged: tuple[Any, list[str]]) -> None:
    repository, commits = tagged
    os.mkfifo(repository.root / ".git" / "refs" / "tags" / "pipe")
    assert read_tags(repository.root) == expected(commits)


def test_names_that_are_not_utf_8_are_replaced(tagged: tuple[Any, list[str]]) -> None:
    repository, commits = tagged
    place = os.fsencode(repository.root / ".git" / "refs" / "tags") + b"/v\xff"
    with open(place, "w") as file:
        file.write(commits[0])
    assert read_tags(repository.root)["v\ufffd"] == commits[0]


def test_reading_tags_can_be_stopped(tagged: tuple[Any, list[str]]) -> None:
    repository, _ = tagged
    processes = Processes()
    processes.stop()
    with pytest.raises(Cancelled):
        read_tags(repository.root, processes)
