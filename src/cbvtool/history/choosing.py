"""Which commits of a history count: range and bots; and who their authors are."""

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

    since, until   seconds since the epoch (UTC, date of the committer), both included; None = open
    with_bots      commits of authors that `bots` finds count, too
    bots           pattern of names and mail addresses, in any case of letters
    by_name        authors of one name are one person, whatever their mail addresses
    fixes          pattern of the subjects of commits that mend a fault, in any case of letters
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

    of_commit  int32[c]  row of the author of each commit
    mails      str[m]    one mail address of each, after the mail map; with `by_name` that of the newest commit
    names      str[m]    what each is called, never empty
    """

    of_commit: npt.NDArray[np.int32]
    mails: tuple[str, ...]
    names: tuple[str, ...]


@lru_cache(maxsize=4)  # changes are compared by identity; a range that is dragged changes nothing here
def people(changes: Changes, by_name: bool = False) -> Committers:
    """Who made the commits: one person for each mail address, or for each name."""
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
    """bool[c]: which commits count: in the range, and not of a bot where those are left out. Raises PatternError."""
    counted = np.zeros(len(changes.sha), np.bool_)
    rows = commit_range(changes, choice)
    counted[rows] = _without_bots(changes, choice.with_bots, choice.bots)[rows]
    return counted


def counted_touches(changes: Changes, choice: Choice) -> Rows:
    """intp[k]: rows, ascending, of the touches by commits that count. Raises PatternError."""
    rows = commit_range(changes, choice)
    begin, end = np.searchsorted(changes.touch_commit, (rows.start, rows.stop)).tolist()
    if choice.with_bots:
        return np.arange(begin, end)
    kept = _without_bots(changes, choice.with_bots, choice.bots)[changes.touch_commit[begin:end]]
    rows_kept: Rows = begin + np.flatnonzero(kept)
    return rows_kept


def chosen(changes: Changes, choice: Choice) -> Changes:
    """The changes as the choice has them, for metrics: bots' touches left out, authors by name; of the whole history.

    Its touches are the rows `counted_touches` of those of `changes`, for the choice without a range. The same value as
    long as the choice differs in its range alone. Raises PatternError.
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
    """Those of some of the touches."""
    if places is None:
        return None
    kept = np.flatnonzero(np.isin(places.touch, rows))
    return TouchPlaces(np.searchsorted(rows, places.touch[kept]).astype(np.int32), places.name[kept], places.names)
