"""Which call of one tree is most like which of another (TD-1, TD-2).

The best match of a call is the call of the other tree with the highest similarity of their function sets; among equally
alike ones that of the same function, then the one whose start, since its root's, is nearest, then the first
breadth-first.
Matches of two calls that are each other's best are the mutually best ones, of which groups are made. They are judged
over all calls, so that zooming never changes a pair.

Source: Trümper, Döllner, Telea 2013, section III-B.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.similarity import AT_ONCE, LEAST, AlikeSearch, MostAlike
from cbvtool.trace.compare.subtrees import FunctionSets, function_sets
from cbvtool.trace.compare.trees import CallTree, counted_order
from cbvtool.trace.kernels import as_here, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FIRST = 1_000  # calls of each tree that are compared before others
MANY_SETS = 20_000  # of both trees, from which on that is worth it


@dataclass(frozen=True, eq=False)
class CallMatches:
    """k pairs of calls, rows of two trees, with their similarity; breadth-first in the reference, then in the test."""

    reference: Ints
    test: Ints
    similarity: Floats

    def __len__(self) -> int:
        return len(self.reference)

    def above(self, tau: float) -> CallMatches:
        """Those with a similarity above tau."""
        kept = self.similarity > tau
        return CallMatches(self.reference[kept], self.test[kept], self.similarity[kept])


@dataclass(frozen=True, eq=False)
class Likeness:
    """How two call trees are alike.

    reference, test        the trees
    sets                   the function set of each call
    best_of_reference      int64[n]    the most similar call of the test, -1 = none reaches the least similarity
    best_of_test           int64[k]    and the other way round
    reference_similarity   float64[n]  the similarity of the two, 0 where there is none
    test_similarity        float64[k]
    """

    reference: CallTree
    test: CallTree
    sets: FunctionSets
    best_of_reference: Ints
    best_of_test: Ints
    reference_similarity: Floats
    test_similarity: Floats

    def mutual(self, tau: float) -> CallMatches:
        """The mutually best matches with a similarity above tau."""
        best, back = self.best_of_reference, self.best_of_test
        order = self.reference.breadth_first
        partner = best[order]
        kept = (partner >= 0) & (self.reference_similarity[order] > tau)
        kept[kept] = back[partner[kept]] == order[kept]
        rows = order[kept]
        return CallMatches(rows, best[rows], self.reference_similarity[rows])


def likeness(
    reference: CallTree,
    test: CallTree,
    least: float = LEAST,
    progress: Progress = silent,
    first: Callable[[Likeness], None] | None = None,
) -> Likeness:
    """The best match of each call of two trees, of a similarity of at least `least`.

    Roughly linear in the calls; see `similarity.AlikeSearch` for the sets. Where these are many, `first` is given what
    the longest calls of both trees match before, exactly, and nothing of other calls. Raises InputError as
    `function_sets` does, and Cancelled.
    """
    progress("Collecting functions below calls", 0, 0)
    sets = function_sets(reference, test)
    own = np.flatnonzero(np.bincount(sets.of_reference, minlength=len(sets)))
    others = np.flatnonzero(np.bincount(sets.of_test, minlength=len(sets)))
    with ThreadPoolExecutor(2) as pool:  # the kernels leave the interpreter free
        by_side = as_here(_Side), as_here(AlikeSearch.look), as_here(_Side.best)
        sides = [
            each.result()
            for each in (
                pool.submit(by_side[0], reference, sets.of_reference, test, sets.of_test, sets, others, least),
                pool.submit(by_side[0], test, sets.of_test, reference, sets.of_reference, sets, own, least),
            )
        ]

        def search(which: tuple[Ints, Ints]) -> None:
            left = [side.search.left(each) for side, each in zip(sides, which, strict=True)]
            total = max(len(each) for each in left)
            for begin in range(0, total, AT_ONCE):
                progress("Comparing sets of functions", begin, total)
                parts = [each[begin : begin + AT_ONCE] for each in left]
                looking = [pool.submit(by_side[1], side.search, part) for side, part in zip(sides, parts, strict=True)]
                for each in looking:
                    each.result()

        def found() -> Likeness:
            forth, back = (pool.submit(by_side[2], side) for side in sides)
            (best, similar), (best_back, similar_back) = forth.result(), back.result()
            return Likeness(reference, test, sets, best, best_back, similar, similar_back)

        if first is not None and len(own) + len(others) > MANY_SETS:
            seen = _longest(reference), _longest(test)
            search((sets.of_reference[seen[0]], sets.of_test[seen[1]]))
            early = found()
            partners = early.best_of_test[seen[1]], early.best_of_reference[seen[0]]
            met = [rows[rows >= 0] for rows in partners]
            search((sets.of_reference[met[0]], sets.of_test[met[1]]))
            first(found())
        search((own, others))
        return found()


def _longest(tree: CallTree) -> Ints:
    """The calls that take the most time, those that a picture shows first; at most `FIRST`."""
    length = tree.end - tree.start
    if len(length) <= FIRST:
        return np.arange(len(length))
    return np.argpartition(length, len(length) - FIRST)[-FIRST:]


class _Side:
    """One of two trees, and how its sets of functions are looked for in the other."""

    def __init__(
        self,
        own: CallTree,
        own_sets: Ints,
        other: CallTree,
        other_sets: Ints,
        sets: FunctionSets,
        among: Ints,
        least: float,
    ) -> None:
        self._own, self._own_sets, self._other, self._other_sets = own, own_sets, other, other_sets
        self.search = AlikeSearch(sets, among, least)

    def best(self) -> tuple[Ints, Floats]:
        """The best call of the other tree for each call whose set was searched for, and how alike the two are."""
        alike = self.search.found()
        best = best_calls(self._own, self._own_sets, self._other, self._other_sets, alike)
        return best, alike.similarity[self._own_sets]


def best_calls(own: CallTree, own_sets: Ints, other: CallTree, other_sets: Ints, alike: MostAlike) -> Ints:
    """int64[n]: for each call of `own` the best match in `other`, -1 = none; see the module."""
    sets, functions = len(alike.ptr) - 1, int(other.function.max()) + 1
    by_start = counted_order(other_sets, np.arange(len(other)), sets)
    by_function = counted_order(other_sets, counted_order(other.function, np.arange(len(other)), functions), sets)
    ptr = np.concatenate(([0], np.cumsum(np.bincount(other_sets, minlength=sets))))
    return _nearest(
        own.function,
        own.start,
        own_sets,
        alike.ptr,
        alike.sets,
        ptr,
        by_function,
        by_start,
        other.function,
        other.start,
        other.rank,
    )


def matches_above(
    likeness: Likeness, reference_rows: Ints, test_rows: Ints, tau: float, most: int = 2_000_000
) -> CallMatches:
    """All matches above tau among some calls of each tree, such as those that are seen; of too many the best."""
    sets = likeness.sets
    left, right = np.unique(sets.of_reference[reference_rows]), np.unique(sets.of_test[test_rows])
    one, other, alike = _pairs_above(sets.members, sets.ptr, left, right, int(sets.members.max(initial=0)) + 1, tau)
    sizes = np.diff(sets.ptr)
    best = np.lexsort((-(sizes[one] + sizes[other]), -alike))  # of equally alike ones calls that hold much come first
    rows_of = _by_set(sets.of_reference, reference_rows), _by_set(sets.of_test, test_rows)
    parts: list[tuple[Ints, Ints, Floats]] = []
    count = 0
    for pair in best.tolist():
        mine, theirs = rows_of[0][int(one[pair])], rows_of[1][int(other[pair])]
        parts.append(
            (np.repeat(mine, len(theirs)), np.tile(theirs, len(mine)), np.full(len(mine) * len(theirs), alike[pair]))
        )
        count += len(mine) * len(theirs)
        if count >= most:
            break
    rows = np.concatenate([part[0] for part in parts] or [np.empty(0, np.int64)])[:most]
    partners = np.concatenate([part[1] for part in parts] or [np.empty(0, np.int64)])[:most]
    values = np.concatenate([part[2] for part in parts] or [np.empty(0, np.float64)])[:most]
    order = np.lexsort((likeness.test.rank[partners], likeness.reference.rank[rows]))
    return CallMatches(rows[order], partners[order], values[order])


def _by_set(of_call: Ints, rows: Ints) -> dict[int, Ints]:
    """Set -> those of the rows that have it."""
    order = rows[np.argsort(of_call[rows], kind="stable")]
    which, first = np.unique(of_call[order], return_index=True)
    return dict(zip(which.tolist(), np.split(order, first[1:]), strict=True))


@kernel
def _nearest(  # noqa: PLR0913 - the columns of two trees, as compiled loops take them
    function: npt.NDArray[np.int64],
    start: npt.NDArray[np.int64],
    own_sets: npt.NDArray[np.int64],
    alike_ptr: npt.NDArray[np.int64],
    alike: npt.NDArray[np.int64],
    ptr: npt.NDArray[np.int64],
    by_function: npt.NDArray[np.int64],
    by_start: npt.NDArray[np.int64],
    functions: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    rank: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The best call of the other tree for each call. `by_function` holds the other calls by set, function and row,
    `by_start` by set and row, which is by start, too; those of set i are `ptr[i]:ptr[i + 1]` in both.
    """
    best = np.full(len(function), -1, np.int64)
    for row in range(len(function)):
        first, last = alike_ptr[own_sets[row]], alike_ptr[own_sets[row] + 1]
        found = -1
        for entry in range(first, last):
            low, high = ptr[alike[entry]], ptr[alike[entry] + 1]
            low = _first_at_least(by_function, functions, low, high, function[row])
            high = _first_at_least(by_function, functions, low, high, function[row] + 1)
            if low < high:
                call = _closest(by_function, starts, low, high, start[row], rank)
                found = _nearer(found, call, start[row], starts, rank)
        if found < 0:
            for entry in range(first, last):
                call = _closest(by_start, starts, ptr[alike[entry]], ptr[alike[entry] + 1], start[row], rank)
                found = _nearer(found, call, start[row], starts, rank)
        best[row] = found
    return best


