"""Calls aligned one to one: what became of each, in colours, words and steps from one change to the next (TD-11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    AlignedCalls,
    CallChange,
    CallTree,
    Need,
    NeedProgress,
    Theme,
    ViewContext,
    aligned_calls,
    function_title,
)

from .arranging import Plane
from .matching import Compared, Known, known_of, phases_in
from .pair import Chosen
from .palette import Colors, mixed
from .state import LOWER, UPPER

Ints = npt.NDArray[np.int64]
QUIET = 0.72  # of the way to the ground: bars of calls that are as they were

# Blue, orange, yellow and purple of Okabe and Ito 2008: told apart without red or green.
COLORS = {
    CallChange.REMOVED: (213, 94, 0, 255),
    CallChange.UNWRAPPED: (230, 159, 0, 255),
    CallChange.INSERTED: (0, 114, 178, 255),
    CallChange.WRAPPED: (86, 180, 233, 255),
    CallChange.MOVED: (204, 121, 167, 255),
    CallChange.RENAMED: (240, 228, 66, 255),
}
WORDS = {
    CallChange.REMOVED: "removed",
    CallChange.UNWRAPPED: "taken out",
    CallChange.INSERTED: "inserted",
    CallChange.WRAPPED: "put around",
    CallChange.MOVED: "moved",
    CallChange.RENAMED: "renamed",
}
_SENTENCES = {
    CallChange.REMOVED: "Removed: B has no such call here",
    CallChange.UNWRAPPED: "Taken out: B makes its calls without it",
    CallChange.INSERTED: "Inserted: A has no such call here",
    CallChange.WRAPPED: "Put around calls that A makes without it",
    CallChange.MOVED: "Moved: {other} makes it at another place",
    CallChange.RENAMED: "Renamed: {name} in {other}",
}


@dataclass(frozen=True, eq=False)
class Changes:
    """What became of the calls of both sides. changed: of each side the rows of the outermost changed calls."""

    compared: Compared
    aligned: AlignedCalls
    changed: tuple[Ints, Ints]

    def kinds(self, side: int) -> npt.NDArray[np.uint8]:
        """uint8[n]: a `CallChange` for each row of a side's tree."""
        return self.aligned.reference if side == UPPER else self.aligned.test

    @property
    def occurring(self) -> tuple[CallChange, ...]:
        """The changes that there are, in the order of the legend."""
        there = set(np.unique(self.aligned.reference).tolist()) | set(np.unique(self.aligned.test).tolist())
        return tuple(each for each in COLORS if int(each) in there)

    def partner(self, side: int, row: int) -> int:
        """The row of the other tree that a row is paired with, -1 = none."""
        return int((self.aligned.partner_of_reference if side == UPPER else self.aligned.partner_of_test)[row])


def find_changes(compared: Compared, *, progress: NeedProgress) -> Changes:
    """Align both threads."""
    found = aligned_calls(compared.found, progress)
    outer = []
    for tree, kinds in zip(compared.trees, (found.reference, found.test), strict=True):
        above = np.where(tree.parent >= 0, kinds[tree.parent], 0)
        outer.append(np.flatnonzero((kinds != CallChange.UNCHANGED) & (kinds != above)))
    return Changes(compared, found, (outer[UPPER], outer[LOWER]))


def group_aligned(
    changes: Changes, dropped: tuple[tuple[int, int], ...], phases: bool, *, progress: NeedProgress
) -> Known:
    """Put the pairs together, as matches of other sorts are."""
    progress("Grouping matches", 0, 0)
    return known_of(changes.compared, changes.aligned.matches, dropped, phases)


def change_need(compared: Compared) -> Need:
    """What became of the calls."""
    return Need("changes", "aligning calls", find_changes, (compared,))


def aligned_needs(context: ViewContext, dropped: tuple[tuple[int, int], ...]) -> Callable[[Compared], tuple[Need, ...]]:
    """What became of the calls, then the groups of their pairs."""

    def needs(compared: Compared) -> tuple[Need, ...]:
        found = (change_need(compared),)
        changes: Changes | None = context.found.get("changes")
        if changes is None or changes.compared is not compared:
            return found
        return *found, Need("known", "grouping matches", group_aligned, (changes, dropped, phases_in(context)))

    return needs


