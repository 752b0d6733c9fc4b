"""The union of two call trees by calling context, with what each of the two spends there (TD-11).

A call path of either thread is one node. Paired calls share a node, at the place of B's, so that what B puts around
calls, moves or renames does not look like a loss here and a gain there. A function counts as renamed where A alone has
the old one and B alone the new one; else each keeps its own node. Without pairs nodes are call paths alone; their
times are then those of Gregg's difffolded.pl.

Source: Gregg 2014, "Differential Flame Graphs"; the alignment of `alignment/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, checkpoint, silent
from cbvtool.trace.compare.aligned import AlignedCalls
from cbvtool.trace.compare.alignment.kinds import CallChange
from cbvtool.trace.compare.trees import CallTree
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.call_tree import outermost, preorder

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.uint8]
NOWHERE = -1  # no row


@dataclass(frozen=True, eq=False)
class UnionTree:
    """n calling contexts in preorder, siblings that take most first; row 0 is a root over all, and no call.

    parent    int64[n]     row of the caller's context; of row 0 `NOWHERE`
    end_row   int32[n]     the row after the last context below
    function  int64[2, n]  common id of the function in A and in B, which differ where it was renamed; of row 0 -1
    kind      uint8[n]     a `CallChange` of the context: of A alone, of B alone, or what became of it
    calls     int64[2, n]  how many calls A and B make there
    own       int64[2, n]  ns without what these call
    total     int64[2, n]  ns with it
    longest   int64[2, n]  row of the longest of these calls in the tree of A and of B, `NOWHERE` = there is none
    of        for A and B the context of each row of the tree
    """

    parent: Ints
    end_row: npt.NDArray[np.int32]
    function: Ints
    kind: Kinds
    calls: Ints
    own: Ints
    total: Ints
    longest: Ints
    of: tuple[Ints, Ints]

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def depth(self) -> Ints:
        """int64[n]: how deep below row 0 each context lies."""
        return _depths(self.parent)

    def above(self, row: int) -> list[int]:
        """A context and those of its callers, the outermost first; without row 0."""
        found = []
        while row > 0:
            found.append(row)
            row = int(self.parent[row])
        return found[::-1]


@dataclass(frozen=True, eq=False)
class FunctionChanges:
    """f functions and what A and B spend in them.

    function  int64[f]     common id, B's where it was renamed
    calls, own  int64[2, f]
    total     int64[2, f]  ns with what they call, recursion counted once
    place     int64[f]     the context in which time without what is called differs most
    """

    function: Ints
    calls: Ints
    own: Ints
    total: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.function)


def union_tree(
    one: CallTree,
    other: CallTree,
    aligned: AlignedCalls | None = None,
    times: tuple[Ints, Ints] | None = None,
    progress: Progress = silent,
) -> UnionTree:
    """The union of the trees of A and B, whose functions have common ids. Linear but for sorting siblings.

    aligned  which call is which; None = calls of one path, whatever their number
    times    ns that each row of both trees takes; None = by the clock. May raise Cancelled
    """
    progress("Uniting call paths", 0, 3)
    trees = (one, other)
    nobody = [np.full(len(tree), NOWHERE, np.int64) for tree in trees]
    partners = nobody if aligned is None else [aligned.partner_of_reference, aligned.partner_of_test]
    slots = 1 << int(2 * (len(one) + len(other) + 1)).bit_length()
    size = 1 + max(int(tree.function.max(initial=0)) for tree in trees)
    called, called_b = (np.bincount(tree.function, minlength=size) > 0 for tree in trees)
    of_one, of_other, parent, first, second = _contexts(
        one.function,
        one.parent,
        one.virtual,
        other.function,
        other.parent,
        other.virtual,
        partners[0],
        called,
        called_b,
        slots,
    )
    checkpoint()
    progress("Uniting call paths", 1, 3)
    n = len(parent)
    of = (of_one, of_other)
    taken = times or (one.end - one.start, other.end - other.start)
    calls, own, total, longest = (np.zeros((2, n), np.int64) for _ in range(4))
    for side, tree in enumerate(trees):
        real = slice(int(tree.virtual), None)
        calls[side], own[side], total[side], longest[side] = _sums(
            of[side][real], tree.parent[real], taken[side], n, tree.virtual
        )
    total[:, 0] = [total[side, parent == 0].sum() for side in (0, 1)]
    kind = _kinds(trees, of, partners, aligned, calls, first != second)
    progress("Uniting call paths", 2, 3)
    order = _heaviest_first(parent, np.maximum(own, 0).max(axis=0))
    row = np.empty(n, np.int64)
    row[order] = np.arange(n)
    placed, end_row = preorder(np.where(parent[order] >= 0, row[parent[order]], NOWHERE))
    place = placed[row]  # of each context its row in preorder
    back = np.empty(n, np.int64)
    back[place] = np.arange(n)
    above = parent[back]
    return UnionTree(
        np.where(above >= 0, place[above], NOWHERE),
        end_row,
        np.stack((first, second))[:, back],
        kind[back],
        calls[:, back],
        own[:, back],
        total[:, back],
        longest[:, back],
        (place[of_one], place[of_other]),
    )


def function_changes(union: UnionTree) -> FunctionChanges:
    """What the contexts of each function take together."""
    group = np.where(union.calls[1] > 0, union.function[1], union.function[0])
    group[:1] = NOWHERE
    f = int(group.max(initial=NOWHERE)) + 1
    outer, there = outermost(group, union.end_row), group >= 0
    calls, own, total = np.zeros((2, f), np.int64), np.zeros((2, f), np.int64), np.zeros((2, f), np.int64)
    for side in (0, 1):
        np.add.at(calls[side], group[there], union.calls[side][there])
        np.add.at(own[side], group[there], union.own[side][there])
        np.add.at(total[side], group[outer], union.total[side][outer])
    change = np.abs(union.own[1] - union.own[0])
    order = np.lexsort((np.arange(len(union)), -change, group))
    order = order[group[order] >= 0]
    function, at = np.unique(group[order], return_index=True)
    return FunctionChanges(function, calls[:, function], own[:, function], total[:, function], order[at])


def union_widths(own: npt.NDArray[np.float64], parent: Ints) -> npt.NDArray[np.float64]:
    """float64[n]: the larger of both own times of each context, and of all below it: nothing that vanished is lost.

    own  float64[2, n]
    """
    wide: npt.NDArray[np.float64] = np.maximum(own, 0.0).max(axis=0)
    _add_up(wide, parent)
    return wide


def _heaviest_first(parent: Ints, own: Ints) -> Ints:
    """The contexts, each after its parent, siblings by `union_widths`."""
    wide = own.astype(np.float64)
    _add_up(wide, parent)
    depth = _depths(parent)
    order: Ints = np.lexsort((np.arange(len(parent)), -wide, depth))
    return order


def _kinds(
    trees: tuple[CallTree, CallTree],
    of: tuple[Ints, Ints],
    partners: list[Ints],
    aligned: AlignedCalls | None,
    calls: Ints,
    renamed: npt.NDArray[np.bool_],
) -> Kinds:
    """uint8[n]: a `CallChange` of each context."""
    n = calls.shape[1]
    kind = np.zeros(n, np.uint8)
    layers, from_elsewhere = np.zeros((2, n), np.int64), np.zeros(n, np.int64)
    if aligned is not None:
        for side, (kinds, layer) in enumerate(
            ((aligned.reference, CallChange.UNWRAPPED), (aligned.test, CallChange.WRAPPED))
        ):
            layers[side] = np.bincount(of[side][kinds == layer], minlength=n)
        rows = np.flatnonzero((aligned.reference == CallChange.MOVED) & (partners[0] >= 0))
        callers = trees[0].parent[rows], trees[1].parent[partners[0][rows]]
        here, contexts = (np.where(rows >= 0, of[side][rows], 0) for side, rows in enumerate(callers))
        moved = rows[here != contexts]  # the others changed places among their siblings
        from_elsewhere = np.bincount(of[0][moved], minlength=n)
    both = (calls[0] > 0) & (calls[1] > 0)
    kind[both & (from_elsewhere == calls[0])] = CallChange.MOVED
    kind[both & renamed] = CallChange.RENAMED
    for side, (alone, layer) in enumerate(
        ((CallChange.REMOVED, CallChange.UNWRAPPED), (CallChange.INSERTED, CallChange.WRAPPED))
    ):
        only = (calls[side] > 0) & (calls[1 - side] == 0)
        kind[only] = np.where(2 * layers[side][only] >= calls[side][only], int(layer), int(alone))
    kind[0] = CallChange.UNCHANGED
    return kind


@kernel
def _contexts(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    function: Ints,
    parent: Ints,
    virtual: bool,
    function_b: Ints,
    parent_b: Ints,
    virtual_b: bool,
    partner: Ints,
    called: npt.NDArray[np.bool_],
    called_b: npt.NDArray[np.bool_],
    slots: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """(context of each row of A, of B; parent of each context, which stands before it; its function in A, in B).

    called, called_b  whether A and B call each function
    slots  a power of two, more than twice the number of rows
    """
    of_a, of_b = np.full(len(function), -1, np.int64), np.full(len(function_b), -1, np.int64)
    most = len(function) + len(function_b) + 1
    above, first, second = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    above[0] = first[0] = second[0] = -1
    count = 1
    table = np.full(slots, -1, np.int64)
    back = np.full(len(function_b), -1, np.int64)
    for row in range(len(function)):
        if partner[row] >= 0:
            back[partner[row]] = row
    for side in (1, 0):
        for row in range(len(function_b) if side else len(function)):
            if side:
                if virtual_b and row == 0:
                    of_b[0] = 0
                    continue
                around = of_b[parent_b[row]] if parent_b[row] >= 0 else 0
                f = g = function_b[row]
                other = back[row]
                if other >= 0 and virtual and other == 0:
                    other = -1
                if other >= 0 and function[other] != g and (called_b[function[other]] or called[g]):
                    other = -1
                if other >= 0:
                    f = function[other]
            else:
                if virtual and row == 0:
                    of_a[0] = 0
                    continue
                if of_a[row] >= 0:
                    continue
                other = -1
                around = of_a[parent[row]] if parent[row] >= 0 else 0
                f = g = function[row]
            slot = ((around * 1_000_003) ^ (f * 86_243) ^ (g * 7_919)) & 0x7FFFFFFFFFFF
            slot = (slot ^ (slot >> 15)) & (slots - 1)
            while table[slot] >= 0:
                node = table[slot]
                if above[node] == around and first[node] == f and second[node] == g:
                    break
                slot = (slot + 1) & (slots - 1)
            if table[slot] < 0:
                table[slot] = count
                above[count], first[count], second[count] = around, f, g
                count += 1
            if side:
                of_b[row] = table[slot]
                if other >= 0:
                    of_a[other] = table[slot]
            else:
                of_a[row] = table[slot]
    return of_a, of_b, above[:count].copy(), first[:count].copy(), second[:count].copy()


@kernel
def _sums(of: Ints, parent: Ints, taken: Ints, n: int, virtual: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Calls, own time, total time, row of the longest call of each of n contexts.

    of, parent  of the rows that are calls; `parent` and what is returned count the virtual root, `taken` has it, too
    """
    calls, own, total = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    longest = np.full(n, -1, np.int64)
    shift = 1 if virtual else 0
    for place in range(len(of)):
        row, context = place + shift, of[place]
        time = taken[row]
        calls[context] += 1
        own[context] += time
        total[context] += time
        around = parent[place] - shift
        if around >= 0:
            own[of[around]] -= time
        if longest[context] < 0 or taken[longest[context]] < time:
            longest[context] = row
    return calls, own, total, longest


@kernel
def _add_up(wide: npt.NDArray[np.float64], parent: Ints) -> None:
    """Add each value to that of its parent, which stands before it."""
    for row in range(len(parent) - 1, 0, -1):
        wide[parent[row]] += wide[row]


@kernel
def _depths(parent: Ints) -> Ints:
    """int64[n]: 0 = the root."""
    depth = np.zeros(len(parent), np.int64)
    for row in range(1, len(parent)):
        depth[row] = depth[parent[row]] + 1
    return depth
