"""The functions whose code differs between two commits, with the hunk that changed each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import language_of
from cbvtool.analysis.pool import ReadTask, Workers, read_all
from cbvtool.evolution.functions import NamedLines, functions_in
from cbvtool.mining.patches import FileDifference, Hunk, read_differences
from cbvtool.mining.processes import Processes
from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.runs.causes import ChangedCode, ChangedLines

MODULE = "<module>"


class ChangedFunction(NamedTuple):
    """A function with changed lines: file (as the newer commit has it, unless it is gone), qualified name, first hunk.

    gone  the newer commit has no such function
    """

    file: str
    name: str
    hunk: Hunk
    gone: bool


def changed_functions(
    root: Path, old: str, new: str, processes: Processes | None = None, progress: Progress = silent
) -> tuple[list[ChangedFunction], dict[str, str]]:
    """(what differs between two commits of the repository around `root`, files that were renamed: old -> new path).

    Lines outside of functions are those of `MODULE`. Files of unknown languages are left out. Raises InputError.
    """
    differences = read_differences(root, old, new, processes)
    found: list[ChangedFunction] = []
    with Workers(1) as workers:
        for done, one in enumerate(differences):
            progress("Reading what was changed", done, len(differences))
            found += _changed(one, workers)
    renames = {one.old: one.new for one in differences if one.old and one.new and one.old != one.new}
    return found, renames


def changed_code(
    root: Path, old: str, new: str, progress: Progress = silent
) -> tuple[list[ChangedCode], dict[str, str]]:
    """`changed_functions` as comparisons of traces take them."""
    functions, renames = changed_functions(root, old, new, progress=progress)
    return [
        ChangedCode(
            one.file,
            one.name,
            ChangedLines(one.file, one.hunk.old, one.hunk.old_count, one.hunk.new, one.hunk.new_count),
            one.gone,
        )
        for one in functions
    ], renames


def _changed(one: FileDifference, workers: Workers) -> Iterator[ChangedFunction]:
    before, after = (_functions(path, data, workers) for path, data in ((one.old, one.before), (one.new, one.after)))
    file, there = one.new or one.old, {each.name for each in after}
    seen: set[str] = set()
    for hunk in one.hunks:
        names = [*_at(after, hunk.new, hunk.new_count), *_at(before, hunk.old, hunk.old_count)]
        for name in dict.fromkeys(names or [MODULE]):
            if name not in seen:
                seen.add(name)
                yield ChangedFunction(file, name, hunk, name != MODULE and name not in there)


def _at(functions: Sequence[NamedLines], first: int, count: int) -> list[str]:
    """The innermost functions that hold a line of a span."""
    held = [one for one in functions if count and first <= one.last and one.first <= first + count - 1]
    return [
        one.name
        for one in held
        if not any(other.first >= one.first and other.last <= one.last and other is not one for other in held)
    ]


def _functions(path: str, data: bytes, workers: Workers) -> list[NamedLines]:
    language = language_of(path) if path else None
    if language is None or not data:
        return []
    task = ReadTask(path, language.reader, len(data), data=data, offers=False)
    (_, outcome), *_ = read_all([task], 1, workers=workers)
    return functions_in(outcome.facts) if isinstance(outcome.facts, FileFacts) else []
