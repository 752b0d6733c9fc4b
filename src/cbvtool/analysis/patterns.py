"""Patterns of paths, written as in a .gitignore."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_GROUP = re.compile(r"\(\?P<\w+>")
_NEVER = r"(?!)"
_WILDCARDS = 3  # in one part of a pattern: the time is that power of the length of a name


class Patterns:
    """Which paths below one folder some patterns name. Paths are relative to it, with `/`; a folder's ends in `/`."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec  # costs 20 ms, and many folders have no patterns

        return GitIgnoreSpec.from_lines(self.lines)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """All of them in one: most paths match none, and one search is a tenth of the time of one for each pattern."""
        texts = [row.regex.pattern for row in self._spec.patterns if row.regex is not None]
        return re.compile("|".join(f"(?:{_GROUP.sub('(?:', text)})" for text in texts) or _NEVER)

    def check(self) -> None:
        """Raise ValueError, with the reason, if one of the lines is no pattern."""
        _ = self._spec

    def verdict(self, path: str) -> bool | None:
        """Whether the last pattern that has a word on `path` takes it (True) or lets it go (False, `!`)."""
        if not self.lines or not self._any.search(path):
            return None
        return self._spec.check_file(path).include

    def __contains__(self, path: str) -> bool:
        return self.verdict(path) is True


def is_costly(pattern: str) -> bool:
    """Whether matching may take time with a high power of a path's length, as a hostile repository would have it."""
    parts = pattern.split("/")
    return parts.count("**") > _WILDCARDS or any(part != "**" and part.count("*") > _WILDCARDS for part in parts)
