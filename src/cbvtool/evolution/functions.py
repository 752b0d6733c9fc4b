"""The functions of one file, ranked by commits times complexity: a long hot spot is no place to begin.

The hunks of each commit are mapped to the functions that its own version of the file has at these lines, and functions
are followed by their names. A function that was renamed has the commits since then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import language_of
from cbvtool.analysis.pool import ReadTask, Workers, read_all
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.metrics import Subject, evaluate
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes
from cbvtool.mining.patches import FilePatch, Hunk, PatchedFile, read_patches
from cbvtool.mining.processes import Processes
from cbvtool.progress import Progress, silent


@dataclass(frozen=True)
class NamedLines:
    """A function by its name in the file (`Class.method`), first and last line."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class FunctionRow:
    """One function of a file: key, commits that changed it, cyclomatic complexity, and both multiplied."""

    key: int
    commits: int
    complexity: int
    points: int


def commits_by_function(
    root: Path,
    graph: Graph,
    changes: Changes,
    key: int,
    *,
    since: int | None = None,
    until: int | None = None,
    processes: Processes | None = None,
    progress: Progress = silent,
) -> tuple[list[FunctionRow], dict[str, set[int]]]:
    """(the functions of the file `key`, those with the most points first; name of each -> rows of its commits).

    since, until   seconds since the epoch, both included: which commits count; None = open

    Raises InputError where the file has no history.
    """
    path = np.flatnonzero(file_keys(graph, changes) == key)
    if not len(path):
        raise InputError(f"{graph.ids[key]} has no history: it is not in the commit.")
    progress("Reading the history of the file", 0, 0)
    patched = read_patches(root, changes, int(path[0]), processes)
    first = 0 if since is None else int(np.searchsorted(changes.time, since, "left"))
    last = len(changes.sha) if until is None else int(np.searchsorted(changes.time, until, "right"))
    patches = [one for one in patched.patches if first <= one.commit < last]
    commits = commits_of_functions(patches, _definitions(graph.ids[key], patched, progress))
    return ranked(graph, key, commits), commits


def ranked(graph: Graph, key: int, commits: Mapping[str, Iterable[int]]) -> list[FunctionRow]:
    """The functions in the file `key` with their commits by name, those with the most points first."""
    complexity, rows = evaluate("complexity", Subject(graph)), []
    below = graph.tree.order[graph.tree.pos[key] : graph.tree.end[key]].tolist()
    for node in below:
        if graph.kind(node) == "function":
            name = graph.ids[node].partition("::")[2]
            often, branches = len(set(commits.get(name, ()))), complexity[node]
            branches = 0 if np.isnan(branches) else int(branches)
            rows.append(FunctionRow(node, often, branches, often * branches))
    return sorted(rows, key=lambda row: (-row.points, -row.commits, int(graph.line[row.key])))


def commits_of_functions(
    patches: Iterable[FilePatch], functions: Mapping[bytes, Sequence[NamedLines]]
) -> dict[str, set[int]]:
    """Name of a function -> commits that changed a line of it.

    functions   id of a content -> its functions

    Lines that came count in the version after the commit, lines that went in the one before.
    """
    found = dict[str, set[int]]()
    for one in patches:
        after = [(hunk.new, hunk.new_count) for hunk in one.hunks]
        before = [(hunk.old, hunk.old_count) for hunk in one.hunks]
        for blob, spans in ((one.after, after), (one.before, before)):
            for name in touched(functions.get(blob, ()), spans):
                found.setdefault(name, set()).add(one.commit)
    return found


def touched(functions: Iterable[NamedLines], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Names of the functions that hold a line of one of the `spans` (first line, count)."""
    return [
        one.name
        for one in functions
        if any(count and first <= one.last and one.first <= first + count - 1 for first, count in spans)
    ]


def functions_in(facts: FileFacts) -> list[NamedLines]:
    """The functions of a file, with the names that their nodes have: a second one of a name is `name#2`."""
    names, often, found = list[str](), dict[str, int](), list[NamedLines]()
    for row in facts.definitions:
        wanted = f"{names[row.parent]}.{row.name}" if row.parent >= 0 else row.name
        number = often[wanted] = often.get(wanted, 0) + 1
        names.append(wanted if number == 1 else f"{wanted}#{number}")
        if row.kind == "function":
            found.append(NamedLines(names[-1], row.line, row.end_line))
    return found


def before_hunks(functions: Iterable[NamedLines], hunks: Iterable[Hunk]) -> list[NamedLines] | None:
    """Where these functions of a version were in the one before, by the hunks between; None = only a look tells.

    A hunk that added a function whole leaves it out. Where one reaches over the first or last line of a function, and
    something went, it cannot be told what is what.
    """
    found = list[NamedLines]()
    for one in functions:
        first, last, new = one.first, one.last, False
        for hunk in hunks:
            start = hunk.new if hunk.new_count else hunk.new + 1  # the line behind, where lines only went
            end, more = start + hunk.new_count - 1, hunk.old_count - hunk.new_count
            if start > one.last:
                continue
            if end < one.first:
                first, last = first + more, last + more
            elif start <= one.first and end >= one.last and not hunk.old_count:
                new = True
            elif start > one.first and end < one.last:
                last += more
            else:
                return None
        if not new:
            found.append(NamedLines(one.name, first, last))
    return found


def _definitions(path: str, patched: PatchedFile, progress: Progress) -> dict[bytes, list[NamedLines]]:
    """The functions of each content. Few are parsed, within the limits of the analysis: hunks tell of others."""
    language = language_of(path)
    if language is None:
        raise InputError(f"{path} is in no language whose functions are known.")
    known = dict[bytes, list[NamedLines]]()
    with Workers(1) as workers:

        def look(blob: bytes) -> list[NamedLines]:
            if blob not in known:
                data = patched.contents.get(blob, b"")
                task = ReadTask(path, language.reader, len(data), data=data, offers=False)
                (_, outcome), *_ = read_all([task], 1, workers=workers)
                known[blob] = functions_in(outcome.facts) if isinstance(outcome.facts, FileFacts) else []
            return known[blob]

        for done, one in enumerate(patched.patches):
            progress("Reading versions of the file", done, len(patched.patches))
            after = look(one.after)
            if one.before not in known:
                before = before_hunks(after, one.hunks)
                if before is None:
                    look(one.before)
                else:
                    known[one.before] = before
    return known
