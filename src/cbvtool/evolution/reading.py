"""The evolution of a folder in a git repository: versions are read from git, measured, regressions narrowed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from cbvtool.mining.scratch import open_scratch
from cbvtool.mining.versions import MainLineCommit, Versions
from cbvtool.progress import Progress, silent
from cbvtool.rules import Rules, unknown_nodes
from cbvtool.versions.analysed import Version, analysed, rules_of
from cbvtool.versions.between import pair_with_present, version_pair
from cbvtool.versions.tally import NOTHING, Tallies

_SHORT = 7  # digits of an id
SECONDS = 60.0  # for narrowing down; then what is left is told between two commits


@dataclass(frozen=True, eq=False)
class ReadEvolution:
    """An evolution, and what became worse in it.

    left_out     versions that cannot be read, one sentence each
    differs      what was added, removed, moved, renamed and changed from the first version to the last
    rule_notes   how the rules of today fit the first version, one sentence each
    uncommitted  whether the last version is a work tree that differs from its commit
    """

    found: Evolution
    worse: tuple[Regression, ...]
    left_out: tuple[str, ...] = ()
    differs: Tallies = NOTHING
    rule_notes: tuple[str, ...] = ()
    uncommitted: bool = False


def read_evolution(  # noqa: PLR0913 - a range, limits, what is known already, and who is told
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
    rules: Rules | None = None,
    present: Graph | None = None,
    **how: Any,
) -> ReadEvolution:
    """At most `most` commits of the main line of the folder `path`, evenly spread over the range.

    changes   the history, for hot spots; None = without
    seconds   that may go into finding the very commit of each regression
    first     told all but these very commits, before they are looked for
    rules     for all versions; None = those of the newest commit
    present   the code as it is, in place of the commit that is checked out if that is in the range
    how       see `versions.analysed`

    Raises InputError where there are no versions, or none in the range.
    """
    with open_scratch(path, processes) as versions:
        line = versions.main_line()
        rows = sampled(line, most, since, until)
        if not rows:
            raise InputError("No commit of the main line lies in this range.")
        commits = [line[row] for row in rows]
        reading = _Reading(versions, progress, len(rows), seconds, how)
        if rules is None:
            rules = rules_of(versions, commits[-1].sha)
        if commits[-1].sha != versions.head:
            present = None
        newest = reading.graph(commits[-1].sha) if present is None else present
        oldest = [newest]  # the last that was read

        def graph_of(row: int) -> Graph | None:
            graph = newest if row == len(rows) - 1 else reading.graph_or_none(commits[row].sha)
            oldest[0] = oldest[0] if graph is None else graph
            return graph

        found = evolution(
            commits, graph_of, lambda old, new: versions.moved(commits[old].sha, commits[new].sha), rules, changes
        )
        begin, end = Version("", found.commits[0].sha, oldest[0]), Version("", commits[-1].sha, newest)
        pair = version_pair(versions, begin, end) if present is None else pair_with_present(versions, begin, present)
        read = ReadEvolution(
            found,
            tuple(regressions(found)),
            tuple(reading.left_out),
            pair.tallies(),
            tuple(_rule_notes(versions, begin, rules)),
            pair.after.commit != end.commit,
        )
        if first is not None:
            first(read)
        return replace(
            read,
            worse=tuple(_narrowed(one, found, reading, line) for one in read.worse),
            left_out=tuple(reading.left_out),
        )


def _rule_notes(versions: Versions, begin: Version, rules: Rules) -> Iterator[str]:
    """How the rules of today fit the first version."""
    which = f"commit {begin.commit[:_SHORT]}"
    if rules_of(versions, begin.commit) != rules:
        yield f"The rules of {which} were others: all versions are judged by the rules of today."
    for said in unknown_nodes(begin.graph, rules):
        yield f"In {which}: {said}"


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
