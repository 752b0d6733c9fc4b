"""Patterns of paths, written as in a .gitignore."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cbvtool.budget import Budget
    from cbvtool.matching import Set

_DIRECTORY = "(?P<ps_d>/)"  # what pathspec puts where a folder around a path may end
_EITHER = f"(?:{_DIRECTORY}|$)"
LONGEST = 4_096  # characters of a pattern; no path is longer


class _Row(NamedTuple):
    """A regular expression that a line stands for. It is searched in paths without the `/` at the end of a folder's.

    line      its row
    takes     whether it takes what it matches; else it lets it go (`!`)
    above     whether it matches a folder that a path lies in, and not the path itself
    folders   whether it matches nothing but folders
    """

    line: int
    takes: bool
    above: bool = False
    folders: bool = False


class Patterns:
    """Which paths below one folder some patterns name. Paths are relative to it, with `/`; a folder's ends in `/`.

    budget   what finding out may spend
    """

    def __init__(self, lines: Iterable[str], budget: Budget | None = None) -> None:
        self.lines = tuple(lines)
        self._budget = budget

    @cached_property
    def _compiled(self) -> tuple[list[_Row], Set]:
        from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # costs 20 ms, and many folders have none

        from cbvtool.matching import Set

        rows, texts = [], []
        for number, line in enumerate(self.lines):
            if len(line) > LONGEST:
                raise ValueError(f"a pattern is longer than {LONGEST:,} characters")
            self._spend(len(line))
            text, takes = GitIgnoreSpecPattern.pattern_to_regex(line)
            if text is None or takes is None:
                continue
            for regex, row in _forms(text, _Row(number, takes)):
                rows.append(row)
                texts.append(regex)
        return rows, Set(texts)

    def _spend(self, size: int) -> None:
        if self._budget is not None:
            self._budget.spend(0, size)

    def check(self) -> None:
        """Raise ValueError, with the reason, if one of the lines cannot be read; OverBudget if there are too many."""
        _ = self._compiled

    @property
    def refused(self) -> list[str]:
        """Lines with a range of characters, `[z-a]`, that runs backwards: as git has it they match nothing."""
        rows, patterns = self._compiled
        return list(dict.fromkeys(self.lines[rows[row].line] for row, _ in patterns.refused))

    def _matching(self, path: str) -> list[_Row]:
        """What matches `path` or a folder around it, in the order of the lines. Raises OverBudget."""
        if not self.lines:
            return []
        rows, patterns = self._compiled
        found = patterns.matching(path.removesuffix("/"), lambda count, size: self._spend(0))
        is_folder = path.endswith("/")
        return [row for row in map(rows.__getitem__, sorted(found)) if is_folder or not row.folders]

    def deciding(self, path: str) -> tuple[bool, int] | None:
        """(whether `path` is taken, row of the line that says so); None where none has a word on it.

        Of those that match the path itself the last one decides, else of those that match a folder around it; but what
        takes a folder takes what an earlier one lets go in it. Raises OverBudget.
        """
        best: _Row | None = None
        for row in self._matching(path):
            if best is None or row.above == best.above or best.above or row.takes:
                best = row
        return None if best is None else (best.takes, best.line)

    def verdict(self, path: str) -> bool | None:
        """Whether the last pattern that has a word on `path` takes it (True) or lets it go (False, `!`)."""
        found = self.deciding(path)
        return None if found is None else found[0]

    def verdict_inside(self, path: str) -> bool | None:
        """The same of a path in folders that were let go, one after the other: they have no say any more."""
        return next((row.takes for row in reversed(self._matching(path)) if not row.above), None)

    def __contains__(self, path: str) -> bool:
        return self.verdict(path) is True


def _forms(text: str, row: _Row) -> list[tuple[str, _Row]]:
    """What to search for in place of one expression of pathspec's: (of a path itself, of the folders around it)."""
    if text.endswith(_EITHER):
        base = text.removesuffix(_EITHER)
        return [(f"{base}$", row), (f"{base}/", row._replace(above=True))]
    if text.endswith(_DIRECTORY):  # a pattern that ends with a slash; `*/` is nothing else
        base = text.removesuffix(_DIRECTORY)
        itself = f"{base}$" if base else "."
        return [(itself, row._replace(folders=True)), (f"{base}/", row._replace(above=True))]
    return [(text, row)]
