"""Memoised search in a graph with cycles: a result inside a cycle is stored only once the head of the cycle is done.

A search for a key may need the results for other keys, and one of these may be in progress already. The search is cut
off there, so that results along the cycle are incomplete and must not be stored. Each open search has a level, 0 for
the outermost. It records the lowest level at which any search inside it was cut off (R. Tarjan 1972, "Depth-first
search and linear graph algorithms", calls it LOWLINK). If that is not lower than its own level, the search is the head
of its cycle, or in no cycle: its result does not depend on where the search began, and is stored.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Searches:
    """The searches in progress, shared by all memos that use each other.

    lowest   for each open search, outermost first, the lowest level at which it was cut off, or its own level
    passing  results that are valid until the head of their cycle is done, in the order of completion: the table that
             holds each result, and its key
    """

    __slots__ = ("lowest", "passing")

    def __init__(self) -> None:
        self.lowest: list[int] = []
        self.passing: list[tuple[dict[Any, tuple[int, Any]], Any]] = []  # from memos of any types

    def end(self, level: int, before: int) -> int:
        """End the innermost search, which began with `before` entries in `passing`.

        Returns the lowest level at which it was cut off, or its own `level`.
        """
        lowest, passing = self.lowest, self.passing
        reached = lowest.pop()
        if reached < level and reached < lowest[-1]:
            lowest[-1] = reached
        if len(passing) > before:
            for answers, key in passing[before:]:
                hangs_on, answer = answers.pop(key)
                if reached < level:  # results that depend on this search now depend on level `reached`
                    answers[key] = min(hangs_on, reached), answer
            if reached == level:
                del passing[before:]
        return reached


class Memo(Generic[K, V]):
    """Results by key. A result that depends on a search still in progress is computed again.

    known  the stored results
    """

    __slots__ = ("_searches", "known")

    def __init__(self, searches: Searches) -> None:
        self._searches = searches
        self.known: dict[K, V] = {}

    def find(self, key: K, search: Callable[[K], V]) -> V:
        """The result for `key`, computed by `search` if it is not stored."""
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
    """A memo whose searches may come back to their own key: there they are cut off.

    deepest  most searches of this memo that may be open inside one another; a deeper one is cut off, too, and then only
             the outermost result is stored
    patient  reuse results inside a cycle until the head of the cycle is done. Otherwise each path is searched, and a
             dense cycle has exponentially many. Correct if results are united; else the head may miss something.
    """

    __slots__ = ("_deepest", "_open", "_passing", "_patient")

    def __init__(self, searches: Searches, deepest: int = sys.maxsize, *, patient: bool = False) -> None:
        super().__init__(searches)
        self._deepest, self._patient = deepest, patient
        self._open: dict[K, int] = {}  # levels
        self._passing: dict[K, tuple[int, V]] = {}  # (the lowest level that the result depends on, the result)

    def find_or(self, cut: V, key: K, search: Callable[[K], V]) -> V:
        """The result for `key`; `cut` if its search is in progress already, or would be too deep."""
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
