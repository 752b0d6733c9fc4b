"""Identity: for tables of people, mail addresses with the same full name are one person."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from cbvtool.history.change_sets import IntColumn
from cbvtool.mining.changes import Changes


def same_people(changes: Changes) -> IntColumn:
    """int32[a]: for each author, the first one of the same name, ignoring case; names of one word are not merged."""
    first: dict[str, int] = {}
    found = np.arange(len(changes.authors), dtype=np.int32)
    for row, name in enumerate(changes.names):
        words = " ".join(name.casefold().split())
        if " " in words:
            found[row] = first.setdefault(words, row)
    return found


@lru_cache(maxsize=2)  # compared by identity; metrics and tables of one history use it several times
def by_name(changes: Changes) -> Changes:
    """The same history, with each commit assigned to the first author of the same name."""
    return replace(changes, author=same_people(changes)[changes.author])
