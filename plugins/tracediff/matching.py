"""Slow work: the best match of each call, and the groups of matches (TD-1, TD-2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_CALL,
    NO_GROUP,
    CallMatches,
    CallTree,
    Likeness,
    MatchGroups,
    Need,
    NeedProgress,
    ViewContext,
    call_tree,
    grouped,
    inner_groups,
    likeness,
    matches_above,
)

from .pair import Chosen, Source, source_of
from .state import LOWER, UPPER

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_MOST_OPENED = 24  # groups one within the other
MOST_OF_ALL = 20_000  # matches above tau of what is seen; more of them say nothing that a picture can show


class Trees(Protocol):
    """What is compared, as two trees."""

    @property
    def trees(self) -> tuple[CallTree, CallTree]:
        """That of A and that of B."""


class Compared:
    """Two threads and how they are alike. No dataclass: the memo would count what belongs to the traces.

    begin   of each side: ns from the start of its trace to that of the thread's root
    length  ns that the root of each takes
    early   whether only the longest calls were compared so far
    """

    def __init__(self, source: Source, pair: tuple[Chosen, Chosen], found: Likeness, *, early: bool = False) -> None:
        self.source, self.pair, self.found, self.early = source, pair, found, early
        self.trees = (found.reference, found.test)
        self.begin = tuple(
            float(trace.calls.start[trace.threads.ptr[chosen.thread]] - trace.span[0])
            for trace, chosen in zip((source.upper, source.lower), pair, strict=True)
        )
        self.length = tuple(max(float(tree.end[0]), 1.0) for tree in self.trees)
        self._shares = self._share()

    def best(self, side: int) -> Ints:
        """int64[n]: the best match of each row of a side's tree, -1 = none."""
        return self.found.best_of_reference if side == UPPER else self.found.best_of_test

    def similarity(self, side: int) -> Floats:
        """float64[n]: how alike it is."""
        return self.found.reference_similarity if side == UPPER else self.found.test_similarity

    def shares(self) -> bool:
        """Whether the two threads have a function in common, however unlike their calls are."""
        return self._shares

    def _share(self) -> bool:
        one, other = (np.unique(tree.function[int(tree.virtual) :]) for tree in self.trees)
        return len(np.intersect1d(one, other, assume_unique=True)) > 0


@dataclass(frozen=True, eq=False)
class Known:
    """k matches in groups, the strongest first.

    rows      int64[k, 2]  rows of the two trees
    similarity  float64[k]
    group     int64[k]     `NO_GROUP` = the match of the two roots
    root      int64[g]     the match that opened each group
    orders    of each side: the matches by rows of its tree
    """

    rows: Ints
    similarity: Floats
    group: Ints
    root: Ints
    orders: tuple[Ints, Ints]

    def __len__(self) -> int:
        return len(self.rows)

    def of_row(self, side: int, row: int) -> Ints:
        """The matches of one row, the strongest first."""
        return self.below(side, row, row + 1)

    def below(self, side: int, row: int, end_row: int) -> Ints:
        """The matches of rows from `row` to `end_row`, the strongest first."""
        order = self.orders[side]
        low, high = np.searchsorted(self.rows[order, side], (row, end_row))
        return np.sort(order[low:high])


def compare(source: Source, pair: tuple[Chosen, Chosen], *, progress: NeedProgress) -> Compared:
    """Find the best match of each call of two threads."""
    progress("Comparing calls", 0, 0)
    ids = source.common.count
    one = call_tree(source.upper, pair[UPPER].thread, source.common.of_reference, ids)
    other = one if source.upper is source.lower and pair[UPPER] == pair[LOWER] else None
    if other is None:
        other = call_tree(source.lower, pair[LOWER].thread, source.common.of_test, ids)
    return Compared(
        source,
        pair,
        likeness(one, other, progress=progress, first=lambda found: _hand_over(source, pair, found, progress)),
    )


def _hand_over(source: Source, pair: tuple[Chosen, Chosen], found: Likeness, progress: NeedProgress) -> None:
    """Show what the longest calls match."""
    progress.first(Compared(source, pair, found, early=True))


def group(
    compared: Compared, tau: float, dropped: tuple[tuple[int, int], ...], phases: bool, *, progress: NeedProgress
) -> Known:
    """Put the mutually best matches together."""
    progress("Grouping matches", 0, 0)
    return known_of(compared, compared.found.mutual(tau), dropped, phases)


