"""Which sets of functions are most alike: s = |A and B| / |A or B| (TD-1).

What two sets share is counted through the lists of the sets that hold a function. Two prunings keep this far from all
pairs: a set b can be as alike as s to a set a only if s|a| <= |b| <= |a|/s, and only if it holds one of any
|a| - ceil(s|a|) + 1 members of a, for which those that the fewest sets hold are taken. What two large sets share is
counted by bits of functions.

Source: Trümper, Döllner, Telea 2013, section III-B; prefix filter: Chaudhuri, Ganti, Kaushik 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.compare.subtrees import FunctionSets
from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]

MOST_TRIES = 500  # sets that are looked at one by one for a set
LEAST = 0.1  # the lowest similarity that counts as one
AT_ONCE = 256  # sets that are searched for between two looks whether the user cancels
DENSE = 2  # members for each word of bits of all functions, from which on a set is large


@dataclass(frozen=True, eq=False)
class MostAlike:
    """For each set of one tree the sets of the other that are most alike.

    similarity  float64[c]  by set; 0 where none reaches the least, or where the tree has no such set
    ptr         int64[c + 1]
    sets        int64[...]  those of set i are `sets[ptr[i]:ptr[i + 1]]`, equally alike, ascending
    """

    similarity: npt.NDArray[np.float64]
    ptr: Ints
    sets: Ints


def similarity(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """|A and B| / |A or B| of two sets of ids; 0 of two empty ones."""
    left, right = np.unique(np.asarray(one)), np.unique(np.asarray(other))
    common = len(np.intersect1d(left, right, assume_unique=True))
    either = len(left) + len(right) - common
    return common / either if either else 0.0


@dataclass(frozen=True, eq=False)
class _Tables:
    """What is looked up in, made once.

    rarest      int32[m]  the members of each set, those that the fewest of the others hold first
    sizes       int64[c]
    has         bool[c]   whether the other tree has a set
    lists, list_ptr       for each function the sets of the other tree that hold it, small ones first
    dense       int64[d]  the large sets of the other tree, small ones first
    row_of      int64[c]  the row of a large set of either tree in `bits`, -1 = it is small
    bits        uint64[e, w]  a bit for each function
    """

    rarest: npt.NDArray[np.int32]
    sizes: Ints
    has: npt.NDArray[np.bool_]
    lists: Ints
    list_ptr: Ints
    dense: Ints
    row_of: Ints
    bits: npt.NDArray[np.uint64]


class AlikeSearch:
    """For sets of one tree the sets of the other with the highest similarity, where it is at least `least` (> 0)."""

    def __init__(self, sets: FunctionSets, others: Ints, least: float = LEAST) -> None:
        if least <= 0.0:
            raise ValueError("the least similarity must be above 0")
        self._sets, self._least = sets, least
        self._tables = _tables(sets, others)
        count = len(sets)
        self._shared = np.zeros(count, np.int32)
        self._places = np.zeros((2, count), np.int64)  # of sets: those that were met, and those that are found
        self._tried = np.full(count, -1, np.int64)
        self._marked = np.full(len(self._tables.list_ptr) - 1, -1, np.int64)
        self._similarity = np.zeros(count, np.float64)
        self._parts: list[Ints] = []
        self._counts = np.zeros(count, np.int64)
        self._order: list[Ints] = []
        self._done = np.zeros(count, np.bool_)

    def left(self, own: Ints) -> Ints:
        """Those of some sets that were not searched for yet, once each."""
        return np.unique(own[~self._done[own]])

    def look(self, own: Ints) -> None:
        """Search for some sets, which were not searched for yet."""
        tables, sets = self._tables, self._sets
        self._done[own] = True
        found, counts = _most_alike(
            sets.members,
            tables.rarest,
            sets.ptr,
            tables.sizes,
            tables.has,
            own,
            tables.lists,
            tables.list_ptr,
            tables.dense,
            tables.row_of,
            tables.bits,
            self._shared,
            self._places,
            self._tried,
            self._marked,
            self._similarity,
            self._least,
        )
        self._parts.append(found)
        self._counts[own] = counts
        self._order.append(own)

    def found(self) -> MostAlike:
        """What was found so far: nothing for sets that were not searched for."""
        ptr = np.concatenate(([0], np.cumsum(self._counts)))
        sets = np.empty(ptr[-1], np.int64)
        if self._order:
            own, values = np.concatenate(self._order), np.concatenate(self._parts)
            counts = self._counts[own]
            first = np.cumsum(counts) - counts
            sets[np.repeat(ptr[own] - first, counts) + np.arange(len(values))] = values
            of_set = np.repeat(np.arange(len(self._counts)), self._counts)
            sets = sets[np.lexsort((sets, of_set))]
        return MostAlike(self._similarity.copy(), ptr, sets)


def most_alike(
    sets: FunctionSets, own: Ints, others: Ints, least: float = LEAST, progress: Progress = silent
) -> MostAlike:
    """For each of the sets `own` those of `others` with the highest similarity, where it is at least `least` (> 0).

    May raise Cancelled.
    """
    search = AlikeSearch(sets, others, least)
    for begin in range(0, len(own), AT_ONCE):
        progress("Comparing sets of functions", begin, len(own))
        search.look(own[begin : begin + AT_ONCE])
    return search.found()


def _tables(sets: FunctionSets, others: Ints) -> _Tables:
    count = len(sets)
    has = np.zeros(count, np.bool_)
    has[others] = True
    sizes = sets.sizes
    functions = int(sets.members.max(initial=0)) + 1
    by_size = np.argsort(sizes, kind="stable")
    list_ptr, lists = _holders(sets.members, sets.ptr, by_size[has[by_size]], functions)
    every_ptr, every = _holders(sets.members, sets.ptr, by_size, functions)
    rarest = _by_rarity(every_ptr, every, np.argsort(np.diff(list_ptr), kind="stable"), sets.ptr)
    words = functions // 64 + 1
    large = np.flatnonzero(sizes >= DENSE * words)
    row_of = np.full(count, -1, np.int64)
    row_of[large] = np.arange(len(large))
    bits = np.zeros((len(large), words), np.uint64)
    _fill_bits(sets.members, sets.ptr, large, bits)
    dense = large[has[large]]
    dense = dense[np.argsort(sizes[dense], kind="stable")]
    return _Tables(rarest, sizes, has, lists, list_ptr, dense, row_of, bits)


@kernel
def _holders(members: npt.NDArray[np.int32], ptr: Ints, which: Ints, functions: int) -> tuple[Ints, Ints]:
    """(where the list of each function begins, which of some sets hold it, in their order)."""
    list_ptr = np.zeros(functions + 1, np.int64)
    for each in which:
        for entry in range(ptr[each], ptr[each + 1]):
            list_ptr[members[entry] + 1] += 1
    at = np.empty(functions, np.int64)
    for function in range(functions):
        at[function] = list_ptr[function]
        list_ptr[function + 1] += list_ptr[function]
    lists = np.empty(list_ptr[functions], np.int64)
    for each in which:
        for entry in range(ptr[each], ptr[each + 1]):
            lists[at[members[entry]]] = each
            at[members[entry]] += 1
    return list_ptr, lists


@kernel
def _by_rarity(list_ptr: Ints, lists: Ints, order: Ints, ptr: Ints) -> npt.NDArray[np.int32]:
    """The members of each set in an order of all functions. lists: the sets that hold each function."""
    at = np.empty(len(ptr), np.int64)
    for each in range(len(ptr)):
        at[each] = ptr[each]
    found = np.empty(len(lists), np.int32)
    for function in order:
        for entry in range(list_ptr[function], list_ptr[function + 1]):
            found[at[lists[entry]]] = function
            at[lists[entry]] += 1
    return found


@kernel
def _fill_bits(members: npt.NDArray[np.int32], ptr: Ints, large: Ints, bits: npt.NDArray[np.uint64]) -> None:
    for row in range(len(large)):
        for entry in range(ptr[large[row]], ptr[large[row] + 1]):
            bits[row, members[entry] >> 6] |= np.uint64(1) << np.uint64(members[entry] & 63)


@kernel
def _most_alike(  # noqa: PLR0913 - tables of sets, as compiled loops take them
    members: npt.NDArray[np.int32],
    rarest: npt.NDArray[np.int32],
    ptr: Ints,
    sizes: Ints,
    has: npt.NDArray[np.bool_],
    own: Ints,
    lists: Ints,
    list_ptr: Ints,
    dense: Ints,
    row_of: Ints,
    bits: npt.NDArray[np.uint64],
    shared: npt.NDArray[np.int32],
    places: Ints,
    tried: Ints,
    marked: Ints,
    best: npt.NDArray[np.float64],
    least: float,
) -> tuple[Ints, Ints]:
    """(those that are most alike to each of `own`, one after the other; how many each has). Fills `best`."""
    touched, found = places[0], places[1]
    out = np.empty(max(2 * len(own), 16), np.int64)
    counts = np.zeros(len(own), np.int64)
    at = 0
    for place in range(len(own)):
        a = own[place]
        alike_sets, top, most = 1, 1.0, 0  # most: of sets with less members what they share is counted
        if has[a]:  # the same set is there: nothing else is as alike
            found[0] = a
        elif row_of[a] >= 0:
            top, alike_sets = _among_large(a, sizes, dense, row_of, bits, found, least)
            most = sizes[dense[0]] if len(dense) > 0 else len(members) + 1
        else:
            for entry in range(ptr[a], ptr[a + 1]):
                marked[members[entry]] = a
            top, alike_sets = _one_by_one(a, members, rarest, ptr, sizes, lists, list_ptr, marked, tried, found, least)
            if alike_sets < 0:
                alike_sets, most = 0, len(members) + 1
        if most > 0:
            top, alike_sets = _all_at_once(
                a, rarest, ptr, sizes, lists, list_ptr, shared, touched, found, top, alike_sets, most
            )
        if at + alike_sets > len(out):
            longer = np.empty(2 * (at + alike_sets), np.int64)
            for each in range(at):
                longer[each] = out[each]
            out = longer
        for each in range(alike_sets):
            out[at + each] = found[each]
        at += alike_sets
        counts[place] = alike_sets
        best[a] = top if alike_sets > 0 else 0.0
    return out[:at], counts


@kernel
def _among_large(
    a: int, sizes: Ints, dense: Ints, row_of: Ints, bits: npt.NDArray[np.uint64], found: Ints, top: float
) -> tuple[float, int]:
    """The highest similarity of a large set to others, of at least `top`; how many have it, which stand in `found`.

    From those of its size outward: a set can be as alike as the smaller size by the larger one, and no more.
    """
    size, count = sizes[a], 0
    mine = bits[row_of[a]]
    high = _first_of_size(dense, sizes, 0, len(dense), float(size))
    low = high - 1
    while True:
        below = sizes[dense[low]] / size if low >= 0 else 0.0
        above = size / sizes[dense[high]] if high < len(dense) else 0.0
        if max(below, above) < top - 1e-12 or max(below, above) == 0.0:
            break
        if below >= above:
            b = dense[low]
            low -= 1
        else:
            b = dense[high]
            high += 1
        theirs = bits[row_of[b]]
        common = np.int64(0)
        for word in range(len(mine)):
            left = mine[word] & theirs[word]
            left = left - ((left >> np.uint64(1)) & np.uint64(0x5555555555555555))
            left = (left & np.uint64(0x3333333333333333)) + ((left >> np.uint64(2)) & np.uint64(0x3333333333333333))
            left = (left + (left >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            common += np.int64((left * np.uint64(0x0101010101010101)) >> np.uint64(56))
        alike = common / (size + sizes[b] - common)
        if alike >= top:
            count = 0 if alike > top else count
            top = alike
            found[count] = b
            count += 1
    return top, count


@kernel
def _one_by_one(  # noqa: PLR0913 - tables of sets, as compiled loops take them
    a: int,
    members: npt.NDArray[np.int32],
    rarest: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    marked: npt.NDArray[np.int64],
    tried: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
    top: float,
) -> tuple[float, int]:
    """The highest similarity to a set, and how many sets have it, which stand in `found`; -1 = too many to look at."""
    size, count, tries = sizes[a], 0, 0
    for offset in range(size):
        if offset >= size - np.ceil(top * size - 1e-9) + 1:
            break
        low, high = _of_size(lists, list_ptr, sizes, rarest[ptr[a] + offset], size, top, len(sizes) + len(marked))
        for position in range(low, high):
            b = lists[position]
            if sizes[b] * top > size + 1e-9:
                break
            if tried[b] == a:
                continue
            tried[b] = a
            tries += 1
            if tries > MOST_TRIES:
                return top, -1
            # so many of b must be in a: what b may lack is used up one by one
            missing = sizes[b] - int(np.ceil(top * (size + sizes[b]) / (1.0 + top) - 1e-9))
            common = 0
            for entry in range(ptr[b], ptr[b + 1]):
                if marked[members[entry]] == a:
                    common += 1
                else:
                    missing -= 1
                    if missing < 0:
                        break
            if missing < 0:
                continue
            alike = common / (size + sizes[b] - common)
            if alike >= top:
                count = 0 if alike > top else count
                top = alike
                found[count] = b
                count += 1
    return top, count


@kernel
def _all_at_once(  # noqa: PLR0913 - likewise
    a: int,
    rarest: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int32],
    touched: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
    top: float,
    count: int,
    most: int,
) -> tuple[float, int]:
    """The same by counting what each set of less than `most` members shares with it.

    `top` is known to be reached, or the least; `count` sets that reach it stand in `found`.
    """
    size, met = sizes[a], 0
    if top * size - 1e-9 > most:
        return top, count
    for offset in range(size):
        low, high = _of_size(lists, list_ptr, sizes, rarest[ptr[a] + offset], size, top, most)
        if offset < size - np.ceil(top * size - 1e-9) + 1:
            for position in range(low, high):
                b = lists[position]
                if shared[b] == 0:
                    touched[met] = b
                    met += 1
                shared[b] += 1
        else:  # what has none of the members before cannot have enough of them
            for position in range(low, high):
                shared[lists[position]] += shared[lists[position]] > 0
    for place in range(met):
        b = touched[place]
        alike = shared[b] / (size + sizes[b] - shared[b])
        shared[b] = 0
        if alike >= top:
            count = 0 if alike > top else count
            top = alike
            found[count] = b
            count += 1
    return top, count


@kernel
def _of_size(
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    member: int,
    size: int,
    alike: float,
    most: int,
) -> tuple[int, int]:
    """The part of a function's list that is neither too small nor too large to be so alike to a set of this size, and
    has less than `most` members.
    """
    first, last = list_ptr[member], list_ptr[member + 1]
    return (
        _first_of_size(lists, sizes, first, last, alike * size - 1e-9),
        _first_of_size(lists, sizes, first, last, min(size / alike + 1e-9, float(most))),
    )


@kernel
def _first_of_size(lists: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], low: int, high: int, size: float) -> int:
    """The first place of a list whose set is at least so large."""
    while low < high:
        middle = (low + high) // 2
        if sizes[lists[middle]] < size:
            low = middle + 1
        else:
            high = middle
    return low
