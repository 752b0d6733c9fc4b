"""Identity: mail addresses of the same full name are one person, where tables of people are concerned."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from cbvtool.history.change_sets import IntColumn
from cbvtool.mining.changes import Changes


def same_people(changes: Changes) -> IntColumn:
    """int32[a]: the first author of the same name, in any case, as each one; names of one word are too few to tell."""
    first: dict[str, int] = {}
    found = np.arange(len(changes.authors), dtype=np.int32)
    for row, name in enumerate(changes.names):
        words = " ".join(name.casefold().split())
        if " " in words:
            found[row] = first.setdefault(words, row)
    return found


@lru_cache(maxsize=2)  # values compared by identity; the metrics and tables of one history ask several times
def by_name(changes: Changes) -> Changes:
    """The same history, in which each commit is by the first author of the same name."""
    return replace(changes, author=same_people(changes)[changes.author])
