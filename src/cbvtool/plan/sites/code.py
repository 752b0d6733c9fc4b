"""The text of the analysed code, as far as it can be read: what the search for sites asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol


class Mention(NamedTuple):
    """A line, counted from 1, that holds one of the words asked for."""

    file: str
    line: int
    word: str
    text: str


class Code(Protocol):
    """Text of the project's files as they were analysed."""

    def lines(self, file: str) -> Sequence[str]:
        """The lines of a file, without their ends; none where it cannot be read."""

    def mentions(self, words: Collection[str]) -> Iterable[Mention]:
        """The lines of all text files, source or not, in which one of the words, dotted or slashed too, is whole."""


class _NoCode:
    def lines(self, file: str) -> Sequence[str]:
        del file
        return ()

    def mentions(self, words: Collection[str]) -> Iterable[Mention]:
        del words
        return ()


NO_CODE: Code = _NoCode()