@kernel
def _nearer(one: int, other: int, start: int, starts: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]) -> int:
    """Of two calls that whose start is nearer, of equally near ones the first breadth-first; -1 = none yet."""
    if one < 0:
        return other
    to_one, to_other = abs(starts[one] - start), abs(starts[other] - start)
    if to_other < to_one or (to_other == to_one and rank[other] < rank[one]):
        return other
    return one


@kernel
def _first_at_least(rows: npt.NDArray[np.int64], values: npt.NDArray[np.int64], low: int, high: int, value: int) -> int:
    """The first place in a range of rows, in ascending order of their values, whose value is at least so large."""
    while low < high:
        middle = (low + high) // 2
        if values[rows[middle]] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _closest(
    rows: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    low: int,
    high: int,
    start: int,
    rank: npt.NDArray[np.int64],
) -> int:
    """The call in a range, which is not empty, whose start is nearest; of equally near ones the first breadth-first."""
    after = _first_at_least(rows, starts, low, high, start)
    found = -1
    place = after
    while place < high and starts[rows[place]] == starts[rows[after]]:
        found = _nearer(found, rows[place], start, starts, rank)
        place += 1
    place = after - 1
    while place >= low and starts[rows[place]] == starts[rows[after - 1]]:
        found = _nearer(found, rows[place], start, starts, rank)
        place -= 1
    return found


