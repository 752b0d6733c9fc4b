"""Anonymises a history: everything made from it shows numbers in place of people."""

from __future__ import annotations

import re
from dataclasses import replace

from cbvtool.history.identity import same_people
from cbvtool.mining.changes import Changes

HIDDEN_WORD = "…"
_WORD = re.compile(r"\w+")
_SHORTEST = 3  # least length of a word that is replaced as a part of a name


def without_names(changes: Changes) -> Changes:
    """The same history with authors called `Person 1`, `Person 2`, ... in the order of `Changes.authors`.

    Authors of the same name get the same number.

    In subjects, words that are part of a name or mail address are replaced, too, even if they mean something else
    there. Everything else stays, so that figures do not change.
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
    """The part of a mail address before the @."""
    return address.partition("@")[0]
