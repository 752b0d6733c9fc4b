"""Change coupling: which things change together, and how much more often than by chance (NEW-12)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.history.change_sets import ChangeSets, IntColumn, Mask, Rows

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Couplings:
    """q pairs of things (paths, modules) that changed together in at least one change set.

    first, second  int32[q]  numbers of the things, first < second; ascending
    both           int32[q]  number of change sets with both
    times          int64[t]  number of change sets with each thing
    sets           number of all change sets
    """

    first: IntColumn
    second: IntColumn
    both: IntColumn
    times: Rows
    sets: int

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def support(self) -> Shares:
        """float64[q]: share of all change sets that have both."""
        return self.both / max(1, self.sets)

    @cached_property
    def confidence(self) -> Shares:
        """float64[q]: share of the change sets with the first that have the second, too."""
        return self.both / self.times[self.first]

    @cached_property
    def back(self) -> Shares:
        """float64[q]: share of the change sets with the second that have the first, too."""
        return self.both / self.times[self.second]

    @cached_property
    def lift(self) -> Shares:
        """float64[q]: ratio of joint changes to the number expected if both changed independently; symmetric."""
        return self.confidence / (self.times[self.second] / max(1, self.sets))

    @cached_property
    def degree(self) -> Shares:
        """float64[q]: sets with both, divided by the mean of the sets with each (A. Tornhill's code-maat); 0 to 1."""
        return 2.0 * self.both / (self.times[self.first] + self.times[self.second])

    @cached_property
    def strength(self) -> Shares:
        """float64[q]: score by which pairs are ranked: joint sets times `degree`.

        High for things that change often together, seldom apart.
        """
        return self.both * self.degree

    def take(self, rows: Rows | Mask) -> Couplings:
        """Only these pairs."""
        return Couplings(self.first[rows], self.second[rows], self.both[rows], self.times, self.sets)

    def ranked(self) -> Couplings:
        """The pairs sorted by strength, strongest first; among equals, lower numbers first."""
        return self.take(np.lexsort((self.second, self.first, -self.strength)))

    def head(self, count: int) -> Couplings:
        """The first `count` pairs."""
        return self.take(np.arange(min(count, len(self))))

    def of(self, thing: Mask) -> Couplings:
        """The pairs with exactly one thing in the mask, bool[t]."""
        return self.take(thing[self.first] != thing[self.second])


def couplings(sets: ChangeSets, thing: IntColumn, count: int) -> Couplings:
    """Which of `count` things changed together.

    thing   int32[p]  number of the thing of each path; -1 = none

    A thing counts once in a set, however many of its paths are in it. O(r log r + pairs) for r paths in sets; a set of
    k things has k (k - 1) / 2 pairs, and k is limited by the choice with which the sets were made.
    """
    width = max(1, count)
    found = thing[sets.path].astype(np.int64) if len(sets.path) else np.empty(0, np.int64)
    known = found >= 0
    codes = sets.member[known].astype(np.int64) * width + found[known]
    # Paths ascend within a set. If each file is a thing, the codes are sorted already.
    codes = codes if bool((codes[1:] > codes[:-1]).all()) else np.unique(codes)
    owner, things = codes // width, codes % width
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)])
    sizes = np.diff(np.append(starts, len(owner)))
    pairs = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        together = things[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        pairs.append((together[:, one] * width + together[:, other]).ravel())
    code, both = np.unique(np.concatenate(pairs) if pairs else np.empty(0, np.int64), return_counts=True)
    return Couplings(
        (code // width).astype(np.int32),
        (code % width).astype(np.int32),
        both.astype(np.int32),
        np.bincount(things, minlength=count),
        sets.count,
    )


def file_couplings(sets: ChangeSets, count: int) -> Couplings:
    """Which of `count` paths changed together."""
    return couplings(sets, np.arange(count, dtype=np.int32), count)


def sets_with(sets: ChangeSets, thing: IntColumn, one: int, other: int) -> Rows:
    """The change sets that have both things, ascending."""
    found = thing[sets.path]
    return np.intersect1d(sets.member[found == one], sets.member[found == other]).astype(np.int64)
