"""What became worse, and since which commit: cycles, broken rules, files that became complex at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import ITEMS
from cbvtool.graph import Graph
from cbvtool.metrics.combine import IntColumn
from cbvtool.metrics.history.last_change import day
from cbvtool.mining.changes import Changes
from cbvtool.mining.versions import MainLineCommit

MOST = 10  # of each kind
LEAP, TIMES = 50, 1.5  # more complexity, and times as much, between two commits
RISE = "Complexity of {name} from {before:,.0f} to {after:,.0f}"
_SHORT = 7  # characters of an id


@dataclass(frozen=True)
class Regression:
    """Something that is worse since a commit, and still is.

    what    in words, to be followed by since when
    nodes   keys of the newest version
    first   row of the first commit at which it is so: of the evolution, or with `exact` of the main line
    commit  that commit
    before  the last one that was looked at at which it was not so
    exact   nothing lies between the two
    """

    kind: str
    what: str
    nodes: tuple[int, ...]
    first: int
    commit: MainLineCommit
    before: MainLineCommit
    exact: bool = False


def regressions(found: Evolution, most: int = MOST, leap: str = RISE) -> list[Regression]:
    """The regressions between the commits of an evolution, `most` of each kind, cycles first.

    leap   how a leap of complexity is told

    What was so at the first commit that was looked at is none.
    """
    return [*_cycles(found)[:most], *_broken(found)[:most], *_leaps(found, leap)[:most]]


def joined(component: IntColumn, members: IntColumn) -> bool:
    """Whether at least two of `members` are in one cycle of `component`."""
    numbers = component[members]
    numbers = numbers[numbers >= 0]
    return len(np.unique(numbers)) < len(numbers)


def _cycles(found: Evolution) -> list[Regression]:
    """Today's cycles of modules, then of files that are in one folder; the largest first."""
    result = []
    for name in ITEMS:
        columns = found.component[name]
        numbers = np.unique(columns[-1][columns[-1] >= 0]).tolist()
        sets = [np.flatnonzero(columns[-1] == number).astype(np.int32) for number in numbers]
        for members in sorted(sets, key=len, reverse=True):
            if name == "files" and len(np.unique(found.graph.parent[members])) > 1:
                continue  # part of a cycle of modules
            first = _since(joined(column, members) for column in columns[::-1])
            if (row := len(columns) - first) > 0:
                what = f"Cycle {_between(found.graph, name, members)}"
                result.append(_at(found, name, what, members.tolist(), row))
    return result


def _between(graph: Graph, name: str, members: IntColumn) -> str:
    names = [graph.ids[key] or graph.names[key] for key in members.tolist()]
    if len(names) == 2:
        return f"between {names[0]} and {names[1]}"
    return f"of {len(names):,} {name} around {names[0]}"


def _since(holds: Iterable[bool]) -> int:
    """How many hold in a row, from the newest on."""
    count = 0
    for one in holds:
        if not one:
            break
        count += 1
    return count


def _broken(found: Evolution) -> list[Regression]:
    """Pairs of files that break a rule today, of each rule the newest ones."""
    result = []
    ids = found.graph.ids
    for one in sorted(found.broken[-1]):
        row = len(found.broken) - _since(one in pairs for pairs in reversed(found.broken))
        if row > 0:
            rule, source, target = one
            what = f"Rule broken by {ids[source]} using {ids[target]}: {rule}"
            result.append(_at(found, "violation", what, [source, target], row))
    return sorted(result, key=lambda one: -one.first)


def _leaps(found: Evolution, words: str) -> list[Regression]:
    """Files that became much more complex between two commits, and have not become simpler since."""
    graph, complexity = found.graph, found.values["complexity"]
    if len(complexity) < 2 or "file" not in graph.kind_names:
        return []
    files = np.flatnonzero(graph.kinds == graph.kind_names.index("file"))
    series = complexity[:, files].astype(np.float64)
    step = np.nan_to_num(np.diff(series, axis=0))
    row = step.argmax(axis=0)
    leap = step[row, np.arange(len(files))]
    before, after = series[row, np.arange(len(files))], series[row + 1, np.arange(len(files))]
    stays = np.nan_to_num(series[-1]) >= after
    much = np.flatnonzero((leap >= LEAP) & (after >= TIMES * before) & (before > 0) & stays)
    result = []
    for at in much[np.argsort(-leap[much], kind="stable")].tolist():
        what = words.format(name=graph.ids[files[at]], before=before[at], after=after[at])
        result.append(_at(found, "complexity", what, [int(files[at])], int(row[at]) + 1))
    return result


def _at(found: Evolution, kind: str, what: str, nodes: Iterable[int], row: int) -> Regression:
    return Regression(kind, what, tuple(nodes), row, found.commits[row], found.commits[row - 1])


def bisected(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number above `low`, up to `high`, at which it holds, where it does not at `low` and does at `high`.

    One of them, where it came and went. `holds` is asked log2(high - low) times.
    """
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def pinned(one: Regression, row: int, line: Sequence[MainLineCommit]) -> Regression:
    """The regression with the commit of the main line, by its row, at which it began."""
    return replace(one, first=row, commit=line[row], before=line[row - 1], exact=True)


def told(one: Regression, changes: Changes | None) -> str:
    """One line: what, since which commit, of when and by whom."""
    after, before = one.commit, one.before
    if not one.exact:
        return (
            f"{one.what}, since a commit between {before.sha[:_SHORT]} of {day(before.time)} "
            f"and {after.sha[:_SHORT]} of {day(after.time)}"
        )
    who = author_of(changes, after.sha)
    return f"{one.what}, since {after.sha[:_SHORT]} of {day(after.time)}" + (f" by {who}" if who else "")


def author_of(changes: Changes | None, sha: str) -> str:
    """What the author of a commit is called; empty = not known."""
    if changes is None or sha not in changes.sha:
        return ""
    return changes.name_of(int(changes.author[changes.sha.index(sha)]))
