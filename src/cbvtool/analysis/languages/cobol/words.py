"""The words of COBOL sources, and short phrases of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# The string of a PICTURE may hold periods; names may hold colons (`:TAG:-NAME`, to be replaced).
_TOKEN = re.compile(
    r"(?i:PIC(?:TURE)?)(?:\s+(?i:IS))?\s+\S*[^\s.]"
    r"|[\w#@$:][\w#@$:-]*(?:\.(?i:cpy|cbl|cob|inc)\b)?"
    r"""|"[^"]*(?:""[^"]*)*"?|'[^']*(?:''[^']*)*'?"""
    r"|==|\.(?!\d)|[()]"
)
QUOTES = ('"', "'")
NO_NAME = "\"'().="  # characters with which no name begins
PROGRAM_NAME = re.compile(r"[A-Za-z#@$][\w#@$-]{0,29}$")
_LONGEST_SUBSCRIPT = 50  # words


class WordReader:
    """The words of some lines, including literals and signs.

    tokens, upper  as written and in capitals; followed by a few empty ones
    lines          line number of each word
    count          number of words
    """

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        self.tokens: list[str] = []
        self.lines: list[int] = []
        find = _TOKEN.findall
        for line, code in lines:
            found = find(code)
            self.tokens += found
            self.lines += [line] * len(found)
        self.count = len(self.tokens)
        self.tokens += [""] * 8
        self.lines += [self.lines[-1] if self.lines else 1] * 8
        self.upper = list(map(str.upper, self.tokens))

    def is_first(self, i: int) -> bool:
        """Whether word `i` is the first on its line."""
        return i == 0 or self.lines[i] != self.lines[i - 1]

    def behind_parentheses(self, i: int) -> int:
        """The word after the parentheses that open at word `i`."""
        end = i + _LONGEST_SUBSCRIPT
        while i < end and self.upper[i] not in (")", ".", ""):
            i += 1
        return i + 1

    def qualified(self, i: int) -> int:
        """The last word of the data item at word `i`, including its groups and subscripts."""
        while self.upper[i + 1] in ("OF", "IN"):
            i += 2
        return self.behind_parentheses(i + 1) - 1 if self.upper[i + 1] == "(" else i


class Copied(NamedTuple):
    """Target of a COPY (`library/name` if it names both), the word after it, and `Import.form`."""

    name: str
    end: int
    form: str


def copied_by(words: WordReader, i: int) -> Copied | None:
    """The copied file that is named from word `i` on; None = none."""
    name = words.tokens[i]
    if name in ("", ".", "==", "(", ")"):
        return None
    form = "dotted" if "." in name and name[0] not in QUOTES else ""
    name = literal(name)
    i += 1
    if words.upper[i] in ("OF", "IN"):
        name = f"{literal(words.tokens[i + 1])}/{name}"
        i += 2
    return Copied(name, i, form) if name else None


def is_include(words: WordReader, i: int) -> bool:
    """Whether word `i` is `INCLUDE name.`, which some compilers treat as COPY."""
    return words.upper[i] == "INCLUDE" and words.upper[i + 2] == "." and words.upper[i - 1] in (".", "")


def literal(token: str) -> str:
    """The value of a literal, without blanks at its ends; other words are returned unchanged."""
    if token[:1] not in QUOTES:
        return token
    quote = token[0]
    inside = token[1:-1] if len(token) > 1 and token[-1] == quote else token[1:]
    return inside.replace(quote * 2, quote).strip()