def is_aligned(context: ViewContext) -> bool:
    """Whether the mode asks for pairs one to one."""
    return bool(context.values["mode"] == "aligned")


def changes_in(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Changes | None:
    """What became of the calls; None while it is found out, and in other modes."""
    found: Changes | None = context.found.get("changes")
    fits = found is not None and found.compared is context.found.get("compared") and found.compared.pair == pair
    return found if fits and is_aligned(context) else None


def change_colors(changes: Changes, plane: Plane, side: int, colors: Colors, theme: Theme) -> Colors:
    """uint8[b, 4]: bars of changed calls in the colour of their change, others quiet; see `kind_colors`.

    colors  uint8[b, 4]: of the functions
    """
    quiet = mixed(colors, theme.ground, np.full(len(colors), QUIET))
    return kind_colors(changes.compared.trees[side], changes.kinds(side), plane, quiet)


def kind_colors(tree: CallTree, kinds: npt.NDArray[np.uint8], plane: Plane, quiet: Colors) -> Colors:
    """uint8[b, 4]: bars in the colour of what became of their rows.

    A bar that stands for several rows has the colour of what most of the changed ones in it are.

    kinds  uint8[n]: a `CallChange` for each row of the tree; quiet: uint8[b, 4], of bars in which nothing changed
    """
    bars = plane.bars
    row = bars.row - tree.first
    end = np.where(bars.count > 1, tree.end_row[bars.last - tree.first], row + 1)
    most = np.zeros(len(row), np.int64)
    kind = np.zeros(len(row), np.int64)
    for each in COLORS:
        sums = np.concatenate(([0], np.cumsum(kinds == each)))
        count = sums[end] - sums[row]
        more = count > most
        most[more], kind[more] = count[more], int(each)
    found = quiet.copy()
    for each, color in COLORS.items():
        found[kind == each] = color
    return found


def told(changes: Changes, side: int, row: int) -> str:
    """What became of one call."""
    change = CallChange(int(changes.kinds(side)[row]))
    other = LOWER if side == UPPER else UPPER
    name, partner = "", changes.partner(side, row)
    if partner >= 0:
        trace = (changes.compared.source.upper, changes.compared.source.lower)[other]
        call = changes.compared.trees[other].call(partner)
        name = function_title(trace.functions, int(trace.calls.function[call])) if call >= 0 else ""
    sentence = _SENTENCES.get(change, "As it was, at the same place in {other}")
    return sentence.format(other="AB"[other], name=name)


def change_counts(changes: Changes) -> dict[CallChange, int]:
    """How many calls changed, by what became of them: the outermost of those that came or went together."""
    both = (changes.aligned.reference, UPPER), (changes.aligned.test, LOWER)
    outer = np.concatenate([kinds[changes.changed[side]] for kinds, side in both])
    count = np.bincount(outer, minlength=len(CallChange))
    for each in (CallChange.MOVED, CallChange.RENAMED):  # both sides have them
        count[each] = int((changes.aligned.reference == each).sum())
    return {each: int(count[each]) for each in WORDS if count[each]}


def summary(changes: Changes) -> str:
    """The same in words."""
    return ", ".join(f"{count:,} {WORDS[each]}" for each, count in change_counts(changes).items()) or "no call changed"


def next_change(changes: Changes, side: int, call: int, forward: bool) -> tuple[int, int] | None:
    """(side, call of the trace) of the next changed call by time since the roots began; of B where A has none."""
    places = [
        (int(changes.compared.trees[each].start[row]), each, changes.compared.trees[each].first + row)
        for each in (UPPER, LOWER)
        for row in changes.changed[each].tolist()
    ]
    if not places:
        return None
    places.sort()
    row = call - changes.compared.trees[side].first if call >= 0 else -1
    here = (int(changes.compared.trees[side].start[row]), side, call) if row >= 0 else None
    if here is None:
        found = places[0 if forward else -1]
    elif forward:
        found = next((each for each in places if each > here), places[0])
    else:
        found = next((each for each in reversed(places) if each < here), places[-1])
    return found[1], found[2]
