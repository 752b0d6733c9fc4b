"""From changes to their churn: the second stage of mining, which takes longest and may run later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cbvtool.budget import OverBudget
from cbvtool.mining.changes import Changes, TouchPlaces
from cbvtool.mining.churn import UNKNOWN, Churn
from cbvtool.mining.keeper import FEW, Keeper, entry_key, keep
from cbvtool.mining.kept_churn import CountedLines
from cbvtool.mining.locate import NotReadable, find_repository
from cbvtool.mining.numstat import READING, read_numstat
from cbvtool.mining.processes import Processes
from cbvtool.mining.view_repository import GitFailed, open_view
from cbvtool.progress import Progress, silent


def read_churn(
    root: Path,
    changes: Changes,
    *,
    progress: Progress = silent,
    processes: Processes | None = None,
    keeper: Keeper | None = None,
) -> Churn:
    """The lines that each touch of `changes`, the result of `read_changes(root)`, added and deleted.

    Nothing that the repository configures is run, and nothing is fetched. If a number cannot be determined, it is
    unknown, and a note says so.

    processes  allows the caller to stop the reading from any thread
    keeper     stores the counts, so that the next call counts only commits that are not stored

    Raises exceptions of `progress`, and Cancelled once the processes are stopped.
    """
    places = changes.places
    if places is None or not len(places.touch):
        return Churn.unknown(len(changes.touch_commit))
    try:
        repository = find_repository(root)
        if repository is None:
            raise NotReadable(f"{root} is in no git repository any more.")
        with open_view(repository, processes or Processes()) as view:
            counts = _Counts(changes, places)
            key = b"" if keeper is None else entry_key(view, READING)
            kept = CountedLines.none() if keeper is None else CountedLines.of_entry(keeper.get(key))
            commits = counts.fill(kept)[::-1]  # newest first, because their contents are most likely to exist
            shas = [changes.sha[commit] for commit in commits.tolist()]
            failed = read_numstat(view, shas, counts.taker(commits), progress) if shas else []
            if keeper is not None and (len(shas) > FEW or (shas and not kept.sha)):
                more = kept.with_more(counts.lines(np.delete(commits, [number for number, _ in failed])))
                keep(keeper, key, more.to_bytes())
    except (NotReadable, GitFailed, OverBudget, OSError) as reason:
        return Churn.unknown(len(changes.touch_commit), f"Lines were not counted: {str(reason).rstrip('.')}.")
    return counts.churn(_notes(failed, len(shas)))


def _notes(failed: list[tuple[int, str]], count: int) -> tuple[str, ...]:
    if not failed:
        return ()
    return (f"The lines of {len(failed):,} of {count:,} commits could not be counted ({failed[0][1]}).",)


class _Counts:
    """Lines of each place, collected as they arrive.

    commits  rows of the commits that touch a current file, ascending
    """

    def __init__(self, changes: Changes, places: TouchPlaces) -> None:
        self._changes, self._places = changes, places
        self._commit = changes.touch_commit[places.touch]
        self.commits = np.unique(self._commit)
        self._first = np.searchsorted(self._commit, self.commits)
        self._last = np.searchsorted(self._commit, self.commits, "right")
        self._added = np.full(len(places.touch), UNKNOWN, np.int32)
        self._deleted = self._added.copy()

    def fill(self, kept: CountedLines) -> npt.NDArray[np.int32]:
        """Take counts from the cache; returns rows of the commits that remain to be counted, ascending."""
        row = kept.of(self._changes.sha, self._places.names, self._commit, self._places.name)
        known = row >= 0
        self._added[known] = kept.added[row[known]]
        self._deleted[known] = kept.deleted[row[known]]
        return np.unique(self._commit[~known])

    def lines(self, commits: npt.NDArray[np.int32]) -> CountedLines:
        """The lines of these commits, for the cache."""
        chosen = np.isin(self._commit, commits)
        first = np.sort(commits)
        return CountedLines(
            tuple(self._changes.sha[row] for row in first.tolist()),
            self._places.names,
            np.searchsorted(first, self._commit[chosen]).astype(np.int32),
            self._places.name[chosen],
            self._added[chosen],
            self._deleted[chosen],
        )

    def taker(self, commits: npt.NDArray[np.int32]) -> Callable[[int, dict[bytes, tuple[int, int]]], None]:
        """A function that takes the lines of `commits`, which are counted in this order."""
        name, names = self._places.name.tolist(), self._places.names
        at = np.searchsorted(self.commits, commits)
        first, last = self._first[at].tolist(), self._last[at].tolist()
        added, deleted, nothing = self._added, self._deleted, (UNKNOWN, UNKNOWN)

        def take(number: int, entries: dict[bytes, tuple[int, int]]) -> None:
            for place in range(first[number], last[number]):
                added[place], deleted[place] = entries.get(names[name[place]], nothing)

        return take

    def churn(self, notes: tuple[str, ...]) -> Churn:
        """The sums over the places of each touch; unknown if one of them is."""
        touch, count = self._places.touch, len(self._changes.touch_commit)
        unknown = np.bincount(touch[self._added < 0], minlength=count) > 0
        columns = []
        for lines in (self._added, self._deleted):
            total = np.bincount(touch, np.maximum(lines, 0), count).astype(np.int64)
            columns.append(np.where(unknown, UNKNOWN, np.minimum(total, 2**31 - 1)).astype(np.int32))
        return Churn(columns[0], columns[1], notes)
