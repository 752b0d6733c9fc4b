"""Knowledge: who changed which things, which of these people have become inactive, and whom to ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.graph import TreeIndex
from cbvtool.history.change_sets import ChangeSets, IntColumn, Mask, Rows
from cbvtool.history.coupling import Shares
from cbvtool.mining.changes import Changes

DAY = 24 * 60 * 60
QUIET_DAYS = 365  # days without a commit after which an author counts as inactive
HALF_LIFE = 180 * DAY  # seconds after which a commit counts half as much for whom to ask


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Who changed each of t things, in rows of (thing, author): by thing, most commits first.

    pointer  int64[t+1]  the rows of thing i are `pointer[i]:pointer[i + 1]`
    author   int32[k]    index into `Changes.authors`; among equal numbers of commits, lower indices first
    commits  int64[k]    number of the author's commits that changed the thing
    last     int64[k]    time of the last of these, seconds since the epoch
    """

    pointer: Rows
    author: IntColumn
    commits: Rows
    last: Rows

    @cached_property
    def thing(self) -> Rows:
        """int64[k]: the thing of each row."""
        return np.repeat(np.arange(len(self.pointer) - 1), np.diff(self.pointer))

    @cached_property
    def total(self) -> Rows:
        """int64[t]: number of commits that changed each thing."""
        return np.diff(np.concatenate(([0], np.cumsum(self.commits)))[self.pointer])

    @cached_property
    def share(self) -> Shares:
        """float64[k]: the author's share of the commits that changed the thing."""
        found: Shares = self.commits / self.total[self.thing]
        return found

    @cached_property
    def is_main(self) -> Mask:
        """bool[k]: main authors: the smallest group that made more than half of the commits together."""
        before = np.cumsum(self.commits) - self.commits
        found: Mask = 2 * (before - before[self.pointer[self.thing]]) <= self.total[self.thing]
        return found

    @cached_property
    def bus_factor(self) -> Rows:
        """int64[t]: number of main authors; if they left, most of the commits would be by people who are gone."""
        return self._summed(self.is_main.astype(np.int64))

    def share_of(self, authors: Mask) -> Shares:
        """float64[t]: share of the commits by the authors in the mask, bool[a]; NaN without commits."""
        by = self._summed(np.where(authors[self.author], self.commits, 0))
        found: Shares = np.divide(by, self.total, out=np.full(len(by), np.nan), where=self.total > 0)
        return found

    def islands(self, quiet: Mask) -> Mask:
        """bool[t]: things with commits whose main authors are all in the mask, bool[a]."""
        awake = self._summed((self.is_main & ~quiet[self.author]).astype(np.int64))
        found: Mask = (awake == 0) & (self.total > 0)
        return found

    def rows(self, thing: int) -> slice:
        """The rows of a thing."""
        return slice(int(self.pointer[thing]), int(self.pointer[thing + 1]))

    def _summed(self, values: Rows) -> Rows:
        return np.diff(np.concatenate(([0], np.cumsum(values)))[self.pointer])


def knowledge(
    changes: Changes, commit: npt.NDArray[np.integer], thing: npt.NDArray[np.integer], count: int
) -> Knowledge:
    """The knowledge of each thing.

    commit, thing   int[r]: a commit (row of the changes) that changed a thing (of `count`); pairs may be repeated

    O(r log r).
    """
    width, people = max(1, len(changes.sha)), max(1, len(changes.authors))
    pairs = np.unique(thing.astype(np.int64) * width + commit)
    commit, thing = pairs % width, pairs // width
    code, row, times = np.unique(thing * people + changes.author[commit], return_inverse=True, return_counts=True)
    last = np.full(len(code), np.iinfo(np.int64).min)
    np.maximum.at(last, row, changes.time[commit])
    order = np.lexsort((code, -times, code // people))
    pointer = np.searchsorted(code // people, np.arange(count + 1))
    return Knowledge(pointer, (code[order] % people).astype(np.int32), times[order], last[order])


def touches_of(sets: ChangeSets) -> tuple[IntColumn, IntColumn]:
    """(commit, path) for change sets that are single commits: int32[r] each."""
    return sets.commit[sets.member], sets.path


def touches_above(tree: TreeIndex, commit: IntColumn, key: IntColumn) -> tuple[Rows, Rows]:
    """(commit, key): int64[r'] each: the commits that changed each node or a node below it, each pair once.

    commit, key   int32[r]: a commit and a node that it touched
    """
    n = np.int64(len(tree.pos))
    pairs = np.unique(commit.astype(np.int64) * n + key)
    found = [pairs]
    while len(pairs):
        above = tree.parent[pairs % n]
        pairs = np.unique((pairs // n * n + above)[above >= 0])
        found.append(pairs)
    every = np.unique(np.concatenate(found))
    return every // n, every % n


def quiet_authors(changes: Changes, left: Mask | None = None, until: int | None = None, days: int = QUIET_DAYS) -> Mask:
    """bool[a]: authors who have left, or made no commit in the last `days` days of the history.

    until   assumed end of the history, seconds since the epoch; None = its last commit
    """
    last = last_commits(changes, until)
    end = until if until is not None else int(changes.time[-1]) if len(changes.time) else 0
    quiet = last < end - days * DAY
    return quiet if left is None else quiet | left


def last_commits(changes: Changes, until: int | None = None) -> Rows:
    """int64[a]: time of each author's last commit up to `until`; without one, the smallest integer."""
    last = np.full(len(changes.authors), np.iinfo(np.int64).min)
    end = len(changes.time) if until is None else int(np.searchsorted(changes.time, until, "right"))
    np.maximum.at(last, changes.author[:end], changes.time[:end])
    return last


@dataclass(frozen=True)
class Contact:
    """A person who may be asked about a selection.

    author   index into `Changes.authors`
    commits  number of commits by this person that changed something in the selection
    share    their share of all such commits
    last     time of the last of them, seconds since the epoch
    quiet    whether the person has left, or has been inactive for long
    """

    author: int
    commits: int
    share: float
    last: int
    quiet: bool


def whom_to_ask(changes: Changes, commits: Iterable[int] | Rows, quiet: Mask) -> list[Contact]:
    """The authors of these commits (rows), active ones first, then by recent knowledge.

    A commit's weight halves for each 180 days before the last of these commits.
    """
    rows = np.unique(np.asarray(list(commits) if not isinstance(commits, np.ndarray) else commits, np.int64))
    if not len(rows):
        return []
    age = (changes.time[rows].max() - changes.time[rows]) / HALF_LIFE
    author = changes.author[rows]
    score = np.bincount(author, 0.5**age, len(changes.authors))
    times = np.bincount(author, minlength=len(changes.authors))
    last = np.full(len(changes.authors), np.iinfo(np.int64).min)
    np.maximum.at(last, author, changes.time[rows])
    people = np.flatnonzero(times)
    order = people[np.lexsort((people, -score[people], quiet[people]))]
    return [
        Contact(one, int(times[one]), float(times[one] / len(rows)), int(last[one]), bool(quiet[one]))
        for one in order.tolist()
    ]
