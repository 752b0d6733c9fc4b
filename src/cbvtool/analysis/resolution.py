"""Result of resolving names in many files: relations between files and definitions, as columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import NamedTuple

from cbvtool.analysis.facts import ALWAYS, EXACT, Uses

# Kinds of relations, in the order of menus.
IMPORT, INCLUDE, COPY, INHERIT, INSTANTIATE, CALL, PERFORM, TYPE_USE, REFERENCE, CALLS_BACK = KINDS = (
    "import",
    "include",
    "copy",
    "inherit",
    "instantiate",
    "call",
    "perform",
    "type-use",
    "reference",
    "calls back",
)
# A resolver adds CALLS_BACK in place of CALL, REFERENCE or INSTANTIATE where the target reaches the source only as an
# argument, by a registration or in a container filled elsewhere; see `cbvtool.graph.kinds.CALLS_BACK`.
_NUMBER = {kind: i for i, kind in enumerate(KINDS)}


FOLDER = -2  # in place of a definition: the folder that the file lies in


class Place(NamedTuple):
    """A file (`definition` -1), one of its definitions, or its folder (FOLDER); both fields are rows."""

    file: int
    definition: int = -1


class Relation(NamedTuple):
    """`source` uses `target`, at `line` of the source's file."""

    source: Place
    target: Place
    kind: str
    line: int
    when: int
    confidence: int


class Relations:
    """Many relations in little memory (32 bytes each). Relations of a place to itself are left out.

    columns  int32[m, 8]: source file and definition, target file and definition, row in KINDS, line, when, confidence
    """

    def __init__(self) -> None:
        self.columns = array("i")

    def add(
        self,
        source: tuple[int, int],
        target: tuple[int, int],
        kind: str,
        line: int,
        when: int = ALWAYS,
        confidence: int = EXACT,
    ) -> None:
        """Add one use; several equal ones become one edge with several sites."""
        if source != target:
            self.columns.extend((*source, *target, _NUMBER[kind], line, when, confidence))

    def __len__(self) -> int:
        return len(self.columns) // 8

    def __iter__(self) -> Iterator[Relation]:
        columns = self.columns
        for i in range(0, len(columns), 8):
            a, b, c, d, kind, line, when, confidence = columns[i : i + 8]
            yield Relation(Place(a, b), Place(c, d), KINDS[kind], line, when, confidence)


def rows_of(uses: Uses, kinds: Container[int] | None = None) -> Iterator[tuple[int, int, str, str, int]]:
    """Scope, kind, name, other and line of each use, as in `Use`, without creating a `Use`.

    `kinds`: only these kinds.
    """
    rows, name = array("i", uses.rows), uses.names.__getitem__
    columns: Iterable[Iterable[int]] = [rows[i::5] for i in range(5)]
    if kinds is not None:
        wanted = list(map(kinds.__contains__, rows[1::5]))
        columns = [compress(column, wanted) for column in columns]
    scopes, of, names, others, lines = columns
    return zip(scopes, of, map(name, names), map(name, others), lines, strict=True)


class Outside(NamedTuple):
    """A use of a package, library or header that is not below the folder.

    package   its usual name: `numpy`, `java.util`, `react`, `stdio.h`
    standard  whether it comes with the language
    kind      one of KINDS
    """

    file: int
    package: str
    line: int
    when: int = ALWAYS
    optional: bool = False
    standard: bool = False
    kind: str = IMPORT


_LISTED = 10  # external packages that a note lists


def outside_notes(language: str, things: str, outside: Iterable[Outside]) -> list[str]:
    """One sentence each about uses of the standard library and of other packages.

    `things`: the language's word for these.
    """
    counts: dict[str, int] = {}
    standard = 0
    for use in outside:
        if use.standard:
            standard += 1
        else:
            counts[use.package] = counts.get(use.package, 0) + 1
    notes = []
    if standard:
        notes.append(f"{standard:,} imports of {language}'s standard library lead outside.")
    if counts:
        first = sorted(counts, key=lambda name: (-counts[name], name))[:_LISTED]
        listed = ", ".join(first) + (", ..." if len(counts) > _LISTED else "")
        total = sum(counts.values())
        notes.append(f"{total:,} imports of {len(counts):,} other {things} lead outside: {listed}.")
    return notes


@dataclass
class Resolution:
    """Result of a resolver: relations inside the folder, uses of outside packages, and notes.

    packages   folders that are packages of the language
    elsewhere  places of definitions that are declared here but defined elsewhere: they do not become nodes
    by_import  whether names of other files are visible only by imports; then a target without a chain of imports gets
               the kind CALLS_BACK (see `chains`)
    everywhere  if so, rows of files whose names are visible without an import
    """

    relations: Relations = field(default_factory=Relations)
    outside: list[Outside] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)
    elsewhere: set[Place] = field(default_factory=set)
    by_import: bool = False
    everywhere: set[int] = field(default_factory=set)

    def extend(self, other: Resolution) -> None:
        """Add the results of `other`."""
        self.relations.columns.extend(other.relations.columns)
        self.outside += other.outside
        self.notes += other.notes
        self.packages |= other.packages
        self.elsewhere |= other.elsewhere
        self.by_import |= other.by_import
        self.everywhere |= other.everywhere


@dataclass(frozen=True)
class Folder:
    """The information that a resolver may use in addition to the facts.

    above          names of the Python packages around the folder and, last, its own name
    paths          all files, relative, with `/`, by row
    read           returns the content of a file at such a path, for build files (`go.mod`, `tsconfig.json`,
                   `compile_commands.json`); None if there is none, or it is too large. Never outside the folder.
    include_paths, source_roots  folders that the user configured, relative; usually none
    root           the folder itself, for resolvers that pass it to a library; nothing in it is ever run
    linked         path through a symbolic link -> row of its file
    """

    above: tuple[str, ...]
    paths: list[str]
    read: Callable[[str], bytes | None]
    include_paths: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    root: str = ""
    linked: Mapping[str, int] = field(default_factory=dict)

    def is_like(self, other: Folder) -> bool:
        """Whether the other one has the same files and settings."""
        return replace(self, read=other.read) == other