@kernel
def _pairs_above(
    members: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    functions: int,
    tau: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The pairs of sets whose similarity is above tau."""
    size = np.int64(0)
    for b in right:
        size += ptr[b + 1] - ptr[b]
    list_ptr = np.zeros(functions + 1, np.int64)
    for b in right:
        for entry in range(ptr[b], ptr[b + 1]):
            list_ptr[members[entry] + 1] += 1
    for each in range(functions):
        list_ptr[each + 1] += list_ptr[each]
    lists = np.empty(size, np.int64)
    filled = list_ptr[:-1].copy()
    for place in range(len(right)):
        for entry in range(ptr[right[place]], ptr[right[place] + 1]):
            lists[filled[members[entry]]] = place
            filled[members[entry]] += 1
    common = np.zeros(len(right), np.int64)
    one, other, alike = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16, np.float64)
    count = 0
    for a in left:
        common[:] = 0
        for entry in range(ptr[a], ptr[a + 1]):
            for position in range(list_ptr[members[entry]], list_ptr[members[entry] + 1]):
                common[lists[position]] += 1
        for place in range(len(right)):
            if common[place] == 0:
                continue
            b = right[place]
            value = common[place] / (ptr[a + 1] - ptr[a] + ptr[b + 1] - ptr[b] - common[place])
            if value > tau:
                if count == len(one):
                    more, others, likes = (
                        np.empty(2 * count, np.int64),
                        np.empty(2 * count, np.int64),
                        np.empty(2 * count),
                    )
                    for each in range(count):
                        more[each], others[each], likes[each] = one[each], other[each], alike[each]
                    one, other, alike = more, others, likes
                one[count], other[count], alike[count] = a, b, value
                count += 1
    return one[:count], other[:count], alike[:count]
