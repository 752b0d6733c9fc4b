"""Parses the symbols of SCIP (https://github.com/sourcegraph/scip, `scip.proto`): package and descriptors."""

from __future__ import annotations

import re
from typing import NamedTuple

# A descriptor: a name, plain or in backticks (two denote one), and a suffix for its sort.
_DESCRIPTOR = re.compile(
    r"""
    \[(?:[\w+$-]++|`(?>(?:[^`]+|``)*)`)\]
    |\((?:[\w+$-]++|`(?>(?:[^`]+|``)*)`)\)
    |(?:(?P<plain>[\w+$-]++)|`(?P<escaped>(?>(?:[^`]+|``)+))`)(?P<suffix>[/#.:!]|\([\w+$-]*+\)\.)
    """,
    re.VERBOSE | re.ASCII,
)
_LONGEST, _DEEPEST = 10_000, 100  # characters and descriptors
_BLANK = re.compile(r"(?<! ) (?! )")  # two blanks denote one that is part of a word
NAMESPACE, TYPE, TERM, META, MACRO, METHOD = "/", "#", ".", ":", "!", "()."


class Symbol(NamedTuple):
    """A global symbol.

    package  manager and name, `npm react`; empty if it has none
    ends     end of each descriptor in the text of the symbol, innermost last
    names    name of each descriptor
    sorts    sort of each descriptor: NAMESPACE, TYPE, ...; empty for parameters
    """

    package: str
    ends: tuple[int, ...]
    names: tuple[str, ...]
    sorts: tuple[str, ...]


def parsed(text: str) -> Symbol | None:
    """The parsed symbol; None for a local one, for an invalid one, and for one of absurd length."""
    if text.startswith("local ") or len(text) > _LONGEST:
        return None
    words = _BLANK.split(text, maxsplit=4)
    if len(words) < 5:
        return None
    place = len(text) - len(words[4])
    ends: list[int] = []
    names: list[str] = []
    sorts: list[str] = []
    while place < len(text):
        found = _DESCRIPTOR.match(text, place)
        if found is None:
            return None
        place = found.end()
        suffix = found["suffix"] or ""
        if len(ends) == _DEEPEST:
            return None
        ends.append(place)
        names.append(found["plain"] or (found["escaped"] or "").replace("``", "`"))
        sorts.append(METHOD if suffix.startswith("(") else suffix)
    package = " ".join(word.replace("  ", " ") for word in words[1:3] if word not in (".", ""))
    return Symbol(package, tuple(ends), tuple(names), tuple(sorts)) if ends else None
