"""Which commits count, and who made them."""

from __future__ import annotations

import numpy as np

from cbvtool.history.choosing import Choice, chosen, counted_commits, counted_touches, people
from cbvtool.mining.changes import Changes
from cbvtool.mining.commit_kinds import bot_authors, fixing_commits


def history() -> Changes:
    """Five commits a day apart; the third by a bot, the fourth touches two files."""
    return Changes(
        sha=("a", "b", "c", "d", "e"),
        time=np.array([0, 1, 2, 3, 4], np.int64) * 86_400,
        author=np.array([0, 1, 2, 0, 3], np.int32),
        authors=("ann@x", "bob@x", "49+dependabot[bot]@users.noreply.github.com", "ann@home"),
        names=("Ann  Lee", "Bob Talbot", "dependabot[bot]", "ann lee"),
        touch_commit=np.array([0, 1, 2, 3, 3, 4], np.int32),
        touch_path=np.array([0, 0, 1, 0, 1, 1], np.int32),
        paths=("a.py", "b.py"),
        subjects=("Begin", "Fix the fixture", "Bump x", "Add a prefix", "bugs, bugs"),
    )


def test_bots_are_known_by_name_or_address_and_people_are_not() -> None:
    assert bot_authors(history()).tolist() == [False, False, True, False]
    assert not bot_authors(history(), "").any()
    assert bot_authors(history(), "BOB").tolist() == [False, True, False, False]


def test_fixes_are_whole_words_of_subjects() -> None:
    assert fixing_commits(history()).tolist() == [False, True, False, False, True]
    assert fixing_commits(history(), "bump").tolist() == [False, False, True, False, False]


def test_range_and_bots_decide_which_commits_count() -> None:
    """NEW-17: both ends of a range are included."""
    changes, day = history(), 86_400
    assert counted_commits(changes, Choice(day, 3 * day)).tolist() == [False, True, True, True, False]
    assert counted_commits(changes, Choice(day, 3 * day, with_bots=False)).tolist() == [False, True, False, True, False]
    assert counted_touches(changes, Choice(day, 3 * day, with_bots=False)).tolist() == [1, 3, 4]
    assert counted_touches(changes, Choice(9 * day)).tolist() == []
    assert counted_touches(changes, Choice(3 * day, day)).tolist() == []


def test_one_person_may_have_several_addresses() -> None:
    """CBV-9: by mail map, and on request by name."""
    assert people(history()).of_commit.tolist() == [0, 1, 2, 0, 3]
    by_name = people(history(), by_name=True)
    assert by_name.of_commit.tolist() == [0, 1, 2, 0, 0]
    assert by_name.mails == ("ann@x", "bob@x", "49+dependabot[bot]@users.noreply.github.com")


def test_chosen_changes_keep_their_commits_and_leave_touches_out() -> None:
    changes = history()
    assert chosen(changes, Choice(since=5)) is changes
    less = chosen(changes, Choice(with_bots=False, by_name=True))
    assert less is chosen(changes, Choice(since=7, with_bots=False, by_name=True)), "a range makes no other value"
    assert less.sha == changes.sha
    assert less.touch_commit.tolist() == [0, 1, 3, 3, 4]
    rows = counted_touches(changes, Choice(with_bots=False))
    assert (changes.touch_path[rows] == less.touch_path).all()
