"""Matches put together: a group holds the matches below one match of two larger parts (TD-2).

Matches are taken breadth-first. The match of the two roots makes no group. A match belongs to the earliest group whose
root match contains it: its calls lie in the subtrees of the root match's calls, these included. If there is none, it
opens a group.

Source: Trümper, Döllner, Telea 2013, section III-C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.matches import CallMatches
from cbvtool.trace.compare.trees import CallTree
from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]

NO_GROUP = -1


@dataclass(frozen=True, eq=False)
class MatchGroups:
    """g groups of k matches.

    of_match  int64[k]  the group of each match; `NO_GROUP` = the match of the two roots, and what was left out
    root      int64[g]  the match that opened each group
    """

    of_match: Ints
    root: Ints

    def __len__(self) -> int:
        return len(self.root)

    @property
    def sizes(self) -> Ints:
        """int64[g]: how many matches each group holds."""
        return np.bincount(self.of_match[self.of_match >= 0], minlength=len(self))

    def members(self, group: int) -> Ints:
        """The matches of a group, its root match first."""
        return np.flatnonzero(self.of_match == group)


def grouped(matches: CallMatches, reference: CallTree, test: CallTree) -> MatchGroups:
    """The groups of matches that are in breadth-first order. About k times the groups nested around a match."""
    skipped = np.zeros(len(matches), np.bool_)
    return MatchGroups(*_grouped(matches.reference, matches.test, reference.parent, test.end_row, skipped, True))


def inner_groups(
    groups: MatchGroups, group: int, matches: CallMatches, reference: CallTree, test: CallTree
) -> MatchGroups:
    """The groups that the matches of a group make without its root match."""
    skipped = groups.of_match != group
    skipped[groups.root[group]] = True
    return MatchGroups(*_grouped(matches.reference, matches.test, reference.parent, test.end_row, skipped, False))


@kernel
def _grouped(
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    parent: npt.NDArray[np.int64],
    end_row: npt.NDArray[np.int64],
    skipped: npt.NDArray[np.bool_],
    without_roots: bool,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The group of each match, and the root match of each group.

    `above` is, by call of the reference, the lowest call at or above it that has opened a group; a caller comes before
    what it calls, so it is known when it is asked for.
    """
    k, n = len(left), len(parent)
    of_match = np.full(k, -1, np.int64)
    root = np.empty(k, np.int64)
    first_group = np.full(n, -1, np.int64)  # by call: the last group that it opened, others behind it
    next_group = np.full(k, -1, np.int64)
    above = np.full(n, -1, np.int64)
    known = np.zeros(n, np.bool_)
    path = np.empty(n, np.int64)
    count = 0
    for match in range(k):
        if skipped[match] or (without_roots and left[match] == 0 and right[match] == 0):
            continue
        call = left[match]
        steps = 0
        upper = call
        while upper >= 0 and not known[upper]:
            path[steps] = upper
            steps += 1
            upper = parent[upper]
        opened = above[upper] if upper >= 0 else -1
        while steps > 0:
            steps -= 1
            if first_group[path[steps]] >= 0:
                opened = path[steps]
            above[path[steps]] = opened
            known[path[steps]] = True
        earliest = -1
        place = above[call]
        while place >= 0:
            group = first_group[place]
            while group >= 0:
                begin = right[root[group]]
                if begin <= right[match] < end_row[begin] and (earliest < 0 or group < earliest):
                    earliest = group
                group = next_group[group]
            place = above[parent[place]] if parent[place] >= 0 else -1
        if earliest < 0:
            earliest = count
            root[count] = match
            next_group[count] = first_group[call]
            first_group[call] = count
            above[call] = call
            count += 1
        of_match[match] = earliest
    return of_match, root[:count].copy()
