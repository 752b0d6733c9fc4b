"""Who knows the files that a task touches, by the history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cbvtool.mining.changes import Changes


@dataclass(frozen=True)
class Person:
    """Somebody who touched one of the files last.

    name    as in the history
    share   of the commits that touched these files, 0 to 1
    """

    name: str
    share: float = 0.0

    def __str__(self) -> str:
        return f"{self.name} ({self.share:.0%})" if self.share else self.name


class People:
    """The history by file."""

    def __init__(self, changes: Changes | None) -> None:
        self._changes = changes
        self._last: dict[str, int] = {}
        if changes is None:
            return
        last = np.full(len(changes.paths), -1, np.int64)
        np.maximum.at(last, changes.touch_path, changes.touch_commit)
        self._last = {
            path: int(changes.author[commit])
            for path, commit in zip(changes.paths, last.tolist(), strict=True)
            if commit >= 0
        }
        order = np.argsort(changes.touch_path, kind="stable")
        self._authors = changes.author[changes.touch_commit[order]]
        self._ptr = np.searchsorted(changes.touch_path[order], np.arange(len(changes.paths) + 1))
        self._row = {path: row for row, path in enumerate(changes.paths)}

    def of(self, files: Iterable[str]) -> tuple[Person, ...]:
        """The last author of each file, with the share of the commits; whoever has most of the files comes first."""
        if self._changes is None:
            return ()
        known = sorted({file for file in files if file in self._last})
        commits = Counter(author for file in known for author in self._of_file(file))
        total = commits.total()
        last = Counter(self._last[file] for file in known)
        return tuple(Person(self._changes.name_of(author), commits[author] / total) for author, _ in last.most_common())

    def _of_file(self, file: str) -> list[int]:
        row = self._row[file]
        found: list[int] = self._authors[self._ptr[row] : self._ptr[row + 1]].tolist()
        return found
