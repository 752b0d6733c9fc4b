"""Time ranges of the history: given in words, moved, snapped to releases, and played (CBV-9)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from cbvtool.errors import InputError
from cbvtool.metrics.history.baseline import Range, Span
from cbvtool.mining.changes import Changes

DAY = 24 * 60 * 60  # seconds
MONTH = 365.25 / 12 * DAY
# Default: the last six months for change frequency and hot spots, the whole history for all else.
USUAL: Range = (None, None)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_SHORTEST_ID = 4  # least number of digits of a commit's id, as in git


@dataclass(frozen=True)
class Mark:
    """A named moment of the history: a release, or the commit on which a plan was made.

    name  for example that of the tag
    time  of its commit, seconds since the epoch
    """

    name: str
    time: int


def marks(changes: Changes, tags: Mapping[str, str]) -> tuple[Mark, ...]:
    """The tags (name -> commit id) whose commits are part of the history, by date."""
    row_of = dict(zip(changes.sha, range(len(changes.sha)), strict=True)) if tags else {}
    found = (Mark(name, int(changes.time[row_of[commit]])) for name, commit in tags.items() if commit in row_of)
    return tuple(sorted(found, key=lambda mark: (mark.time, mark.name)))


def whole(changes: Changes) -> Range:
    """The range of the whole history, beginning at its first commit."""
    return (int(changes.time[0]), None) if len(changes.time) else USUAL


def last_months(changes: Changes, months: int) -> Range:
    """The range of the last `months` months of the history."""
    return (round(int(changes.time[-1]) - months * MONTH), None) if len(changes.time) else USUAL


def last_commits(changes: Changes, count: int) -> Range:
    """The range of the last `count` commits, including all in the same second as the first of them."""
    return (int(changes.time[-min(count, len(changes.time))]), None) if len(changes.time) and count > 0 else USUAL


def opened(span: Span, changes: Changes) -> Range:
    """The range for a span; if it reaches the last commit, its end is open, so that later commits count, too."""
    until = None if span[1] >= int(changes.time[-1]) else span[1]
    return span[0], until


def count(range_: Range, changes: Changes) -> int:
    """Number of commits in a range."""
    since, until = range_
    first = 0 if since is None else int(np.searchsorted(changes.time, since, "left"))
    last = len(changes.time) if until is None else int(np.searchsorted(changes.time, until, "right"))
    return max(last - first, 0)


# -- words ---------------------------------------------------------------------------------------------------------


def moment(text: str, changes: Changes, marks: Sequence[Mark], *, end: bool) -> int | None:
    """The first (with `end`, the last) second of the date, tag or commit in a text; None for an empty text.

    A day `2024-05-31`, a month `2024-05` and a year `2024` count as a whole, in UTC. A tag, and the beginning of a
    commit's id, denote the second of the commit.

    Raises InputError, with a sentence, for any other text.
    """
    text = text.strip()
    if not text:
        return None
    if (found := _DATE.fullmatch(text)) is not None:
        return _of_date(text, *(None if part is None else int(part) for part in found.groups()), end=end)
    for mark in marks:
        if mark.name == text:
            return mark.time
    wanted = text.lower()
    rows = [row for row, sha in enumerate(changes.sha) if sha.startswith(wanted)] if len(text) >= _SHORTEST_ID else []
    if len(rows) == 1:
        return int(changes.time[rows[0]])
    if rows:
        raise InputError(f"{len(rows)} commits begin with {text!r}: type more of the one you mean.")
    raise InputError(f"{text!r} is neither a date such as 2024-05-31, nor a tag or commit of this history.")


def _of_date(text: str, year: int | None, month: int | None, day: int | None, *, end: bool) -> int:
    assert year is not None
    try:
        last_month = month or (12 if end else 1)
        last_day = day or (monthrange(year, last_month)[1] if end else 1)
        begin = datetime(year, last_month, last_day, tzinfo=UTC)
        return int(begin.timestamp()) + (DAY - 1 if end else 0)
    except ValueError:
        raise InputError(f"{text!r} is not a date of the calendar.") from None


def day(time: int) -> str:
    """The day (UTC) of a second, in the form of ISO 8601; for values outside of the calendar, the seconds."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time)).date().isoformat()
    except OverflowError:
        return f"{time:,} s"


