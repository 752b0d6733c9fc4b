"""Words from outside, such as file names, on their way to a person."""

from __future__ import annotations


def one_line(words: str) -> str:
    """Control characters and what is no UTF-8 as escapes: a name stays on one line, and any font can set it."""
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in words)
