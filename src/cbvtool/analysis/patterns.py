"""Patterns of paths, written as in a .gitignore."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cbvtool.budget import Budget
    from cbvtool.matching import Set

_DIRECTORY = "(?P<ps_d>/)"  # pathspec's mark for the end of a parent folder
_EITHER = f"(?:{_DIRECTORY}|$)"
LONGEST = 4_096  # characters of a pattern; no path is longer


class _Row(NamedTuple):
    """A regular expression for a line. It is searched in paths; those of folders are given without the last `/`.

    line      row of the line
    takes     whether it includes what it matches; else it excludes it (`!`)
    above     whether it matches a parent folder of a path, not the path itself
    folders   whether it matches only folders
    """

    line: int
    takes: bool
    above: bool = False
    folders: bool = False


class Patterns:
    """Matches paths below one folder against patterns. Paths are relative, with `/`; that of a folder ends in `/`.

    budget   limit for the matching
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
        """Raise ValueError, with the reason, if a line is invalid; OverBudget if there are too many."""
        _ = self._compiled

    @property
    def refused(self) -> list[str]:
        """Lines with a reversed range of characters, such as `[z-a]`: as in git, they match nothing."""
        rows, patterns = self._compiled
        return list(dict.fromkeys(self.lines[rows[row].line] for row, _ in patterns.refused))

    def _matching(self, path: str) -> list[_Row]:
        """Rows that match `path` or a parent folder, in the order of the lines. Raises OverBudget."""
        if not self.lines:
            return []
        rows, patterns = self._compiled
        found = patterns.matching(path.removesuffix("/"), lambda count, size: self._spend(0))
        is_folder = path.endswith("/")
        return [row for row in map(rows.__getitem__, sorted(found)) if is_folder or not row.folders]

    def deciding(self, path: str) -> tuple[bool, int] | None:
        """(whether `path` is included, row of the deciding line); None if no line matches.

        The last line that matches the path itself decides, else the last that matches a parent folder. However, a line
        that includes a folder also includes paths in it that an earlier line excludes. Raises OverBudget.
        """
        best: _Row | None = None
        for row in self._matching(path):
            if best is None or row.above == best.above or best.above or row.takes:
                best = row
        return None if best is None else (best.takes, best.line)

    def verdict(self, path: str) -> bool | None:
        """True if the last matching pattern includes `path`, False if it excludes it (`!`), None if none matches."""
        found = self.deciding(path)
        return None if found is None else found[0]

    def verdict_inside(self, path: str) -> bool | None:
        """As `verdict`, for a path whose parent folders are known not to be included: they do not count."""
        return next((row.takes for row in reversed(self._matching(path)) if not row.above), None)

    def __contains__(self, path: str) -> bool:
        return self.verdict(path) is True


def _forms(text: str, row: _Row) -> list[tuple[str, _Row]]:
    """The expressions to search in place of one of pathspec's: for a path itself, for its parent folders."""
    if text.endswith(_EITHER):
        base = text.removesuffix(_EITHER)
        return [(f"{base}$", row), (f"{base}/", row._replace(above=True))]
    if text.endswith(_DIRECTORY):  # a pattern that ends with a slash; for `*/`, `base` is empty
        base = text.removesuffix(_DIRECTORY)
        itself = f"{base}$" if base else "."
        return [(itself, row._replace(folders=True)), (f"{base}/", row._replace(above=True))]
    return [(text, row)]
