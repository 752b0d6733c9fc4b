"""NEW-17: a history is read once; after that new commits alone, with the same result as if all were read."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.analysis.cache import FILE, HistoryKeeper
from cbvtool.mining import Changes, kept_log, log, read_changes, read_churn
from cbvtool.mining.keeper import packed, unpacked
from cbvtool.mining.kept_churn import CountedLines
from cbvtool.mining.log import LogParser
from tests.mining.conftest import DAY, START, Repository


class Kept(dict[bytes, bytes]):
    """A keeper in memory"""

    def put(self, key: bytes, data: bytes) -> None:
        """Keep it."""
        self[key] = data


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often a history was read as a whole: one head for each."""
    read, seen = log.read_log, list[str]()

    def told(view: Any, *arguments: Any) -> Any:
        seen.append(view.head)
        return read(view, *arguments)

    monkeypatch.setattr(kept_log, "read_log", told)
    return seen


@pytest.fixture
def written_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few new commits are kept at once."""
    monkeypatch.setattr(kept_log, "FEW", 0)
    monkeypatch.setattr(sys.modules["cbvtool.mining.read_churn"], "FEW", 0)


def same(one: Changes, other: Changes) -> None:
    """The same in every column; `places` by what they say."""
    for field in fields(Changes):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, field.name)
        elif field.name != "places":
            assert a == b, field.name
    assert one.places is not None
    assert other.places is not None
    said = [
        sorted(zip(p.touch.tolist(), [p.names[i] for i in p.name], strict=True)) for p in (one.places, other.places)
    ]
    assert said[0] == said[1]


def check(repository: Repository, kept: Any) -> Changes:
    """The history with what is kept, which is that without it."""
    found = read_changes(repository.root, keeper=kept)
    same(found, read_changes(repository.root))
    lines, anew = (read_churn(repository.root, found, keeper=keeper) for keeper in (kept, None))
    assert (lines.added.tolist(), lines.deleted.tolist()) == (anew.added.tolist(), anew.deleted.tolist())
    return found


def test_new_commits_branches_and_a_history_that_was_rewritten(
    repository: Repository, whole: list[str], text: Callable[[str], str], written_always: None
) -> None:
    """New commits, an older branch merged later, a rebase, a reset: all without reading the history anew."""
    kept = Kept()
    repository.commit({"a.py": text("a"), "b.py": text("b")})
    fork = repository.commit({"a.py": text("a") + "1\n"}, author="bob@x")
    check(repository, kept)
    for step in range(3):
        repository.commit({"b.py": text("b") + f"{step}\n", f"n{step}.py": f"{step}\n"})
    check(repository, kept)
    main = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "side", fork)
    repository.rename("a.py", "c.py")
    side = repository.commit(author="carol@x", at=START + 2 * DAY + 5)  # before what main got meanwhile
    check(repository, kept)
    repository.checkout("main")
    repository.rename("a.py", "c.py")
    repository.commit(merge=side)
    check(repository, kept)
    repository.git("reset", "-q", "--hard", main)  # the merge is forgotten
    repository.commit({"a.py": text("z")}, author="dave@x")
    found = check(repository, kept)
    assert "carol@x" not in found.authors
    repository.git("reset", "-q", "--hard", fork)
    check(repository, kept)
    assert len(whole) == 1 + 6  # the first time, and once for each comparison


def test_only_the_first_time_everything_is_read(repository: Repository, whole: list[str]) -> None:
    """The second and third open ask for nothing but new commits."""
    kept = Kept()
    repository.commit({"a.py": "1\n"})
    read_changes(repository.root, keeper=kept)
    assert len(whole) == 1
    read_changes(repository.root, keeper=kept)
    repository.commit({"a.py": "2\n"})
    assert len(read_changes(repository.root, keeper=kept).sha) == 2
    assert len(whole) == 1


def test_another_mail_map_and_another_end_of_a_shallow_clone(
    repository: Repository, new_repository: Callable[..., Repository], whole: list[str]
) -> None:
    """What the commits say depends on both: all is read anew."""
    for number in range(4):
        repository.commit({"a.py": f"{number}\n"}, author="old@x")
    kept = Kept()
    clone = new_repository("clone")
    clone.git("fetch", "-q", "--depth=2", repository.root.as_uri(), "main")
    clone.git("reset", "-q", "--hard", "FETCH_HEAD")
    assert check(clone, kept).shallow
    clone.git("fetch", "-q", "--unshallow", repository.root.as_uri(), "main")
    found = check(clone, kept)
    assert not found.shallow
    assert len(found.touch_path) == 4
    clone.commit({".mailmap": "Ann <ann@x> <old@x>\n"}, author="ann@x")
    assert set(check(clone, kept).authors) == {"ann@x"}


def test_a_head_that_the_database_has_no_more(repository: Repository, whole: list[str]) -> None:
    """A forced push and git's clean-up: what was kept names a commit that is gone."""
    kept = Kept()
    first = repository.commit({"a.py": "1\n"})
    repository.commit({"a.py": "2\n"})
    read_changes(repository.root, keeper=kept)
    repository.git("reset", "-q", "--hard", first)
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "-q", "--prune=now")
    repository.commit({"a.py": "3\n"})
    assert len(check(repository, kept).sha) == 2


