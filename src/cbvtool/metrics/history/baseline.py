"""The time range with which another one is compared: a pinned one, or the time before it."""

from __future__ import annotations

from collections.abc import Sequence

from cbvtool.mining.changes import Changes

Range = tuple[int | None, int | None]  # first and last second, both included, since the epoch; None = open
Span = tuple[int, int]  # first and last second of a range that is not open


def closed(range_: Range, changes: Changes) -> Span:
    """The range with both ends; open ends become those of the history. If it holds no commits, it stays empty.

    Raises LookupError if the history has no commits.
    """
    if not len(changes.time):
        raise LookupError("the history has no commits")
    since, until = range_
    oldest, newest = int(changes.time[0]), int(changes.time[-1])
    first = min(oldest, newest if until is None else until) if since is None else since
    last = max(newest, first) if until is None else until
    return min(first, last), max(first, last)


def baseline(range_: Range, pinned: Sequence[Span], changes: Changes) -> Span | None:
    """The range to compare with: the last pinned one that differs; otherwise one of the same length just before it.

    None if there is no commit before it.
    """
    now = closed(range_, changes)
    for other in reversed(pinned):
        if other != now:
            return other
    before = now[0] - 1 - (now[1] - now[0]), now[0] - 1
    return before if before[1] >= int(changes.time[0]) else None
