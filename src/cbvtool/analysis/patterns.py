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
    """A regular expression that a line stands for.

    line     its row
    takes    whether it takes what it matches; else it lets it go (`!`)
    above    whether it matches a folder that a path lies in, and not the path itself
    """

    line: int
    takes: bool
    above: bool


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
            if text.endswith(_EITHER):
                base = text.removesuffix(_EITHER)
                found = [(f"{base}/", True), (f"{base}$", False)]
            else:
                found = [(text.replace(_DIRECTORY, "/"), _DIRECTORY in text)]
            for regex, above in found:
                rows.append(_Row(number, takes, above))
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

    def deciding(self, path: str) -> tuple[bool, int] | None:
        """(whether `path` is taken, row of the line that says so); None where none has a word on it.

        Of those that match the path itself the last one decides, else of those that match a folder around it. Raises
        OverBudget.
        """
        if not self.lines:
            return None
        rows, patterns = self._compiled
        best: _Row | None = None
        for number in sorted(patterns.matching(path, lambda count, size: self._spend(0))):
            row = rows[number]
            if (
                best is None
                or (row.takes and row.above and row.line > best.line)
                or (row.above == best.above and row.line > best.line)
                or (best.above and not row.above)
            ):
                best = row
        return None if best is None else (best.takes, best.line)

    def verdict(self, path: str) -> bool | None:
        """Whether the last pattern that has a word on `path` takes it (True) or lets it go (False, `!`)."""
        found = self.deciding(path)
        return None if found is None else found[0]

    def __contains__(self, path: str) -> bool:
        return self.verdict(path) is True