def known_of(
    compared: Trees,
    matches: CallMatches,
    dropped: tuple[tuple[int, int], ...],
    phases: bool,
    first: npt.NDArray[np.bool_] | None = None,
) -> Known:
    """Groups of matches, in the order of their strength; dropped groups show their inner groups.

    dropped  rows of the traces of root matches
    phases   a group that holds more than half of all matches shows its inner groups, too: programs begin by calls that
             hold all others
    first    bool[k]: matches that come before all others; None = none does
    """
    one, other = compared.trees
    groups = grouped(matches, one, other)
    for call, partner in dropped:
        root = (one.row(call), other.row(partner))
        which = np.flatnonzero((matches.reference[groups.root] == root[0]) & (matches.test[groups.root] == root[1]))
        groups = _without(groups, int(which[0]), matches, compared) if len(which) else groups
    for _ in range(_MOST_OPENED if phases else 0):
        sizes = groups.sizes
        if not len(sizes) or 2 * sizes.max() <= len(matches) or sizes.max() == 1:  # without its root one is empty
            break
        groups = _without(groups, int(np.argmax(sizes)), matches, compared)
    is_root = np.zeros(len(matches), np.bool_)
    is_root[groups.root] = True
    long = np.minimum(_durations(compared, UPPER, matches.reference), _durations(compared, LOWER, matches.test))
    late = np.zeros(len(matches), np.bool_) if first is None else ~first
    order = np.lexsort((np.arange(len(matches)), -long, -matches.similarity, ~is_root, late))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    rows = np.stack((matches.reference[order], matches.test[order]), axis=1).astype(np.int64)
    orders = (np.argsort(rows[:, 0], kind="stable"), np.argsort(rows[:, 1], kind="stable"))
    return Known(rows, matches.similarity[order], groups.of_match[order], place[groups.root], orders)


def _durations(compared: Trees, side: int, rows: Ints) -> Ints:
    tree = compared.trees[side]
    return tree.end[rows] - tree.start[rows]


def _without(groups: MatchGroups, gone: int, matches: CallMatches, compared: Trees) -> MatchGroups:
    """The groups where one is replaced by its inner groups."""
    inner = inner_groups(groups, gone, matches, *compared.trees)
    of_match = groups.of_match.copy()
    of_match[of_match > gone] -= 1
    members = groups.of_match == gone
    of_match[members] = np.where(inner.of_match[members] >= 0, inner.of_match[members] + len(groups) - 1, NO_GROUP)
    return MatchGroups(of_match, np.concatenate((np.delete(groups.root, gone), inner.root)))


def match_needs(
    context: ViewContext, pair: tuple[Chosen, Chosen], grouping: Callable[[Compared], tuple[Need, ...]]
) -> tuple[Need, ...]:
    """What is made on another thread. grouping: what is needed once both threads are compared."""
    source = source_of(context, pair)
    needs = [Need("compared", "comparing calls", compare, (source, pair))]
    compared: Compared | None = context.found.get("compared")
    if compared is not None and compared.source is source and compared.pair == pair:
        needs += grouping(compared)
    return tuple(needs)


def tau_needs(context: ViewContext, dropped: tuple[tuple[int, int], ...]) -> Callable[[Compared], tuple[Need, ...]]:
    """The groups of mutually best matches."""
    return lambda compared: (
        Need("known", "grouping matches", group, (compared, tau_in(context), dropped, phases_in(context))),
    )


def phases_in(context: ViewContext) -> bool:
    """Whether groups that hold most are opened."""
    return bool(context.values["phases"])


def tau_in(context: ViewContext) -> float:
    """The least similarity of a match, which it must exceed."""
    return round(float(context.values["tau"]), 4)


def compared_in(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Compared | None:
    """How the two threads are alike; None while that is found out."""
    found: Compared | None = context.found.get("compared")
    return found if found is not None and found.pair == pair and found.source is source_of(context, pair) else None


def known_in(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Known | None:
    """The mutually best matches in groups; None while they are made."""
    found: Known | None = context.found.get("known")
    return found if compared_in(context, pair) is not None else None


def all_known(
    compared: Compared, tau: float, dropped: tuple[tuple[int, int], ...], phases: bool, upper: Ints, lower: Ints
) -> Known:
    """All matches above tau among some rows of both trees, in groups."""
    return known_of(compared, matches_above(compared.found, upper, lower, tau, MOST_OF_ALL), dropped, phases)


def call_of(compared: Compared, side: int, row: int) -> int:
    """The row of the trace that a row of a tree stands for; `NO_CALL` for a virtual root."""
    found = compared.trees[side].call(row)
    return found if found >= 0 else NO_CALL
