"""Patterns of paths, written as in a .gitignore."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_WILDCARDS = 3  # in one part of a pattern: the time is that power of the length of a name


class Patterns:
    """Which paths below one folder some patterns name. Paths are relative to it, with `/`; a folder's ends in `/`."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec  # costs 20 ms, and many folders have no patterns

        return GitIgnoreSpec.from_lines(self.lines)

    def check(self) -> None:
        """Raise ValueError, with the reason, if one of the lines is no pattern."""
        _ = self._spec

    def verdict(self, path: str) -> bool | None:
        """Whether the last pattern that has a word on `path` takes it (True) or lets it go (False, `!`)."""
        return self._spec.check_file(path).include if self.lines else None

    def __contains__(self, path: str) -> bool:
        return self.verdict(path) is True


def is_costly(pattern: str) -> bool:
    """Whether matching may take time with a high power of a path's length, as a hostile repository would have it."""
    parts = pattern.split("/")
    return parts.count("**") > _WILDCARDS or any(part != "**" and part.count("*") > _WILDCARDS for part in parts)
