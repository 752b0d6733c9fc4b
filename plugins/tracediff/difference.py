"""Slow work: both threads as one tree of call paths, and what was changed in their code (TD-11, TD-14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    CallChange,
    ChangedCode,
    FunctionChanges,
    Need,
    NeedProgress,
    Trace,
    UnionTree,
    ViewContext,
    changed_rows,
    function_changes,
    function_title,
    kernel,
    union_tree,
    union_widths,
)

from .changes import Changes, change_need
from .identity import ReadCode, code_in
from .matching import Compared, call_of, compared_in
from .pair import Chosen
from .state import LOWER, UPPER

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
OWN, CALLER, UNCHANGED = range(3)  # causes: its own code was changed, that of a caller, none on its call path


@dataclass(frozen=True, eq=False)
class Difference:
    """What two threads spend in the same call paths.

    functions  of both, added up
    names      of the functions by their common ids, as B has them where it does
    clock      "by the clock", or "of the processor"
    """

    changes: Changes
    union: UnionTree
    functions: FunctionChanges
    names: tuple[str, ...]
    clock: str

    @property
    def compared(self) -> Compared:
        """The two threads."""
        return self.changes.compared

    def name(self, row: int, side: int = LOWER) -> str:
        """The function of a context."""
        number = int(self.union.function[side, row])
        return self.names[number] if number >= 0 else "all calls"

    def place(self, row: int) -> tuple[int, int] | None:
        """(side, row of the trace) of the longest call of a context, of B where it makes one; None = of no call."""
        for side in (LOWER, UPPER):
            found = int(self.union.longest[side, row])
            if found >= 0 and (call := call_of(self.compared, side, found)) >= 0:
                return side, call
        return None

    def context_of(self, side: int, call: int) -> int:
        """The context of a call of a trace."""
        return int(self.union.of[side][self.compared.trees[side].row(call)])


@dataclass(frozen=True, eq=False)
class Amounts:
    """ns of n contexts, A's scaled to the length of B on demand.

    own, total  float64[2, n]
    wide        float64[n]  the larger of both, and of all below
    factor      by which the times of A were multiplied
    """

    own: Floats
    total: Floats
    wide: Floats
    factor: float


@dataclass(frozen=True, eq=False)
class Causes:
    """Why contexts may differ (TD-14).

    of       whose contexts these are
    kind     uint8[n]  `OWN`, `CALLER`, `UNCHANGED`
    changed  int64[n]  place in `code` of the function that was changed, -1 = none
    """

    of: Difference
    kind: npt.NDArray[np.uint8]
    changed: Ints
    code: tuple[ChangedCode, ...]
    commits: tuple[str, str]
    dirty: tuple[bool, bool]


def find_difference(changes: Changes, *, progress: NeedProgress) -> Difference:
    """Unite the call paths of both threads."""
    compared = changes.compared
    times = _processor_times(compared)
    union = union_tree(*compared.trees, changes.aligned, times, progress)
    clock = "by the clock" if times is None else "of the processor"
    return Difference(changes, union, function_changes(union), _names(compared), clock)


def _names(compared: Compared) -> tuple[str, ...]:
    source = compared.source
    found = [""] * (source.common.count + 1)
    for side, trace in ((UPPER, source.upper), (LOWER, source.lower)):
        for row, number in enumerate(source.common_of(side).tolist()):
            found[number] = function_title(trace.functions, row)
    return tuple(found)


def _processor_times(compared: Compared) -> tuple[Ints, Ints] | None:
    """ns of the processor that each row of both trees takes; None where a call of either was not measured so."""
    found = []
    for trace, tree in zip((compared.source.upper, compared.source.lower), compared.trees, strict=True):
        if trace.calls.cpu is None:
            return None
        low = tree.first + int(tree.virtual)
        taken = trace.calls.cpu[low : tree.first + len(tree)].astype(np.int64)
        if (taken < 0).any():
            return None
        found.append(np.concatenate((np.zeros(int(tree.virtual), np.int64), taken)))
    return found[0], found[1]


def amounts(difference: Difference, normal: bool) -> Amounts:
    """Times of both. normal: those of A are scaled so that both threads take as long."""
    union = difference.union
    whole = union.total[:, 0].astype(np.float64)
    factor = float(whole[LOWER] / whole[UPPER]) if normal and whole.min() > 0 else 1.0
    scale = np.array([[factor], [1.0]])
    own = union.own * scale
    return Amounts(own, union.total * scale, union_widths(own, union.parent), factor)


def find_causes(difference: Difference, code: ReadCode, *, progress: NeedProgress) -> Causes | str:
    """What was changed in the code of each context, or above it; the reason where that cannot be known."""
    progress("Looking for causes", 0, 0)
    source = difference.compared.source
    old, new = source.upper.header, source.lower.header
    found = code.changes
    if found is None:
        return code.reason
    function = np.full((2, source.common.count + 1), -1, np.int64)
    for side, trace in ((UPPER, source.upper), (LOWER, source.lower)):
        function[side, source.common_of(side)] = changed_rows(_rows(trace), found.functions)
    union = difference.union
    sides = [np.where(rows >= 0, function[side, rows], -1) for side, rows in enumerate(union.function)]
    own = np.where(sides[LOWER] >= 0, sides[LOWER], sides[UPPER])
    changed = nearest(own, union.parent)
    kind = np.where(own >= 0, OWN, np.where(changed >= 0, CALLER, UNCHANGED)).astype(np.uint8)
    return Causes(
        difference, kind, changed, found.functions, (old.commit, new.commit), (bool(old.dirty), bool(new.dirty))
    )


def _rows(trace: Trace) -> list[tuple[str, str, str, int]]:
    functions = trace.functions
    return list(zip(functions.name, functions.module, functions.file, functions.line.tolist(), strict=True))


@kernel
def nearest(own: Ints, parent: Ints) -> Ints:
    """int64[n]: the value of each context, or of the nearest one above that has one; -1 = none has."""
    found = own.copy()
    for row in range(1, len(own)):
        if found[row] < 0:
            found[row] = found[parent[row]]
    return found


def later_needs(context: ViewContext, pair: tuple[Chosen, Chosen]) -> tuple[Need, ...]:
    """What the first picture does not wait for: which call is which, both threads as one, then the causes."""
    compared = compared_in(context, pair)
    if compared is None or context.found.get("known") is None:
        return ()
    source = compared.source
    needs = [change_need(compared)]
    changes: Changes | None = context.found.get("changes")
    if changes is not None and changes.compared is compared:
        needs.append(Need("difference", "uniting call paths", find_difference, (changes,)))
        found: Difference | None = context.found.get("difference")
        code = code_in(context, source.upper, source.lower)
        if found is not None and found.changes is changes and code is not None:
            needs.append(Need("causes", "looking for causes", find_causes, (found, code)))
    return tuple(needs)


def difference_in(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Difference | None:
    """Both threads as one; None while that is made."""
    found: Difference | None = context.found.get("difference")
    fits = found is not None and found.compared is context.found.get("compared") and found.compared.pair == pair
    return found if fits else None


def causes_in(context: ViewContext, difference: Difference) -> Causes | str:
    """Why contexts differ; the reason where that is not known (yet)."""
    if context.code is None:
        return "Open the repository of the recordings to learn what was changed in the code."
    found: Causes | str | None = context.found.get("causes")
    stale = isinstance(found, Causes) and found.of is not difference
    return "Reading what was changed …" if found is None or stale else found


def amounts_in(context: ViewContext, difference: Difference) -> Amounts:
    """Times of both, scaled where that was asked for."""
    return context.memo(amounts, difference, bool(context.values["normal"]))


def kind_of(difference: Difference, row: int) -> CallChange:
    """What became of a context."""
    return CallChange(int(difference.union.kind[row]))


def hunk_words(code: ChangedCode) -> str:
    """Where the code was changed: `matching.py:412`."""
    return f"{code.hunk.file.rpartition('/')[2]}:{max(code.hunk.new, 1)}"


def cause_words(causes: Causes, row: int) -> str:
    """Why a context may differ, in a few words."""
    kind, place = int(causes.kind[row]), int(causes.changed[row])
    if kind == OWN:
        return f"own code, {hunk_words(causes.code[place])}"
    if kind == CALLER:
        return f"caller {causes.code[place].name.rpartition('.')[2]}, {hunk_words(causes.code[place])}"
    return "code unchanged"


def cause_sentence(causes: Causes, row: int) -> str:
    """The same as a sentence."""
    kind, place = int(causes.kind[row]), int(causes.changed[row])
    if kind == UNCHANGED:
        return "No code on its call path was changed between the commits"
    code = causes.code[place]
    where = f"{code.hunk.file}:{max(code.hunk.new, 1)}"
    return f"Its own code was changed, {where}" if kind == OWN else f"{code.name} above it was changed, {where}"
