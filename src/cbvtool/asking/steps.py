"""Chains of relations: how one walks from a user to what it uses, and on from there. Paths and impact walk alike.

A walk goes on from where a relation ends, or from a part of that (`metrics.users.parts`): whoever uses a class uses
its methods, whoever uses a folder its files. Parts cost no step; a step is a relation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph, are_dependencies
from cbvtool.metrics.structure.users import parts

Mask = npt.NDArray[np.bool_]
IntColumn = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rowed:
    """The rows of a table by one of its columns: those of key k are `row[ptr[k]:ptr[k + 1]]`.

    ptr   int64[n + 1]
    row   int64[k]
    """

    ptr: Rows
    row: Rows

    @staticmethod
    def by(keys: npt.NDArray[Any], n: int) -> Rowed:
        """By a column of keys, each from 0 to n - 1."""
        ptr = np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=n)))).astype(np.int64)
        return Rowed(ptr, np.argsort(keys, kind="stable"))

    def of(self, keys: npt.NDArray[Any]) -> Rows:
        """int64[r]: the rows of all `keys`, key after key."""
        count = self.ptr[keys + 1] - self.ptr[keys]
        begin = np.cumsum(count) - count
        rows: Rows = self.row[np.repeat(self.ptr[keys] - begin, count) + np.arange(count.sum())]
        return rows


@dataclass(frozen=True, eq=False)
class Steps:
    """The k relations that one may walk along, and the parts of what they lead to.

    row          int64[k]  row of `graph.edges`
    user, used   int32[k]  keys of both ends
    by_user, by_used       the relations by either end
    whole, part  int32[p]  whoever uses the one uses the other
    by_whole, by_part      these pairs by either of the two
    """

    row: Rows
    user: IntColumn
    used: IntColumn
    by_user: Rowed
    by_used: Rowed
    whole: IntColumn
    part: IntColumn
    by_whole: Rowed
    by_part: Rowed

    def closed(self, keys: IntColumn, seen: Mask, *, downward: bool) -> IntColumn:
        """int32[r]: `keys` with their parts (or, upward, the wholes they are part of), and so on.

        seen   bool[n]  nodes that are there already; those that come are marked in it
        """
        pairs, ends = (self.by_whole, self.part) if downward else (self.by_part, self.whole)
        found = [_new(keys, seen)]
        while len(found[-1]):
            found.append(_new(ends[pairs.of(found[-1])], seen))
        return np.concatenate(found)


def steps(graph: Graph, relations: Mask | None = None, *, deferred: bool = True, type_checking: bool = True) -> Steps:
    """What can be walked along by the `relations` (bool[m], None = all) that count, as far as they are dependencies.

    deferred, type_checking   see `are_dependencies`

    What a plan has removed is not there.
    """
    edges, n = graph.edges, len(graph)
    there = graph.parent != REMOVED
    counts = are_dependencies(edges, deferred=deferred, type_checking=type_checking)
    counts &= there[edges.source] & there[edges.target]
    if relations is not None:
        counts &= relations
    row = np.flatnonzero(counts)
    user, used = edges.source[row], edges.target[row]
    whole, part = parts(graph)
    return Steps(
        row, user, used, Rowed.by(user, n), Rowed.by(used, n), whole, part, Rowed.by(whole, n), Rowed.by(part, n)
    )


def _new(keys: IntColumn, seen: Mask) -> IntColumn:
    """Those of `keys` that are not `seen`, each once, now marked there."""
    found: IntColumn = np.unique(keys[~seen[keys]])
    seen[found] = True
    return found
