"""Change sets: the paths that changed together, in one commit or for one ticket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.matching import Pattern, PatternError, compiled
from cbvtool.mining.changes import Changes

MOST_FILES = (
    30  # most files of a change set that counts: larger ones (formatting, licences, copied libraries) couple everything
)
_SECONDS = 20.0  # for finding the tickets of all commits

IntColumn = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CouplingChoice:
    """Which commits couple the files that they touch.

    since, until  seconds since the epoch, both included; None = open
    most          most files of a change set that counts
    ticket        a regular expression: commits whose subjects have the same match form one change set; empty = each
                  commit is a set of its own
    """

    since: int | None = None
    until: int | None = None
    most: int = MOST_FILES
    ticket: str = ""


def usual_choice(changes: Changes, since: int | None = None, until: int | None = None) -> CouplingChoice:
    """The choice of the coupling commits in a range, by the settings of the project."""
    return CouplingChoice(since, until, changes.most_files or MOST_FILES, changes.ticket if changes.subjects else "")


@dataclass(frozen=True, eq=False)
class ChangeSets:
    """s change sets with r paths.

    commit  int32[k]  rows of the commits that count, ascending
    of      int32[k]  the set of each of these commits
    count   s
    member  int32[r]  set of each path, ascending
    path    int32[r]  index into `Changes.paths`, ascending within a set; a path occurs once in a set
    bulk    number of commits in the range that are left out because they touched too many files
    """

    commit: IntColumn
    of: IntColumn
    count: int
    member: IntColumn
    path: IntColumn
    bulk: int = 0

    def commits_of(self, sets: npt.NDArray[np.integer]) -> IntColumn:
        """int32: rows of the commits that belong to these sets, ascending."""
        wanted = np.zeros(self.count, np.bool_)
        wanted[sets] = True
        return self.commit[wanted[self.of]]


def change_sets(changes: Changes, choice: CouplingChoice, counted: Mask | None = None) -> ChangeSets:
    """The change sets of a history.

    counted   bool[c]: commits that may count at all, such as those of people; None = all

    A commit counts if it changed 1 to `choice.most` files; a merge changes none. A ticket counts if its commits
    together touched at most that many of today's files.

    Raises InputError for an invalid pattern of tickets, or if the history has no subjects for it.

    O(r log r) for r touches in the range.
    """
    first, last = between(changes, choice.since, choice.until)
    rows = slice(*np.searchsorted(changes.touch_commit, (first, last)).tolist())
    files = files_of_commits(changes)
    small = files <= choice.most
    allowed = (files > 0) if counted is None else counted & (files > 0)
    allowed[:first] = allowed[last:] = False
    there = np.flatnonzero(allowed & small)
    width = max(1, len(changes.paths))
    commit = changes.touch_commit[rows]
    kept = (allowed & small)[commit]
    codes = np.unique(commit[kept].astype(np.int64) * width + changes.touch_path[rows][kept])
    group = there
    if choice.ticket and len(there):
        group = there[
            _tickets([changes.subjects[row] for row in there.tolist()] if changes.subjects else [], choice.ticket)
        ]
        codes = np.unique(group[np.searchsorted(there, codes // width)] * width + codes % width)
        owner, sizes = np.unique(codes // width, return_counts=True)
        large = owner[sizes > choice.most]
        codes = codes[~np.isin(codes // width, large)]
        kept = ~np.isin(group, large)
        there, group = there[kept], group[kept]
    sets, of = np.unique(group, return_inverse=True)
    return ChangeSets(
        there.astype(np.int32),
        of.astype(np.int32),
        len(sets),
        np.searchsorted(sets, codes // width).astype(np.int32),
        (codes % width).astype(np.int32),
        int(np.count_nonzero(allowed)) - len(there),
    )


def files_of_commits(changes: Changes) -> IntColumn:
    """int32[c]: number of files that each commit changed.

    If the history lacks it, number of today's files among them.
    """
    if len(changes.files):
        return changes.files
    width = max(1, len(changes.paths))
    codes = np.unique(changes.touch_commit.astype(np.int64) * width + changes.touch_path)
    return np.bincount(codes // width, minlength=len(changes.sha)).astype(np.int32)


def between(changes: Changes, since: int | None, until: int | None) -> tuple[int, int]:
    """(first, last + 1) row of the commits between two times: seconds since the epoch, both included; None = open."""
    first = 0 if since is None else int(np.searchsorted(changes.time, since, "left"))
    last = len(changes.time) if until is None else int(np.searchsorted(changes.time, until, "right"))
    return first, max(first, last)


def ticket_pattern(ticket: str) -> Pattern:
    """The pattern that finds tickets in subjects. Raises InputError if it is invalid."""
    try:
        return compiled(ticket)
    except PatternError as error:
        raise InputError(f"{ticket[:200]!r} is not a pattern of tickets: {error}.") from None


def _tickets(subjects: Sequence[str], ticket: str) -> Rows:
    """int64[k]: index of the first subject with the same ticket; without a ticket, its own index."""
    pattern = ticket_pattern(ticket)
    if not subjects:
        raise InputError("Commits cannot be joined by tickets: this history does not say what their messages are.")
    budget = Budget("Finding the tickets of the commits", seconds=_SECONDS)
    seen: dict[str, int] = {}
    first = np.arange(len(subjects), dtype=np.int64)
    for row, subject in enumerate(subjects):
        if row % 4096 == 0:
            budget.spend()
        if found := pattern.first(subject):
            first[row] = seen.setdefault(found, row)
    return first
