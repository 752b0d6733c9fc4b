"""Which commits of a history count, by range and bots; and the people who made them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.mining.changes import FIXES, Changes, TouchPlaces
from cbvtool.mining.commit_kinds import BOTS, bot_authors

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Choice:
    """Which commits count.

    since, until   seconds since the epoch (UTC, commit date), both included; None = open
    with_bots      whether commits of authors matching `bots` count
    bots           pattern of names and mail addresses, ignoring case
    by_name        whether authors with the same name are one person, whatever their mail addresses
    fixes          pattern of the subjects of commits that fix a fault, ignoring case
    """

    since: int | None = None
    until: int | None = None
    with_bots: bool = True
    bots: str = BOTS
    by_name: bool = False
    fixes: str = FIXES


@dataclass(frozen=True, eq=False)
class Committers:
    """The m people of a history.

    of_commit  int32[c]  index of the author of each commit
    mails      str[m]    one mail address of each person, after the mail map; with `by_name` that of the newest commit
    names      str[m]    name of each person, never empty
    """

    of_commit: npt.NDArray[np.int32]
    mails: tuple[str, ...]
    names: tuple[str, ...]


@lru_cache(maxsize=4)  # changes are compared by identity; dragging a range does not matter here
def people(changes: Changes, by_name: bool = False) -> Committers:
    """The people who made the commits: one for each mail address, or for each name."""
    names = tuple(map(changes.name_of, range(len(changes.authors))))
    if not by_name:
        return Committers(changes.author, changes.authors, names)
    first: dict[str, int] = {}
    kept: list[int] = []
    row = np.empty(len(names), np.int32)
    for author, name in enumerate(names):
        folded = " ".join(name.split()).casefold()
        if folded not in first:
            first[folded] = len(kept)
            kept.append(author)
        row[author] = first[folded]
    return Committers(row[changes.author], tuple(changes.authors[i] for i in kept), tuple(names[i] for i in kept))


@lru_cache(maxsize=8)
def _without_bots(changes: Changes, with_bots: bool, bots: str) -> Flags:
    return np.ones(len(changes.sha), np.bool_) if with_bots else ~bot_authors(changes, bots)[changes.author]


def commit_range(changes: Changes, choice: Choice) -> slice:
    """The rows of the commits in the range; they ascend by date."""
    first = 0 if choice.since is None else int(np.searchsorted(changes.time, choice.since, "left"))
    last = len(changes.time) if choice.until is None else int(np.searchsorted(changes.time, choice.until, "right"))
    return slice(first, max(first, last))


def counted_commits(changes: Changes, choice: Choice) -> Flags:
    """bool[c]: the commits that count: in the range, and not by bots if these are excluded. Raises PatternError."""
    counted = np.zeros(len(changes.sha), np.bool_)
    rows = commit_range(changes, choice)
    counted[rows] = _without_bots(changes, choice.with_bots, choice.bots)[rows]
    return counted


def counted_touches(changes: Changes, choice: Choice) -> Rows:
    """intp[k]: rows, ascending, of touches by commits that count. Raises PatternError."""
    rows = commit_range(changes, choice)
    begin, end = np.searchsorted(changes.touch_commit, (rows.start, rows.stop)).tolist()
    if choice.with_bots:
        return np.arange(begin, end)
    kept = _without_bots(changes, choice.with_bots, choice.bots)[changes.touch_commit[begin:end]]
    rows_kept: Rows = begin + np.flatnonzero(kept)
    return rows_kept


def chosen(changes: Changes, choice: Choice) -> Changes:
    """The changes for metrics, of the whole history: without touches of bots, authors by name, if so chosen.

    Its touches are the rows `counted_touches` of `changes`, for the choice without a range. Choices that differ only in
    range return the same object. Raises PatternError.
    """
    if choice.with_bots and not choice.by_name:
        return changes
    return _chosen(changes, replace(choice, since=None, until=None))


@lru_cache(maxsize=4)
def _chosen(changes: Changes, choice: Choice) -> Changes:
    who, rows = people(changes, choice.by_name), counted_touches(changes, choice)
    return replace(
        changes,
        author=who.of_commit,
        authors=who.mails,
        names=who.names,
        touch_commit=changes.touch_commit[rows],
        touch_path=changes.touch_path[rows],
        churn=None if changes.churn is None else changes.churn.of(rows),
        places=_places(changes.places, rows),
    )


def _places(places: TouchPlaces | None, rows: Rows) -> TouchPlaces | None:
    """The places of the touches in `rows`."""
    if places is None:
        return None
    kept = np.flatnonzero(np.isin(places.touch, rows))
    return TouchPlaces(np.searchsorted(rows, places.touch[kept]).astype(np.int32), places.name[kept], places.names)
