"""Text from outside, such as file names, made fit to be shown to people."""

from __future__ import annotations

import re


def one_line(words: str) -> str:
    """Control characters and what is no UTF-8 as escapes: a name stays on one line, and any font can set it."""
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in words)


def harmless(cell: object) -> object:
    """A cell of a table: a spreadsheet takes text that starts like a formula for one, and names may be `=cmd()`."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("=", "+", "-", "@"):
        return f"'{cell}"
    return cell


def escaped(words: str) -> str:
    """Words in Markdown: nothing in them may turn into markup, a link, or another table cell."""
    return re.sub(r"([\\`*_\[\]<|~&])", r"\\\1", one_line(words))


def code_span(words: str) -> str:
    """A code span that holds any file name."""
    shown = one_line(words)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def as_utf8(text: str) -> str:
    """Text that can be written as UTF-8: a file name that is not UTF-8 shows its bytes as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
