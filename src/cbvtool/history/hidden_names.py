"""A history without names: whatever is made of it shows numbers in place of people."""

from __future__ import annotations

import re
from dataclasses import replace

from cbvtool.history.identity import same_people
from cbvtool.mining.changes import Changes

HIDDEN_WORD = "…"
_WORD = re.compile(r"\w+")
_SHORTEST = 3  # letters of a word that is taken for a part of a name


def without_names(changes: Changes) -> Changes:
    """The same history, whose authors are called `Person 1`, `Person 2`, ... in the order of `Changes.authors`,
    and alike where their names are.

    Words of subjects that are part of a name or mail address are replaced, too, also where they mean something else.
    All else stays, so that figures are the same.
    """
    known = {
        word for text in (*changes.names, *map(_local, changes.authors)) for word in _WORD.findall(text.casefold())
    }
    known = {word for word in known if len(word) >= _SHORTEST and not word.isdigit()}

    def hide(match: re.Match[str]) -> str:
        return HIDDEN_WORD if match[0].casefold() in known else match[0]

    people = tuple(f"Person {number + 1}" for number in same_people(changes).tolist())
    return replace(changes, authors=people, names=people, subjects=tuple(_WORD.sub(hide, s) for s in changes.subjects))


def _local(address: str) -> str:
    """What stands before the @ of a mail address."""
    return address.partition("@")[0]
