"""What became of a project since a day or a commit: figures then and now, what is worse, what is better."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cbvtool.errors import InputError
from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import FIGURES, ITEMS
from cbvtool.evolution.improvements import improvements
from cbvtool.evolution.reading import ReadEvolution, read_evolution
from cbvtool.evolution.regressions import Regression
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.mining.processes import Processes
from cbvtool.mining.versions import MainLineCommit, open_versions
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import opened
from cbvtool.rules import Rules

VERSIONS = 8  # commits that are looked at, with the first and the last
MARK = "cbvtool-commit:"  # behind it a report names the commit that it is about, for the next one
Since = int | str  # seconds since the epoch, or what a commit is called
Verdict = Literal["worse", "better", "same", "neither"]
_SECONDS = 20.0  # for the very commits of regressions
DENSITY = "density"
# Figures of which less is better, and the kinds of regressions that tell of them. Size is neither good nor bad.
_TOLD_BY: Mapping[str, tuple[str, ...]] = {
    "cycles": ITEMS,
    "cyclic_files": ITEMS,
    "violations": ("violation",),
    DENSITY: ("complexity",),
}
_MOST_BYTES = 2**26
_MARKED = re.compile(rb"cbvtool-commit: ?([0-9a-f]{40,64})")


def shown(name: str, value: float) -> str:
    """A figure as text."""
    if math.isnan(value):
        return "–"
    return f"{value:,.1f}" if name == DENSITY else f"{value:,.0f}"


@dataclass(frozen=True)
class FigureTrend:
    """A figure of a module, then and now; NaN = not measured."""

    name: str
    label: str
    before: float
    after: float

    @property
    def verdict(self) -> Verdict:
        """Whether it is worse; neither for what tells how large or busy something is."""
        if math.isnan(self.before) or math.isnan(self.after) or self.name not in _TOLD_BY:
            return "neither"
        before, after = self.texts
        return "same" if before == after else "worse" if self.after > self.before else "better"

    @property
    def texts(self) -> tuple[str, str]:
        """Then and now, as they read."""
        return shown(self.name, self.before), shown(self.name, self.after)

    @property
    def words(self) -> str:
        """What became of it: `Files in cycles: 11 then, 13 now`."""
        before, after = self.texts
        return f"{self.label}: {before} then, {after} now"


@dataclass(frozen=True, eq=False)
class Trend:
    """An evolution from a commit to the one that is checked out.

    better  as regressions told backwards
    """

    read: ReadEvolution
    better: tuple[Regression, ...]

    @property
    def found(self) -> Evolution:
        """The figures."""
        return self.read.found

    @property
    def worse(self) -> Sequence[Regression]:
        """The regressions."""
        return self.read.worse

    @property
    def begin(self) -> MainLineCommit:
        """The commit that is compared with."""
        return self.found.commits[0]

    @property
    def end(self) -> MainLineCommit:
        """The commit that is checked out."""
        return self.found.commits[-1]

    def figures(self, key: int) -> list[FigureTrend]:
        """Those of a node, then and now, and its complexity for each hundred source lines."""
        rows = []
        for name, label in FIGURES.items():
            values = self.found.series(name, key)
            rows.append(FigureTrend(name, label, float(values[0]), float(values[-1])))
        lines, complexity = (self.found.series(name, key) for name in ("sloc", "complexity"))
        dense = [100 * float(c) / float(n) if n > 0 else math.nan for c, n in zip(complexity, lines, strict=True)]
        rows.insert(3, FigureTrend(DENSITY, "Complexity per 100 lines", dense[0], dense[-1]))
        return rows

    def beside(self, verdict: Verdict, told: Sequence[Regression]) -> list[FigureTrend]:
        """Figures of the whole project that are worse, or better, of which nothing in `told` tells."""
        kinds = {one.kind for one in told}
        figures = [each for each in self.figures(self.found.graph.root) if each.verdict == verdict]
        untold = [each for each in figures if not kinds.intersection(_TOLD_BY[each.name])]
        says_more = any(each.name == "cyclic_files" for each in untold)
        return [each for each in untold if each.name != "cycles" or not says_more]


def read_trend(
    path: Path,
    changes: Changes,
    since: Since,
    present: Graph,
    rules: Rules,
    *,
    versions: int = VERSIONS,
    processes: Processes | None = None,
    progress: Progress = silent,
    **how: Any,
) -> Trend:
    """What became of the folder `path` since then; see `evolution.reading.read_evolution`.

    since   a day begins with the last commit of the main line before it; a commit that is not on the main line stands
            for the last one there that is no younger
    present the code as it is, which the evolution ends with
    rules   of the code as it is, by which all versions are judged

    Raises InputError for a commit that is not there, and where nothing can be compared.
    """
    with open_versions(path, processes) as opened_versions:
        line = opened_versions.main_line()
        if isinstance(since, str):
            sha = opened_versions.commit_of(since)
            known = {commit.sha: commit.time for commit in line}
            moment = known[sha] if sha in known else opened_versions.time_of(sha)
        else:
            moment = since
    begin = _last_until(line, moment)
    read = read_evolution(
        path,
        changes,
        most=versions,
        since=begin.time,
        seconds=_SECONDS,
        processes=processes,
        progress=progress,
        rules=rules,
        present=present,
        **how,
    )
    return Trend(read, tuple(improvements(read.found)))


def _last_until(line: Sequence[MainLineCommit], moment: int) -> MainLineCommit:
    """The last commit until then; the first of all where the project is younger."""
    before = [commit for commit in line if commit.time <= moment]
    return max(before, key=lambda commit: commit.time) if before else line[0]


def commit_of_report(file: Path) -> str:
    """The full id of the commit that an earlier report or fact sheet is about. Raises InputError."""
    try:
        with opened(file) as content:
            found = _MARKED.search(content.read(_MOST_BYTES))
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error
    if found is None:
        raise InputError(f"{file} does not say which commit it is about: name a day or a commit with --since.")
    return found[1].decode("ascii")
