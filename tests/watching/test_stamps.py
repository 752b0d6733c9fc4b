"""Whether files still are what was analysed (NEW-25)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cbvtool.watching import stamps
from cbvtool.watching.stamps import TreeStamps

_SECOND = 1_000_000_000  # ns


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that was written just before the analysis began, but not while it did."""
    found = tmp_path / "a.py"
    found.write_text("a = 1\n")
    return found


def _since(file: Path) -> float:
    """Seconds since the epoch, a moment after the file was written."""
    return file.stat().st_mtime + 0.1


def _same_stamp(monkeypatch: pytest.MonkeyPatch, file: Path, text: str) -> None:
    """Write another text of the same length in the same tick of the clock: `os.stat` tells no difference."""
    before = os.stat(file)
    file.write_text(text)
    look = os.stat
    monkeypatch.setattr(os, "stat", lambda place, **how: before if place == str(file) else look(place, **how))


def test_a_write_within_the_same_tick_is_found(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """NEW-25: the times of a recent file do not tell that it was written again; its content does."""
    seen = TreeStamps([str(file)], _since(file))
    assert seen.hold()
    assert seen.hold(), "looked at within the tick, it may still change unseen"
    _same_stamp(monkeypatch, file, "b = 2\n")
    assert not seen.hold()


def test_recent_files_are_read_until_their_times_are_enough(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """NEW-25: a look costs no reading of files once the clock has gone on since they were written."""
    read: list[str] = []
    content = stamps._content

    def counted(place: str) -> bytes:
        read.append(place)
        return content(place)

    monkeypatch.setattr(stamps, "_content", counted)
    seen = TreeStamps([str(file)], _since(file))
    now = time.time_ns()
    for later, expected in ((0, 2), (1, 3), (3, 4), (4, 4)):
        monkeypatch.setattr(time, "time_ns", lambda later=later: now + later * _SECOND)
        assert seen.hold()
        assert len(read) == expected, later
    file.write_text("b = 2\n")
    assert not seen.hold(), "its time tells"
