"""What a process keeps of a folder that it analyses again and again, so that an edit costs what it changes.

These are the facts of all files, the relations of each file, and the resolvers with all that they have worked out.
After an edit a resolver gets the new facts and says which relations may differ (see `Lasting`). All of it is in memory,
for one folder at a time: 0.7 GB for 400,000 lines of Python, whose values take most of it.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

from cbvtool.analysis.cache import Stamp
from cbvtool.analysis.facts import FileFacts, paths
from cbvtool.analysis.languages import Lasting
from cbvtool.analysis.resolution import Folder, Outside, Relations, Resolution


class LiveAnalysis:
    """The results of the last analysis of a folder, which the next one begins with. Only one may run at a time.

    stamps    of its files, by path
    facts     of its files, by their keys in the cache
    families  by the name of their resolver
    """

    def __init__(self) -> None:
        self.stamps: Mapping[str, Stamp] = {}
        self.facts: Mapping[bytes, FileFacts | str] = {}
        self.families: dict[str, LiveFamily] = {}

    def clear(self) -> None:
        """Keep nothing."""
        self.stamps, self.facts = {}, {}
        self.families.clear()
        gc.unfreeze()  # see `LiveFamily`: resolvers are full of cycles


class _Part(NamedTuple):
    """What a resolver found in one file."""

    relations: array[int]
    outside: list[Outside]


class LiveFamily:
    """The files of one resolver with what it has found in each.

    A resolver is many objects, and it stays: no collection of garbage looks at it. That is asked for once for each
    resolver, since whatever else is there at that moment is not collected either.
    """

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts], here: Lasting) -> None:
        self._folder, self._facts, self._here = folder, facts, here
        self._parts: dict[int, _Part] = {}
        gc.freeze()

    def take(self, found: Iterable[Resolution]) -> None:
        """Keep these results of `Divided.relate`."""
        for one in found:
            columns, outside = one.relations.columns, one.outside
            sources, begin = columns[::8], 0
            for file, rows in groupby(sources):
                end = begin + 8 * sum(1 for _ in rows)
                self._part(file).relations.extend(columns[begin:end])
                begin = end
            for use in outside:
                self._part(use.file).outside.append(use)

    def _part(self, file: int) -> _Part:
        return self._parts.setdefault(file, _Part(array("i"), []))

    def is_of(self, folder: Folder, facts: Mapping[int, FileFacts]) -> bool:
        """Whether it is about the same files, with the same settings."""
        return self._folder.is_like(folder) and self._facts.keys() == facts.keys()

    def edited(
        self, facts: Mapping[int, FileFacts], begin: Callable[[], Lasting], tell: Callable[[int, int], None]
    ) -> Resolution:
        """What is found with these facts of the same files.

        begin  makes the resolver anew
        tell   is told how many of how many files are resolved
        """
        new = {file: found for file, found in facts.items() if found is not self._facts[file]}
        moved = {file: _moved(self._facts[file], found) for file, found in new.items()}
        self._facts = facts
        stale: Collection[int] | None = self._here.renew(new) if new else ()
        if stale is None:
            self._here, stale = begin(), facts.keys()
            gc.unfreeze()  # the last resolver is full of cycles
            gc.collect()
            gc.freeze()
        for done, file in enumerate(sorted(stale)):
            tell(done, len(stale))
            self._parts.pop(file, None)
            self.take([self._here.relate([file])])
        self._move(moved, stale)
        return self._all()

    def _move(self, moved: Mapping[int, Mapping[int, int]], done: Collection[int]) -> None:
        """Let the relations of all files but those `done` lead to where definitions are now (see `_moved`)."""
        changed = {file: rows for file, rows in moved.items() if any(old != new for old, new in rows.items())}
        for file, part in self._parts.items() if changed else ():
            if file not in done:
                targets = part.relations[2::8]
                for row, target in enumerate(targets):
                    if target in changed:
                        at = 8 * row + 3
                        part.relations[at] = changed[target].get(part.relations[at], part.relations[at])

    def _all(self) -> Resolution:
        result = Resolution(Relations())
        rest = self._here.rest()
        result.extend(rest)
        for part in self._parts.values():
            result.relations.columns.extend(part.relations)
            result.outside += part.outside
        return result


def _moved(before: FileFacts, after: FileFacts) -> dict[int, int]:
    """Row of each definition before an edit -> its row after it."""
    now = {path: row for row, path in enumerate(paths(after.definitions))}
    return {row: now[path] for row, path in enumerate(paths(before.definitions)) if path in now}
