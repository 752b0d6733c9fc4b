"""Memoised search in a graph with cycles: what is found inside a circle is kept only once its head is done.

To find what a key means, other keys are asked, and one of them may be under way already. The search is cut there, and
what is found on the way round is incomplete: it must not be remembered. Each open search has a level, 0 for the
outermost, and knows the lowest level that anything below it was cut at (R. Tarjan 1972, "Depth-first search and linear
graph algorithms", calls it LOWLINK). A search that reached no lower level than its own is the head of its circle, or
in none: its answer is the same wherever it is asked from, and is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Searches:
    """The searches that are under way, shared by all memos that ask each other.

    lowest   for each of them, outermost first, the lowest level that it was cut at, or its own
    passing  answers that hold until the head of their circle is done, in the order of their ends: where each is kept,
             and its key
    """

    __slots__ = ("lowest", "passing")

    def __init__(self) -> None:
        self.lowest: list[int] = []
        self.passing: list[tuple[dict[Any, tuple[int, Any]], Any]] = []  # of memos of any types

    def end(self, level: int, before: int) -> int:
        """The innermost search ends, when `before` answers had been passing; the lowest level that it was cut at."""
        lowest, passing = self.lowest, self.passing
        reached = lowest.pop()
        if reached < level and reached < lowest[-1]:
            lowest[-1] = reached
        if len(passing) > before:
            for answers, key in passing[before:]:
                hangs_on, answer = answers.pop(key)
                if reached < level:  # what hangs on this search hangs on what it hangs on
                    answers[key] = min(hangs_on, reached), answer
            if reached == level:
                del passing[before:]
        return reached


class Memo(Generic[K, V]):
    """Answers by their keys; those that hang on a search that is still under way are found again.

    known  the answers that are kept
    """

    __slots__ = ("_searches", "known")

    def __init__(self, searches: Searches) -> None:
        self._searches = searches
        self.known: dict[K, V] = {}

    def find(self, key: K, search: Callable[[K], V]) -> V:
        """The answer for `key`, by `search` if it is not known."""
        if key in self.known:
            return self.known[key]
        searches = self._searches
        level, before = len(searches.lowest), len(searches.passing)
        searches.lowest.append(level)
        try:
            found = search(key)
        finally:
            reached = searches.end(level, before)
        if reached == level:
            self.known[key] = found
        return found


class Circular(Memo[K, V]):
    """A memo whose searches may come back to their own key: there they are cut.

    deepest  so many of these searches may be under way inside one another; the next one is cut as well, and of all
             around it only the outermost answer is kept
    patient  what was found on the way round is not searched again by another way until the head of the circle is
             done: a dense circle has exponentially many ways. Right where answers are united; else the head may miss
             something.
    """

    __slots__ = ("_deepest", "_open", "_passing", "_patient")

    def __init__(self, searches: Searches, deepest: int = sys.maxsize, *, patient: bool = False) -> None:
        super().__init__(searches)
        self._deepest, self._patient = deepest, patient
        self._open: dict[K, int] = {}  # levels
        self._passing: dict[K, tuple[int, V]] = {}  # the lowest level that each hangs on

    def find_or(self, cut: V, key: K, search: Callable[[K], V]) -> V:
        """The answer for `key`; `cut` where the search for it is under way already, or too deep."""
        if key in self.known:
            return self.known[key]
        searches, opened = self._searches, self._open
        lowest = searches.lowest
        at, answer = opened.get(key), cut
        if at is None and key in self._passing:
            at, answer = self._passing[key]
        elif at is None and len(opened) >= self._deepest:
            at = 0
        if at is not None:
            if at < lowest[-1]:
                lowest[-1] = at
            return answer
        level, before = len(lowest), len(searches.passing)
        opened[key] = level
        lowest.append(level)
        try:
            found = search(key)
        finally:
            del opened[key]
            reached = searches.end(level, before)
        if reached == level:
            self.known[key] = found
        elif self._patient:
            self._passing[key] = reached, found
            searches.passing.append((self._passing, key))
        return found
