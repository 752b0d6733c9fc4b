"""NEW-17: section `[history]` of `cbvtool.toml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.history.change_sets import MOST_FILES, change_sets, usual_choice
from cbvtool.history.choosing import people
from cbvtool.history.counting import HistorySettings, changes_of_project, counted_changes, parse_history
from cbvtool.mining.changes import Changes, TouchPlaces
from cbvtool.mining.churn import Churn
from cbvtool.mining.commit_kinds import fixing_commits

# Three commits: Ann, a bot, Ann by another address; the bot touches a.py alone.
CHANGES = Changes(
    sha=("1" * 40, "2" * 40, "3" * 40),
    time=np.array([1, 2, 3]),
    author=np.array([0, 1, 2], np.int32),
    authors=("ann@x", "robo@x", "ann@y"),
    names=("Ann Lee", "release-robo", "ann  lee"),
    touch_commit=np.array([0, 0, 1, 2, 2], np.int32),
    touch_path=np.array([0, 1, 0, 0, 1], np.int32),
    paths=("a.py", "b.py"),
    subjects=("T-1 begin", "release", "T-1 mended"),
    files=np.array([2, 1, 2], np.int32),
    churn=Churn(np.arange(5, dtype=np.int32), np.arange(5, dtype=np.int32)),
    places=TouchPlaces(
        np.array([0, 1, 1, 2, 3, 4], np.int32), np.array([0, 1, 2, 0, 0, 1], np.int32), (b"a", b"b", b"c")
    ),
)
SAID = """
[history]
without_bots = true
bots = "^release-"
fixes = "mended"
most_files = 3
ticket = "T-[0-9]+"
authors = "name"
"""


def test_all_of_it_counts() -> None:
    """Bots change no file, tickets join commits, one name is one person, other words mark fixes."""
    changes = counted_changes(CHANGES, parse_history(SAID))
    assert changes.touch_commit.tolist() == [0, 0, 2, 2]
    assert changes.files.tolist() == [2, 0, 2]
    assert changes.churn is not None
    assert changes.churn.added.tolist() == [0, 1, 3, 4]
    assert changes.places is not None
    assert changes.places.touch.tolist() == [0, 1, 1, 2, 3]
    assert changes.places.name.tolist() == [0, 1, 2, 0, 1]
    assert len(set(people(changes).of_commit[[0, 2]].tolist())) == 1
    assert fixing_commits(changes, changes.fixes).tolist() == [False, False, True]
    assert usual_choice(changes).most == 3
    assert change_sets(changes, usual_choice(changes)).count == 1
    assert changes.bots == "^release-"


def test_nothing_said_changes_nothing() -> None:
    """The usual ones are those of a project without the section."""
    assert parse_history("") == HistorySettings()
    changes = counted_changes(CHANGES, HistorySettings())
    assert changes.touch_commit is CHANGES.touch_commit
    assert usual_choice(changes).most == MOST_FILES
    assert usual_choice(replace(changes, ticket="T", subjects=())).ticket == ""


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("without_bots = 1", "true or false"),
        ("most_files = 0", "number from 1"),
        ("most_files = true", "number from 1"),
        ("most_files = 2.5", "number from 1"),
        ('authors = "face"', "mail or name"),
        ("authors = []", "mail or name"),
        ("bots = 3", "regular expression"),
        ('fixes = "("', "not a regular expression"),
        (f'ticket = "{"x" * 3000}"', "regular expression"),
    ],
)
def test_a_wrong_value_is_told_and_left_out(tmp_path: Path, line: str, word: str) -> None:
    """One sentence with file and key; the history is as without settings."""
    with pytest.raises(InputError, match=line.partition(" ")[0]) as told:
        parse_history(f"[history]\n{line}\n")
    assert word in str(told.value)
    (tmp_path / "cbvtool.toml").write_text(f"[history]\n{line}\n")
    found = changes_of_project(tmp_path, CHANGES)
    assert found.sha is CHANGES.sha
    assert word in found.notes[-1]


def test_a_key_that_nobody_knows_is_told() -> None:
    """A typing error is no silence."""
    assert "history.bot " in parse_history('[history]\nbot = "x"\n').notes[0]
