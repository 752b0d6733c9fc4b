"""Errors that the user can act on, each told in one sentence."""

from __future__ import annotations

import re

_LONG_WORD, _LONG = 300, 2_000  # characters of a word, such as a path, and of a sentence
_LONG_WORDS = re.compile(rf"\S{{{_LONG_WORD + 1},}}")


class InputError(Exception):
    """One sentence: what happened, to what, and what to do. The command line exits with status 2.

    Paths and names that somebody made thousands of characters long are shown by their begin and end.
    """

    def __str__(self) -> str:
        return _shortened(_LONG_WORDS.sub(lambda word: _shortened(word[0], _LONG_WORD), super().__str__()), _LONG)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[len(text) - most // 2 + 1 :]}"


class Cancelled(Exception):  # not an error: the user asked for it
    """Raised by a progress callback to stop the work it reports on."""


def error_text(error: BaseException) -> str:
    """An error of code that is not ours, such as a plugin's, in one line: its type and what it says."""
    text = _shortened(" ".join(str(error).split()), _LONG)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
