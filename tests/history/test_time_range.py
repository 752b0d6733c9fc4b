"""Time ranges by words, by steps and by releases (CBV-9)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.history.time_range import (
    CHOICES,
    Mark,
    changes_words,
    count,
    from_start,
    last_commits,
    last_months,
    marks,
    moment,
    moved,
    next_release,
    opened,
    played,
    release_span,
    snapped,
    whole,
    words,
)
from cbvtool.metrics.history.baseline import baseline, closed
from cbvtool.mining.changes import Changes

DAY = 86_400


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def commits(*times: int) -> Changes:
    empty = np.zeros(0, np.int32)
    sha = tuple(f"{row:x}abc{row:036x}" for row in range(len(times)))
    author = np.zeros(len(times), np.int32)
    return Changes(sha, np.array(times, np.int64), author, ("ada",), empty, empty.copy(), ())


TEN = commits(*(at("2020-01-01") + 30 * DAY * row for row in range(10)))
RELEASES = (Mark("v1.0", int(TEN.time[2])), Mark("v1.1", int(TEN.time[5])), Mark("v2.0", int(TEN.time[8])))


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2020-03-05", at("2020-03-05"), at("2020-03-05T23:59:59")),
        ("2020-2", at("2020-02-01"), at("2020-02-29T23:59:59")),
        (" 2020 ", at("2020-01-01"), at("2020-12-31T23:59:59")),
        ("v1.1", RELEASES[1].time, RELEASES[1].time),
        (TEN.sha[4][:8], int(TEN.time[4]), int(TEN.time[4])),
        (TEN.sha[4].upper(), int(TEN.time[4]), int(TEN.time[4])),
        ("", None, None),
    ],
)
def test_a_day_counts_whole_and_tags_and_commits_are_moments(text: str, begin: int | None, end: int | None) -> None:
    """CBV-9: what is typed as the begin or the end of a range."""
    assert moment(text, TEN, RELEASES, end=False) == begin
    assert moment(text, TEN, RELEASES, end=True) == end


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2020-02-31", "not a date of the calendar"),
        ("0000", "not a date of the calendar"),
        ("yesterday", "neither a date such as"),
        ("v9", "neither a date such as"),
        ("\0\ufffd", "neither a date such as"),
    ],
)
def test_what_is_no_moment_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        moment(text, TEN, RELEASES, end=False)


def test_a_begin_of_several_commits_is_refused() -> None:
    twice = commits(0, 1)
    same = replace(twice, sha=("abcd0" * 8, "abcd1" * 8))
    with pytest.raises(InputError, match="2 commits begin with 'abcd'"):
        moment("abcd", same, (), end=False)
    assert moment("abcd1", same, (), end=False) == 1


def test_choices_end_with_the_history() -> None:
    """CBV-9: last N commits, months, and all."""
    assert count(last_commits(TEN, 3), TEN) == 3
    assert count(last_commits(TEN, 300), TEN) == 10
    assert count(last_months(TEN, 6), TEN) == 7  # 180 of 182.6 days before the last one, and that itself
    assert count(whole(TEN), TEN) == count((None, None), TEN) == 10
    assert [choice.range(Changes.none("")) for choice in CHOICES] == [(None, None)] * len(CHOICES)
    ranges = [choice.range(TEN) for choice in CHOICES]
    assert ranges[0] == (None, None)
    assert all(until is None for _, until in ranges)
    assert opened((1, int(TEN.time[-1])), TEN) == (1, None)
    assert opened((1, 2), TEN) == (1, 2)
    assert count((at("1990-01-01"), at("1991-01-01")), TEN) == 0


def test_ranges_are_told_in_words() -> None:
    assert words((None, None)) == "usual range"
    assert words((at("2020-01-01"), None)) == "since 2020-01-01"
    assert words((None, at("2020-01-01"))) == "until 2020-01-01"
    assert words((at("2020-01-01"), at("2020-02-01"))) == "2020-01-01 to 2020-02-01"
    assert words((10**18, None)) == "since 1,000,000,000,000,000,000 s"
    assert changes_words((None, None)) == "changes of the last six months"
    assert changes_words((at("2020-01-01"), None)) == "changes since 2020-01-01"
    assert changes_words((None, at("2020-01-01"))) == "changes of the six months before 2020-01-01"
    assert changes_words((at("2020-01-01"), at("2020-02-01"))) == "changes from 2020-01-01 to 2020-02-01"


spans = st.tuples(st.integers(0, 1000), st.integers(0, 1000)).map(lambda pair: (min(pair), max(pair)))


@given(spans, st.integers(-3000, 3000))
def test_moving_keeps_the_length_and_the_limit(span: tuple[int, int], by: int) -> None:
    after = moved(span, by, (0, 1000))
    assert after[1] - after[0] == span[1] - span[0]
    assert 0 <= after[0] <= after[1] <= 1000
    if span[0] + by >= 0 and span[1] + by <= 1000:
        assert after == (span[0] + by, span[1] + by)


@given(spans, st.integers(1, 300), st.booleans())
def test_playing_ends_with_the_history(span: tuple[int, int], by: int, growing: bool) -> None:
    """CBV-9: a sliding range keeps its length, a growing one its begin; both arrive at the end and stop."""
    now, steps = span, 0
    while (after := played(now, by, (0, 1000), growing=growing)) is not None:
        assert after[1] > now[1]
        assert (after[0] == span[0]) if growing else (after[1] - after[0] == span[1] - span[0])
        now, steps = after, steps + 1
    assert now[1] == 1000
    assert steps == -(-(1000 - span[1]) // by)
    again = from_start(now, (0, 1000), growing=growing)
    assert again[0] == 0
    assert again[1] <= 1000


def test_an_edge_snaps_to_the_nearest_release() -> None:
    """CBV-9: within reach, else it stays where it is."""
    near = RELEASES[1].time
    assert snapped(near + 50, RELEASES, 100) == near
    assert snapped(near + 101, RELEASES, 100) == near + 101
    assert snapped(5, (), 100) == 5


def test_releases_are_the_tags_of_this_history() -> None:
    """CBV-9: tags of other commits are left out; they are in the order of time."""
    tags = {"b": TEN.sha[5], "a": TEN.sha[5], "early": TEN.sha[0], "elsewhere": "f" * 40}
    assert [mark.name for mark in marks(TEN, tags)] == ["early", "a", "b"]


def test_the_work_on_a_release_begins_after_the_one_before() -> None:
    assert release_span(RELEASES, 0, TEN) == (int(TEN.time[0]), RELEASES[0].time)
    assert release_span(RELEASES, 2, TEN) == (RELEASES[1].time + 1, RELEASES[2].time)
    second = release_span(RELEASES, 1, TEN)
    assert next_release(second, RELEASES, 1, TEN) == release_span(RELEASES, 2, TEN)
    assert next_release(second, RELEASES, -1, TEN) == release_span(RELEASES, 0, TEN)
    assert next_release(release_span(RELEASES, 2, TEN), RELEASES, 1, TEN) is None


def test_a_range_is_compared_with_the_pinned_one_or_the_time_before() -> None:
    """CBV-9: two pinned ranges are compared with each other when one of them is shown."""
    now, a, b = (int(TEN.time[6]), int(TEN.time[8])), (1, 5), (7, 9)
    assert baseline(now, (a, b), TEN) == b
    assert baseline(b, (a, b), TEN) == a
    assert baseline(a, (a, b), TEN) == b
    assert baseline(now, (now,), TEN) == baseline(now, (), TEN) == (now[0] - 1 - (now[1] - now[0]), now[0] - 1)
    assert baseline((None, None), (), TEN) is None
    late = int(TEN.time[-1]) + 7
    assert closed((None, 7), TEN) == (7, 7)  # no commit is so old
    assert closed((late, None), TEN) == (late, late)
    assert closed((5, 3), TEN) == (3, 5)
    assert closed((None, None), TEN) == (int(TEN.time[0]), int(TEN.time[-1]))
    with pytest.raises(LookupError):
        closed((None, None), Changes.none("nothing"))