@pytest.mark.parametrize(
    "damage", [b"", b"rubbish", zlib.compress(b"rubbish"), None], ids=["empty", "text", "zip", "cut"]
)
def test_a_damaged_entry_is_like_none(repository: Repository, damage: bytes | None) -> None:
    """It is read and written again."""
    kept = Kept()
    repository.commit({"a.py": "1\n"})
    check(repository, kept)
    good = dict(kept)
    for key, data in good.items():
        kept[key] = data[: len(data) // 2] if damage is None else damage
    check(repository, kept)
    assert kept == good


def test_entries_of_other_columns_are_refused() -> None:
    """Every column of a kept log is checked against the others."""
    parser = LogParser()
    parser.feed(b"\x01" + b"a" * 40 + b" 5 \x02a@x\x02A\x02s\0:1 1 a b M\0p\0")
    found = parser.log()
    assert kept_log.from_bytes(kept_log.to_bytes(found, "s"), "s").sha == found.sha
    for column, value in {
        "author": 1,
        "event": 9,
        "event_commit": 1,
        "event_path": -1,
        "event_new": 1,
        "parent_ptr": 1,
    }.items():
        wrong = replace(found, **{column: getattr(found, column) * 0 + value})
        with pytest.raises(ValueError, match="columns"):
            kept_log.from_bytes(kept_log.to_bytes(wrong, "s"), "s")
    with pytest.raises(ValueError, match="mail map"):
        kept_log.from_bytes(kept_log.to_bytes(found, "s"), "t")


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_no_fault(data: bytes) -> None:
    """A foreign cache file costs nothing but the time to read the history."""
    assert CountedLines.of_entry(packed(data)).sha == ()
    with pytest.raises(ValueError, match=r"."):
        kept_log.from_bytes(data, "")
    with pytest.raises(ValueError, match=r"."):
        unpacked(data)


def test_two_keepers_at_once_and_a_damaged_file(repository: Repository, tmp_path: Any) -> None:
    """The file of the cache is shared by processes, and made anew where it is damaged."""
    repository.commit({"a.py": "1\n"})
    one, two = HistoryKeeper(tmp_path / "cache"), HistoryKeeper(tmp_path / "cache")
    one.put(b"k", b"first")
    two.put(b"k", b"second")
    assert one.get(b"k") == b"second"
    check(repository, one)
    (tmp_path / "cache" / FILE).write_bytes(b"rubbish" * 1000)
    check(repository, two)
    assert one.get(b"k") is None
    assert HistoryKeeper(None).get(b"k") is None
