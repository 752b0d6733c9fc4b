"""How many nodes of each sort differ between two versions, as numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

WORDS = ("added", "removed", "moved", "renamed", "changed")


class Tally(NamedTuple):
    """Numbers of nodes of one sort; see `difference` for what each word means."""

    added: int = 0
    removed: int = 0
    moved: int = 0
    renamed: int = 0
    changed: int = 0

    @property
    def words(self) -> str:
        """`2 added, 0 removed, 1 moved, 0 renamed, 3 changed`."""
        return ", ".join(f"{count:,} {word}" for count, word in zip(self, WORDS, strict=True))


class Tallies(NamedTuple):
    """One for each sort of nodes.

    files        files
    definitions  what is defined in files: functions, classes and the like
    folders      folders and packages
    outside      packages outside of the project that it uses
    """

    files: Tally = Tally()
    definitions: Tally = Tally()
    folders: Tally = Tally()
    outside: Tally = Tally()

    @property
    def words(self) -> str:
        """Files and definitions: `Files: 2 added, ...; definitions: ...`."""
        return f"Files: {self.files.words}; definitions: {self.definitions.words}"


NOTHING = Tallies()


def tallied(sorts: Iterable[tuple[str, str]]) -> Tallies:
    """The numbers of (sort of node, word) pairs, each for one node; sorts are the fields of `Tallies`."""
    counts = {sort: dict.fromkeys(WORDS, 0) for sort in Tallies._fields}
    for sort, word in sorts:
        counts[sort][word] += 1
    return Tallies(*(Tally(*counts[sort].values()) for sort in Tallies._fields))
