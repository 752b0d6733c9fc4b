"""The evolution of a folder in a git repository: versions are read from git, measured, regressions narrowed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.errors import InputError
from cbvtool.evolution.evolution import Evolution, earlier_place, evolution
from cbvtool.evolution.figures import ITEMS, components
from cbvtool.evolution.regressions import Regression, bisected, joined, pinned, regressions
from cbvtool.evolution.sampling import USUAL, sampled
from cbvtool.graph import Graph
from cbvtool.metrics.combine import IntColumn
from cbvtool.mining.changes import Changes
from cbvtool.mining.processes import Processes
from cbvtool.mining.versions import MainLineCommit, Versions, open_versions
from cbvtool.progress import Progress, silent
from cbvtool.versions.analysed import analysed, rules_of

SECONDS = 60.0  # for narrowing down; then what is left is told between two commits


@dataclass(frozen=True, eq=False)
class ReadEvolution:
    """An evolution, and what became worse in it. `left_out`: versions that cannot be read, one sentence each."""

    found: Evolution
    worse: tuple[Regression, ...]
    left_out: tuple[str, ...] = ()


def read_evolution(
    path: Path,
    changes: Changes | None,
    *,
    most: int = USUAL,
    since: int | None = None,
    until: int | None = None,
    seconds: float = SECONDS,
    processes: Processes | None = None,
    progress: Progress = silent,
    first: Callable[[ReadEvolution], None] | None = None,
    **how: Any,
) -> ReadEvolution:
    """At most `most` commits of the main line of the folder `path`, evenly spread over the range.

    changes   the history, for hot spots; None = without
    seconds   that may go into finding the very commit of each regression
    first     told all but these very commits, before they are looked for
    how       see `versions.analysed`

    Raises InputError where there are no versions, or none in the range.
    """
    with open_versions(path, processes) as versions:
        line = versions.main_line()
        rows = sampled(line, most, since, until)
        if not rows:
            raise InputError("No commit of the main line lies in this range.")
        commits = [line[row] for row in rows]
        reading = _Reading(versions, progress, len(rows), seconds, how)
        rules = rules_of(versions, commits[-1].sha)
        newest = reading.graph(commits[-1].sha)
        found = evolution(
            commits,
            lambda row: newest if row == len(rows) - 1 else reading.graph_or_none(commits[row].sha),
            lambda old, new: versions.moved(commits[old].sha, commits[new].sha),
            rules,
            changes,
        )
        worse = regressions(found)
        if first is not None:
            first(ReadEvolution(found, tuple(worse), tuple(reading.left_out)))
        worse = [_narrowed(one, found, reading, line) for one in worse]
    return ReadEvolution(found, tuple(worse), tuple(reading.left_out))


class _Reading:
    """Analyses versions, and says how far it is."""

    def __init__(
        self, versions: Versions, progress: Progress, count: int, seconds: float, how: Mapping[str, Any]
    ) -> None:
        self.versions, self._progress, self._how = versions, progress, how
        self._done, self._count = 0, count
        self._spent, self._seconds = 0.0, seconds  # for narrowing down, and how many there are for it
        self._far = ("Reading versions", 0, count)
        self._components = dict[str, tuple[Graph, Mapping[str, IntColumn]]]()
        self.left_out: list[str] = []

    def graph(self, sha: str) -> Graph:
        """That of a commit. Raises InputError."""
        self._say("Reading versions", self._done, self._count)
        self._done = min(self._done + 1, self._count)
        return analysed(self.versions, sha, progress=self._repeat, **self._how).graph

    def graph_or_none(self, sha: str) -> Graph | None:
        """The same; None where it cannot be read."""
        try:
            return self.graph(sha)
        except InputError as error:
            self.left_out.append(str(error))
            return None

    def components(self, sha: str) -> tuple[Graph, Mapping[str, IntColumn]]:
        """The graph of a commit, and the cycles in it."""
        if sha not in self._components:
            self._say("Looking for the commits of regressions", round(self._spent), round(self._seconds))
            begin = time.monotonic()
            graph = analysed(self.versions, sha, progress=self._repeat, **self._how).graph
            self._components[sha] = graph, components(graph)
            self._spent += time.monotonic() - begin
        return self._components[sha]

    @property
    def has_time(self) -> bool:
        """Whether there are seconds left for narrowing down."""
        return self._spent < self._seconds

    def _say(self, what: str, done: int, count: int) -> None:
        self._far = what, done, count
        self._progress(*self._far)

    def _repeat(self, _what: str, _done: int, _count: int) -> None:
        """How far the analysis of one version is says nobody anything; this raises where the work was cancelled."""
        self._progress(*self._far)


class _OutOfTime(Exception):
    pass


def _narrowed(one: Regression, found: Evolution, reading: _Reading, line: Sequence[MainLineCommit]) -> Regression:
    """The regression with the very commit, where it is a cycle and there is time to look for it."""
    row_of = {commit.sha: row for row, commit in enumerate(line)}
    low, high = row_of[one.before.sha], row_of[one.commit.sha]
    if high - low > 1 and one.kind not in ITEMS:
        return one
    versions, newest = reading.versions, found.commits[-1].sha

    def holds(row: int) -> bool:
        if not reading.has_time:
            raise _OutOfTime
        graph, component = reading.components(line[row].sha)
        place = np.arange(len(found.graph), dtype=np.int32)
        place = earlier_place(graph, found.graph, versions.moved(line[row].sha, newest), place)
        members = place[np.array(one.nodes, np.int64)]
        return joined(component[one.kind], members[members >= 0])

    try:
        return pinned(one, bisected(low, high, holds), line)
    except (_OutOfTime, InputError):
        return one
