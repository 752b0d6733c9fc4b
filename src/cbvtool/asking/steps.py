"""Chains of relations, from dependant to dependency and on from there. Paths and impact use the same steps.

A chain continues from the end of a relation, or from a part of that node (`metrics.users.parts`): using a class means
using its methods, and using a folder its files. A relation is one step; going to a part costs no step.
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
_FEW = 64  # sorting one key takes as long as looking at so many nodes


@dataclass(frozen=True, eq=False)
class Rowed:
    """The rows of a table, grouped by one of its columns: those of key k are `row[ptr[k]:ptr[k + 1]]`.

    ptr   int64[n + 1]
    row   int64[k]
    """

    ptr: Rows
    row: Rows

    @staticmethod
    def by(keys: npt.NDArray[Any], n: int) -> Rowed:
        """Group the rows by a column of keys, each from 0 to n - 1."""
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
    """The k relations that chains may follow, and the parts of nodes.

    row          int64[k]  row of `graph.edges`
    user, used   int32[k]  keys of dependant and dependency
    by_user, by_used       the relations grouped by either end
    whole, part  int32[p]  using the whole means using the part
    by_whole, by_part      these pairs grouped by either of the two
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
        """int32[r]: `keys` with their parts, or, upward, with the wholes to which they belong, and so on.

        seen   bool[n]  nodes reached before; new ones are marked in it
        """
        pairs, ends = (self.by_whole, self.part) if downward else (self.by_part, self.whole)
        found = [first_seen(keys, seen)]
        while len(found[-1]):
            found.append(first_seen(ends[pairs.of(found[-1])], seen))
        return np.concatenate(found)


def steps(graph: Graph, relations: Mask | None = None, *, deferred: bool = True, type_checking: bool = True) -> Steps:
    """The steps that chains may take: those of `relations` (bool[m], None = all) that are dependencies.

    deferred, type_checking   see `are_dependencies`

    Nodes that a plan has removed are left out.
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


def first_seen(keys: IntColumn, seen: Mask) -> IntColumn:
    """int32[r]: those of `keys` not in `seen` (bool[n]), each once, in ascending order; they are marked there."""
    found = keys[~seen[keys]]
    if len(found) < len(seen) // _FEW:
        found = np.unique(found)
        seen[found] = True
        return found
    before = seen.copy()
    seen[found] = True
    return np.flatnonzero(seen != before).astype(np.int32)