def words(range_: Range) -> str:
    """A range for people: `2023-01-01 to 2023-06-30`."""
    since, until = range_
    if since is None and until is None:
        return "usual range"
    if until is None:
        return f"since {day(since or 0)}"
    return f"until {day(until)}" if since is None else f"{day(since)} to {day(until)}"


def changes_words(range_: Range) -> str:
    """The changes that change frequency counts, in words: `changes of the last six months`."""
    since, until = range_
    if since is None:
        return "changes of the last six months" if until is None else f"changes of the six months before {day(until)}"
    return f"changes {'' if until is None else 'from '}{words(range_)}"


# -- moving --------------------------------------------------------------------------------------------------------


def moved(span: Span, by: int, limit: Span) -> Span:
    """A span moved by seconds, but not beyond `limit`."""
    first, last = span
    by = min(max(by, limit[0] - first), max(limit[1] - last, limit[0] - first))
    return first + by, last + by


def snapped(time: int, marks: Sequence[Mark], within: float) -> int:
    """The time of the nearest mark within `within` seconds; otherwise the time itself."""
    near = min((mark.time for mark in marks), key=lambda at: abs(at - time), default=None)
    return near if near is not None and abs(near - time) <= within else time


def played(span: Span, by: int, limit: Span, *, growing: bool) -> Span | None:
    """The next span while playing: its end, and unless `growing` also its begin, moved later by seconds.

    None once the end of `limit` is reached.
    """
    first, last = span
    if last >= limit[1]:
        return None
    by = min(by, limit[1] - last)
    return (first if growing else first + by), last + by


def from_start(span: Span, limit: Span, *, growing: bool) -> Span:
    """The first span of a replay: of the same length at the begin of `limit`, or one that grows from there."""
    first, last = span
    length = last - first
    if growing or length >= limit[1] - limit[0]:
        return limit[0], limit[0] + max((limit[1] - limit[0]) // 20, 1)
    return limit[0], limit[0] + length


# -- choices -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LastRange:
    """One of the ranges that end with the history.

    name, tip  texts for people
    months     length before the end; 0 = everything, None = the default range of each metric
    """

    name: str
    months: int | None
    tip: str

    def range(self, changes: Changes) -> Range:
        """The range in this history."""
        if self.months is None or not len(changes.time):
            return USUAL
        return whole(changes) if self.months == 0 else last_months(changes, self.months)


CHOICES = (
    LastRange("Usual", None, "Change frequency and hot spots of the last 6 months, all else of the whole history"),
    LastRange("Last 3 months", 3, "Of the last 3 months of the history"),
    LastRange("Last 6 months", 6, "Of the last 6 months of the history"),
    LastRange("Last 12 months", 12, "Of the last 12 months of the history"),
    LastRange("All", 0, "Of the whole history"),
)


def release_span(releases: Sequence[Mark], number: int, changes: Changes) -> Span:
    """The time of the work on a release: from the commit after the previous release to its own commit."""
    before = [mark.time for mark in releases if mark.time < releases[number].time]
    return (max(before) + 1 if before else int(changes.time[0])), releases[number].time


def next_release(span: Span, releases: Sequence[Mark], direction: int, changes: Changes) -> Span | None:
    """The time of the work on the next release after (1), or before (-1), the end of a span; None = there is none."""
    ahead = [row for row, mark in enumerate(releases) if (mark.time - span[1]) * direction > 0]
    if not ahead:
        return None
    return release_span(releases, ahead[0] if direction > 0 else ahead[-1], changes)
